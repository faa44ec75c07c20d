"""Loops and conditionals: traced, scheduled, compiled, interpreted."""

from __future__ import annotations

import coconet_mlir as cc
import numpy as np
import pytest
from coconet_mlir._runtime import allocation_statistics
from coconet_mlir.binding import bind, run_pipeline
from coconet_mlir.check import equivalent
from coconet_mlir.interpreter.run import run

RANDOM = np.random.default_rng(11)
MESH = cc.mesh(dp="?")
F32 = np.float32


def normal(*shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype(np.float32)


def adam(x, p, m, v, t):
    """One step on a least-squares loss whose gradient is pending."""
    with cc.named("grad"):
        g = cc.all_reduce(x * p, name="avg")
    with cc.named("opt"):
        m = 0.9 * m + 0.1 * g
        v = 0.99 * v + 0.01 * g * g
        p = p - 0.01 * (m / (1 - 0.9**t)) / (cc.sqrt(v / (1 - 0.99**t)) + 1e-6)
    return p, m, v


@cc.program(mesh=MESH)
def one_step(
    x: cc.partial("n", dp="sum"),
    p: cc.state("n"),
    m: cc.state("n"),
    v: cc.state("n"),
    t: cc.state(),
):
    t_new = t + 1.0
    p_new, m_new, v_new = adam(x, p, m, v, t_new)
    for state, value in ((p, p_new), (m, m_new), (v, v_new), (t, t_new)):
        cc.update(state, value)


def train(turns):
    @cc.program(mesh=MESH)
    def steps(
        x: cc.partial("n", dp="sum"),
        p: cc.state("n"),
        m: cc.state("n"),
        v: cc.state("n"),
        t: cc.state(),
        k: cc.tensor((), "i32"),
    ):
        def body(i, p, m, v, t):
            t = t + 1.0
            return (*adam(x, p, m, v, t), t)

        results = cc.loop(turns if turns is not None else k, body, p, m, v, t)
        for state, value in zip((p, m, v, t), results, strict=True):
            cc.update(state, value)

    return steps


@pytest.mark.parametrize("ranks", [1, 2, 3])
@pytest.mark.parametrize("turns", [None, 5])
def test_a_step_loop_equals_as_many_steps(ranks, turns):
    for size in (1, 7, 1000):
        xs = [normal(size) for _ in range(ranks)]
        start = {"p": normal(size), "m": np.zeros(size, np.float32)}
        start |= {"v": np.zeros(size, np.float32), "t": np.float32(0)}
        with (
            cc.compile(one_step, ranks=ranks) as once,
            cc.compile(train(turns), ranks=ranks) as exe,
        ):
            once.init(**start)
            for _ in range(5):
                once(x=xs)
            exe.init(**start)
            exe(x=xs, k=np.int32(5))
            for name in start:
                np.testing.assert_array_equal(exe.read(name), once.read(name))


def test_a_loop_of_no_turns_gives_what_it_was_given():
    @cc.program
    def nothing(x: cc.tensor("n"), k: cc.tensor((), "i64")):
        return cc.loop(k, lambda i, y: y + 1.0, x)

    x = normal(9)
    with cc.compile(nothing) as exe:
        np.testing.assert_array_equal(exe(x=x, k=np.int64(0))["result 0"], x)
        np.testing.assert_array_equal(exe(x=x, k=np.int64(2))["result 0"], x + 1 + 1)


def test_the_number_of_the_turn():
    @cc.program
    def powers(x: cc.tensor(4)):
        def outer(i, y):
            inner = cc.loop(2, lambda j, z: z + cc.cast(j + i, "f32"), y)
            return inner

        return cc.loop(3, outer, x)

    x = normal(4)
    total = sum(i + j for i in range(3) for j in range(2))
    np.testing.assert_allclose(cc.compile(powers)(x=x)["result 0"], x + total, rtol=1e-6)


def test_a_turn_of_a_loop_allocates_what_a_step_does():
    made = {}
    for turns in (1, 51):
        with cc.compile(train(turns), ranks=2) as exe:
            size = 100_000
            exe.init(p=normal(size), m=np.zeros(size, F32), v=np.zeros(size, F32), t=0.0)
            arrays = {"x": [normal(size), normal(size)], "k": np.int32(0)}
            exe(**arrays)
            before = allocation_statistics()[1]
            exe(**arrays)
            made[turns] = allocation_statistics()[1] - before
    # What the loop carries lies in the states; a turn has the temporaries of a step.
    assert made[51] <= 51 * made[1]


def test_many_turns_need_no_stack():
    @cc.program
    def count(x: cc.tensor(4)):
        def body(i, y):
            return cc.cond(
                cc.compare("lt", i, 10), lambda: y + 1.0, lambda: y + 0.5 * cc.norm(y) * 0.0
            )

        return cc.loop(1_000_000, body, x)

    np.testing.assert_array_equal(cc.compile(count)(x=np.zeros(4, F32))["result 0"], [10] * 4)


@cc.program(mesh=MESH)
def scaled(g: cc.local("n", axes="dp"), p: cc.state("n"), scale: cc.state()):
    """Loss scale: all ranks skip a step if a gradient of one is not finite."""
    fine = cc.cast(cc.is_finite(g), "i32")
    least = cc.all_reduce(cc.reduce("min", fine, [0]), axes="dp", reduction="min")
    ok = cc.compare("gt", least, 0)

    def step():
        total = cc.all_reduce(g, axes="dp", reduction="sum", name="sum")
        return p - total / scale, scale

    p_new, s_new = cc.cond(ok, step, lambda: (p, scale * 0.5))
    cc.update(p, p_new)
    cc.update(scale, s_new)


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_loss_scale_skip(ranks):
    with cc.compile(scaled, ranks=ranks) as exe:
        p = normal(33)
        exe.init(p=p, scale=4.0)
        g = [normal(33) for _ in range(ranks)]
        exe(g=g)
        after = p - np.sum(g, axis=0, dtype=np.float64) / 4
        np.testing.assert_allclose(exe.read("p"), after, rtol=1e-4, atol=1e-6)
        kept = exe.read("p")
        g[-1] = g[-1].copy()
        g[-1][7] = np.inf
        exe(g=g)
        np.testing.assert_array_equal(exe.read("p"), kept)
        assert exe.read("scale") == 2.0


def test_ranks_may_decide_each_for_themselves_along_axes_that_do_not_communicate():
    @cc.program(mesh=cc.mesh(dp=2, tp=2))
    def choose(x: cc.local(4, axes=("dp", "tp")), c: cc.local(axes="dp", dtype="i1")):
        return cc.cond(c, lambda: x * 2.0, lambda: x)

    x = normal(4, 4)
    got = cc.compile(choose)(x=list(x), c=[np.True_, np.False_])
    np.testing.assert_allclose(got["result 0"], np.concatenate([x[:2] * 2, x[2:]]))
    reference = run(choose.generic(), [x.reshape(2, 2, 4), np.array([True, False])]).results[0]
    np.testing.assert_allclose(reference.reshape(4, 4), np.concatenate([x[:2] * 2, x[2:]]))


def test_communication_that_ranks_do_not_share_is_refused():
    @cc.program(mesh=cc.mesh(dp=2))
    def choose(x: cc.local(4, axes="dp"), c: cc.local(axes="dp", dtype="i1")):
        def both():
            return x + cc.all_reduce(x, axes="dp", reduction="sum", name="sum")

        return cc.cond(c, both, lambda: x)

    with pytest.raises(cc.CompileError, match="do not take alike"):
        cc.compile(choose)
    cc.compile(choose, check=False).close()


@pytest.mark.parametrize("turns", [None, 3])
def test_schedules_work_in_loops_and_branches(turns):
    schedule = cc.Schedule(train(turns)).split("avg", dim="flat")
    schedule.reorder("avg.ag", past="opt").fuse("avg.rs", "opt", "avg.ag")
    assert schedule.verify(ranks=2)
    arrays = {"x": [normal(10), normal(10)], "k": np.int32(3)}
    with schedule.compile(ranks=2) as exe, cc.compile(train(turns), ranks=2) as base:
        for each in (exe, base):
            each.init(p=np.ones(10, F32), m=np.zeros(10, F32), v=np.zeros(10, F32), t=0.0)
            each(**arrays)
        np.testing.assert_allclose(exe.read("p"), base.read("p"), rtol=1e-6)


def test_the_oracle_tells_loops_apart():
    assert equivalent(train(None).generic(), train(None).generic(), ranks=2)
    assert not equivalent(train(3).generic(), train(2).generic(), ranks=2)


def test_the_oracle_compares_with_what_one_rank_runs():
    lowered = bind(train(None), ranks=2)
    run_pipeline(lowered, "builtin.module(coconet-lower-to-rank)")
    assert equivalent(train(None).generic(), lowered.generic(), ranks=2)
    skip = bind(scaled, ranks=2)
    run_pipeline(skip, "builtin.module(coconet-lower-to-rank)")
    assert equivalent(scaled.generic(), skip.generic(), ranks=2)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            lambda i, x: (x, x),
            "the loop carries tensor<4xf32> and its body returns tensor<4xf32>, ",
        ),
        (lambda i, x: cc.cast(x, "f64"), "its body returns tensor<4xf64>"),
        (lambda i, x: None, "its body returns nothing"),
        (lambda i, x: [x, 3], "int is no tensor of the program"),
    ],
)
def test_bodies_that_do_not_fit(body, message):
    with pytest.raises(cc.ProgramError, match=message):

        @cc.program
        def wrong(x: cc.tensor(4)):
            return cc.loop(2, body, x)


def test_what_is_no_loop_or_condition():
    with pytest.raises(cc.ProgramError, match="a loop runs -1 times"):
        cc.trace(lambda x: cc.loop(-1, lambda i, y: y, x), x=cc.tensor(4))
    with pytest.raises(cc.ProgramError, match="is not a number of turns"):
        cc.trace(lambda x: cc.loop(x, lambda i, y: y, x), x=cc.tensor(4))
    with pytest.raises(cc.ProgramError, match="float is no tensor of the program"):
        cc.trace(lambda x: cc.loop(2, lambda i, y: y, 1.0), x=cc.tensor(4))
    with pytest.raises(cc.ProgramError, match="is not a condition"):
        cc.trace(lambda x: cc.cond(x, lambda: x, lambda: x), x=cc.tensor(4))
    with pytest.raises(cc.ProgramError, match="one branch gives .* and the other"):
        cc.trace(
            lambda x, c: cc.cond(c, lambda: x, lambda: None),
            x=cc.tensor(4),
            c=cc.tensor((), "i1"),
        )


def test_a_state_is_updated_after_the_loop():
    with pytest.raises(cc.ProgramError, match="is inside of 'scf.for'"):

        @cc.program
        def wrong(p: cc.state(4)):
            cc.loop(2, lambda i: cc.update(p, p + 1.0) and None)


@pytest.mark.parametrize("turns", [0, 1, 2, 3, 10])
def test_carried_values_change_places(turns):
    @cc.program(mesh=MESH)
    def swap(x: cc.tensor("n"), y: cc.tensor("n"), z: cc.tensor("n")):
        values = cc.loop(turns, lambda i, a, b, c: (b, c, a), x, y, z)
        return dict(zip("abc", values, strict=True))

    exe = swap.compile(ranks=2)
    for n in (0, 1, 17):
        given = [normal(n) for _ in range(3)]
        out = exe(x=given[0], y=given[1], z=given[2])
        for place, name in enumerate("abc"):
            np.testing.assert_array_equal(out[name], given[(place + turns) % 3])


def test_a_condition_gives_several_values():
    @cc.program(mesh=MESH)
    def choose(k: cc.tensor((), "i1"), x: cc.tensor("n"), y: cc.tensor("n")):
        a, b = cc.cond(k, lambda: (x + 1.0, y + 1.0), lambda: (x, y))
        return {"a": a, "b": b}

    exe = choose.compile(ranks=2)
    for n in (0, 1, 17):
        x, y = normal(n), normal(n)
        for k in (False, True):
            out = exe(k=np.array(k), x=x, y=y)
            np.testing.assert_array_equal(out["a"], x + F32(k))
            np.testing.assert_array_equal(out["b"], y + F32(k))


def test_a_barrier_in_a_loop():
    program = cc.trace(
        lambda x: cc.loop(2, lambda i, y: (cc.barrier(), y + 1.0)[1], x), mesh=MESH, x=cc.tensor(4)
    )
    assert program.schedule().compare(ranks=2)


def test_a_condition_for_each_of_a_list():
    def double(q, k):
        return cc.cond(k, lambda: q * 2.0, lambda: q)

    @cc.program(mesh=MESH)
    def step(k: cc.tensor((), "i1"), p: cc.tensors([(4,), (3, 5)])):
        return {"q": cc.for_each(lambda q: double(q, k), p)[0]}

    exe = step.compile(ranks=2)
    given = [normal(4), normal(3, 5)]
    np.testing.assert_array_equal(exe(k=np.array(True), p=given)["q"], 2 * given[0])


@pytest.mark.parametrize("ranks", [1, 3])
def test_states_are_exchanged_by_a_condition(ranks):
    """Each branch hands on states as they are, and each state is written in place."""

    @cc.program(mesh=cc.mesh(dp="?"))
    def exchange(a: cc.state("n"), b: cc.state("n"), go: cc.tensor((), "i1")):
        x, y = cc.cond(go, lambda: (b, a), lambda: (a, b))
        cc.update(a, x)
        cc.update(b, y)

    with exchange.compile(ranks=ranks) as exe:
        exe.init(a=np.arange(5, dtype=np.float32), b=np.full(5, 7, np.float32))
        for go, first in ((True, 7), (False, 7), (True, 0)):
            exe(go=np.bool_(go))
            assert exe.read("a")[0] == first and exe.read("b")[0] == 7 - first


def test_a_value_that_a_condition_may_choose_is_not_freed():
    """The condition becomes a choice of one of two buffers."""

    @cc.program(mesh=cc.mesh(dp="?"))
    def step(a: cc.state("n"), b: cc.state("n"), x: cc.tensor("n"), go: cc.tensor((), "i1")):
        new, other = x + 1.0, x * 2.0
        a1, b1 = cc.cond(go, lambda: (new, other), lambda: (a, b))
        cc.update(a, a1)
        cc.update(b, b1)

    x = np.arange(1000, dtype=np.float32)
    with step.compile(ranks=2) as exe:
        exe.init(a=np.zeros(1000, np.float32), b=np.zeros(1000, np.float32))
        for turn in range(4):
            exe(x=x + turn, go=np.bool_(turn % 2 == 0))
            last = turn - turn % 2
            np.testing.assert_array_equal(exe.read("a"), x + last + 1)
            np.testing.assert_array_equal(exe.read("b"), (x + last) * 2)
