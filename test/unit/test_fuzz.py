"""Random programs under random schedules: a fixed choice of pairs, and the checks themselves."""

from __future__ import annotations

import dataclasses
import sys

import coconet_mlir as cc
import numpy as np
import pytest
from coconet_mlir import ir
from fuzz import campaign, known, numbers, pairs
from fuzz.pairs import Pair, check, draw_pair
from fuzz.programs import draw_recipe
from fuzz.recipe import Argument, Call, Recipe, Ref, Size, build, source
from fuzz.shrink import shrink
from fuzz.steps import STEPS, Step

CHUNKS, CHUNK = 10, 20


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_pairs(chunk):
    seeds = range(chunk * CHUNK, (chunk + 1) * CHUNK)
    result = campaign.run(seeds, compile_share=0.45)
    assert not result.failures, "\n".join(map(campaign.show, result.failures))
    counts = result.counts
    assert counts["pairs"] == CHUNK
    assert counts["pairs with an accepted step"] > CHUNK / 2
    assert counts["compiled"] >= CHUNK / 10


# ===- The generator -----------------------------------------------------------===


def test_a_seed_draws_the_same_pair():
    for seed in range(20):
        assert draw_recipe(seed) == draw_recipe(seed)


def test_programs_are_printed_as_python():
    for seed in range(40):
        recipe = draw_recipe(seed)
        names: dict[str, object] = {}
        exec(source(recipe), names)
        assert str(names["f"]) == str(build(recipe))


def test_every_step_is_tried():
    names = {propose.__name__ for _, propose in STEPS}
    left = {f"{name} accepted" for name in names if hasattr(cc.Schedule, name)}
    for seed in range(300):
        left -= set(draw_pair(seed, 0).counts)
        if not left:
            break
    assert not left


# ===- What it would find --------------------------------------------------------===


RECIPE = Recipe(
    mesh={"dp": 2},
    sizes={"n": 5},
    open=True,
    arguments=(Argument(0, (Size("n"),), "f32", {"partial": {"dp": "sum"}}),),
    calls=(
        Call(1, "all_reduce", (Ref(0),), {"name": "sum"}),
        Call(2, "tanh", (Ref(1),), {"name": "g"}),
        Call(3, "mul", (Ref(2), 2.0), {"name": "g"}),
    ),
    results=(3,),
)
PAIR = Pair(RECIPE, (Step("split", ("sum",)),), ({"dp": 3},), True)


def test_a_sound_pair_passes():
    outcome = check(PAIR)
    assert outcome.failure == ""
    assert outcome.counts["split accepted"] == outcome.counts["compiled"] == 1


def test_a_wrong_schedule_is_found(monkeypatch):
    twice = dataclasses.replace(RECIPE.calls[2], operands=(Ref(2), 2.5))
    other = dataclasses.replace(RECIPE, calls=(*RECIPE.calls[:2], twice))
    steps = cc.Schedule(build(other)).split("sum").steps

    def wrong(schedule: cc.Schedule, name: str) -> None:
        schedule.steps += steps

    monkeypatch.setattr(cc.Schedule, "split", wrong)
    assert "the saved schedule makes another program" in check(PAIR).failure
    monkeypatch.setattr(pairs, "_check_script", lambda schedule: None)
    assert "not equivalent on 3 ranks: r3: values differ" in check(PAIR).failure


def test_wrong_code_is_found(monkeypatch):
    actual = numbers.compiled

    def wrong(*of: object) -> dict[str, np.ndarray]:
        return {name: value * np.float32(1.001) for name, value in actual(*of).items()}

    monkeypatch.setattr(numbers, "compiled", wrong)
    assert "compiled for {'dp': 3}" in check(PAIR).failure


def test_a_refusal_that_changes_the_program_is_found(monkeypatch):
    def changing(module: object, entry: object, script: object) -> None:
        module.attributes["changed"] = ir.UnitAttr.get(module.context)

    monkeypatch.setattr(pairs, "apply_named_sequence", changing)
    refused = dataclasses.replace(PAIR, steps=(Step("split", ("g",)),))
    assert "is refused, but changed the program" in check(refused).failure


def test_a_refusal_without_a_name_is_found(monkeypatch):
    def refusing(*of: object, **options: object) -> None:
        raise cc.ScheduleError("it does not work")

    monkeypatch.setattr(cc.Schedule, "split", refusing)
    assert "names no operation: it does not work" in check(PAIR).failure


def test_known_bugs_are_counted(monkeypatch):
    monkeypatch.setattr(known, "KNOWN", (("aborted", "it aborts"),))
    answers = iter([{"died": "it aborted"}, {"counts": {}, "failure": "has aborted"}])
    monkeypatch.setattr(campaign.Child, "ask", lambda child, request: next(answers))
    result = campaign.run(range(2))
    assert not result.failures
    assert result.counts == {"pairs": 2, "known bug: it aborts": 2}


def test_failing_pairs_are_shrunk():
    def fails(pair: Pair) -> bool:
        return any(call.function == "tanh" for call in pair.recipe.calls)

    small = shrink(PAIR, fails)
    assert [call.function for call in small.recipe.calls] == ["tanh"]
    assert small.steps == () and not small.compiles


CRASHING = """
import os, sys, time
from fuzz import worker

def draw(self, seed, share):
    self.watch(worker.draw_pair(seed, 0).pair)
    if seed == 1:
        os.abort()
    if seed == 2:
        time.sleep(1000)
    return {"counts": {"drawn": 1}}

worker.Worker.draw = draw
worker.main()
"""


def test_crashes_and_hangs_are_survived(monkeypatch, tmp_path):
    script = tmp_path / "python"
    (tmp_path / "worker.py").write_text(CRASHING)
    script.write_text(f'#!/bin/sh\nexec {sys.executable} {tmp_path}/worker.py "$3"\n')
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))
    monkeypatch.setattr(campaign, "_SECONDS", 6)
    monkeypatch.setattr(campaign, "_SHRINK_SECONDS", 0)
    result = campaign.run(range(4))
    assert result.counts["drawn"] == 2
    found = {failure.seed: failure.message for failure in result.failures}
    assert found == {1: "ends with -6: nothing is said", 2: "hangs for 6 s"}
    assert "def f(" in result.failures[0].pair
    assert "=== seed 1: ends with -6" in campaign.show(result.failures[0])
    assert "1 failed: ends with N: nothing is said (seeds 1)" in campaign.counts(result)
