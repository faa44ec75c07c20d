"""Composite functions in terms of a domain's primitives: one table for all programs.

A compiler may lower `silu` to a product with a sigmoid, or a norm to a
reduction; it is equal to the op itself only if both are spelled the same here.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from coconet_mlir.interpreter.domain import Array, Domain

_LARGEST_POWER = 16


def _one(domain: Domain) -> Array:
    return domain.constant(np.asarray(1.0))


def sqrt(domain: Domain, x: Array) -> Array:
    return domain.function("sqrt", x)


def rsqrt(domain: Domain, x: Array) -> Array:
    return domain.div(_one(domain), sqrt(domain, x))


def sigmoid(domain: Domain, x: Array) -> Array:
    # Not spelled with exp: it increases, and a maximum may be moved across it.
    return domain.function("sigmoid", x)


def silu(domain: Domain, x: Array) -> Array:
    return domain.mul(x, sigmoid(domain, x))


def gelu(domain: Domain, x: Array) -> Array:
    scaled = domain.mul(x, domain.constant(np.asarray(math.sqrt(0.5))))
    tail = domain.add(_one(domain), domain.function("erf", scaled))
    return domain.mul(domain.mul(x, tail), domain.constant(np.asarray(0.5)))


def power(domain: Domain, x: Array, y: Array) -> Array:
    """x to the power y. Where y is a small whole number it is a product: element by element, so
    that a slice has what the whole has."""
    x, y = np.broadcast_arrays(x, y)
    known = [y == domain.constant(np.asarray(float(e))) for e in range(_LARGEST_POWER + 1)]
    result = x if np.any(known, axis=0).all() else domain.function("pow", x, y)
    for exponent, here in enumerate(known):
        if here.any():
            result = np.where(here, _integer_power(domain, x, exponent), result)
    return result


def _integer_power(domain: Domain, x: Array, exponent: int) -> Array:
    result = np.broadcast_to(_one(domain), x.shape)
    for _ in range(exponent):
        result = domain.mul(result, x)
    return result


UNARY: dict[str, Callable[[Domain, Array], Array]] = {
    "sqrt": sqrt,
    "rsqrt": rsqrt,
    "exp": lambda domain, x: domain.function("exp", x),
    "log": lambda domain, x: domain.function("log", x),
    "tanh": lambda domain, x: domain.function("tanh", x),
    "sigmoid": sigmoid,
    "gelu": gelu,
    "silu": silu,
}
