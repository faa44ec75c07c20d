"""Programs and verdicts that the tests of the oracle share."""

from __future__ import annotations

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
