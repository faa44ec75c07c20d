"""Distributed values: what every rank holds, and the logical value that it means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from coconet_mlir.interpreter.domain import Array, InterpretationError
from coconet_mlir.interpreter.layouts import Layout, Mesh, Region

Combine = Callable[[str, Sequence[Array], str], Array]


@dataclass
class Value:
    """One array per rank. Equal arrays may be one object; none is ever written to."""

    shards: list[Array]
    shape: tuple[int, ...]
    element: str
    layout: Layout

    def regions(self, mesh: Mesh) -> list[Region]:
        """What each rank holds."""
        return [self.layout.region(self.shape, mesh, r) for r in range(mesh.ranks)]


@dataclass
class Logical:
    """A value independent of its cut: axes `copies` lead, then the logical shape.

    The leading dimensions run over the partial axes of an input (its addends)
    and over the local axes.
    """

    array: Array
    disagreement: str | None = None


def distribute(
    array: Array, shape: tuple[int, ...], layout: Layout, mesh: Mesh, element: str
) -> Value:
    """Give every rank its part of an input.

    `array` has one leading dimension per partial axis, then per local axis, in
    mesh order, then the logical shape.
    """
    leading = leading_axes(layout, mesh)
    shards: list[Array] = []
    known: dict[tuple, Array] = {}
    for rank in range(mesh.ranks):
        place = tuple(mesh.coordinate(rank, (axis,)) for axis in leading)
        region = layout.region(shape, mesh, rank)
        key = (place, region)
        if key not in known:
            known[key] = cut(array[(*place, ...)], region)
        shards.append(known[key])
    return Value(shards, shape, element, layout)


def leading_axes(layout: Layout, mesh: Mesh) -> list[str]:
    """Axes along which ranks are given unrelated arrays: partial, then local."""
    partial = [axis for axis in mesh.axes if axis in layout.partial]
    return partial + [axis for axis in mesh.axes if axis in layout.local]


def cut(array: Array, region: Region) -> Array:
    """The part of a logical array that a region holds."""
    if region.flat is not None:
        start, length = region.flat
        return array.reshape(-1)[start : start + length]
    return array[_slices(region)]


def gather(value: Value, mesh: Mesh, combine: Combine) -> Logical:
    """The logical value, and whether ranks that should agree do not.

    Local axes lead in the result; partial axes are reduced; of rooted axes the
    root counts.
    """
    layout = value.layout
    local = [axis for axis in mesh.axes if axis in layout.local]
    sizes = tuple(mesh.size_of((axis,)) for axis in local)
    like = value.shards[0]
    result = np.zeros(sizes + value.shape, dtype=like.dtype)
    filled: dict[tuple, tuple[int, Array]] = {}
    disagreement = None
    for rank in range(mesh.ranks):
        if any(mesh.coordinate(rank, (a,)) != p for a, p in layout.rooted.items()):
            continue
        if any(mesh.coordinate(rank, (a,)) for a in layout.partial):
            continue
        region = layout.region(value.shape, mesh, rank)
        piece = _reduced(value, mesh, rank, combine)
        if piece.shape != region.shape:
            raise InterpretationError(
                f"rank {rank} holds shape {list(piece.shape)} where its layout says "
                f"{list(region.shape)}"
            )
        place = tuple(mesh.coordinate(rank, (axis,)) for axis in local)
        if (place, region) in filled:
            first, seen = filled[place, region]
            if seen is not piece and not same(seen, piece) and disagreement is None:
                disagreement = f"ranks {first} and {rank} disagree{_where(seen, piece)}"
            continue
        filled[place, region] = (rank, piece)
        _store(result[(*place, ...)], region, piece)
    return Logical(result, disagreement)


def _reduced(value: Value, mesh: Mesh, rank: int, combine: Combine) -> Array:
    """What a rank and its partners along the partial axes hold together."""
    kinds: dict[str, list[str]] = {}
    for axis in mesh.axes:
        if axis in value.layout.partial:
            kinds.setdefault(value.layout.partial[axis], []).append(axis)

    def total(member: int, pending: list[tuple[str, list[str]]]) -> Array:
        if not pending:
            return value.shards[member]
        kind, axes = pending[-1]
        arrays = [total(m, pending[:-1]) for m in mesh.group(member, axes)]
        return combine(kind, arrays, value.element)

    return total(rank, list(kinds.items()))


def _store(target: Array, region: Region, piece: Array) -> None:
    if region.flat is not None:
        start, length = region.flat
        target.reshape(-1)[start : start + length] = piece
    else:
        target[_slices(region)] = piece


def _slices(region: Region) -> tuple:
    # The ellipsis keeps a rank-0 array an array.
    return (*(slice(start, start + length) for start, length in region.box), ...)


def same(a: Array, b: Array) -> bool:
    """Equality of elements, with NaN equal to itself."""
    if a.shape != b.shape:
        return False
    return bool(np.array_equal(a, b, equal_nan=a.dtype == np.float64))


def first_difference(a: Array, b: Array) -> tuple[int, ...] | None:
    """Index of the first element that differs."""
    differs = a != b
    if a.dtype == np.float64:
        differs &= ~(np.isnan(a) & np.isnan(b))
    found = np.argwhere(differs)
    return tuple(int(i) for i in found[0]) if len(found) else None


def _where(a: Array, b: Array) -> str:
    if a.shape != b.shape:
        return f" about the shape: {list(a.shape)} and {list(b.shape)}"
    index = first_difference(a, b)
    return "" if index is None else f" at element {list(index)}"
