"""Two programs side by side: equal inputs, and the first place where they part."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coconet_mlir.check import Difference
from coconet_mlir.interpreter.collectives import combine
from coconet_mlir.interpreter.communication import wire_type
from coconet_mlir.interpreter.degrees import Degrees, coincidence
from coconet_mlir.interpreter.domain import Array, Domain, InterpretationError
from coconet_mlir.interpreter.field import Field
from coconet_mlir.interpreter.float64 import Float64
from coconet_mlir.interpreter.layouts import Mesh
from coconet_mlir.interpreter.run import (
    Execution,
    elements_in,
    execute,
    logical_shapes,
    random_inputs,
)
from coconet_mlir.interpreter.stages import Stage, Whole, load_whole
from coconet_mlir.interpreter.types import given_name, op_name
from coconet_mlir.interpreter.values import (
    Logical,
    Value,
    first_difference,
    gather,
    leading_axes,
    same,
)

# Of an open dimension: no group divides it; or, where a program needs that, all do.
_DEFAULT_SIZE = 13
_EVEN_SIZE = 4


@dataclass
class Outcome:
    """Of one round: the first difference, and the chance that one was missed."""

    difference: Difference | None
    chance: float


class Comparison:
    """Runs both programs, round by round, under fresh keys."""

    def __init__(
        self,
        base: Any,
        scheduled: Any,
        mesh: Mapping[str, int] | None,
        ranks: int | None,
        sizes: int | Mapping[str, int] | None,
        function: str | None,
    ) -> None:
        self.base, self.scheduled = (
            load_whole(source, mesh, ranks, function, spread=False) for source in (base, scheduled)
        )
        self.ranks = max(self.base.ranks, self.scheduled.ranks)
        self.outcomes: dict[object, set[bool]] = {}
        self.choices: dict[str, int] = {}
        self.open = sizes is None
        self.shapes = logical_shapes(self.base, sizes, _DEFAULT_SIZE)
        states = [port for port in self.base.arguments if port.state]
        self.results = len(self.base.results) + len(states)
        self.elements = 0

    def interface_difference(self) -> Difference | None:
        """What keeps the programs from being called alike."""
        base, scheduled = self.base, self.scheduled
        for what in ("arguments", "results"):
            ours, theirs = getattr(base, what), getattr(scheduled, what)
            if len(ours) != len(theirs):
                return Difference(what, f"the base has {len(ours)}, the schedule {len(theirs)}")
            for mine, other in zip(ours, theirs, strict=True):
                if mine.element != other.element:
                    return Difference(
                        mine.name, f"the base has {mine.element}, the schedule {other.element}"
                    )
                if mine.state != other.state:
                    return Difference(mine.name, "it is a state in one program only")
        for i, (mine, other) in enumerate(zip(base.arguments, scheduled.arguments, strict=True)):
            given = leading_axes(mine.layout, base.argument_meshes[i])
            taken = leading_axes(other.layout, scheduled.argument_meshes[i])
            if given != taken:
                return Difference(
                    mine.name,
                    f"ranks bring unlike values along {given or 'no axis'} in the base and "
                    f"along {taken or 'no axis'} in the schedule",
                )
        return None

    def round(self, seed: int, number: int) -> Outcome:
        """Run both programs under one key and compare."""
        rarity = 0.0 if number == 0 else 0.7 / max(1, elements_in(self.shapes))
        zero = ("random", "top", "bottom")[number % 3]
        domain = Field(seed * 1_000_003 + number, rarity=min(rarity, 0.5), zero=zero)
        domain.outcomes, domain.choices = self.outcomes, self.choices
        degrees = (Degrees(), Degrees())
        inputs = self._inputs(domain, seed * 1_000_003 + number)
        try:
            expected = self._execute(self.base, domain, inputs, degrees[0])
        except InterpretationError:
            if not self.open:
                raise
            # The program may need sizes that divide, which only the caller chose not to say.
            self.open = False
            self.shapes = logical_shapes(self.base, None, _EVEN_SIZE * self.ranks)
            return self.round(seed, number)
        try:
            actual = self._execute(self.scheduled, domain, inputs, degrees[1])
        except InterpretationError as error:
            return Outcome(Difference("the schedule cannot run", str(error)), 1.0)
        difference = self._compare(domain, expected, actual)
        if difference is not None:
            return Outcome(self._illustrated(difference, seed), 1.0)
        return Outcome(None, self._chance(expected, degrees))

    def rounds_needed(self) -> int:
        """Rounds until 0 has been in every place of the order, if anybody asked."""
        return 3 if self.choices else 1

    def notes(self, rounds: int) -> list[str]:
        """What the comparison has not, or hardly, seen."""
        notes = wire_notes([*self.base.stages, *self.scheduled.stages])
        notes += [
            f"{where} always went one way: the other way is not compared"
            for where in self.one_sided()
        ]
        for kind, width in sorted(self.choices.items()):
            if width > 2:
                chance = 1 - (1 - 1 / width) ** rounds
                notes.append(
                    f"a {kind} picks one of up to {width} elements: a single wrong one shows "
                    f"with probability {chance:.2g}"
                )
        return notes

    def one_sided(self) -> list[str]:
        """Conditions that no round has taken both ways."""
        seen: dict[str, None] = {}
        for op, ways in self.outcomes.items():
            if len(ways) == 1:
                label = given_name(op)  # type: ignore[arg-type]
                name = op_name(op)  # type: ignore[arg-type]
                seen[f'{name} "{label}"' if label else f"a {name}"] = None
        return list(seen)

    def _inputs(self, domain: Domain, seed: int) -> list[Array]:
        return random_inputs(self.base, domain, self.shapes, seed)

    def _execute(
        self, side: Whole, domain: Domain, inputs: list[Array], degrees: Degrees | None
    ) -> Execution:
        return execute(side, domain, inputs, degrees)

    def _pairs(self, ours: Execution, theirs: Execution) -> list[tuple[str, _Placed, _Placed]]:
        base, scheduled = self.base, self.scheduled
        names = [port.name for port in base.results]
        mine = zip(ours.results, base.result_meshes, strict=True)
        others = zip(theirs.results, scheduled.result_meshes, strict=True)
        pairs = list(zip(names, mine, others, strict=True))
        for i, value in ours.states.items():
            own = (value, base.argument_meshes[i])
            other = (theirs.states[i], scheduled.argument_meshes[i])
            pairs.append((f"state {base.arguments[i].name}", own, other))
        return pairs

    def _compare(self, domain: Domain, ours: Execution, theirs: Execution) -> Difference | None:
        self.elements = 0
        for name, mine, other in self._pairs(ours, theirs):
            expected = _gathered(domain, mine)
            if expected.disagreement:
                return Difference(name, f"in the base itself {expected.disagreement}")
            try:
                actual = _gathered(domain, other)
            except InterpretationError as error:
                return Difference(name, str(error))
            found = _difference(name, expected, actual)
            if found is not None:
                return self._with_first_op(found, domain, ours, theirs)
            self.elements += expected.array.size
        return None

    def _with_first_op(
        self, found: Difference, domain: Domain, ours: Execution, theirs: Execution
    ) -> Difference:
        for name, mine in ours.named.items():
            other = theirs.named.get(name)
            if other is None or mine[0].element != other[0].element:
                continue
            try:
                expected = _gathered(domain, mine)
                actual = _gathered(domain, other)
            except InterpretationError:
                continue
            if _difference(name, expected, actual) is not None:
                return Difference(
                    found.where, found.reason, found.index, found.base, found.scheduled, name
                )
        return found

    def _illustrated(self, difference: Difference, seed: int) -> Difference:
        """The same difference with the values of a float64 run at its element."""
        if difference.index is None:
            return difference
        domain = Float64(rounding=False)
        inputs = self._inputs(domain, seed)
        pairs = self._pairs(
            self._execute(self.base, domain, inputs, None),
            self._execute(self.scheduled, domain, inputs, None),
        )
        for name, mine, other in pairs:
            if name == difference.where:
                shape = mine[0].shape
                values = [
                    float(_flat(_gathered(domain, placed).array, difference.index, shape))
                    for placed in (mine, other)
                ]
                return Difference(name, difference.reason, difference.index, *values, difference.op)
        return difference

    def _chance(self, ours: Execution, degrees: tuple[Degrees, Degrees]) -> float:
        total = degrees[0].chance + degrees[1].chance
        both = [
            [degrees[i].of(value) for value in side.returned]
            for i, side in enumerate((self.base, self.scheduled))
        ]
        for value, mine, other in zip(ours.results, *both, strict=True):
            total += coincidence(math.prod(value.shape), sum(mine) + sum(other))
        for i, state in ours.states.items():
            stored = [_stored(side, i) for side in (self.base, self.scheduled)]
            degree = sum(sum(d.of(v)) for d, v in zip(degrees, stored, strict=True))
            total += coincidence(math.prod(state.shape), degree)
        return min(1.0, total)


_Placed = tuple[Value, Mesh]
"""A value and the mesh that it lies on."""


def _gathered(domain: Domain, placed: _Placed) -> Logical:
    value, mesh = placed
    return gather(value, mesh, lambda *of: combine(domain, *of))


def wire_notes(stages: Sequence[Stage]) -> list[str]:
    """The collectives whose values travel in a narrower type, which the field does not see."""
    notes: dict[str, None] = {}
    for stage in stages:
        for op in stage.program.function.walk():
            wire = wire_type(op)
            if wire is None:
                continue
            label = given_name(op)
            shown = f'{op_name(op)} "{label}"' if label else op_name(op)
            notes[f"{shown} is lossy: its values travel as {wire}, which is not compared"] = None
    return list(notes)


def _stored(program: Whole, argument: int):
    """The value that an argument's state is updated with, or the argument."""
    state = program.block_arguments[argument]
    for use in state.uses:
        if op_name(use.operation) == "coconet.update" and use.index == 0:
            return use.operation.operands[1]
    return state


def _flat(array: Array, index: tuple[int, ...], shape: tuple[int, ...]) -> Any:
    """An element by its index in the base's logical shape, also of a flat result."""
    if array.ndim == len(index):
        return array[index]
    return array.reshape(-1)[np.ravel_multi_index(index, shape)]


def _difference(name: str, expected: Logical, actual: Logical) -> Difference | None:
    if actual.disagreement:
        return Difference(name, actual.disagreement)
    theirs = actual.array
    if theirs.ndim == 1 and theirs.size == expected.array.size:
        # A rank program returns a flat cut value as the flattening.
        theirs = theirs.reshape(expected.array.shape)
    if theirs.shape != expected.array.shape:
        return Difference(
            name,
            f"the base has shape {list(expected.array.shape)}, "
            f"the schedule {list(actual.array.shape)}",
        )
    if same(expected.array, theirs):
        return None
    index = first_difference(expected.array, theirs)
    return Difference(name, "values differ", index)
