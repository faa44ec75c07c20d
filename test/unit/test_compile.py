"""Compiled programs against numpy: inputs, results, state, and what is refused."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import coconet_mlir as cc
import ml_dtypes
import numpy as np
import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
RANDOM = np.random.default_rng(7)


def normal(*shape: int, dtype: object = np.float32) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype(dtype)


def load_example(name: str):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


adam = load_example("data_parallel_adam")


def adam_step(state: dict[str, np.ndarray], g: np.ndarray) -> dict[str, np.ndarray]:
    """One step in float64."""
    t = state["t"] + 1
    m = adam.BETA1 * state["m"] + (1 - adam.BETA1) * g
    v = adam.BETA2 * state["v"] + (1 - adam.BETA2) * g * g
    root = np.sqrt(v / (1 - adam.BETA2**t)) + adam.EPSILON
    p = state["p"] - adam.RATE * (m / (1 - adam.BETA1**t)) / root
    return {"p": p, "m": m, "v": v, "t": t}


# ===- Programs and schedules ------------------------------------------------===


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
@pytest.mark.parametrize("schedule", [None, *adam.SCHEDULES])
def test_adam_under_every_schedule(schedule, ranks):
    program = adam.SCHEDULES[schedule]() if schedule else adam.adam
    with cc.compile(program, ranks=ranks) as exe:
        for size in (1, 5, 1000):
            expected = {name: np.zeros(size) for name in "pmv"} | {"t": 0}
            expected["p"] = normal(size).astype(np.float64)
            exe.init(t=0, **{name: expected[name].astype(np.float32) for name in "pmv"})
            for _ in range(3):
                gradients = [normal(size) for _ in range(ranks)]
                exe(g=gradients)
                expected = adam_step(expected, np.sum(gradients, axis=0, dtype=np.float64))
            assert exe.read("t") == 3
            for name in "pmv":
                np.testing.assert_allclose(exe.read(name), expected[name], rtol=1e-4, atol=1e-6)
            # All ranks hold the same bits of a replicated state.
            for copy in exe.state["p"][1:]:
                np.testing.assert_array_equal(copy, exe.state["p"][0])


def test_the_step_of_adam_has_eps_outside_of_the_correction():
    @cc.program
    def step(g: cc.tensor(()), m: cc.state(), v: cc.state(), t: cc.tensor(())):
        m_new = 0.9 * m + (1 - 0.9) * g
        v_new = 0.999 * v + (1 - 0.999) * g * g
        cc.update(m, m_new)
        cc.update(v, v_new)
        return (m_new / (1 - 0.9**t)) / (cc.sqrt(v_new / (1 - 0.999**t)) + 1e-2)

    out = cc.compile(step)(g=np.float32(1), t=np.float32(1))
    np.testing.assert_allclose(out["result 0"], 0.9900990, rtol=1e-4)


def test_sliced_state_takes_less_memory():
    full, cut = (adam.SCHEDULES[name]().compile(ranks=4) for name in ("fused", "fused_sliced"))
    g = normal(4, 1000)
    for exe in (full, cut):
        exe(g=g)
    assert full.state_bytes == (3 * 4000 + 4,) * 4
    assert cut.state_bytes == (4000 + 2 * 1000 + 4,) * 4
    np.testing.assert_array_equal(full.read("m"), cut.read("m"))


def test_a_mesh_of_two_axes():
    @cc.program(mesh=cc.mesh(dp="?", tp=2))
    def layer(
        x: cc.tensor(("b", 6), cut={0: "dp", 1: "tp"}),
        w: cc.tensor((6, 5), cut={0: "tp"}),
    ):
        return {"y": cc.all_reduce(x @ w), "loss": cc.norm(w)}

    x, w = normal(5, 6), normal(6, 5)
    for dp in (1, 2, 3):
        out = cc.compile(layer, mesh={"dp": dp})(x=x, w=w)
        np.testing.assert_allclose(out["y"], x @ w, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(out["loss"], np.linalg.norm(w), rtol=1e-5)


def test_results_of_every_layout():
    @cc.program(mesh=cc.mesh(x=2, y=3))
    def layouts(
        g: cc.partial("n", x="sum", y="sum"), a: cc.local("n", axes=("x", "y")), r: cc.tensor("n")
    ):
        return {
            "pending": g + g,
            "half": cc.all_reduce(g, axes="y"),
            "cut": cc.reduce_scatter(g, axes=("y", "x")),
            "local": a * 2,
            "rows": cc.all_reduce(a, axes="x", reduction="max"),
            "whole": r - 1,
        }

    g, a, r = normal(6, 7), normal(6, 7), normal(7)
    out = cc.compile(layouts)(g=g, a=a, r=r)
    np.testing.assert_allclose(out["pending"], 2 * g.sum(0), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(out["half"], g.sum(0), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(out["cut"], g.sum(0), rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(out["local"], 2 * a)
    np.testing.assert_array_equal(out["rows"], a.reshape(2, 3, 7).max(0))
    np.testing.assert_array_equal(out["whole"], r - 1)


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32", "f64", "i8", "i32", "i64"])
def test_every_element_type(dtype):
    @cc.program(mesh=cc.mesh(dp=2))
    def total(g: cc.partial("n", dp="sum", dtype=dtype)):
        return {"y": cc.all_reduce(g) + 1}

    from coconet_mlir.dtypes import to_numpy

    kind = to_numpy(dtype)
    g = RANDOM.integers(-8, 8, (2, 9)).astype(kind)
    out = cc.compile(total)(g=g)["y"]
    assert out.dtype == kind
    np.testing.assert_array_equal(out.astype(np.float64), g.astype(np.float64).sum(0) + 1)


# ===- Arrays ----------------------------------------------------------------===


@cc.program(mesh=cc.mesh(dp="?"))
def scale(x: cc.sliced("n", "m", dp=0), b: cc.tensor("m"), s: cc.state("m")):
    cc.update(s, s + b)
    return {"y": x * b}


class Lent:
    """Memory that only DLPack shows."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __dlpack__(self, **options: object) -> object:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()


def test_arrays_come_in_many_forms():
    exe = cc.compile(scale, ranks=2)
    x, b = normal(3, 4), normal(4)
    forms = [
        {"x": x, "b": b},
        {"x": Lent(x), "b": Lent(b)},
        {"x": np.asfortranarray(x), "b": b[::-1].copy()[::-1]},
        {"x": x.tolist(), "b": b.tolist()},
    ]
    for form in forms:
        np.testing.assert_allclose(exe(**form)["y"], x * b)
    np.testing.assert_allclose(exe.read("s"), 4 * b, rtol=1e-6)
    assert np.from_dlpack(exe(x=x, b=b)["y"]).shape == (3, 4)


def test_inputs_are_views_where_they_can_be():
    from coconet_mlir.arguments import as_arrays, place

    exe = cc.compile(scale, ranks=2)
    x_port, b_port, _ = exe.signature.arguments
    x, b = normal(4, 4), normal(4)
    for part in place(x_port, as_arrays(x_port, x), 2):
        assert np.shares_memory(part, x)
    own, other = place(b_port, as_arrays(b_port, b), 2)
    assert own is other and np.shares_memory(own, b)


def test_state_is_copied_once_and_can_be_set_again():
    exe = cc.compile(scale, ranks=2)
    s, b = normal(4), np.ones(4, np.float32)
    with pytest.raises(cc.InputError, match="state 's' has no value yet"):
        exe.read("s")
    exe.init(s=s)
    exe(x=normal(2, 4), b=b)
    np.testing.assert_array_equal(exe.read("s"), s + 1)
    exe.run(steps=10, x=normal(2, 4), b=b, s=np.zeros(4, np.float32))
    np.testing.assert_array_equal(exe.read("s"), np.full(4, 10))
    exe(x=normal(2, 3), b=np.ones(3, np.float32), s=np.zeros(3, np.float32))
    assert exe.read("s").shape == (3,)
    assert exe.benchmark(steps=3, x=normal(2, 3), b=np.ones(3, np.float32)) > 0


def test_results_give_their_memory_back():
    from coconet_mlir import _runtime

    exe = cc.compile(scale, ranks=2)
    arguments = {"x": normal(64, 64), "b": normal(64)}
    exe(**arguments)
    live, _ = _runtime.allocation_statistics()
    for _ in range(3):
        out = exe(**arguments)
    del out
    assert _runtime.allocation_statistics()[0] <= live


# ===- Errors ----------------------------------------------------------------===


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({}, "no array for x, b"),
        ({"x": np.zeros((2, 4), np.float32)}, "no array for b"),
        ({"z": 1}, "unknown argument 'z'; the program has x, b, s"),
        ({"x": np.zeros((2, 4)), "b": np.zeros(4)}, r"'x' is an array of f64.*\(n, m\) of f32"),
        ({"x": np.zeros(4, np.float32), "b": np.zeros(4, np.float32)}, "of 1 dimensions"),
        (
            {"x": np.zeros((2, 4), np.float32), "b": np.zeros(5, np.float32)},
            "'b' has m = 5 in dimension 0, but 'x' has m = 4",
        ),
        ({"x": "abc", "b": np.zeros(4, np.float32)}, "'x' is str, which is no array of f32"),
    ],
)
def test_arrays_that_do_not_fit(arrays, message):
    exe = cc.compile(scale, ranks=2)
    with pytest.raises(cc.InputError, match=message):
        exe(**arrays)


def test_pending_arguments_that_do_not_fit():
    exe = cc.compile(adam.adam, ranks=3)
    with pytest.raises(cc.InputError, match="pending sum over dp: give a list of 3 arrays"):
        exe(g=normal(8))
    with pytest.raises(cc.InputError, match="'g' has 2 arrays, but there are 3 positions"):
        exe(g=[normal(8), normal(8)])
    with pytest.raises(cc.InputError, match="'g' has n = 7 in dimension 0, but 'g' has n = 8"):
        exe(g=[normal(8), normal(8), normal(7)])
    with pytest.raises(cc.InputError, match="steps is 0"):
        exe.run(steps=0, g=normal(3, 8))
    with pytest.raises(cc.InputError, match="unknown state 'q'; the program has p, m, v, t"):
        exe.init(q=normal(8))


def test_meshes_that_do_not_fit():
    with pytest.raises(cc.CompileError, match="axis 'dp' has no size"):
        cc.compile(adam.adam)
    with pytest.raises(cc.CompileError, match="unknown axis 'tp'"):
        cc.compile(adam.adam, mesh={"tp": 2})
    with pytest.raises(cc.InputError, match="both ranks and mesh"):
        cc.compile(adam.adam, ranks=2, mesh={"dp": 2})
    with pytest.raises(cc.InputError, match="no function @nothing; functions here: adam"):
        cc.compile(adam.adam, ranks=2, function="nothing")


def test_names_that_are_no_axes():
    with pytest.raises(cc.CompileError, match="'d p' is no axis; the mesh is dp = ?"):
        cc.compile(adam.adam, mesh={"d p": 2})
    with pytest.raises(cc.CompileError, match="0 ranks; there is at least 1"):
        cc.compile(adam.adam, ranks=0)


def test_flat_results_of_open_size():
    @cc.program(mesh=cc.mesh(dp=2))
    def f(g: cc.partial("n", dp="sum")):
        return cc.reduce_scatter(g, "flat")

    with pytest.raises(cc.CompileError, match="'result 0' is cut flat and has an open size"):
        cc.compile(f)


def test_states_without_known_size():
    @cc.program
    def f(s: cc.state("k")):
        cc.update(s, s + 1)

    exe = cc.compile(f)
    with pytest.raises(cc.InputError, match="the size of state 's' is not known"):
        exe()
    exe.init(s=np.zeros(2, np.float32))()
    np.testing.assert_array_equal(exe.read("s"), [1, 1])


def test_bfloat16_arrays_of_the_other_type():
    @cc.program
    def f(x: cc.tensor("n", "bf16")):
        return x + x

    exe = cc.compile(f)
    with pytest.raises(cc.InputError, match="'x' is an array of f16"):
        exe(x=np.zeros(3, np.float16))
    assert exe(x=np.ones(3, ml_dtypes.bfloat16))["result 0"].tolist() == [2, 2, 2]


def test_arrays_of_the_other_byte_order():
    @cc.program
    def f(x: cc.tensor("n")):
        return x + x

    with cc.compile(f) as exe:
        np.testing.assert_array_equal(exe(x=np.arange(3, dtype=">f4"))["result 0"], [0, 2, 4])


def test_a_value_returned_twice_has_two_arrays():
    @cc.program
    def f(x: cc.tensor("n")):
        return {"y": x, "z": x}

    with cc.compile(f, ranks=2) as exe:
        found = exe(x=np.ones(3, np.float32))
    found["y"][:] = 5
    np.testing.assert_array_equal(found["z"], [1, 1, 1])


def test_arguments_called_as_those_of_python():
    @cc.program
    def f(self: cc.tensor("n"), steps: cc.tensor("n")):
        return self + steps

    ones = np.ones(2, np.float32)
    with cc.compile(f) as exe:
        np.testing.assert_array_equal(exe(self=ones, steps=ones)["result 0"], [2, 2])
        given = {"self": ones, "steps": ones}
        np.testing.assert_array_equal(exe.run(given, steps=2)["result 0"], [2, 2])
        for steps in (0, 1.5, "2"):
            with pytest.raises(cc.InputError, match="steps is"):
                exe.run(given, steps=steps)


@pytest.mark.parametrize(
    "options",
    [{"ranks": 1.5}, {"ranks": "2"}, {"ranks": True}, {"mesh": "dp=2"}, {"mesh": {1: 2}}],
)
def test_sizes_of_a_wrong_type(options):
    @cc.program(mesh=cc.mesh(dp="?"))
    def f(x: cc.sliced("n", dp=0)):
        return x + x

    with pytest.raises(cc.CompileError, match="give|is no axis"):
        cc.compile(f, **options)
    assert cc.compile(f, mesh={"dp": np.int64(2)}).ranks == 2


def test_axes_and_names_beyond_ascii():
    @cc.program(mesh=cc.mesh(é="?"))
    def f(g: cc.partial("n", é="sum")):
        return {"ü": cc.all_reduce(g, name='a "b"')}

    schedule = f.schedule().split('a "b"')
    assert schedule.verify(ranks=2)
    np.testing.assert_array_equal(
        cc.compile(schedule, ranks=2)(g=np.ones((2, 3), np.float32))["ü"], [2, 2, 2]
    )
