"""Meshes and layouts as plain values: what they mean for shapes, arrays and words.

The compiler's attributes stay the source; `Mesh.from_attribute` and `Layout.of_type` read them.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from coconet_mlir.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from coconet_mlir import ir

    Array = NDArray[np.generic]

Axes = tuple[str, ...]


def chunk(size: int, parts: int, index: int) -> slice:
    """Positions of the index-th of `parts` chunks: ceil(size / parts) each, the last ones short
    or empty."""
    width = -(-size // parts)
    start = min(index * width, size)
    return slice(start, min(start + width, size))


@dataclass(frozen=True)
class Mesh:
    """Named axes of ranks, numbered row-major. A size of None is bound by `compile`."""

    sizes: Mapping[str, int | None]

    @staticmethod
    def from_attribute(attribute: Any) -> Mesh:
        """The mesh of a `#coconet.mesh`."""
        from coconet_mlir.dialects import coconet

        axes = coconet.MeshAttr(attribute).axes
        return Mesh({name: None if size < 0 else size for name, size in axes})

    def attribute(self) -> Any:
        """The `#coconet.mesh`, in the current context."""
        from coconet_mlir.dialects import coconet

        return coconet.MeshAttr.get(
            [(name, -1 if size is None else size) for name, size in self.sizes.items()]
        )

    @property
    def axes(self) -> Axes:
        """Names of the axes, major to minor."""
        return tuple(self.sizes)

    @property
    def is_bound(self) -> bool:
        """Whether all sizes are known."""
        return None not in self.sizes.values()

    def size_of(self, axes: Iterable[str]) -> int:
        """Product of the sizes of the axes, which are bound."""
        return math.prod(self._bound_size(axis) for axis in axes)

    @property
    def ranks(self) -> int:
        """Number of ranks of a bound mesh."""
        return self.size_of(self.axes)

    def position(self, rank: int, axes: Iterable[str]) -> int:
        """Composed index of a rank along the axes, in their order."""
        position = 0
        for axis in axes:
            size = self._bound_size(axis)
            minor = self.axes[self.axes.index(axis) + 1 :]
            position = position * size + rank // self.size_of(minor) % size
        return position

    def _bound_size(self, axis: str) -> int:
        size = self.sizes[axis]
        if size is None:
            raise InputError(f"axis '{axis}' has no size; bind the mesh first")
        return size

    def __str__(self) -> str:
        return ", ".join(
            f"{name} = {'?' if size is None else size}" for name, size in self.sizes.items()
        )


@dataclass(frozen=True)
class Layout:
    """How the logical value of a tensor lies on a mesh; the default is replicated.

    Attributes:
        dims: for each dimension the axes that cut it, major to minor; empty if none is cut.
        flat: axes that cut the row-major flattening.
        partial: reduction by axis along which the value is pending.
        local: axes along which ranks hold unrelated values; the shape is then one rank's.
        rooted: by axis, the only position that holds the value.
    """

    mesh: Mesh | None = None
    dims: tuple[Axes, ...] = ()
    flat: Axes = ()
    partial: Mapping[str, str] = field(default_factory=dict)
    local: Axes = ()
    rooted: Mapping[str, int] = field(default_factory=dict)

    @staticmethod
    def from_attribute(attribute: Any) -> Layout:
        """The layout of a `#coconet.layout`; replicated for None."""
        from coconet_mlir.dialects import coconet

        if attribute is None:
            return Layout()
        held = coconet.LayoutAttr(attribute)
        return Layout(
            Mesh.from_attribute(held.mesh),
            tuple(_names(axes) for axes in held.dims),
            _names(held.flat),
            {entry.name: coconet.ReductionAttr(entry.attr).kind for entry in held.partial},
            _names(held.local),
            {entry.name: entry.attr.value for entry in held.rooted},
        )

    @staticmethod
    def of_type(type_: ir.Type) -> Layout:
        """The layout of a tensor type."""
        from coconet_mlir import ir

        return Layout.from_attribute(ir.RankedTensorType(type_).encoding)

    def attribute(self) -> Any:
        """The `#coconet.layout` in the current context; None where replicated."""
        from coconet_mlir import ir
        from coconet_mlir.dialects import coconet

        if self.mesh is None or self.is_replicated:
            return None

        def names(axes: Iterable[str]) -> ir.ArrayAttr:
            return ir.ArrayAttr.get([ir.StringAttr.get(axis) for axis in axes])

        i64 = ir.IntegerType.get_signless(64)
        return coconet.LayoutAttr.get(
            self.mesh.attribute(),
            ir.ArrayAttr.get([names(axes) for axes in self.dims] if any(self.dims) else []),
            names(self.flat),
            ir.DictAttr.get({a: coconet.ReductionAttr.get(r) for a, r in self.partial.items()}),
            names(self.local),
            ir.DictAttr.get({a: ir.IntegerAttr.get(i64, r) for a, r in self.rooted.items()}),
        )

    @property
    def is_replicated(self) -> bool:
        """Whether all ranks hold the whole value."""
        return not (any(self.dims) or self.flat or self.partial or self.local or self.rooted)

    @property
    def leading(self) -> Axes:
        """Axes along which ranks hold different arrays: pending ones, then local ones, each in
        mesh order."""
        axes = self.mesh.axes if self.mesh else ()
        pending = tuple(axis for axis in axes if axis in self.partial)
        return pending + tuple(axis for axis in axes if axis in self.local)

    @property
    def positions(self) -> int:
        """Number of arrays that make up the value: 1 unless it is pending or local."""
        return self.mesh.size_of(self.leading) if self.mesh else 1

    def position(self, rank: int) -> int:
        """Which of these arrays a rank holds."""
        return self.mesh.position(rank, self.leading) if self.mesh else 0

    def region(self, shape: Sequence[int], rank: int) -> tuple[slice, ...]:
        """What a rank holds: a box, or one slice of the flattening where that is cut."""
        if self.mesh is None:
            return tuple(slice(0, size) for size in shape)
        if self.flat:
            return (self._chunk(math.prod(shape), self.flat, rank),)
        cuts = self.dims or ((),) * len(shape)
        return tuple(self._chunk(size, axes, rank) for size, axes in zip(shape, cuts, strict=True))

    def _chunk(self, size: int, axes: Axes, rank: int) -> slice:
        assert self.mesh is not None
        return chunk(size, self.mesh.size_of(axes), self.mesh.position(rank, axes))

    def rank_shape(self, shape: Sequence[int], rank: int) -> tuple[int, ...]:
        """Shape of the array that a rank holds of a tensor of this logical shape."""
        return tuple(part.stop - part.start for part in self.region(shape, rank))

    def take(self, array: Array, rank: int) -> Array:
        """A rank's part of a logical array: a view, contiguous where only dimension 0 or the
        flattening is cut."""
        source = array.reshape(-1) if self.flat else array
        # The ellipsis keeps an array of rank 0 an array.
        return source[(*self.region(array.shape, rank), ...)]

    def join(self, parts: Sequence[Array], shape: Sequence[int]) -> Array:
        """The logical array from all ranks' parts. A pending one is reduced; of a local one the
        arrays are stacked along a new first dimension."""
        import numpy as np

        arrays = [np.empty(shape, parts[0].dtype) for _ in range(self.positions)]
        # Last to first: of equal copies the one of the lowest rank stays.
        for rank in reversed(range(len(parts))):
            if self._holds(rank):
                self.take(arrays[self.position(rank)], rank)[...] = parts[rank]
        return self._combine(arrays)

    def _holds(self, rank: int) -> bool:
        return self.mesh is None or all(
            self.mesh.position(rank, (axis,)) == root for axis, root in self.rooted.items()
        )

    def _combine(self, arrays: list[Array]) -> Array:
        import numpy as np

        if not self.leading:
            return arrays[0]
        assert self.mesh is not None
        stacked = np.stack(arrays)
        if not self.partial:
            return stacked
        sizes = [self.mesh.size_of((axis,)) for axis in self.leading]
        stacked = stacked.reshape(*sizes, *arrays[0].shape)
        # Kinds in the order of the mesh; each in rank order, wide, and rounded once.
        functions = {"sum": np.add, "max": np.maximum, "min": np.minimum}
        held = stacked.dtype
        wide = np.dtype(np.float32) if held.itemsize == 2 else held
        for kind in dict.fromkeys(self.partial[a] for a in self.leading if a in self.partial):
            axes = [i for i, a in enumerate(self.leading) if self.partial.get(a) == kind]
            moved = np.moveaxis(stacked, axes, range(len(axes)))
            rest = moved.shape[len(axes) :]
            terms = moved.reshape(math.prod(sizes[i] for i in axes), *rest).astype(wide)
            total = functools.reduce(functions[kind], terms)
            stacked = np.expand_dims(np.asarray(total).astype(held), tuple(axes))
        local = math.prod(s for a, s in zip(self.leading, sizes, strict=True) if a in self.local)
        return stacked.reshape((*([local] if self.local else []), *arrays[0].shape))

    def describe(self) -> str:
        """The layout in words."""
        words = [
            f"dimension {dim} cut by {_listed(axes)}" for dim, axes in enumerate(self.dims) if axes
        ]
        if self.flat:
            words.append(f"flattening cut by {_listed(self.flat)}")
        words += [f"pending {kind} over {axis}" for axis, kind in self.partial.items()]
        if self.local:
            words.append(f"local along {_listed(self.local)}")
        words += [f"only at position {root} of {axis}" for axis, root in self.rooted.items()]
        return ", ".join(words) or "replicated"


def _names(axes: Iterable[Any]) -> Axes:
    return tuple(axis.value for axis in axes)


def _listed(axes: Sequence[str]) -> str:
    return ", ".join(axes)
