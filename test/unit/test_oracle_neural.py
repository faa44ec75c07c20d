"""Layers of neural networks, expanded and as rank programs, equal the layers themselves."""

from __future__ import annotations

import pytest
from coconet_mlir.check import equivalent
from generic_text import Text, Value, optimize
from oracle_support import accepted, rejected

BIND = "--coconet-bind-mesh=ranks=3"
ROWS, COLUMNS, PENDING = "[{dp}, {}]", "[{}, {dp}]", "partial = {dp : sum}"
IMAGES, CHANNELS = "[{dp}, {}, {}, {}]", "[{}, {dp}, {}, {}]"
OUTPUTS = "[{dp}, {}, {}, {}]"


def norm(cut: str, op: str = "layer_norm") -> Text:
    text = Text()
    x = text.arg(text.type("7x6xf32", cut))
    operands = [x, text.arg("tensor<6xf32>")]
    held = "dims = array<i64: 1>, eps = 1.0e-05 : f64"
    if op == "layer_norm":
        held += ", operandSegmentSizes = array<i32: 1, 1, 1>"
        operands.append(text.arg("tensor<6xf32>"))
    return text.ret(text.op(op, operands, x.type, held))


def loss(cut: str, result: str) -> Text:
    text = Text()
    x = text.arg(text.type("7x7xf32", cut))
    label = text.arg("tensor<7xi32>")
    kind = text.type("7xf32", result)
    return text.ret(text.op("cross_entropy", [x, label], kind, "dim = 1 : i64"))


def table(cut: str, result: str) -> Text:
    text = Text()
    rows = text.arg(text.type("7x4xf32", cut))
    index = text.arg("tensor<7xi64>")
    return text.ret(text.op("take", [rows, index], text.type("7x4xf32", result)))


def scatter(cut: str, index_cut: str, result: str) -> Text:
    text = Text()
    updates = text.arg(text.type("8x4xf32", cut))
    index = text.arg(text.type("8xi32", index_cut))
    kind = text.type("5x4xf32", result)
    return text.ret(text.op("scatter_add", [updates, index], kind, "rows = 5 : i64"))


GEOMETRY = (
    "strides = array<i64: 2, 1>, padding = array<i64: 1, 0>, dilations = array<i64: 1, 1>, "
    "groups = 1 : i64"
)


def convolution(op: str, shapes: list[str], cuts: list[str], sizes: str) -> Text:
    text = Text()
    operands = [
        text.arg(text.type(shape, cut)) for shape, cut in zip(shapes[:2], cuts[:2], strict=True)
    ]
    held = GEOMETRY + (f", sizes = array<i64: {sizes}>" if sizes else "")
    return text.ret(text.op(op, operands, text.type(shapes[2], cuts[2]), held))


def images(op: str, cuts: list[str]) -> Text:
    x, w, y = "7x3x5x4xf32", "6x3x3x2xf32", "7x6x3x3xf32"
    shapes = {
        "conv2d": ([x, w, y], ""),
        "conv2d_input_gradient": ([y, w, x], "5, 4"),
        "conv2d_weight_gradient": ([x, y, w], "3, 2"),
    }
    return convolution(op, shapes[op][0], cuts, shapes[op][1])


def pooling(kind: str, cut: str) -> Text:
    text = Text()
    x = text.arg(text.type("7x3x5x4xf32", cut))
    held = (
        f"kind = #coconet<reduce_kind {kind}>, window = array<i64: 2, 2>, "
        "strides = array<i64: 1, 2>, padding = array<i64: 1, 0>"
    )
    return text.ret(text.op("pool2d", [x], text.type("7x3x6x2xf32", cut), held))


def padding(cut: str, value: float) -> Text:
    text = Text()
    x = text.arg(text.type("7x4xf32", cut))
    held = f"low = array<i64: 0, 1>, high = array<i64: 0, 2>, value = {value:e} : f64"
    return text.ret(text.op("pad", [x], text.type("7x7xf32", cut), held))


PROGRAMS = {
    "layer_norm": norm(ROWS),
    "layer_norm of cut dims": norm(COLUMNS),
    "rms_norm of cut dims": norm(COLUMNS, "rms_norm"),
    "loss": loss(ROWS, "[{dp}]"),
    "loss of cut classes": loss(COLUMNS, ""),
    "take": table("", ""),
    "take of cut rows": table(ROWS, PENDING),
    "take of a pending table": table(PENDING, PENDING),
    "scatter": scatter(COLUMNS, "", COLUMNS),
    "scatter of cut updates": scatter(ROWS, "[{dp}]", PENDING),
    "conv2d": images("conv2d", [IMAGES, "", IMAGES]),
    "conv2d of cut channels": images("conv2d", [CHANNELS, CHANNELS, PENDING]),
    "conv2d to cut channels": images("conv2d", ["", OUTPUTS, CHANNELS]),
    "input gradient": images("conv2d_input_gradient", [IMAGES, "", IMAGES]),
    "input gradient of cut channels": images("conv2d_input_gradient", [CHANNELS, OUTPUTS, PENDING]),
    "weight gradient": images("conv2d_weight_gradient", [IMAGES, IMAGES, PENDING]),
    "max": pooling("max", IMAGES),
    "mean": pooling("mean", PENDING),
    "pad": padding(ROWS, 1.5),
    "pad of a pending value": padding(PENDING, 0.0),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_rank_program_is_equivalent(name):
    text = PROGRAMS[name].text()
    base = optimize(text, BIND)
    report = equivalent(base, optimize(text, BIND, "--coconet-lower-to-rank"))
    assert report.equivalent, str(report)


def rms(text: Text, value: Value, dims: str) -> Value:
    return text.op("rms_norm", [value], value.type, f"dims = array<i64: {dims}>, eps = 0.0 : f64")


def test_rows_are_normalised_where_they_lie():
    base, scheduled = Text(), Text()
    x = base.arg(base.type("6x6xf32", ROWS))
    at = "dim = 0 : i64"
    base.ret(rms(base, base.collective("all_gather", x, "tensor<6x6xf32>", properties=at), "1"))
    y = scheduled.arg(scheduled.type("6x6xf32", ROWS))
    part = rms(scheduled, y, "1")
    scheduled.ret(scheduled.collective("all_gather", part, "tensor<6x6xf32>", properties=at))
    accepted(base, scheduled, ranks=3)


def test_statistics_of_local_parts_are_rejected():
    """A mean of means, and a norm of shards: what each rank has, by itself."""
    base, scheduled = Text(), Text()
    x = base.arg(base.type("6x6xf32", "partial = {dp : sum}"))
    whole = base.collective("all_reduce", x, "tensor<6x6xf32>", reduction="sum")
    base.ret(rms(base, whole, "1"))
    y = scheduled.arg(scheduled.type("6x6xf32", "partial = {dp : sum}"))
    early = rms(scheduled, y, "1")
    scheduled.ret(scheduled.collective("all_reduce", early, "tensor<6x6xf32>", reduction="sum"))
    rejected(base, scheduled, ranks=3)
