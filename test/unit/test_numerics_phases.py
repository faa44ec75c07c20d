"""Fused regions with reductions inside, one-sided chains and matmul epilogues, compiled."""

from __future__ import annotations

import coconet_mlir as cc
import numpy as np
import pytest
from compiled_support import FEW_SIZES, Pair, case

DP = cc.mesh(dp="?")
RANKS = (1, 2, 3, 5, 8)


def check(schedule: cc.Schedule, base: cc.Program, ranks: int, sizes, **inputs) -> None:
    schedule.verify(ranks=ranks)
    pair = Pair(schedule, ranks=ranks, base=base)
    for size in sizes:
        with case((ranks, size)):
            pair.check(size, terms=ranks, **inputs)


# ===- Two phases -------------------------------------------------------------===


@cc.program(mesh=DP)
def scaled(g: cc.partial("n", dp="sum"), p: cc.state("n")):
    """A step of the length of the parameter's norm, LAMB without moments."""
    average = cc.all_reduce(g, name="g")
    with cc.named("opt"):
        u = 2.0 * average
        ratio = cc.norm(p) / (cc.norm(u) + 1.0)
        cc.update(p, p - ratio * u)
    return {"u": u}


@pytest.mark.parametrize("dim", [0, "flat"])
@pytest.mark.parametrize("ranks", RANKS)
def test_norms_inside(ranks, dim):
    schedule = scaled.schedule().split("g", dim=dim).reorder("g.ag", past="opt")
    schedule.fuse("g.rs", "opt", "g.ag", name="step")
    text = str(schedule.program)
    assert text.count("coconet.fused") == 1
    check(schedule, scaled, ranks, FEW_SIZES)


def test_norms_are_found_automatically():
    schedule = scaled.schedule().fuse_allreduce()
    assert "coconet.norm" in str(schedule.program).split("coconet.fused all_reduce")[1]
    check(schedule, scaled, 3, FEW_SIZES)


@cc.program(mesh=DP)
def twice(g: cc.partial("n", "m", dp="sum")):
    """Two reductions, the second of what the first one scales."""
    average = cc.all_reduce(g, name="g")
    with cc.named("opt"):
        unit = average / (cc.norm(average) + 1.0)
        peak = cc.norm(unit * unit)
    return {"y": unit * peak, "peak": peak}


@pytest.mark.parametrize("ranks", RANKS)
def test_three_phases(ranks):
    schedule = twice.schedule().fuse_allreduce()
    assert str(schedule.program).count("coconet.fused all_reduce") == 1
    check(schedule, twice, ranks, [{"n": n, "m": 3} for n in FEW_SIZES])


@cc.program(mesh=DP)
def extremes(g: cc.partial("n", dp="sum")):
    average = cc.all_reduce(g, name="g")
    with cc.named("opt"):
        low = cc.reduce("min", average, [0])
        high = cc.reduce("max", average, [0])
        mean = cc.reduce("mean", average, [0])
    return {"y": (average - mean) / (high - low + 1.0)}


@pytest.mark.parametrize("ranks", RANKS)
def test_every_reduction_inside(ranks):
    check(extremes.schedule().fuse_allreduce(), extremes, ranks, [1, 5, 17, 130])


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f64"])
def test_types_of_folds(dtype):
    @cc.program(mesh=DP)
    def step(g: cc.partial("n", dp="sum", dtype=dtype)):
        average = cc.all_reduce(g, name="g")
        return {"y": average * cc.norm(average)}

    check(step.schedule().fuse_allreduce(), step, 3, [0, 5, 33])


def test_sizes_that_are_not_exact_count_once():
    """The norm of [3, 4], whole or in slices, is 5 on any number of ranks."""

    @cc.program(mesh=DP)
    def norm(g: cc.partial(2, dp="sum")):
        return {"n": cc.norm(cc.all_reduce(g, name="g"))}

    for ranks in RANKS:
        exe = norm.schedule().fuse_allreduce().compile(ranks=ranks)
        share = np.zeros((ranks, 2), np.float32)
        share[ranks // 2] = [3, 4]
        assert exe(g=share)["n"] == 5


# ===- One-sided chains -------------------------------------------------------===


@cc.program(mesh=DP)
def scatter(g: cc.partial("n", 3, dp="sum"), b: cc.tensor((3,))):
    with cc.named("f"):
        return {"y": cc.relu(cc.reduce_scatter(g, dim=0, axes="dp") + b)}


@cc.program(mesh=DP)
def gather(x: cc.sliced("n", 3, dp=0), b: cc.tensor((3,))):
    with cc.named("f"):
        return {"y": cc.all_gather(cc.relu(x + b), dim=0, axes="dp")}


@pytest.mark.parametrize("program", [scatter, gather])
@pytest.mark.parametrize("ranks", RANKS)
def test_one_sided(program, ranks):
    schedule = program.schedule().fuse("f")
    assert str(schedule.program).count("coconet.fused") == 1
    check(schedule, program, ranks, FEW_SIZES)


# ===- Epilogues --------------------------------------------------------------===


@cc.program(mesh=DP)
def epilogue(x: cc.sliced("n", 5, dp=0), w: cc.tensor((5, 7)), b: cc.tensor((7,))):
    with cc.named("f"):
        return {"y": cc.gelu(x @ w + b)}


@pytest.mark.parametrize("ranks", RANKS)
def test_epilogue(ranks):
    schedule = epilogue.schedule().fuse("f")
    assert "coconet.fused matmul" in str(schedule.program)
    check(schedule, epilogue, ranks, FEW_SIZES)


def test_epilogue_of_a_pending_product():
    """What is linear may follow before the sum over ranks is taken."""

    @cc.program(mesh=DP)
    def step(x: cc.sliced(6, "k", dp=1), w: cc.sliced("k", 4, dp=0)):
        with cc.named("f"):
            y = 2.0 * (x @ w)
        return {"y": cc.all_reduce(y)}

    check(step.schedule().fuse("f"), step, 3, FEW_SIZES)
