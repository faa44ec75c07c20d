"""Data-parallel training of a two-layer classifier by Adam, which the demo runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import coconet_mlir as cc
from coconet_mlir.program import Program
from coconet_mlir.schedule import Schedule
from coconet_mlir.tracing import Tensor
from coconet_mlir.workloads.catalogue import ADAM, scheduled
from coconet_mlir.workloads.optimizers import AdamOptions, adam_update, bias_corrections

DEFAULTS = AdamOptions()


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
    options: AdamOptions = DEFAULTS,
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


def schedules(program: Program, parameters: Sequence[str]) -> dict[str, Schedule]:
    """The named schedules of data-parallel Adam (CoCoNet section 6) for these parameters."""
    return {
        label: scheduled(program.schedule(), steps, parameters) for label, steps in ADAM.items()
    }
