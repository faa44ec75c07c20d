"""Reading tensor types, layouts and attributes of the mirror."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import (
    ArrayAttr,
    BFloat16Type,
    BytesAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    TensorType,
)
from xdsl.ir import Attribute, Operation

from coconet_mlir.interpreter.domain import (
    INTEGER_DTYPES,
    Array,
    Domain,
    InterpretationError,
    is_float,
)
from coconet_mlir.interpreter.layouts import REPLICATED, Layout, Mesh
from coconet_mlir.mirror.attributes import DYNAMIC, LayoutAttr, MeshAttr

_FLOATS: dict[type, str] = {
    Float16Type: "f16",
    BFloat16Type: "bf16",
    Float32Type: "f32",
    Float64Type: "f64",
}


@dataclass(frozen=True)
class TensorInfo:
    """A tensor type: shape with -1 for `?`, element type, layout."""

    shape: tuple[int, ...]
    element: str
    layout: Layout


def element_name(type_: Attribute) -> str:
    """`f32`, `i1`, `index`, ..."""
    for known, name in _FLOATS.items():
        if isinstance(type_, known):
            return name
    if isinstance(type_, IndexType):
        return "index"
    if isinstance(type_, IntegerType) and f"i{type_.width.data}" in INTEGER_DTYPES:
        return f"i{type_.width.data}"
    raise InterpretationError(f"element type {type_} has no meaning here")


def tensor_info(type_: Attribute) -> TensorInfo:
    """Shape, element and layout of a tensor; a scalar counts as rank 0."""
    if not isinstance(type_, TensorType):
        return TensorInfo((), element_name(type_), REPLICATED)
    encoding = type_.encoding
    layout = layout_of(encoding) if isinstance(encoding, LayoutAttr) else REPLICATED
    shape = tuple(max(size, -1) for size in type_.get_shape())
    return TensorInfo(shape, element_name(type_.element_type), layout)


def layout_of(attribute: LayoutAttr) -> Layout:
    """The layout that an attribute stands for."""
    return Layout(
        dims=tuple(_names(axes) for axes in attribute.dims),
        flat=_names(attribute.flat),
        partial={a: v.data for a, v in attribute.partial.data.items()},
        local=_names(attribute.local),
        rooted={a: v.data for a, v in attribute.rooted.data.items()},
    )


def _names(axes: ArrayAttr[StringAttr]) -> tuple[str, ...]:
    return tuple(text_of(axis) for axis in axes)


def bind_mesh(
    attribute: MeshAttr | None, mesh: Mapping[str, int] | None, ranks: int | None
) -> Mesh:
    """The mesh with all sizes bound by `mesh`, by `ranks`, or by the program."""
    if attribute is None:
        return Mesh(tuple(mesh or ()), tuple((mesh or {}).values()))
    axes = _names(attribute.axes)
    sizes = [size.data for size in attribute.sizes]
    for axis in mesh or {}:
        if axis not in axes:
            raise InterpretationError(f"axis '{axis}' is none of the mesh's: {', '.join(axes)}")
        sizes[axes.index(axis)] = mesh[axis]
    if ranks is not None and mesh is None:
        if len(axes) == 1:
            sizes = [ranks]
        elif DYNAMIC in sizes or int(np.prod(sizes)) != ranks:
            raise InterpretationError(
                f"{ranks} ranks do not say the sizes of axes {', '.join(axes)}; "
                "give a size for each"
            )
    for axis, size in zip(axes, sizes, strict=True):
        if size == DYNAMIC:
            raise InterpretationError(f"mesh axis '{axis}' has no size; give one")
    return Mesh(axes, tuple(sizes))


def attribute_of(op: Operation, name: str) -> Attribute | None:
    """A property or discardable attribute of an op."""
    found = op.properties.get(name)
    return op.attributes.get(name) if found is None else found


def required(op: Operation, name: str) -> Attribute:
    """An attribute that the op cannot do without."""
    found = attribute_of(op, name)
    if found is None:
        raise InterpretationError(f"{op_name(op)} lacks attribute '{name}'")
    return found


def integer(op: Operation, name: str, default: int | None = None) -> int:
    """Value of an integer attribute."""
    found = attribute_of(op, name) if default is not None else required(op, name)
    return default if found is None else found.value.data  # type: ignore[union-attr]


def number(op: Operation, name: str) -> float:
    """Value of a float attribute."""
    found = required(op, name)
    assert isinstance(found, FloatAttr)
    return found.value.data


def integers(op: Operation, name: str) -> tuple[int, ...]:
    """Values of a dense integer array."""
    found = required(op, name)
    assert isinstance(found, DenseArrayBase)
    return tuple(int(v) for v in found.get_values())


def strings(op: Operation, name: str) -> tuple[str, ...]:
    """Values of an array of strings."""
    return tuple(text_of(item) for item in required(op, name))  # type: ignore[attr-defined]


def keyword(op: Operation, name: str) -> str:
    """Case of an enumeration."""
    return str(required(op, name).data)  # type: ignore[attr-defined]


def groups_of(op: Operation) -> list[list[int]] | None:
    """Explicit groups of ranks, or nothing."""
    found = attribute_of(op, "groups")
    if found is None:
        return None
    return [_group_members(group) for group in found]  # type: ignore[attr-defined]


def pairs_of(op: Operation) -> list[list[int]]:
    """Source and target positions of a permutation."""
    return [_group_members(pair) for pair in required(op, "pairs")]  # type: ignore[attr-defined]


def _group_members(group: Attribute) -> list[int]:
    if isinstance(group, DenseArrayBase):
        return [int(v) for v in group.get_values()]
    return [member.value.data for member in group]  # type: ignore[attr-defined]


def op_name(op: Operation) -> str:
    """Name of an op, registered or not."""
    registered = getattr(op, "op_name", None)
    return registered.data if registered is not None else op.name


def given_name(op: Operation) -> str | None:
    """The `coconet.name` of an op."""
    found = op.attributes.get("coconet.name")
    return None if found is None else text_of(found)


def text_of(attribute: Attribute) -> str:
    """The text of a string, which xdsl reads as bytes where it has escapes."""
    if isinstance(attribute, BytesAttr):
        return attribute.data.decode()
    if isinstance(attribute, StringAttr):
        return attribute.data
    raise InterpretationError(f"{attribute} is no string")


def dense_values(attribute: Attribute, domain: Domain) -> Array:
    """The elements of a constant."""
    if isinstance(attribute, IntegerAttr):
        element = element_name(attribute.type)
        return np.asarray(attribute.value.data).astype(INTEGER_DTYPES[element])
    if isinstance(attribute, FloatAttr):
        return domain.constant(np.asarray(attribute.value.data))
    if not isinstance(attribute, DenseIntOrFPElementsAttr):
        raise InterpretationError(f"constant {attribute} cannot be read")
    shape = attribute.get_shape()
    element = element_name(attribute.get_element_type())
    raw = attribute.data.data
    if element == "i1":
        return (np.frombuffer(raw, np.uint8) != 0).reshape(shape)
    if not is_float(element):
        dtype = np.dtype(INTEGER_DTYPES[element]).newbyteorder("<")
        return np.frombuffer(raw, dtype).reshape(shape).astype(INTEGER_DTYPES[element])
    if element == "bf16":
        widened = np.frombuffer(raw, "<u2").astype(np.uint32) << 16
        values = widened.view(np.float32)
    else:
        values = np.frombuffer(raw, {"f16": "<f2", "f32": "<f4", "f64": "<f8"}[element])
    return domain.constant(values.reshape(shape))


def layout_attributes(op: Operation) -> Iterator[LayoutAttr]:
    """Layouts that the types of an op mention."""
    values = [*op.operands, *op.results]
    for region in op.regions:
        for block in region.blocks:
            values.extend(block.args)
    for value in values:
        if isinstance(value.type, TensorType) and isinstance(value.type.encoding, LayoutAttr):
            yield value.type.encoding


def dictionaries(op: Operation, name: str, count: int) -> list[dict[str, Attribute]]:
    """Attributes of a function's arguments or results, one dictionary each."""
    found = attribute_of(op, name)
    if found is None:
        return [{} for _ in range(count)]
    return [dict(d.data) if isinstance(d, DictionaryAttr) else {} for d in found]  # type: ignore[attr-defined]
