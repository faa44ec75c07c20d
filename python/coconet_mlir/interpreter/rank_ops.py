"""Ops that only rank programs have: own position, tensors, scalars, control flow."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import numpy as np
from xdsl.ir import Operation

from coconet_mlir.interpreter import kernels
from coconet_mlir.interpreter.collectives import split
from coconet_mlir.interpreter.distributed_ops import drop
from coconet_mlir.interpreter.domain import (
    INTEGER_DTYPES,
    Array,
    InterpretationError,
)
from coconet_mlir.interpreter.lists import run_rank_list
from coconet_mlir.interpreter.rank import Arrival, Handler, Locals, RankMachine
from coconet_mlir.interpreter.types import (
    dense_values,
    integer,
    integers,
    required,
    strings,
    tensor_info,
    text_of,
)
from coconet_mlir.interpreter.under_way import Awaited, Started

_DYNAMIC = -(2**63)


def _coordinate(machine: RankMachine, op: Operation, operands: list[Array], rank: int) -> Array:
    return np.asarray(machine.mesh.coordinate(rank, strings(op, "axes")))


def _shard(machine: RankMachine, op: Operation, operands: list[Array], rank: int) -> Array:
    axes = strings(op, "axes")
    chunks = split(operands[0], integer(op, "dim"), machine.mesh.size_of(axes))
    return chunks[machine.mesh.coordinate(rank, axes)]


def _fill(op: Operation, sizes: list[Array]) -> tuple[int, ...]:
    """Shape of the result with its open dimensions from operands."""
    given = iter(sizes)
    declared = tensor_info(op.results[0].type).shape
    return tuple(int(next(given)) if size < 0 else size for size in declared)


def _reshape(machine: RankMachine, op: Operation, operands: list[Array], rank: int) -> Array:
    shape = _fill(op, operands[1:])
    if operands[0].size != int(np.prod(shape)):
        raise InterpretationError(f"{operands[0].size} elements do not fill shape {list(shape)}")
    return operands[0].reshape(shape)


def _dropout(machine: RankMachine, op: Operation, operands: list[Array], rank: int) -> Array:
    array, step = operands[:2]
    dims = array.ndim
    offsets, strides = operands[2 : 2 + dims], operands[2 + dims : 2 + 2 * dims]
    index = np.zeros(array.shape, dtype=np.int64)
    for dim, (offset, stride) in enumerate(zip(offsets, strides, strict=True)):
        along = (int(offset) + np.arange(array.shape[dim], dtype=np.int64)) * int(stride)
        index += along.reshape((-1,) + (1,) * (dims - dim - 1))
    element = tensor_info(op.operands[0].type).element
    now = int(step.reshape(-1)[0])
    return drop(machine.alone, op, array, element, index, now, int(operands[-1]))


def _positions(op: Operation, kind: str, given: list[Array]) -> list[int]:
    """Static entries of a mixed list, open ones taken from operands."""
    return [
        int(given.pop(0)) if value == _DYNAMIC else value
        for value in integers(op, f"static_{kind}")
    ]


def _box(op: Operation, operands: list[Array], whole: tuple[int, ...]) -> tuple[slice, ...]:
    given = list(operands)
    offsets, sizes, strides = (_positions(op, k, given) for k in ("offsets", "sizes", "strides"))
    slices = []
    for start, count, step, size in zip(offsets, sizes, strides, whole, strict=True):
        last = start + (count - 1) * step
        if count < 0 or (count and not (0 <= start and 0 <= last < size)):
            raise InterpretationError(
                f"elements {start} to {last} in steps of {step} do not exist: the size is {size}"
            )
        slices.append(slice(start, last + 1, step) if count else slice(0, 0))
    return tuple(slices)


def _extract_slice(machine: RankMachine, op: Operation, operands: list[Array], rank: int) -> Array:
    part = operands[0][(*_box(op, operands[1:], operands[0].shape), ...)]
    declared = tensor_info(op.results[0].type).shape
    if len(declared) == part.ndim:
        return part
    # A rank-reducing slice drops dimensions of size 1.
    kept = _fill_known(declared, part.shape)
    return part.reshape(kept)


def _fill_known(declared: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    rest = list(shape)
    while len(rest) > len(declared):
        rest.remove(1)
    return tuple(rest)


def _insert_slice(machine: RankMachine, op: Operation, operands: list[Array], rank: int) -> Array:
    source, target = operands[0], operands[1].copy()
    box = _box(op, operands[2:], target.shape)
    target[box] = source.reshape(target[box].shape)
    return target


def _dim(machine: RankMachine, op: Operation, operands: list[Array], rank: int) -> Array:
    return np.asarray(operands[0].shape[int(operands[1])])


def _empty(machine: RankMachine, op: Operation, operands: list[Array], rank: int) -> Array:
    info = tensor_info(op.results[0].type)
    return machine.poison(op, _fill(op, operands), info.element, rank)


def _splat(machine: RankMachine, op: Operation, operands: list[Array], rank: int) -> Array:
    return np.broadcast_to(operands[0], _fill(op, operands[1:]))


def _from_elements(machine: RankMachine, op: Operation, operands: list[Array], rank: int) -> Array:
    return np.stack(operands).reshape(tensor_info(op.results[0].type).shape)


def _extract(machine: RankMachine, op: Operation, operands: list[Array], rank: int) -> Array:
    return operands[0][tuple(int(i) for i in operands[1:])]


def _collapse(machine: RankMachine, op: Operation, operands: list[Array], rank: int) -> Array:
    array = operands[0]
    groups = [[i.value.data for i in group] for group in required(op, "reassociation")]  # type: ignore[attr-defined]
    shape = tuple(int(np.prod([array.shape[d] for d in group])) for group in groups)
    return array.reshape(shape)


def _expand(machine: RankMachine, op: Operation, operands: list[Array], rank: int) -> Array:
    given = list(operands[1:])
    return operands[0].reshape(_positions(op, "output_shape", given))


def _same(machine: RankMachine, op: Operation, operands: list[Array], rank: int) -> Array:
    return operands[0]


def _constant(machine: RankMachine, op: Operation, operands: list[Array], rank: int) -> Array:
    return dense_values(required(op, "value"), machine.domain)


def _index_cast(machine: RankMachine, op: Operation, operands: list[Array], rank: int) -> Array:
    return operands[0].astype(INTEGER_DTYPES[tensor_info(op.results[0].type).element])


def _select(machine: RankMachine, op: Operation, operands: list[Array], rank: int) -> Array:
    return np.where(*operands)


def _ceil(a: Array, b: Array) -> Array:
    return -(-a // b)


_INTEGER_BINARY: dict[str, Callable[[Array, Array], Array]] = {
    "addi": np.add,
    "subi": np.subtract,
    "muli": np.multiply,
    "minsi": np.minimum,
    "maxsi": np.maximum,
    "minui": np.minimum,
    "maxui": np.maximum,
    "floordivsi": np.floor_divide,
    "ceildivsi": _ceil,
    "ceildivui": _ceil,
    "divui": np.floor_divide,
    "remui": np.remainder,
    "remsi": np.fmod,
    "andi": np.bitwise_and,
    "ori": np.bitwise_or,
    "xori": np.bitwise_xor,
}

# Scalar float ops are the dialect's pointwise ops of one element.
_FLOAT_OPS = {
    "addf": "add",
    "subf": "sub",
    "mulf": "mul",
    "divf": "div",
    "negf": "neg",
    "maximumf": "max",
    "minimumf": "min",
    "extf": "cast",
    "truncf": "cast",
    "sitofp": "cast",
    "fptosi": "cast",
}

_ORDER = ("eq", "ne", "lt", "le", "gt", "ge", "lt", "le", "gt", "ge")


def _integer_binary(name: str) -> Handler:
    def run(machine: RankMachine, op: Operation, operands: list[Array], rank: int) -> Array:
        element = tensor_info(op.results[0].type).element
        with np.errstate(over="ignore"):
            result = _INTEGER_BINARY[name](*operands)
        return np.asarray(result).astype(INTEGER_DTYPES[element])

    return run


def _float_op(name: str) -> Handler:
    def run(machine: RankMachine, op: Operation, operands: list[Array], rank: int) -> Array:
        elements = [tensor_info(o.type).element for o in op.operands]
        to = tensor_info(op.results[0].type).element
        return kernels.pointwise(machine.domain, op, f"coconet.{name}", operands, elements, to)

    return run


def _divsi(machine: RankMachine, op: Operation, operands: list[Array], rank: int) -> Array:
    element = tensor_info(op.results[0].type).element
    return kernels.arithmetic(machine.domain, element).div(*operands)


def _cmpi(machine: RankMachine, op: Operation, operands: list[Array], rank: int) -> Array:
    numbers = kernels.arithmetic(machine.domain, tensor_info(op.operands[0].type).element)
    return kernels.compare(numbers, _ORDER[integer(op, "predicate")], *operands)


def _for(
    machine: RankMachine, op: Operation, operands: list[Array], env: Locals, rank: int
) -> Generator[Arrival, Array, list[Array]]:
    lower, upper, step, *carried = operands
    if int(step) <= 0:
        raise InterpretationError(f"the step of a loop is {int(step)}")
    block = op.regions[0].blocks[0]
    yielded = block.last_op
    assert yielded is not None
    if machine.degrees is not None:
        machine.degrees.forward(op.operands[3:], block.args[1:])
    for index in range(int(lower), int(upper), int(step)):
        inner = dict(env)
        inner.update(zip(block.args, [np.asarray(index), *carried], strict=True))
        carried = yield from machine.run_block(block, inner, rank)
        if machine.degrees is not None and rank == 0:
            machine.degrees.forward(yielded.operands, block.args[1:])
    if machine.degrees is not None:
        machine.degrees.forward(block.args[1:], op.results)
    return list(carried)


def _if(
    machine: RankMachine, op: Operation, operands: list[Array], env: Locals, rank: int
) -> Generator[Arrival, Array, list[Array]]:
    region = op.regions[0 if bool(operands[0]) else 1]
    if not region.blocks:
        return []
    block = region.blocks[0]
    results = yield from machine.run_block(block, dict(env), rank)
    if machine.degrees is not None and block.last_op is not None:
        machine.degrees.forward(block.last_op.operands, op.results)
    return results


def _fused(
    machine: RankMachine, op: Operation, operands: list[Array], env: Locals, rank: int
) -> Generator[Arrival, Array, list[Array]]:
    block = op.regions[0].blocks[0]
    results = yield from machine.run_block(block, dict(env), rank)
    if machine.degrees is not None and block.last_op is not None:
        machine.degrees.forward(block.last_op.operands, op.results)
    return results


def _start(
    machine: RankMachine, op: Operation, operands: list[Array], env: Locals, rank: int
) -> Generator[Arrival | Started | Awaited, Any, list[Array]]:
    def later() -> Generator[Arrival | Started | Awaited, Any, list[Array]]:
        return (yield from machine.run_block(op.regions[0].blocks[0], dict(env), rank))

    yield Started(op, later())
    machine.started[rank].append(op)
    return [np.empty(0)]


def _wait(
    machine: RankMachine, op: Operation, operands: list[Array], env: Locals, rank: int
) -> Generator[Arrival | Started | Awaited, Any, list[Array]]:
    start = op.operands[0].owner
    assert isinstance(start, Operation)
    results = yield Awaited(start)
    machine.started[rank].remove(start)
    last = start.regions[0].blocks[0].last_op
    if machine.degrees is not None and last is not None:
        machine.degrees.forward(last.operands, op.results)
    return results


def _check_size(
    machine: RankMachine, op: Operation, operands: list[Array], env: Locals, rank: int
) -> Generator[Arrival, Array, list[Array]]:
    yield from ()
    expected, actual = (int(operand) for operand in operands)
    if expected != actual:
        raise InterpretationError(
            f"{text_of(required(op, 'what'))}: {expected} is expected, and there is {actual}"
        )
    return []


def _check_finite(
    machine: RankMachine, op: Operation, operands: list[Array], env: Locals, rank: int
) -> Generator[Arrival, Array, list[Array]]:
    """Nothing: in a field all values are finite, and a reference shows what it computes."""
    yield from ()
    return []


CONTROL = {
    "coconet.rank.check_finite": _check_finite,
    "coconet.rank.check_size": _check_size,
    "scf.for": _for,
    "scf.if": _if,
    "coconet.fused": _fused,
    "coconet.for_each": run_rank_list,
    "coconet.rank.start": _start,
    "coconet.rank.wait": _wait,
}

OPS: dict[str, Handler] = (
    {
        "coconet.rank.coordinate": _coordinate,
        "coconet.rank.shard": _shard,
        "coconet.rank.reshape": _reshape,
        "coconet.rank.dropout": _dropout,
        "tensor.extract_slice": _extract_slice,
        "tensor.insert_slice": _insert_slice,
        "tensor.dim": _dim,
        "tensor.empty": _empty,
        "tensor.splat": _splat,
        "tensor.from_elements": _from_elements,
        "tensor.extract": _extract,
        "tensor.collapse_shape": _collapse,
        "tensor.expand_shape": _expand,
        "tensor.cast": _same,
        "arith.constant": _constant,
        "arith.index_cast": _index_cast,
        "arith.extsi": _index_cast,
        "arith.trunci": _index_cast,
        "arith.select": _select,
        "arith.divsi": _divsi,
        "arith.cmpi": _cmpi,
    }
    | {f"arith.{name}": _integer_binary(name) for name in _INTEGER_BINARY}
    | {f"arith.{name}": _float_op(short) for name, short in _FLOAT_OPS.items()}
)
