"""The oracle itself: traps of communication, as illegal programs and legal twins."""

from __future__ import annotations

import pytest
from coconet_mlir.check import equivalent
from generic_text import Text
from oracle_support import FLAT, PARTIAL, accepted, all_reduce, rejected


def dropout_programs(form: str) -> tuple[Text, Text]:
    base, other = Text(), Text()
    rate = "rate = 0.5 : f64, seed = 7 : i64, stream = 1 : i64"
    value = base.arg("tensor<?xf32>")
    step = base.arg("tensor<i64>")
    base.ret(base.op("dropout", [value, step], "tensor<?xf32>", rate))
    value = other.arg("tensor<?xf32>", f"coconet.layout = {other.layout('[{dp}]')}")
    step = other.arg("tensor<i64>")
    mesh = f'mesh = {other.mesh}, axes = ["dp"]'
    place = other.op("rank.coordinate", [], "index", mesh)
    zero = other.op("arith.constant", [], "index", "value = 0 : index")
    one = other.op("arith.constant", [], "index", "value = 1 : index")
    width = other.arg("tensor<i64>")
    index = other.op("tensor.extract", [width], "i64")
    chunk = other.op("arith.index_cast", [index], "index")
    offset = other.op("arith.muli", [place, chunk], "index")
    if form == "by rank":
        offset = zero
    segments = "operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>, "
    kept = other.op(
        "rank.dropout", [value, step, offset, one, zero], "tensor<?xf32>", segments + rate
    )
    base.arg("tensor<i64>")
    other.ret(kept, attributes=(f"coconet.layout = {other.layout('[{dp}]')}",))
    return base, other


def test_dropout_by_rank(monkeypatch):
    # The third argument is the width of a chunk, which random inputs cannot know.
    from coconet_mlir.interpreter import comparison

    draw = comparison.random_inputs

    def with_width(*arguments):
        inputs = draw(*arguments)
        inputs[2] = inputs[2] * 0 + 16
        return inputs

    monkeypatch.setattr(comparison, "random_inputs", with_width)
    accepted(*dropout_programs("global"), ranks=4, sizes=61)
    rejected(*dropout_programs("by rank"), ranks=4, sizes=61)


@pytest.mark.parametrize("legal", [True, False])
def test_case_S05_gather_along_another_dimension(legal):
    base, other = Text(), Text()
    value = base.arg(base.type("4x6xf32", "[{}, {dp}]"))
    base.ret(base.collective("all_gather", value, "tensor<4x6xf32>", properties="dim = 1 : i64"))
    layout = f"coconet.layout = {other.layout('[{}, {dp}]')}"
    value = other.arg("tensor<4x3xf32>", layout)
    eight = other.op("arith.constant", [], "index", "value = 8 : index")
    rows = other.collective(
        "rank.all_gather",
        value,
        "tensor<8x3xf32>",
        properties="dim = 0 : i64",
        mesh=True,
        more=(eight,),
    )
    if legal:
        split = other.op("reshape", [rows], "tensor<2x4x3xf32>")
        order = "permutation = array<i64: 1, 0, 2>"
        moved = other.op("transpose", [split], "tensor<4x2x3xf32>", order)
        other.ret(other.op("reshape", [moved], "tensor<4x6xf32>"))
        accepted(base, other, ranks=2)
    else:
        other.ret(other.op("reshape", [rows], "tensor<4x6xf32>"))
        rejected(base, other, ranks=2)


@pytest.mark.parametrize(("axes", "legal"), [('"dp", "tp"', True), ('"tp", "dp"', False)])
def test_two_cuts_in_the_wrong_order(axes, legal):
    base, other = Text("dp = 2, tp = 2"), Text("dp = 2, tp = 2")
    both = "partial = {dp : sum, tp : sum}"
    cut = "[{dp, tp}]"
    for text, order in ((base, '"dp", "tp"'), (other, axes)):
        value = text.arg(text.type("8xf32", both))
        part = text.collective(
            "reduce_scatter",
            value,
            text.type("8xf32", cut),
            axes=order,
            reduction="sum",
            properties="dim = 0 : i64",
        )
        text.ret(part)
    (accepted if legal else rejected)(base, other)


@pytest.mark.parametrize(("order", "legal"), [(("tp", "dp"), True), (("dp", "tp"), False)])
def test_gathers_undo_cuts_from_the_inside(order, legal):
    base, other = Text("dp = 2, tp = 2"), Text("dp = 2, tp = 2")
    value = base.arg(base.type("8xf32", "[{dp, tp}]"))
    base.ret(
        base.collective(
            "all_gather", value, "tensor<8xf32>", axes='"dp", "tp"', properties="dim = 0 : i64"
        )
    )
    value = other.arg(other.type("8xf32", "[{dp, tp}]"))
    left = "dp" if order[0] == "tp" else "tp"
    half = other.collective(
        "all_gather",
        value,
        other.type("8xf32", f"[{{{left}}}]"),
        axes=f'"{order[0]}"',
        properties="dim = 0 : i64",
    )
    other.ret(
        other.collective(
            "all_gather", half, "tensor<8xf32>", axes=f'"{order[1]}"', properties="dim = 0 : i64"
        )
    )
    (accepted if legal else rejected)(base, other)


def gathers(first: str, second: str) -> Text:
    text = Text("dp = 4")
    local = text.type("1xf32", "local = {dp}")
    value = text.arg(local)
    wide = text.type("2xf32", "local = {dp}")
    parts = [
        text.collective("all_gather", value, wide, groups=g, properties="dim = 0 : i64")
        for g in (first, second)
    ]
    return text.ret(*parts)


def test_case_L02_merged_gathers_of_unlike_groups():
    near, far = "[[0, 1], [2, 3]]", "[[0, 2], [1, 3]]"
    accepted(gathers(near, far), gathers(near, far))
    rejected(gathers(near, far), gathers(near, near))


@pytest.mark.parametrize("changed", ["max", "prod"])
def test_merged_reductions_of_unlike_kinds(changed):
    base, other = Text(), Text()
    for text, kind in ((base, "sum"), (other, changed)):
        value = text.arg(text.type("?xf32", "local = {dp}"))
        results = [all_reduce(text, value, kind), all_reduce(text, value, changed)]
        text.ret(*results)
    rejected(base, other, ranks=3)


@pytest.mark.parametrize(("root", "legal"), [(0, True), (1, False)])
def test_merged_broadcasts_of_unlike_roots(root, legal):
    base, other = Text(), Text()
    for text, at in ((base, 0), (other, root)):
        value = text.arg(text.type("?xf32", "local = {dp}"))
        text.ret(
            text.collective("broadcast", value, "tensor<?xf32>", properties=f"root = {at} : i64")
        )
    (accepted if legal else rejected)(base, other, ranks=2)


def select_programs(condition: str) -> tuple[Text, Text]:
    """A reduction of a select, against a select of reductions."""
    base, other = Text(), Text()
    for text, hoisted in ((base, False), (other, True)):
        choice = text.arg(text.type("?xi1", condition))
        local = text.type("?xf32", "local = {dp}")
        values = [text.arg(local), text.arg(local)]
        if hoisted:
            totals = [all_reduce(text, value) for value in values]
            text.ret(text.op("select", [choice, *totals], "tensor<?xf32>"))
        else:
            chosen = text.op("select", [choice, *values], local)
            text.ret(all_reduce(text, chosen))
    return base, other


def test_reduction_hoisted_over_a_select():
    assert "disagree" in rejected(*select_programs("local = {dp}"), ranks=2)
    accepted(*select_programs(""), ranks=2)


def test_case_L05_slice_before_the_reduction():
    base, other = Text(), Text()
    cut = "[{dp}]"
    value = base.arg(base.type("4xf32", PARTIAL))
    total = all_reduce(base, value, shape="4xf32")
    base.ret(base.op("shard", [total], base.type("4xf32", cut), 'dim = 0 : i64, axes = ["dp"]'))
    value = other.arg(other.type("4xf32", PARTIAL))
    # A local tensor of two elements: each rank reduces its own slice.
    layout = other.layout(PARTIAL)
    rank = Text()
    argument = rank.arg("tensor<4xf32>", f"coconet.layout = {layout}")
    part = rank.collective(
        "rank.shard", argument, "tensor<2xf32>", properties="dim = 0 : i64", mesh=True
    )
    total = rank.collective("rank.all_reduce", part, "tensor<2xf32>", reduction="sum", mesh=True)
    rank.ret(total, attributes=(f"coconet.layout = {rank.layout(cut)}",))
    rejected(base, rank, ranks=2)
    other.ret(
        other.collective(
            "reduce_scatter",
            value,
            other.type("4xf32", cut),
            reduction="sum",
            properties="dim = 0 : i64",
        )
    )
    accepted(base, other, ranks=2)


def bias_correction(form: str) -> Text:
    """One chunk per rank, whose step counter the ranks share or count on."""
    text = Text()
    layout = f"coconet.layout = {text.layout('[{dp}]')}"
    value = text.arg("tensor<?xf32>", layout)
    step = text.arg("tensor<i64>")
    now = text.op("tensor.extract", [step], "i64")
    if form == "per chunk":
        place = text.op("rank.coordinate", [], "index", f'mesh = {text.mesh}, axes = ["dp"]')
        counted = text.op("arith.index_cast", [place], "i64")
        now = text.op("arith.addi", [now, counted], "i64")
    whole = text.op("tensor.from_elements", [now], "tensor<i64>")
    real = text.op("cast", [whole], "tensor<f32>", "element_type = f32")
    beta = text.constant("0.9", "tensor<f32>")
    decayed = text.op("pow", [beta, real], "tensor<f32>")
    text.ret(text.op("div", [value, decayed], "tensor<?xf32>"), attributes=(layout,))
    return text


def test_bias_correction_by_a_per_chunk_counter():
    base = Text()
    value, step = base.arg("tensor<?xf32>"), base.arg("tensor<i64>")
    real = base.op("cast", [step], "tensor<f32>", "element_type = f32")
    beta = base.constant("0.9", "tensor<f32>")
    decayed = base.op("pow", [beta, real], "tensor<f32>")
    base.ret(base.op("div", [value, decayed], "tensor<?xf32>"))
    accepted(base, bias_correction("shared"), ranks=3)
    rejected(base, bias_correction("per chunk"), ranks=3)


def test_average_is_divided_once():
    base, other = Text(), Text()
    value = base.arg(base.type("?xf32", "local = {dp}"))
    base.ret(all_reduce(base, value, "avg"))
    value = other.arg(other.type("?xf32", "local = {dp}"))
    quarter = other.constant("2.5e-1", "tensor<f32>")
    other.ret(other.op("mul", [all_reduce(other, value), quarter], "tensor<?xf32>"))
    accepted(base, other, ranks=4)
    rejected(base, other, ranks=8)


def found_inf(reduced: bool) -> Text:
    """A loss-scale skip: all ranks skip, or only the one that overflowed."""
    text = Text()
    cut = text.type("?xf32", FLAT)
    gradient = text.arg(cut)
    weight = text.arg(cut, "coconet.state")
    finite = text.op("is_finite", [gradient], text.type("?xi1", FLAT))
    flags = text.op("cast", [finite], text.type("?xi32", FLAT), "element_type = i32")
    low = "kind = #coconet<reduce_kind min>, dims = array<i64: 0>"
    kind = "partial = {dp : min}" if reduced else "local = {dp}"
    worst = text.op("reduce", [flags], text.type("i32", kind), low)
    if reduced:
        worst = text.collective("all_reduce", worst, "tensor<i32>", reduction="min")
    good = text.type("i1", "" if reduced else "local = {dp}")
    fine = text.op("cast", [worst], good, "element_type = i1")
    stepped = text.op("sub", [weight, gradient], cut)
    chosen = text.op("select", [fine, stepped, weight], cut)
    return text.ret(text.op("update", [weight, chosen], cut))


def test_found_inf_is_seen_by_all_ranks():
    accepted(found_inf(True), found_inf(True), ranks=4, sizes=64)
    outcomes = [
        equivalent(found_inf(True).text(), found_inf(False).text(), ranks=4, sizes=64, seed=s)
        for s in range(4)
    ]
    assert not any(outcome.equivalent for outcome in outcomes)
