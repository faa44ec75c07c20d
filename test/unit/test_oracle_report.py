"""What a comparison says, and what keeps programs from being compared."""

from __future__ import annotations

import pytest
from coconet_mlir.check import equivalent
from coconet_mlir.interpreter import InterpretationError
from generic_text import Text
from oracle_support import all_reduce, pending, rejected


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


def test_conditions_that_went_one_way_are_noted():
    base = Text()
    step, value = base.arg("tensor<i32>"), base.arg("tensor<?xf32>")
    zero = base.constant("0", "tensor<i32>")
    held = "predicate = #coconet<predicate ge>"
    later = base.op("compare", [step, zero], "tensor<i1>", held, label="later")
    doubled = base.op("add", [value, value], "tensor<?xf32>")
    base.ret(base.op("select", [later, doubled, value], "tensor<?xf32>"))
    report = equivalent(base.text(), base.text())
    assert report.equivalent and report.rounds == 5
    assert (
        'note: coconet.compare "later" always went one way: the other way is not compared'
        in str(report)
    )


def test_single_wrong_candidates_of_a_maximum_are_noted():
    base = Text()
    held = "kind = #coconet<reduce_kind max>, dims = array<i64: 0>"
    base.ret(base.op("reduce", [base.arg("tensor<100xf32>")], "tensor<f32>", held))
    assert "a maximum picks one of up to 100 elements: a single wrong one shows with" in str(
        equivalent(base.text(), base.text())
    )


def test_open_sizes_that_must_divide():
    """Where 13 does not do, a size that every group divides is taken."""
    base = Text()
    value = base.arg("tensor<?xf32>")
    base.ret(base.op("reshape", [value], "tensor<?x4xf32>"))
    report = equivalent(base.text(), base.text())
    assert report.equivalent and report.elements == 4
    with pytest.raises(InterpretationError, match="13 elements of shape"):
        equivalent(base.text(), base.text(), sizes=13)


def test_sizes_by_name():
    base = Text()
    base.ret(base.arg("tensor<?x?xf32>", 'coconet.dims = ["n", "m"]'))
    assert equivalent(base.text(), base.text(), sizes={"n": 3, "m": 5}).elements == 15


def test_mesh_sizes_are_bound_or_overridden():
    base = Text("dp = 2, tp = ?")
    base.ret(base.arg(base.type("?xf32", "[{dp, tp}]")))
    assert equivalent(base.text(), base.text(), mesh={"tp": 3}).ranks == 6
    assert equivalent(base.text(), base.text(), mesh={"dp": 1, "tp": 5}).ranks == 5
    with pytest.raises(InterpretationError, match="do not say the sizes of axes dp, tp"):
        equivalent(base.text(), base.text(), ranks=4)


def test_modules_without_a_function():
    with pytest.raises(InterpretationError, match="no function to run; functions here: none"):
        equivalent('"builtin.module"() ({}) : () -> ()', '"builtin.module"() ({}) : () -> ()')
    base = Text()
    base.ret(base.arg("tensor<f32>"))
    with pytest.raises(InterpretationError, match="no function 'other'; functions here: main"):
        equivalent(base.text(), base.text(), function="other")
