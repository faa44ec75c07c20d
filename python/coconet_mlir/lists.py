"""Lists of tensors: a computation written once for all parameters of a model.

An argument is a list where its specification is one: `p=states([(64, 64), (64,)])` declares the
arguments "p.0" and "p.1", which the program gets as one list `p`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from coconet_mlir import ir
from coconet_mlir._attributes import i64
from coconet_mlir.errors import ProgramError, reported_as
from coconet_mlir.layout import Layout
from coconet_mlir.specs import Cut, Size, TensorSpec, partial, tensor
from coconet_mlir.tracing import Builder, Tensor, error_here, location_here

Shapes = Sequence[Size | Sequence[Size]]

# ===- Declarations ----------------------------------------------------------===


def tensors(shapes: Shapes, dtype: str = "f32", **layout: Any) -> list[TensorSpec]:
    """A list of tensor arguments of these shapes; `layout` is as for `tensor`."""
    return [tensor(shape, dtype, **layout) for shape in shapes]


def states(
    shapes: Shapes, dtype: str = "f32", *, cut: Mapping[Cut, str | Sequence[str]] | None = None
) -> list[TensorSpec]:
    """A list of states: tensors that keep their value between runs and may be updated."""
    return tensors(shapes, dtype, cut=cut, state=True)


def partials(shapes: Shapes, dtype: str = "f32", **axes: str) -> list[TensorSpec]:
    """A list of pending values, such as gradients: `partials(shapes, dp="sum")`."""
    each = [(shape,) if isinstance(shape, int | str) else shape for shape in shapes]
    return [partial(*shape, dtype=dtype, **axes) for shape in each]


# ===- The operation ---------------------------------------------------------===


def for_each(body: Callable[..., Any], *lists: Sequence[Tensor], name: str | None = None) -> Any:
    """The same computation for every tensor of lists: one kernel for a whole model.

    `body` is called once, with one flattening of open size for each list. What it takes from
    outside are single elements, such as a learning rate. Schedules find the operations in it by
    their names, as elsewhere.

    Args:
        body: returns a tensor, a tuple of tensors, or a dictionary of them: flattenings, or
            scalars such as a norm.
        lists: of one length. The tensors of a list have one element type and one layout; those at
            one place of all lists have the same number of elements.
        name: of the operation as a whole.

    Returns:
        A list for each tensor that `body` returns, in the same way. A flattening takes the shape
        that the first list has at its place.

    Raises:
        ProgramError: the lists do not fit each other, or an operation is not well typed.
    """
    builder = Builder.current()
    _check_lists(lists)
    count = len(lists[0])
    operands = [each.value for tensors_ in lists for each in tensors_]
    attributes: dict[str, ir.Attribute] = {"count": i64(count)}
    if name:
        attributes["coconet.name"] = ir.StringAttr.get(name)
    location = location_here(builder.context)

    def create(results: Sequence[ir.Type]) -> ir.Operation:
        return ir.Operation.create(
            "coconet.for_each",
            results=list(results),
            operands=operands,
            attributes=attributes,
            regions=1,
            loc=location,
            ip=ir.InsertionPoint(builder.block),
        )

    # What it yields is known when the body is traced, in a place that is given up then.
    draft = create([])
    try:
        types = [_flattening(tensors_[0]) for tensors_ in lists]
        block = draft.regions[0].blocks.append(*types, arg_locs=[location] * len(types))
        with builder.nested(block):
            returned = body(*(Tensor(argument) for argument in block.arguments))
        yielded = _yielded(returned)
        ir.Operation.create(
            "coconet.yield",
            operands=[value.value for value in yielded],
            loc=location,
            ip=ir.InsertionPoint(block),
        )
        made = create([_result(value, like) for value in yielded for like in lists[0]])
        block.append_to(made.regions[0])
    finally:
        draft.erase()
    with reported_as(ProgramError):
        try:
            made.verify()
        except ir.MLIRError:
            made.erase()
            raise
    results = [Tensor(result) for result in made.results]
    columns = [results[start : start + count] for start in range(0, len(results), count)]
    if isinstance(returned, Tensor):
        return columns[0]
    if isinstance(returned, Mapping):
        return dict(zip(returned, columns, strict=True))
    return tuple(columns)


def _check_lists(lists: Sequence[Sequence[Tensor]]) -> None:
    if not lists:
        raise error_here("for_each has no list", "give at least one list of tensors")
    for each in lists:
        if isinstance(each, Tensor) or not all(isinstance(item, Tensor) for item in each):
            raise error_here(
                f"{type(each).__name__} is no list of tensors",
                "give lists; what is the same for all is used in the body directly",
            )
        if not each or len(each) != len(lists[0]):
            raise error_here(
                f"for_each has lists of {len(lists[0])} and of {len(each)} tensors",
                "give lists of one length, of at least one tensor",
            )


def _yielded(returned: Any) -> list[Tensor]:
    if isinstance(returned, Mapping):
        values = list(returned.values())
    else:
        values = list(returned) if isinstance(returned, list | tuple) else [returned]
    for value in values:
        if not isinstance(value, Tensor):
            raise error_here(
                f"the body of for_each returns tensors, not {type(value).__name__}",
                "return a tensor, a tuple of them, or a dictionary that names them",
            )
    return values


def _type(shape: Sequence[int | None], like: Tensor, layout: Layout) -> ir.Type:
    open_size = ir.ShapedType.get_dynamic_size()
    sizes = [open_size if size is None else size for size in shape]
    return ir.RankedTensorType.get(sizes, like.type.element_type, layout.attribute())


def _flattening(first: Tensor) -> ir.Type:
    # The compiler refuses one that is cut along a dimension.
    return _type([None], first, replace(first.layout, dims=()))


def _result(value: Tensor, like: Tensor) -> ir.Type:
    if not value.shape:
        return value.type
    layout = value.layout
    # A cut of the only dimension of a flattening is a flat cut.
    flat = layout.flat or (layout.dims[0] if layout.dims else ())
    return _type(like.shape, value, replace(layout, dims=(), flat=flat))
