"""Optimizer steps and layers against formulas in plain numpy, compiled under several schedules."""

from __future__ import annotations

from collections.abc import Callable
from math import erf

import coconet_mlir as cc
import numpy as np
import pytest
from coconet_mlir.workloads import (
    WORKLOADS,
    AdamOptions,
    LambOptions,
    SgdOptions,
    catalogue,
    data_parallel,
    scheduled,
)

Array = np.ndarray
Tree = dict[str, Array]
RANKS = 3
SHAPES = {"w": (5, 3), "b": (7,)}
MAX_NORM = 2.0
SCALE = 1024.0

# ===- Optimizers -------------------------------------------------------------===


def sgd(p: Tree, g: Tree, state: dict[str, Tree], t: int) -> None:
    for name in p:
        m = state["m"][name] = 0.9 * state["m"][name] + (g[name] + 0.03 * p[name])
        p[name] = p[name] - 0.1 * m


def direction(g: Array, state: dict[str, Tree], name: str, t: int, eps: float) -> Array:
    m = state["m"][name] = 0.9 * state["m"][name] + 0.1 * g
    v = state["v"][name] = 0.999 * state["v"][name] + 0.001 * g**2
    return m / (1 - 0.9**t) / (np.sqrt(v / (1 - 0.999**t)) + eps)


def adam(p: Tree, g: Tree, state: dict[str, Tree], t: int) -> None:
    for name in p:
        p[name] = p[name] - 0.1 * direction(g[name] + 0.03 * p[name], state, name, t, 1e-3)


def adamw(p: Tree, g: Tree, state: dict[str, Tree], t: int) -> None:
    for name in p:
        u = direction(g[name], state, name, t, 1e-3)
        p[name] = p[name] * (1 - 0.1 * 0.03) - 0.1 * u


def lamb(p: Tree, g: Tree, state: dict[str, Tree], t: int) -> None:
    for name in p:
        u = direction(g[name], state, name, t, 1e-3) + 0.03 * p[name]
        norms = np.linalg.norm(p[name].ravel()), np.linalg.norm(u.ravel())
        ratio = norms[0] / norms[1] if norms[0] > 0 and norms[1] > 0 else 1.0
        p[name] = p[name] - 0.1 * ratio * u


def clipped(g: Tree) -> Tree:
    norm = np.sqrt(sum(np.sum(each**2) for each in g.values()))
    return {name: each * min(1.0, MAX_NORM / norm) for name, each in g.items()}


COMMON = {"lr": 0.1, "weight_decay": 0.03}
STEPS: dict[str, tuple[object, Callable[..., None]]] = {
    "sgd": (SgdOptions(**COMMON), sgd),
    "adam": (AdamOptions(eps=1e-3, **COMMON), adam),
    "adamw": (AdamOptions(eps=1e-3, decoupled=True, **COMMON), adamw),
    "lamb": (LambOptions(eps=1e-3, **COMMON), lamb),
}


def last_schedule(name: str, guarded: bool) -> Callable[..., cc.Schedule]:
    """The schedule with the most steps: fused, the state in slices."""
    tables = {"sgd": catalogue.SGD, "adam": catalogue.ADAM, "lamb": catalogue.LAMB}
    if guarded:
        tables = {
            "sgd": catalogue.GUARDED_SGD,
            "adam": catalogue.GUARDED_ADAM,
            "lamb": catalogue.GUARDED_LAMB,
        }
    return list(tables[name.removesuffix("w")].values())[-1]


@pytest.mark.parametrize("guarded", [False, True], ids=["plain", "guarded"])
@pytest.mark.parametrize("name", list(STEPS))
def test_optimizer(name, guarded):
    options, formula = STEPS[name]
    guards = {"max_norm": MAX_NORM, "loss_scale": True} if guarded else {}
    program = data_parallel(options, SHAPES, name=name, **guards)
    steps = last_schedule(name, guarded)
    for schedule, ranks in (
        (program.schedule(), 1),
        (scheduled(program.schedule(), steps, tuple(SHAPES)), RANKS),
    ):
        follow(schedule, ranks, formula, guarded)


def follow(schedule: cc.Schedule, ranks: int, formula: Callable[..., None], guarded: bool) -> None:
    """Four steps beside the formula; the third one overflows on the last rank where guarded."""
    rng = np.random.default_rng(1)
    p = {name: rng.standard_normal(shape) for name, shape in SHAPES.items()}
    p["b"][:] = 0  # A trust ratio of 1.
    state = {kind: {name: np.zeros(SHAPES[name]) for name in SHAPES} for kind in "mv"}
    t = 0
    with schedule.compile(ranks=ranks) as exe:
        exe.init(**{name: value.astype(np.float32) for name, value in p.items()})
        for step in range(4):
            local = {
                f"g_{name}": rng.standard_normal((ranks, *shape)) for name, shape in SHAPES.items()
            }
            overflow = guarded and step == 2
            g = {name: local[f"g_{name}"].sum(axis=0) for name in SHAPES}
            if not overflow:
                t += 1
                formula(p, clipped(g) if guarded else g, state, t)
            scale = {"scale": np.float32(SCALE)} if guarded else {}
            factor = SCALE if guarded else 1.0
            arrays = {key: (value * factor).astype(np.float32) for key, value in local.items()}
            if overflow:
                arrays["g_b"][-1, 2] = np.inf
            results = exe(**arrays, **scale)
            assert not guarded or bool(results["found_inf"]) == overflow
            for name, value in p.items():
                np.testing.assert_allclose(exe.read(name), value, rtol=2e-5, atol=2e-6)


# ===- Layers -----------------------------------------------------------------===


def gelu(x: Array) -> Array:
    return 0.5 * x * (1 + np.vectorize(erf)(x / np.sqrt(2)))


def check_end(total: Array, residual: Array, y: Array) -> None:
    """y is total with a tenth of its elements dropped, the rest over 0.9, plus the residual."""
    kept = y - residual
    dropped = np.isclose(kept, 0, atol=1e-6)
    np.testing.assert_allclose(kept[~dropped], total[~dropped] / 0.9, rtol=1e-4, atol=1e-5)
    assert 0.04 < dropped.mean() < 0.18


def normal(rng: np.random.Generator, *shape: int) -> Array:
    return rng.standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("label", ["MM-AR-C", "MM-fuse(RS-C-AG)"])
def test_attention(label):
    rng = np.random.default_rng(2)
    x, residual = normal(rng, 3, 7, 10), normal(rng, 3, 7, 10)
    w, bias = normal(rng, 10, 10), normal(rng, 10)
    with WORKLOADS["attention"].schedule(label).compile(ranks=RANKS) as exe:
        y = exe(x=x, w=w, bias=bias, residual=residual, step=np.int32(4))["y"]
    check_end(x.astype(float) @ w + bias, residual, y)


@pytest.mark.parametrize("name", ["mlp", "sequence_parallel"])
def test_mlp(name):
    rng = np.random.default_rng(3)
    x = normal(rng, 2, 9, 8)
    w1, b1, w2, b2 = normal(rng, 8, 31), normal(rng, 31), normal(rng, 31, 8), normal(rng, 8)
    label = list(WORKLOADS[name].schedules)[-1]
    with WORKLOADS[name].schedule(label).compile(ranks=RANKS) as exe:
        y = exe(x=x, w1=w1, b1=b1, w2=w2, b2=b2, step=np.int32(0))["y"]
    check_end(gelu(x.astype(float) @ w1 + b1) @ w2 + b2, x, y)


def test_experts():
    """Tokens go to the expert of their number while it has room; each group has 2 places."""
    experts, capacity, groups, tokens, hidden = 4, 2, 5, 6, 3
    rng = np.random.default_rng(4)
    x, w1 = normal(rng, groups, tokens, hidden), normal(rng, experts, hidden, 8)
    w2, weight = normal(rng, experts, 8, hidden), rng.uniform(0, 1, (groups, tokens))
    places = np.zeros((groups, experts * capacity, tokens), np.float32)
    expected = np.zeros((groups, tokens, hidden))
    for g in range(groups):
        taken = [0] * experts
        for t in range(tokens):
            e = (3 * t * t + g) % experts
            if taken[e] == capacity:
                continue
            places[g, e * capacity + taken[e], t] = 1
            taken[e] += 1
            wide = x[g, t].astype(float) @ w1[e]
            expected[g, t] = weight[g, t] * (wide / (1 + np.exp(-wide)) @ w2[e])
    gates = (places.transpose(0, 2, 1) * weight[:, :, None]).astype(np.float32)
    program = catalogue.moe.moe(experts=experts, capacity=capacity, hidden=hidden, wide=8)
    assert (places.sum(axis=1) == 0).any() and (places.sum(axis=1) == 1).any()
    for ranks in (1, RANKS):
        with program.compile(ranks=ranks) as exe:
            y = exe(x=x, places=places, gates=gates, w1=w1, w2=w2)["y"]
        np.testing.assert_allclose(y, expected, rtol=1e-4, atol=1e-5)
