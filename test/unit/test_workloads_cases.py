"""Faults of optimizers that people met in practice, by id: small inputs with right answers."""

from __future__ import annotations

import coconet_mlir as cc
import numpy as np
import pytest
from coconet_mlir.workloads import (
    AdamOptions,
    LambOptions,
    SgdOptions,
    catalogue,
    clip_factor,
    data_parallel,
    found_overflow,
    scheduled,
)
from compiled_support import f32, same_bits, traced

DP = cc.mesh(dp="?")


def norm_program(**specs: cc.TensorSpec) -> cc.Program:
    """The global norm, and the gradients clipped to 6.5, as results of the gradients' names."""

    def body(**gradients: cc.Tensor) -> dict[str, cc.Tensor]:
        factor = clip_factor(gradients, 6.5)
        return {"norm": 6.5 / factor} | {name: g * factor for name, g in gradients.items()}

    return traced(body, DP, **specs)


def test_case_N03_a_replicated_gradient_counts_once_in_the_global_norm():
    program = norm_program(a=cc.sliced("n", dp=0), b=cc.tensor("m"))
    with program.compile(ranks=2) as exe:
        found = exe(a=f32(3, 4), b=f32(12))
        assert found["norm"] == 13
        assert list(found["a"]) == [1.5, 2] and list(found["b"]) == [6]
    with norm_program(a=cc.sliced("n", dp=0)).compile(ranks=2) as exe:
        found = exe(a=f32(3, 4, 12, 0))
        assert found["norm"] == 13
        assert list(found["a"]) == [1.5, 2, 6, 0]


@pytest.mark.parametrize("label", list(catalogue.GUARDED_SGD))
def test_case_N03_under_each_schedule(label):
    options = SgdOptions(lr=1.0, momentum=0.0)
    program = data_parallel(options, {"a": ("n",), "b": ("m",)}, max_norm=6.5)
    steps = catalogue.GUARDED_SGD[label]
    with scheduled(program.schedule(), steps, ("a", "b")).compile(ranks=2) as exe:
        exe(g_a=f32([3, 0], [0, 4]), g_b=f32([5], [7]))
        assert list(exe.read("a")) == [-1.5, -2] and list(exe.read("b")) == [-6]


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("label", list(catalogue.LAMB))
def test_case_N04_a_trust_ratio_is_that_of_the_whole_parameter(label, ranks):
    options = LambOptions(lr=0.1, eps=1e-30, weight_decay=0.0)
    for parameters in ({"w": ("n",)}, {"w": ("n",), "b": ("m",)}):
        program = data_parallel(options, parameters)
        schedule = scheduled(program.schedule(), catalogue.LAMB[label], tuple(parameters))
        with schedule.compile(ranks=ranks) as exe:
            share = np.zeros((ranks, 2), np.float32)
            share[0] = 1, 0
            arrays = {"g_w": share, "g_b": share[:, :1]}
            exe.init(w=f32(3, 4), **({"b": f32(0.5)} if "b" in parameters else {}))
            exe(**{key: value for key, value in arrays.items() if key[2:] in parameters})
            np.testing.assert_allclose(exe.read("w"), [2.5, 4.0], rtol=1e-6)


def test_case_N04_a_ratio_is_1_where_a_norm_is_0():
    options = LambOptions(lr=0.1, weight_decay=0.0)
    program = data_parallel(options, {"w": ("n",), "b": ("n",)})
    with program.compile(ranks=2) as exe:
        exe.init(w=f32(0, 0, 0), b=f32(1, 2, 3))
        exe(g_w=np.ones((2, 3), np.float32), g_b=np.zeros((2, 3), np.float32))
        np.testing.assert_allclose(exe.read("w"), [-0.1] * 3, rtol=1e-5)
        assert list(exe.read("b")) == [1, 2, 3]


@pytest.mark.parametrize("label", list(catalogue.GUARDED_ADAM))
def test_case_N07_an_overflow_on_one_rank_skips_the_step_on_all(label):
    program = data_parallel(AdamOptions(), {"p": ("n",)}, loss_scale=True)
    schedule = scheduled(program.schedule(), catalogue.GUARDED_ADAM[label], ("p",))
    start = {"p": f32(1, 2, 3, 4), "m_p": f32(5, 6, 7, 8), "v_p": f32(9, 10, 11, 12), "t_p": 0}
    finite = {"g_p": f32([1, 0, 1, 0], [0, 1, 0, 1]), "scale": f32(2)[0]}
    with schedule.compile(ranks=2) as exe, schedule.compile(ranks=2) as fresh:
        for each in (exe, fresh):
            each.init(**start)
        for bad in (np.inf, -np.inf, np.nan):
            for rank, element in ((0, 0), (1, 3)):
                g = finite["g_p"].copy()
                g[rank, element] = bad
                assert exe(g_p=g, scale=finite["scale"])["found_inf"]
        for name, value in start.items():
            np.testing.assert_array_equal(exe.read(name), value)
            whole = [part for part in exe.state[name] if np.shape(part) == np.shape(value)]
            same_bits(whole)
        assert not exe(**finite)["found_inf"] and not fresh(**finite)["found_inf"]
        assert exe.read("t_p") == 1
        for name in start:
            assert exe.read(name).tobytes() == fresh.read(name).tobytes()


def test_case_N07_all_ranks_hold_the_flag():
    def body(g, flag):
        cc.update(flag, cc.cast(found_overflow({"g": g}), "f32"))

    program = traced(body, DP, g=cc.sliced("n", dp=0), flag=cc.state())
    with program.compile(ranks=2) as exe:
        for g, found in (([np.inf, 1, 1, 1], 1), ([1, 1, 1, 1], 0), ([1, 1, 1, np.nan], 1)):
            exe(g=f32(*g))
            assert [float(flag) for flag in exe.state["flag"]] == [found, found]


@pytest.mark.parametrize("options", [SgdOptions(), AdamOptions()], ids=["sgd", "adam"])
def test_case_N08_gradients_of_a_gain_on_split_tokens_are_summed(options):
    def body(x, dy, gain, m, v, seen):
        d_gain = cc.reduce("sum", x * dy, [0])
        whole = cc.all_reduce(d_gain, name="g_gain")
        cc.update(seen, whole)
        moments = {"m": m, "v": v} if "v" in options.moments else {"m": m}
        one = cc.constant(1.0)
        values = options.step("gain", gain, whole, moments, one)
        cc.update(gain, values.pop(""))
        for name, value in values.items():
            cc.update({"m": m, "v": v}[name], value)

    tokens = cc.sliced("t", 2, dp=0)
    states = {name: cc.state(2) for name in ("gain", "m", "v", "seen")}
    program = traced(body, DP, x=tokens, dy=tokens, **states)
    cut = program.schedule().split("g_gain")
    for schedule in (program.schedule(), cut, program.schedule().fuse_allreduce()):
        with schedule.compile(ranks=2) as exe:
            exe.init(gain=f32(1, 1))
            for step in range(3):
                exe(x=f32([1, 2], [3, 4]) / (step + 1), dy=np.ones((2, 2), np.float32))
                np.testing.assert_allclose(exe.state["seen"], f32([4, 6], [4, 6]) / (step + 1))
                same_bits(exe.state["gain"])
