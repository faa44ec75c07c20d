"""The schedule object: steps, refusals, what it prints and saves."""

from __future__ import annotations

import coconet_mlir as cc
import pytest


@cc.program(mesh=cc.mesh(dp="?"))
def momentum(g: cc.partial("n", dp="sum"), p: cc.state("n"), m: cc.state("n")):
    total = cc.all_reduce(g, name="total")
    with cc.named("opt"):
        m_new = 0.9 * m + total
        cc.update(m, m_new)
        cc.update(p, p - 0.1 * m_new)


def sliced() -> cc.Schedule:
    return momentum.schedule().split("total").reorder("total.ag", past="opt")


def test_steps_are_recorded_and_printed():
    schedule = sliced().fuse("total.rs", "opt", "total.ag", name="step")
    text = str(schedule)
    for op in ("split", "reorder", "fuse"):
        assert text.count(f"transform.coconet.{op} ") == 1
    assert "coconet.reduce_scatter" in str(schedule.program)
    assert "coconet.fused" in str(schedule.program)
    assert "coconet.fused" not in str(momentum)
    assert repr(schedule) == "Schedule(Program(@momentum), [split, reorder, fuse])"


def test_every_step_equals_the_base():
    schedule = sliced()
    for ranks in (1, 3, 4):
        assert schedule.verify(ranks=ranks)
    schedule.as_slice("m").fuse("total.rs", "opt", "total.ag", name="step")
    assert schedule.program.signature().states[1].layout.describe() == "dimension 0 cut by dp"
    assert "equivalent on 4 ranks" in str(schedule.verify(ranks=4))


def test_flat_split_and_merge():
    schedule = cc.Schedule(momentum).split("total", dim="flat")
    assert "into flat" in str(schedule.program)
    schedule.merge("total.rs")
    assert str(schedule.program).count("all_reduce") == 1
    schedule.verify(ranks=2)


def test_a_refused_step_leaves_everything_as_it_was():
    schedule = cc.Schedule(momentum).split("total")
    before = str(schedule.program), str(schedule)
    with pytest.raises(cc.ScheduleError, match="no op is named 'nothing'") as caught:
        schedule.reorder("total.ag", past="nothing")
    assert (str(schedule.program), str(schedule)) == before
    assert "reorder" in str(caught.value)
    with pytest.raises(cc.ScheduleError) as caught:
        schedule.as_slice("m")
    assert caught.value.notes, "a refusal says what would be accepted"
    assert (str(schedule.program), str(schedule)) == before
    with pytest.raises(cc.ScheduleError, match="is not split into 'two'"):
        schedule.split("total", into="two")


def test_a_saved_schedule_does_the_same(tmp_path):
    schedule = sliced().fuse("total.rs", "opt", "total.ag")
    path = tmp_path / "s.mlir"
    schedule.save(path)
    loaded = cc.Schedule(momentum).apply(path)
    assert str(loaded.program) == str(schedule.program)
    assert str(loaded).count("transform.coconet.fuse ") == 1
    with pytest.raises(cc.InputError, match="cannot read"):
        cc.Schedule(momentum).apply(tmp_path / "missing.mlir")
    path.write_text("module {}")
    with pytest.raises(cc.InputError, match="the schedule has no named sequence"):
        cc.Schedule(momentum).apply(path)
    path.write_text("module {")
    with pytest.raises(cc.ScheduleError, match=str(path)):
        cc.Schedule(momentum).apply(path)


def test_dump_shows_each_step(tmp_path):
    schedule = cc.Schedule(momentum).split("total").fuse_allreduce().fuse_allreduce()
    paths = schedule.dump(tmp_path / "trace")
    assert [path.name for path in paths] == [
        "00-input.mlir",
        "01-after-split.mlir",
        "02-after-fuse-allreduce.mlir",
        "03-after-fuse-allreduce.mlir",
    ]
    assert paths[0].read_text() == str(momentum)
    assert paths[3].read_text() == "(unchanged)\n"


def test_fuse_allreduce():
    schedule = cc.Schedule(momentum).fuse_allreduce()
    assert "coconet.fused all_reduce" in str(schedule.program)
    schedule.verify(ranks=3)
    cut = cc.Schedule(momentum).fuse_allreduce(slice_state=True)
    assert "dimension 0 cut by dp" in [p.layout.describe() for p in cut.program.signature().states]
    cut.verify(ranks=3)


def test_a_wrong_schedule_is_found():
    schedule = cc.Schedule(momentum).split("total")

    @cc.program(mesh=cc.mesh(dp="?"))
    def other(g: cc.partial("n", dp="sum"), p: cc.state("n"), m: cc.state("n")):
        m_new = cc.update(m, 0.9 * m + 2 * cc.all_reduce(g))
        cc.update(p, p - 0.1 * m_new)

    schedule.base = other
    with pytest.raises(cc.ScheduleError, match="not equivalent on 2 ranks"):
        schedule.verify(ranks=2)


def test_a_script_is_entered_by_name(tmp_path):
    path = tmp_path / "script.mlir"
    path.write_text("""
      module attributes {transform.with_named_sequence} {
        transform.named_sequence @first(%root: !transform.any_op) {
          %0 = transform.coconet.match "nothing" in %root : (!transform.any_op) -> !transform.any_op
          transform.yield
        }
        transform.named_sequence @__transform_main(%root: !transform.any_op) {
          transform.yield
        }
      }
    """)
    momentum.schedule().apply(path)
    path.write_text(path.read_text().replace("__transform_main", "second"))
    with pytest.raises(cc.InputError, match="no named sequence @__transform_main"):
        momentum.schedule().apply(path)


def test_arguments_of_a_wrong_type():
    with pytest.raises(cc.ScheduleError, match="dim is 'x'"):
        momentum.schedule().split("sum", dim="x")
    with pytest.raises(cc.ScheduleError, match="reorder is past nothing"):
        momentum.schedule().reorder("sum.ag", past=[])
    with pytest.raises(cc.ScheduleError, match="as_slice is of nothing"):
        momentum.schedule().as_slice()
    for sizes in (-1, {"n": -1}, {"q": 3}):
        with pytest.raises(cc.InputError, match="no size|unknown size"):
            momentum.schedule().verify(ranks=2, sizes=sizes)
    with pytest.raises(cc.InputError, match="at most 4096"):
        momentum.schedule().verify(ranks=10**6)


def test_names_that_are_given_twice():
    schedule = momentum.schedule().split("total")
    with pytest.raises(cc.ScheduleError, match="'total.ag' cannot be moved past itself"):
        schedule.reorder("total.ag", past=["total.ag", "opt"])
    with pytest.raises(cc.ScheduleError, match="'total.rs' is named twice"):
        schedule.merge("total.rs", "total.rs")
    inside = sliced().fuse("total.rs", "opt", "total.ag", name="step")
    with pytest.raises(cc.ScheduleError, match="one lies in another; name the region"):
        inside.fuse("step", "total.rs")
    once, twice = (momentum.schedule().fuse(*["opt"] * count) for count in (1, 2))
    assert str(once.program) == str(twice.program)


def test_empty_name_finds_nothing():
    @cc.program(mesh=cc.mesh(dp="?"))
    def total(x: cc.partial("n", dp="sum")):
        return {"sum": cc.all_reduce(x)}

    with pytest.raises(cc.ScheduleError, match="no op is named ''"):
        total.schedule().split("")


def test_steps_after_a_pass_are_saved(tmp_path):
    script = tmp_path / "script.mlir"
    schedule = momentum.schedule().fuse_allreduce(slice_state=True)
    schedule.save(script)
    again = momentum.schedule().apply(script).fuse_allreduce()
    again.save(script)
    once_more = momentum.schedule().apply(script)
    assert str(once_more.program) == str(again.program) == str(schedule.program)
