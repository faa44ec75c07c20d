"""The operations of the dialect, collectives aside, as functions over a traced program's tensors.

Each one is documented in the reference of the dialect; `name` is the name by which schedules find
the operation. Where an operand may be a number, it becomes a constant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from coconet_mlir import ir
from coconet_mlir._attributes import enum, flag, i64, i64s
from coconet_mlir.dtypes import from_numpy, to_mlir, to_numpy
from coconet_mlir.tracing import (
    Builder,
    Operand,
    Tensor,
    constant_like,
    emit,
    emit_joined,
    error_here,
    joined,
)
from coconet_mlir.tracing import constant as _scalar_constant

# ===- Pointwise -------------------------------------------------------------===


def _unary(op: str, what: str) -> Callable[..., Tensor]:
    def function(x: Tensor, *, name: str | None = None) -> Tensor:
        return emit(op, [x], name=name)

    function.__name__ = function.__qualname__ = op
    function.__doc__ = f"Pointwise: {what}."
    return function


def _binary(op: str, what: str) -> Callable[..., Tensor]:
    def function(lhs: Operand, rhs: Operand, *, name: str | None = None) -> Tensor:
        return emit_joined(op, lhs, rhs, name=name)

    function.__name__ = function.__qualname__ = op
    function.__doc__ = f"Pointwise, with numpy's broadcasting: {what}."
    return function


neg = _unary("neg", "the negated value")
abs = _unary("abs", "the absolute value")
sqrt = _unary("sqrt", "the square root")
rsqrt = _unary("rsqrt", "one over the square root")
exp = _unary("exp", "e to the power of the value")
log = _unary("log", "the natural logarithm")
tanh = _unary("tanh", "the hyperbolic tangent")
sigmoid = _unary("sigmoid", "1 / (1 + exp(-x))")
relu = _unary("relu", "max(x, 0)")
gelu = _unary("gelu", "the Gaussian error linear unit, by erf")
silu = _unary("silu", "x sigmoid(x)")
is_finite = _unary("is_finite", "whether the value is neither infinite nor NaN")
add = _binary("add", "the sum")
sub = _binary("sub", "the difference")
mul = _binary("mul", "the product")
div = _binary("div", "the quotient; integers round towards zero, and a zero divisor gives 0")
pow = _binary("pow", "lhs to the power rhs")
max = _binary("max", "the larger one; NaN if either is NaN")
min = _binary("min", "the smaller one; NaN if either is NaN")


def compare(predicate: str, lhs: Operand, rhs: Operand, *, name: str | None = None) -> Tensor:
    """A comparison, "eq", "ne", "lt", "le", "gt" or "ge"; a tensor of i1."""
    kind = enum("predicate", predicate, ("eq", "ne", "lt", "le", "gt", "ge"))
    return emit_joined("compare", lhs, rhs, attributes={"predicate": kind}, name=name)


def select(
    condition: Tensor, on_true: Operand, on_false: Operand, *, name: str | None = None
) -> Tensor:
    """One of two values, by a condition of i1."""
    return emit("select", [condition, *joined(on_true, on_false)], name=name)


def cast(x: Tensor, dtype: str, *, name: str | None = None) -> Tensor:
    """The value in another element type."""
    return emit("cast", [x], {"element_type": ir.TypeAttr.get(to_mlir(dtype))}, name=name)


def dropout(
    x: Tensor,
    *,
    step: Tensor,
    rate: float,
    seed: int = 0,
    stream: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Zero elements at random and scale the rest by 1 / (1 - rate).

    The mask depends on seed, step (an i32 or i64 scalar), stream and the global element index
    alone. By default the stream is the first one of the seed that no dropout traced before takes,
    so that each has a mask of its own; give the same number to repeat a mask, as in a backward
    pass.
    """
    attributes = {
        "rate": ir.FloatAttr.get(ir.F64Type.get(), rate),
        "seed": i64(seed),
        "stream": i64(Builder.current().take_stream(seed, stream)),
    }
    return emit("dropout", [x, step], attributes, name=name)


# ===- Contractions and reductions -------------------------------------------===


def matmul(
    lhs: Tensor,
    rhs: Tensor,
    *,
    transpose_lhs: bool = False,
    transpose_rhs: bool = False,
    name: str | None = None,
) -> Tensor:
    """Matrix product over the last two dimensions, batched over the leading ones."""
    flags = {"transpose_lhs": flag(transpose_lhs), "transpose_rhs": flag(transpose_rhs)}
    return emit("matmul", [lhs, rhs], flags, name=name)


def reduce(
    kind: str,
    x: Tensor,
    dims: Sequence[int],
    *,
    keep_dims: bool = False,
    name: str | None = None,
) -> Tensor:
    """The "sum", "max", "min" or "mean" over dimensions; pending where one of them is cut."""
    attributes = {
        "kind": enum("reduce_kind", kind, ("sum", "max", "min", "mean")),
        "dims": i64s(dims),
        "keep_dims": flag(keep_dims),
    }
    return emit("reduce", [x], attributes, name=name)


def norm(x: Tensor, *, name: str | None = None) -> Tensor:
    """Euclidean norm over all elements."""
    return emit("norm", [x], name=name)


def softmax(x: Tensor, dim: int, *, name: str | None = None) -> Tensor:
    """exp(x - max) / sum(exp(x - max)) over a dimension."""
    return emit("softmax", [x], {"dim": i64(dim)}, name=name)


# ===- Shape -----------------------------------------------------------------===


def _plain_type(shape: Sequence[int | str], element: ir.Type) -> ir.RankedTensorType:
    dynamic = ir.ShapedType.get_dynamic_size()
    sizes = [size if isinstance(size, int) and size >= 0 else dynamic for size in shape]
    return ir.RankedTensorType.get(sizes, element)


def reshape(x: Tensor, shape: Sequence[int | str], *, name: str | None = None) -> Tensor:
    """The same elements in row-major order. -1, or a name, is an open size."""
    return emit("reshape", [x], hint=_plain_type(shape, x.type.element_type), name=name)


def broadcast_to(x: Tensor, shape: Sequence[int | str], *, name: str | None = None) -> Tensor:
    """The tensor repeated to a larger shape, as numpy broadcasts; communicates nothing."""
    return emit("broadcast_to", [x], hint=_plain_type(shape, x.type.element_type), name=name)


def transpose(x: Tensor, permutation: Sequence[int], *, name: str | None = None) -> Tensor:
    """Dimension i of the result is dimension permutation[i] of the operand."""
    return emit("transpose", [x], {"permutation": i64s(permutation)}, name=name)


def slice(
    x: Tensor,
    offsets: Sequence[int],
    sizes: Sequence[int],
    strides: Sequence[int] | None = None,
    *,
    name: str | None = None,
) -> Tensor:
    """A strided box; size -1 takes a whole dimension."""
    attributes = {
        "offsets": i64s(offsets),
        "sizes": i64s(sizes),
        "strides": i64s(strides if strides is not None else [1] * len(offsets)),
    }
    return emit("slice", [x], attributes, name=name)


def concat(tensors: Sequence[Tensor], dim: int, *, name: str | None = None) -> Tensor:
    """Tensors one after another along a dimension."""
    return emit("concat", list(tensors), {"dim": i64(dim)}, name=name)


def _literal(array: np.ndarray, dtype: str) -> str:
    """Elements of a dense attribute: bytes, which hold every value of a float, infinities too."""
    if not array.size:
        return ""
    if dtype == "i1":
        return str(array.tolist()).lower()
    return f'"0x{array.astype(to_numpy(dtype)).tobytes().hex()}"'


def constant(value: object, dtype: str | None = None, *, name: str | None = None) -> Tensor:
    """A replicated constant from a number or an array; f32 (or the array's type) by default."""
    if isinstance(value, int | float):
        return _scalar_constant(value, dtype or "f32")
    array = np.asarray(value)
    kind = dtype or from_numpy(array.dtype)
    Builder.current()
    type_ = ir.RankedTensorType.get(array.shape, to_mlir(kind))
    elements = ir.Attribute.parse(f"dense<{_literal(array, kind)}> : {type_}")
    return emit("constant", [], {"value": elements}, name=name)


def iota(shape: Sequence[int], dim: int, dtype: str = "i32", *, name: str | None = None) -> Tensor:
    """The index along a dimension."""
    Builder.current()
    result = _plain_type(shape, to_mlir(dtype))
    return emit("iota", [], {"dim": i64(dim)}, result=result, name=name)


# ===- State -----------------------------------------------------------------===


def update(state: Any, value: Any, *, name: str | None = None) -> Any:
    """Overwrite a state argument; returns the new value, the argument still means the old one.

    A list of states takes a list of values, and gives one.

    It takes no name from `named`: a schedule moves computations, not updates.
    """
    if not isinstance(state, Tensor):
        if len(state) != len(value):
            raise error_here(
                f"a list of {len(state)} states is updated with {len(value)} values",
                "give one value for each state",
            )
        return [update(each, new, name=name) for each, new in zip(state, value, strict=True)]
    new = value if isinstance(value, Tensor) else constant_like(value, state)
    return emit("update", [state, new], result=state.type, name=name or "")
