"""Logical shapes of results, where types leave dimensions open."""

from __future__ import annotations

import math
from collections.abc import Sequence

from coconet_mlir.interpreter.domain import InterpretationError

Shape = tuple[int, ...]


def broadcast_shape(shapes: Sequence[Shape], declared: Sequence[Shape]) -> Shape:
    """Shape of a pointwise result; only a size that is declared as 1 is repeated."""
    rank = max(len(shape) for shape in shapes)
    padded, types = (
        [(1,) * (rank - len(shape)) + tuple(shape) for shape in each] for each in (shapes, declared)
    )
    result = []
    for sizes, wanted in zip(zip(*padded, strict=True), zip(*types, strict=True), strict=True):
        proper = {size for size, known in zip(sizes, wanted, strict=True) if known != 1}
        if len(proper) > 1:
            listed = " and ".join(str(list(shape)) for shape in shapes)
            raise InterpretationError(f"shapes {listed} do not broadcast")
        result.append(proper.pop() if proper else 1)
    return tuple(result)


def broadcast_target(declared: Shape, operand: Shape) -> Shape:
    """Shape of a broadcast_to: its open dimensions are the operand's."""
    skipped = len(declared) - len(operand)
    return tuple(size if size >= 0 else operand[dim - skipped] for dim, size in enumerate(declared))


def reshape_target(source: Shape, declared_source: Shape, declared: Shape) -> Shape:
    """Shape of a reshape result.

    Open dimensions are matched with the operand's open dimensions from the
    outside in; the one that remains follows from the number of elements.
    """
    result = list(declared)
    _match(result, [s for s, d in zip(source, declared_source, strict=True) if d < 0])
    open_dims = [dim for dim, size in enumerate(result) if size < 0]
    total = math.prod(source)
    known = math.prod(size for size in result if size >= 0)
    if open_dims:
        result[open_dims[0]] = total // known if known else 0
    if len(open_dims) > 1 or math.prod(result) != total:
        raise InterpretationError(
            f"{total} elements of shape {list(source)} do not fill shape {list(declared)}"
        )
    return tuple(result)


def _match(result: list[int], sizes: list[int]) -> None:
    """Fill all open dimensions but one, first those before it, then those after."""
    open_dims = [dim for dim, size in enumerate(result) if size < 0]
    if len(open_dims) == len(sizes):
        for dim, size in list(zip(open_dims, sizes, strict=True))[:-1]:
            result[dim] = size


def matmul_shape(lhs: Shape, rhs: Shape, transpose: tuple[bool, bool]) -> Shape:
    """Shape of a product, batched over leading dimensions."""
    if len(lhs) < 2 or len(rhs) < 2:
        raise InterpretationError("matmul needs two dimensions on both sides")
    rows, depth = (lhs[-1], lhs[-2]) if transpose[0] else (lhs[-2], lhs[-1])
    other, columns = (rhs[-1], rhs[-2]) if transpose[1] else (rhs[-2], rhs[-1])
    if depth != other:
        raise InterpretationError(f"matmul contracts {depth} with {other} elements")
    batch = lhs[:-2] or rhs[:-2]
    if lhs[:-2] and rhs[:-2] and lhs[:-2] != rhs[:-2]:
        raise InterpretationError("matmul has unlike leading dimensions")
    return (*batch, rows, columns)


def reduced_shape(shape: Shape, dims: tuple[int, ...], *, keep_dims: bool) -> Shape:
    """Shape without the reduced dimensions, or with 1 in their place."""
    if keep_dims:
        return tuple(1 if dim in dims else size for dim, size in enumerate(shape))
    return tuple(size for dim, size in enumerate(shape) if dim not in dims)
