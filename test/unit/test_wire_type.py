"""Narrow wire types: what is rounded, how often, and what says so."""

from __future__ import annotations

import coconet_mlir as cc
import numpy as np
import pytest
from coconet_mlir import workloads
from coconet_mlir.dtypes import to_numpy
from compiled_support import Pair, case, normal, same_bits, traced

DP = cc.mesh(dp="?")
# Half the distance from 1 to the next number of the type.
ROUNDOFF = {"f16": 2.0**-11, "bf16": 2.0**-8}
SMALLEST = {"f16": 2.0**-24, "bf16": 2.0**-133}


def every_kind(g, rows, each):
    """One collective of each kind that has a wire type, and what is gathered of slices."""
    scattered = cc.reduce_scatter(g, name="wire")
    return {
        "all_reduce": cc.all_reduce(g, name="wire"),
        "reduce_scatter": scattered,
        "all_gather": cc.all_gather(rows, name="wire"),
        "all_to_all": cc.all_to_all(rows, 0, 1, name="wire"),
        "broadcast": cc.broadcast(each, 0, axes="dp", name="wire"),
        "reduce_to_root": cc.reduce_to_root(g, 0, name="wire"),
    }


def specs(dtype: str = "f32") -> dict:
    return {
        "g": cc.partial("n", 3, dtype=dtype, dp="sum"),
        "rows": cc.tensor(("n", 3), dtype, cut={0: "dp"}),
        "each": cc.local("n", 3, dtype=dtype, axes="dp"),
    }


@pytest.mark.parametrize("wire", ["f16", "bf16"])
@pytest.mark.parametrize("ranks", [1, 2, 3, 8])
def test_values_travel_narrow_and_are_added_wide(ranks, wire):
    schedule = traced(every_kind, DP, **specs()).schedule().wire_type("wire", wire)
    pair = Pair(schedule, ranks=ranks, base=schedule.program)

    def narrow(array):
        return array.astype(to_numpy(wire)).astype(np.float32)

    for size in (0, 1, 5, 17, 130):
        given = pair.inputs(size, normal)
        out = pair.executable(**given)
        expected, _ = pair.expect(given)
        sent = narrow(given["g"])
        total = sent[0].copy()
        for other in sent[1:]:
            total += other
        with case(f"size {size}"):
            for name, value in out.items():
                np.testing.assert_array_equal(value, expected[name].astype(np.float32), name)
            np.testing.assert_array_equal(out["all_reduce"], narrow(total))
            for name in ("reduce_scatter", "reduce_to_root"):
                np.testing.assert_array_equal(out[name], total)
            for name in ("all_gather", "all_to_all"):
                np.testing.assert_array_equal(out[name], narrow(given["rows"]))
            np.testing.assert_array_equal(out["broadcast"], narrow(given["each"][0]))


def test_f64_travels_narrow():
    schedule = traced(every_kind, DP, **specs("f64")).schedule().wire_type("wire", "f16")
    pair = Pair(schedule, ranks=3, base=schedule.program)
    for size in (1, 33):
        given = pair.inputs(size, normal)
        expected, _ = pair.expect(given)
        for name, value in pair.executable(**given).items():
            np.testing.assert_array_equal(value, expected[name], name)


@pytest.mark.parametrize("wire", ["f16", "bf16"])
@pytest.mark.parametrize("form", ["whole", "rs_ag", "reduce_broadcast", "fused"])
def test_the_error_of_a_sum_is_two_roundings(form, wire):
    """u of each addend, u of the sum, and the f32 additions."""
    ranks = 5

    def body(g, w):
        total = cc.all_reduce(g, name="sum")
        cc.update(w, total)

    schedule = traced(body, DP, g=cc.partial("n", dp="sum"), w=cc.state("n")).schedule()
    schedule.wire_type("sum", wire)
    if form == "fused":
        schedule.split("sum").fuse("sum.rs", "sum.ag", name="sum")
    elif form != "whole":
        schedule.split("sum", form)
    text = str(schedule.program)
    assert text.count(f"coconet.wire_type = {wire}") == (1 if form == "whole" else 2)
    g = np.random.default_rng(1).standard_normal((ranks, 1001)).astype(np.float32)
    with schedule.compile(ranks=ranks) as exe:
        exe(g=g)
        same_bits(exe.state["w"])
        result = exe.read("w").astype(np.float64)
    u, tiny = ROUNDOFF[wire], SMALLEST[wire]
    addends = np.abs(g.astype(np.float64)).sum(axis=0)
    first = u * addends + ranks * tiny + ranks * 2.0**-24 * addends
    exact = g.astype(np.float64).sum(axis=0)
    bound = first + u * (np.abs(exact) + first) + tiny
    assert np.all(np.abs(result - exact) <= bound)
    assert np.any(result != exact)


def test_reports_name_what_is_lossy():
    program = traced(lambda g: (cc.all_reduce(g, name="sum"),), DP, g=cc.partial("n", dp="sum"))
    schedule = program.schedule().wire_type("sum", "bf16")
    report = schedule.verify(ranks=3)
    expected = 'coconet.all_reduce "sum" is lossy: its values travel as bf16'
    assert expected in str(report)
    assert "lossy" not in str(program.schedule().verify(ranks=3))
    fused = program.schedule().split("sum").fuse("sum.rs", "sum.ag", name="k").wire_type("k", "f16")
    assert str(fused.verify(ranks=3)).count("travel as f16") == 2


@pytest.mark.parametrize("gathers_narrow", [False, True])
def test_adam_with_a_narrow_wire_and_wide_state(gathers_narrow):
    """Gradients of one sign: the sum errs by at most u = 2^-11 of itself, so does m; v by 2u; the
    step m / sqrt(v) by 2u < 1e-3, up to second order. Parameters that travel err by u more."""
    options = workloads.AdamOptions(lr=1e-2)
    ranks, steps, n = 4, 5, 1001

    def body(g, p, m, v, t):
        corrections = workloads.bias_corrections(cc.update(t, t + 1.0), options)
        workloads.adam_update(p, cc.all_reduce(g, name="g"), m, v, corrections, options)

    held = {"g": cc.partial("n", dp="sum"), "t": cc.state()}
    program = traced(body, DP, **held | {name: cc.state("n") for name in "pmv"})
    wide, narrow = (
        program.schedule().split("g").reorder("g.ag", past="opt").as_slice("m", "v")
        for _ in range(2)
    )
    narrow.wire_type("g.rs", "f16")
    if gathers_narrow:
        narrow.wire_type("g.ag", "f16")
    assert "travel as f16" in str(narrow.verify(ranks=ranks))
    rng = np.random.default_rng(0)
    gradients = rng.uniform(0.1, 1.0, (steps, ranks, n)).astype(np.float32)
    start = rng.standard_normal(n).astype(np.float32)
    found = []
    for schedule in (wide, narrow):
        with schedule.compile(ranks=ranks) as exe:
            exe.init(p=start)
            for g in gradients:
                exe(g=g)
            assert exe.read("m").dtype == np.float32
            same_bits(exe.state["p"])
            found.append({name: exe.read(name).astype(np.float64) for name in "pmv"})
    reference, other = found
    u = 2.0**-11
    f32 = 2.0**-20
    assert np.all(np.abs(other["m"] - reference["m"]) <= (u + f32) * np.abs(reference["m"]))
    assert np.all(np.abs(other["v"] - reference["v"]) <= (2.01 * u + f32) * reference["v"])
    # |m / sqrt(v)| of bias-corrected moments is at most sqrt((1 - b1)^2 / (1 - b2) ...) = 1 for
    # gradients of one size; here they differ by at most a factor of 10.
    step = options.lr * 10
    bound = steps * step * 1e-3 + f32 * np.abs(reference["p"])
    if gathers_narrow:
        bound = bound + steps * u * (np.abs(start) + steps * step)
    difference = np.abs(other["p"] - reference["p"])
    assert np.all(difference <= bound)
    assert np.any(difference > 0)


def test_mistakes_are_refused():
    program = traced(lambda g: (cc.all_reduce(g, name="sum"),), DP, g=cc.partial("n", dp="sum"))
    with pytest.raises(cc.ScheduleError, match="a wire type is f16 or bf16, not 'f8'"):
        program.schedule().wire_type("sum", "f8")
    half = traced(
        lambda g: (cc.all_reduce(g, name="sum"),), DP, g=cc.partial("n", dtype="f16", dp="sum")
    )
    with pytest.raises(cc.ScheduleError, match="only f32 and f64 values are narrowed"):
        half.schedule().wire_type("sum", "bf16")
