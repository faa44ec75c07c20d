"""Running programs on simulated ranks: the entry points of the interpreter."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from coconet_mlir.interpreter.collectives import combine
from coconet_mlir.interpreter.degrees import INPUT, Degrees
from coconet_mlir.interpreter.distributed import Machine
from coconet_mlir.interpreter.domain import (
    INTEGER_DTYPES,
    Array,
    Domain,
    InterpretationError,
    is_float,
)
from coconet_mlir.interpreter.float64 import Float64
from coconet_mlir.interpreter.layouts import Layout, Mesh
from coconet_mlir.interpreter.program import Port, Program, load
from coconet_mlir.interpreter.rank import RankMachine
from coconet_mlir.interpreter.types import bind_mesh
from coconet_mlir.interpreter.values import Logical, Value, distribute, gather, leading_axes


@dataclass
class Execution:
    """What a run left on the ranks. States that were not updated keep their value."""

    results: list[Value]
    states: dict[int, Value]
    named: dict[str, Value]


@dataclass
class RunResult:
    """Logical results, final states by argument name, and what each rank holds.

    Floats are float64 arrays that hold exactly the values of their types. Local
    axes lead. `disagreements` lists ranks that should hold equal values and do not.
    """

    results: list[Array]
    states: dict[str, Array]
    shards: list[list[Array]]
    disagreements: list[str]


def run(
    source: str | ModuleOp,
    inputs: Sequence[Array] | Mapping[str, Array],
    *,
    mesh: Mapping[str, int] | None = None,
    ranks: int | None = None,
    rounding: bool = True,
    function: str | None = None,
) -> RunResult:
    """Run a program in generic form, distributed or of one rank, in float64.

    `inputs` are logical arrays, in order or by `coconet.arg_name`; an input
    that is partial or local has one leading dimension per such axis, partial
    axes first. With `rounding`, every op rounds to the program's types.
    Raises `InterpretationError` where a rank could not do what the program says.
    """
    program = load(source, function=function)
    bound = bind_mesh(program.mesh, mesh, ranks)
    domain = Float64(rounding=rounding)
    arrays = [
        _prepared(domain, array, port)
        for array, port in zip(_ordered(inputs, program.arguments), program.arguments, strict=True)
    ]
    execution = execute(program, domain, bound, arrays)

    def whole(value: Value) -> Logical:
        return gather(value, bound, lambda *of: combine(domain, *of))

    results = [whole(value) for value in execution.results]
    states = {program.arguments[i].name: whole(v) for i, v in execution.states.items()}
    named = [(port.name, r) for port, r in zip(program.results, results, strict=True)]
    return RunResult(
        [result.array for result in results],
        {name: state.array for name, state in states.items()},
        [value.shards for value in execution.results],
        [
            f"{name}: {value.disagreement}"
            for name, value in [*named, *states.items()]
            if value.disagreement
        ],
    )


def _ordered(
    inputs: Sequence[Array] | Mapping[str, Array], ports: Sequence[Port]
) -> Sequence[Array]:
    if isinstance(inputs, Mapping):
        missing = [port.name for port in ports if port.name not in inputs]
        if missing:
            raise InterpretationError(f"no input for {', '.join(missing)}")
        return [inputs[port.name] for port in ports]
    if len(inputs) != len(ports):
        raise InterpretationError(f"{len(ports)} inputs are needed, {len(inputs)} are given")
    return inputs


def _prepared(domain: Float64, array: Array, port: Port) -> Array:
    if is_float(port.element):
        return domain.round(np.asarray(array).astype(np.float64), port.element)
    return np.asarray(array).astype(INTEGER_DTYPES[port.element])


def execute(
    program: Program,
    domain: Domain,
    mesh: Mesh,
    arrays: Sequence[Array],
    degrees: Degrees | None = None,
) -> Execution:
    """Run a program on inputs that are elements of the domain."""
    inputs = []
    for port, array, argument in zip(program.arguments, arrays, program.block.args, strict=True):
        inputs.append(_distributed_input(program, port, array, mesh))
        if degrees is not None and is_float(port.element):
            degrees.known[argument] = INPUT
    runner = _run_rank if program.is_rank else _run_distributed
    return runner(program, domain, mesh, inputs, degrees)


def _distributed_input(program: Program, port: Port, array: Array, mesh: Mesh) -> Value:
    leading = leading_axes(port.layout, mesh)
    shape = array.shape[len(leading) :]
    sizes = tuple(mesh.size_of((axis,)) for axis in leading)
    if array.shape[: len(leading)] != sizes:
        raise InterpretationError(
            f"{port.name} needs leading dimensions {list(sizes)} for axes "
            f"{', '.join(leading)}; its shape is {list(array.shape)}"
        )
    if not program.is_rank and (
        len(shape) != len(port.shape)
        or any(d not in (-1, s) for d, s in zip(port.shape, shape, strict=True))
    ):
        raise InterpretationError(
            f"{port.name} has shape {list(shape)}, its type says {list(port.shape)}"
        )
    return distribute(array, shape, port.layout, mesh, port.element)


def _run_distributed(
    program: Program, domain: Domain, mesh: Mesh, inputs: list[Value], degrees: Degrees | None
) -> Execution:
    machine = Machine(mesh, domain, degrees)
    env = dict(zip(program.block.args, inputs, strict=True))
    results = machine.run_block(program.block, env)
    states = {
        i: machine.updates.get(program.block.args[i], inputs[i])
        for i, port in enumerate(program.arguments)
        if port.state
    }
    # A state is what its buffer holds, whatever the type of the value stored.
    for i, value in states.items():
        states[i] = Value(value.shards, value.shape, value.element, program.arguments[i].layout)
    return Execution(results, states, machine.named)


def _run_rank(
    program: Program, domain: Domain, mesh: Mesh, inputs: list[Value], degrees: Degrees | None
) -> Execution:
    machine = RankMachine(mesh, domain, degrees)
    arguments = [[value.shards[rank] for value in inputs] for rank in range(mesh.ranks)]
    returned = machine.run(program.block, arguments)
    results = [
        _assembled([own[i] for own in returned], port, mesh)
        for i, port in enumerate(program.results)
    ]
    states = {}
    for i, port in enumerate(program.arguments):
        if port.state:
            argument = program.block.args[i]
            shards = [
                machine.updates[rank].get(argument, inputs[i].shards[rank])
                for rank in range(mesh.ranks)
            ]
            states[i] = _assembled(shards, port, mesh)
    return Execution(results, states, {})


def _assembled(shards: list[Array], port: Port, mesh: Mesh) -> Value:
    """The value that plain per-rank tensors are parts of."""
    return Value(shards, _logical_shape(shards, port.layout, mesh), port.element, port.layout)


def _logical_shape(shards: list[Array], layout: Layout, mesh: Mesh) -> tuple[int, ...]:
    if layout.flat:
        return (sum(shards[member].size for member in mesh.group(0, layout.flat)),)
    shape = list(shards[0].shape)
    for dim, axes in enumerate(layout.dims):
        if axes and dim < len(shape):
            shape[dim] = sum(shards[member].shape[dim] for member in mesh.group(0, axes))
    return tuple(shape)


def logical_shapes(
    program: Program, sizes: int | Mapping[str, int] | None, default: int
) -> list[tuple[int, ...]]:
    """Shapes of the arguments with open dimensions bound.

    `sizes` binds dimensions by their `coconet.dims` names, or all of them.
    """
    shapes = []
    for port in program.arguments:
        names = port.dims or ("",) * len(port.shape)
        shape = []
        for size, name in zip(port.shape, names, strict=True):
            if size < 0:
                by_name = sizes.get(name, default) if isinstance(sizes, Mapping) else sizes
                size = default if by_name is None else by_name
            shape.append(size)
        shapes.append(tuple(shape))
    return shapes


def random_inputs(
    program: Program,
    domain: Domain,
    mesh: Mesh,
    shapes: Sequence[tuple[int, ...]],
    seed: int,
) -> list[Array]:
    """Inputs for a program, with the leading dimensions of partial and local axes."""
    arrays = []
    for i, (port, shape) in enumerate(zip(program.arguments, shapes, strict=True)):
        generator = np.random.default_rng([seed, i])
        leading = leading_axes(port.layout, mesh)
        full = tuple(mesh.size_of((axis,)) for axis in leading) + shape
        if is_float(port.element):
            arrays.append(np.asarray(domain.random(generator, full)))
        elif port.element == "i1":
            arrays.append(generator.integers(0, 2, full).astype(np.bool_))
        else:
            dtype = INTEGER_DTYPES[port.element]
            arrays.append(generator.integers(1, 100, full).astype(dtype))
    return arrays


def elements_in(shapes: Sequence[tuple[int, ...]]) -> int:
    """Number of elements of the largest of some tensors."""
    return max([math.prod(shape) for shape in shapes], default=1)
