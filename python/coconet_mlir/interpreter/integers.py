"""Machine semantics of integers, `i1` and `index`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from coconet_mlir.interpreter.domain import Array, InterpretationError


class Integers:
    """Two's complement integers that wrap around; `i1` as numpy bools."""

    def __init__(self, dtype: type) -> None:
        self.dtype = dtype

    def add(self, a: Array, b: Array) -> Array:
        with np.errstate(over="ignore"):
            return a + b

    def sub(self, a: Array, b: Array) -> Array:
        with np.errstate(over="ignore"):
            return a - b

    def mul(self, a: Array, b: Array) -> Array:
        with np.errstate(over="ignore"):
            return a * b

    def div(self, a: Array, b: Array) -> Array:
        """Quotient rounded towards zero; 0 where the divisor is 0."""
        with np.errstate(over="ignore", divide="ignore"):
            safe = np.where(b == 0, np.ones_like(b), b)
            floor = a // safe
            up = (a - floor * safe != 0) & ((a < 0) != (safe < 0))
            return np.where(b == 0, np.zeros_like(floor), floor + up.astype(self.dtype))

    def neg(self, a: Array) -> Array:
        with np.errstate(over="ignore"):
            return np.negative(a)

    def maximum(self, a: Array, b: Array) -> Array:
        return np.maximum(a, b)

    def minimum(self, a: Array, b: Array) -> Array:
        return np.minimum(a, b)

    def equal(self, a: Array, b: Array) -> Array:
        return a == b

    def less(self, a: Array, b: Array) -> Array:
        return a < b

    def sum(self, a: Array, axes: tuple[int, ...]) -> Array:
        return np.sum(a, axis=axes, dtype=self.dtype)

    def max(self, a: Array, axes: tuple[int, ...]) -> Array:
        return np.max(a, axis=axes, initial=np.iinfo(self.dtype).min)

    def min(self, a: Array, axes: tuple[int, ...]) -> Array:
        return np.min(a, axis=axes, initial=np.iinfo(self.dtype).max)

    def matmul(self, a: Array, b: Array) -> Array:
        with np.errstate(over="ignore"):
            return np.matmul(a, b)

    def from_integers(self, values: Array) -> Array:
        return np.asarray(values).astype(self.dtype)

    def combine(self, kind: str, arrays: Sequence[Array], element: str) -> Array:
        """Reduction over ranks."""
        if kind == "avg":
            raise InterpretationError(f"avg of {element} is not defined")
        step = {
            "sum": self.add,
            "prod": self.mul,
            "max": self.maximum,
            "min": self.minimum,
        }[kind]
        return reduce(step, arrays)
