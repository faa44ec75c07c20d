"""The finite field: laws of arithmetic, constants, order, hashes."""

from __future__ import annotations

import numpy as np
import pytest
from coconet_mlir.interpreter import functions
from coconet_mlir.interpreter.degrees import coincidence
from coconet_mlir.interpreter.domain import Domain
from coconet_mlir.interpreter.field import INFINITY, MINUS_INFINITY, Field
from coconet_mlir.interpreter.float64 import Float64
from coconet_mlir.interpreter.residues import PRIMES, unpack
from hypothesis import given
from hypothesis import strategies as st

FLOATS = st.floats(-1e6, 1e6, allow_nan=False).map(float)


def constant(field: Field, *values: float) -> np.ndarray:
    return field.constant(np.array(values))


def draw(field: Field, *shape: int, seed: int = 0) -> np.ndarray:
    return field.random(np.random.default_rng(seed), shape)


def test_field_laws():
    field = Field(0)
    a, b, c = (draw(field, 100, seed=s) for s in range(3))
    one, zero = constant(field, 1.0), constant(field, 0.0)
    np.testing.assert_array_equal(
        field.mul(a, field.add(b, c)), field.add(field.mul(a, b), field.mul(a, c))
    )
    np.testing.assert_array_equal(field.mul(field.div(a, b), b), a)
    np.testing.assert_array_equal(field.add(field.sub(a, b), b), a)
    np.testing.assert_array_equal(field.add(a, field.neg(a)), np.broadcast_to(zero, a.shape))
    np.testing.assert_array_equal(field.mul(a, one), a)
    np.testing.assert_array_equal(field.div(a, zero), np.broadcast_to(zero, a.shape))


@pytest.mark.parametrize("size", [0, 1, 2, 3, 33, 1000])
def test_inverses_by_a_tree(size):
    field = Field(0)
    values = draw(field, size)
    values[size // 2 : size // 2 + 1] = 0
    inverse = field.div(constant(field, 1.0), values)
    for residues, inverted, prime in zip(unpack(values), unpack(inverse), PRIMES, strict=True):
        expected = [pow(int(v), -1, prime) if v else 0 for v in residues]
        assert inverted.tolist() == expected


@given(FLOATS, FLOATS)
def test_constants_are_exact_numbers(x, y):
    field = Field(0)
    a, b = constant(field, x), constant(field, y)
    if x + y - x == y and x + y - y == x:
        # The sum did not round.
        assert field.add(a, b) == constant(field, x + y)
    if x * 0.5 * 2 == x:
        # The half did not round either.
        assert field.mul(a, constant(field, 0.5)) == constant(field, x * 0.5)
    assert (a == b) == (x == y)


def test_constants_of_integers_and_halves():
    field = Field(0)
    assert constant(field, 3.0) == field.from_integers(np.array(3))
    assert constant(field, -3.0) == field.from_integers(np.array(-3))
    assert field.div(constant(field, 1.0), constant(field, 4.0)) == constant(field, 0.25)
    assert constant(field, np.inf) == INFINITY
    assert constant(field, -np.inf) == field.neg(INFINITY)


@pytest.mark.parametrize("zero", ["random", "top", "bottom"])
def test_order_is_total_and_ends_at_infinities(zero):
    field = Field(0, zero=zero)
    a, b = draw(field, 200), draw(field, 200, seed=1)
    np.testing.assert_array_equal(field.less(a, b), ~field.less(b, a))
    top = field.maximum(a, b)
    np.testing.assert_array_equal(top, field.maximum(b, a))
    assert not (top != a)[top != b].any()
    assert field.less(a, INFINITY).all() and field.less(MINUS_INFINITY, a).all()
    none = constant(field, 0.0)
    assert field.less(MINUS_INFINITY, none) and field.less(none, INFINITY)
    if zero != "random":
        assert field.less(a, none).all() == (zero == "top")


def test_order_depends_on_the_key():
    values = draw(Field(0), 100)
    orders = [Field(seed).less(values[:-1], values[1:]) for seed in (0, 1)]
    assert 20 < (orders[0] != orders[1]).sum() < 80


@pytest.mark.parametrize("axes", [(0,), (1,), (0, 2), (0, 1, 2)])
def test_reductions(axes):
    field = Field(0)
    values = draw(field, 3, 4, 5)
    for method, step in ((field.sum, field.add), (field.max, field.maximum)):
        expected = values
        for axis in sorted(axes, reverse=True):
            parts = [np.take(expected, i, axis) for i in range(expected.shape[axis])]
            expected = parts[0]
            for part in parts[1:]:
                expected = step(expected, part)
        np.testing.assert_array_equal(method(values, axes), expected)


def test_reductions_of_nothing():
    field = Field(0)
    nothing = np.zeros((0, 2), np.uint64)
    assert (field.sum(nothing, (0,)) == 0).all()
    assert (field.max(nothing, (0,)) == MINUS_INFINITY).all()
    assert (field.min(nothing, (0,)) == INFINITY).all()


@pytest.mark.parametrize("batch", [(), (2,)])
def test_matmul_by_limbs(batch):
    field = Field(0)
    a, b = draw(field, *batch, 7, 300), draw(field, *batch, 300, 5, seed=1)
    products = field.mul(a[..., :, :, None], b[..., None, :, :])
    expected = field.sum(products, (len(batch) + 1,))
    np.testing.assert_array_equal(field.matmul(a, b), expected)


def test_matmul_of_the_largest_residues():
    field = Field(0)
    largest = np.full((2, 4096), field.neg(constant(field, 1.0))[0])
    expected = np.broadcast_to(constant(field, 4096.0), (2, 2))
    np.testing.assert_array_equal(field.matmul(largest, largest.T), expected)


def test_functions_are_keyed_and_spread():
    field = Field(0)
    values = draw(field, 1000)
    image = field.function("exp", values)
    assert len(np.unique(image)) == 1000
    assert (image != field.function("tanh", values)).all()
    assert (image != Field(1).function("exp", values)).all()
    np.testing.assert_array_equal(image, field.function("exp", values))
    pair = field.function("pow", values, values[::-1].copy())
    assert (pair != field.function("pow", values[::-1].copy(), values)).all()
    for residues, prime in zip(unpack(image), PRIMES, strict=True):
        assert (residues < prime).all()


@pytest.mark.parametrize("name", ["exp", "log", "tanh", "sqrt", "sigmoid", "erf"])
@pytest.mark.parametrize("zero", ["random", "top", "bottom"])
def test_increasing_functions_keep_the_order(name, zero):
    field = Field(3, zero=zero)
    values = np.append(draw(field, 2000), [0, INFINITY, MINUS_INFINITY]).astype(np.uint64)
    image = field.function(name, values)
    order = np.argsort(field._rank(values))
    assert field.less(image[order][:-1], image[order][1:]).all()
    for residues, prime in zip(unpack(image), PRIMES, strict=True):
        assert (residues < prime).all()


def test_rare_values_are_not_finite():
    field = Field(0, rarity=0.25)
    share = 1 - field.is_finite(draw(field, 4000)).mean()
    assert 0.2 < share < 0.3
    assert not field.is_finite(np.array([INFINITY, MINUS_INFINITY])).any()
    assert Field(0).is_finite(draw(field, 4000)).all()


@pytest.mark.parametrize("exponent", [0, 1, 2, 5, 16])
@pytest.mark.parametrize("domain", [Field(0), Float64(rounding=False)])
def test_integer_powers_are_products(domain: Domain, exponent):
    x = domain.random(np.random.default_rng(0), (4,))
    expected = np.broadcast_to(domain.constant(np.array(1.0)), x.shape)
    for _ in range(exponent):
        expected = domain.mul(expected, x)
    power = functions.power(domain, x, domain.constant(np.array(float(exponent))))
    np.testing.assert_allclose(power, expected)


def test_chance_of_a_coincidence():
    assert coincidence(1, 1) < 2.0**-61
    assert coincidence(2**20, 2**10) < 2.0**-21
    assert coincidence(1, 2**40) == 1.0


def test_powers_of_a_slice_are_slices_of_the_powers():
    field = Field(0)
    x = field.random(np.random.default_rng(0), (4,))
    y = np.where([True, False, True, False], field.constant(np.array(2.0)), x)
    whole = functions.power(field, x, y)
    for start in range(4):
        here = slice(start, start + 1)
        np.testing.assert_array_equal(whole[here], functions.power(field, x[here], y[here]))
    np.testing.assert_array_equal(whole[::2], field.mul(x, x)[::2])
    assert functions.power(field, x[:0], y[:0]).shape == (0,)
