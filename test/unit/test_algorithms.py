"""Algorithms of collectives: the same bits whatever is chosen, and what the target lacks."""

from __future__ import annotations

import coconet_mlir as cc
import numpy as np
import pytest
from compiled_support import Pair, case, normal, same_bits, traced

DP = cc.mesh(dp="?")
RANKS = (1, 2, 3, 5, 8)
ALGORITHMS = ("one_shot", "two_shot")


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("dtype", ["f32", "bf16", "i32"])
def test_one_shot_gives_the_bits_of_two_shot(dtype, ranks):
    def body(g, w):
        total = cc.all_reduce(g, name="sum")
        cc.update(w, total)
        return {"total": total}

    program = traced(
        body, DP, g=cc.partial("n", 3, dtype=dtype, dp="sum"), w=cc.state("n", 3, dtype=dtype)
    )
    pairs = [
        Pair(program.schedule().algorithm("sum", each), ranks=ranks, base=program)
        for each in ALGORITHMS
    ]
    for size in (0, 1, 5, 17, 130):
        given = pairs[0].inputs(size, normal)
        outs = []
        for pair in pairs:
            outs.append(pair.executable(**given)["total"])
            same_bits(pair.executable.state["w"])
        with case(f"size {size}"):
            same_bits(outs)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_sum_in_place(algorithm):
    """The operand is the state that the result overwrites."""

    def in_place(w):
        cc.update(w, cc.all_reduce(w, groups=[[0, 2, 1]], name="sum"))

    for size in (1, 2, 1000):
        program = traced(in_place, cc.mesh(dp=3), w=cc.tensor(size, local="dp", state=True))
        start = np.arange(3 * size, dtype=np.float32).reshape(3, size)
        with program.schedule().algorithm("sum", algorithm).compile() as exe:
            exe.init(w=start)
            for _ in range(3):
                exe()
            for held in exe.state["w"]:
                np.testing.assert_array_equal(held, 9 * start.sum(axis=0))


@pytest.mark.parametrize("ranks", RANKS)
def test_one_shot_regions(ranks):
    def body(g, p, m):
        avg = cc.all_reduce(g, name="g")
        with cc.named("opt"):
            moment = m * 0.9 + avg
            new = p - moment * 0.1
        cc.update(m, moment)
        cc.update(p, new)

    program = traced(body, DP, g=cc.partial("n", dp="sum"), p=cc.state("n"), m=cc.state("n"))
    found = []
    for algorithm in ALGORITHMS:
        schedule = program.schedule().fuse_allreduce().algorithm("g", algorithm)
        assert schedule.verify(ranks=ranks)
        pair = Pair(schedule, ranks=ranks, base=program)
        held = []
        for size in (1, 5, 130):
            g = np.random.default_rng(size).standard_normal((ranks, size)).astype(np.float32)
            with schedule.compile(ranks=ranks) as exe:
                exe.init(p=np.ones(size, np.float32))
                exe.init(m=np.zeros(size, np.float32))
                for _ in range(2):
                    exe(g=g)
                same_bits(exe.state["p"])
                held += [exe.read("p"), exe.read("m")]
        found.append(held)
        pair.check(17, normal, terms=ranks)
    for one, two in zip(*found, strict=True):
        same_bits([one, two])


def test_what_the_target_lacks_is_refused():
    program = traced(lambda g: (cc.all_reduce(g, name="sum"),), DP, g=cc.partial("n", dp="sum"))
    for algorithm in ("ring", "library"):
        schedule = program.schedule().algorithm("sum", algorithm)
        assert schedule.verify(ranks=2)
        with pytest.raises(cc.CompileError, match="the CPU target has one_shot and two_shot"):
            schedule.compile(ranks=2)
    schedule = program.schedule().algorithm("sum", "two_shot", channels=4)
    with pytest.raises(cc.CompileError, match="leave the number of channels out"):
        schedule.compile(ranks=2)
    with pytest.raises(cc.ScheduleError, match="there is no such algorithm"):
        program.schedule().algorithm("sum", "tree")
