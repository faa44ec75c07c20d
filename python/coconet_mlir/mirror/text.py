"""Parsing and printing of generic form, with what xDSL's own parser lacks."""

from __future__ import annotations

import re
import struct
from io import StringIO
from typing import cast

from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    Builtin,
    DenseIntOrFPElementsAttr,
    Float16Type,
    IntegerType,
    ModuleOp,
    i1,
)
from xdsl.dialects.func import Func
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.printer import Printer

from coconet_mlir.mirror.generated import DIALECT

_LOCATION_ALIAS = re.compile(r"^#loc\d* = loc\(.*\n", re.MULTILINE)
# Longer constants are printed as a string of bytes, by MLIR and by xDSL.
_LARGEST_LIST = 100


def parse(text: str, *, name: str = "<program>") -> ModuleOp:
    """The module of a program in generic form.

    Ops of other dialects than coconet, func, arith and builtin are kept as
    unregistered ops, whose properties the interpreter reads. Raises
    `ParseError`; `verify()` of the module checks ops against the ODS.
    """
    context = Context(allow_unregistered=True)
    for dialect in (Builtin, Func, Arith, DIALECT):
        context.load_dialect(dialect)
    return _Parser(context, _locations_first(text), name).parse_module()


def _locations_first(text: str) -> str:
    """The program with aliases of locations, which MLIR prints last, before their uses."""
    if "loc(#" not in text:
        return text
    aliases = _LOCATION_ALIAS.findall(text)
    return "".join(aliases) + _LOCATION_ALIAS.sub("", text)


def to_text(module: ModuleOp) -> str:
    """Generic form, readable by `coconet-opt`."""
    stream = StringIO()
    _Printer(stream, print_generic_format=True).print_op(module)
    return stream.getvalue() + "\n"


class _Parser(Parser):
    """Adds hexadecimal floats inside `dense` and bit-packed i1 blobs."""

    def _parse_tensor_literal_element(self):
        token = self._current_token
        if token.text[:2] not in ("0x", "0X"):
            return super()._parse_tensor_literal_element()
        element = super()._parse_tensor_literal_element()
        return _HexElement(False, element.value, element.span)

    def parse_dense_int_or_fp_elements_attr(self, type):
        start = self._current_token.span.start
        attribute = self._parse_packed_bits(type)
        if attribute is not None:
            return attribute
        self._resume_from(start)
        return super().parse_dense_int_or_fp_elements_attr(type)

    def _parse_packed_bits(self, type) -> DenseIntOrFPElementsAttr | None:
        # The stored form of i1 is one bit per element; xDSL reads bytes.
        self.parse_punctuation("<")
        blob = self.parse_optional_str_literal()
        if blob is None or not blob.startswith("0x"):
            return None
        self.parse_punctuation(">")
        if type is None:
            self.parse_punctuation(":")
            type = self._parse_dense_literal_type()
        element = type.element_type
        if not (isinstance(element, IntegerType) and element.width.data == 1):
            return None
        count = 1
        for size in type.get_shape():
            count *= size
        raw = bytes.fromhex(blob[2:])
        bits = [raw[i // 8] >> (i % 8) & 1 for i in range(count)]
        return DenseIntOrFPElementsAttr.from_list(type, bits)


class _HexElement(Parser._TensorLiteralElement):
    """`0x7F800000` in a dense literal of floats: the bits of the value."""

    def to_type(self, parser, type):
        if not isinstance(type, AnyFloat):
            return super().to_type(parser, type)
        raw = cast(int, self.value).to_bytes(type.compile_time_size, "little")
        return next(iter(type.iter_unpack(raw)))


class _Printer(Printer):
    """Prints large i1 constants as bits, and f16 and bf16 by their bits where needed."""

    def print_attribute(self, attribute: Attribute) -> None:
        packed = isinstance(attribute, DenseIntOrFPElementsAttr) and (
            attribute.get_element_type() == i1
            and len(attribute) > _LARGEST_LIST
            and not attribute.is_splat()
        )
        if not packed:
            super().print_attribute(attribute)
            return
        raw = bytearray(-(-len(attribute) // 8))
        for index, bit in enumerate(attribute.get_values()):
            raw[index // 8] |= bool(bit) << index % 8
        self.print_string(f'dense<"0x{raw.hex().upper()}"> : ')
        self.print_attribute(attribute.get_type())

    def print_float(self, value: float, type: AnyFloat) -> None:
        short = f"{value:.6e}"
        narrow = isinstance(type, Float16Type | BFloat16Type)
        if narrow and type.unpack(type.pack([float(short)]), 1)[0] != value:
            (bits,) = struct.unpack("<H", type.pack([value]))
            self.print_string(f"0x{bits:04X}")
        else:
            super().print_float(value, type)
