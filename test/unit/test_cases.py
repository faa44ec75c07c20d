"""Faults that people met in practice, by id: small inputs with their right answers, compiled."""

from __future__ import annotations

import re

import coconet_mlir as cc
import numpy as np
import pytest
from coconet_mlir import workloads
from coconet_mlir.binding import bind, run_pipeline
from coconet_mlir.dtypes import to_numpy
from compiled_support import same_bits, traced

DP = cc.mesh(dp="?")


def results(program: cc.Program | cc.Schedule, arrays: dict, **where) -> list[np.ndarray]:
    """Results of one run."""
    with cc.compile(program, **where) as exe:
        return list(exe(**arrays).values())


def f32(*values: object) -> np.ndarray:
    return np.array(values, np.float32)


# ===- Numerics --------------------------------------------------------------===


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
    with pytest.raises(cc.ScheduleError):
        program.schedule().reorder("y", past="twice")

    def after(p):
        y = cc.all_reduce(p)
        return cc.relu(y), cc.norm(y)

    assert results(traced(after, DP, p=p), {"p": f32([-3], [5])}, ranks=2)[0] == 2
    pair = traced(after, DP, p=cc.partial(2, dp="sum"))
    assert results(pair, {"p": f32([3, 0], [0, 4])}, ranks=2)[1] == 5


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
    bf16 = traced(lambda g: (cc.all_reduce(g),), DP, g=cc.partial("n", dtype="bf16", dp="sum"))
    for size in (1, 4, 33):
        g = np.ones((4, size), to_numpy("bf16"))
        g[0] = 512
        assert list(results(bf16, {"g": g}, ranks=4)[0].astype(int)) == [516] * size

    def body(g, w):
        cc.update(w, cc.all_reduce(g))

    program = traced(body, DP, g=cc.partial("n", dp="sum"), w=cc.state("n"))
    rng = np.random.default_rng(0)
    for g in (np.repeat(f32(1e8, 1, -1e8)[:, None], 37, axis=1), rng.standard_normal((3, 37))):
        with program.compile(ranks=3) as exe:
            exe(g=g.astype(np.float32))
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


# ===- Shapes and layout -----------------------------------------------------===


def test_case_S01_uneven_chunks_keep_the_logical_size():
    def body(x, w):
        part = cc.shard(x, "dp")
        cc.update(w, part)
        return cc.all_gather(part), part

    program = traced(body, DP, x=cc.tensor(("n", 2)), w=cc.state("n", 2, cut={0: "dp"}))
    for ranks, sizes in ((4, [3, 3, 3, 0]), (8, [2, 2, 2, 2, 1, 0, 0, 0])):
        x = np.arange(18, dtype=np.float32).reshape(9, 2)
        with program.compile(ranks=ranks) as exe:
            for result in exe(x=x).values():
                np.testing.assert_array_equal(result, x)
            assert [len(part) for part in exe.state["w"]] == sizes
            np.testing.assert_array_equal(np.concatenate(exe.state["w"]), x)

    def scatter(g, w):
        cc.update(w, cc.reduce_scatter(g))

    program = traced(scatter, DP, g=cc.partial("n", dp="sum"), w=cc.state("n", cut={0: "dp"}))
    with program.compile(ranks=3) as exe:
        exe(g=np.ones((3, 7), np.float32))
        assert [list(part) for part in exe.state["w"]] == [[3, 3, 3], [3, 3, 3], [3]]


def test_case_S03_all_to_all_concatenates_in_the_order_of_senders():
    def body(x):
        y = cc.all_to_all(x, 1, 0, groups=[[0, 1]])
        return y, cc.all_to_all(y, 0, 1, groups=[[0, 1]])

    program = traced(body, cc.mesh(dp=2), x=cc.local(4, 2, axes="dp"))
    x = np.arange(8, dtype=np.float32).reshape(4, 2)
    x = np.stack([x, x + 10])
    moved, back = results(program, {"x": x})
    expected = [[[0, 1, 10, 11], [2, 3, 12, 13]], [[4, 5, 14, 15], [6, 7, 16, 17]]]
    np.testing.assert_array_equal(moved, expected)
    np.testing.assert_array_equal(back, x)


def test_case_S05_gather_and_scatter_along_another_dimension():
    def body(x, a, b):
        return cc.all_gather(x, 1, groups=[[0, 1]]), cc.reduce_scatter(a @ b, 1)

    program = traced(
        body,
        cc.mesh(dp=2),
        x=cc.local(2, 2, axes="dp"),
        a=cc.tensor((2, 2), cut={1: "dp"}),
        b=cc.tensor((2, 4), cut={0: "dp"}),
    )
    x, a, b = f32([[1, 2], [3, 4]], [[5, 6], [7, 8]]), f32([1, 3], [2, 4]), np.arange(1, 9)
    fused = program.schedule()
    gathered, product = results(fused, {"x": x, "a": a, "b": b.reshape(2, 4).astype(np.float32)})
    np.testing.assert_array_equal(gathered, [[[1, 2, 5, 6], [3, 4, 7, 8]]] * 2)
    np.testing.assert_array_equal(product, [[16, 20, 24, 28], [22, 28, 34, 40]])


@pytest.mark.parametrize("ranks", [2, 3])
def test_case_S06_empty_tensors_and_empty_chunks(ranks):
    def body(g, x, y):
        return cc.all_reduce(g), cc.all_gather(x), cc.all_to_all(y, 0, 1)

    program = traced(
        body,
        DP,
        g=cc.partial("n", dp="sum"),
        x=cc.sliced("n", dp=0),
        y=cc.tensor(("n", 3), cut={0: "dp"}),
    )
    for size in (0, 1):
        ones = np.ones((ranks, size), np.float32)
        y = np.arange(3 * size, dtype=np.float32).reshape(size, 3)
        total, x, moved = results(program, {"g": ones, "x": ones[0], "y": y}, ranks=ranks)
        assert list(total) == [ranks] * size
        assert list(x) == [1] * size
        np.testing.assert_array_equal(moved, y)


# ===- Verifier --------------------------------------------------------------===


@pytest.mark.parametrize("groups", [[[0, 1], [1, 2]], [[0, 4]], [], [[]]])
def test_case_V01_groups_are_checked(groups):
    with pytest.raises(cc.ProgramError, match="groups"):
        traced(
            lambda x: (cc.all_reduce(x, groups=groups),), cc.mesh(dp=4), x=cc.local(4, axes="dp")
        )


def test_case_V01_sizes_of_groups_are_equal_where_the_shape_depends_on_them():
    mesh, x = cc.mesh(dp=4), cc.local(1, axes="dp")
    with pytest.raises(cc.ProgramError, match="groups"):
        traced(lambda x: (cc.all_gather(x, groups=[[0], [1, 2, 3]]),), mesh, x=x)
    values = f32([1], [2], [3], [4])
    for groups, expected in (
        ([[0, 2], [1, 3]], [[1, 3], [2, 4], [1, 3], [2, 4]]),
        ([[3, 2, 1, 0]], [[4, 3, 2, 1]] * 4),
    ):
        program = traced(lambda x, g=groups: (cc.all_gather(x, groups=g),), mesh, x=x)
        np.testing.assert_array_equal(results(program, {"x": values})[0], expected)


# ===- Legality of rewrites --------------------------------------------------===


def test_case_L02_gathers_that_differ_stay_apart():
    def body(x):
        return cc.all_gather(x, groups=[[0, 1], [2, 3]]), cc.all_gather(x, groups=[[0, 2], [1, 3]])

    program = traced(body, cc.mesh(dp=4), x=cc.local(1, axes="dp"))
    near, far = results(program, {"x": f32([0], [1], [2], [3])})
    np.testing.assert_array_equal(near, [[0, 1], [0, 1], [2, 3], [2, 3]])
    np.testing.assert_array_equal(far, [[0, 2], [1, 3], [0, 2], [1, 3]])


def test_case_L02_a_slice_by_another_axis_does_not_undo_a_gather():
    def body(x, j):
        over_i = cc.all_gather(x, groups=[[0, 2], [1, 3]])
        mine = cc.compare("eq", cc.iota((2,), 0, "i32"), j)
        return (cc.reduce("sum", cc.select(mine, over_i, 0.0), [0]),)

    axes = ("i", "j")
    program = traced(
        body, cc.mesh(i=2, j=2), x=cc.local(1, axes=axes), j=cc.local(axes=axes, dtype="i32")
    )
    given = {"x": f32([0], [1], [10], [11]), "j": np.array([0, 1, 0, 1], np.int32)}
    assert list(results(program, given)[0]) == [0, 11, 0, 11]


def test_case_L02_reductions_that_differ_in_wire_type_or_root_stay_apart():
    def body(g, w):
        cc.update(w, cc.all_reduce(g, name="plain"))
        first, second = (cc.reduce_to_root(g, root) for root in (0, 1))
        return {"narrow": cc.all_reduce(g, name="narrow"), "first": first, "second": second}

    program = traced(body, DP, g=cc.partial(1, dp="sum"), w=cc.state(1))
    schedule = program.schedule().wire_type("narrow", "bf16")
    with schedule.compile(ranks=2) as exe:
        out = exe(g=f32([257], [1]))
        assert exe.read("w") == 258
        assert [out[name][0] for name in ("narrow", "first", "second")] == [256, 258, 258]


def test_case_L05_a_shard_of_a_pending_sum_is_a_reduce_scatter():
    def body(p, w):
        cc.update(w, cc.shard(cc.all_reduce(p), "dp"))
        return (cc.reduce_scatter(p),)

    cut = {0: "dp"}
    program = traced(body, DP, p=cc.partial(4, dp="sum"), w=cc.state(4, cut=cut))
    with program.compile(ranks=2) as exe:
        out = exe(p=f32([1, 2, 3, 4], [10, 20, 30, 40]))
        assert [list(part) for part in exe.state["w"]] == [[11, 22], [33, 44]]
        assert list(out["result 0"]) == [11, 22, 33, 44]
    with pytest.raises(cc.ProgramError, match="pending sum"):
        traced(lambda p: (cc.shard(p, "dp"),), DP, p=cc.partial(4, dp="sum"))
    with pytest.raises(cc.ProgramError, match="cut along dimension 0"):
        traced(
            lambda x: (cc.all_reduce(x, axes="dp", reduction="sum"),), DP, x=cc.tensor(4, cut=cut)
        )


def test_case_L03_a_bucket_holds_collectives_of_one_kind():
    local = {"x": cc.local(2, axes="dp"), "y": cc.local(2, axes="dp")}

    def refused(body, reason, mesh=DP, **specs):
        schedule = traced(body, mesh, **(specs or local)).schedule()
        with pytest.raises(cc.ScheduleError, match=reason):
            schedule.bucket("a", "b")

    def both(first, second):
        return lambda x, y: (first(x, name="a"), second(y, name="b"))

    def reduce(reduction="sum", **group):
        group = group or {"axes": "dp"}
        return lambda x, name: cc.all_reduce(x, reduction=reduction, name=name, **group)

    def scatter(x, name):
        return cc.reduce_scatter(x, "flat", axes="dp", reduction="sum", name=name)

    def from_root(root):
        return lambda x, name: cc.broadcast(x, root, axes="dp", name=name)

    refused(both(reduce(), scatter), "differ in kind")
    refused(both(reduce(), reduce("max")), "differ in reduction")
    mixed = {"x": cc.partial(2, dp="sum"), "y": cc.partial(2, dtype="bf16", dp="sum")}
    refused(both(reduce(), reduce()), "differ in element type", **mixed)
    groups = [reduce(groups=[[0, 1], [2, 3]]), reduce(groups=[[0, 2], [1, 3]])]
    refused(both(*groups), "differ in group", mesh=cc.mesh(dp=4))
    refused(both(from_root(0), from_root(1)), "differ in root")
    refused(
        lambda x, y: groups[0](groups[0](x, name="a"), name="b"),
        "the second depends on the first",
        mesh=cc.mesh(dp=4),
    )
    one = {"x": cc.partial(2, dp="sum"), "y": cc.partial(1, dp="sum")}
    fused = traced(both(reduce(), reduce()), DP, **one).schedule().bucket("a", "b")
    given = {"x": f32([1, 2], [3, 4]), "y": f32([5], [6])}
    assert [each.tolist() for each in results(fused, given, ranks=2)] == [[4, 6], [11]]


# ===- Lowering --------------------------------------------------------------===


def test_case_W01_scalars_stay_scalars_and_buffers_may_be_one():
    program = traced(lambda g: (cc.all_reduce(g),), DP, g=cc.partial(dp="sum"))
    assert "tensor<f32, #partial> -> tensor<f32>" in str(program)
    total = results(program, {"g": f32(1, 2, 4)}, ranks=3)[0]
    assert total == 7 and total.shape == ()

    def in_place(w):
        cc.update(w, cc.all_reduce(w, groups=[[0, 1]]))

    program = traced(in_place, cc.mesh(dp=2), w=cc.tensor(2, local="dp", state=True))
    with program.compile() as exe:
        exe.init(w=f32([0, 0], [1, 1]))
        exe()
        assert [list(part) for part in exe.state["w"]] == [[1, 1], [1, 1]]


def test_case_W03_counts_have_64_bits():
    rows = 2**29
    reduced = cc.partial(2**31, dtype="i8", dp="sum")
    gathered = cc.tensor(8 * rows, "i8", cut={0: "dp"})
    for body, specs, count in (
        (lambda g: (cc.all_reduce(g),), {"g": reduced}, 2**31),
        (lambda x: (cc.all_gather(x),), {"x": gathered}, 8 * rows),
    ):
        lowered = bind(traced(body, DP, **specs), ranks=8).copy()
        run_pipeline(lowered, "builtin.module(coconet-to-cpu)")
        numbers = [int(found) for found in re.findall(r"constant\((-?\d+) :", str(lowered))]
        assert count in numbers
        # -1 is no count: rounding up divides by way of it.
        assert min(numbers) >= -1


# ===- Run time --------------------------------------------------------------===


@pytest.mark.parametrize("ranks", [1, 2, 3, 5, 6, 7])
def test_case_R01_any_number_of_ranks_and_any_count(ranks):
    def body(g):
        return cc.all_reduce(g), cc.all_gather(cc.reduce_scatter(g))

    program = traced(body, DP, g=cc.partial("n", dp="sum"))
    total = ranks * (ranks + 1) // 2
    with program.compile(ranks=ranks) as exe:
        for size in (1, 3, 31, 32, 33, 127, 129):
            g = np.repeat(np.arange(1, ranks + 1, dtype=np.float32)[:, None], size, axis=1)
            for result in exe(g=g).values():
                assert list(result) == [total] * size
