"""Compiled schedules against the reference of the program that they transform."""

from __future__ import annotations

import coconet_mlir as cc
import numpy as np
import pytest
from coconet_mlir import workloads
from compiled_support import FEW_SIZES, Pair, case, operations, traced

DP = cc.mesh(dp="?")
OPTIONS = workloads.AdamOptions()

# ===- Adam ------------------------------------------------------------------===


@cc.program(mesh=DP)
def adam(
    g_p: cc.partial("n", "m", dp="sum"),
    p: cc.state("n", "m"),
    m_p: cc.state("n", "m"),
    v_p: cc.state("n", "m"),
    t: cc.state(),
):
    step = cc.update(t, t + 1.0)
    corrections = workloads.bias_corrections(step, OPTIONS)
    average = cc.all_reduce(g_p, name="g_p")
    workloads.adam_update(p, average, m_p, v_p, corrections, OPTIONS, name="opt_p")


def adam_schedules() -> dict[str, cc.Schedule]:
    flat = adam.schedule().split("g_p", dim="flat").reorder("g_p.ag", past="opt_p")
    columns = adam.schedule().split("g_p", dim=1).reorder("g_p.ag", past="opt_p")
    rows = adam.schedule().split("g_p").reorder("g_p.ag", past="opt_p")
    return workloads.schedules(adam, ["p"]) | {
        "split": adam.schedule().split("g_p"),
        "merged": adam.schedule().split("g_p").merge("g_p.rs"),
        "computation": adam.schedule().fuse("opt_p", name="step"),
        "RS and one kernel": rows.fuse("opt_p", name="step"),
        "columns": columns.fuse("g_p.rs", "opt_p", "g_p.ag"),
        "flat": flat,
        "flat, fused": adam.schedule()
        .split("g_p", dim="flat")
        .reorder("g_p.ag", past="opt_p")
        .as_slice("m_p", "v_p")
        .fuse("g_p.rs", "opt_p", "g_p.ag"),
        "--fuse-allreduce": adam.schedule().fuse_allreduce(),
        "--fuse-allreduce=slice-state": adam.schedule().fuse_allreduce(slice_state=True),
    }


@pytest.mark.parametrize("name", list(adam_schedules()))
def test_adam(name):
    schedule = adam_schedules()[name]
    for ranks in (1, 4):
        pair = Pair(schedule, ranks=ranks, base=adam)
        for n, m in ((0, 3), (1, 1), (5, 7), (33, 16), (3, 0)):
            positive = {"v_p": pair.rng.uniform(0, 1, (n, m)).astype(np.float32)}
            for t in (0, 41):
                pair.check({"n": n, "m": m}, terms=ranks, t=np.float32(t), **positive)


def test_sliced_adam_holds_a_part_of_the_moments():
    full, cut = (adam_schedules()[name].compile(ranks=4) for name in ("flat", "flat, fused"))
    g = np.ones((4, 8, 16), np.float32)
    for exe in (full, cut):
        exe(g_p=g)
    assert full.state_bytes == (3 * 512 + 4,) * 4
    assert cut.state_bytes == (512 + 2 * 128 + 4,) * 4
    np.testing.assert_allclose(full.read("m_p"), cut.read("m_p"), rtol=1e-6)


# ===- A model-parallel layer ------------------------------------------------===


@cc.program(mesh=DP)
def epilogue(
    x: cc.sliced("b", "k", dp=1),
    w: cc.sliced("k", "h", dp=0),
    bias: cc.tensor("h"),
    residual: cc.tensor(("b", "h")),
    step: cc.tensor((), "i32"),
):
    """The end of a transformer's block: all_reduce, bias, dropout, residual."""
    total = cc.all_reduce(x @ w, name="sum")
    with cc.named("end"):
        dropped = cc.dropout(total + bias, step=step, rate=0.25, seed=11)
        return {"y": dropped + residual}


def epilogue_schedules() -> dict[str, cc.Schedule]:
    def reordered(dim) -> cc.Schedule:
        return epilogue.schedule().split("sum", dim=dim).reorder("sum.ag", past="end")

    return {
        "MM-AR-C": epilogue.schedule().fuse("end"),
        "MM-RS-C-AG": reordered(0),
        "MM-RS-C-AG, columns": reordered(1),
        "fuse(RS-C-AG)": reordered(0).fuse("sum.rs", "end", "sum.ag"),
        "fuse(RS-C-AG), columns": reordered(1).fuse("sum.rs", "end", "sum.ag"),
        "--fuse-allreduce": epilogue.schedule().fuse_allreduce(),
    }


@pytest.mark.parametrize("name", list(epilogue_schedules()))
def test_epilogue(name):
    schedule = epilogue_schedules()[name]
    for ranks in (2, 3):
        pair = Pair(schedule, ranks=ranks, base=epilogue)
        for b, k, h in ((1, 1, 1), (4, 6, 5), (17, 3, 33), (0, 2, 2), (2, 0, 3)):
            for step in (0, 7):
                pair.check({"b": b, "k": k, "h": h}, terms=k + ranks, step=np.int32(step))


# ===- Regions ---------------------------------------------------------------===


def test_a_computation_of_many_types_as_one_kernel():
    def body(x, row, s, b):
        with cc.named("f"):
            y = cc.exp(x) * row + s
            low = cc.cast(y, "bf16")
            i = cc.cast(y * 100.0, "i8")
            chosen = cc.select(b, y, cc.tanh(x))
            test = cc.compare("lt", chosen, x)
        return {"y": y, "low": low, "i": i, "chosen": chosen, "test": test}

    program = traced(
        body,
        DP,
        x=cc.tensor(("n", 5), cut={0: "dp"}),
        row=cc.tensor(5),
        s=cc.tensor(()),
        b=cc.tensor(("n", 5), "i1", cut={0: "dp"}),
    )
    schedule = program.schedule().fuse("f", name="kernel")
    assert operations(schedule.program, "fused") == 1
    pair = Pair(schedule, ranks=3, base=program)
    for size in FEW_SIZES:
        # Truncation to i8 may differ by one where values differ in the last place.
        pair.check({"n": size}, x=np.round(pair.rng.standard_normal((size, 5))).astype(np.float32))


@pytest.mark.parametrize("dtype", ["f32", "bf16", "i32"])
@pytest.mark.parametrize("dim", [0, 1, "flat"])
def test_chains_with_slices_and_gathers_as_results(dim, dtype):
    """A chain gives slices, whole values, and both of one value."""

    def body(g, x):
        part = cc.reduce_scatter(g, dim, name="chain")
        with cc.named("chain"):
            own = cc.shard(x, "dp", dim)
            y = part * own + own
            z = cc.max(y, part)
        whole_y = cc.all_gather(y, dim, name="chain")
        whole_z = cc.all_gather(z, dim, name="chain")
        return {"y": whole_y, "z": whole_z, "slice": cc.all_gather(z + y, dim)}

    spec = cc.tensor(("n", 6), dtype)
    program = traced(body, DP, g=cc.partial("n", 6, dtype=dtype, dp="sum"), x=spec)
    schedule = program.schedule().fuse("chain", name="kernel")
    assert operations(schedule.program, "fused") == 1
    for ranks in (2, 4):
        pair = Pair(schedule, ranks=ranks, base=program)
        for size in FEW_SIZES:
            pair.check(size, terms=2 * ranks)


@pytest.mark.parametrize("reduction", ["max", "min"])
def test_chains_of_other_reductions(reduction):
    def body(g):
        y = cc.all_reduce(g, name="best")
        with cc.named("after"):
            return {"y": y * 2.0 + 1.0}

    program = traced(body, DP, g=cc.partial("n", dp=reduction))
    schedule = program.schedule().fuse_allreduce()
    assert operations(schedule.program, "fused") == 1
    pair = Pair(schedule, ranks=3, base=program)
    for size in FEW_SIZES:
        pair.check(size)


def test_chains_of_local_values_average():
    def body(each, w):
        average = cc.all_reduce(each, axes="dp", reduction="avg", name="average")
        with cc.named("after"):
            return {"y": cc.sqrt(cc.abs(average)) * w}

    program = traced(
        body, DP, each=cc.local("n", 3, axes="dp", dtype="f16"), w=cc.tensor(("n", 3), "f16")
    )
    schedule = program.schedule().split("average").reorder("average.ag", past="after")
    schedule.fuse("average.rs", "after", "average.ag")
    pair = Pair(schedule, ranks=4, base=program)
    for size in FEW_SIZES:
        pair.check(size)


def test_fuse_allreduce_of_several_chains_over_two_axes():
    def body(g, h, w, u):
        a = cc.all_reduce(g, axes="dp", name="a")
        new_w = cc.update(w, w - 0.5 * a)
        b = cc.all_reduce(h, axes=("dp", "tp"), name="b")
        cc.update(u, u * 0.5 + cc.tanh(b))
        return {"w": new_w * 2.0}

    program = traced(
        body,
        cc.mesh(dp=2, tp=2),
        g=cc.partial("n", 3, dp="sum"),
        h=cc.partial("m", dp="sum", tp="sum"),
        w=cc.state("n", 3),
        u=cc.state("m"),
    )
    for slice_state in (False, True):
        pair = Pair(program.schedule().fuse_allreduce(slice_state=slice_state), base=program)
        for n, m in ((0, 1), (1, 0), (5, 17), (33, 8)):
            pair.check({"n": n, "m": m}, terms=4)


def test_a_norm_beside_slices():
    """Clipping by the global norm: a reduction over the cut dimension brings its all_reduce."""

    def body(g, w):
        total = cc.all_reduce(g, name="sum")
        with cc.named("step"):
            scale = 1.0 / cc.max(cc.norm(total), 1.0)
            new = w - total * scale
        cc.update(w, new)

    program = traced(body, DP, g=cc.partial("n", dp="sum"), w=cc.state("n"))
    schedule = program.schedule().split("sum").reorder("sum.ag", past="step")
    for ranks in (2, 3):
        pair = Pair(schedule, ranks=ranks, base=program)
        for size in FEW_SIZES:
            pair.check(size, terms=size + ranks)


# ===- Training --------------------------------------------------------------===


def test_all_schedules_of_the_classifier_train_alike():
    shapes = workloads.parameter_shapes(12, 9, 4)
    options = workloads.AdamOptions(lr=1e-2)
    program = workloads.train_classifier(10, features=12, hidden=9, classes=4, options=options)
    schedules = workloads.schedules(program, list(shapes)) | {
        "--fuse-allreduce": program.schedule().fuse_allreduce(),
        "--fuse-allreduce=slice-state": program.schedule().fuse_allreduce(slice_state=True),
    }
    rng = np.random.default_rng(0)
    states = {"t": np.zeros((), np.float32)}
    for name, shape in shapes.items():
        states[name] = rng.standard_normal(shape).astype(np.float32)
        states |= {f"{moment}_{name}": np.zeros(shape, np.float32) for moment in "mv"}
    x = rng.standard_normal((10, 12)).astype(np.float32)
    y = np.eye(4, dtype=np.float32)[rng.integers(0, 4, 10)]

    outcomes = {}
    Pair(program, ranks=3).check(x=x, y=y, terms=10, **states)
    for name, schedule in {"one rank": program.schedule(), **schedules}.items():
        with case(name), schedule.compile(ranks=1 if name == "one rank" else 3) as exe:
            exe.init(**states)
            losses = [float(exe(x=x, y=y)["loss"]) for _ in range(8)]
            assert losses[-1] < losses[0]
            outcomes[name] = losses, {p: exe.read(p) for p in shapes}
    reference = outcomes["one rank"]
    for name, (losses, trained) in outcomes.items():
        with case(name):
            np.testing.assert_allclose(losses, reference[0], rtol=1e-4)
            for p in shapes:
                np.testing.assert_allclose(trained[p], reference[1][p], rtol=1e-3, atol=1e-4)


# ===- Found by random pairs ---------------------------------------------------===


def test_fused_ops_of_two_sizes():
    """Nothing says how large the one is to the other."""

    def body(x: cc.Tensor, y: cc.Tensor, s: cc.Tensor, g: cc.Tensor, h: cc.Tensor):
        u = cc.exp(x, name="c")
        cc.update(s, cc.sub(y, 0.5, name="c"))
        a, b = cc.reduce_scatter(g, 0, name="rs"), cc.reduce_scatter(h, 0, name="rs")
        return {"u": u, "a": cc.neg(a, name="rs"), "b": cc.neg(b, name="rs")}

    program = traced(
        body,
        DP,
        x=cc.tensor(("n", "k")),
        y=cc.tensor(("m", "k")),
        s=cc.state("m", "k"),
        g=cc.partial("n", "k", dp="sum"),
        h=cc.partial("m", "k", dp="sum"),
    )
    schedule = program.schedule().fuse("c", name="c").fuse("rs", name="kernel")
    for ranks in (1, 3):
        pair = Pair(schedule, ranks=ranks, base=program)
        for n, m in ((2, 1), (1, 2), (7, 4), (0, 3)):
            pair.check({"n": n, "m": m, "k": 2}, terms=ranks)
        pair.executable.close()


def test_a_partial_reduction_leaves_a_fused_region():
    def body(x: cc.Tensor):
        part = cc.reduce_scatter(x, 1, name="c")
        top = cc.reduce("max", part, [0, 1], keep_dims=True, name="c")
        return {"scalar": cc.add(cc.constant(0.5, "f16", name="c"), 1.0, name="c"), "top": top}

    program = traced(body, DP, x=cc.partial("n", "m", dp="sum"))
    pair = Pair(program.schedule().fuse("c", name="kernel"), ranks=2, base=program)
    pair.check({"n": 3, "m": 5}, terms=2)


def test_a_result_that_folds_to_a_state():
    def body(s: cc.Tensor):
        return {"same": cc.broadcast_to(cc.update(s, s + 1.0), ["n", "m"])}

    program = traced(body, DP, s=cc.state("n", "m"))
    with program.compile(ranks=2) as exe:
        assert (exe(s=np.ones((3, 2), np.float32))["same"] == 2).all()
        assert (exe()["same"] == 3).all()


def test_a_state_that_is_cut_and_gathered_only():
    def body(s: cc.Tensor):
        cc.update(s, cc.all_gather(cc.shard(s, ["dp"], 0), 0))
        return {}

    program = traced(body, DP, s=cc.state("n", "m"))
    schedule = program.schedule().as_slice("s")
    assert "all_gather" not in str(schedule.program)
    with schedule.compile(ranks=2) as exe:
        exe(s=np.ones((3, 2), np.float32))
        assert (exe.read("s") == 1).all()


def test_a_reorder_past_what_uses_other_values_is_refused():
    def body(x: cc.Tensor):
        one, other = cc.all_reduce(x, name="one"), cc.all_reduce(x, name="other")
        return {"y": cc.norm(cc.max(one, 1.5), name="norm"), "z": other}

    program = traced(body, DP, x=cc.partial(dp="max"))
    schedule = program.schedule().split("other", dim="flat")
    with pytest.raises(cc.ScheduleError, match="no computation of the set depends on it"):
        schedule.reorder("other.ag", past="norm")


def test_a_norm_of_a_scalar_beside_flat_slices():
    """A scalar is cut flat, but what computes it has no operand to be cut."""

    def body(x: cc.Tensor, z: cc.Tensor):
        other = cc.all_reduce(x, name="other")
        return {"c": cc.neg(other, name="c"), "y": cc.norm(cc.max(z, 1.5), name="norm")}

    program = traced(body, DP, x=cc.partial(dp="max"), z=cc.tensor(()))
    schedule = program.schedule().split("other", dim="flat").reorder("other.ag", past=["c", "norm"])
    assert schedule.verify(ranks=3)
    Pair(schedule, ranks=3, base=program).check({}, terms=3)


def test_a_cut_dimension_between_dimensions_of_one_element():
    """However many ranks there are, [12] cut is [1, 12, 1] cut along its dimension 1."""

    def body(x: cc.Tensor):
        total = cc.all_reduce(x, name="sum")
        return {
            "y": cc.reshape(total, [1, 12, 1], name="c"),
            "z": cc.reshape(total, [12], name="c"),
        }

    program = traced(body, DP, x=cc.partial(12, dp="sum"))
    schedule = program.schedule().split("sum", dim=0).reorder("sum.ag", past="c")
    assert "#coconet.layout<#mesh, [{}, {dp}, {}]>" in str(schedule.program)
    for ranks in (1, 3, 5):
        assert schedule.verify(ranks=ranks)
        pair = Pair(schedule, ranks=ranks, base=program)
        pair.check({}, terms=ranks)
        pair.executable.close()


def test_the_middle_of_a_hierarchical_all_reduce_of_a_scalar_is_no_scalar():
    program = traced(
        lambda x: cc.all_reduce(x, name="sum"),
        cc.mesh(dp="?", tp="?"),
        x=cc.partial(tp="sum", dp="sum"),
    )
    schedule = program.schedule().split("sum", "hierarchical", dim="flat", inner="dp", outer="tp")
    with pytest.raises(cc.ScheduleError, match="cannot fuse all_reduce 'sum.ar'"):
        schedule.fuse("sum.rs", "sum.ar", "sum.ag")


def test_one_value_becomes_two_states():
    """It is computed in the first one, and copied to the other."""

    def body(x: cc.Tensor, a: cc.Tensor, b: cc.Tensor):
        total = cc.all_reduce(x, name="sum")
        cc.update(b, total)
        cc.update(a, total)
        return {}

    program = traced(body, DP, x=cc.partial("n", dp="sum"), a=cc.state("n"), b=cc.state("n"))
    for ranks in (1, 3):
        pair = Pair(program, ranks=ranks)
        pair.check({"n": 7}, terms=ranks)
        pair.executable.close()
