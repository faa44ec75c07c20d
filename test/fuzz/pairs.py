"""What must hold of a program and a schedule of it.

- A step that is refused leaves the IR as it was, and its message names an operation.
- The steps, saved and read as a script, make the same program.
- What the accepted steps make is equivalent to the base on any number of ranks.
- Compiled, it gives what the reference interpreter makes of the base.
"""

from __future__ import annotations

import random
import re
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import coconet_mlir as cc
from coconet_mlir import ir
from coconet_mlir.binding import bind
from coconet_mlir.check import equivalent
from coconet_mlir.dialects.coconet import apply_named_sequence
from coconet_mlir.dtypes import NAMES
from coconet_mlir.interpreter.domain import InterpretationError
from coconet_mlir.mirror import parse as mirror_parse
from coconet_mlir.program import context
from coconet_mlir.scripts import entry, sequence

from fuzz import numbers
from fuzz.programs import MOST_RANKS, RANKS, draw_recipe
from fuzz.recipe import Recipe, build
from fuzz.steps import Step, draw_steps

_SECOND_CUT = "a second cut divides exactly"
"""Said of open sizes when they are known."""
DECLINED = (
    # Bound to a mesh:
    "must be exact",
    "is no position in a group of",
    "'coconet.permute' op names position",
    "is no position along axis",
    "is one flat cut only if it divides exactly",
    "is outermost and divides exactly",
    # Compiled:
    "which the CPU target does not have",
    "is one_shot, but reads or gives slices as tensors",
    "is one_shot, but computes with positions in its slice",
    "sizes open and changes the number of dimensions; give all but one a size",
    "is cut flat and has an open size, so its shape would not be known",
    "reduce_scattered in one fused region",
    "gathers a flattening while others compute",
    "drops elements of a gathered dimension chunk by chunk",
    "does not divide into",
    # Run, with open sizes:
    "chunks of every slice",
    "remainder of a second cut",
)
"""Pieces of messages with which the compiler rightly declines a program."""

_SIZE_OPERATIONS = {"matmul", "reduce", "norm", "softmax"}


@dataclass(frozen=True)
class Pair:
    """A program and the steps that are tried on it, on meshes of these sizes."""

    recipe: Recipe
    steps: tuple[Step, ...] = ()
    meshes: tuple[dict[str, int], ...] = ()
    compiles: bool = True
    seed: int = 0


@dataclass
class Outcome:
    """What came of a pair: "" or what is wrong with it, and counts for the statistics."""

    pair: Pair
    failure: str = ""
    counts: Counter = field(default_factory=Counter)


Watch = Callable[[Pair], None]


class Failure(Exception):
    """Something that must hold does not."""


def draw_pair(seed: int, compile_share: float, watch: Watch = lambda pair: None) -> Outcome:
    """Draw a pair and check it."""
    rng = random.Random(f"pair {seed}")
    recipe = draw_recipe(seed, lambda tried: watch(Pair(tried, seed=seed)))
    meshes = [recipe.mesh]
    if recipe.open:
        meshes = [other for other in (_mesh(rng, recipe), _mesh(rng, recipe)) if other]
    pair = Pair(recipe, (), tuple(meshes), rng.random() < compile_share, seed)
    planned: list[Step] = []

    def draw(schedule: cc.Schedule) -> Step | None:
        planned.extend([] if planned else draw_steps(rng, schedule.program))
        return planned.pop(0) if planned else None

    return check(pair, watch, draw, rng.randint(1, 8))


def _mesh(rng: random.Random, recipe: Recipe) -> dict[str, int]:
    if len(recipe.mesh) == 1:
        return {axis: rng.choice(RANKS) for axis in recipe.mesh}
    sizes = [rng.randint(1, 4) for _ in recipe.mesh]
    while sizes[0] * sizes[1] > MOST_RANKS:
        sizes = [rng.randint(1, 4) for _ in recipe.mesh]
    return dict(zip(recipe.mesh, sizes, strict=True))


def check(
    pair: Pair,
    watch: Watch = lambda pair: None,
    draw: Callable[[cc.Schedule], Step | None] | None = None,
    draws: int = 0,
) -> Outcome:
    """Check a pair; further steps are drawn where asked."""
    outcome = Outcome(pair)
    try:
        _check(outcome, watch, draw, draws)
    except Failure as failure:
        outcome.failure = str(failure)
    except (cc.CoCoNetError, InterpretationError, ArithmeticError, LookupError, TypeError) as error:
        outcome.failure = f"unexpected {type(error).__name__}: {error}"
    except (ValueError, AttributeError, AssertionError, RuntimeError) as error:
        outcome.failure = f"unexpected {type(error).__name__}: {error}"
    return outcome


def _check(
    outcome: Outcome,
    watch: Watch,
    draw: Callable[[cc.Schedule], Step | None] | None,
    draws: int,
) -> None:
    watch(outcome.pair)
    program = build(outcome.pair.recipe)
    text = str(program)
    if str(cc.parse(text)) != text:
        raise Failure("the program changes when its text is read")
    schedule = program.schedule()
    for step in outcome.pair.steps:
        _try(outcome, schedule, step)
    for _ in range(draws):
        step = draw(schedule) if draw else None
        if step is None:
            break
        outcome.pair = replace(outcome.pair, steps=(*outcome.pair.steps, step))
        watch(outcome.pair)
        _try(outcome, schedule, step)
    if str(program) != text:
        raise Failure("the base program changed")
    _check_script(schedule)
    outcome.counts["pairs with an accepted step"] += bool(schedule.steps)
    outcome.counts["open"] += outcome.pair.recipe.open
    _compare(outcome, schedule)


# ===- Steps -----------------------------------------------------------------===


def _try(outcome: Outcome, schedule: cc.Schedule, step: Step) -> None:
    before = schedule.program
    text = str(before)
    try:
        step.apply(schedule)
    except cc.ScheduleError as error:
        outcome.counts[f"{step.method} refused"] += 1
        _check_refusal(before, text, step, error)
        return
    if str(before) != text:
        raise Failure(f"{step} changed the program it was given")
    changed = str(schedule.program) != text
    outcome.counts[f"{step.method} accepted"] += 1
    outcome.counts[f"{step.method} changed something"] += changed
    after = str(schedule.program)
    if str(cc.parse(after)) != after:
        raise Failure(f"what {step} made changes when its text is read")


def _check_refusal(before: cc.Program, text: str, step: Step, error: cc.ScheduleError) -> None:
    said = " ".join([error.message, *error.notes])
    if not re.search(r"'[^']+'|\"[^\"]+\"", said):
        raise Failure(f"the refusal of {step} names no operation: {said}")
    payload, recorder = before.copy(), _Recorder(before)
    try:
        step.apply(recorder)
    except cc.ScheduleError:
        if recorder.script is None:
            return
    with context(), ir.Location.unknown():
        try:
            script = recorder.script
            apply_named_sequence(payload.module.operation, entry(script), script.operation)
        except ir.MLIRError:
            pass
    if str(payload) != text:
        raise Failure(f"{step} is refused, but changed the program:\n{payload}")


def _check_script(schedule: cc.Schedule) -> None:
    """The saved schedule does the same to the base program."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "script.mlir"
        schedule.save(path)
        again = schedule.base.schedule().apply(path)
    if str(again.program) != str(schedule.program):
        raise Failure(f"the saved schedule makes another program:\n{again.program}")


class _Recorder(cc.Schedule):
    """Keeps the script of a step, so that it can be applied without a net."""

    script: ir.Module | None = None

    def _step(self, title: str, what: str, emit: Callable[[ir.Value], None]) -> cc.Schedule:
        self.script = sequence([emit])
        return self


# ===- Results ---------------------------------------------------------------===


def _compare(outcome: Outcome, schedule: cc.Schedule) -> None:
    pair = outcome.pair
    for number, mesh in enumerate(pair.meshes):
        try:
            base, other = (bind(p, mesh=mesh) for p in (schedule.base, schedule.program))
        except cc.CompileError as error:
            _decline(outcome, f"bound to {mesh}", error)
            continue
        if not _equivalent(outcome, base, other, mesh):
            continue
        if pair.compiles and number == 0:
            _compile(outcome, base, schedule, mesh)


def _decline(outcome: Outcome, what: str, error: cc.CompileError | cc.CollectiveError) -> None:
    for piece in DECLINED:
        if piece in str(error):
            outcome.counts[f"declined: {piece}"] += 1
            return
    raise Failure(f"{what}: {error}") from None


def _equivalent(outcome: Outcome, base: cc.Program, other: cc.Program, mesh: dict) -> bool:
    """Whether the base can run at all; fails if the two differ."""
    sizes = outcome.pair.recipe.sizes
    try:
        report = equivalent(base.generic(), other.generic(), sizes=sizes, seed=outcome.pair.seed)
    except InterpretationError as error:
        outcome.counts["base cannot run"] += 1
        outcome.counts[f"base cannot run: {re.sub(r'[0-9]+', 'N', str(error))[:60]}"] += 1
        return False
    if not report and _SECOND_CUT in str(report):
        outcome.counts[f"declined: {_SECOND_CUT}"] += 1
        return False
    if not report:
        raise Failure(f"{report} (mesh {mesh}, sizes {sizes})")
    outcome.counts["compared"] += 1
    return True


def _compile(outcome: Outcome, base: cc.Program, schedule: cc.Schedule, mesh: dict) -> None:
    pair = outcome.pair
    try:
        executable = schedule.compile(mesh=mesh, timeout=20)
    except cc.CompileError as error:
        _decline(outcome, f"compiled for {mesh}", error)
        return
    module, signature = mirror_parse(base.generic()), base.signature()
    ports = {port.name: port for port in signature.results}
    ports |= {f"state {port.name}": port for port in signature.states}
    narrow = numbers.narrowest(_types(pair.recipe))
    wrong = ""
    steps = 1 + pair.seed % 2
    with executable:
        # What decides by a rounding goes wrong once, what is wrong does so twice.
        for seed in (2 * pair.seed, 2 * pair.seed + 1):
            arrays = numbers.random_inputs(signature, pair.recipe.sizes, seed)
            expected = numbers.references(module, signature, arrays, seed, steps)
            try:
                actual = numbers.compiled(executable, arrays, steps)
            except cc.CollectiveError as error:
                _decline(outcome, f"run on {mesh}", error)
                return
            last, wrong = wrong, numbers.difference(ports, actual, expected, narrow, _terms(pair))
            if not wrong:
                break
    outcome.counts["compiled"] += 1
    if wrong:
        raise Failure(f"compiled for {mesh} with {pair.recipe.sizes}: {wrong}")
    outcome.counts["compiled: once wrong, by a rounding"] += bool(last)


def _types(recipe: Recipe) -> set[str]:
    """Element types of a program, of intermediate values too."""
    given = [part for call in recipe.calls for part in call.operands if isinstance(part, str)]
    return {argument.dtype for argument in recipe.arguments} | (set(given) & set(NAMES))


def _terms(pair: Pair) -> int:
    """How many values are summed along a dimension; moved inputs tell what sums over several do."""
    ranks = max(cc.mesh(**mesh).ranks for mesh in pair.meshes)
    if _SIZE_OPERATIONS.isdisjoint(call.function for call in pair.recipe.calls):
        return ranks
    largest = max([1, *pair.recipe.sizes.values(), *_numbers(pair.recipe)])
    return ranks * largest


def _numbers(recipe: Recipe) -> list[int]:
    return [dim for a in recipe.arguments for dim in a.dims if isinstance(dim, int)]
