"""How far compiled results may be from the float64 reference, by element type.

The reference rounds every op once; compiled code may keep a wider type between
fused ops, contract to fused multiply-add, and sum in another order. A sum of n
terms of one sign adds at most n roundings of the accumulator. The table stands in
docs/tolerances.md too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coconet_mlir.interpreter.domain import Array, is_float
from coconet_mlir.interpreter.float64 import accumulator


@dataclass(frozen=True)
class Tolerance:
    """Relative and absolute; `absolute` is in units of values near 1."""

    relative: float
    absolute: float


# Unit roundoffs: f64 2^-53, f32 2^-24, f16 2^-11, bf16 2^-8. A chain of a few ops may
# be off by several units of the last place.
TOLERANCES: dict[str, Tolerance] = {
    "f64": Tolerance(1e-13, 1e-14),
    "f32": Tolerance(1e-5, 1e-6),
    "f16": Tolerance(4e-3, 1e-3),
    "bf16": Tolerance(3e-2, 8e-3),
}

# Of the types that sums accumulate in.
ROUNDOFF = {"f64": 2.0**-53, "f32": 2.0**-24}


def assert_close(
    actual: Array,
    expected: Array,
    element: str,
    *,
    terms: int = 1,
    rounded: str | None = None,
    scale: float = 1,
) -> None:
    """Raise `AssertionError` unless `actual` is as near to the reference as its type allows.

    Args:
        terms: the largest number of values that were summed into one.
        rounded: the float type that values have been rounded to on the way, if not `element`.
        scale: the magnitude of the values that came together, near 1 by default.
    """
    if not is_float(element):
        np.testing.assert_array_equal(actual, expected)
        return
    known = TOLERANCES[rounded or element]
    growth = terms * ROUNDOFF[accumulator(element)]
    np.testing.assert_allclose(
        np.asarray(actual).astype(np.float64),
        np.asarray(expected).astype(np.float64),
        rtol=known.relative + growth,
        atol=(known.absolute + growth) * scale,
    )
