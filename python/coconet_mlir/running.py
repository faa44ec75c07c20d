"""What `coconet run` does: inputs from a file or at random, a run, results, checks."""

from __future__ import annotations

import argparse
import re
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from coconet_mlir.arguments import Array, Sizes, as_arrays, check_sizes
from coconet_mlir.binding import bind
from coconet_mlir.compile import compile
from coconet_mlir.dtypes import from_numpy, is_float, to_numpy
from coconet_mlir.errors import InputError, ProgramError
from coconet_mlir.program import Port, Program, Signature
from coconet_mlir.report import operations
from coconet_mlir.saving import load_states
from coconet_mlir.schedule import Schedule

_DEFAULT_SIZE = 1024
_DEFAULT_ELEMENTS = 2**20
"""At most so many in a tensor whose sizes nobody gives."""
_CONTRACTIONS = {"matmul", "reduce", "norm", "softmax"}


def _check_mesh(arguments: argparse.Namespace, program: Program) -> None:
    """The options that give open axes a size are named here; bind knows nothing of them."""
    mesh = program.signature(arguments.function).mesh
    if mesh is None or arguments.ranks is not None or arguments.mesh is not None:
        return
    axes = [name for name, size in mesh.sizes.items() if size is None]
    if len(axes) == len(mesh.sizes) == 1:
        raise InputError(f"axis '{axes[0]}' has no size; give --ranks N, or --mesh {axes[0]}=N")
    if axes:
        sizes = ",".join(f"{name}=N" for name in axes)
        raise InputError(f"axis '{axes[0]}' has no size; give --mesh {sizes}")


def run_program(arguments: argparse.Namespace, program: Program, schedule: Schedule) -> int:
    """Run a scheduled program as the command line says. Returns the exit code."""
    binding = {"ranks": arguments.ranks, "mesh": arguments.mesh}
    _check_mesh(arguments, program)
    executable = compile(
        schedule,
        function=arguments.function,
        check=not arguments.no_check,
        watch="nonfinite" if arguments.watch else None,
        **binding,
    )
    signature = executable.signature
    check_sizes(signature, arguments.sizes)
    arrays = _arrays(arguments, signature)
    with executable:
        results = executable.run(arrays, steps=arguments.steps)
        states = {port.name: executable.read(port.name) for port in signature.states}
        if arguments.save_state is not None:
            executable.save(arguments.save_state)
    for title, held in (("result", results), ("state", states)):
        for name, array in held.items():
            print(f"{title} {name}: {summary(array)}")
    if arguments.outputs is not None:
        # A result may be called as a state that it is not: then the state says so.
        kept = {f"{name} (state)" if name in results else name: states[name] for name in states}
        save_arrays(arguments.outputs, {**kept, **results})
    if not arguments.check:
        return 0
    if arguments.schedule:
        print(f"schedule: {schedule.verify(function=arguments.function, **binding)}")
    return _compare(arguments, program, schedule, arrays, {**results, **states})


def _arrays(arguments: argparse.Namespace, signature: Signature) -> dict[str, Array]:
    """Arrays for the arguments: from files, else inputs at random and states at 0."""
    states: dict[str, Array] = {}
    sizes = Sizes()
    if arguments.load_state is not None:
        states = load_states(arguments.load_state, signature.states)
        for port in signature.states:
            sizes.check(port, states[port.name].shape)
    if arguments.inputs is not None:
        arrays = load_arrays(arguments.inputs, signature.arguments)
        for name in states:
            if name in arrays:
                raise InputError(
                    f"state '{name}' is in {arguments.inputs} and in {arguments.load_state}; "
                    "give it once"
                )
        return {**arrays, **states}
    wanted = {**_default_sizes(signature), **sizes.known, **arguments.sizes}
    arrays = random_arrays(signature.inputs, wanted)
    if signature.inputs:
        print(_about_random(signature, wanted))
    return {**arrays, **(states or zero_states(signature.states, wanted))}


def _default_sizes(signature: Signature) -> dict[str, int]:
    """A size for every name, so that no tensor is large."""
    size = _DEFAULT_SIZE
    open_dims = [
        [name for known, name in zip(port.shape, port.dims, strict=True) if known is None]
        for port in signature.arguments
    ]
    while any(size ** len(names) > _DEFAULT_ELEMENTS for names in open_dims):
        size //= 2
    return {name: size for names in open_dims for name in names if name}


def load_arrays(path: str, ports: Sequence[Port]) -> dict[str, Array]:
    """The arrays of a `.npz` file. numpy stores bf16 as two plain bytes."""
    try:
        loaded = np.load(path, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            raise InputError(f"{path} holds one array; save several by name with numpy.savez")
        with loaded as held:
            arrays = {name: held[name] for name in held.files}
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    except InputError:
        raise
    except (ValueError, EOFError, zipfile.BadZipFile):
        raise InputError(
            f"{path} is no .npz file of plain arrays; write one with numpy.savez"
        ) from None
    for port in ports:
        found = arrays.get(port.name)
        if port.dtype == "bf16" and found is not None and found.dtype == np.dtype("V2"):
            arrays[port.name] = found.view(to_numpy("bf16"))
    return arrays


def save_arrays(path: str, arrays: Mapping[str, Array]) -> None:
    """Write a `.npz` file."""
    try:
        # As numpy.savez, which cannot write an array called "file".
        with zipfile.ZipFile(path, "w") as archive:
            for name, array in arrays.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                    np.lib.format.write_array(file, array, allow_pickle=False)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None


def random_arrays(ports: Sequence[Port], sizes: Mapping[str, int]) -> dict[str, Array]:
    """Inputs from a fixed seed: normal floats, and integers from 0 to 9."""
    arrays = {}
    for index, port in enumerate(ports):
        generator = np.random.default_rng([0, index])
        shape = _bound_shape(port, sizes)
        if port.layout.leading:
            shape = (port.layout.positions, *shape)
        values = (
            generator.standard_normal(shape)
            if is_float(port.dtype)
            else generator.integers(0, 10, shape)
        )
        arrays[port.name] = np.asarray(values).astype(to_numpy(port.dtype))
    return arrays


def zero_states(ports: Sequence[Port], sizes: Mapping[str, int]) -> dict[str, Array]:
    """Zeros for states with open sizes that have no name, so that no input tells them, or one that
    the command line gives."""
    return {
        port.name: np.zeros(_bound_shape(port, sizes), to_numpy(port.dtype))
        for port in ports
        if any(
            size is None and (not name or name in sizes)
            for size, name in zip(port.shape, port.dims, strict=True)
        )
    }


def _bound_shape(port: Port, sizes: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(
        sizes.get(name, _DEFAULT_SIZE) if size is None else size
        for size, name in zip(port.shape, port.dims, strict=True)
    )


def _about_random(signature: Signature, sizes: Mapping[str, int]) -> str:
    names = {
        name: sizes.get(name, _DEFAULT_SIZE)
        for port in signature.inputs
        for size, name in zip(port.shape, port.dims, strict=True)
        if size is None
    }
    bound = ", ".join(f"{name or '?'} = {size}" for name, size in sorted(names.items()))
    return f"inputs are random{f', {bound}' if bound else ''}"


def summary(array: Array) -> str:
    """Type, shape, and the values or their range."""
    head = f"{from_numpy(array.dtype)}{list(array.shape)}"
    if array.size <= 4:
        return f"{head} = {array.tolist()}"
    wide = array.astype(np.float64)
    return f"{head}, mean {wide.mean():.6g}, from {wide.min():.6g} to {wide.max():.6g}"


def _compare(
    arguments: argparse.Namespace,
    program: Program,
    schedule: Schedule,
    arrays: Mapping[str, Array],
    found: Mapping[str, Array],
) -> int:
    """Compare what was computed with the reference interpreter, on the base program."""
    from coconet_mlir.interpreter.domain import InterpretationError
    from coconet_mlir.interpreter.run import run
    from coconet_mlir.interpreter.tolerances import assert_close

    bound = bind(program, ranks=arguments.ranks, mesh=arguments.mesh)
    signature = bound.signature(arguments.function)
    states: dict[str, Any] = {
        port.name: arrays.get(port.name, np.zeros(found[port.name].shape))
        for port in signature.states
    }
    inputs = {port.name: _for_reference(port, arrays[port.name]) for port in signature.inputs}
    try:
        for _ in range(arguments.steps):
            result = run(bound.generic(), {**inputs, **states}, function=arguments.function)
            states = result.states
    except InterpretationError as error:
        raise ProgramError(f"the reference interpreter cannot run this program: {error}") from None
    expected = dict(zip((p.name for p in signature.results), result.results, strict=True))
    expected.update(states)
    terms = _terms(bound, signature, arrays)
    wires = _wire_types(schedule.program)
    for port in (*signature.results, *signature.states):
        # Of several local axes the reference keeps one dimension each.
        reference = np.reshape(expected[port.name], found[port.name].shape)
        try:
            assert_close(
                found[port.name],
                reference,
                port.dtype,
                terms=terms,
                rounded=_roughest(port.dtype, wires),
                scale=_magnitude(reference),
            )
        except AssertionError:
            print(
                f"{port.name} differs from the reference interpreter: "
                f"{_worst(found[port.name], reference)}"
            )
            return 1
    print("results equal those of the reference interpreter, within rounding")
    return 0


def _wire_types(program: Program) -> list[str]:
    """The types that values travel in, where a schedule has chosen them."""
    return re.findall(r"coconet\.wire_type = (\w+)", program.generic())


def _roughest(dtype: str, wires: Sequence[str]) -> str:
    """Of a float type and those on the wire, the one that rounds most."""
    from coconet_mlir.interpreter.tolerances import TOLERANCES

    if not is_float(dtype):
        return dtype
    return max((dtype, *wires), key=lambda each: TOLERANCES[each].relative)


def _magnitude(values: Array) -> float:
    """Of the largest finite value, at least 1."""
    finite = np.abs(np.asarray(values, np.float64))
    finite = finite[np.isfinite(finite)]
    return max(1.0, float(finite.max())) if finite.size else 1.0


def _worst(actual: Array, expected: Array) -> str:
    """The element that is farthest from what is expected, in words."""
    with np.errstate(all="ignore"):
        apart = np.abs(np.asarray(actual, np.float64) - np.asarray(expected, np.float64))
    apart = np.where(np.isnan(apart), np.inf, apart)
    apart[np.asarray(actual == expected)] = 0
    index = tuple(int(i) for i in np.unravel_index(int(np.argmax(apart)), apart.shape))
    place = f"element {list(index)}" if index else "it"
    return f"{place} is {actual[index]}, the reference has {expected[index]}"


def _for_reference(port: Port, value: Array) -> Array:
    """An input with one leading dimension for each axis along which it is pending or local."""
    parts = as_arrays(port, value)
    if not port.layout.leading or port.layout.mesh is None:
        return parts[0]
    sizes = [port.layout.mesh.size_of((axis,)) for axis in port.layout.leading]
    return np.stack(parts).reshape(*sizes, *parts[0].shape)


def _terms(program: Program, signature: Signature, arrays: Mapping[str, Array]) -> int:
    """The largest number of values that may be summed into one."""
    ranks = signature.mesh.ranks if signature.mesh else 1
    name = None if signature.stages else signature.name
    if _CONTRACTIONS.isdisjoint(operations(program, name)):
        return ranks
    return max([ranks, *(size for array in arrays.values() for size in array.shape)])
