"""Optimizer steps over the list of a model's parameters: written once, one kernel for all."""

from __future__ import annotations

from collections.abc import Sequence

import coconet_mlir as cc
from coconet_mlir.errors import InputError
from coconet_mlir.program import Program
from coconet_mlir.specs import Size
from coconet_mlir.tracing import Tensor
from coconet_mlir.workloads.optimizers import Optimizer

Shapes = Sequence[Sequence[Size]]
Tensors = list[Tensor]


def data_parallel_list(optimizer: Optimizer, shapes: Shapes, *, name: str = "step") -> Program:
    """One step of an optimizer on parameters of these shapes.

    Arguments are lists: the gradients g_p, pending over `dp`, the parameters p, and their moments
    (m_p, v_p); all share the step count t_p. Operations are named as by `data_parallel` for a
    parameter "p", so the schedules of one parameter are those of the list.

    Args:
        name: of the function.

    Raises:
        InputError: there are no parameters.
    """
    if not shapes:
        raise InputError("a step has no parameter; give at least one shape")
    specs: dict[str, cc.TensorSpec | list[cc.TensorSpec]] = {
        "g_p": cc.partials(shapes, dp="sum"),
        "p": cc.states(shapes),
    }
    specs |= {f"{moment}_p": cc.states(shapes) for moment in optimizer.moments}
    if optimizer.counts:
        specs["t_p"] = cc.state(dtype="i32")

    def step(g_p: Tensors, p: Tensors, t_p: Tensor | None = None, **moments: Tensors) -> None:
        t = None
        if t_p is not None:
            t_new = t_p + 1
            t = cc.cast(t_new, "f32")
            cc.update(t_p, t_new)

        def update(g: Tensor, p: Tensor, *own: Tensor) -> dict[str, Tensor]:
            reduced = cc.all_reduce(g, name="g_p")
            return optimizer.step(
                "p", p, reduced, dict(zip(optimizer.moments, own, strict=True)), t
            )

        new = cc.for_each(update, g_p, p, *(moments[f"{each}_p"] for each in optimizer.moments))
        for key, values in new.items():
            cc.update(moments[f"{key}_p"] if key else p, values)

    step.__name__ = name
    return cc.trace(step, mesh=cc.mesh(dp="?"), **specs)


def transformer_shapes(layers: int, width: int, vocabulary: int) -> list[tuple[int, ...]]:
    """Shapes of the parameters of a decoder of this size: 12 tensors a layer, as in GPT-2."""
    layer: list[tuple[int, ...]] = [
        *((width,),) * 2,  # norm
        *((width, 3 * width), (3 * width,), (width, width), (width,)),  # attention
        *((width,),) * 2,  # norm
        *((width, 4 * width), (4 * width,), (4 * width, width), (width,)),  # MLP
    ]
    return [(vocabulary, width), (1024, width), *layer * layers, (width,), (width,)]
