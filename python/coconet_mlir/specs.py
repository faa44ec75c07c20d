"""Declarations of a program's arguments: shape, element type, layout, state.

Sizes are numbers, or names of sizes that stay open until the program runs; one name is one size.
"?" is an open size without name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from coconet_mlir.dtypes import check_name, to_mlir
from coconet_mlir.errors import InputError
from coconet_mlir.layout import Axes, Layout, Mesh

if TYPE_CHECKING:
    from coconet_mlir import ir

Size = int | str
Cut = int | str
"""A dimension, or "flat" for the row-major flattening."""


def mesh(**sizes: int | str | None) -> Mesh:
    """A mesh of named axes, major to minor: `mesh(dp="?", tp=4)`. "?" is bound by `compile`."""
    bound: dict[str, int | None] = {}
    for axis, size in sizes.items():
        if size is not None and size != "?" and (not isinstance(size, int) or size < 1):
            raise InputError(f"axis '{axis}' has size {size!r}; give a positive number, or \"?\"")
        bound[axis] = size if isinstance(size, int) else None
    if not bound:
        raise InputError('a mesh has at least one axis; write mesh(dp=2), or mesh(dp="?")')
    return Mesh(bound)


@dataclass(frozen=True)
class TensorSpec:
    """What an argument is; made by `tensor`, `state`, `partial`, `sliced`, `local`, `rooted`."""

    shape: tuple[Size, ...]
    dtype: str = "f32"
    cuts: Mapping[Cut, Axes] | None = None
    partial: Mapping[str, str] | None = None
    local: Axes = ()
    rooted: Mapping[str, int] | None = None
    state: bool = False

    def __post_init__(self) -> None:
        check_name(self.dtype)
        for size in self.shape:
            if not isinstance(size, int | str) or (isinstance(size, int) and size < 0):
                raise InputError(f"{size!r} is no size; give a number or a name")
        for cut in self.cuts or {}:
            if cut != "flat" and cut not in range(len(self.shape)):
                raise InputError(
                    f"dimension {cut!r} is none of a tensor of rank {len(self.shape)}; "
                    'give a dimension, or "flat"'
                )

    def layout(self, mesh: Mesh | None) -> Layout:
        """The layout on this mesh."""
        cuts = self.cuts or {}
        if mesh is None and (cuts or self.partial or self.local or self.rooted):
            raise InputError(
                "an argument has a layout, but the program has no mesh; "
                'write @program(mesh=mesh(dp="?"))'
            )
        dims = tuple(cuts.get(dim, ()) for dim in range(len(self.shape)))
        return Layout(
            mesh,
            dims if any(dims) else (),
            cuts.get("flat", ()),
            self.partial or {},
            self.local,
            self.rooted or {},
        )

    def type(self, mesh: Mesh | None) -> ir.Type:
        """The tensor type on this mesh, in the current context."""
        from coconet_mlir import ir

        open_size = ir.ShapedType.get_dynamic_size()
        sizes = [size if isinstance(size, int) else open_size for size in self.shape]
        encoding = self.layout(mesh).attribute()
        return ir.RankedTensorType.get(sizes, to_mlir(self.dtype), encoding)

    def attributes(self, name: str) -> dict[str, Any]:
        """Attributes of the function argument called `name`."""
        from coconet_mlir import ir

        result: dict[str, Any] = {"coconet.arg_name": ir.StringAttr.get(name)}
        dims = [size if isinstance(size, str) and size != "?" else "" for size in self.shape]
        if any(dims):
            result["coconet.dims"] = ir.ArrayAttr.get([ir.StringAttr.get(dim) for dim in dims])
        if self.state:
            result["coconet.state"] = ir.UnitAttr.get()
        return result


def _axes(axes: str | Sequence[str]) -> Axes:
    return (axes,) if isinstance(axes, str) else tuple(axes)


def _cuts(cut: Mapping[Cut, str | Sequence[str]] | None) -> Mapping[Cut, Axes]:
    return {where: _axes(axes) for where, axes in (cut or {}).items()}


def tensor(
    shape: Size | Sequence[Size] = (),
    dtype: str = "f32",
    *,
    cut: Mapping[Cut, str | Sequence[str]] | None = None,
    partial: Mapping[str, str] | None = None,
    local: str | Sequence[str] = (),
    rooted: Mapping[str, int] | None = None,
    state: bool = False,
) -> TensorSpec:
    """A tensor argument; replicated unless a layout is given.

    Args:
        shape: its sizes; a scalar by default.
        cut: by dimension (or "flat") the axes that cut it, major to minor: `{0: ("tp", "dp")}`.
        partial: by axis the reduction ("sum", "max", "min") that is still to be made.
        local: axes along which ranks hold unrelated values; `shape` is then one rank's.
        rooted: by axis the only position that holds the value.
        state: whether `update` may overwrite it; it then keeps its value between runs.
    """
    sizes = (shape,) if isinstance(shape, int | str) else tuple(shape)
    return TensorSpec(
        sizes, dtype, _cuts(cut), dict(partial or {}), _axes(local), dict(rooted or {}), state
    )


def state(
    *shape: Size, dtype: str = "f32", cut: Mapping[Cut, str | Sequence[str]] | None = None
) -> TensorSpec:
    """A tensor that keeps its value between runs and that `update` may overwrite."""
    return tensor(shape, dtype, cut=cut, state=True)


def partial(*shape: Size, dtype: str = "f32", **axes: str) -> TensorSpec:
    """A pending value, such as a gradient: `partial("n", dp="sum")`."""
    return tensor(shape, dtype, partial=axes)


def sliced(*shape: Size, dtype: str = "f32", **axes: Cut) -> TensorSpec:
    """A tensor cut by axes: `sliced("b", 64, dp=0)`. Of two axes that cut one dimension, the
    first is the major one."""
    cuts: dict[Cut, Axes] = {}
    for axis, where in axes.items():
        cuts[where] = (*cuts.get(where, ()), axis)
    return tensor(shape, dtype, cut=cuts)


def local(*shape: Size, axes: str | Sequence[str], dtype: str = "f32") -> TensorSpec:
    """A tensor of which every rank along the axes holds another, of this shape."""
    return tensor(shape, dtype, local=axes)


def rooted(*shape: Size, dtype: str = "f32", **axes: int) -> TensorSpec:
    """A tensor that only one position of each axis holds: `rooted("n", dp=0)`."""
    return tensor(shape, dtype, rooted=axes)
