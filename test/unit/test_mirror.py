"""Programs go from coconet-opt to xDSL and back unchanged, for every op and attribute."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from coconet_mlir import mirror
from coconet_mlir.interpreter import run
from coconet_mlir.mirror.generated import DIALECT
from generic_text import Text, Value, optimize
from xdsl.utils.exceptions import ParseError, VerifyException

PARTIAL = "partial = {dp : sum}"
LOCAL = "local = {dp}"
FLAT = "flat = {dp}"
ROWS = "[{dp}, {}]"
MATRIX = "4x6xf32"


def is_fixed_point(text: str) -> None:
    """print -> parse -> print is the identity, through both tools."""
    printed = optimize(text)
    crossed = mirror.to_text(mirror.parse(printed))
    assert optimize(crossed) == printed
    assert mirror.to_text(mirror.parse(crossed)) == crossed


UNARY = "neg abs sqrt rsqrt exp log tanh sigmoid relu gelu silu".split()
BINARY = "add sub mul div pow max min".split()


def pointwise(text: Text) -> list[Value]:
    value = text.arg(text.type(MATRIX, ROWS))
    results = [text.op(name, [value], value.type) for name in UNARY]
    results += [text.op(name, [value, value], value.type) for name in BINARY]
    bools = text.type("4x6xi1", ROWS)
    finite = text.op("is_finite", [value], bools, label="finite")
    for predicate in ("eq", "ne", "lt", "le", "gt", "ge"):
        held = f"predicate = #coconet<predicate {predicate}>"
        results.append(text.op("compare", [value, value], bools, held))
    results.append(text.op("select", [finite, value, value], value.type))
    half = text.type("4x6xbf16", ROWS)
    results.append(text.op("cast", [value], half, "element_type = bf16"))
    step = text.arg("tensor<i64>", 'coconet.arg_name = "step"')
    held = "rate = 1.0e-1 : f64, seed = -7 : i64, stream = 3 : i64"
    results.append(text.op("dropout", [value, step], value.type, held))
    results.append(text.op("dropout", [value, step], value.type, "rate = 5.0e-1 : f64"))
    return results


def tensors(text: Text) -> list[Value]:
    value = text.arg(text.type(MATRIX, ROWS))
    other = text.arg("tensor<6x4xf32>")
    square = text.type("4x4xf32", ROWS)
    results = [text.op("matmul", [value, other], square)]
    held = "transpose_lhs, transpose_rhs"
    results.append(text.op("matmul", [other, value], text.type("4x4xf32", "[{}, {dp}]"), held))
    for kind in ("sum", "max", "min", "mean"):
        held = f"kind = #coconet<reduce_kind {kind}>, dims = array<i64: 1>"
        results.append(text.op("reduce", [value], text.type("4xf32", "[{dp}]"), held))
    kept = f"{held}, keep_dims"
    results.append(text.op("reduce", [value], text.type("4x1xf32", ROWS), kept))
    results.append(text.op("norm", [value], "tensor<f32>"))
    results.append(text.op("softmax", [value], value.type, "dim = 1 : i64"))
    results.append(text.op("reshape", [value], text.type("4x3x2xf32", "[{dp}, {}, {}]")))
    order = "permutation = array<i64: 1, 0>"
    results.append(text.op("transpose", [value], text.type("6x4xf32", "[{}, {dp}]"), order))
    box = "offsets = array<i64: 0, 1>, sizes = array<i64: -1, 2>, strides = array<i64: 1, 3>"
    results.append(text.op("slice", [value], text.type("4x2xf32", ROWS), box))
    results.append(text.op("concat", [value, value], text.type("4x12xf32", ROWS), "dim = 1 : i64"))
    results.append(text.op("broadcast_to", [other], "tensor<2x6x4xf32>"))
    results.append(text.op("iota", [], "tensor<2x3xi32>", "dim = 1 : i64"))
    return results


def states(text: Text) -> list[Value]:
    state = text.arg(text.type("?xf32", FLAT), 'coconet.state, coconet.dims = ["n"]')
    text.begin_fused()
    new = text.op("neg", [state], state.type)
    (new,) = text.end_fused([new])
    text.begin_fused()
    pending = text.arg(text.type("?xf32", PARTIAL))
    part = text.collective("reduce_scatter", pending, state.type, reduction="sum")
    inside = text.op("neg", [part], state.type, label="inside")
    whole = text.collective("all_gather", inside, "tensor<?xf32>")
    results = text.end_fused([inside, whole], "all_reduce")
    return [text.op("update", [state, new], state.type), *results]


def constants(text: Text) -> list[Value]:
    return [
        text.constant("[0x7F800000, 1.5, 0.1]", "tensor<3xf32>"),
        text.constant("0xFF800000", "tensor<2x2xf32>"),
        text.constant("[0x7F80, 1.0078125, 3.0e-41]", "tensor<3xbf16>"),
        text.constant("[0x7C00, 6.0e-8, 0.1]", "tensor<3xf16>"),
        text.constant("[0.1, 1.0e300]", "tensor<2xf64>"),
        text.constant("[true, false]", "tensor<2xi1>"),
        text.constant("[-128, 127]", "tensor<2xi8>"),
        text.constant('"0x01020304"', "tensor<1xi32>"),
        text.constant("[-9223372036854775808, 1]", "tensor<2xi64>"),
        text.constant("", "tensor<0x2xf32>"),
    ]


def collectives(text: Text) -> list[Value]:
    pending, cut = text.arg(text.type(MATRIX, PARTIAL)), text.type(MATRIX, ROWS)
    local = text.arg(text.type(MATRIX, LOCAL))
    at = "dim = 0 : i64"
    results = [
        text.collective("all_reduce", pending, f"tensor<{MATRIX}>", reduction="sum"),
        *(
            text.collective("all_reduce", local, f"tensor<{MATRIX}>", reduction=kind)
            for kind in ("prod", "max", "min", "avg")
        ),
        text.collective("all_reduce", local, local.type, groups="[[1, 0]]", reduction="max"),
    ]
    part = text.collective("reduce_scatter", pending, cut, reduction="sum", properties=at)
    flat = text.collective("reduce_scatter", pending, text.type(MATRIX, FLAT), reduction="sum")
    results += [part, flat, text.collective("all_gather", flat, f"tensor<{MATRIX}>")]
    results.append(
        text.collective("all_gather", part, f"tensor<{MATRIX}>", properties=at, label="whole")
    )
    moved = text.type(MATRIX, "[{}, {dp}]")
    held = "from_dim = 0 : i64, into_dim = 1 : i64"
    results.append(text.collective("all_to_all", part, moved, properties=held))
    results.append(
        text.collective("broadcast", local, f"tensor<{MATRIX}>", properties="root = 1 : i64")
    )
    whole = text.arg(f"tensor<{MATRIX}>")
    held = 'axes = ["dp"], dim = 1 : i64'
    results.append(text.op("shard", [whole], moved, held))
    return results


def rank_ops(text: Text) -> list[Value]:
    value = text.arg("tensor<4x6xf32>")
    step = text.arg("tensor<i32>")
    place = text.op("rank.coordinate", [], "index", f'mesh = {text.mesh}, axes = ["dp"]')
    size = text.op("arith.constant", [], "index", "value = 8 : index")
    at = "dim = 0 : i64"
    results = [
        place,
        text.collective("rank.all_reduce", value, value.type, reduction="sum", mesh=True),
        text.collective(
            "rank.reduce_scatter",
            value,
            "tensor<2x6xf32>",
            reduction="sum",
            properties=at,
            mesh=True,
        ),
        text.collective(
            "rank.all_gather", value, "tensor<8x6xf32>", properties=at, mesh=True, more=(size,)
        ),
        text.collective(
            "rank.all_to_all",
            value,
            "tensor<8x3xf32>",
            mesh=True,
            more=(size,),
            properties="from_dim = 0 : i64, into_dim = 1 : i64",
        ),
        text.collective(
            "rank.broadcast", value, value.type, mesh=True, properties="root = 0 : i64"
        ),
        text.collective("rank.shard", value, "tensor<2x6xf32>", mesh=True, properties=at),
        text.op("rank.reshape", [value, size], "tensor<?x3xf32>"),
    ]
    held = (
        "rate = 5.0e-1 : f64, seed = 1 : i64, stream = 2 : i64, "
        "operandSegmentSizes = array<i32: 1, 1, 2, 2, 1>"
    )
    operands = [value, step, place, place, size, size, place]
    return [*results, text.op("rank.dropout", operands, value.type, held)]


PROGRAMS = [pointwise, tensors, states, constants, collectives, rank_ops]


@pytest.mark.parametrize("build", PROGRAMS)
def test_case_P03_every_op_is_a_fixed_point(build):
    text = Text("dp = 2")
    is_fixed_point(text.ret(*build(text)).text())


# IR tests that hold all ops of a family.
FAMILIES = ("channel-ops", "for-each", "kernel-ops", "neural-ops", "overlap-ops", "rooted")


def family(name: str) -> str:
    return optimize((Path(__file__).parents[1] / f"lit/IR/{name}.mlir").read_text())


@pytest.mark.parametrize("name", FAMILIES)
def test_case_P03_ops_of_families_are_fixed_points(name):
    is_fixed_point(family(name))


def test_case_P03_covers_the_dialect():
    seen = {op.name for name in FAMILIES for op in mirror.parse(family(name)).walk()}
    for build in PROGRAMS:
        text = Text("dp = 2")
        module = mirror.parse(text.ret(*build(text)).text())
        seen |= {op.name for op in module.walk()}
    assert {op.name for op in DIALECT.operations} <= seen


@pytest.mark.parametrize(
    "parts",
    [
        "[{tp, dp}, {}]",
        "flat = {dp, tp}",
        "partial = {dp : sum, tp : sum}",
        "partial = {dp : max}, local = {tp}",
        "[{dp}, {}], partial = {tp : min}",
        "rooted = {dp : 1}",
        "[{}, {tp}], rooted = {dp : 0}",
    ],
)
@pytest.mark.parametrize("mesh", ["dp = 2, tp = 4", "dp = ?, tp = ?"])
def test_layouts_are_fixed_points(parts, mesh):
    text = Text(mesh)
    is_fixed_point(text.ret(text.arg(text.type("8x8xf32", parts))).text())


def test_case_P03_hexadecimal_constants():
    """Large constants are printed as little-endian bytes; i1 is one bit per element."""
    numbers = np.arange(200, dtype="<i4")
    bits = np.arange(200) % 3 == 0
    text = Text()
    text.ret(
        text.constant(f'"0x{numbers.tobytes().hex()}"', "tensor<200xi32>"),
        text.constant(str([str(bool(b)).lower() for b in bits]).replace("'", ""), "tensor<200xi1>"),
        text.constant('"0x01020304"', "tensor<1xi32>"),
    )
    is_fixed_point(text.text())
    results = run(optimize(text.text()), []).results
    np.testing.assert_array_equal(results[0], numbers)
    np.testing.assert_array_equal(results[1], bits)
    assert results[2] == [67305985]


def test_locations_and_aliases_are_read():
    text = Text("dp = 2")
    printed = optimize(text.ret(*collectives(text)).text(), "--mlir-print-debuginfo")
    assert "loc(" in printed
    module = mirror.parse(printed)
    assert optimize(mirror.to_text(module)) == optimize(printed)


def test_ops_must_fit_the_specification():
    text = Text()
    value = text.arg("tensor<4xf32>")
    text.ret(text.op("add", [value], "tensor<4xf32>"))
    with pytest.raises(VerifyException, match="Expected 2 operands"):
        mirror.parse(text.text()).verify()


def test_malformed_layout():
    text = Text()
    text.ret(text.arg(text.type("4xf32", "partial = {dp : sum}, unknown = {dp}")))
    with pytest.raises(ParseError, match="unknown part of a layout"):
        mirror.parse(text.text())
