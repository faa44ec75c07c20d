"""An all_reduce by way of a root, and in levels: equivalent, compiled, with one rounding."""

from __future__ import annotations

import coconet_mlir as cc
import numpy as np
import pytest
from coconet_mlir.dtypes import to_numpy
from compiled_support import Pair, case, normal, same_bits, traced, whole

SIZES = (0, 1, 2, 7, 33, 130)


def summed(**kinds):
    def body(g, w):
        total = cc.all_reduce(g, name="sum")
        cc.update(w, total)
        return {"total": total}

    return body


@pytest.mark.parametrize("ranks", [1, 2, 3, 5, 8])
def test_by_way_of_a_root(ranks):
    mesh = cc.mesh(dp=ranks)
    program = traced(summed(), mesh, g=cc.partial("n", 3, dp="sum"), w=cc.state("n", 3))
    for root in {0, ranks - 1}:
        schedule = program.schedule().split("sum", "reduce_broadcast", root=root)
        assert schedule.verify()
        pair = Pair(schedule, base=program)
        for size in SIZES:
            with case(f"root {root}, size {size}"):
                pair.check(size, whole, terms=ranks)
                pair.check(size, normal, terms=ranks)


@pytest.mark.parametrize("grid", [(1, 1), (2, 1), (1, 3), (2, 2), (2, 4), (3, 2)])
@pytest.mark.parametrize("dim", [0, 1, "flat"])
def test_in_levels(grid, dim):
    mesh = cc.mesh(dp=grid[0], tp=grid[1])
    spec = cc.partial("n", 3, dp="sum", tp="sum")
    program = traced(summed(), mesh, g=spec, w=cc.state("n", 3))
    for inner, outer in (("tp", "dp"), ("dp", "tp")):
        schedule = program.schedule().split(
            "sum", "hierarchical", dim=dim, inner=inner, outer=outer
        )
        assert schedule.verify()
        pair = Pair(schedule, base=program)
        for size in SIZES:
            with case(f"inner {inner}, size {size}"):
                pair.check(size, whole, terms=6)


def test_levels_of_an_open_mesh():
    mesh = cc.mesh(dp="?", tp="?")
    program = traced(summed(), mesh, g=cc.partial("n", dp="sum", tp="sum"), w=cc.state("n"))
    schedule = program.schedule().split("sum", "hierarchical", inner="tp", outer="dp")
    for sizes in ({"dp": 2, "tp": 3}, {"dp": 4, "tp": 1}):
        assert schedule.verify(mesh=sizes)
        pair = Pair(schedule, mesh=sizes, base=program)
        for size in SIZES:
            pair.check(size, whole, terms=6)


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
def test_levels_round_once(dtype):
    """Ones beside 512 (f16: 2048) vanish if they are added one by one."""
    mesh = cc.mesh(dp=2, tp=4)
    spec = cc.partial("n", dtype=dtype, dp="sum", tp="sum")
    program = traced(summed(), mesh, g=spec, w=cc.state("n", dtype=dtype))
    schedule = program.schedule().split("sum", "hierarchical", inner="tp", outer="dp")
    assert schedule.verify()
    g = np.ones((8, 33), to_numpy(dtype))
    large = 512 if dtype == "bf16" else 2048
    g[0] = large
    total = np.full(33, large + 7, np.float64).astype(to_numpy(dtype))
    with schedule.compile() as exe:
        same_bits([exe(g=g)["total"], total])
        same_bits(exe.state["w"])


def test_forms_print_and_are_read_again(tmp_path):
    mesh = cc.mesh(dp=2, tp=4)
    program = traced(summed(), mesh, g=cc.partial("n", dp="sum", tp="sum"), w=cc.state("n"))
    for options in (
        {"into": "hierarchical", "inner": "tp", "outer": ["dp"], "dim": "flat"},
        {"into": "reduce_broadcast", "root": 5},
    ):
        schedule = program.schedule().split("sum", **options)
        schedule.save(tmp_path / "script.mlir")
        again = program.schedule().apply(tmp_path / "script.mlir")
        assert str(again.program) == str(schedule.program)
    text = str(program.schedule().algorithm("sum", "ring", channels=2).wire_type("sum", "f16"))
    assert "ring channels 2" in text and "wire_type %1 f16" in text


def test_mistakes_are_refused():
    mesh = cc.mesh(dp=2, tp=4)
    program = traced(summed(), mesh, g=cc.partial("n", dp="sum", tp="sum"), w=cc.state("n"))
    schedule = program.schedule()
    with pytest.raises(cc.ScheduleError, match="an all_reduce is not split into 'thirds'"):
        schedule.split("sum", "thirds")
    with pytest.raises(cc.ScheduleError, match="root 8 is no position in a group of 8"):
        schedule.split("sum", "reduce_broadcast", root=8)
    with pytest.raises(cc.ScheduleError, match="they do not make up {dp, tp}"):
        schedule.split("sum", "hierarchical", inner="tp")
    assert not schedule.steps


def test_a_second_cut_of_an_open_size_says_that_it_divides():
    mesh = cc.mesh(dp="?", tp="?")
    program = traced(summed(), mesh, g=cc.partial("n", dp="sum", tp="sum"), w=cc.state("n"))
    schedule = program.schedule().split("sum", "hierarchical", dim=0, inner="dp", outer="tp")
    schedule.split("sum.ar", dim=0)
    assert schedule.verify(mesh={"dp": 2, "tp": 2}, sizes=8)
    report = schedule.compare(mesh={"dp": 2, "tp": 2}, sizes=6)
    assert not report and "a second cut divides exactly" in str(report)
