"""Adam and its schedules: what the compiler will be asked to prove first."""

from __future__ import annotations

import pytest
from coconet_mlir.check import check_files, equivalent
from generic_text import Text, Value, optimize

SCALAR = "tensor<f32>"
WHOLE = "tensor<?xf32>"


def update(text: Text, gradient: Value, state: list[Value], step: Value, type_: str) -> list[Value]:
    """Parameter and both moments after one step of Adam; eps after the bias correction."""
    parameter, first, second = state
    constants = {"one": 1.0, "b1": 0.9, "b2": 0.999, "rate": 1e-2, "eps": 1e-8}
    held = {n: text.constant(f"{v:.6e}", SCALAR) for n, v in constants.items()}

    def op(name: str, *operands: Value, of: str = type_) -> Value:
        return text.op(name, list(operands), of)

    rest = [op("sub", held["one"], held[b], of=SCALAR) for b in ("b1", "b2")]
    first = op("add", op("mul", first, held["b1"]), op("mul", gradient, rest[0]))
    square = op("mul", gradient, gradient)
    second = op("add", op("mul", second, held["b2"]), op("mul", square, rest[1]))
    time = text.op("cast", [step], SCALAR, "element_type = f32")
    scales = [
        op("sub", held["one"], op("pow", held[b], time, of=SCALAR), of=SCALAR) for b in ("b1", "b2")
    ]
    root = op("add", op("sqrt", op("div", second, scales[1])), held["eps"])
    move = op("mul", op("div", op("div", first, scales[0]), root), held["rate"])
    return [op("sub", parameter, move), first, second]


def adam(form: str) -> Text:
    """The base program ("base"), its fused schedule ("fused"), the same with moments in
    slices ("sliced"), and two that are wrong."""
    text = Text()
    cut = text.type("?xf32", "flat = {dp}")
    kept = cut if form == "sliced" else WHOLE
    state = 'coconet.state, coconet.dims = ["n"]'
    gradient = text.arg(text.type("?xf32", "partial = {dp : sum}"), 'coconet.dims = ["n"]')
    old = [text.arg(WHOLE, state), text.arg(kept, state), text.arg(kept, state)]
    step = text.arg("tensor<i32>")
    if form == "base":
        total = text.collective("all_reduce", gradient, WHOLE, reduction="sum", label="avg")
        new = update(text, total, old, step, WHOLE)
    elif form == "not reduced":
        new = update(text, gradient, old, step, gradient.type)
        new = [text.collective("all_reduce", v, WHOLE, reduction="sum") for v in new]
    else:
        text.begin_fused()
        reduction = "max" if form == "reduced otherwise" else "sum"
        part = text.collective("reduce_scatter", gradient, cut, reduction=reduction)
        own = [v if v.type == cut else text.op("shard", [v], cut, 'axes = ["dp"]') for v in old]
        new = update(text, part, own, step, cut)
        gathered = 1 if form == "sliced" else 3
        new = [
            text.collective("all_gather", v, WHOLE) if i < gathered else v
            for i, v in enumerate(new)
        ]
        new = text.end_fused(new, "all_reduce")
    done = [text.op("update", [a, b], a.type) for a, b in zip(old, new, strict=True)]
    return text.ret(done[0])


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5, 8])
@pytest.mark.parametrize("form", ["fused", "sliced"])
def test_schedules_equal_the_base(form, ranks):
    texts = [optimize(adam(f).text()) for f in ("base", form)]
    report = equivalent(*texts, ranks=ranks, sizes={"n": 37})
    assert report.equivalent, str(report)
    assert report.error_bound < 2**-40
    assert report.results == 4


@pytest.mark.parametrize("form", ["not reduced", "reduced otherwise"])
def test_wrong_schedules_are_refused(form):
    report = equivalent(adam("base").text(), adam(form).text(), ranks=2)
    assert not report.equivalent
    assert "not equivalent on 2 ranks: result 0: values differ" in str(report)


def test_many_elements(tmp_path):
    paths = []
    for form in ("base", "fused"):
        paths.append(tmp_path / f"{form}.mlir")
        paths[-1].write_text(adam(form).text())
    report = check_files(*paths, ranks=8, sizes=2**16)
    assert str(report).startswith("equivalent on 8 ranks (4 results, 262144 elements, error")
