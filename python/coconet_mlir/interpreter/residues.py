"""Pairs of residues modulo two 31-bit primes, packed into 64-bit words."""

from __future__ import annotations

import numpy as np

from coconet_mlir.interpreter.domain import Array

PRIMES = (2**31 - 1, 2**31 - 19)
MODULI = tuple(np.uint64(p) for p in PRIMES)
_MASK = np.uint64(2**31 - 1)
_SHIFT = np.uint64(31)
_LIMB = np.uint64(16)
_LIMB_MASK = np.uint64(2**16 - 1)

MAX_DEPTH = 2**19
"""Largest depth of `matmul_residues`: 2^33.2 * depth must fit the 53 bits of a float64."""


def unpack(x: Array) -> tuple[Array, Array]:
    """The residues modulo both primes."""
    return x & _MASK, x >> _SHIFT


def pack(a: Array, b: Array) -> Array:
    """The element with these residues."""
    return np.asarray(a | (b << _SHIFT))


_FACTORS = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
_MULTIPLIERS = tuple(np.uint64(f) for f in _FACTORS)
_INVERSES = tuple(np.uint64(pow(f, -1, 2**64)) for f in _FACTORS)


def mix(x: Array) -> Array:
    """A bijection of 64-bit words in which every bit depends on every bit."""
    with np.errstate(over="ignore"):
        x = (x ^ (x >> np.uint64(30))) * _MULTIPLIERS[0]
        x = (x ^ (x >> np.uint64(27))) * _MULTIPLIERS[1]
        return x ^ (x >> np.uint64(31))


def unmix(x: Array) -> Array:
    """The inverse of `mix`."""
    with np.errstate(over="ignore"):
        x = (x ^ (x >> np.uint64(31)) ^ (x >> np.uint64(62))) * _INVERSES[1]
        x = (x ^ (x >> np.uint64(27)) ^ (x >> np.uint64(54))) * _INVERSES[0]
        return x ^ (x >> np.uint64(30)) ^ (x >> np.uint64(60))


def is_element(words: Array) -> Array:
    low, high = unpack(words)
    return (low < MODULI[0]) & (high < MODULI[1])


def matmul_residues(a: Array, b: Array, p: np.uint64) -> Array:
    a_low, a_high = (a & _LIMB_MASK).astype(np.float64), (a >> _LIMB).astype(np.float64)
    b_low, b_high = (b & _LIMB_MASK).astype(np.float64), (b >> _LIMB).astype(np.float64)
    low = np.matmul(a_low, b_low)
    high = np.matmul(a_high, b_high)
    middle = np.matmul(a_low + a_high, b_low + b_high) - low - high
    total = low.astype(np.uint64) % p
    total += (middle.astype(np.uint64) % p << _LIMB) % p
    total += (high.astype(np.uint64) % p << np.uint64(32)) % p
    return total % p


def inverse_residues(x: Array, prime: int) -> Array:
    """Inverses modulo a prime by a tree of products: three products per element."""
    p = np.uint64(prime)
    flat = np.where(x == 0, np.uint64(1), x).reshape(-1)
    levels = []
    while flat.size > 32:
        if flat.size % 2:
            flat = np.append(flat, np.uint64(1))
        levels.append(flat)
        flat = flat[0::2] * flat[1::2] % p
    inverse = np.array([pow(v, -1, prime) for v in flat.tolist()], dtype=np.uint64)
    for level in reversed(levels):
        wider = np.empty_like(level)
        inverse = inverse[: level.size // 2]
        wider[0::2] = inverse * level[1::2] % p
        wider[1::2] = inverse * level[0::2] % p
        inverse = wider
    inverse = inverse[: x.size].reshape(x.shape)
    return np.where(x == 0, np.uint64(0), inverse)
