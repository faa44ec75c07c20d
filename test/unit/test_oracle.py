"""The oracle itself: every known trap, as an illegal program and its legal twin."""

from __future__ import annotations

import pytest
from coconet_mlir.check import equivalent
from generic_text import Text, Value

RANKS = [2, 3, 4, 8]
PARTIAL = "partial = {dp : sum}"
FLAT = "flat = {dp}"


def accepted(base: Text, scheduled: Text, **options) -> None:
    report = equivalent(base.text(), scheduled.text(), **options)
    assert report.equivalent, str(report)
    assert report.error_bound < 2**-30
    assert str(report).startswith("equivalent on ")


def rejected(base: Text, scheduled: Text, **options) -> str:
    report = equivalent(base.text(), scheduled.text(), **options)
    assert not report.equivalent, str(report)
    return str(report)


def all_reduce(text: Text, value: Value, reduction: str = "sum", shape: str = "?xf32", **more):
    return text.collective("all_reduce", value, text.type(shape), reduction=reduction, **more)


def pending(text: Text, shape: str = "?xf32", kind: str = "sum") -> Value:
    return text.arg(text.type(shape, f"partial = {{dp : {kind}}}"))


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


@pytest.mark.parametrize(("name", "legal"), [("exp", True), ("neg", False)])
def test_monotone_op_on_a_pending_maximum(name, legal):
    # exp keeps the order of numbers, not the random order: only the float64
    # semantics could show it, so that rewrite is out of the oracle's reach.
    after, before = Text(), Text()
    total = all_reduce(after, pending(after, kind="max"), "max")
    after.ret(after.op(name, [total], "tensor<?xf32>"))
    value = pending(before, kind="max")
    early = before.op(name, [value], before.type("?xf32", "partial = {dp : max}"))
    before.ret(all_reduce(before, early, "max"))
    if not legal:
        rejected(after, before, ranks=3)


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


def test_average_is_divided_once():
    base, other = Text(), Text()
    value = base.arg(base.type("?xf32", "local = {dp}"))
    base.ret(all_reduce(base, value, "avg"))
    value = other.arg(other.type("?xf32", "local = {dp}"))
    quarter = other.constant("2.5e-1", "tensor<f32>")
    other.ret(other.op("mul", [all_reduce(other, value), quarter], "tensor<?xf32>"))
    accepted(base, other, ranks=4)
    rejected(base, other, ranks=8)


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


def test_state_that_is_not_updated():
    base, other = Text(), Text()
    for text, skipped in ((base, False), (other, True)):
        state = text.arg("tensor<?xf32>", "coconet.state")
        new = text.op("neg", [state], "tensor<?xf32>")
        text.ret(new if skipped else text.op("update", [state, new], "tensor<?xf32>"))
    assert "state argument 0" in rejected(base, other)


def test_report_names_the_first_op_that_differs():
    def program(step: str) -> Text:
        text = Text()
        value = all_reduce(text, pending(text), label="avg")
        scaled = text.op(step, [value, value], "tensor<?xf32>", label="scaled")
        return text.ret(text.op("exp", [scaled], "tensor<?xf32>", label="out"))

    message = rejected(program("add"), program("mul"), ranks=2)
    assert 'the first named op that differs is "scaled"' in message
    assert "on one random input" in message


def test_interface_differences():
    base, other = Text(), Text()
    base.ret(base.arg("tensor<?xf32>"))
    other.ret(other.arg("tensor<?xf32>"), other.arg("tensor<?xf32>"))
    assert "arguments: the base has 1, the schedule 2" in rejected(base, other)
    other = Text()
    other.ret(all_reduce(other, pending(other)))
    assert "ranks bring unlike values" in rejected(base, other, ranks=2)


def test_schedule_that_no_rank_can_run():
    base, other = Text(), Text()
    cut = "[{dp}]"
    for text in (base, other):
        value = text.arg(text.type("?xf32", cut))
        whole = text.collective("all_gather", value, "tensor<?xf32>", properties="dim = 0 : i64")
        text.ret(text.op("neg", [value if text is other else whole], "tensor<?xf32>"))
    assert "the schedule cannot run: coconet.neg: rank 0 needs elements" in rejected(
        base, other, ranks=2
    )
