"""Floats as float64, rounded to the program's types where asked."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np

from coconet_mlir.interpreter.domain import Array

_erf = np.frompyfunc(math.erf, 1, 1)

FUNCTIONS: dict[str, Callable[..., Array]] = {
    "exp": np.exp,
    "log": np.log,
    "tanh": np.tanh,
    "sqrt": np.sqrt,
    "pow": np.power,
    "sigmoid": lambda a: 1.0 / (1.0 + np.exp(-a)),
    "erf": lambda a: np.asarray(_erf(a)).astype(np.float64),
}


def round_to(values: Array, element: str) -> Array:
    """The nearest values of a float element type, as float64."""
    if element == "f64":
        return values
    return values.astype(_storage(element)).astype(np.float64)


def _storage(element: str) -> np.dtype:
    if element == "bf16":
        import ml_dtypes

        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype({"f16": np.float16, "f32": np.float32, "f64": np.float64}[element])


def accumulator(element: str) -> str:
    """The type in which a reduction over ranks is carried out."""
    return "f64" if element == "f64" else "f32"


class Float64:
    """The numeric reference. With `rounding`, every op rounds to its type once."""

    def __init__(self, *, rounding: bool = True) -> None:
        self.rounding = rounding

    def add(self, a: Array, b: Array) -> Array:
        return a + b

    def sub(self, a: Array, b: Array) -> Array:
        return a - b

    def mul(self, a: Array, b: Array) -> Array:
        return a * b

    def div(self, a: Array, b: Array) -> Array:
        return np.divide(a, b)

    def neg(self, a: Array) -> Array:
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
        return np.sum(a, axis=axes)

    def max(self, a: Array, axes: tuple[int, ...]) -> Array:
        return np.max(a, axis=axes, initial=-np.inf)

    def min(self, a: Array, axes: tuple[int, ...]) -> Array:
        return np.min(a, axis=axes, initial=np.inf)

    def matmul(self, a: Array, b: Array) -> Array:
        return np.matmul(a, b)

    def from_integers(self, values: Array) -> Array:
        return np.asarray(values).astype(np.float64)

    def constant(self, values: Array) -> Array:
        return np.asarray(values, dtype=np.float64)

    def random(self, generator: np.random.Generator, shape: tuple[int, ...]) -> Array:
        # Positive and near 1, so that roots and quotients of a sample are ordinary.
        return generator.uniform(0.5, 1.5, shape)

    def function(self, name: str, *operands: Array) -> Array:
        return FUNCTIONS[name](*operands)

    def is_finite(self, a: Array) -> Array:
        return np.isfinite(a)

    def to_integers(self, a: Array, dtype: type) -> Array:
        """Round towards zero and saturate; NaN becomes 0."""
        limits = np.iinfo(dtype)
        whole = np.trunc(np.nan_to_num(a, nan=0.0))
        inside = np.clip(whole, float(limits.min), float(limits.max))
        result = np.asarray(inside.astype(np.int64)).astype(dtype)
        # The largest i64 is no float64, so the clipped value may be one too large.
        return np.where(whole >= float(limits.max), dtype(limits.max), result)

    def cast(self, a: Array, source: str, target: str) -> Array:
        return self.round(a, target)

    def round(self, a: Array, element: str) -> Array:
        return round_to(a, element) if self.rounding else a

    def combine(self, kind: str, arrays: Sequence[Array], element: str) -> Array:
        """Reduction over ranks: wide accumulation in rank order, rounded once."""
        wide = accumulator(element)
        if kind in ("max", "min"):
            return reduce(np.maximum if kind == "max" else np.minimum, arrays)
        step = self.mul if kind == "prod" else self.add
        total = reduce(lambda a, b: self.round(step(a, b), wide), arrays)
        if kind == "avg":
            total = total / len(arrays)
        return self.round(total, element)

    def observe(self, source: object, outcome: Array) -> None:
        """Nothing to note: one run is the reference."""
