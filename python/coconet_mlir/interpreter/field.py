"""Floats as elements of a finite field, for equivalence by random evaluation.

An element is a pair of residues modulo two 31-bit primes, packed into one
uint64, so that ops which only move elements need not know. Arithmetic is that
of the field. Whatever is no polynomial is a keyed hash of its arguments, and
an order is a keyed random permutation, under which +-infinity are the ends.
exp, log, tanh, sqrt, sigmoid and erf are hashes that keep this order, because
reductions by maximum may be moved across them.

A finite float constant m 2^e is mapped to exactly that number of the field.
Hence identities that hold between rational numbers (x + x = 2 x, a division by
the count against a product with the count's inverse) hold here, and folding
that rounds does not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import reduce

import numpy as np

from coconet_mlir.interpreter.domain import Array, holds_exactly
from coconet_mlir.interpreter.residues import (
    MAX_DEPTH,
    MODULI,
    PRIMES,
    inverse_residues,
    is_element,
    matmul_residues,
    mix,
    pack,
    unmix,
    unpack,
)

_P, _Q = MODULI

_ALL_ONES = np.uint64(2**64 - 1)

# Functions that increase: `monotone` in the ODS, but for relu, which is a maximum.
_INCREASING = frozenset(("exp", "log", "tanh", "sqrt", "sigmoid", "erf"))
_PIECES = 256
_PIECE_SHIFT, _PIECE_MASK = np.uint64(56), np.uint64(2**56 - 1)
_HALF, _HALF_MASK = np.uint64(28), np.uint64(2**28 - 1)


def _key(*parts: object) -> np.uint64:
    digest = hashlib.sha256(repr(parts).encode()).digest()
    return np.uint64(int.from_bytes(digest[:8], "little"))


def _element_of(word: Array) -> Array:
    return pack((word >> np.uint64(2)) % _P, mix(word + np.uint64(1)) % _Q)


def _negated(x: Array) -> Array:
    a, b = unpack(x)
    return pack((_P - a) % _P, (_Q - b) % _Q)


INFINITY = _element_of(np.asarray(_key("infinity")))
MINUS_INFINITY = _negated(INFINITY)
NAN = _element_of(np.asarray(_key("nan")))


class Field:
    """The field under one key: every seed gives other hashes and another order.

    `rarity` is the share of elements, other than infinities, that `is_finite`
    declares not finite; it must be the same on both sides of a comparison.
    `zero` puts 0 somewhere in the order ("random"), or next to an infinity
    ("top", "bottom"), where padding by 0 is sure to win a maximum or a minimum.
    """

    def __init__(self, seed: int, *, rarity: float = 0.0, zero: str = "random") -> None:
        self.seed = seed
        self.zero_rank = {"random": None, "top": _ALL_ONES - np.uint64(1), "bottom": np.uint64(1)}[
            zero
        ]
        self.order_key = _key(seed, "order")
        # Widths of the choices that the order was asked to make.
        self.choices: dict[str, int] = {}
        self.rare_below = np.uint64(int(rarity * 2**64))
        self.outcomes: dict[object, set[bool]] = {}

    def add(self, a: Array, b: Array) -> Array:
        (a0, a1), (b0, b1) = unpack(a), unpack(b)
        return pack((a0 + b0) % _P, (a1 + b1) % _Q)

    def sub(self, a: Array, b: Array) -> Array:
        (a0, a1), (b0, b1) = unpack(a), unpack(b)
        return pack((a0 + _P - b0) % _P, (a1 + _Q - b1) % _Q)

    def mul(self, a: Array, b: Array) -> Array:
        (a0, a1), (b0, b1) = unpack(a), unpack(b)
        return pack(a0 * b0 % _P, a1 * b1 % _Q)

    def div(self, a: Array, b: Array) -> Array:
        """a times the inverse of b; the inverse of 0 is 0."""
        residues = [inverse_residues(r, p) for r, p in zip(unpack(b), PRIMES, strict=True)]
        return self.mul(a, pack(*residues))

    def neg(self, a: Array) -> Array:
        return _negated(a)

    def maximum(self, a: Array, b: Array) -> Array:
        return np.where(self.less(a, b), b, a)

    def minimum(self, a: Array, b: Array) -> Array:
        return np.where(self.less(a, b), a, b)

    def equal(self, a: Array, b: Array) -> Array:
        return a == b

    def less(self, a: Array, b: Array) -> Array:
        self._chose("comparison", 2)
        return self._rank(a) < self._rank(b)

    def _chose(self, kind: str, width: int) -> None:
        self.choices[kind] = max(self.choices.get(kind, 0), width)

    def _rank(self, a: Array) -> Array:
        rank = np.asarray(mix(a ^ self.order_key))
        if self.zero_rank is not None:
            rank = np.where(a == 0, self.zero_rank, rank)
        rank = np.where(a == INFINITY, _ALL_ONES, rank)
        return np.where(a == MINUS_INFINITY, np.uint64(0), rank)

    def sum(self, a: Array, axes: tuple[int, ...]) -> Array:
        low, high = unpack(a)
        return pack(
            np.sum(low, axis=axes, dtype=np.uint64) % _P,
            np.sum(high, axis=axes, dtype=np.uint64) % _Q,
        )

    def max(self, a: Array, axes: tuple[int, ...]) -> Array:
        return self._extreme(a, axes, np.argmax, MINUS_INFINITY)

    def min(self, a: Array, axes: tuple[int, ...]) -> Array:
        return self._extreme(a, axes, np.argmin, INFINITY)

    def _extreme(self, a: Array, axes: tuple[int, ...], pick, empty: Array) -> Array:
        kept = [i for i in range(a.ndim) if i not in axes]
        moved = np.transpose(a, [*kept, *axes])
        shape = moved.shape[: len(kept)]
        flat = moved.reshape(*shape, int(np.prod(moved.shape[len(kept) :])))
        if flat.shape[-1] == 0:
            return np.full(shape, empty)
        self._chose("maximum" if pick is np.argmax else "minimum", flat.shape[-1])
        where = pick(self._rank(flat), axis=-1)
        return np.take_along_axis(flat, np.expand_dims(where, -1), -1)[..., 0]

    def matmul(self, a: Array, b: Array) -> Array:
        """Exact product by limbs of 16 bits, in float64 (Karatsuba: 3 per prime)."""
        depth = a.shape[-1]
        if depth > MAX_DEPTH:
            half = depth // 2
            return self.add(
                self.matmul(a[..., :half], b[..., :half, :]),
                self.matmul(a[..., half:], b[..., half:, :]),
            )
        pairs = zip(unpack(a), unpack(b), MODULI, strict=True)
        return pack(*(matmul_residues(x, y, p) for x, y, p in pairs))

    def from_integers(self, values: Array) -> Array:
        signed = np.asarray(values).astype(np.int64)
        return pack(*((signed % np.int64(p)).astype(np.uint64) for p in PRIMES))

    def constant(self, values: Array) -> Array:
        """The numbers m 2^e themselves; infinities and NaN are symbols."""
        values = np.asarray(values, dtype=np.float64)
        finite = np.isfinite(values)
        mantissa, exponent = np.frexp(np.where(finite, values, 0.0))
        whole = np.ldexp(mantissa, 53).astype(np.int64)
        residues = []
        for p in PRIMES:
            powers = {e: pow(2, e - 53, p) for e in np.unique(exponent).tolist()}
            lookup = np.vectorize(powers.__getitem__, otypes=[np.uint64])
            scale = lookup(exponent) if values.size else np.zeros(values.shape, np.uint64)
            residues.append((whole % np.int64(p)).astype(np.uint64) * scale % np.uint64(p))
        result = np.where(finite, pack(*residues), NAN)
        result = np.where(values == np.inf, INFINITY, result)
        return np.where(values == -np.inf, MINUS_INFINITY, result)

    def random(self, generator: np.random.Generator, shape: tuple[int, ...]) -> Array:
        return pack(*(generator.integers(0, p, shape, dtype=np.uint64) for p in PRIMES))

    def function(self, name: str, *operands: Array) -> Array:
        if name in _INCREASING:
            return self._increasing(name, operands[0])
        word = np.asarray(_key(self.seed, name))
        for operand in operands:
            word = mix(word ^ operand)
        return _element_of(mix(word))

    def _increasing(self, name: str, a: Array) -> Array:
        """A hash that keeps the order: ranks go through a random increasing function."""
        generator = np.random.default_rng(int(_key(self.seed, name)))
        knots = generator.integers(_ALL_ONES, size=_PIECES - 1, dtype=np.uint64)
        knots = np.concatenate([[np.uint64(0)], np.sort(knots), [_ALL_ONES - np.uint64(2**12)]])
        rank = self._rank(a)
        piece = rank >> _PIECE_SHIFT
        rise = knots[piece + np.uint64(1)] - knots[piece]
        within = rank & _PIECE_MASK
        # floor(rise * within / 2^56), by halves of 28 bits, in steps that never fall.
        high, low = within >> _HALF, within & _HALF_MASK
        target = (rise >> _HALF) * high + ((rise >> _HALF) * low >> _HALF)
        target += (rise & _HALF_MASK) * high >> _HALF
        return self._element_at(knots[piece] + target)

    def _element_at(self, rank: Array) -> Array:
        """The first element at or above a rank; about a quarter of all words are elements."""
        flat = np.atleast_1d(rank).reshape(-1).copy()
        found = unmix(flat) ^ self.order_key
        pending = np.flatnonzero(~is_element(found))
        while pending.size:
            flat[pending] += np.uint64(1)
            found[pending] = unmix(flat[pending]) ^ self.order_key
            pending = pending[~is_element(found[pending])]
        return found.reshape(rank.shape)

    def is_finite(self, a: Array) -> Array:
        symbol = (a == INFINITY) | (a == MINUS_INFINITY) | (a == NAN)
        return ~symbol & (mix(a ^ _key(self.seed, "finite")) >= self.rare_below)

    def to_integers(self, a: Array, dtype: type) -> Array:
        return mix(a ^ _key(self.seed, "integer")).astype(dtype)

    def cast(self, a: Array, source: str, target: str) -> Array:
        if holds_exactly(source, target):
            return a
        return self.function(f"cast to {target}", a)

    def round(self, a: Array, element: str) -> Array:
        return a

    def combine(self, kind: str, arrays: Sequence[Array], element: str) -> Array:
        """Reduction over ranks."""
        step = {
            "sum": self.add,
            "avg": self.add,
            "prod": self.mul,
            "max": self.maximum,
            "min": self.minimum,
        }[kind]
        total = reduce(step, arrays)
        if kind == "avg":
            total = self.div(total, self.from_integers(np.asarray(len(arrays))))
        return total

    def observe(self, source: object, outcome: Array) -> None:
        """Note which ways a condition went, so that one-sided runs are repeated."""
        seen = self.outcomes.setdefault(source, set())
        if len(seen) < 2 and outcome.size:
            seen.update((bool(outcome.any()), bool(outcome.all())))
