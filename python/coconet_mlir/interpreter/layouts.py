"""Meshes, layouts, and which part of a logical tensor a rank holds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from coconet_mlir.interpreter.domain import InterpretationError

Interval = tuple[int, int]
"""Start and length of a run of positions."""


def chunk(size: int, count: int, index: int) -> Interval:
    """The index-th of `count` chunks of `size` positions: ceil(size / count) each.

    Trailing chunks are short or empty, as the dialect defines.
    """
    width = -(-size // count)
    start = min(index * width, size)
    return start, min(start + width, size) - start


@dataclass(frozen=True)
class Mesh:
    """Named axes of bound sizes; ranks are numbered row-major."""

    axes: tuple[str, ...]
    sizes: tuple[int, ...]

    @property
    def ranks(self) -> int:
        return math.prod(self.sizes)

    def size_of(self, axes: Iterable[str]) -> int:
        """Product of the sizes of the axes."""
        return math.prod(self.sizes[self._index(axis)] for axis in axes)

    def coordinate(self, rank: int, axes: Sequence[str]) -> int:
        """Composed position of a rank along axes, major to minor."""
        position = 0
        for axis in axes:
            index = self._index(axis)
            stride = math.prod(self.sizes[index + 1 :])
            position = position * self.sizes[index] + rank // stride % self.sizes[index]
        return position

    def group(self, rank: int, axes: Sequence[str]) -> list[int]:
        """The ranks that differ from `rank` only along `axes`, by position."""
        return _group(self, rank, tuple(axes))

    def _index(self, axis: str) -> int:
        if axis not in self.axes:
            raise InterpretationError(
                f"axis '{axis}' is none of the mesh's: {', '.join(self.axes) or 'none'}"
            )
        return self.axes.index(axis)


@lru_cache(maxsize=4096)
def _group(mesh: Mesh, rank: int, axes: tuple[str, ...]) -> list[int]:
    others = [axis for axis in mesh.axes if axis not in axes]
    place = mesh.coordinate(rank, others)
    members = [r for r in range(mesh.ranks) if mesh.coordinate(r, others) == place]
    return sorted(members, key=lambda r: mesh.coordinate(r, axes))


@dataclass(frozen=True)
class Layout:
    """How a logical value lies on the ranks; the default is replicated."""

    dims: tuple[tuple[str, ...], ...] = ()
    flat: tuple[str, ...] = ()
    partial: Mapping[str, str] = field(default_factory=dict)
    local: tuple[str, ...] = ()
    rooted: Mapping[str, int] = field(default_factory=dict)

    def axes_of(self, dim: int) -> tuple[str, ...]:
        """The axes that cut a dimension."""
        return self.dims[dim] if self.dims else ()

    @property
    def cut_axes(self) -> tuple[str, ...]:
        """All axes that cut the value, dimension by dimension."""
        return tuple(axis for axes in self.dims for axis in axes) + self.flat

    def region(self, shape: Sequence[int], mesh: Mesh, rank: int) -> Region:
        """What a rank holds of a logical tensor."""
        if self.flat:
            total = math.prod(shape)
            index = mesh.coordinate(rank, self.flat)
            return Region(
                tuple((0, n) for n in shape),
                chunk(total, mesh.size_of(self.flat), index),
            )
        if self.dims and len(self.dims) != len(shape):
            raise InterpretationError(
                f"layout lists {len(self.dims)} dimensions, the tensor has {len(shape)}"
            )
        intervals = []
        for dim, size in enumerate(shape):
            axes = self.axes_of(dim)
            intervals.append(chunk(size, mesh.size_of(axes), mesh.coordinate(rank, axes)))
        return Region(tuple(intervals), None)


@dataclass(frozen=True)
class Region:
    """A box of a logical tensor, or an interval of its row-major flattening."""

    box: tuple[Interval, ...]
    flat: Interval | None

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array that holds the region."""
        if self.flat is not None:
            return (self.flat[1],)
        return tuple(length for _, length in self.box)


REPLICATED = Layout()
