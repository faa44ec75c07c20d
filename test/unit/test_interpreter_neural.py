"""Layers of neural networks on simulated ranks against plain numpy."""

from __future__ import annotations

import numpy as np
import pytest
from coconet_mlir.interpreter import InterpretationError, run
from generic_text import Text
from plain_layers import (
    conv2d,
    conv2d_input_gradient,
    conv2d_weight_gradient,
    cross_entropy,
    layer_norm,
    pool2d,
    rms_norm,
    scatter_add,
    take,
)

RANKS = [1, 2, 3, 8]
CUTS = ["", "[{dp}, {}]", "[{}, {dp}]"]


def sample(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape)


def labels(*shape: int, classes: int) -> np.ndarray:
    """Indices, some of them out of range."""
    return np.random.default_rng(1).integers(-2, classes + 2, shape)


def close(actual: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("layout", CUTS)
@pytest.mark.parametrize("dims", [[1], [0], [0, 1]])
def test_norms(layout, dims):
    text = Text()
    x = text.arg(text.type("?x?xf64", layout))
    scale, bias = text.arg("tensor<?xf64>"), text.arg("tensor<?xf64>")
    over = f"dims = array<i64: {', '.join(map(str, dims))}>, eps = 1.0e-03 : f64"
    both = over + ", operandSegmentSizes = array<i32: 1, 1, 1>"
    text.ret(
        text.op("layer_norm", [x, scale, bias], x.type, both),
        text.op("rms_norm", [x, scale], x.type, over),
    )
    given = [sample(5, 7), sample(7, seed=1), sample(7, seed=2)]
    for ranks in RANKS:
        result = run(text.text(), given, ranks=ranks)
        close(result.results[0], layer_norm(given[0], dims, 1e-3) * given[1] + given[2])
        close(result.results[1], rms_norm(given[0], dims, 1e-3) * given[1])


@pytest.mark.parametrize(
    ("layout", "reduced"), [("", ""), ("[{dp}, {}]", "[{dp}]"), ("[{}, {dp}]", "")]
)
def test_cross_entropy(layout, reduced):
    text = Text()
    x = text.arg(text.type("?x?xf64", layout))
    given = text.arg("tensor<?xi32>")
    text.ret(
        text.op("cross_entropy", [x, given], text.type("?xf64", reduced), "dim = 1 : i64"),
    )
    logits, classes = sample(6, 5) * 3, labels(6, classes=5)
    for ranks in RANKS:
        result = run(text.text(), [logits, classes], ranks=ranks)
        close(result.results[0], cross_entropy(logits, classes))


@pytest.mark.parametrize(
    ("table", "index", "result"),
    [
        ("", "", ""),
        ("[{dp}, {}]", "", "partial = {dp : sum}"),
        ("[{}, {dp}]", "", "[{}, {}, {dp}]"),
        ("", "[{dp}, {}]", "[{dp}, {}, {}]"),
        ("partial = {dp : sum}", "", "partial = {dp : sum}"),
    ],
)
def test_take(table, index, result):
    text = Text()
    rows = text.arg(text.type("?x?xf64", table))
    where = text.arg(text.type("?x?xi64", index))
    text.ret(text.op("take", [rows, where], text.type("?x?x?xf64", result)))
    for ranks in RANKS:
        lead = (ranks,) if "partial" in table else ()
        given, places = sample(*lead, 7, 3), labels(5, 2, classes=7)
        whole = given.sum(0) if lead else given
        close(run(text.text(), [given, places], ranks=ranks).results[0], take(whole, places))


def test_pick_of_a_cut_dimension_is_pending():
    text = Text()
    x = text.arg(text.type("?x?xi64", "[{dp}, {}]"))
    where = text.arg("tensor<?xi32>")
    pending = text.type("?xi64", "partial = {dp : sum}")
    text.ret(text.op("pick", [x, where], pending, "dim = 0 : i64"))
    given, places = np.arange(15).reshape(5, 3), np.array([4, -1, 2])
    for ranks in RANKS:
        assert run(text.text(), [given, places], ranks=ranks).results[0].tolist() == [12, 0, 8]


@pytest.mark.parametrize("cut", ["", "[{dp}, {}]", "[{}, {dp}]"])
def test_scatter_add(cut):
    text = Text()
    rows = "[{dp}]" if cut.startswith("[{dp}") else ""
    result = {"": "", "[{dp}, {}]": "partial = {dp : sum}", "[{}, {dp}]": cut}[cut]
    updates = text.arg(text.type("?x?xf64", cut))
    where = text.arg(text.type("?xi32", rows))
    text.ret(
        text.op("scatter_add", [updates, where], text.type("4x?xf64", result), "rows = 4 : i64")
    )
    given, places = sample(9, 3), labels(9, classes=4)
    for ranks in RANKS:
        close(
            run(text.text(), [given, places], ranks=ranks).results[0], scatter_add(given, places, 4)
        )


def test_updates_and_indices_are_cut_alike():
    text = Text()
    updates = text.arg(text.type("?xf64", "[{dp}]"))
    where = text.arg("tensor<?xi32>")
    pending = text.type("4xf64", "partial = {dp : sum}")
    text.ret(text.op("scatter_add", [updates, where], pending, "rows = 4 : i64"))
    with pytest.raises(InterpretationError, match="unlike places of updates and indices"):
        run(text.text(), [sample(4), np.arange(4)], ranks=2)


GEOMETRY = [
    {"strides": (1, 1), "padding": (0, 0), "dilations": (1, 1), "groups": 1},
    {"strides": (2, 1), "padding": (1, 2), "dilations": (1, 2), "groups": 1},
    {"strides": (2, 3), "padding": (0, 1), "dilations": (2, 1), "groups": 2},
]


def spelled(geometry: dict, **more: tuple[int, ...]) -> str:
    lists = {k: v for k, v in {**geometry, **more}.items() if isinstance(v, tuple)}
    parts = [f"{k} = array<i64: {', '.join(map(str, v))}>" for k, v in lists.items()]
    if "groups" in geometry:
        parts.append(f"groups = {geometry['groups']} : i64")
    return ", ".join(parts)


@pytest.mark.parametrize(
    ("input_cut", "weight_cut"),
    [("", ""), ("[{dp}, {}, {}, {}]", ""), ("", "[{dp}, {}, {}, {}]"), ("[{}, {dp}, {}, {}]",) * 2],
)
@pytest.mark.parametrize("geometry", GEOMETRY)
def test_convolutions(geometry, input_cut, weight_cut):
    if geometry["groups"] > 1 and weight_cut:  # Groups are made of whole channels.
        input_cut, weight_cut = "[{dp}, {}, {}, {}]", ""
    images, weight = sample(3, 4, 9, 8), sample(6, 4 // geometry["groups"], 3, 2, seed=1)
    expected = conv2d(images, weight, **geometry)
    outputs = sample(*expected.shape, seed=2)
    contracted = input_cut and weight_cut
    text = Text()
    x = text.arg(text.type("?x?x?x?xf64", input_cut))
    w = text.arg(text.type("?x?x3x2xf64", weight_cut))
    if contracted:
        y_cut, dy_cut = "partial = {dp : sum}", ""
        dx_cut, dw_cut = input_cut, weight_cut
    elif weight_cut:
        y_cut = dy_cut = "[{}, {dp}, {}, {}]"
        dx_cut, dw_cut = "partial = {dp : sum}", weight_cut
    else:
        y_cut = dy_cut = dx_cut = input_cut
        dw_cut = "partial = {dp : sum}" if input_cut else ""
    dy = text.arg(text.type("?x?x?x?xf64", dy_cut))
    text.ret(
        text.op("conv2d", [x, w], text.type("?x?x?x?xf64", y_cut), spelled(geometry)),
        text.op(
            "conv2d_input_gradient",
            [dy, w],
            text.type("?x?x9x8xf64", dx_cut),
            spelled(geometry, sizes=(9, 8)),
        ),
        text.op(
            "conv2d_weight_gradient",
            [x, dy],
            text.type("?x?x3x2xf64", dw_cut),
            spelled(geometry, sizes=(3, 2)),
        ),
    )
    for ranks in RANKS:
        y, dx, dw = run(text.text(), [images, weight, outputs], ranks=ranks).results
        close(y, expected)
        close(dx, conv2d_input_gradient(outputs, weight, (9, 8), **geometry))
        close(dw, conv2d_weight_gradient(images, outputs, (3, 2), **geometry))


@pytest.mark.parametrize("kind", ["max", "mean"])
@pytest.mark.parametrize("cut", ["", "[{dp}, {}, {}, {}]", "[{}, {dp}, {}, {}]"])
def test_pooling(kind, cut):
    text = Text()
    x = text.arg(text.type("?x?x?x?xf64", cut))
    geometry = {"strides": (2, 1), "padding": (1, 0)}
    held = f"kind = #coconet<reduce_kind {kind}>, window = array<i64: 3, 2>, " + spelled(geometry)
    text.ret(text.op("pool2d", [x], text.type("?x?x?x?xf64", cut), held))
    images = sample(3, 2, 7, 6) - 5
    for ranks in RANKS:
        close(
            run(text.text(), [images], ranks=ranks).results[0],
            pool2d(kind, images, (3, 2), **geometry),
        )


def test_pad():
    text = Text()
    x = text.arg(text.type("?x?xf64", "[{dp}, {}]"))
    held = "low = array<i64: 0, 1>, high = array<i64: 0, 2>, value = 1.5 : f64"
    text.ret(text.op("pad", [x], text.type("?x?xf64", "[{dp}, {}]"), held))
    given = sample(5, 3)
    for ranks in RANKS:
        expected = np.pad(given, ((0, 0), (1, 2)), constant_values=1.5)
        close(run(text.text(), [given], ranks=ranks).results[0], expected)
