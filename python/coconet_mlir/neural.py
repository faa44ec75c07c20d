"""Layers of neural networks as functions over the tensors of a traced program."""

from __future__ import annotations

from collections.abc import Sequence

from coconet_mlir import ir
from coconet_mlir._attributes import enum, i64, i64s
from coconet_mlir.tracing import Tensor, emit

Pair = int | Sequence[int]


def _f64(value: float) -> ir.Attribute:
    return ir.FloatAttr.get(ir.F64Type.get(), float(value))


def _pair(value: Pair) -> list[int]:
    return [value, value] if isinstance(value, int) else list(value)


def _segments(*present: bool) -> ir.Attribute:
    return ir.DenseI32ArrayAttr.get([int(flag) for flag in present])


def layer_norm(
    x: Tensor,
    dims: Sequence[int],
    *,
    scale: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    name: str | None = None,
) -> Tensor:
    """(x - mean) / sqrt(variance + eps) over dimensions, times scale, plus bias.

    Scale and bias broadcast to the operand's shape; where they are cut, they are cut like it.
    """
    operands = [x, *(t for t in (scale, bias) if t is not None)]
    attributes = {
        "dims": i64s(dims),
        "eps": _f64(eps),
        "operandSegmentSizes": _segments(True, scale is not None, bias is not None),
    }
    return emit("layer_norm", operands, attributes, name=name)


def rms_norm(
    x: Tensor,
    dims: Sequence[int],
    *,
    scale: Tensor | None = None,
    eps: float = 1e-5,
    name: str | None = None,
) -> Tensor:
    """x / sqrt(mean of x^2 + eps) over dimensions, times scale."""
    operands = [x] if scale is None else [x, scale]
    return emit("rms_norm", operands, {"dims": i64s(dims), "eps": _f64(eps)}, name=name)


def cross_entropy(
    logits: Tensor, labels: Tensor, dim: int = -1, *, name: str | None = None
) -> Tensor:
    """-log softmax(logits)[label] for every example; `dim` is that of the classes.

    Labels (i32 or i64) have the shape of the logits without `dim`, which may be cut. A label out
    of range picks nothing: its loss is log(sum(exp(x - max(x)))).
    """
    along = dim if dim >= 0 else dim + len(logits.shape)
    return emit("cross_entropy", [logits, labels], {"dim": i64(along)}, name=name)


def pick(x: Tensor, indices: Tensor, dim: int, *, name: str | None = None) -> Tensor:
    """One element along a dimension for every position of the others; 0 where out of range.

    Indices (i32 or i64) have the shape of x without `dim`. A pending sum where `dim` is cut.
    """
    return emit("pick", [x, indices], {"dim": i64(dim)}, name=name)


def take(table: Tensor, indices: Tensor, *, name: str | None = None) -> Tensor:
    """Rows of a table: shape of the indices (i32 or i64), then of a row.

    An index out of range, a negative one too, gives zeros. A pending sum where rows are cut.
    """
    return emit("take", [table, indices], name=name)


def scatter_add(indices: Tensor, updates: Tensor, rows: int, *, name: str | None = None) -> Tensor:
    """Zeros of `rows` rows with updates added to the rows of their indices, in order.

    An index out of range adds nothing. A pending sum where indices and updates are cut alike.
    """
    return emit("scatter_add", [updates, indices], {"rows": i64(rows)}, name=name)


def pad(
    x: Tensor,
    low: Sequence[int],
    high: Sequence[int],
    value: float = 0.0,
    *,
    name: str | None = None,
) -> Tensor:
    """The tensor with `low` and `high` elements of a value before and behind each dimension."""
    attributes = {"low": i64s(low), "high": i64s(high), "value": _f64(value)}
    return emit("pad", [x], attributes, name=name)


def _convolution(
    strides: Pair, padding: Pair, dilations: Pair, groups: int
) -> dict[str, ir.Attribute]:
    return {
        "strides": i64s(_pair(strides)),
        "padding": i64s(_pair(padding)),
        "dilations": i64s(_pair(dilations)),
        "groups": i64(groups),
    }


def conv2d(
    x: Tensor,
    weight: Tensor,
    *,
    strides: Pair = 1,
    padding: Pair = 0,
    dilations: Pair = 1,
    groups: int = 1,
    name: str | None = None,
) -> Tensor:
    """Convolution of images [N, C, H, W] with a weight [O, C / groups, KH, KW], zero padding."""
    attributes = _convolution(strides, padding, dilations, groups)
    return emit("conv2d", [x, weight], attributes, name=name)


def conv2d_input_gradient(
    gradient: Tensor,
    weight: Tensor,
    sizes: Pair,
    *,
    strides: Pair = 1,
    padding: Pair = 0,
    dilations: Pair = 1,
    groups: int = 1,
    name: str | None = None,
) -> Tensor:
    """Gradient of `conv2d` by its input, whose height and width are `sizes`."""
    attributes = _convolution(strides, padding, dilations, groups)
    attributes["sizes"] = i64s(_pair(sizes))
    return emit("conv2d_input_gradient", [gradient, weight], attributes, name=name)


def conv2d_weight_gradient(
    x: Tensor,
    gradient: Tensor,
    sizes: Pair,
    *,
    strides: Pair = 1,
    padding: Pair = 0,
    dilations: Pair = 1,
    groups: int = 1,
    name: str | None = None,
) -> Tensor:
    """Gradient of `conv2d` by its weight, whose windows have the `sizes` [KH, KW]."""
    attributes = _convolution(strides, padding, dilations, groups)
    attributes["sizes"] = i64s(_pair(sizes))
    return emit("conv2d_weight_gradient", [x, gradient], attributes, name=name)


def pool2d(
    kind: str,
    x: Tensor,
    window: Pair,
    *,
    strides: Pair | None = None,
    padding: Pair = 0,
    name: str | None = None,
) -> Tensor:
    """The "max" or "mean" over windows of images [N, C, H, W], by default side by side.

    `max` ignores padding; `mean` counts it as zeros.
    """
    attributes = {
        "kind": enum("reduce_kind", kind, ("max", "mean")),
        "window": i64s(_pair(window)),
        "strides": i64s(_pair(window if strides is None else strides)),
        "padding": i64s(_pair(padding)),
    }
    return emit("pool2d", [x], attributes, name=name)
