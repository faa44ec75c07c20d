"""The oracle itself: traps of computation, as illegal programs and legal twins."""

from __future__ import annotations

import pytest
from generic_text import Text
from oracle_support import FLAT, PARTIAL, RANKS, accepted, all_reduce, pending, rejected


def unary_after(name: str, operand: str = "?xf32") -> tuple[Text, Text]:
    """An op after the reduction, and before it."""
    after, before = Text(), Text()
    total = all_reduce(after, pending(after, operand), shape=operand)
    after.ret(after.op(name, [total], after.type(operand)))
    early = before.op(name, [pending(before, operand)], before.type(operand, PARTIAL))
    before.ret(all_reduce(before, early, shape=operand))
    return after, before


@pytest.mark.parametrize("ranks", RANKS)
def test_case_N01_constant_on_a_pending_sum(ranks):
    after, before = Text(), Text()
    ten = "dense<10.0>"
    total = all_reduce(after, pending(after))
    constant = after.op("constant", [], "tensor<f32>", f"value = {ten} : tensor<f32>")
    after.ret(after.op("add", [total, constant], after.type("?xf32")))
    value = pending(before)
    constant = before.op("constant", [], "tensor<f32>", f"value = {ten} : tensor<f32>")
    early = before.op("add", [value, constant], before.type("?xf32", PARTIAL))
    before.ret(all_reduce(before, early))
    message = rejected(after, before, ranks=ranks)
    assert "values differ at element [0]" in message


@pytest.mark.parametrize("name", ["relu", "abs", "sqrt", "exp", "tanh", "gelu"])
def test_nonlinear_op_on_a_pending_sum(name):
    rejected(*unary_after(name), ranks=3)


def test_linear_op_on_a_pending_sum():
    accepted(*unary_after("neg"), ranks=3)


@pytest.mark.parametrize(("name", "legal"), [("mul", True), ("div", True), ("max", False)])
def test_binary_op_with_an_equal_value_on_a_pending_sum(name, legal):
    after, before = Text(), Text()
    total = all_reduce(after, pending(after))
    after.ret(after.op(name, [total, after.arg("tensor<?xf32>")], "tensor<?xf32>"))
    value = pending(before)
    early = before.op(name, [value, before.arg("tensor<?xf32>")], before.type("?xf32", PARTIAL))
    before.ret(all_reduce(before, early))
    (accepted if legal else rejected)(after, before, ranks=4)


def test_product_of_two_pending_sums():
    after, before = Text(), Text()
    factors = [all_reduce(after, v) for v in (pending(after), pending(after))]
    after.ret(after.op("mul", factors, "tensor<?xf32>"))
    values = [pending(before), pending(before)]
    early = before.op("mul", values, before.type("?xf32", PARTIAL))
    before.ret(all_reduce(before, early))
    rejected(after, before, ranks=2)


@pytest.mark.parametrize("kind", ["max", "min"])
@pytest.mark.parametrize(
    ("name", "legal"),
    [
        ("exp", True),
        ("log", True),
        ("relu", True),
        ("sigmoid", True),
        ("sqrt", True),
        ("tanh", True),
        ("neg", False),
        ("abs", False),
        ("gelu", False),
        ("silu", False),
    ],
)
def test_only_increasing_ops_cross_a_pending_maximum(name, legal, kind):
    after, before = Text(), Text()
    total = all_reduce(after, pending(after, kind=kind), kind)
    after.ret(after.op(name, [total], "tensor<?xf32>"))
    value = pending(before, kind=kind)
    early = before.op(name, [value], before.type("?xf32", f"partial = {{dp : {kind}}}"))
    before.ret(all_reduce(before, early, kind))
    (accepted if legal else rejected)(after, before, ranks=3)


@pytest.mark.parametrize("ranks", RANKS)
def test_maximum_with_a_pending_maximum(ranks):
    after, before = Text(), Text()
    totals = [all_reduce(after, pending(after, kind="max"), "max") for _ in range(2)]
    after.ret(after.op("max", totals, "tensor<?xf32>"))
    values = [pending(before, kind="max") for _ in range(2)]
    early = before.op("max", values, before.type("?xf32", "partial = {dp : max}"))
    before.ret(all_reduce(before, early, "max"))
    accepted(after, before, ranks=ranks)


def mean_programs(kind: str) -> tuple[Text, Text]:
    """The mean of a cut tensor, against one per rank that is then averaged."""
    after, before = Text(), Text()
    value = after.arg(after.type("?xf32", "[{dp}]"))
    whole = after.collective("all_gather", value, "tensor<?xf32>", properties="dim = 0 : i64")
    dims = "kind = #coconet<reduce_kind mean>, dims = array<i64: 0>"
    after.ret(after.op("reduce", [whole], "tensor<f32>", dims))
    value = before.arg(before.type("?xf32", "[{dp}]"))
    if kind == "pending":
        part = before.op("reduce", [value], before.type("f32", PARTIAL), dims)
        before.ret(all_reduce(before, part, shape="f32"))
    else:
        # What a compiler would emit that divides by the number of its own elements.
        ones = before.op("div", [value, value], before.type("?xf32", "[{dp}]"))
        sums = "kind = #coconet<reduce_kind sum>, dims = array<i64: 0>"
        local = before.type("f32", "local = {dp}")
        total = before.op("reduce", [value], local, sums)
        count = before.op("reduce", [ones], local, sums)
        mean = before.op("div", [total, count], local)
        before.ret(before.collective("all_reduce", mean, "tensor<f32>", reduction="avg"))
    return after, before


def test_mean_of_means():
    rejected(*mean_programs("mean of means"), ranks=3, sizes=7)


@pytest.mark.parametrize("ranks", RANKS)
def test_mean_by_logical_count(ranks):
    accepted(*mean_programs("pending"), ranks=ranks, sizes=7)


def norm_programs(form: str) -> tuple[Text, Text]:
    base, other = Text(), Text()
    value = base.arg(base.type("?xf32", FLAT))
    base.ret(base.op("norm", [value], "tensor<f32>"))
    value = other.arg(other.type("?xf32", FLAT))
    if form == "of shards":
        shard = other.op("mul", [value, value], other.type("?xf32", FLAT))
        sums = "kind = #coconet<reduce_kind sum>, dims = array<i64: 0>"
        local = other.type("f32", PARTIAL)
        root = other.op("sqrt", [other.op("reduce", [shard], local, sums)], local)
        other.ret(all_reduce(other, root, shape="f32"))
    else:
        squares = other.op("mul", [value, value], other.type("?xf32", FLAT))
        sums = "kind = #coconet<reduce_kind sum>, dims = array<i64: 0>"
        part = other.op("reduce", [squares], other.type("f32", PARTIAL), sums)
        total = all_reduce(other, part, shape="f32")
        other.ret(other.op("sqrt", [total], "tensor<f32>"))
    return base, other


def test_norms_of_shards():
    rejected(*norm_programs("of shards"), ranks=2)


def test_norm_by_sum_of_squares():
    accepted(*norm_programs("of all"), ranks=3)


def test_norm_of_a_pending_sum():
    after, before = Text(), Text()
    after.ret(after.op("norm", [all_reduce(after, pending(after))], "tensor<f32>"))
    before.ret(before.op("norm", [pending(before)], "tensor<f32>"))
    assert "disagree" in rejected(after, before, ranks=2)


@pytest.mark.parametrize("layout", ["[{dp}, {}]", "[{}, {dp}]", FLAT, ""])
def test_case_N13_dropout_of_slices(layout):
    base, other = Text(), Text()
    rate = "rate = 0.25 : f64, seed = 12345678901 : i64, stream = 3 : i64"
    for text, cut in ((base, ""), (other, layout)):
        value = text.arg(text.type("7x5xf32", cut))
        step = text.arg("tensor<i32>")
        text.ret(text.op("dropout", [value, step], value.type, rate))
    accepted(base, other, ranks=4)


def test_dropout_streams_differ():
    base, other = Text(), Text()
    for text, stream in ((base, 1), (other, 2)):
        value, step = text.arg("tensor<64xf32>"), text.arg("tensor<i32>")
        rate = f"rate = 0.5 : f64, seed = 7 : i64, stream = {stream} : i64"
        text.ret(text.op("dropout", [value, step], value.type, rate))
    rejected(base, other)


def test_dropout_crosses_a_pending_sum():
    after, before = Text(), Text()
    rate = "rate = 0.5 : f64, seed = 7 : i64, stream = 1 : i64"
    value, step = pending(after), after.arg("tensor<i32>")
    after.ret(after.op("dropout", [all_reduce(after, value), step], "tensor<?xf32>", rate))
    value, step = pending(before), before.arg("tensor<i32>")
    early = before.op("dropout", [value, step], value.type, rate)
    before.ret(all_reduce(before, early))
    accepted(after, before, ranks=4)


@pytest.mark.parametrize(("filler", "legal"), [("0.0", False), ("0xFF800000", True)])
def test_padding_that_wins_a_maximum(filler, legal):
    base, other = Text(), Text()
    top = "kind = #coconet<reduce_kind max>, dims = array<i64: 0>"
    base.ret(base.op("reduce", [base.arg("tensor<5xf32>")], "tensor<f32>", top))
    value = other.arg("tensor<5xf32>")
    filling = other.constant(filler, "tensor<3xf32>")
    padded = other.op("concat", [value, filling], "tensor<8xf32>", "dim = 0 : i64")
    other.ret(other.op("reduce", [padded], "tensor<f32>", top))
    (accepted if legal else rejected)(base, other)


def test_zero_padding_loses_a_sum():
    base, other = Text(), Text()
    total = "kind = #coconet<reduce_kind sum>, dims = array<i64: 0>"
    base.ret(base.op("reduce", [base.arg("tensor<5xf32>")], "tensor<f32>", total))
    filling = other.constant("0.0", "tensor<3xf32>")
    value = other.arg("tensor<5xf32>")
    padded = other.op("concat", [value, filling], "tensor<8xf32>", "dim = 0 : i64")
    other.ret(other.op("reduce", [padded], "tensor<f32>", total))
    accepted(base, other)


def test_case_N05_eps_is_not_rescaled():
    def program(inside: bool) -> Text:
        text = Text()
        v, correction = text.arg("tensor<?xf32>"), text.arg("tensor<f32>")
        eps = text.constant("1.0e-2", "tensor<f32>")
        whole = "tensor<?xf32>"
        if inside:
            root = text.op("sqrt", [v], whole)
            scale = text.op("sqrt", [correction], "tensor<f32>")
            shifted = text.op("add", [root, eps], whole)
            return text.ret(text.op("div", [shifted, scale], whole))
        root = text.op("sqrt", [text.op("div", [v, correction], whole)], whole)
        return text.ret(text.op("add", [root, eps], whole))

    accepted(program(False), program(False))
    rejected(program(False), program(True))


def test_cast_to_a_narrower_type_does_not_cross_a_sum():
    after, before = Text(), Text()
    total = all_reduce(after, pending(after))
    after.ret(after.op("cast", [total], "tensor<?xbf16>", "element_type = bf16"))
    early = before.op(
        "cast", [pending(before)], before.type("?xbf16", PARTIAL), "element_type = bf16"
    )
    before.ret(all_reduce(before, early, shape="?xbf16"))
    rejected(after, before, ranks=2)


def test_cast_to_a_wider_type_crosses_a_sum():
    after, before = Text(), Text()
    total = all_reduce(after, pending(after, "?xbf16"), shape="?xbf16")
    after.ret(after.op("cast", [total], "tensor<?xf32>", "element_type = f32"))
    early = before.op(
        "cast", [pending(before, "?xbf16")], before.type("?xf32", PARTIAL), "element_type = f32"
    )
    before.ret(all_reduce(before, early))
    accepted(after, before, ranks=2)


def test_silu_equals_its_definition():
    base, other = Text(), Text()
    whole = "tensor<?xf32>"
    base.ret(base.op("silu", [base.arg(whole)], whole))
    value = other.arg(whole)
    other.ret(other.op("mul", [value, other.op("sigmoid", [value], whole)], whole))
    accepted(base, other)


def test_folding_that_rounds_is_refused():
    base, other = Text(), Text()
    scalar = "tensor<f32>"
    value = base.arg("tensor<?xf32>")
    parts = [base.constant("0.1", scalar), base.constant("0.7", scalar)]
    base.ret(base.op("mul", [value, base.op("mul", parts, scalar)], "tensor<?xf32>"))
    value = other.arg("tensor<?xf32>")
    other.ret(other.op("mul", [value, other.constant("0.07", scalar)], "tensor<?xf32>"))
    rejected(base, other)
