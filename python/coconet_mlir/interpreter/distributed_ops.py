"""Computation of distributed programs, op by op, on what every rank holds."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from xdsl.ir import Operation

from coconet_mlir.interpreter import functions, kernels
from coconet_mlir.interpreter.collectives import combine
from coconet_mlir.interpreter.distributed import Fetcher, Machine
from coconet_mlir.interpreter.domain import Array, InterpretationError
from coconet_mlir.interpreter.layouts import Interval, Layout, Region
from coconet_mlir.interpreter.philox import dropout_mask, dropout_scale
from coconet_mlir.interpreter.shapes import broadcast_shape, matmul_shape, reduced_shape
from coconet_mlir.interpreter.types import (
    attribute_of,
    integer,
    integers,
    keyword,
    number,
    op_name,
    tensor_info,
)
from coconet_mlir.interpreter.values import Value

Handler = Callable[[Machine, Operation, list[Value]], Value]


def regions_of(machine: Machine, layout: Layout, shape: tuple[int, ...]) -> list[Region]:
    return [layout.region(shape, machine.mesh, rank) for rank in range(machine.mesh.ranks)]


def _pointwise(machine: Machine, op: Operation, operands: list[Value]) -> Value:
    info = tensor_info(op.results[0].type)
    declared = [tensor_info(value.type).shape for value in op.operands]
    shape = broadcast_shape([v.shape for v in operands], declared)
    elements = [v.element for v in operands]
    name = op_name(op)

    def compute(part: tuple[int, ...], *arrays: Array) -> Array:
        result = kernels.pointwise(machine.domain, op, name, list(arrays), elements, info.element)
        return np.broadcast_to(result, part)

    return over_regions(machine, op, operands, shape, compute)


def over_regions(
    machine: Machine, op: Operation, operands: list[Value], shape: tuple[int, ...], compute
) -> Value:
    layout = tensor_info(op.results[0].type).layout
    regions = regions_of(machine, layout, shape)
    fetcher = Fetcher(machine.mesh)
    fetched = [
        [fetcher.pointwise(v, rank, shape, region) for rank, region in enumerate(regions)]
        for v in operands
    ]
    shards = machine.each(compute, [region.shape for region in regions], *fetched)
    return machine.result(op, shape, shards)


def _dropout(machine: Machine, op: Operation, operands: list[Value]) -> Value:
    value, step = operands
    layout = tensor_info(op.results[0].type).layout
    local = [axis for axis in machine.mesh.axes if axis in layout.local]
    shards = []
    fetcher = Fetcher(machine.mesh)
    known: dict[tuple, Array] = {}
    for rank, region in enumerate(regions_of(machine, layout, value.shape)):
        array = fetcher.pointwise(value, rank, value.shape, region)
        coordinate = machine.mesh.coordinate(rank, local)
        now = int(step.shards[rank].reshape(-1)[0])
        key = (id(array), region, coordinate, now)
        if key not in known:
            index = global_index(value.shape, region)
            known[key] = drop(machine, op, array, value.element, index, now, coordinate)
        shards.append(known[key])
    return machine.result(op, value.shape, shards)


def global_index(shape: tuple[int, ...], region: Region) -> Array:
    """Row-major indices, in the logical tensor, of the elements of a region."""
    if region.flat is not None:
        return region.flat[0] + np.arange(region.flat[1], dtype=np.int64)
    index = np.zeros(region.shape, dtype=np.int64)
    for dim, (start, length) in enumerate(region.box):
        stride = math.prod(shape[dim + 1 :])
        along = (start + np.arange(length, dtype=np.int64)) * stride
        index += along.reshape((-1,) + (1,) * (len(shape) - dim - 1))
    return index


def drop(
    machine: Machine, op: Operation, array: Array, element: str, index: Array, step: int, at: int
) -> Array:
    """Dropout of an array whose elements have these global indices."""
    domain = machine.domain
    rate = number(op, "rate")
    mask = dropout_mask(
        index,
        rate=rate,
        seed=integer(op, "seed", 0),
        step=step,
        stream=integer(op, "stream", 0),
        coordinate=at,
    )
    width = "f64" if element == "f64" else "f32"
    scale = domain.round(np.asarray(domain.constant(np.asarray(dropout_scale(rate)))), width)
    kept = domain.mul(array, scale)
    zero = domain.constant(np.asarray(0.0))
    return domain.round(np.where(mask, kept, zero), element)


def _matmul(machine: Machine, op: Operation, operands: list[Value]) -> Value:
    lhs, rhs = operands
    transpose = (
        attribute_of(op, "transpose_lhs") is not None,
        attribute_of(op, "transpose_rhs") is not None,
    )
    shape = matmul_shape(lhs.shape, rhs.shape, transpose)
    layout = tensor_info(op.results[0].type).layout
    fetcher = Fetcher(machine.mesh)
    lefts, rights = [], []
    for rank, region in enumerate(regions_of(machine, layout, shape)):
        if region.flat is not None:
            raise InterpretationError("a matmul has no flat result")
        *batch, rows, columns = region.box
        inner = _contracted(machine, lhs, rhs, transpose, rank)
        wanted = (
            _matrix_box(lhs, batch, rows, inner[0], transpose[0]),
            _matrix_box(rhs, batch, inner[1], columns, transpose[1]),
        )
        lefts.append(fetcher.box(lhs, rank, wanted[0]))
        rights.append(fetcher.box(rhs, rank, wanted[1]))
    element = lhs.element

    def compute(a: Array, b: Array) -> Array:
        return kernels.matmul(machine.domain, element, a, b, transpose)

    return machine.result(op, shape, machine.each(compute, lefts, rights))


def _contracted(
    machine: Machine, lhs: Value, rhs: Value, transpose: tuple[bool, bool], rank: int
) -> tuple[Interval, Interval]:
    """The part of the contracted dimension that a rank multiplies, on both sides.

    A side that is not cut is taken where the other is held. Where both are cut
    the rank multiplies what it has.
    """
    intervals = []
    for value, dim in ((lhs, -2 if transpose[0] else -1), (rhs, -1 if transpose[1] else -2)):
        region = value.layout.region(value.shape, machine.mesh, rank)
        intervals.append((region.box[dim], (0, value.shape[dim])))
    (left, left_all), (right, right_all) = intervals
    if left == left_all:
        return right, right
    if right == right_all:
        return left, left
    if left[1] != right[1]:
        raise InterpretationError(
            f"rank {rank} holds {left[1]} and {right[1]} elements of the contracted dimension"
        )
    return left, right


def _matrix_box(
    value: Value, batch: list[Interval], first: Interval, second: Interval, transposed: bool
) -> tuple[Interval, ...]:
    matrix = (second, first) if transposed else (first, second)
    return (*(batch if len(value.shape) > 2 else ()), *matrix)


def _reduce(machine: Machine, op: Operation, operands: list[Value]) -> Value:
    operand = operands[0]
    dims = integers(op, "dims")
    keep = attribute_of(op, "keep_dims") is not None
    kind = keyword(op, "kind")
    shape = reduced_shape(operand.shape, dims, keep_dims=keep)
    count = math.prod(operand.shape[dim] for dim in dims)
    over = dims
    if operand.layout.flat:
        if len(dims) != len(operand.shape) or keep:
            raise InterpretationError("a flat value is reduced over all dimensions or none")
        over = (0,)

    def compute(array: Array) -> Array:
        return kernels.reduce(
            machine.domain, operand.element, kind, array, over, keep_dims=keep, count=count
        )

    return machine.result(op, shape, machine.each(compute, operand.shards))


def across(
    machine: Machine, kind: str, shards: list[Array], axes: tuple[str, ...], element: str
) -> list[Array]:
    """Reduction between ranks inside an op that says it communicates."""
    if not axes:
        return shards
    result: list[Array] = list(shards)
    for rank in range(machine.mesh.ranks):
        members = machine.mesh.group(rank, axes)
        if members[0] == rank:
            total = combine(machine.domain, kind, [shards[m] for m in members], element)
            for member in members:
                result[member] = total
    return result


def _norm(machine: Machine, op: Operation, operands: list[Value]) -> Value:
    operand, domain = operands[0], machine.domain

    def squares(array: Array) -> Array:
        return np.asarray(domain.sum(domain.mul(array, array), tuple(range(array.ndim))))

    local = machine.each(squares, operand.shards)
    total = across(machine, "sum", local, operand.layout.cut_axes, "f64")
    roots = machine.each(
        lambda s: domain.round(np.asarray(functions.sqrt(domain, s)), operand.element), total
    )
    return machine.result(op, (), roots)


def _softmax(machine: Machine, op: Operation, operands: list[Value]) -> Value:
    operand, domain = operands[0], machine.domain
    dim = integer(op, "dim")
    if operand.layout.flat:
        raise InterpretationError("softmax has no flat form")
    axes = operand.layout.axes_of(dim)

    def largest(array: Array) -> Array:
        return np.expand_dims(domain.max(array, (dim,)), dim)

    def growth(array: Array, top: Array) -> Array:
        return domain.function("exp", domain.sub(array, top))

    def total(array: Array) -> Array:
        return np.expand_dims(domain.sum(array, (dim,)), dim)

    def share(array: Array, whole: Array) -> Array:
        return domain.round(domain.div(array, whole), operand.element)

    tops = across(machine, "max", machine.each(largest, operand.shards), axes, "f64")
    grown = machine.each(growth, operand.shards, tops)
    totals = across(machine, "sum", machine.each(total, grown), axes, "f64")
    return machine.result(op, operand.shape, machine.each(share, grown, totals))


OPS: dict[str, Handler] = {name: _pointwise for name in kernels.POINTWISE} | {
    "coconet.dropout": _dropout,
    "coconet.matmul": _matmul,
    "coconet.reduce": _reduce,
    "coconet.norm": _norm,
    "coconet.softmax": _softmax,
}
