"""What one rank computes on plain arrays, for the ops of the dialect."""

from __future__ import annotations

import numpy as np
from xdsl.ir import Operation

from coconet_mlir.interpreter import functions
from coconet_mlir.interpreter.domain import (
    INTEGER_DTYPES,
    Arithmetic,
    Array,
    Domain,
    InterpretationError,
    is_float,
)
from coconet_mlir.interpreter.integers import Integers
from coconet_mlir.interpreter.types import attribute_of, keyword

POINTWISE = frozenset(
    "coconet." + name
    for name in (
        "add sub mul div pow max min neg abs sqrt rsqrt exp log tanh sigmoid relu gelu silu "
        "is_finite compare select cast"
    ).split()
)

_BINARY = {
    "coconet.add": "add",
    "coconet.sub": "sub",
    "coconet.mul": "mul",
    "coconet.div": "div",
    "coconet.max": "maximum",
    "coconet.min": "minimum",
}

_CHOICES = frozenset(
    ("coconet.max", "coconet.min", "coconet.relu", "coconet.compare", "coconet.is_finite")
)


def arithmetic(domain: Domain, element: str) -> Arithmetic:
    """Operations of an element type: the domain's for floats, else machine's."""
    return domain if is_float(element) else Integers(INTEGER_DTYPES[element])


def pointwise(
    domain: Domain, op: Operation, name: str, operands: list[Array], elements: list[str], to: str
) -> Array:
    """One pointwise op on broadcastable arrays; `to` is the element of the result."""
    with np.errstate(all="ignore"):
        result = _pointwise(domain, op, name, operands, elements, to)
    if name in _CHOICES:
        domain.observe(op, result if to == "i1" else result == operands[0])
    return domain.round(result, to) if is_float(to) else result


def _pointwise(
    domain: Domain, op: Operation, name: str, operands: list[Array], elements: list[str], to: str
) -> Array:
    numbers = arithmetic(domain, elements[-1])
    if name in _BINARY:
        return getattr(numbers, _BINARY[name])(*operands)
    match name:
        case "coconet.neg":
            return numbers.neg(operands[0])
        case "coconet.abs":
            # Of a zero the positive one, whichever of the two the maximum takes.
            greater = numbers.maximum(operands[0], numbers.neg(operands[0]))
            return numbers.add(greater, numbers.from_integers(np.asarray(0)))
        case "coconet.relu":
            return numbers.maximum(operands[0], numbers.from_integers(np.asarray(0)))
        case "coconet.pow":
            return functions.power(domain, *operands)
        case "coconet.is_finite":
            return domain.is_finite(operands[0])
        case "coconet.compare":
            return compare(numbers, keyword(op, "predicate"), *operands)
        case "coconet.select":
            return np.where(*operands)
        case "coconet.cast" if attribute_of(op, "coconet.rounding") is not None:
            # The rounding that a reduction does; it is identity in the field, as there.
            return domain.round(operands[0], to)
        case "coconet.cast":
            return cast(domain, operands[0], elements[0], to)
    return functions.UNARY[name.removeprefix("coconet.")](domain, operands[0])


def compare(numbers: Arithmetic, predicate: str, a: Array, b: Array) -> Array:
    """Comparison; with NaN only `ne` holds."""
    match predicate:
        case "eq":
            return numbers.equal(a, b)
        case "ne":
            return ~numbers.equal(a, b)
        case "lt":
            return numbers.less(a, b)
        case "gt":
            return numbers.less(b, a)
        case "le":
            return numbers.less(a, b) | numbers.equal(a, b)
        case "ge":
            return numbers.less(b, a) | numbers.equal(a, b)
    raise InterpretationError(f"predicate '{predicate}' is unknown")


def cast(domain: Domain, a: Array, source: str, target: str) -> Array:
    """Conversion between any two element types."""
    if is_float(source) and is_float(target):
        return domain.cast(a, source, target)
    if target == "i1":
        zero = arithmetic(domain, source).from_integers(np.asarray(0))
        return ~np.asarray(arithmetic(domain, source).equal(a, zero))
    if is_float(source):
        return domain.to_integers(a, INTEGER_DTYPES[target])
    if is_float(target):
        return domain.from_integers(a)
    return a.astype(INTEGER_DTYPES[target])


def matmul(
    domain: Domain, element: str, lhs: Array, rhs: Array, transpose: tuple[bool, bool]
) -> Array:
    """Batched product of the last two dimensions."""
    a, b = (
        np.swapaxes(x, -1, -2) if flag else x for x, flag in zip((lhs, rhs), transpose, strict=True)
    )
    result = arithmetic(domain, element).matmul(a, b)
    return domain.round(result, element) if is_float(element) else result


def reduce(
    domain: Domain,
    element: str,
    kind: str,
    operand: Array,
    dims: tuple[int, ...],
    *,
    keep_dims: bool,
    count: int,
) -> Array:
    """Reduction over dimensions; `mean` divides by `count`."""
    numbers = arithmetic(domain, element)
    method = {"sum": numbers.sum, "mean": numbers.sum, "max": numbers.max, "min": numbers.min}
    result = method[kind](operand, dims)
    if kind == "mean":
        with np.errstate(all="ignore"):
            result = numbers.div(result, numbers.from_integers(np.asarray(count)))
    if is_float(element):
        result = domain.round(result, element)
    return np.expand_dims(result, dims) if keep_dims else np.asarray(result)
