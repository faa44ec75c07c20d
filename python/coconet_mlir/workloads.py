"""Programs of data-parallel training that the demo, the examples and the benchmarks share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import coconet_mlir as cc
from coconet_mlir.program import Program
from coconet_mlir.schedule import Schedule
from coconet_mlir.tracing import Tensor


@dataclass(frozen=True)
class AdamOptions:
    """Hyperparameters of Adam (Kingma and Ba, 2015), named as there."""

    lr: float = 1e-3
    beta1: float = 0.9
    beta2: float = 0.999
    eps: float = 1e-8


def bias_corrections(t: Tensor, options: AdamOptions) -> tuple[Tensor, Tensor]:
    """1 - beta1^t and 1 - beta2^t of the step count `t`, an f32 scalar from 1."""
    return 1.0 - options.beta1**t, 1.0 - options.beta2**t


def adam_update(
    p: Tensor,
    g: Tensor,
    m: Tensor,
    v: Tensor,
    corrections: tuple[Tensor, Tensor],
    options: AdamOptions,
    *,
    name: str = "opt",
) -> Tensor:
    """Update the states p, m and v of one parameter by its whole gradient g, all of one shape.

    p is reduced by lr * mhat / (sqrt(vhat) + eps): eps is added after the bias correction.
    Schedules find the computation by `name`. Returns the new p.
    """
    c1, c2 = corrections
    with cc.named(name):
        m_new = options.beta1 * m + (1.0 - options.beta1) * g
        v_new = options.beta2 * v + (1.0 - options.beta2) * (g * g)
        p_new = p - options.lr * (m_new / c1) / (cc.sqrt(v_new / c2) + options.eps)
    cc.update(m, m_new)
    cc.update(v, v_new)
    return cc.update(p, p_new)


# ===- Data-parallel classifier ----------------------------------------------===


def parameter_shapes(features: int, hidden: int, classes: int) -> dict[str, tuple[int, ...]]:
    """Shapes of the parameters of the two-layer classifier."""
    return {
        "w1": (features, hidden),
        "b1": (hidden,),
        "w2": (hidden, classes),
        "b2": (classes,),
    }


def _logits(x: Tensor, w: Mapping[str, Tensor]) -> tuple[Tensor, Tensor]:
    """The hidden layer before its relu, and the logits."""
    pre = x @ w["w1"] + w["b1"]
    return pre, cc.relu(pre) @ w["w2"] + w["b2"]


def _log_softmax(z: Tensor) -> Tensor:
    shifted = z - cc.reduce("max", z, [1], keep_dims=True)
    return shifted - cc.log(cc.reduce("sum", cc.exp(shifted), [1], keep_dims=True))


def classifier_gradients(
    x: Tensor, y: Tensor, w: Mapping[str, Tensor], batch: int
) -> tuple[Tensor, dict[str, Tensor]]:
    """Mean cross entropy over the batch and its gradients, forward and backward written out.

    x is [batch, features] and y one-hot [batch, classes]. Where both are cut along the batch,
    loss and gradients are pending sums.
    """
    pre, z = _logits(x, w)
    log_p = _log_softmax(z)
    loss = cc.reduce("sum", y * log_p, [0, 1]) * (-1.0 / batch)
    dz = (cc.exp(log_p) - y) * (1.0 / batch)
    d_hidden = cc.matmul(dz, w["w2"], transpose_rhs=True)
    d_pre = cc.select(pre > 0.0, d_hidden, 0.0 * d_hidden)
    gradients = {
        "w1": cc.matmul(x, d_pre, transpose_lhs=True),
        "b1": cc.reduce("sum", d_pre, [0]),
        "w2": cc.matmul(cc.relu(pre), dz, transpose_lhs=True),
        "b2": cc.reduce("sum", dz, [0]),
    }
    return loss, gradients


def train_classifier(
    batch: int,
    *,
    features: int = 64,
    hidden: int = 64,
    classes: int = 10,
    options: AdamOptions = AdamOptions(),
) -> Program:
    """One step of data-parallel training: the batch is cut over `dp`, gradients are all-reduced.

    Arguments x [batch, features] and y [batch, classes] (one-hot), f32; states are the
    parameters, their moments m_* and v_*, and the step count t. The result is the loss. The
    all_reduces are named g_*, the optimizer's computation opt_*.
    """
    mesh = cc.mesh(dp="?")
    shapes = parameter_shapes(features, hidden, classes)
    specs = {"x": cc.sliced(batch, features, dp=0), "y": cc.sliced(batch, classes, dp=0)}
    for prefix in ("", "m_", "v_"):
        specs |= {prefix + name: cc.state(*shape) for name, shape in shapes.items()}
    specs["t"] = cc.state()

    def train_step(**tensors: Tensor) -> dict[str, Tensor]:
        loss, gradients = classifier_gradients(tensors["x"], tensors["y"], tensors, batch)
        t = tensors["t"] + 1.0
        corrections = bias_corrections(t, options)
        cc.update(tensors["t"], t)
        for name, gradient in gradients.items():
            adam_update(
                tensors[name],
                cc.all_reduce(gradient, name=f"g_{name}"),
                tensors[f"m_{name}"],
                tensors[f"v_{name}"],
                corrections,
                options,
                name=f"opt_{name}",
            )
        return {"loss": cc.all_reduce(loss, name="loss")}

    return cc.trace(train_step, mesh=mesh, **specs)


def classify(*, features: int = 64, hidden: int = 64, classes: int = 10) -> Program:
    """The classifier's logits [n, classes] of x [n, features], cut along n."""
    specs = {"x": cc.sliced("n", features, dp=0)}
    shapes = parameter_shapes(features, hidden, classes)
    specs |= {name: cc.tensor(shape) for name, shape in shapes.items()}

    def logits(**tensors: Tensor) -> dict[str, Tensor]:
        return {"logits": _logits(tensors["x"], tensors)[1]}

    return cc.trace(logits, mesh=cc.mesh(dp="?"), **specs)


# ===- Schedules -------------------------------------------------------------===


def schedules(program: Program, parameters: Sequence[str]) -> dict[str, Schedule]:
    """The named schedules of data-parallel Adam (CoCoNet section 6) for these parameters."""
    return {
        "AR-Opt": program.schedule(),
        "RS-Opt-AG": rs_opt_ag(program, parameters),
        "fuse(RS-Opt-AG)": fused(program, parameters),
        "fuse, sliced m and v": fused(program, parameters, slice_moments=True),
    }


def rs_opt_ag(program: Program, parameters: Sequence[str]) -> Schedule:
    """The optimizer works on slices between reduce_scatter and all_gather."""
    s = program.schedule()
    for p in parameters:
        s.split(f"g_{p}").reorder(f"g_{p}.ag", past=f"opt_{p}")
    return s


def fused(program: Program, parameters: Sequence[str], *, slice_moments: bool = False) -> Schedule:
    """RS-Opt-AG as one kernel a parameter, optionally with m and v held in slices."""
    s = rs_opt_ag(program, parameters)
    for p in parameters:
        if slice_moments:
            s.as_slice(f"m_{p}", f"v_{p}")
        s.fuse(f"g_{p}.rs", f"opt_{p}", f"g_{p}.ag", name=f"step_{p}")
    return s
