"""Compiled collectives against the reference: kinds, types, numbers of ranks, sizes, groups."""

from __future__ import annotations

import coconet_mlir as cc
import numpy as np
import pytest
from coconet_mlir.dtypes import NAMES
from compiled_support import (
    FEW_SIZES,
    FLOATS,
    INTEGERS,
    SIZES,
    Pair,
    case,
    normal,
    same_bits,
    traced,
    whole,
)

DP = cc.mesh(dp="?")
RANKS = (1, 2, 3, 4, 5, 8)
KINDS = ("sum", "prod", "max", "min", "avg")


def each_copy(mine: cc.Tensor, value: cc.Tensor) -> cc.Tensor:
    """A replicated value as every rank holds it; `mine` is a local condition."""
    return cc.select(mine, value, value)


def reductions(g, each, mine, kinds):
    found = {
        "pending": each_copy(mine, cc.all_reduce(g)),
        "rows": cc.reduce_scatter(g, 0),
        "columns": cc.reduce_scatter(g, 1),
        "flat": cc.all_gather(cc.reduce_scatter(g, "flat"), "flat"),
        "again": cc.all_gather(cc.reduce_scatter(g, 1), 1),
    }
    for kind in kinds:
        options = {"axes": "dp", "reduction": kind}
        found[kind] = each_copy(mine, cc.all_reduce(each, **options))
        found[f"{kind} rows"] = cc.reduce_scatter(each, 0, **options)
        found[f"{kind} columns"] = cc.reduce_scatter(each, 1, **options)
        found[f"{kind} flat"] = cc.all_gather(cc.reduce_scatter(each, "flat", **options), "flat")
    return found


def reduction_program(dtype: str) -> cc.Program:
    kinds = KINDS if dtype in FLOATS else KINDS[:4]
    return traced(
        lambda g, each, mine: reductions(g, each, mine, kinds),
        DP,
        g=cc.partial("n", 3, dtype=dtype, dp="sum"),
        each=cc.local("n", 3, dtype=dtype, axes="dp"),
        mine=cc.local(axes="dp", dtype="i1"),
    )


def check_reductions(pair: Pair, sizes, make) -> None:
    mine = np.ones(pair.executable.ranks, bool)
    for size in sizes:
        out = pair.check(size, make, mine=mine, terms=pair.executable.ranks)
        for name in ("pending", "sum", "max"):
            with case(f"{name} of size {size}"):
                same_bits([np.ascontiguousarray(copy) for copy in out[name]])


@pytest.mark.parametrize("ranks", RANKS)
def test_reductions_on_any_number_of_ranks(ranks):
    pair = Pair(reduction_program("f32"), ranks=ranks)
    check_reductions(pair, SIZES, whole)
    check_reductions(pair, (17, 130), normal)


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f64", *INTEGERS])
def test_reductions_of_every_type(dtype):
    pair = Pair(reduction_program(dtype), ranks=3)
    check_reductions(pair, FEW_SIZES, whole)
    check_reductions(pair, (17,), normal)


def movements(rows, columns, flat, x, each, mine):
    found = {
        "rows": each_copy(mine, cc.all_gather(rows, 0)),
        "columns": each_copy(mine, cc.all_gather(columns, 1)),
        "flat": each_copy(mine, cc.all_gather(flat, "flat")),
        "to columns": cc.all_to_all(rows, 0, 1),
        "to rows": cc.all_to_all(columns, 1, 0),
        "first": each_copy(mine, cc.broadcast(each, 0)),
        "shard rows": cc.shard(x, "dp", 0),
        "shard columns": cc.shard(x, "dp", 1),
        "shard flat": cc.all_gather(cc.shard(x, "dp", "flat"), "flat"),
    }
    found["there and back"] = cc.all_to_all(found["to columns"], 1, 0)
    return found


def movement_program(dtype: str) -> cc.Program:
    shape = ("n", "m")
    return traced(
        movements,
        DP,
        rows=cc.tensor(shape, dtype, cut={0: "dp"}),
        columns=cc.tensor(shape, dtype, cut={1: "dp"}),
        flat=cc.tensor(shape, dtype, cut={"flat": "dp"}),
        x=cc.tensor(shape, dtype),
        each=cc.local(*shape, dtype=dtype, axes="dp"),
        mine=cc.local(axes="dp", dtype="i1"),
    )


def check_movements(pair: Pair) -> None:
    mine = np.ones(pair.executable.ranks, bool)
    for n, m in ((0, 0), (0, 3), (3, 0), (1, 1), (2, 7), (9, 5), (17, 33), (128, 16)):
        pair.check({"n": n, "m": m}, mine=mine)


@pytest.mark.parametrize("ranks", RANKS)
def test_movements_on_any_number_of_ranks(ranks):
    check_movements(Pair(movement_program("f32"), ranks=ranks))


@pytest.mark.parametrize("dtype", NAMES)
def test_movements_of_every_type(dtype):
    check_movements(Pair(movement_program(dtype), ranks=3))


@pytest.mark.parametrize("ranks", [2, 3, 5])
def test_broadcast_from_the_last_rank_and_of_rooted_values(ranks):
    root = ranks - 1

    def body(each, at):
        return {"each": cc.broadcast(each, root), "at": cc.broadcast(at * 2.0, root)}

    program = traced(
        body,
        cc.mesh(dp=ranks),
        each=cc.local("n", 2, axes="dp"),
        at=cc.tensor(("n", 2), rooted={"dp": root}),
    )
    pair = Pair(program)
    for size in FEW_SIZES:
        pair.check(size)


def test_pending_maxima_and_minima():
    def body(high, low):
        return {
            "high": cc.all_reduce(high),
            "low": cc.all_reduce(low),
            "high rows": cc.reduce_scatter(high, 0),
            "low flat": cc.all_gather(cc.reduce_scatter(low, "flat"), "flat"),
        }

    specs = {"high": cc.partial("n", 2, dp="max"), "low": cc.partial("n", 2, dp="min")}
    program = traced(body, DP, **specs)
    for ranks in (1, 3, 4):
        pair = Pair(program, ranks=ranks)
        for size in FEW_SIZES:
            pair.check(size)
        # All values on one side of 0: what fills a short chunk must not win.
        pair.check(
            high=np.full((ranks, 5, 2), -2.0, np.float32),
            low=np.full((ranks, 5, 2), 2.0, np.float32),
        )


# ===- Axes ------------------------------------------------------------------===


def test_axes_of_a_mesh_in_any_order():
    def body(g, each, x, both, turned):
        return {
            "tp": cc.all_reduce(g, axes="tp"),
            "dp then tp": cc.all_reduce(cc.all_reduce(g, axes="dp")),
            "both": cc.all_reduce(g),
            "swapped": cc.all_reduce(g, axes=("tp", "dp")),
            "rows": cc.reduce_scatter(g, 0, axes=("dp", "tp")),
            "rows swapped": cc.reduce_scatter(g, 0, axes=("tp", "dp")),
            "rows and columns": cc.reduce_scatter(cc.reduce_scatter(g, 0, axes="tp"), 1, axes="dp"),
            "rows, then whole": cc.all_reduce(cc.reduce_scatter(g, 0, axes="dp")),
            "flat swapped": cc.all_gather(cc.reduce_scatter(g, "flat", axes=("tp", "dp")), "flat"),
            "average": cc.all_reduce(each, axes=("dp", "tp"), reduction="avg"),
            "average tp": cc.all_reduce(each, axes="tp", reduction="avg"),
            "broadcast": cc.broadcast(each, 1, axes="dp"),
            "broadcast both": cc.broadcast(each, 4, axes=("dp", "tp")),
            "gathered": cc.all_gather(both, 0),
            "gathered swapped": cc.all_gather(turned, 0),
            "moved": cc.all_to_all(both, 0, 1),
            "moved swapped": cc.all_to_all(turned, 0, 1, axes=("tp", "dp")),
            "sharded": cc.shard(x, ("tp", "dp"), 1),
            "sharded twice": cc.shard(cc.shard(x, "tp", 0), "dp", 1),
        }

    shape = ("n", "m")
    specs = {
        "g": cc.partial(*shape, dp="sum", tp="sum"),
        "each": cc.local(*shape, axes=("dp", "tp")),
        "x": cc.tensor(shape),
        "both": cc.tensor(shape, cut={0: ("dp", "tp")}),
        "turned": cc.tensor(shape, cut={0: ("tp", "dp")}),
    }
    program = traced(body, cc.mesh(dp="?", tp="?"), **specs)
    for dp, tp in ((2, 3), (4, 2)):
        pair = Pair(program, mesh={"dp": dp, "tp": tp})
        for n, m in ((0, 2), (1, 1), (13, 9)):
            pair.check({"n": n, "m": m}, whole)
        pair.check({"n": 9, "m": 7}, terms=dp * tp)


def test_the_outer_of_two_axes_is_gathered_after_the_inner():
    """Removing a part of a cut needs sizes that divide exactly."""

    def body(x):
        inner = cc.all_gather(x, 0, axes="tp")
        moved = cc.all_to_all(x, 0, 1, axes="tp")
        return {"inner": inner, "outer": cc.all_gather(inner, 0), "moved": moved}

    program = traced(body, cc.mesh(dp=2, tp=3), x=cc.tensor((12, 6), cut={0: ("dp", "tp")}))
    Pair(program).check()


def test_axes_of_size_one():
    def body(g, x):
        y = cc.all_gather(cc.reduce_scatter(g, 0, axes=("a", "b")), 0)
        return {"y": y, "a": cc.all_reduce(g), "moved": cc.all_to_all(x, 0, 1)}

    program = traced(
        body,
        cc.mesh(a=1, b=3, c=1),
        g=cc.partial("n", 4, a="sum", b="sum"),
        x=cc.tensor(("n", 4), cut={0: ("c", "b")}),
    )
    pair = Pair(program)
    for size in FEW_SIZES:
        pair.check(size, terms=3)


# ===- Explicit groups -------------------------------------------------------===


def test_groups_in_any_order():
    pairs, turned = [[0, 2], [1, 3]], [[3, 2, 1, 0]]

    def body(x):
        return {
            "sum": cc.all_reduce(x, groups=pairs),
            "max of all": cc.all_reduce(x, groups=turned, reduction="max"),
            "average": cc.all_reduce(x, groups=pairs, reduction="avg"),
            "scattered": cc.reduce_scatter(x, 0, groups=turned),
            "scattered columns": cc.reduce_scatter(x, 1, groups=[[3, 1], [0, 2]]),
            "gathered": cc.all_gather(x, 0, groups=turned),
            "gathered columns": cc.all_gather(x, 1, groups=[[2, 0], [1, 3]]),
            "moved": cc.all_to_all(x, 1, 0, groups=turned),
            "moved pairs": cc.all_to_all(x, 0, 1, groups=[[2, 0], [3, 1]]),
            "broadcast": cc.broadcast(x, 1, groups=[[2, 0], [1, 3]]),
        }

    for dtype in ("f32", "bf16", "i8"):
        kinds = body
        if dtype == "i8":

            def kinds(x):
                found = body(cc.cast(x, "f32"))
                return found | {"sum": cc.all_reduce(x, groups=pairs)}

        pair = Pair(traced(kinds, cc.mesh(dp=4), x=cc.local(8, 4, axes="dp", dtype=dtype)))
        pair.check(make=whole)
        pair.check(terms=4)


def test_groups_of_unequal_sizes_reduce():
    def body(x):
        return {
            "sum": cc.all_reduce(x, groups=[[0, 2], [1], [4, 3]]),
            "avg": cc.all_reduce(x, groups=[[4, 0, 2, 1], [3]], reduction="avg"),
        }

    pair = Pair(traced(body, cc.mesh(dp=5), x=cc.local("n", axes="dp")))
    for size in FEW_SIZES:
        pair.check(size, terms=4)


def test_groups_of_a_mesh_of_two_axes():
    def body(x):
        return {"diagonal": cc.all_reduce(x, groups=[[0, 3], [1, 2]])}

    pair = Pair(traced(body, cc.mesh(dp=2, tp=2), x=cc.local("n", axes=("dp", "tp"))))
    for size in FEW_SIZES:
        pair.check(size)


# ===- Rounding --------------------------------------------------------------===


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
@pytest.mark.parametrize("ranks", [3, 8])
def test_narrow_types_round_once_at_the_end(dtype, ranks):
    """Exactly what the reference gives: wide sums in the order of the ranks, one rounding."""

    def body(g, each):
        return {
            "sum": cc.all_reduce(g),
            "rows": cc.reduce_scatter(g, 0),
            "average": cc.all_reduce(each, axes="dp", reduction="avg"),
            "product": cc.all_reduce(each, axes="dp", reduction="prod"),
        }

    specs = {
        "g": cc.partial("n", dtype=dtype, dp="sum"),
        "each": cc.local("n", axes="dp", dtype=dtype),
    }
    pair = Pair(traced(body, DP, **specs), ranks=ranks)
    for size in (5, 1000):
        arrays = pair.inputs(size)
        actual, (expected, _) = pair.executable(**arrays), pair.expect(arrays)
        for name, value in expected.items():
            np.testing.assert_array_equal(actual[name].astype(np.float64), value, err_msg=name)


def test_sums_are_in_the_order_of_the_ranks():
    pair = Pair(traced(lambda g: {"y": cc.all_reduce(g)}, DP, g=cc.partial("n", dp="sum")), ranks=4)
    values = np.array([1e8, 1.0, -1e8, 1.0], np.float32)
    g = np.repeat(values[:, None], 65, axis=1)
    np.testing.assert_array_equal(pair.check(g=g)["y"], np.full(65, 1.0, np.float32))
