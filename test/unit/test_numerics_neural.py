"""Compiled layers of neural networks against the reference, and against plain numpy."""

from __future__ import annotations

import coconet_mlir as cc
import numpy as np
import plain_layers as plain
import pytest
from coconet_mlir.dtypes import is_float, to_numpy
from coconet_mlir.interpreter.tolerances import assert_close
from compiled_support import FLOATS, Array, Pair, case, normal, traced

DP = cc.mesh(dp="?")
GRID = cc.mesh(dp=2, tp=3)
RANKS = (1, 2, 3, 5)
SIZES = ((0, 3), (1, 1), (5, 7), (6, 13))


def wide(array: Array) -> Array:
    return np.asarray(array).astype(np.float64)


def indices(size: int | tuple[int, ...], limit: int, dtype: str = "i32") -> Array:
    """Some of them out of range."""
    found = np.random.default_rng(7).integers(-2, limit + 2, size)
    return found.astype(to_numpy(dtype))


def ranks_of(dtype: str) -> tuple[int, ...]:
    return RANKS if dtype == "f32" else (3,)


# ===- Normalisation and loss --------------------------------------------------===


def norms(x, w, b, row):
    return {
        "last": cc.layer_norm(x, [1], scale=w, bias=b),
        "first": cc.layer_norm(x, [0], eps=1e-3),
        "all": cc.layer_norm(x, [0, 1], bias=b),
        "row": cc.layer_norm(x, [1], scale=w, bias=row),
        "rms": cc.rms_norm(x, [1], scale=w),
        "rms first": cc.rms_norm(x, [0]),
    }


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("cut", [None, {0: "dp"}, {1: "dp"}])
def test_norms_of_every_layout(dtype, cut):
    specs = {
        "x": cc.tensor(("n", "m"), dtype, cut=cut),
        "w": cc.tensor("m", dtype),
        "b": cc.tensor("m", dtype, cut={0: "dp"} if cut == {1: "dp"} else None),
        "row": cc.tensor(("n", "m"), dtype, cut=cut),
    }
    program = traced(norms, DP, **specs)
    for ranks in ranks_of(dtype):
        pair = Pair(program, ranks=ranks)
        for n, m in SIZES:
            given = pair.inputs({"n": n, "m": m})
            out = pair.check(**given, terms=n + m)
            x, w, b = wide(given["x"]), wide(given["w"]), wide(given["b"])
            with case(f"{ranks} ranks, {n} x {m}"), np.errstate(all="ignore"):
                if n:
                    expected = plain.layer_norm(x, [1], 1e-5) * w + b
                    assert_close(out["last"], expected, dtype, terms=n + m)
                    expected = plain.rms_norm(x, [1], 1e-5) * w
                    assert_close(out["rms"], expected, dtype, terms=n + m)


def test_norms_on_a_mesh_of_two_dimensions():
    def body(x, w):
        return {
            "both": cc.layer_norm(x, [0, 1], scale=w),
            "rows": cc.layer_norm(x, [1], scale=w),
            "rms": cc.rms_norm(x, [0], scale=w),
        }

    specs = {
        "x": cc.tensor(("n", "m"), cut={0: "tp", 1: "dp"}),
        "w": cc.tensor("m", cut={0: "dp"}),
    }
    pair = Pair(traced(body, GRID, **specs))
    for n, m in SIZES:
        pair.check({"n": n, "m": m}, terms=n + m)


@pytest.mark.parametrize(
    ("dtype", "labels"), [*((dtype, "i32") for dtype in FLOATS), ("f32", "i64")]
)
def test_cross_entropy_of_every_layout(dtype, labels):
    def body(x, rows, classes, y, cut):
        return {
            "whole": cc.cross_entropy(x, y),
            "rows": cc.cross_entropy(rows, y),
            "rows and labels": cc.cross_entropy(rows, cut),
            "labels": cc.cross_entropy(x, cut),
            "classes": cc.cross_entropy(classes, y),
        }

    specs = {
        "x": cc.tensor(("n", "m"), dtype),
        "rows": cc.tensor(("n", "m"), dtype, cut={0: "dp"}),
        "classes": cc.tensor(("n", "m"), dtype, cut={1: "dp"}),
        "y": cc.tensor("n", labels),
        "cut": cc.tensor("n", labels, cut={0: "dp"}),
    }
    program = traced(body, DP, **specs)
    for ranks in ranks_of(dtype):
        pair = Pair(program, ranks=ranks)
        for n, m in SIZES:
            y = indices(n, m, labels)
            x = (4 * np.random.default_rng(n).standard_normal((n, m))).astype(to_numpy(dtype))
            out = pair.check(x=x, rows=x, classes=x, y=y, cut=y, terms=m)
            for name, value in out.items():
                with case(f"{name} on {ranks} ranks, {n} x {m}"):
                    assert_close(value, plain.cross_entropy(wide(x), y), dtype, terms=m)


def test_cross_entropy_over_a_middle_dimension():
    def body(x, y):
        return {"loss": cc.cross_entropy(x, y, 1)}

    specs = {
        "x": cc.tensor(("n", "c", "m"), cut={0: "dp", 1: "tp"}),
        "y": cc.tensor(("n", "m"), "i64"),
    }
    pair = Pair(traced(body, GRID, **specs))
    for n, m, c in ((3, 2, 7), (1, 1, 1), (4, 3, 2)):
        y = indices((n, m), c, "i64")
        x = np.random.default_rng(0).standard_normal((n, c, m)).astype(np.float32)
        out = pair.check(x=x, y=y, terms=c)
        expected = plain.cross_entropy(wide(np.moveaxis(x, 1, -1)), y)
        assert_close(out["loss"], expected, "f32", terms=c)


# ===- By index ----------------------------------------------------------------===


@pytest.mark.parametrize("dtype", [*FLOATS, "i8", "i32", "i64"])
def test_take_and_pick_of_every_layout(dtype):
    def body(t, rows, columns, pending, i, cut, one):
        return {
            "whole": cc.take(t, i),
            "rows": cc.all_reduce(cc.take(rows, i)),
            "columns": cc.take(columns, i),
            "indices": cc.take(t, cut),
            "pending": cc.all_reduce(cc.take(pending, i)),
            "one": cc.take(t, one),
            "pick": cc.pick(t, first(i), 0),
            "picked rows": cc.all_reduce(cc.pick(rows, first(i), 0)),
        }

    def first(i):
        return cc.reshape(cc.slice(i, [0, 0], [1, 3]), (3,))

    specs = {
        "t": cc.tensor(("n", 3), dtype),
        "rows": cc.tensor(("n", 3), dtype, cut={0: "dp"}),
        "columns": cc.tensor(("n", 3), dtype, cut={1: "dp"}),
        "pending": cc.partial("n", 3, dtype=dtype, dp="sum"),
        "i": cc.tensor((5, 3), "i32"),
        "cut": cc.tensor((5, 3), "i64", cut={0: "dp"}),
        "one": cc.tensor((), "i64"),
    }
    program = traced(body, DP, **specs)
    for ranks in ranks_of(dtype):
        pair = Pair(program, ranks=ranks)
        for n in (0, 1, 2, 7, 13):
            i = indices((5, 3), n)
            i[4] = [-(2**31), 2**31 - 1, n]
            t = normal(pair.rng, (n, 3), dtype)
            given = {"t": t, "rows": t, "columns": t}
            out = pair.check(n, **given, i=i, cut=i.astype(np.int64), one=np.int64(n - 1))
            expected = plain.take(t, i)
            for name in ("whole", "rows", "columns", "indices"):
                with case(f"{name} on {ranks} ranks, {n} rows"):
                    np.testing.assert_array_equal(out[name], expected)


@pytest.mark.parametrize("dtype", [*FLOATS, "i8", "i32", "i64"])
def test_scatter_add_of_every_layout(dtype):
    def body(u, rows, columns, pending, i, cut, one):
        return {
            "whole": cc.scatter_add(i, u, 4),
            "rows": cc.all_reduce(cc.scatter_add(cut, rows, 4)),
            "columns": cc.scatter_add(i, columns, 4),
            "pending": cc.all_reduce(cc.scatter_add(i, pending, 4)),
            "numbers": cc.scatter_add(i, cc.reduce("sum", u, [1]), 4),
            "none": cc.scatter_add(i, u, 0),
            "one": cc.scatter_add(one, cc.reduce("sum", u, [0]), 2),
        }

    specs = {
        "u": cc.tensor(("n", 3), dtype),
        "rows": cc.tensor(("n", 3), dtype, cut={0: "dp"}),
        "columns": cc.tensor(("n", 3), dtype, cut={1: "dp"}),
        "pending": cc.partial("n", 3, dtype=dtype, dp="sum"),
        "i": cc.tensor("n", "i32"),
        "cut": cc.tensor("n", "i64", cut={0: "dp"}),
        "one": cc.tensor((), "i64"),
    }
    program = traced(body, DP, **specs)
    for ranks in ranks_of(dtype):
        pair = Pair(program, ranks=ranks)
        for n in (0, 1, 5, 17):
            i = indices(n, 4)
            u = normal(pair.rng, (n, 3), dtype)
            given = {"u": u, "rows": u, "columns": u}
            out = pair.check(n, **given, i=i, cut=i.astype(np.int64), one=np.int64(1), terms=n + 1)
            base = wide(u) if is_float(dtype) else u
            with case(f"{ranks} ranks, {n} updates"):
                assert_close(out["whole"], plain.scatter_add(base, i, 4), dtype, terms=n + 1)


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
def test_many_updates_of_one_row_round_once(dtype):
    """Ones added in f16 stop at 2048, in bf16 at 256."""
    body = lambda i, u: {"y": cc.scatter_add(i, u, 1)}  # noqa: E731
    pair = Pair(traced(body, i=cc.tensor("n", "i32"), u=cc.tensor("n", dtype)))
    out = pair.check(i=np.zeros(8192, np.int32), u=np.ones(8192, to_numpy(dtype)))
    assert float(out["y"][0]) == 8192


# ===- Windows -----------------------------------------------------------------===

GEOMETRY = (
    {"strides": (1, 1), "padding": (0, 0), "dilations": (1, 1), "groups": 1},
    {"strides": (2, 1), "padding": (1, 2), "dilations": (1, 2), "groups": 1},
    {"strides": (1, 3), "padding": (2, 1), "dilations": (2, 1), "groups": 2},
)


def convolutions(x, w, dy, sizes, geometry):
    return {
        "y": cc.conv2d(x, w, **geometry),
        "dx": cc.conv2d_input_gradient(dy, w, sizes, **geometry),
        "dw": cc.conv2d_weight_gradient(x, dy, (3, 2), **geometry),
    }


def reduced(values: dict[str, cc.Tensor]) -> dict[str, cc.Tensor]:
    """Pending results all-reduced."""
    return {k: cc.all_reduce(v) if v.layout.partial else v for k, v in values.items()}


def places(geometry, sizes=(9, 8), window=(3, 2)) -> list[int]:
    return [
        (sizes[i] + 2 * geometry["padding"][i] - geometry["dilations"][i] * (window[i] - 1) - 1)
        // geometry["strides"][i]
        + 1
        for i in (0, 1)
    ]


def check_convolution(cuts, dtype, geometry, ranks, mesh=DP):
    per_group = 4 // geometry["groups"]
    specs = {
        "x": cc.tensor(("n", 4, 9, 8), dtype, cut=cuts[0]),
        "w": cc.tensor((6, per_group, 3, 2), dtype, cut=cuts[1]),
        "dy": cc.tensor(("n", 6, *places(geometry)), dtype, cut=cuts[2]),
    }
    body = lambda x, w, dy: reduced(convolutions(x, w, dy, (9, 8), geometry))  # noqa: E731
    program = traced(body, mesh, **specs)
    for count in ranks:
        pair = Pair(program, ranks=count) if count else Pair(program)
        for n in (0, 1, 3):
            given = pair.inputs(n)
            terms = 100 + 60 * n
            out = pair.check(**given, terms=terms)
            x, w, dy = (wide(given[k]) for k in ("x", "w", "dy"))
            if dtype in ("i8", "i32", "i64"):
                x, w, dy = given["x"], given["w"], given["dy"]
            with case(f"{count} ranks, {n} images, {geometry}"):
                exact = {
                    "y": plain.conv2d(x, w, **geometry),
                    "dx": plain.conv2d_input_gradient(dy, w, (9, 8), **geometry),
                    "dw": plain.conv2d_weight_gradient(x, dy, (3, 2), **geometry),
                }
                for name, value in exact.items():
                    scale = max(1.0, float(np.abs(value).max(initial=0)))
                    if not is_float(dtype):
                        np.testing.assert_array_equal(out[name], value)
                        continue
                    assert_close(wide(out[name]) / scale, value / scale, dtype, terms=terms)


@pytest.mark.parametrize("dtype", [*FLOATS, "i32"])
@pytest.mark.parametrize("geometry", GEOMETRY)
def test_convolutions_of_replicated_and_cut_images(dtype, geometry):
    ranks = RANKS if dtype == "f32" else (2,)
    if dtype == "f32":
        check_convolution((None, None, None), dtype, geometry, (1,))
    check_convolution(({0: "dp"}, None, {0: "dp"}), dtype, geometry, ranks)


@pytest.mark.parametrize("ranks", RANKS)
def test_convolutions_of_cut_channels(ranks):
    geometry = GEOMETRY[1]
    check_convolution((None, {0: "dp"}, {1: "dp"}), "f32", geometry, (ranks,))
    check_convolution(({1: "dp"}, {1: "dp"}, None), "f32", geometry, (ranks,))


def test_convolutions_on_a_mesh_of_two_dimensions():
    cuts = ({0: "dp"}, {0: "tp"}, {0: "dp", 1: "tp"})
    check_convolution(cuts, "f32", GEOMETRY[1], (None,), GRID)
    cuts = ({0: "dp", 1: "tp"}, {1: "tp"}, {0: "dp"})
    check_convolution(cuts, "f32", GEOMETRY[0], (None,), GRID)


def test_convolutions_pass_pending_sums():
    def body(x, p, w, q):
        return {
            "input": cc.all_reduce(cc.conv2d(p, w, padding=1)),
            "weight": cc.all_reduce(cc.conv2d(x, q, padding=1)),
        }

    specs = {
        "x": cc.tensor(("n", 2, 4, 5)),
        "p": cc.partial("n", 2, 4, 5, dp="sum"),
        "w": cc.tensor((3, 2, 3, 3)),
        "q": cc.partial(3, 2, 3, 3, dp="sum"),
    }
    pair = Pair(traced(body, DP, **specs), ranks=3)
    for n in (0, 1, 2):
        pair.check(n, terms=60)


@pytest.mark.parametrize("dtype", [*FLOATS, "i8", "i32"])
def test_pooling_of_every_layout(dtype):
    def body(x, images, channels, largest, pending):
        found = {
            "whole": cc.pool2d("max", x, (3, 2), strides=(2, 1), padding=(1, 0)),
            "images": cc.pool2d("max", images, 2),
            "channels": cc.pool2d("max", channels, 3, padding=2, strides=1),
            "largest": cc.all_reduce(cc.pool2d("max", largest, 2)),
        }
        if is_float(dtype):
            found["mean"] = cc.pool2d("mean", x, (3, 2), strides=(2, 1), padding=(1, 0))
            found["mean images"] = cc.pool2d("mean", images, 2)
            found["pending"] = cc.all_reduce(cc.pool2d("mean", pending, 2))
        return found

    shape = ("n", 3, "h", 6)
    specs = {
        "x": cc.tensor(shape, dtype),
        "images": cc.tensor(shape, dtype, cut={0: "dp"}),
        "channels": cc.tensor(shape, dtype, cut={1: "dp"}),
        "largest": cc.partial(*shape, dtype=dtype, dp="max"),
        "pending": cc.partial(*shape, dtype=dtype, dp="sum"),
    }
    program = traced(body, DP, **specs)
    for ranks in ranks_of(dtype):
        pair = Pair(program, ranks=ranks)
        for n, h in ((0, 4), (1, 1), (3, 7), (2, 0)):
            # Padding must not win a maximum: all values are far below 0.
            low = lambda rng, s, d: (normal(rng, s, d) - 30).astype(to_numpy(d))  # noqa: E731
            given = pair.inputs({"n": n, "h": h}, low)
            out = pair.check(**given, terms=6 * ranks)
            x = wide(given["x"]) if is_float(dtype) else given["x"]
            geometry = {"strides": (2, 1), "padding": (1, 0)}
            with case(f"{ranks} ranks, {n} images of height {h}"):
                if h and n:
                    expected = plain.pool2d("max", x, (3, 2), **geometry)
                    assert_close(out["whole"], expected, dtype)
                    if is_float(dtype):
                        expected = plain.pool2d("mean", x, (3, 2), **geometry)
                        assert_close(out["mean"], expected, dtype, terms=6)


@pytest.mark.parametrize("dtype", [*FLOATS, "i8", "i32", "i64"])
def test_pad_of_every_layout(dtype):
    value = -2.0

    def body(x, rows, pending):
        return {
            "whole": cc.pad(x, [1, 0], [0, 2], value),
            "rows": cc.pad(rows, [0, 1], [0, 1], value),
            "nothing": cc.pad(x, [0, 0], [0, 0], value),
            "pending": cc.all_reduce(cc.pad(pending, [1, 1], [1, 1])),
        }

    specs = {
        "x": cc.tensor(("n", "m"), dtype),
        "rows": cc.tensor(("n", "m"), dtype, cut={0: "dp"}),
        "pending": cc.partial("n", "m", dtype=dtype, dp="sum"),
    }
    program = traced(body, DP, **specs)
    for ranks in ranks_of(dtype):
        pair = Pair(program, ranks=ranks)
        for n, m in SIZES:
            given = pair.inputs({"n": n, "m": m})
            out = pair.check(**given, terms=ranks)
            expected = np.pad(given["x"], ((1, 0), (0, 2)), constant_values=value)
            np.testing.assert_array_equal(out["whole"], expected)


def test_a_state_takes_rows_of_itself():
    """What is read must not be overwritten before."""

    def body(t, i):
        cc.update(t, cc.take(t, i) + 0.0)
        return None

    pair = Pair(traced(body, DP, t=cc.state(5, 3), i=cc.tensor(5, "i32")), ranks=2)
    pair.check(i=np.array([4, 3, 2, 1, 0], np.int32))
    direct = Pair(
        traced(
            lambda t, i: cc.update(t, cc.take(t, i)), DP, t=cc.state(5, 3), i=cc.tensor(5, "i32")
        ),
        ranks=2,
    )
    direct.check(i=np.array([4, 3, 2, 1, 0], np.int32))


def test_places_of_open_sizes_are_checked_at_run_time():
    @cc.program
    def gradient(g: cc.tensor((1, 1, "h", 2)), w: cc.tensor((1, 1, 2, 2))):
        return {"x": cc.conv2d_input_gradient(g, w, (3, 3))}

    with gradient.compile(ranks=1) as exe:
        w = np.ones((1, 1, 2, 2), np.float32)
        assert exe(g=np.ones((1, 1, 2, 2), np.float32), w=w)["x"].sum() == 16
        with pytest.raises(cc.CollectiveError, match="windows along dimension 2"):
            exe(g=np.ones((1, 1, 3, 2), np.float32), w=w)
