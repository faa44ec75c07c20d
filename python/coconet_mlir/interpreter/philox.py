"""Philox-4x32-10, the counter-based generator of dropout masks.

Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
"""

from __future__ import annotations

import math

import numpy as np

from coconet_mlir.interpreter.domain import Array

_MULTIPLIERS = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
_WEYL = (0x9E3779B9, 0xBB67AE85)
_MASK = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


def philox(counter: tuple[Array, Array, Array, Array], key: tuple[int, int]) -> Array:
    """The first output word for every counter, as uint64.

    Counter words are uint64 arrays below 2^32 that broadcast together.
    """
    c0, c1, c2, c3 = np.broadcast_arrays(*counter)
    k0, k1 = key
    for _ in range(10):
        first = c0 * _MULTIPLIERS[0]
        second = c2 * _MULTIPLIERS[1]
        c0, c1, c2, c3 = (
            (second >> _HALF) ^ c1 ^ np.uint64(k0),
            second & _MASK,
            (first >> _HALF) ^ c3 ^ np.uint64(k1),
            first & _MASK,
        )
        k0, k1 = (k0 + _WEYL[0]) & 0xFFFFFFFF, (k1 + _WEYL[1]) & 0xFFFFFFFF
    return c0


def dropout_mask(
    index: Array, *, rate: float, seed: int, step: int, stream: int, coordinate: int
) -> Array:
    """Which elements of a logical tensor `coconet.dropout` keeps.

    `index` holds global row-major element indices.
    """
    position = index.astype(np.uint64)
    last = (stream + (coordinate << 16)) & 0xFFFFFFFF
    words = philox(
        (
            position & _MASK,
            position >> _HALF,
            np.asarray(step & 0xFFFFFFFF, dtype=np.uint64),
            np.asarray(last, dtype=np.uint64),
        ),
        (seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF),
    )
    return words >= np.uint64(math.floor(rate * 2**32))


def dropout_scale(rate: float) -> float:
    """What kept elements are multiplied by."""
    return 1.0 / (1.0 - rate) if rate < 1.0 else 0.0
