"""Layers of neural networks in distributed programs, on what every rank holds."""

from __future__ import annotations

import math

import numpy as np
from xdsl.ir import Operation

from coconet_mlir.interpreter import functions, windows
from coconet_mlir.interpreter.distributed import Fetcher, Machine
from coconet_mlir.interpreter.distributed_ops import Handler, across, over_regions, regions_of
from coconet_mlir.interpreter.domain import INTEGER_DTYPES, Array, InterpretationError, is_float
from coconet_mlir.interpreter.kernels import arithmetic
from coconet_mlir.interpreter.layouts import Interval
from coconet_mlir.interpreter.types import integer, integers, keyword, number, op_name, tensor_info
from coconet_mlir.interpreter.values import Value


def _finish(machine: Machine, array: Array, element: str) -> Array:
    """What a composite leaves of a value computed in the wide type."""
    if element in ("f16", "bf16"):
        return machine.domain.cast(array, "f32", element)
    return machine.domain.round(array, element)


def _held(machine: Machine, value: Value, rank: int) -> tuple[Interval, ...]:
    region = value.layout.region(value.shape, machine.mesh, rank)
    if region.flat is not None:
        raise InterpretationError("the op has no flat form")
    return region.box


# ===- Composites ------------------------------------------------------------===


def _norm(machine: Machine, op: Operation, operands: list[Value]) -> Value:
    operand, domain = operands[0], machine.domain
    centred = op_name(op) == "coconet.layer_norm"
    dims = integers(op, "dims")
    eps = number(op, "eps")
    shift = domain.constant(np.asarray(eps if operand.element == "f64" else float(np.float32(eps))))
    if operand.layout.flat:
        raise InterpretationError("a layer has no flat form")
    count = domain.from_integers(np.asarray(math.prod(operand.shape[d] for d in dims)))
    axes = tuple(axis for d in dims for axis in operand.layout.axes_of(d))

    def mean(arrays: list[Array]) -> list[Array]:
        def share(array: Array) -> Array:
            return np.expand_dims(domain.div(domain.sum(array, dims), count), dims)

        return across(machine, "sum", machine.each(share, arrays), axes, "f64")

    with np.errstate(all="ignore"):
        inner = operand.shards
        if centred:
            inner = machine.each(domain.sub, inner, mean(inner))
        squares = mean(machine.each(lambda a: domain.mul(a, a), inner))
        normal = machine.each(
            lambda a, s: domain.mul(a, functions.rsqrt(domain, domain.add(s, shift))),
            inner,
            squares,
        )
    whole = Value(normal, operand.shape, operand.element, operand.layout)
    segments = integers(op, "operandSegmentSizes") if centred else (1, len(operands) - 1, 0)

    def compute(part: tuple[int, ...], array: Array, *rest: Array) -> Array:
        given = list(rest)
        if segments[1]:
            array = domain.mul(array, given.pop(0))
        if segments[2]:
            array = domain.add(array, given.pop(0))
        return np.broadcast_to(_finish(machine, array, operand.element), part)

    return over_regions(machine, op, [whole, *operands[1:]], operand.shape, compute)


def _cross_entropy(machine: Machine, op: Operation, operands: list[Value]) -> Value:
    logits, labels = operands
    domain, dim = machine.domain, integer(op, "dim")
    axes = logits.layout.axes_of(dim)
    arrays, indices, starts = _indexed(machine, op, logits, labels, dim)
    with np.errstate(all="ignore"):
        tops = machine.each(lambda a: np.expand_dims(domain.max(a, (dim,)), dim), arrays)
        shifted = machine.each(domain.sub, arrays, across(machine, "max", tops, axes, "f64"))
        grown = machine.each(
            lambda a: np.asarray(domain.sum(domain.function("exp", a), (dim,))), shifted
        )
        totals = across(machine, "sum", grown, axes, "f64")
        zero = domain.constant(np.asarray(0.0))
        chosen = machine.each(
            lambda a, i, start: _choose(a, i, start, dim, zero), shifted, indices, starts
        )
        picked = across(machine, "sum", chosen, axes, "f64")
        shards = machine.each(
            lambda t, p: _finish(machine, domain.sub(domain.function("log", t), p), logits.element),
            totals,
            picked,
        )
    return machine.result(op, labels.shape, shards)


# ===- By index ----------------------------------------------------------------===


def _indexed(
    machine: Machine, op: Operation, value: Value, indices: Value, dim: int
) -> tuple[list[Array], list[Array], list[int]]:
    """What ranks hold along `dim`, with the rest as the result is cut; indices; starts."""
    layout = tensor_info(op.results[0].type).layout
    fetcher = Fetcher(machine.mesh)
    arrays, places, starts = [], [], []
    for rank, region in enumerate(regions_of(machine, layout, indices.shape)):
        held = _held(machine, value, rank)[dim]
        box = region.box
        arrays.append(fetcher.box(value, rank, (*box[:dim], held, *box[dim:])))
        places.append(fetcher.box(indices, rank, box))
        starts.append(held[0])
    return arrays, places, starts


def _local(indices: Array, start: int, size: int) -> tuple[Array, Array]:
    """Positions in a chunk, and whether they are there."""
    with np.errstate(over="ignore"):
        position = indices.astype(np.int64) - np.int64(start)
    inside = (position >= 0) & (position < size)
    return np.where(inside, position, 0), inside


def _choose(array: Array, indices: Array, start: int, dim: int, zero: Array) -> Array:
    position, inside = _local(indices, start, array.shape[dim])
    if array.shape[dim] == 0:
        return np.broadcast_to(zero, indices.shape)
    chosen = np.take_along_axis(array, np.expand_dims(position, dim), dim)
    return np.where(inside, np.squeeze(chosen, dim), zero)


def _pick(machine: Machine, op: Operation, operands: list[Value]) -> Value:
    value, indices = operands
    dim = integer(op, "dim")
    zero = arithmetic(machine.domain, value.element).from_integers(np.asarray(0))
    parts = _indexed(machine, op, value, indices, dim)
    shards = machine.each(lambda a, i, start: _choose(a, i, start, dim, zero), *parts)
    return machine.result(op, indices.shape, shards)


def _take(machine: Machine, op: Operation, operands: list[Value]) -> Value:
    table, indices = operands
    shape = (*indices.shape, *table.shape[1:])
    layout = tensor_info(op.results[0].type).layout
    zero = arithmetic(machine.domain, table.element).from_integers(np.asarray(0))
    fetcher = Fetcher(machine.mesh)
    tables, places, starts = [], [], []
    for rank, region in enumerate(regions_of(machine, layout, shape)):
        held = _held(machine, table, rank)[0]
        count = len(indices.shape)
        tables.append(fetcher.box(table, rank, (held, *region.box[count:])))
        places.append(fetcher.box(indices, rank, region.box[:count]))
        starts.append(held[0])

    def compute(array: Array, index: Array, start: int) -> Array:
        position, inside = _local(index, start, array.shape[0])
        full = (*index.shape, *array.shape[1:])
        if array.shape[0] == 0:
            return np.broadcast_to(zero, full)
        mask = np.reshape(inside, (*index.shape, *(1,) * (array.ndim - 1)))
        return np.where(mask, array[position], zero)

    return machine.result(op, shape, machine.each(compute, tables, places, starts))


def _scatter_add(machine: Machine, op: Operation, operands: list[Value]) -> Value:
    updates, indices = operands
    rows, count = integer(op, "rows"), len(indices.shape)
    numbers = arithmetic(machine.domain, updates.element)
    for rank in range(machine.mesh.ranks):
        held = _held(machine, updates, rank)[:count]
        if held != _held(machine, indices, rank):
            raise InterpretationError(f"rank {rank} holds unlike places of updates and indices")

    def compute(update: Array, index: Array) -> Array:
        row = update.shape[count:]
        flat = update.reshape(index.size, *row)
        total = np.empty((rows, *row), update.dtype)
        total[...] = numbers.from_integers(np.asarray(0))
        for place, target in enumerate(index.reshape(-1).tolist()):
            if 0 <= target < rows:
                total[target] = numbers.add(total[target], flat[place])
        if is_float(updates.element):
            total = machine.domain.round(total, updates.element)
        return total

    shape = (rows, *updates.shape[count:])
    return machine.result(op, shape, machine.each(compute, updates.shards, indices.shards))


# ===- Windows -----------------------------------------------------------------===


def _pad(machine: Machine, op: Operation, operands: list[Value]) -> Value:
    operand = operands[0]
    low, high = integers(op, "low"), integers(op, "high")
    if not any(low) and not any(high):
        return machine.result(op, operand.shape, operand.shards)
    value = number(op, "value")
    if is_float(operand.element):
        fill = machine.domain.round(
            np.asarray(machine.domain.constant(np.asarray(value))), operand.element
        )
    else:
        fill = arithmetic(machine.domain, operand.element).from_integers(np.asarray(int(value)))

    def compute(array: Array) -> Array:
        sizes = [n + a + b for n, a, b in zip(array.shape, low, high, strict=True)]
        padded = np.empty(sizes, array.dtype)
        padded[...] = fill
        inner = tuple(slice(a, a + n) for n, a in zip(array.shape, low, strict=True))
        padded[(*inner, ...)] = array
        return padded

    shape = tuple(n + a + b for n, a, b in zip(operand.shape, low, high, strict=True))
    return machine.result(op, shape, machine.each(compute, operand.shards))


def _window(op: Operation, size: tuple[int, ...]) -> windows.Window:
    pairs = [integers(op, name) for name in ("strides", "padding", "dilations")]
    return windows.Window(size, *pairs)  # type: ignore[arg-type]


def _common(machine: Machine, rank: int, *sides: tuple[Value, int]) -> Interval:
    """The part of a dimension that both operands are taken of: where one is cut, that chunk."""
    cut = [_held(machine, value, rank)[dim] for value, dim in sides if value.layout.axes_of(dim)]
    if len(set(cut)) > 1:
        raise InterpretationError(f"rank {rank} holds unlike chunks of one dimension")
    return cut[0] if cut else (0, sides[0][0].shape[sides[0][1]])


def _conv(machine: Machine, op: Operation, operands: list[Value]) -> Value:
    """conv2d and its gradients, from the chunks of images and channels of each rank."""
    name = op_name(op).removeprefix("coconet.")
    first, second = operands
    groups, element = integer(op, "groups"), first.element
    numbers = arithmetic(machine.domain, element)
    match name:
        case "conv2d":
            window = _window(op, second.shape[2:])
            places = [window.count(first.shape[2 + i], i) for i in (0, 1)]
            shape = (first.shape[0], second.shape[0], *places)
            # Where each side's first two dimensions are those of the other side or the result.
            shared = ((first, 0), None), ((second, 0), None), ((first, 1), (second, 1))
            boxes = (0, 2), (1, 2)

            def run(a: Array, b: Array) -> Array:
                return windows.convolve(numbers, a, b, window, groups)
        case "conv2d_input_gradient":
            window = _window(op, second.shape[2:])
            sizes = integers(op, "sizes")
            shape = (first.shape[0], second.shape[1] * groups, *sizes)
            shared = ((first, 0), None), ((second, 1), None), ((first, 1), (second, 0))
            boxes = (0, 2), (2, 1)

            def run(a: Array, b: Array) -> Array:
                return windows.input_gradient(numbers, a, b, window, groups, sizes)  # type: ignore[arg-type]
        case _:
            window = _window(op, integers(op, "sizes"))
            shape = (second.shape[1], first.shape[1] // groups, *window.size)
            shared = ((second, 1), None), ((first, 1), None), ((first, 0), (second, 0))
            boxes = (2, 1), (2, 0)

            def run(a: Array, b: Array) -> Array:
                return windows.weight_gradient(numbers, a, b, window, groups)

    fetcher = Fetcher(machine.mesh)
    sides: tuple[list[Array], list[Array]] = ([], [])
    for rank in range(machine.mesh.ranks):
        cuts = [
            _common(machine, rank, *(side for side in pair if side is not None)) for pair in shared
        ]
        for value, arrays, used in zip(operands, sides, boxes, strict=True):
            wanted = [cuts[u] for u in used]
            if groups > 1:
                wanted = [wanted[0], (0, value.shape[1])]
                if value is second and name != "conv2d_weight_gradient":
                    wanted[0] = (0, value.shape[0])
            whole = [(0, n) for n in value.shape[2:]]
            arrays.append(fetcher.box(value, rank, (*wanted, *whole)))

    def compute(a: Array, b: Array) -> Array:
        result = run(a, b)
        return machine.domain.round(result, element) if is_float(element) else result

    return machine.result(op, shape, machine.each(compute, *sides))


def _pool(machine: Machine, op: Operation, operands: list[Value]) -> Value:
    operand, domain = operands[0], machine.domain
    window = windows.Window(
        *(integers(op, name) for name in ("window", "strides", "padding"))  # type: ignore[arg-type]
    )
    kind, element = keyword(op, "kind"), operand.element
    places = tuple(window.count(operand.shape[2 + i], i) for i in (0, 1))
    numbers = arithmetic(domain, element)

    if kind == "mean":
        fill = numbers.from_integers(np.asarray(0))
    elif is_float(element):
        fill = domain.constant(np.asarray(-np.inf))
    else:
        fill = np.asarray(np.iinfo(INTEGER_DTYPES[element]).min)
    size = window.size[0] * window.size[1]

    def compute(array: Array) -> Array:
        read = windows.patches(array, window, places, fill)
        if kind == "max":
            return np.asarray(numbers.max(read, (2, 3)))
        total = domain.sum(read, (2, 3))
        return domain.round(domain.div(total, domain.from_integers(np.asarray(size))), element)

    shape = (*operand.shape[:2], *places)
    return machine.result(op, shape, machine.each(compute, operand.shards))


NEURAL_OPS: dict[str, Handler] = {
    "coconet.layer_norm": _norm,
    "coconet.rms_norm": _norm,
    "coconet.cross_entropy": _cross_entropy,
    "coconet.pick": _pick,
    "coconet.take": _take,
    "coconet.scatter_add": _scatter_add,
    "coconet.pad": _pad,
    "coconet.conv2d": _conv,
    "coconet.conv2d_input_gradient": _conv,
    "coconet.conv2d_weight_gradient": _conv,
    "coconet.pool2d": _pool,
}
