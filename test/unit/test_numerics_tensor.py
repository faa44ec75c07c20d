"""Compiled contractions, reductions, shape operations and dropout against the reference."""

from __future__ import annotations

import coconet_mlir as cc
import numpy as np
import pytest
from coconet_mlir.dtypes import NAMES, to_numpy
from compiled_support import FEW_SIZES, FLOATS, INTEGERS, Pair, case, same_bits, traced, whole

DP = cc.mesh(dp="?")
GRID = cc.mesh(dp=2, tp=3)
NUMBERS = (*FLOATS, *INTEGERS)


# ===- Matrix products -------------------------------------------------------===


@pytest.mark.parametrize("dtype", NUMBERS)
def test_matmul_plain_transposed_batched_and_shared(dtype):
    def body(a, b, at, bt, x, y, yt):
        both = {"transpose_lhs": True, "transpose_rhs": True}
        return {
            "plain": cc.matmul(a, b),
            "lhs": cc.matmul(at, b, transpose_lhs=True),
            "rhs": cc.matmul(a, bt, transpose_rhs=True),
            "both": cc.matmul(at, bt, **both),
            "batched": cc.matmul(x, y),
            "batched rhs": cc.matmul(x, yt, transpose_rhs=True),
            "shared rhs": cc.matmul(x, b),
            "shared rhs transposed": cc.matmul(x, bt, transpose_rhs=True),
            "shared lhs": cc.matmul(a, y),
        }

    shapes = {
        "a": ("m", "k"),
        "b": ("k", "n"),
        "at": ("k", "m"),
        "bt": ("n", "k"),
        "x": ("b", "m", "k"),
        "y": ("b", "k", "n"),
        "yt": ("b", "n", "k"),
    }
    pair = Pair(traced(body, **{name: cc.tensor(s, dtype) for name, s in shapes.items()}))
    for m, n, k, b in (
        (1, 1, 1, 1),
        (3, 5, 4, 2),
        (17, 9, 33, 3),
        (0, 2, 3, 2),
        (2, 3, 0, 1),
        (2, 2, 2, 0),
    ):
        pair.check({"m": m, "n": n, "k": k, "b": b}, terms=max(k, 1))


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_matmul_of_cut_and_pending_operands(ranks):
    def body(x, w, xk, wk, wn, p, y):
        return {
            "rows": x @ w,
            "contracted": cc.all_reduce(xk @ wk),
            "columns": y @ wn,
            "scattered rows": cc.reduce_scatter(xk @ wk, 0),
            "scattered columns": cc.reduce_scatter(xk @ wk, 1),
            "pending lhs": cc.all_reduce(p @ w),
            "pending rhs": cc.all_reduce(cc.matmul(w, p, transpose_lhs=True, transpose_rhs=True)),
            "replicated and cut": cc.all_reduce(cc.shard(y, "dp", 1) @ wk),
        }

    specs = {
        "x": cc.tensor(("m", "k"), cut={0: "dp"}),
        "w": cc.tensor(("k", "n")),
        "xk": cc.tensor(("m", "k"), cut={1: "dp"}),
        "wk": cc.tensor(("k", "n"), cut={0: "dp"}),
        "wn": cc.tensor(("k", "n"), cut={1: "dp"}),
        "p": cc.partial("m", "k", dp="sum"),
        "y": cc.tensor(("m", "k")),
    }
    pair = Pair(traced(body, DP, **specs), ranks=ranks)
    for m, n, k in ((1, 1, 1), (4, 6, 5), (7, 3, 16), (2, 2, 0), (0, 1, 2)):
        pair.check({"m": m, "n": n, "k": k}, terms=16)


# ===- Reductions ------------------------------------------------------------===


@pytest.mark.parametrize("dtype", NUMBERS)
def test_reductions_of_replicated_values(dtype):
    kinds = ("sum", "max", "min", "mean") if "f" in dtype else ("sum", "max", "min")

    def body(x):
        found = {}
        for kind in kinds:
            found[f"{kind} 0"] = cc.reduce(kind, x, [0])
            found[f"{kind} 1"] = cc.reduce(kind, x, [1], keep_dims=True)
            found[f"{kind} 0 2"] = cc.reduce(kind, x, [0, 2])
            found[f"{kind} all"] = cc.reduce(kind, x, [0, 1, 2])
        return found

    pair = Pair(traced(body, x=cc.tensor(("n", 3, "m"), dtype)))
    for n, m in ((1, 1), (5, 4), (33, 17), (0, 2), (3, 0)):
        pair.check({"n": n, "m": m}, terms=3 * n * m + 1)


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_reductions_across_ranks(ranks):
    def body(x):
        found = {}
        for kind in ("sum", "max", "min"):
            found[f"{kind} cut"] = cc.all_reduce(cc.reduce(kind, x, [0]))
            found[f"{kind} kept"] = cc.all_reduce(cc.reduce(kind, x, [0], keep_dims=True))
            found[f"{kind} whole"] = cc.reduce(kind, x, [1])
            found[f"{kind} all"] = cc.all_reduce(cc.reduce(kind, x, [0, 1]))
        found["mean"] = cc.all_reduce(cc.reduce("mean", x, [0]))
        found["mean all"] = cc.all_reduce(cc.reduce("mean", x, [0, 1]))
        return found

    program = traced(body, DP, x=cc.tensor(("n", "m"), cut={0: "dp"}))
    pair = Pair(program, ranks=ranks)
    for n, m in ((1, 1), (5, 4), (9, 17), (0, 2), (3, 0)):
        pair.check({"n": n, "m": m}, terms=n * m + 1)


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
def test_a_long_sum_of_a_narrow_type_is_exact(dtype):
    """Ones added in f16 stop at 2048, in bf16 at 256."""
    pair = Pair(traced(lambda x: {"y": cc.reduce("sum", x, [0])}, x=cc.tensor("n", dtype)))
    out = pair.check(x=np.ones(8192, to_numpy(dtype)))
    assert float(out["y"]) == 8192


@pytest.mark.parametrize("dtype", FLOATS)
def test_norm(dtype):
    def body(x, rows, both, flat, each):
        return {
            "whole": cc.norm(x),
            "rows": cc.norm(rows),
            "both": cc.norm(both),
            "flat": cc.norm(flat),
            "each": cc.norm(each),
        }

    specs = {
        "x": cc.tensor(("n", "m"), dtype),
        "rows": cc.tensor(("n", "m"), dtype, cut={0: "dp"}),
        "both": cc.tensor(("n", "m"), dtype, cut={1: ("tp", "dp")}),
        "flat": cc.tensor(("n", "m"), dtype, cut={"flat": "tp"}),
        "each": cc.tensor(("n", "m"), dtype, local="tp"),
    }
    pair = Pair(traced(body, GRID, **specs))
    for n, m in ((0, 3), (1, 1), (5, 7), (16, 33)):
        pair.check({"n": n, "m": m}, terms=n * m + 1)


@pytest.mark.parametrize("dtype", FLOATS)
def test_softmax(dtype):
    def body(x, cut):
        return {
            "rows": cc.softmax(x, 1),
            "columns": cc.softmax(x, 0),
            "cut": cc.softmax(cut, 0),
            "beside the cut": cc.softmax(cut, 1),
        }

    specs = {"x": cc.tensor(("n", "m"), dtype), "cut": cc.tensor(("n", "m"), dtype, cut={0: "dp"})}
    program = traced(body, DP, **specs)
    for ranks in (1, 3) if dtype == "f32" else (3,):
        pair = Pair(program, ranks=ranks)
        for n, m in ((1, 1), (5, 4), (2, 33), (7, 0)):
            pair.check({"n": n, "m": m}, terms=n + m)
        # A chunk of padding must not win the maximum: all values are far below 0.
        large = np.full((4, 3), -40.0).astype(to_numpy(dtype))
        pair.check(x=large, cut=large, terms=4)


# ===- Shape -----------------------------------------------------------------===


@pytest.mark.parametrize("dtype", NAMES)
def test_shape_operations(dtype):
    def body(x, y):
        flat = cc.reshape(x, (-1,))
        return {
            "flat": flat,
            "split": cc.reshape(flat, ("?", 2, 3)),
            "merged": cc.reshape(x, ("?", 2)),
            "turned": cc.transpose(x, (2, 0, 1)),
            "swapped": cc.transpose(y, (1, 0)),
            "sliced": cc.slice(x, [0, 1, 0], [-1, 2, 1]),
            "strided": cc.slice(y, [1, 0], [3, 2], [3, 3]),
            "none": cc.slice(y, [2, 0], [0, -1]),
            "joined": cc.concat([x, x, x], 1),
            "longer": cc.concat([x, x], 0),
            "fixed": cc.concat([cc.slice(y, [0, 0], [2, 4]), y], 0),
            "repeated": cc.broadcast_to(cc.slice(y, [0, 0], [1, 4]), (3, 5, 4)),
        }

    pair = Pair(traced(body, x=cc.tensor(("n", 3, 2), dtype), y=cc.tensor((9, 4), dtype)))
    for size in FEW_SIZES:
        pair.check(size)


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_shape_operations_beside_a_cut(ranks):
    def body(x, p, each):
        return {
            "merged": cc.reshape(x, ("?", 6)),
            "turned": cc.all_gather(cc.transpose(x, (2, 0, 1)), 1),
            "sliced": cc.slice(x, [0, 1, 0], [-1, 2, 2]),
            "joined": cc.concat([x, x], 2),
            "repeated": cc.broadcast_to(x, (2, "?", 3, 2)),
            "pending": cc.all_reduce(cc.slice(cc.transpose(p, (1, 0)), [1, 0], [2, -1])),
            "each": cc.reshape(each, (2, 3)),
        }

    specs = {
        "x": cc.tensor(("n", 3, 2), cut={0: "dp"}),
        "p": cc.partial("n", 3, dp="sum"),
        "each": cc.local(6, axes="dp"),
    }
    pair = Pair(traced(body, DP, **specs), ranks=ranks)
    for size in FEW_SIZES:
        pair.check(size, terms=ranks)


@pytest.mark.parametrize("dtype", NAMES)
def test_constants_and_indices(dtype):
    values = np.arange(6).reshape(2, 3) % 5
    values = (values - 2 if dtype != "i1" else values % 2).astype(to_numpy(dtype))

    def body(x):
        found = {
            "table": cc.select(x, cc.constant(values, dtype), cc.constant(values[::-1], dtype)),
            "alone": cc.constant(values, dtype),
            "empty": cc.constant(values[:0], dtype),
        }
        if dtype != "i1":
            found["rows"] = cc.iota((4, 3), 0, dtype)
            found["columns"] = cc.add(cc.iota((2, 3), 1, dtype), cc.constant(values, dtype))
        return found

    pair = Pair(traced(body, DP, x=cc.tensor((2, 3), "i1")), ranks=2)
    actual = pair.check()
    np.testing.assert_array_equal(actual["alone"], values)


def test_floats_that_are_no_numbers_are_constants():
    values = np.array([np.inf, -np.inf, np.nan, -0.0, 1e-45, 0.1], np.float32)
    pair = Pair(traced(lambda x: {"y": cc.constant(values) + x}, x=cc.tensor(())))
    pair.check(x=np.float32(0))


# ===- Dropout ---------------------------------------------------------------===


@pytest.mark.parametrize("dtype", FLOATS)
def test_dropout_is_the_same_under_every_layout(dtype):
    def drop(x, step, rate=0.25, seed=(3 << 40) + 7, stream=5):
        return cc.dropout(x, step=step, rate=rate, seed=seed, stream=stream)

    def body(x, rows, columns, flat, pending, step):
        return {
            "whole": drop(x, step),
            "rows": drop(rows, step),
            "columns": drop(columns, step),
            "flat": cc.all_gather(drop(flat, step), "flat"),
            "sharded": drop(cc.shard(x, "dp"), step),
            "pending": cc.all_reduce(drop(pending, step)),
            "other stream": drop(x, step, stream=6),
            "none": drop(x, step, rate=0.0),
        }

    shape = ("n", 5)
    specs = {
        "x": cc.tensor(shape, dtype),
        "rows": cc.tensor(shape, dtype, cut={0: "dp"}),
        "columns": cc.tensor(shape, dtype, cut={1: "dp"}),
        "flat": cc.tensor(shape, dtype, cut={"flat": "dp"}),
        "pending": cc.partial(*shape, dtype=dtype, dp="sum"),
        "step": cc.tensor((), "i64"),
    }
    program = traced(body, DP, **specs)
    seen: dict[tuple[int, int], list[np.ndarray]] = {}
    for ranks in (1, 2, 4, 8) if dtype == "f32" else (1, 4):
        pair = Pair(program, ranks=ranks)
        for size, step in ((0, 1), (1, 1), (13, 2), (130, 2**33 + 1)):
            x = np.random.default_rng(size).standard_normal((size, 5)).astype(to_numpy(dtype))
            out = pair.check(size, x=x, rows=x, columns=x, flat=x, step=np.int64(step), terms=ranks)
            same = [
                np.ascontiguousarray(out[k])
                for k in ("whole", "rows", "columns", "flat", "sharded")
            ]
            with case(f"{ranks} ranks, size {size}"):
                same_bits(same)
                same_bits(seen.setdefault((size, step), same[:1]) + same[:1])
            if size == 130:
                kept = np.count_nonzero(out["whole"]) / x.size
                assert 0.68 < kept < 0.82
                assert np.any(out["other stream"] != out["whole"])


def test_local_values_are_dropped_differently_on_each_rank():
    pair = Pair(
        traced(
            lambda x, step: {"y": cc.dropout(x, step=step, rate=0.5, seed=1)},
            cc.mesh(dp=2, tp=2),
            x=cc.tensor((64,), local="dp"),
            step=cc.tensor((), "i32"),
        )
    )
    out = pair.check(x=np.ones((2, 64), np.float32), step=np.int32(3))
    assert np.any(out["y"][0] != out["y"][1])


# ===- State -----------------------------------------------------------------===


def test_states_are_updated_in_place_and_the_argument_keeps_its_value():
    def body(a, b, c, g):
        old_a, old_b = a, b
        new_a = cc.update(a, a + g)
        new_b = cc.update(b, old_a * 2.0)
        cc.update(c, c + 1)
        return {"old": old_a - old_b, "new": new_a + new_b, "a": new_a}

    specs = {
        "a": cc.state("n"),
        "b": cc.state("n"),
        "c": cc.state(dtype="i64"),
        "g": cc.tensor("n"),
    }
    pair = Pair(traced(body, DP, **specs), ranks=2)
    for size in FEW_SIZES:
        pair.check(size)
    assert pair.executable.state["a"][0].ctypes.data != pair.executable.state["a"][1].ctypes.data


def test_states_that_trade_values():
    """Both updates read what the other one overwrites."""

    def body(a, b):
        cc.update(a, b)
        cc.update(b, a)

    pair = Pair(traced(body, DP, a=cc.state("n"), b=cc.state("n")), ranks=2)
    for size in FEW_SIZES:
        pair.check(size)


def test_a_cut_state_is_updated_by_its_owner():
    def body(w, m, g):
        cc.update(m, 0.5 * m + cc.reduce_scatter(g, "flat"))
        cc.update(w, w + cc.reduce_scatter(g, 1))

    specs = {
        "w": cc.state(3, "n", cut={1: "dp"}),
        "m": cc.state(3, "n", cut={"flat": "dp"}),
        "g": cc.partial(3, "n", dp="sum"),
    }
    program = traced(body, DP, **specs)
    for ranks in (1, 2, 4):
        pair = Pair(program, ranks=ranks)
        for size in FEW_SIZES:
            pair.check(size, whole)


def test_many_steps_of_a_loop_on_the_ranks():
    program = traced(
        lambda w, g: {"y": cc.update(w, 0.5 * w + cc.all_reduce(g))},
        DP,
        w=cc.state("n"),
        g=cc.partial("n", dp="sum"),
    )
    pair = Pair(program, ranks=3)
    exe, g = pair.executable, np.ones((3, 17), np.float32)
    exe.init(w=np.zeros(17, np.float32))
    exe.run(steps=3, g=g)
    np.testing.assert_array_equal(exe.read("w"), np.full(17, 5.25, np.float32))


def test_a_closed_executable_says_so_and_keeps_its_state():
    program = traced(lambda w: cc.update(w, w + 1.0), DP, w=cc.state("n"))
    with program.compile(ranks=2) as exe:
        exe(w=np.zeros(3, np.float32))
    with pytest.raises(cc.CollectiveError, match="the world is closed"):
        exe()
    assert list(exe.read("w")) == [1, 1, 1]


def test_a_flat_cut_of_no_elements():
    """An open size beside a static 0."""

    @cc.program(mesh=DP)
    def double(x: cc.tensor(("n", 0))):
        part = cc.shard(x, axes="dp")
        return {"y": cc.all_gather(part + part)}

    for ranks in (1, 2, 3):
        with double.compile(ranks=ranks) as exe:
            assert exe(x=np.zeros((5, 0), np.float32))["y"].shape == (5, 0)


def test_no_elements_are_joined_and_padded():
    """Static sizes of 0 beside open ones."""

    @cc.program
    def join(x: cc.tensor(("n", "m")), e: cc.tensor((3, 0))):
        none = cc.slice(x, [0, 0], [0, -1])
        joined = cc.concat([none, x, none], 1)
        return {"joined": joined, "padded": cc.pad(e, [0, 2], [1, 1], value=1.0)}

    with join.compile() as exe:
        found = exe(x=np.zeros((0, 4), np.float32), e=np.zeros((3, 0), np.float32))
    assert found["joined"].shape == (0, 12)
    assert found["padded"].shape == (4, 3) and (found["padded"] == 1).all()


def test_slice_of_an_open_size_is_checked_at_run_time():
    @cc.program
    def head(x: cc.tensor("n")):
        return {"head": cc.slice(x, [2], [4])}

    with head.compile(ranks=2) as exe:
        x = np.arange(6, dtype=np.float32)
        np.testing.assert_array_equal(exe(x=x)["head"], x[2:6])
        with pytest.raises(cc.CollectiveError, match="end of a slice of dimension 0"):
            exe(x=x[:3])
