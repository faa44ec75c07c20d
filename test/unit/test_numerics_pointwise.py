"""Compiled pointwise operations against the reference, in every type and layout."""

from __future__ import annotations

import coconet_mlir as cc
import numpy as np
import pytest
from coconet_mlir.dtypes import NAMES, is_float, to_numpy
from compiled_support import FEW_SIZES, FLOATS, INTEGERS, SIZES, Pair, case, normal, traced

DP = cc.mesh(dp="?")
UNARY = "neg abs sqrt rsqrt exp log tanh sigmoid relu gelu silu is_finite".split()
BINARY = "add sub mul div pow max min".split()
PREDICATES = "eq ne lt le gt ge".split()


def special(dtype: str) -> np.ndarray:
    """Zeros, infinities, NaN, subnormal, large and ordinary numbers."""
    tiny = {"f16": 1e-7, "bf16": 1e-39, "f32": 1e-40, "f64": 1e-310}[dtype]
    numbers = [0.0, -0.0, np.inf, -np.inf, np.nan, tiny, 0.5, 1, -1, 2, -2.5, 3, 7.5, -6, 10, -10]
    return np.array(numbers).astype(to_numpy(dtype))


def all_pairs(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    a, b = np.meshgrid(values, values)
    return a.reshape(-1), b.reshape(-1)


def unary(x):
    return {name: getattr(cc, name)(x) for name in UNARY}


def binary(a, b):
    found = {name: getattr(cc, name)(a, b) for name in BINARY}
    return found | {name: cc.compare(name, a, b) for name in PREDICATES}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("ranks", [1, 3])
def test_float_functions(dtype, ranks):
    pair = Pair(traced(unary, DP, x=cc.sliced("n", dtype=dtype, dp=0)), ranks=ranks)
    pair.check(x=special(dtype))
    for size in SIZES:
        pair.check(size)


@pytest.mark.parametrize("dtype", FLOATS)
def test_float_arithmetic(dtype):
    spec = cc.tensor("n", dtype)
    pair = Pair(traced(binary, a=spec, b=spec))
    a, b = all_pairs(special(dtype))
    pair.check(a=a, b=b)
    for size in SIZES:
        pair.check(size)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_arithmetic(dtype):
    def body(a, b):
        found = {name: getattr(cc, name)(a, b) for name in BINARY if name != "pow"}
        found |= {name: getattr(cc, name)(a) for name in ("neg", "abs", "relu")}
        return found | {name: cc.compare(name, a, b) for name in PREDICATES}

    spec = cc.sliced("n", dtype=dtype, dp=0)
    pair = Pair(traced(body, DP, a=spec, b=spec), ranks=2)
    limits = np.iinfo(to_numpy(dtype))
    values = [0, 1, -1, 2, -2, 3, 7, -7, limits.min, limits.max, limits.min + 1, limits.max - 1]
    a, b = all_pairs(np.array(values, to_numpy(dtype)))
    pair.check(a=a, b=b)
    for size in FEW_SIZES:
        pair.check(size)


def test_booleans_are_compared_and_chosen():
    def body(a, b, c):
        return {
            "eq": cc.compare("eq", a, b),
            "ne": cc.compare("ne", a, b),
            "lt": cc.compare("lt", a, b),
            "ge": cc.compare("ge", a, b),
            "chosen": cc.select(c, a, b),
        }

    spec = cc.sliced("n", dtype="i1", dp=0)
    pair = Pair(traced(body, DP, a=spec, b=spec, c=spec), ranks=2)
    for size in FEW_SIZES:
        pair.check(size)


@pytest.mark.parametrize("dtype", NAMES)
def test_select_in_every_type(dtype):
    spec = cc.sliced("n", dtype=dtype, dp=0)
    program = traced(
        lambda c, a, b: {"y": cc.select(c, a, b)},
        DP,
        c=cc.sliced("n", dtype="i1", dp=0),
        a=spec,
        b=spec,
    )
    pair = Pair(program, ranks=2)
    for size in (0, 1, 33):
        pair.check(size)


def extremes(dtype: str) -> np.ndarray:
    """Values at the limits of this type and of all narrower ones."""
    if dtype == "i1":
        return np.array([False, True])
    if not is_float(dtype):
        limits = np.iinfo(to_numpy(dtype))
        numbers = [0, 1, -1, 127, 128, -128, -129, 255, 256, 2049, 4097, 65504, 65520, 2**24 + 1]
        numbers += [
            2**31 - 1,
            2**31,
            -(2**31),
            2**53 + 1,
            2**62 + 2**38 + 1,
            limits.min,
            limits.max,
        ]
        inside = [n for n in numbers if limits.min <= n <= limits.max]
        return np.array(inside, to_numpy(dtype))
    numbers = [
        0.0,
        -0.0,
        0.25,
        0.5,
        -0.5,
        1.5,
        2.5,
        -2.5,
        0.999,
        -0.999,
        126.9,
        127.0,
        127.5,
        128.0,
    ]
    numbers += [-128.0, -128.9, -129.0, 1e3, 65504.0, 65519.0, 65520.0, 1e5, 2.0**31 - 1, 2.0**31]
    numbers += [-(2.0**31), -(2.0**31) - 1, 2.0**62, 2.0**63, -(2.0**63), 1e30, -1e30, 3e38, 1e-8]
    numbers += [1 + 2.0**-8, 1 + 3 * 2.0**-9, 1 + 2.0**-11, 1 + 3 * 2.0**-12, 1e-40, 6e-8, 3e-8]
    numbers += [np.inf, -np.inf, np.nan]
    with np.errstate(over="ignore"):
        return np.array(numbers).astype(to_numpy(dtype))


@pytest.mark.parametrize("dtype", NAMES)
def test_casts_to_every_type(dtype):
    program = traced(
        lambda x: {target: cc.cast(x, target) for target in NAMES},
        DP,
        x=cc.sliced("n", dtype=dtype, dp=0),
    )
    pair = Pair(program, ranks=2)
    values = extremes(dtype)
    actual = pair.check(x=values)
    if is_float(dtype):
        # Casts round once: they are exact, not near.
        expected, _ = pair.expect({"x": values})
        for target in FLOATS:
            with case(target):
                np.testing.assert_array_equal(actual[target].astype(np.float64), expected[target])
    for size in (0, 1, 33):
        pair.check(size)


def test_broadcasting():
    def body(x, row, column, one, s):
        return {
            "row": x + row,
            "column": x * column,
            "outer": row - column,
            "one": x / one,
            "scalar": s - x,
            "all": cc.max(x, row) + column * s,
            "select": cc.select(column > 0.0, x, row),
        }

    specs = {
        "x": cc.tensor(("n", 5), cut={0: "dp"}),
        "row": cc.tensor(5),
        "column": cc.tensor(("n", 1), cut={0: "dp"}),
        "one": cc.tensor((1, 1)),
        "s": cc.tensor(()),
    }
    pair = Pair(traced(body, DP, **specs), ranks=3)
    for size in FEW_SIZES:
        pair.check(size)


def test_layouts():
    """Slices of a dimension or flat, pending and local values, with replicated ones."""

    def body(x, w, flat, f, p, q, each, scale, b):
        return {
            "sliced": cc.tanh(x) + w,
            "flat": cc.all_gather(f * flat - flat, "flat"),
            "pending": cc.all_reduce(-p + q * scale - p / 2.0),
            "chosen": cc.all_reduce(cc.select(b, p, q)),
            "wide": cc.all_reduce(cc.cast(p, "f64")),
            "maximum": cc.all_reduce(cc.max(each, scale), axes="dp", reduction="max"),
            "local": cc.exp(each) * w,
        }

    specs = {
        "x": cc.tensor(("n", 3), cut={0: "dp"}),
        "w": cc.tensor(("n", 3)),
        "flat": cc.tensor(("n", 3), cut={"flat": "dp"}),
        "f": cc.tensor(("n", 3)),
        "p": cc.partial("n", 3, dp="sum"),
        "q": cc.partial("n", 3, dp="sum"),
        "each": cc.local("n", 3, axes="dp"),
        "scale": cc.tensor(()),
        "b": cc.tensor(("n", 3), "i1"),
    }
    program = traced(body, DP, **specs)
    for ranks in (1, 2, 5):
        pair = Pair(program, ranks=ranks)
        for size in FEW_SIZES:
            pair.check(size, terms=ranks)


def test_two_axes_cut_dimensions_in_any_order():
    def body(a, b, c):
        return {
            "a": cc.all_gather(a * 2.0, 0),
            "b": cc.all_gather(-b, 0),
            "c": cc.sqrt(cc.abs(c)),
        }

    mesh = cc.mesh(dp=2, tp=3)
    specs = {
        "a": cc.tensor(("n", 2), cut={0: ("tp", "dp")}),
        "b": cc.tensor(("n", 2), cut={0: ("dp", "tp")}),
        "c": cc.tensor(("n", "m"), cut={0: "tp", 1: "dp"}),
    }
    pair = Pair(traced(body, mesh, **specs))
    for size in FEW_SIZES:
        pair.check({"n": size, "m": size // 2 + 1})


def test_pending_maxima_pass_monotone_functions():
    def body(p):
        return {"y": cc.all_reduce(cc.relu(cc.max(cc.exp(p), p)))}

    pair = Pair(traced(body, DP, p=cc.partial("n", dp="max")), ranks=3)
    for size in FEW_SIZES:
        pair.check(size)


def test_a_program_without_ranks_runs_on_one():
    pair = Pair(traced(lambda x: {"y": x + 1.0}, x=cc.tensor("n")))
    assert pair.executable.ranks == 1
    pair.check(7, make=normal)
