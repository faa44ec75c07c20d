"""Equivalence of a program and its schedule, by random evaluation over a finite field.

Floating point cannot show that two programs are equal after reassociation, so
both run on simulated ranks over a finite field, on equal random inputs, and
their logical results and final states are compared. Wire types and algorithms
of collectives are identity here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Sizes = int | Mapping[str, int]

_ROUNDS = 5


@dataclass(frozen=True)
class Difference:
    """The first place where two programs part.

    `base` and `scheduled` are the values there on one random float64 input,
    where both exist.
    """

    where: str
    reason: str
    index: tuple[int, ...] | None = None
    base: float | None = None
    scheduled: float | None = None
    op: str | None = None

    def __str__(self) -> str:
        text = f"{self.where}: {self.reason}"
        if self.index is not None:
            text += f" at element {list(self.index)}"
        if self.base is not None:
            text += f" (on one random input: {self.base:.6g} and {self.scheduled:.6g})"
        if self.op is not None:
            text += f'; the first named op that differs is "{self.op}"'
        return text


@dataclass(frozen=True)
class Report:
    """Outcome of a comparison; `str()` is what a user reads."""

    equivalent: bool
    ranks: int
    results: int
    elements: int
    error_bound: float
    rounds: int = 1
    difference: Difference | None = None
    notes: tuple[str, ...] = field(default=())

    def __bool__(self) -> bool:
        return self.equivalent

    def __str__(self) -> str:
        if not self.equivalent:
            return f"not equivalent on {_count(self.ranks, 'rank')}: {self.difference}"
        text = (
            f"equivalent on {_count(self.ranks, 'rank')} ({_count(self.results, 'result')}, "
            f"{_count(self.elements, 'element')}, error probability "
            f"{_power_of_two(self.error_bound)})"
        )
        return "\n".join([text, *(f"note: {note}" for note in self.notes)])


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _power_of_two(bound: float) -> str:
    if bound <= 0:
        return "0"
    exponent = math.ceil(math.log2(bound))
    return f"below 2^{exponent}" if exponent < 0 else "not bounded"


def equivalent(
    base: Any,
    scheduled: Any,
    *,
    mesh: Mapping[str, int] | None = None,
    ranks: int | None = None,
    seed: int = 0,
    sizes: Sizes | None = None,
    function: str | None = None,
) -> Report:
    """Compare two programs in generic form (text, or modules of the mirror).

    Open mesh sizes are bound by `mesh`, or by `ranks` for a mesh of one axis;
    open dimensions by `sizes` (one for all, or by `coconet.dims` name), else
    by a number that no group divides. The scheduled program may cut states and
    results otherwise than the base, or be a rank program. Raises
    `InterpretationError` where the base itself cannot run.
    """
    from coconet_mlir.interpreter.comparison import Comparison

    comparison = Comparison(base, scheduled, mesh, ranks, sizes, function)
    rounds = 0
    chance = 1.0
    difference = comparison.interface_difference()
    while difference is None and rounds < _ROUNDS:
        outcome = comparison.round(seed, rounds)
        rounds += 1
        difference = outcome.difference
        chance = min(chance, outcome.chance)
        if rounds >= comparison.rounds_needed() and not comparison.one_sided():
            break
    return Report(
        difference is None,
        comparison.ranks,
        comparison.results,
        comparison.elements,
        chance,
        rounds,
        difference,
        tuple(comparison.notes(rounds)),
    )


def check_files(base: Path | str, scheduled: Path | str, **options: Any) -> Report:
    """`equivalent` for two files in generic form."""
    return equivalent(Path(base).read_text(), Path(scheduled).read_text(), **options)
