"""Compiled programs: state that lives on the ranks, and runs over a user's arrays.

Arrays are logical ones; each rank is given its part. What all ranks read alike is shared by them
without a copy, and a cut of dimension 0 is a view; other cuts are copied. State is copied once, by
`init`, into buffers of the ranks, and updated there.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any

import numpy as np

from coconet_mlir import _runtime
from coconet_mlir._abi import Array, Results, descriptor
from coconet_mlir.arguments import (
    Sizes,
    as_arrays,
    check,
    check_names,
    expand_lists,
    list_ports,
    place,
)
from coconet_mlir.compiled import Compiled, Part
from coconet_mlir.dtypes import to_numpy
from coconet_mlir.errors import InputError
from coconet_mlir.program import Port, Signature
from coconet_mlir.saving import load_states, save_states

_PORTION = 0.1
"""Seconds of a loop of steps after which an interrupt is seen."""
_MOST_STEPS = 128
"""Of a portion: on a busy machine a step may take a thousand times as long as the last ones."""


@dataclass
class _State:
    """A state's buffers, one for each of the ranks that have it, and its logical shape."""

    port: Port
    shape: tuple[int, ...]
    buffers: list[Array]
    ranks: tuple[int, ...]


@dataclass
class _Call:
    """Arguments of one run, ready for the ranks."""

    packed: _runtime.PackedArguments
    results: list[Results]
    shapes: Sizes


class Executable:
    """A program compiled for the ranks of this machine, and the state of its ranks.

    Args:
        compiled: what `coconet_mlir.compile` made.
        timeout: seconds that a rank may be waited for; by default COCONET_TIMEOUT, else 30.
    """

    def __init__(self, compiled: Compiled, *, timeout: float | None = None) -> None:
        self._compiled = compiled
        self._world = _runtime.World(compiled.ranks, timeout)
        self._states: dict[str, _State] = {}
        self._ranks = {
            port.name: part.ranks for part in compiled.parts for port in part.signature.arguments
        }

    # ===- What it is ----------------------------------------------------------===

    @property
    def signature(self) -> Signature:
        """Arguments, results and mesh."""
        return self._compiled.signature

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return self._compiled.ranks

    @property
    def state(self) -> Mapping[str, Sequence[Array]]:
        """Each rank's buffer of each state that has one: the memory that runs update."""
        return MappingProxyType({n: tuple(s.buffers) for n, s in self._states.items()})

    @property
    def state_bytes(self) -> tuple[int, ...]:
        """Bytes of state that each rank holds."""
        held = [0] * self.ranks
        for state in self._states.values():
            for rank, buffer in zip(state.ranks, state.buffers, strict=True):
                held[rank] += buffer.nbytes
        return tuple(held)

    def __repr__(self) -> str:
        ports = "; ".join(str(port) for port in self.signature.arguments)
        return f"Executable(@{self.signature.name} on {self.ranks} ranks; {ports})"

    # ===- State ---------------------------------------------------------------===

    def init(self, /, **states: Any) -> Executable:
        """Set states from logical arrays, which are copied. States that are never set start at 0.

        A list of states takes a list of arrays.

        Raises:
            InputError: a name, an element type or a shape does not fit.
        """
        states = expand_lists(states, self.signature.states)
        check_names(states, self.signature.states, "state")
        self._set(states, self._known_sizes(states))
        return self

    def read_list(self, name: str) -> list[Array]:
        """Copies of the logical values of a list of states.

        Raises:
            InputError: there is no such list, or a state in it has no value yet.
        """
        places = list_ports(name, {port.name for port in self.signature.states})
        if not places:
            raise InputError(f"'{name}' is no list of states; read gives a single one")
        return [self.read(place) for place in places]

    def read(self, name: str) -> Array:
        """A copy of the logical value of a state.

        Raises:
            InputError: there is no such state, or it has no value yet.
        """
        check_names([name], self.signature.states, "state")
        if name not in self._states:
            raise InputError(f"state '{name}' has no value yet; give it to init, or run once")
        held = self._states[name]
        return held.port.layout.join(held.buffers, held.shape)

    def save(self, path: str | Path) -> None:
        """Write the logical value of all states to a file in the safetensors format.

        `load` reads it into this program on any number of ranks, under any schedule. The file is
        whole or absent, also after a crash; one that was there is replaced.

        Raises:
            InputError: a state has no known size yet, or the file cannot be written.
        """
        sizes = self._known_sizes({})
        arrays = {
            port.name: self.read(port.name)
            if port.name in self._states
            else np.zeros(_known_shape(port, sizes), to_numpy(port.dtype))
            for port in self.signature.states
        }
        save_states(path, arrays, self.signature.name)

    def load(self, path: str | Path) -> Executable:
        """Set all states from a file that `save` wrote, bit by bit.

        Raises:
            InputError: the file cannot be read, or its tensors are not those of the program; the
                states are then as they were.
        """
        self._set(load_states(path, self.signature.states), Sizes())
        return self

    def _known_sizes(self, replaced: Mapping[str, Any]) -> Sizes:
        """Sizes that the states tell which keep their value."""
        sizes = Sizes()
        for name, held in self._states.items():
            if name not in replaced:
                sizes.check(held.port, held.shape)
        return sizes

    def _set(self, states: Mapping[str, Any], sizes: Sizes) -> None:
        ports = {port.name: port for port in self.signature.states}
        checked = {}
        for name, value in states.items():
            checked[name] = as_arrays(ports[name], value)
            check(ports[name], checked[name], sizes)
        placed = {}
        for name, arrays in checked.items():
            parts = place(ports[name], arrays, len(self._ranks[name]))
            buffers = [_runtime.empty(part.shape, part.dtype) for part in parts]
            for buffer, part in zip(buffers, parts, strict=True):
                buffer[...] = part
            placed[name] = _State(ports[name], arrays[0].shape, buffers, self._ranks[name])
        self._states.update(placed)

    def _fill_states(self, sizes: Sizes) -> None:
        """Give states without value zeros."""
        for port in self.signature.states:
            if port.name in self._states:
                continue
            shape = _known_shape(port, sizes)
            ranks = self._ranks[port.name]
            buffers = [
                _runtime.empty(port.layout.rank_shape(shape, rank), to_numpy(port.dtype))
                for rank in range(len(ranks))
            ]
            for buffer in buffers:
                buffer[...] = 0
            self._states[port.name] = _State(port, shape, buffers, ranks)

    # ===- Runs ----------------------------------------------------------------===

    def __call__(self, /, **arrays: Any) -> dict[str, Array]:
        """Run once; see `run`."""
        return self.run(arrays)

    def run(
        self, held: Mapping[str, Any] | None = None, /, *, steps: int = 1, **named: Any
    ) -> dict[str, Array]:
        """Run on logical arrays by argument name, and return the logical results by name.

        A pending or local argument is a list of one array for each position along its axes, or an
        array with that first dimension. A state given here is set before the first step. With
        several steps each one reads the same inputs; results are those of the last. Arrays may also
        come as a dictionary, which takes names that are no Python names, and "steps".

        Raises:
            InputError: a name, an element type or a shape does not fit.
            CollectiveError: the ranks could not finish, for example within the time-out.
        """
        _check_steps(steps)
        call = self._prepare({**(held or {}), **named})
        return self._gather(call, self._execute(call, steps))

    def benchmark(self, /, *, steps: int = 10, **arrays: Any) -> float:
        """Seconds a step, from a loop of steps on the ranks after one to warm up."""
        _check_steps(steps)
        call = self._prepare(arrays)
        self._execute(call, 1)
        start = time.perf_counter()
        self._execute(call, steps)
        return (time.perf_counter() - start) / steps

    def _prepare(self, arrays: Mapping[str, Any]) -> _Call:
        signature = self.signature
        arrays = expand_lists(arrays, signature.arguments)
        check_names(arrays, signature.arguments, "argument")
        missing = [port.name for port in signature.inputs if port.name not in arrays]
        if missing:
            raise InputError(f"no array for {', '.join(missing)}; every input is given by name")
        states = {p.name: arrays[p.name] for p in signature.states if p.name in arrays}
        sizes = self._known_sizes(states)
        inputs: dict[str, list[Array]] = {}
        for port in signature.inputs:
            inputs[port.name] = as_arrays(port, arrays[port.name])
            check(port, inputs[port.name], sizes)
        self._set(states, sizes)
        self._fill_states(sizes)
        return self._pack(inputs, sizes)

    def _rows(
        self, part: Part, inputs: Mapping[str, list[Array]]
    ) -> tuple[list[list[Array]], list[tuple[int, ...]]]:
        """The tensors of each rank of a function in order, and the logical shapes."""
        columns, shapes = [], []
        count = len(part.ranks)
        for port in part.signature.arguments:
            if port.state:
                held = self._states[port.name]
                columns.append(held.buffers)
                shapes.append(held.shape)
            else:
                columns.append(place(port, inputs[port.name], count))
                shapes.append(inputs[port.name][0].shape)
        return [list(row) for row in zip(*columns, strict=True)] or [[]] * count, shapes

    def _pack(self, inputs: Mapping[str, list[Array]], sizes: Sizes) -> _Call:
        """The calls of all ranks; first comes where results go, if there are any."""
        addresses: dict[int, list[int]] = {}
        results: dict[int, Results] = {}
        keep: list[object] = []
        for part in self._compiled.parts:
            rows, shapes = self._rows(part, inputs)
            extra = [shapes[argument][dim] for argument, dim in part.sizes]
            for rank, row in zip(part.ranks, rows, strict=True):
                results[rank] = Results(part.result_types)
                descriptors = [descriptor(array) for array in row]
                pointers = (ctypes.c_void_p * len(row))(*map(ctypes.addressof, descriptors))
                numbers = (ctypes.c_int64 * len(extra))(*extra)
                addresses[rank] = [*_each(pointers), *_each(numbers)]
                keep.append((row, descriptors, pointers, numbers))
        order = range(self.ranks)
        heads = (ctypes.c_void_p * self.ranks)(*(results[rank].address for rank in order))
        returning = {rank for p in self._compiled.parts if p.result_types for rank in p.ranks}
        packed = self._world.pack(
            [addresses[rank] for rank in order],
            keep=(keep, results, heads),
            results=[a if r in returning else None for r, a in enumerate(_each(heads))],
        )
        return _Call(packed, [results[rank] for rank in order], sizes)

    def _addresses(self) -> int | list[int]:
        """The entry point, or that of each rank."""
        parts = self._compiled.parts
        if len(parts) == 1:
            return parts[0].address
        found = {rank: part.address for part in parts for rank in part.ranks}
        return [found[rank] for rank in range(self.ranks)]

    def _execute(self, call: _Call, steps: int) -> list[list[Array]]:
        """Run, and return each rank's results of the last step."""
        # Results are new memory in each step, so a loop that returns some is ours. Other loops are
        # the runtime's, in portions between which Python can be interrupted.
        alone = any(part.result_types for part in self._compiled.parts)
        taken: list[list[Array]] = []
        portion = 1
        while steps:
            portion = min(portion, steps)
            start = time.perf_counter()
            keep = (self._compiled.code, call)
            self._world.run(self._addresses(), call.packed, repeat=portion, keep=keep)
            taken = [results.take() for results in call.results]
            steps -= portion
            elapsed = time.perf_counter() - start
            if elapsed > 2 * _PORTION:
                portion = max(1, portion // 2)
            elif not alone and elapsed < _PORTION:
                portion = min(2 * portion, _MOST_STEPS)
        return taken

    def _gather(self, call: _Call, taken: list[list[Array]]) -> dict[str, Array]:
        """Logical results by name. A replicated one is the first rank's own memory."""
        found: dict[str, Array] = {}
        for part in self._compiled.parts:
            found.update(self._gather_part(part, [taken[rank] for rank in part.ranks]))
        return found

    def _gather_part(self, part: Part, taken: list[list[Array]]) -> dict[str, Array]:
        found: dict[str, Array] = {}
        addresses: set[int] = set()
        returned: Iterator[int] = iter(range(len(part.result_types)))
        for port, state in zip(part.signature.results, part.results, strict=True):
            if state is not None:
                found[port.name] = self.read(state)
                continue
            index = next(returned)
            parts = [row[index] for row in taken]
            if port.layout.is_replicated:
                # A value that is returned twice comes in one buffer.
                address = parts[0].ctypes.data
                found[port.name] = parts[0].copy() if address in addresses else parts[0]
                addresses.add(address)
            else:
                found[port.name] = port.layout.join(parts, _shape(port, parts))
        return found

    # ===- End -----------------------------------------------------------------===

    def close(self) -> None:
        """Stop the ranks. State stays readable."""
        self._world.close()

    def __enter__(self) -> Executable:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _known_shape(port: Port, sizes: Sizes) -> tuple[int, ...]:
    """The shape of a state that starts at 0."""
    shape = sizes.shape_of(port)
    if shape is None:
        raise InputError(f"the size of state '{port.name}' is not known; give it a value")
    return shape


def _shape(port: Port, parts: Sequence[Array]) -> tuple[int, ...]:
    """Logical shape of a result."""
    layout = port.layout
    if None not in port.shape:
        return tuple(size for size in port.shape if size is not None)
    shape = list(parts[0].shape)
    for dim, axes in enumerate(layout.dims):
        if axes and layout.mesh is not None:
            # One rank of each position along the axes of the cut, the others at 0.
            group = {layout.mesh.position(rank, axes): rank for rank in range(len(parts))}
            shape[dim] = sum(parts[rank].shape[dim] for rank in group.values())
    return tuple(shape)


def _check_steps(steps: int) -> None:
    if not isinstance(steps, int) or steps < 1:
        raise InputError(f"steps is {steps!r}; give a whole number of at least 1")


def _each(values: Any) -> list[int]:
    """Addresses of the elements of a ctypes array."""
    start, size = ctypes.addressof(values), ctypes.sizeof(values._type_)
    return [start + index * size for index in range(len(values))]
