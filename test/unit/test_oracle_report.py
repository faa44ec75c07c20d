"""What a comparison says, and what keeps programs from being compared."""

from __future__ import annotations

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
