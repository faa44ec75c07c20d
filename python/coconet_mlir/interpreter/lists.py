"""Operations on lists: the region is run tensor by tensor, on flattenings."""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import TYPE_CHECKING

import numpy as np
from xdsl.ir import Operation

from coconet_mlir.interpreter.domain import Array, InterpretationError
from coconet_mlir.interpreter.types import integer, tensor_info
from coconet_mlir.interpreter.values import Value

if TYPE_CHECKING:
    from coconet_mlir.interpreter.distributed import Environment, Machine
    from coconet_mlir.interpreter.rank import Arrival, Locals, RankMachine


def run_list(machine: Machine, op: Operation, operands: list[Value], env: Environment):
    """The results of `coconet.for_each` on distributed values."""
    block = op.regions[0].blocks[0]
    count = integer(op, "count")
    columns: list[list[Value]] = []
    for position in range(count):
        own = operands[position::count]
        inner = dict(env)
        for argument, value in zip(block.args, own, strict=True):
            layout = tensor_info(argument.type).layout
            shards = machine.each(lambda shard: shard.reshape(-1), value.shards)
            inner[argument] = Value(shards, (math.prod(value.shape),), value.element, layout)
        if machine.degrees is not None:
            machine.degrees.forward(op.operands[position::count], block.args)
        yielded = machine.run_block(block, inner)
        columns.append(
            [
                _shaped(machine, result, value, own[0].shape)
                for result, value in zip(op.results[position::count], yielded, strict=True)
            ]
        )
        if machine.degrees is not None and block.last_op is not None:
            machine.degrees.forward(block.last_op.operands, op.results[position::count])
    return [value for row in zip(*columns, strict=True) for value in row]


def _shaped(machine: Machine, result, value: Value, like: tuple[int, ...]) -> Value:
    """A yielded value as a tensor of the list: scalars stay, flattenings take a shape."""
    info = tensor_info(result.type)
    shape = like if value.shape else ()
    if math.prod(shape) != math.prod(value.shape):
        raise InterpretationError(
            f"{math.prod(value.shape)} elements are yielded for a tensor of shape {list(shape)}"
        )
    shards = []
    for rank, shard in enumerate(value.shards):
        region = info.layout.region(shape, machine.mesh, rank)
        if math.prod(region.shape) != shard.size:
            raise InterpretationError(
                f"rank {rank} yields {shard.size} elements where the layout of the result says "
                f"{list(region.shape)}"
            )
        shards.append(shard.reshape(region.shape))
    return Value(shards, shape, info.element, info.layout)


def run_rank_list(
    machine: RankMachine, op: Operation, operands: list[Array], env: Locals, rank: int
) -> Generator[Arrival, Array | None, list[Array]]:
    """The results of `coconet.for_each` on one rank's tensors and sizes."""
    block = op.regions[0].blocks[0]
    count = integer(op, "count")
    columns: list[list[Array]] = []
    for position in range(count):
        inner = dict(env)
        for argument, array in zip(block.args, operands[position::count], strict=True):
            is_tensor = bool(tensor_info(argument.type).shape)
            inner[argument] = array.reshape(-1) if is_tensor else np.asarray(array)
        if machine.degrees is not None and rank == 0:
            machine.degrees.forward(op.operands[position::count], block.args)
        yielded = yield from machine.run_block(block, inner, rank)
        row = []
        for result, array in zip(op.results[position::count], yielded, strict=True):
            shape = tensor_info(result.type).shape
            if array.ndim and -1 not in shape and math.prod(shape) != array.size:
                raise InterpretationError(
                    f"{array.size} elements are yielded for a tensor of shape {list(shape)}"
                )
            row.append(array if -1 in shape else array.reshape(shape))
        columns.append(row)
        if machine.degrees is not None and rank == 0 and block.last_op is not None:
            machine.degrees.forward(block.last_op.operands, op.results[position::count])
    return [array for row in zip(*columns, strict=True) for array in row]
