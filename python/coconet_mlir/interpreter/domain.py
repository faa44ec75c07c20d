"""What the interpreter computes with: one interface over several kinds of numbers.

A domain gives meaning to float element types. Integers, `i1` and `index` keep
machine semantics in every domain (`integers.py`). Arrays are numpy arrays in
all cases, so that ops which only move elements are written once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

Array = np.ndarray

FLOAT_ELEMENTS = ("f16", "bf16", "f32", "f64")
INTEGER_DTYPES: dict[str, type] = {
    "i1": np.bool_,
    "i8": np.int8,
    "i32": np.int32,
    "i64": np.int64,
    "index": np.int64,
}

# Number of values that a float type can hold exactly grows along these chains.
_WIDER: dict[str, tuple[str, ...]] = {
    "f16": ("f16", "f32", "f64"),
    "bf16": ("bf16", "f32", "f64"),
    "f32": ("f32", "f64"),
    "f64": ("f64",),
}


class InterpretationError(Exception):
    """A program does something that no rank could do."""


def is_float(element: str) -> bool:
    """Whether an element type is one that a domain gives meaning to."""
    return element in FLOAT_ELEMENTS


def holds_exactly(source: str, target: str) -> bool:
    """Whether every value of float type `source` is one of float type `target`."""
    return target in _WIDER[source]


class Arithmetic(Protocol):
    """Operations on arrays of one kind of number; shapes broadcast as in numpy."""

    def add(self, a: Array, b: Array) -> Array: ...
    def sub(self, a: Array, b: Array) -> Array: ...
    def mul(self, a: Array, b: Array) -> Array: ...
    def div(self, a: Array, b: Array) -> Array: ...
    def neg(self, a: Array) -> Array: ...
    def maximum(self, a: Array, b: Array) -> Array: ...
    def minimum(self, a: Array, b: Array) -> Array: ...
    def equal(self, a: Array, b: Array) -> Array: ...
    def less(self, a: Array, b: Array) -> Array: ...
    def sum(self, a: Array, axes: tuple[int, ...]) -> Array: ...
    def max(self, a: Array, axes: tuple[int, ...]) -> Array: ...
    def min(self, a: Array, axes: tuple[int, ...]) -> Array: ...
    def matmul(self, a: Array, b: Array) -> Array: ...
    def from_integers(self, values: Array) -> Array: ...


class Domain(Arithmetic, Protocol):
    """Arithmetic of float element types, and what only they have."""

    def constant(self, values: Array) -> Array:
        """Elements that stand for float64 values."""
        ...

    def random(self, generator: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Elements for an input."""
        ...

    def function(self, name: str, *operands: Array) -> Array:
        """exp, log, tanh, sigmoid, erf, sqrt or pow."""
        ...

    def is_finite(self, a: Array) -> Array: ...

    def to_integers(self, a: Array, dtype: type) -> Array: ...

    def cast(self, a: Array, source: str, target: str) -> Array:
        """From one float type to another."""
        ...

    def round(self, a: Array, element: str) -> Array:
        """What is left of the result of an op in its element type."""
        ...

    def combine(self, kind: str, arrays: Sequence[Array], element: str) -> Array:
        """Reduction over ranks: sum, prod, max, min or avg, in rank order."""
        ...

    def observe(self, source: object, outcome: Array) -> None:
        """Note which ways a condition went."""
        ...
