"""Running programs on simulated ranks: the entry points of the interpreter."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from coconet_mlir.interpreter.collectives import combine
from coconet_mlir.interpreter.control import loop_counts
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
from coconet_mlir.interpreter.program import Port, Program, has_channels
from coconet_mlir.interpreter.rank import Course, RankMachine, schedule
from coconet_mlir.interpreter.stages import Ends, Exchange, Stage, Whole, load_whole
from coconet_mlir.interpreter.values import Logical, Value, distribute, gather, leading_axes


@dataclass
class Execution:
    """What a run left on the ranks. States that were not updated keep their value; named values
    come with their mesh."""

    results: list[Value]
    states: dict[int, Value]
    named: dict[str, tuple[Value, Mesh]]


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
    program = load_whole(source, mesh, ranks, function)
    domain = Float64(rounding=rounding)
    arrays = [
        _prepared(domain, array, port)
        for array, port in zip(_ordered(inputs, program.arguments), program.arguments, strict=True)
    ]
    execution = execute(program, domain, arrays)

    def whole(value: Value, bound: Mesh) -> Logical:
        return gather(value, bound, lambda *of: combine(domain, *of))

    results = [
        whole(value, bound)
        for value, bound in zip(execution.results, program.result_meshes, strict=True)
    ]
    states = {
        program.arguments[i].name: whole(v, program.argument_meshes[i])
        for i, v in execution.states.items()
    }
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
    whole: Whole, domain: Domain, arrays: Sequence[Array], degrees: Degrees | None = None
) -> Execution:
    """Run a program on inputs that are elements of the domain."""
    runs: list[_Run] = []
    given = iter(arrays)
    for stage in whole.stages:
        inputs = []
        for port, argument in zip(stage.program.arguments, stage.program.block.args, strict=True):
            inputs.append(_distributed_input(stage.program, port, next(given), stage.mesh))
            if degrees is not None and is_float(port.element):
                degrees.known[argument] = INPUT
        runs.append(_Run(stage, inputs))
    # A function without communication may look like either kind.
    programs = [run.stage.program for run in runs]
    is_rank = any(p.is_rank for p in programs) and not any(
        has_channels(p.function) for p in programs
    )
    (_run_rank if is_rank else _run_distributed)(runs, domain, degrees)
    return _joined(runs)


@dataclass
class _Run:
    """One stage on its way: what it gets and gives."""

    stage: Stage
    inputs: list[Value]
    results: list[Value] = field(default_factory=list)
    states: dict[int, Value] = field(default_factory=dict)
    named: dict[str, Value] = field(default_factory=dict)


def _joined(runs: Sequence[_Run]) -> Execution:
    """What all stages gave; states by their position among the arguments of all."""
    execution = Execution([], {}, {})
    first = 0
    for run in runs:
        execution.results += run.results
        execution.states.update({first + i: value for i, value in run.states.items()})
        execution.named.update({n: (value, run.stage.mesh) for n, value in run.named.items()})
        first += len(run.inputs)
    return execution


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


def _run_distributed(runs: Sequence[_Run], domain: Domain, degrees: Degrees | None) -> None:
    exchange = Exchange()

    def body(run: _Run, channels: Ends | None) -> None:
        program = run.stage.program
        machine = Machine(run.stage.mesh, domain, degrees, channels)
        env = dict(zip(program.block.args, run.inputs, strict=True))
        run.results = machine.run_block(program.block, env)
        run.named = machine.named
        for i, port in enumerate(program.arguments):
            if port.state:
                value = machine.updates.get(program.block.args[i], run.inputs[i])
                # A state is what its buffer holds, whatever the type of the value stored.
                run.states[i] = Value(value.shards, value.shape, value.element, port.layout)

    if len(runs) == 1:
        return body(runs[0], None)
    names = [run.stage.program.name for run in runs]
    exchange.run(
        {n: partial(body, run, Ends(exchange, n)) for n, run in zip(names, runs, strict=True)}
    )


def _run_rank(runs: Sequence[_Run], domain: Domain, degrees: Degrees | None) -> None:
    machines: list[RankMachine] = []
    courses: dict[int, Course] = {}
    for run in runs:
        mesh = run.stage.mesh
        machines.append(RankMachine(mesh, domain, degrees, run.stage.ranks))
        arguments = [[value.shards[rank] for value in run.inputs] for rank in range(mesh.ranks)]
        courses |= machines[-1].courses(run.stage.program.block, arguments)
    finished = schedule(courses, domain)
    for run, machine in zip(runs, machines, strict=True):
        program, mesh = run.stage.program, run.stage.mesh
        returned = [finished[rank] for rank in run.stage.ranks]
        run.results = [
            _assembled([own[i] for own in returned], port, mesh)
            for i, port in enumerate(program.results)
        ]
        for i, port in enumerate(program.arguments):
            if port.state:
                argument = program.block.args[i]
                shards = [
                    machine.updates[rank].get(argument, run.inputs[i].shards[rank])
                    for rank in range(mesh.ranks)
                ]
                run.states[i] = _assembled(shards, port, mesh)


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
    program: Whole, sizes: int | Mapping[str, int] | None, default: int
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
    program: Whole, domain: Domain, shapes: Sequence[tuple[int, ...]], seed: int
) -> list[Array]:
    """Inputs for a program, with the leading dimensions of partial and local axes."""
    arrays = []
    counts = [
        position in loop_counts(stage.program.function)
        for stage in program.stages
        for position in range(len(stage.program.arguments))
    ]
    ports = zip(program.arguments, program.argument_meshes, shapes, strict=True)
    for i, (port, mesh, shape) in enumerate(ports):
        generator = np.random.default_rng([seed, i])
        leading = leading_axes(port.layout, mesh)
        full = tuple(mesh.size_of((axis,)) for axis in leading) + shape
        if is_float(port.element):
            arrays.append(np.asarray(domain.random(generator, full)))
        elif port.element == "i1":
            arrays.append(generator.integers(0, 2, full).astype(np.bool_))
        else:
            dtype = INTEGER_DTYPES[port.element]
            # Few turns of a loop show as much as many.
            limit = 4 if counts[i] else 100
            arrays.append(generator.integers(1, limit, full).astype(dtype))
    return arrays


def elements_in(shapes: Sequence[tuple[int, ...]]) -> int:
    """Number of elements of the largest of some tensors."""
    return max([math.prod(shape) for shape in shapes], default=1)
