"""Ops of distributed programs that move or make elements without computing."""

from __future__ import annotations

import math

import numpy as np
from xdsl.ir import Operation

from coconet_mlir.interpreter import kernels
from coconet_mlir.interpreter.collectives import split
from coconet_mlir.interpreter.distributed import Machine
from coconet_mlir.interpreter.distributed_ops import Handler, over_regions, regions_of
from coconet_mlir.interpreter.domain import Array, InterpretationError, is_float
from coconet_mlir.interpreter.shapes import broadcast_target, reshape_target
from coconet_mlir.interpreter.types import (
    attribute_of,
    dense_values,
    integer,
    integers,
    required,
    strings,
    tensor_info,
)
from coconet_mlir.interpreter.values import Value


def _reshape(machine: Machine, op: Operation, operands: list[Value]) -> Value:
    operand = operands[0]
    info = tensor_info(op.results[0].type)
    declared = tensor_info(op.operands[0].type).shape
    shape = reshape_target(operand.shape, declared, info.shape)
    parts = [region.shape for region in regions_of(machine, info.layout, shape)]

    def compute(array: Array, part: tuple[int, ...]) -> Array:
        if array.size != math.prod(part):
            raise InterpretationError(
                f"a rank holds {array.size} elements where the result needs {list(part)}"
            )
        return array.reshape(part)

    return machine.result(op, shape, machine.each(compute, operand.shards, parts))


def _transpose(machine: Machine, op: Operation, operands: list[Value]) -> Value:
    operand = operands[0]
    permutation = integers(op, "permutation")
    if operand.layout.flat:
        raise InterpretationError("a transpose has no flat form")
    shape = tuple(operand.shape[dim] for dim in permutation)
    shards = machine.each(lambda a: np.transpose(a, permutation), operand.shards)
    return machine.result(op, shape, shards)


def _slice(machine: Machine, op: Operation, operands: list[Value]) -> Value:
    operand = operands[0]
    if operand.layout.flat:
        raise InterpretationError("a slice has no flat form")
    offsets, sizes, strides = (integers(op, n) for n in ("offsets", "sizes", "strides"))
    slices = tuple(
        slice(None)
        if size == -1
        else slice(offset, offset + (size - 1) * stride + 1, stride)
        if size
        else slice(0, 0)
        for offset, size, stride in zip(offsets, sizes, strides, strict=True)
    )
    shape = tuple(
        whole if size == -1 else size for whole, size in zip(operand.shape, sizes, strict=True)
    )
    return machine.result(op, shape, machine.each(lambda a: a[(*slices, ...)], operand.shards))


def _concat(machine: Machine, op: Operation, operands: list[Value]) -> Value:
    dim = integer(op, "dim")
    shape = list(operands[0].shape)
    shape[dim] = sum(v.shape[dim] for v in operands)
    shards = machine.each(
        lambda *arrays: np.concatenate(arrays, axis=dim), *(v.shards for v in operands)
    )
    return machine.result(op, tuple(shape), shards)


def _broadcast_to(machine: Machine, op: Operation, operands: list[Value]) -> Value:
    shape = broadcast_target(tensor_info(op.results[0].type).shape, operands[0].shape)
    return over_regions(
        machine, op, operands, shape, lambda part, array: np.broadcast_to(array, part)
    )


def _constant(machine: Machine, op: Operation, operands: list[Value]) -> Value:
    array = dense_values(required(op, "value"), machine.domain)
    return machine.result(op, array.shape, [array] * machine.mesh.ranks)


def _iota(machine: Machine, op: Operation, operands: list[Value]) -> Value:
    info = tensor_info(op.results[0].type)
    dim = integer(op, "dim")
    column = np.arange(info.shape[dim]).reshape((-1,) + (1,) * (len(info.shape) - dim - 1))
    numbers = kernels.arithmetic(machine.domain, info.element)
    array = numbers.from_integers(np.broadcast_to(column, info.shape))
    if is_float(info.element):
        array = machine.domain.round(array, info.element)
    return machine.result(op, info.shape, [array] * machine.mesh.ranks)


def _shard(machine: Machine, op: Operation, operands: list[Value]) -> Value:
    operand = operands[0]
    axes = strings(op, "axes")
    dim = attribute_of(op, "dim")
    count = machine.mesh.size_of(axes)
    along = 0 if dim is None else integer(op, "dim")

    def compute(array: Array, index: int) -> Array:
        return split(array.reshape(-1) if dim is None else array, along, count)[index]

    places = [machine.mesh.coordinate(rank, axes) for rank in range(machine.mesh.ranks)]
    return machine.result(op, operand.shape, machine.each(compute, operand.shards, places))


SHAPE_OPS: dict[str, Handler] = {
    "coconet.reshape": _reshape,
    "coconet.transpose": _transpose,
    "coconet.slice": _slice,
    "coconet.concat": _concat,
    "coconet.broadcast_to": _broadcast_to,
    "coconet.constant": _constant,
    "coconet.iota": _iota,
    "coconet.shard": _shard,
}
