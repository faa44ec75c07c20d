"""Faults of arithmetic that people met in practice, by id: small inputs with right answers."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import coconet_mlir as cc
import numpy as np
import pytest
from coconet_mlir import workloads
from coconet_mlir.dtypes import to_numpy
from coconet_mlir.workloads import catalogue
from compiled_support import f32, results, same_bits, traced

DP = cc.mesh(dp="?")


def refusal_of(step: Callable[[], object]) -> str:
    """What a step of a schedule is refused with."""
    with pytest.raises(cc.ScheduleError) as caught:
        step()
    return str(caught.value)


def test_case_N01_only_linear_operations_cross_a_pending_sum():
    p = cc.partial(1, dp="sum")

    def body(p):
        y = cc.all_reduce(p, name="y")
        return y + 10.0, cc.mul(y, 2.0, name="twice"), cc.all_reduce(p * 2.0)

    program = traced(body, DP, p=p)
    given = {"p": f32([3], [4])}
    assert [float(each[0]) for each in results(program, given, ranks=2)] == [17, 14, 14]
    for crossing in (
        lambda p: p + 10.0,
        lambda p: cc.relu(p),
        lambda p: abs(p),
        lambda p: cc.norm(p),
        lambda p: cc.max(p, 1.0),
        lambda p: p * p,
        lambda p: cc.softmax(p, 0),
    ):
        with pytest.raises(cc.ProgramError, match="pending sum") as caught:
            traced(crossing, DP, p=p)
        assert "all_reduce" in str(caught.value)
    assert "split" in refusal_of(lambda: program.schedule().reorder("y", past="twice"))

    def after(p):
        y = cc.all_reduce(p)
        return cc.relu(y), cc.norm(y)

    assert results(traced(after, DP, p=p), {"p": f32([-3], [5])}, ranks=2)[0] == 2
    pair = traced(after, DP, p=cc.partial(2, dp="sum"))
    assert results(pair, {"p": f32([3, 0], [0, 4])}, ranks=2)[1] == 5


def test_case_N01_a_constant_is_added_once_under_every_schedule():
    def body(p):
        y = cc.all_reduce(p, name="y")
        return cc.add(y, 10.0, name="plus"), cc.mul(y, 2.0, name="twice")

    program = traced(body, DP, p=cc.partial(1, dp="sum"))
    split = program.schedule().split("y")
    moved = program.schedule().split("y").reorder("y.ag", past=["plus", "twice"])
    for schedule in (split, moved, program.schedule().fuse_allreduce()):
        assert schedule.verify(ranks=2)
        found = results(schedule, {"p": f32([3], [4])}, ranks=2)
        assert [float(each[0]) for each in found] == [17, 14]
    for operation in ("plus", "twice"):
        with pytest.raises(cc.ScheduleError):
            program.schedule().split("y").reorder("y.rs", past=operation)


@pytest.mark.parametrize("ranks", [1, 2])
def test_case_N05_eps_is_added_after_the_bias_correction(ranks):
    options = workloads.AdamOptions(lr=1.0, eps=1e-2)

    def body(g, p, m, v, t):
        corrections = workloads.bias_corrections(cc.update(t, t + 1.0), options)
        workloads.adam_update(p, cc.all_reduce(g, name="g"), m, v, corrections, options)

    specs = {"g": cc.partial("n", dp="sum"), "t": cc.state()}
    program = traced(body, DP, **specs | {name: cc.state("n") for name in "pmv"})
    sliced = program.schedule().split("g").reorder("g.ag", past="opt")
    fused = program.schedule().fuse_allreduce(slice_state=True)
    for schedule in (program.schedule(), sliced, fused):
        with schedule.compile(ranks=ranks) as exe:
            exe(g=np.full((ranks, 3), 1 / ranks, np.float32))
            np.testing.assert_allclose(-exe.read("p"), [0.9900990] * 3, rtol=1e-5)


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("label", list(catalogue.LAMB))
def test_case_N05_lamb_uses_the_formula_of_adam(label, ranks):
    options = workloads.LambOptions(lr=1.0, eps=1e-2, weight_decay=0.0)
    weight, g = np.array([3.0, 4.0]), np.array([1.0, 0.01])
    # Of the first step, whose corrected moments are g and g squared.
    step = g / (np.abs(g) + 1e-2)
    expected = weight - np.linalg.norm(weight) / np.linalg.norm(step) * step
    program = workloads.data_parallel(options, {"w": ("n",)})
    schedule = workloads.scheduled(program.schedule(), catalogue.LAMB[label], ("w",))
    with schedule.compile(ranks=ranks) as exe:
        exe.init(w=weight.astype(np.float32))
        exe(g_w=np.repeat(g[None] / ranks, ranks, axis=0).astype(np.float32))
        np.testing.assert_allclose(exe.read("w"), expected, rtol=1e-5)


def test_case_N10_averages_divide_once_by_the_number_of_ranks():
    def average(x):
        return (cc.all_reduce(x, axes="dp", reduction="avg"),)

    program = traced(average, DP, x=cc.local("n", axes="dp", dtype="f16"))
    for value in (40000.0, 2.0**-24):
        given = {"x": np.full((4, 3), value, np.float16)}
        assert list(results(program, given, ranks=4)[0]) == [np.float16(value)] * 3

    ranks = np.arange(8, dtype=np.float32)[:, None]
    program = traced(average, DP, x=cc.local("n", axes="dp"))
    assert results(program, {"x": ranks}, ranks=8)[0] == 3.5
    assert list(results(program, {"x": f32([1] * 3, [3] * 3)}, ranks=2)[0]) == [2, 2, 2]

    def levels(x):
        inner = cc.all_reduce(x, axes="tp", reduction="avg")
        return cc.all_reduce(inner, axes="dp", reduction="avg"), cc.all_reduce(
            x, axes=("dp", "tp"), reduction="avg"
        )

    grid = traced(levels, cc.mesh(dp=2, tp=4), x=cc.local("n", axes=("dp", "tp")))
    assert [float(y[0]) for y in results(grid, {"x": ranks})] == [3.5, 3.5]
    with pytest.raises(cc.ProgramError, match="avg of integers") as caught:
        traced(average, DP, x=cc.local("n", axes="dp", dtype="i32"))
    assert "cast to a float type first" in str(caught.value)


def test_case_N10_two_levels_divide_like_one():
    mesh = cc.mesh(dp=2, tp=4)

    def average(x):
        return (cc.all_reduce(x, axes=("dp", "tp"), reduction="avg", name="avg"),)

    for dtype, values in (
        ("f32", np.arange(8.0)),
        ("f16", np.full(8, 40000.0)),
        ("f16", np.full(8, 2.0**-24)),
    ):
        program = traced(average, mesh, x=cc.local("n", axes=("dp", "tp"), dtype=dtype))
        levels = program.schedule().split("avg", "hierarchical", inner="tp", outer="dp")
        assert levels.verify()
        given = {"x": np.repeat(values.astype(to_numpy(dtype))[:, None], 3, axis=1)}
        for each in (program, levels):
            assert list(results(each, given)[0]) == [np.mean(values).astype(to_numpy(dtype))] * 3


def test_case_N11_one_rounding_at_the_end_and_equal_bits_on_all_ranks():
    def body(g, w):
        cc.update(w, cc.all_reduce(g, name="sum"))

    for dtype, ranks in (("bf16", 4), ("f32", 3)):
        g, w = cc.partial("n", dtype=dtype, dp="sum"), cc.state("n", dtype=dtype)
        program = traced(body, DP, g=g, w=w)
        for schedule in (
            program.schedule(),
            program.schedule().algorithm("sum", "one_shot"),
            program.schedule().split("sum"),
            program.schedule().split("sum", dim="flat"),
            program.schedule().split("sum", "reduce_broadcast"),
        ):
            with schedule.compile(ranks=ranks) as exe:
                check_n11(exe, dtype, ranks)


def check_n11(exe: cc.Executable, dtype: str, ranks: int) -> None:
    """Sums of which one term is large: of every rank, in every chunk."""
    if dtype == "bf16":
        orders = [np.roll([512, 1, 1, 1], shift) for shift in range(ranks)]
    else:
        orders = list(itertools.permutations([1e8, 1, -1e8]))
    for terms in orders:
        for size in (1, 3, 4, 33, 4099):
            g = np.repeat(np.array(terms)[:, None], size, axis=1)
            exe.init(w=np.zeros(size, to_numpy(dtype)))
            exe(g=g.astype(to_numpy(dtype)))
            same_bits(exe.state["w"])
            # Next to 516 are 512 and 520; the sum of the others depends on the order.
            allowed = {516.0} if dtype == "bf16" else {0.0, 1.0}
            assert set(exe.read("w").astype(float)) <= allowed, (terms, size)
    rng = np.random.default_rng(0)
    exe.init(w=np.zeros(37, to_numpy(dtype)))
    exe(g=rng.standard_normal((ranks, 37)).astype(to_numpy(dtype)))
    same_bits(exe.state["w"])


def test_case_N11_levels_round_once_too():
    mesh = cc.mesh(dp=2, tp=2)

    def body(g, w):
        cc.update(w, cc.all_reduce(g, name="sum"))

    g = cc.partial("n", dtype="bf16", dp="sum", tp="sum")
    program = traced(body, mesh, g=g, w=cc.state("n", dtype="bf16"))
    schedule = program.schedule().split("sum", "hierarchical", inner="tp", outer="dp")
    for size in (1, 4, 33):
        ones = np.ones((4, size), to_numpy("bf16"))
        ones[0] = 512
        with schedule.compile() as exe:
            exe(g=ones)
            same_bits(exe.state["w"])
            assert list(exe.read("w").astype(int)) == [516] * size


def test_case_N13_masks_follow_the_global_index():
    def drop(x, step):
        return cc.dropout(x, step=step, rate=0.5, seed=9, stream=0)

    def body(x, step):
        whole = drop(x, step)
        again = cc.dropout(x, step=step, rate=0.5, seed=9)
        return whole, cc.all_gather(drop(cc.shard(x, "dp"), step)), again

    step = cc.tensor((), "i32")
    program = traced(body, DP, x=cc.tensor(64), step=step)
    x = np.random.default_rng(0).standard_normal(64).astype(np.float32)
    masks = []
    for ranks in (1, 2, 4):
        whole, gathered, other = results(program, {"x": x, "step": 3}, ranks=ranks)
        same_bits([whole, gathered])
        assert np.any(whole != other)
        masks.append(whole)
    same_bits(masks)
    assert np.any(results(program, {"x": x, "step": 4}, ranks=1)[0] != masks[0])

    def layer(x, w, step):
        cc.update(w, drop(x, step))

    cut = {0: "dp"}
    program = traced(
        layer,
        cc.mesh(dp=2, tp=2),
        x=cc.tensor((8, 8), cut=cut),
        w=cc.state(8, 8, cut=cut),
        step=step,
    )
    with program.compile() as exe:
        exe(x=np.ones((8, 8), np.float32), step=0)
        held = exe.state["w"]
        same_bits(held[:2])
        same_bits(held[2:])
        assert np.any(held[0] != held[2])
