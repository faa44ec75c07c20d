# RUN: %python %s 2>&1 | FileCheck %s
"""Parts of a layout that its text cannot spell are refused, not trusted."""

from coconet_mlir import ir
from coconet_mlir.dialects import coconet


def refuse(**parts: str) -> None:
    """Build a layout that is replicated but for `parts`, which are attributes as text."""
    empty = {"dims": "[]", "flat": "[]", "partial": "{}", "local": "[]", "rooted": "{}"}
    attributes = [ir.Attribute.parse(text) for text in (empty | parts).values()]
    mesh = coconet.MeshAttr(ir.Attribute.parse("#coconet.mesh<dp = 2>"))
    try:
        print(coconet.LayoutAttr.get(mesh, *attributes))
    except (ValueError, ir.MLIRError) as error:
        print(parts, error)


with ir.Context(), ir.Location.unknown():
    # CHECK: a layout has one axis list per dimension, got 1 : i64
    refuse(dims="[1]")
    # CHECK: axis lists hold names, got 1 : i64
    refuse(flat="[1]")
    # CHECK: a value is pending as sum, max or min, got 1 : i64 along axis 'dp'
    refuse(partial="{dp = 1}")
    # CHECK: a root is a position of type i64, got "first"
    refuse(rooted='{dp = "first"}')
    # CHECK: a root is a position of type i64, got 0 : ui8
    refuse(rooted="{dp = 0 : ui8}")
