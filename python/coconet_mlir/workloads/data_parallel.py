"""Data-parallel optimizer steps: ranks hold addends of the gradients, and whole parameters."""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping, Sequence

import coconet_mlir as cc
from coconet_mlir.errors import InputError
from coconet_mlir.program import Program
from coconet_mlir.specs import Size, TensorSpec
from coconet_mlir.tracing import Tensor
from coconet_mlir.workloads.optimizers import Optimizer, square_sum, whole

Tensors = Mapping[str, Tensor]

# ===- Gradients --------------------------------------------------------------===


def found_overflow(gradients: Tensors) -> Tensor:
    """Whether any element of any gradient is infinite or NaN, an i1 scalar that all ranks share.

    The reductions are called stats_NAME.
    """
    flags = []
    for name, g in gradients.items():
        with cc.named(f"stats_{name}"):
            bad = 1.0 - cc.cast(cc.is_finite(g), "f32")
            flags.append(whole(cc.reduce("max", bad, range(len(g.shape)))))
    return functools.reduce(cc.max, flags) > 0.0


def clip_factor(gradients: Tensors, max_norm: float) -> Tensor:
    """What to scale all gradients by, so that their global norm is at most `max_norm`.

    The norm is over distinct elements: squares of slices are added over the ranks, those of
    replicated gradients count once. The reductions are called stats_NAME.
    """
    squares = []
    for name, g in gradients.items():
        with cc.named(f"stats_{name}"):
            squares.append(square_sum(g))
    return max_norm / cc.max(cc.sqrt(functools.reduce(operator.add, squares)), max_norm)


# ===- Program ----------------------------------------------------------------===


def data_parallel(
    optimizer: Optimizer,
    parameters: Mapping[str, Sequence[Size]],
    *,
    max_norm: float | None = None,
    loss_scale: bool = False,
    name: str = "step",
) -> Program:
    """One step of an optimizer on parameters of these shapes.

    Arguments, for a parameter p: the gradient g_p, pending over `dp`, and the states p, its
    moments (m_p, v_p) and its step count t_p. The all_reduces are named g_p, the computations
    opt_p, reductions over gradients stats_p.

    Args:
        max_norm: scale gradients so that their global norm is at most this.
        loss_scale: gradients are multiples of the argument `scale`, an f32 scalar. Where one
            of them is not finite on any rank the step is skipped: no state changes, and the
            result `found_inf` says so.
        name: of the function.

    Raises:
        InputError: there is no parameter, two arguments have one name, or the norm is not
            positive.
    """
    if max_norm is not None and not max_norm > 0:
        raise InputError(f"max_norm is {max_norm!r}; give a positive number")
    specs = _arguments(optimizer, parameters, loss_scale)

    def step(**tensors: Tensor) -> dict[str, Tensor]:
        gradients = {p: cc.all_reduce(tensors[f"g_{p}"], name=f"g_{p}") for p in parameters}
        found = None
        if loss_scale:
            for p, g in gradients.items():
                gradients[p] = cc.div(g, tensors["scale"], name=f"stats_{p}")
            found = found_overflow(gradients)
        factor = None if max_norm is None else clip_factor(gradients, max_norm)
        for p, g in gradients.items():
            clipped = g if factor is None else cc.mul(g, factor, name=f"opt_{p}")
            _update(optimizer, p, clipped, tensors, found)
        return {} if found is None else {"found_inf": found}

    step.__name__ = name
    return cc.trace(step, mesh=cc.mesh(dp="?"), **specs)


def _arguments(
    optimizer: Optimizer, parameters: Mapping[str, Sequence[Size]], loss_scale: bool
) -> dict[str, TensorSpec]:
    if not parameters:
        raise InputError("a step has no parameter; give shapes by name")
    specs: list[tuple[str, TensorSpec]] = []
    for p, shape in parameters.items():
        specs += [(f"g_{p}", cc.partial(*shape, dp="sum")), (p, cc.state(*shape))]
        specs += [(f"{moment}_{p}", cc.state(*shape)) for moment in optimizer.moments]
        if optimizer.counts:
            specs.append((f"t_{p}", cc.state(dtype="i32")))
    if loss_scale:
        specs.append(("scale", cc.tensor()))
    found = dict(specs)
    if len(found) < len(specs):
        names = [name for name, _ in specs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"two arguments of the step are called '{twice}'; rename a parameter")
    return found


def _update(
    optimizer: Optimizer, name: str, g: Tensor, tensors: Tensors, skip: Tensor | None
) -> None:
    """Update the states of one parameter, or leave them where `skip` holds."""
    t = None
    if optimizer.counts:
        count = tensors[f"t_{name}"]
        t_new = count + 1
        t = cc.cast(t_new, "f32")
        cc.update(count, t_new if skip is None else cc.select(skip, count, t_new))
    moments = {moment: tensors[f"{moment}_{name}"] for moment in optimizer.moments}
    values = optimizer.step(name, tensors[name], g, moments, t)
    for key, value in values.items():
        state = moments[key] if key else tensors[name]
        if skip is not None:
            part = "opt" if key else optimizer.last
            value = cc.select(skip, state, value, name=f"{part}_{name}")
        cc.update(state, value)
