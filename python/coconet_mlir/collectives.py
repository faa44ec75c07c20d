"""The collectives of the dialect as functions over the tensors of a traced program.

A group is given by axes of the mesh, or by explicit lists of ranks; the position in it decides
chunk, order and root. `dim` is a dimension, or "flat" for the row-major flattening.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from coconet_mlir import ir
from coconet_mlir._attributes import enum, i64, i64s, strings
from coconet_mlir.errors import ProgramError, reported_as
from coconet_mlir.layout import Layout, Mesh
from coconet_mlir.tracing import Builder, Tensor, emit, error_here, location_here

if TYPE_CHECKING:
    from coconet_mlir.specs import Cut

Axes = str | Sequence[str]
Groups = Sequence[Sequence[int]]


def _reduction(value: str) -> ir.Attribute:
    return enum("reduction", value, ("sum", "prod", "max", "min", "avg"))


def _cut_dim(dim: Cut) -> ir.Attribute | None:
    return None if dim == "flat" else i64(int(dim))


def _group(axes: Axes | None, groups: Groups | None, default: Sequence[str]) -> dict:
    if groups is not None:
        return {"groups": ir.ArrayAttr.get([i64s(members) for members in groups])}
    names = [axes] if isinstance(axes, str) else list(axes) if axes is not None else list(default)
    return {"axes": strings(names)}


def _pending(x: Tensor, axes: Axes | None, reduction: str | None) -> tuple[list[str], str]:
    """Axes and reduction that a collective takes from a pending operand."""
    layout = x.layout
    if reduction is not None:
        _reduction(reduction)
    chosen = reduction or next(iter(layout.partial.values()), None)
    if chosen is None:
        raise error_here(
            f"no reduction is given, and the operand is {layout.describe()}",
            'give reduction="sum", or make the argument partial',
        )
    if axes is not None:
        return [axes] if isinstance(axes, str) else list(axes), chosen
    found = [axis for axis, kind in layout.partial.items() if kind == chosen]
    if not found:
        raise error_here(
            f"no axes are given, and the operand is {layout.describe()}",
            'name the axes to reduce over: axes="dp"',
        )
    return found, chosen


def all_reduce(
    x: Tensor,
    *,
    axes: Axes | None = None,
    groups: Groups | None = None,
    reduction: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Reduce over a group, result on every member. By default over all axes where it is pending."""
    if groups is None:
        axes, reduction = _pending(x, axes, reduction)
    attributes = {"reduction": _reduction(reduction or "sum"), **_group(axes, groups, ())}
    return emit("all_reduce", [x], attributes, hint=x.type, name=name)


def reduce_scatter(
    x: Tensor,
    dim: Cut = 0,
    *,
    axes: Axes | None = None,
    groups: Groups | None = None,
    reduction: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Reduce over a group, each member keeps its chunk of `dim` (or of the "flat" order)."""
    if groups is None:
        axes, reduction = _pending(x, axes, reduction)
    attributes = {
        "reduction": _reduction(reduction or "sum"),
        "dim": _cut_dim(dim),
        **_group(axes, groups, ()),
    }
    return emit("reduce_scatter", [x], attributes, hint=x.type, name=name)


def _cutting(x: Tensor, dim: Cut) -> Sequence[str]:
    layout = x.layout
    if dim == "flat":
        return layout.flat
    return layout.dims[int(dim)] if int(dim) < len(layout.dims) else ()


def all_gather(
    x: Tensor,
    dim: Cut = 0,
    *,
    axes: Axes | None = None,
    groups: Groups | None = None,
    name: str | None = None,
) -> Tensor:
    """Concatenate the chunks of `dim` (or of the "flat" order). By default all axes of the cut."""
    attributes = {"dim": _cut_dim(dim), **_group(axes, groups, _cutting(x, dim))}
    return emit("all_gather", [x], attributes, hint=x.type, name=name)


def all_to_all(
    x: Tensor,
    from_dim: int,
    into_dim: int,
    *,
    axes: Axes | None = None,
    groups: Groups | None = None,
    name: str | None = None,
) -> Tensor:
    """Move a cut from one dimension to another. By default all axes of the cut."""
    attributes = {
        "from_dim": i64(from_dim),
        "into_dim": i64(into_dim),
        **_group(axes, groups, _cutting(x, from_dim)),
    }
    return emit("all_to_all", [x], attributes, hint=x.type, name=name)


def broadcast(
    x: Tensor,
    root: int = 0,
    *,
    axes: Axes | None = None,
    groups: Groups | None = None,
    name: str | None = None,
) -> Tensor:
    """The value of the member at position `root` on every member."""
    layout = x.layout
    attributes = {
        "root": i64(root),
        **_group(axes, groups, layout.local or tuple(layout.rooted)),
    }
    return emit("broadcast", [x], attributes, hint=x.type, name=name)


def reduce_to_root(
    x: Tensor,
    root: int = 0,
    *,
    axes: Axes | None = None,
    groups: Groups | None = None,
    reduction: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Reduce over a group, result on the member at position `root`; the others get zeros."""
    if groups is None:
        axes, reduction = _pending(x, axes, reduction)
    attributes = {
        "reduction": _reduction(reduction or "sum"),
        "root": i64(root),
        **_group(axes, groups, ()),
    }
    return emit("reduce_to_root", [x], attributes, hint=x.type, name=name)


def gather_to_root(
    x: Tensor,
    dim: Cut = 0,
    root: int = 0,
    *,
    axes: Axes | None = None,
    groups: Groups | None = None,
    name: str | None = None,
) -> Tensor:
    """Concatenate the chunks of `dim` (or of the "flat" order) on the member at position `root`."""
    attributes = {
        "dim": _cut_dim(dim),
        "root": i64(root),
        **_group(axes, groups, _cutting(x, dim)),
    }
    return emit("gather_to_root", [x], attributes, hint=x.type, name=name)


def scatter_from_root(
    x: Tensor,
    dim: Cut = 0,
    root: int = 0,
    *,
    axes: Axes | None = None,
    groups: Groups | None = None,
    name: str | None = None,
) -> Tensor:
    """Every member gets its chunk of what the member at position `root` holds."""
    attributes = {
        "dim": _cut_dim(dim),
        "root": i64(root),
        **_group(axes, groups, tuple(x.layout.rooted)),
    }
    return emit("scatter_from_root", [x], attributes, hint=x.type, name=name)


def permute(
    x: Tensor,
    pairs: Sequence[tuple[int, int]],
    *,
    axes: Axes | None = None,
    groups: Groups | None = None,
    name: str | None = None,
) -> Tensor:
    """Pass values on from member to member: `pairs` are positions (source, target).

    Members that are no target get zeros. The result is local along the axes; a cut value is taken
    chunk by chunk, which needs an exact division.
    """
    layout = x.layout
    cut = next((dim_axes for dim_axes in layout.dims if dim_axes), ())
    attributes = {
        "pairs": ir.ArrayAttr.get([i64s(pair) for pair in pairs]),
        **_group(axes, groups, layout.local or cut),
    }
    return emit("permute", [x], attributes, hint=x.type, name=name)


def barrier(
    *, axes: Axes | None = None, groups: Groups | None = None, name: str | None = None
) -> None:
    """No member of a group goes on before all have come here; by default all ranks."""
    builder = Builder.current()
    if builder.mesh is None:
        raise error_here("the program has no mesh to meet on", 'write @program(mesh=mesh(dp="?"))')
    attributes = {
        "mesh": builder.mesh.attribute(),
        **_group(axes, groups, builder.mesh.axes),
    }
    label = builder.names[-1] if name is None and builder.names else name
    if label:
        attributes["coconet.name"] = ir.StringAttr.get(label)
    with reported_as(ProgramError):
        created = ir.Operation.create(
            "coconet.barrier",
            attributes=attributes,
            loc=location_here(builder.context),
            ip=ir.InsertionPoint(builder.block),
        )
        try:
            created.verify()
        except ir.MLIRError:
            created.erase()
            raise


def shard(x: Tensor, axes: Axes, dim: Cut = 0, *, name: str | None = None) -> Tensor:
    """Keep one's chunk of a replicated value, without communication."""
    mesh: Mesh | None = x.layout.mesh or Builder.current().mesh
    if mesh is None:
        raise error_here(
            "the program has no mesh to cut along", 'write @program(mesh=mesh(dp="?"))'
        )
    # Any layout that names the mesh does; the compiler infers the result's.
    encoding = Layout(mesh, local=mesh.axes).attribute()
    hint = ir.RankedTensorType.get(x.type.shape, x.type.element_type, encoding)
    attributes = {"dim": _cut_dim(dim), **_group(axes, None, ())}
    return emit("shard", [x], attributes, hint=hint, name=name)
