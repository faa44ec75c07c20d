"""Attributes of operations from Python values, in the current context."""

from __future__ import annotations

from collections.abc import Sequence

from coconet_mlir import ir
from coconet_mlir.tracing import error_here


def i64(value: int) -> ir.IntegerAttr:
    """A 64-bit integer."""
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)


def i64s(values: Sequence[int]) -> ir.DenseI64ArrayAttr:
    """An array of 64-bit integers."""
    return ir.DenseI64ArrayAttr.get(list(values))


def strings(values: Sequence[str]) -> ir.ArrayAttr:
    """An array of strings."""
    return ir.ArrayAttr.get([ir.StringAttr.get(value) for value in values])


def enum(kind: str, value: str, known: Sequence[str]) -> ir.Attribute:
    """A case of an enumeration of the dialect.

    Raises:
        ProgramError: it has no such case.
    """
    if value not in known:
        raise error_here(
            f"unknown {kind.replace('_', ' ')} '{value}'", f"known are {', '.join(known)}"
        )
    return ir.Attribute.parse(f"#coconet<{kind} {value}>")


def flag(value: bool) -> ir.Attribute | None:
    """A unit attribute, or nothing."""
    return ir.UnitAttr.get() if value else None
