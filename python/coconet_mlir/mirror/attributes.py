"""The mesh and layout attributes and the type of futures, with their syntax, for xDSL.

They are written by hand because their assembly format is custom C++ in the
compiler; everything else of the mirror is generated from the ODS.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntAttr,
    StringAttr,
)
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

DYNAMIC = -1
"""Size of a mesh axis that is written `?`."""


@irdl_attr_definition
class MeshAttr(ParametrizedAttribute):
    """`#coconet.mesh<dp = 2, tp = ?>`: named axes of ranks, row-major."""

    name = "coconet.mesh"

    axes: ArrayAttr[StringAttr]
    sizes: ArrayAttr[IntAttr]

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        entries = parser.parse_comma_separated_list(
            parser.Delimiter.ANGLE, lambda: _parse_axis_size(parser)
        )
        return (
            ArrayAttr(StringAttr(name) for name, _ in entries),
            ArrayAttr(IntAttr(size) for _, size in entries),
        )

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_list(
                list(zip(self.axes.data, self.sizes.data, strict=True)),
                lambda entry: printer.print_string(
                    f"{entry[0].data} = {'?' if entry[1].data == DYNAMIC else entry[1].data}"
                ),
            )


@irdl_attr_definition
class LayoutAttr(ParametrizedAttribute):
    """`#coconet.layout<MESH, [{dp}, {}], flat = ..., partial = ..., ...>`.

    `partial` maps an axis to the name of a reduction, `rooted` to a position.
    """

    name = "coconet.layout"

    mesh: MeshAttr
    dims: ArrayAttr[ArrayAttr[StringAttr]]
    flat: ArrayAttr[StringAttr]
    partial: DictionaryAttr
    local: ArrayAttr[StringAttr]
    rooted: DictionaryAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            mesh = parser.parse_attribute()
            dims: list[list[str]] = []
            parts: dict[str, list[tuple[str, Attribute | None]]] = {}
            while parser.parse_optional_punctuation(",") is not None:
                lists = parser.parse_optional_comma_separated_list(
                    parser.Delimiter.SQUARE, lambda: _parse_axis_list(parser)
                )
                if lists is not None:
                    dims = lists
                    continue
                part = parser.parse_identifier()
                parser.parse_punctuation("=")
                parts[part] = parser.parse_comma_separated_list(
                    parser.Delimiter.BRACES, lambda: _parse_part_entry(parser)
                )
        unknown = parts.keys() - {"flat", "partial", "local", "rooted"}
        if unknown:
            parser.raise_error(f"unknown part of a layout: {sorted(unknown)}")
        return (
            mesh,
            ArrayAttr(_axis_array(axes) for axes in dims),
            _axis_array(axis for axis, _ in parts.get("flat", [])),
            _axis_values(parts.get("partial", [])),
            _axis_array(axis for axis, _ in parts.get("local", [])),
            _axis_values(parts.get("rooted", [])),
        )

    def print_parameters(self, printer: Printer) -> None:
        def braces(axes: ArrayAttr[StringAttr]) -> str:
            return "{" + ", ".join(axis.data for axis in axes) + "}"

        def pairs(values: DictionaryAttr) -> str:
            return "{" + ", ".join(f"{a} : {_entry_text(v)}" for a, v in values.data.items()) + "}"

        with printer.in_angle_brackets():
            printer.print_attribute(self.mesh)
            if self.dims.data:
                lists = ", ".join(braces(axes) for axes in self.dims)
                printer.print_string(f", [{lists}]")
            if self.flat.data:
                printer.print_string(f", flat = {braces(self.flat)}")
            if self.partial.data:
                printer.print_string(f", partial = {pairs(self.partial)}")
            if self.local.data:
                printer.print_string(f", local = {braces(self.local)}")
            if self.rooted.data:
                printer.print_string(f", rooted = {pairs(self.rooted)}")


@irdl_attr_definition
class FutureType(ParametrizedAttribute, TypeAttribute):
    """`!coconet.future<tensor<4xf32>, ...>`: what started communication will deliver.

    A send delivers nothing: `!coconet.future`.
    """

    name = "coconet.future"

    types: ArrayAttr[Attribute]

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        types = parser.parse_optional_comma_separated_list(
            parser.Delimiter.ANGLE, parser.parse_type
        )
        return (ArrayAttr(types or ()),)

    def print_parameters(self, printer: Printer) -> None:
        if self.types.data:
            with printer.in_angle_brackets():
                printer.print_list(self.types.data, printer.print_attribute)


def _axis_array(axes) -> ArrayAttr[StringAttr]:
    return ArrayAttr(StringAttr(axis) for axis in axes)


def _axis_values(entries: list[tuple[str, Attribute | None]]) -> DictionaryAttr:
    return DictionaryAttr({a: v for a, v in entries if v is not None})


def _entry_text(value: Attribute) -> str:
    if isinstance(value, StringAttr):
        return value.data
    assert isinstance(value, IntAttr)
    return str(value.data)


def _parse_axis(parser: AttrParser) -> str:
    """The name of an axis, quoted where it is no identifier of MLIR."""
    quoted = parser.parse_optional_bytes_literal()
    return parser.parse_identifier() if quoted is None else quoted.decode()


def _parse_axis_size(parser: AttrParser) -> tuple[str, int]:
    name = _parse_axis(parser)
    parser.parse_punctuation("=")
    if parser.parse_optional_punctuation("?") is not None:
        return name, DYNAMIC
    return name, parser.parse_integer(allow_boolean=False, allow_negative=False)


def _parse_axis_list(parser: AttrParser) -> list[str]:
    return parser.parse_comma_separated_list(parser.Delimiter.BRACES, lambda: _parse_axis(parser))


def _parse_part_entry(parser: AttrParser) -> tuple[str, Attribute | None]:
    axis = _parse_axis(parser)
    if parser.parse_optional_punctuation(":") is None:
        return axis, None
    position = parser.parse_optional_integer(allow_boolean=False)
    if position is not None:
        return axis, IntAttr(position)
    return axis, StringAttr(parser.parse_identifier())
