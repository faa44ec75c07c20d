"""Loops, branches and scalars of distributed programs.

A scalar is a value without layout; ranks may hold different ones where it comes from a local
tensor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from xdsl.ir import Operation

from coconet_mlir.interpreter.domain import InterpretationError
from coconet_mlir.interpreter.types import op_name, tensor_info
from coconet_mlir.interpreter.values import Value

if TYPE_CHECKING:
    from coconet_mlir.interpreter.distributed import Environment, Machine


def run_scalar(machine: Machine, op: Operation, name: str, operands: list[Value]) -> list[Value]:
    """An op of other dialects, on each rank by itself."""
    from coconet_mlir.interpreter.rank_ops import OPS

    handler = OPS[name]

    def compute(*arrays: np.ndarray) -> np.ndarray:
        return np.asarray(handler(machine, op, list(arrays), 0))  # type: ignore[arg-type]

    shards = machine.each(compute, *(value.shards for value in operands)) if operands else []
    if not operands:
        shards = [compute()] * machine.mesh.ranks
    info = tensor_info(op.results[0].type)
    return [Value(shards, shards[0].shape, info.element, info.layout)]


def run_for(
    machine: Machine, op: Operation, operands: list[Value], env: Environment
) -> list[Value]:
    """A loop whose bounds all ranks agree on."""
    lower, upper, step = (_agreed(value) for value in operands[:3])
    if step <= 0:
        raise InterpretationError(f"the step of a loop is {step}")
    carried = operands[3:]
    block = op.regions[0].blocks[0]
    end = block.last_op
    assert end is not None
    degrees = machine.degrees
    if degrees is not None:
        degrees.forward(op.operands[3:], block.args[1:])
    for turn in range(lower, upper, step):
        index = Value([np.asarray(turn)] * machine.mesh.ranks, (), "index", operands[0].layout)
        inner = dict(env)
        inner.update(zip(block.args, [index, *carried], strict=True))
        carried = machine.run_block(block, inner)
        if degrees is not None:
            degrees.forward(end.operands, block.args[1:])
    if degrees is not None:
        degrees.forward(block.args[1:], op.results)
    return list(carried)


def run_if(machine: Machine, op: Operation, operands: list[Value], env: Environment) -> list[Value]:
    """What each rank's branch gives. A branch that a rank takes is run by all."""
    taken = [bool(shard) for shard in operands[0].shards]
    given: dict[bool, list[Value]] = {}
    for choice in sorted(set(taken), reverse=True):
        region = op.regions[0 if choice else 1]
        block = region.blocks[0] if region.blocks else None
        given[choice] = [] if block is None else machine.run_block(block, dict(env))
        if machine.degrees is not None and block is not None and block.last_op is not None:
            machine.degrees.forward(block.last_op.operands, op.results)
    if len(given) == 1:
        return given[taken[0]]
    results = []
    for one, other in zip(given[True], given[False], strict=True):
        shards = [(one if choice else other).shards[rank] for rank, choice in enumerate(taken)]
        results.append(Value(shards, one.shape, one.element, one.layout))
    return results


def _agreed(value: Value) -> int:
    """A bound of a loop."""
    found = {int(shard) for shard in value.shards}
    if len(found) > 1:
        raise InterpretationError(f"ranks disagree on the bound of a loop: {sorted(found)}")
    return found.pop()


def loop_counts(function: Operation) -> set[int]:
    """Positions of the arguments that decide how often loops of a function run."""
    body = function.regions[0].blocks[0]
    found = set()
    for op in function.walk():
        if op_name(op) != "scf.for":
            continue
        for value in op.operands[:3]:
            while isinstance(value.owner, Operation) and value.owner.operands:
                value = value.owner.operands[0]
            if value.owner is body:
                found.add(body.args.index(value))
    return found
