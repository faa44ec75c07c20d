"""Model-parallel parts of a transformer (Shoeybi et al., 2019; Korthikanti et al., 2022).

Weights are cut over `tp`, activations are [batch, sequence, hidden] of open sizes b, s, h (f for
the wide one of the MLP).
"""

from __future__ import annotations

import coconet_mlir as cc
from coconet_mlir.program import Program
from coconet_mlir.schedule import Schedule
from coconet_mlir.tracing import Tensor

RATE = 0.1
"""Of dropout."""

MESH = cc.mesh(tp="?")
STEP = cc.tensor((), "i32")


def epilogue(total: Tensor, bias: Tensor, residual: Tensor, step: Tensor) -> Tensor:
    """Bias, dropout and residual, called `end`."""
    with cc.named("end"):
        return cc.dropout(total + bias, step=step, rate=RATE, seed=1) + residual


def attention() -> Program:
    """The end of self-attention: output projection, all_reduce `sum`, then `end`.

    The heads' outputs x are cut along the hidden dimension, w along its rows: their product is a
    pending sum.
    """

    def attention(
        x: cc.sliced("b", "s", "h", tp=2),
        w: cc.sliced("h", "h", tp=0),
        bias: cc.tensor("h"),
        residual: cc.tensor(("b", "s", "h")),
        step: STEP,
    ) -> dict[str, Tensor]:
        total = cc.all_reduce(cc.matmul(x, w, name="product"), name="sum")
        return {"y": epilogue(total, bias, residual, step)}

    return cc.trace(attention, mesh=MESH)


def attention_norm() -> Program:
    """`attention` with the layer norm behind it, called `norm`, over the hidden dimension."""

    def attention_norm(
        x: cc.sliced("b", "s", "h", tp=2),
        w: cc.sliced("h", "h", tp=0),
        bias: cc.tensor("h"),
        residual: cc.tensor(("b", "s", "h")),
        scale: cc.tensor("h"),
        shift: cc.tensor("h"),
        step: STEP,
    ) -> dict[str, Tensor]:
        total = cc.all_reduce(cc.matmul(x, w, name="product"), name="sum")
        end = epilogue(total, bias, residual, step)
        return {"y": cc.layer_norm(end, [2], scale=scale, bias=shift, name="norm")}

    return cc.trace(attention_norm, mesh=MESH)


def mlp() -> Program:
    """The MLP: h -> f -> h with gelu between, all_reduce `sum`, then `end`."""

    def mlp(
        x: cc.tensor(("b", "s", "h")),
        w1: cc.sliced("h", "f", tp=1),
        b1: cc.sliced("f", tp=0),
        w2: cc.sliced("f", "h", tp=0),
        b2: cc.tensor("h"),
        step: STEP,
    ) -> dict[str, Tensor]:
        total = cc.all_reduce(_wide(x, w1, b1, w2), name="sum")
        return {"y": epilogue(total, b2, x, step)}

    return cc.trace(mlp, mesh=MESH)


def _wide(x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor) -> Tensor:
    """gelu(x w1 + b1) w2, a pending sum where w1 and w2 are cut."""
    wide = cc.matmul(x, w1, name="widen")
    with cc.named("gelu"):
        active = cc.gelu(wide + b1)
    return cc.matmul(active, w2, name="product")


def sequence_parallel() -> Program:
    """The MLP where activations outside of it are cut along the sequence.

    all_gather `whole`, the two products, reduce_scatter `part`, then `end` on slices.
    """

    def sequence_parallel(
        x: cc.sliced("b", "s", "h", tp=1),
        w1: cc.sliced("h", "f", tp=1),
        b1: cc.sliced("f", tp=0),
        w2: cc.sliced("f", "h", tp=0),
        b2: cc.tensor("h"),
        step: STEP,
    ) -> dict[str, Tensor]:
        product = _wide(cc.all_gather(x, 1, name="whole"), w1, b1, w2)
        part = cc.reduce_scatter(product, 1, name="part")
        return {"y": epilogue(part, b2, x, step)}

    return cc.trace(sequence_parallel, mesh=MESH)


# ===- Schedules --------------------------------------------------------------===


def mm_ar_c(s: Schedule) -> Schedule:
    """MM-AR-C: the pointwise end as one kernel, the same on every rank."""
    return s.fuse("end", name="end")


def ol_mm_ar_c(s: Schedule) -> Schedule:
    """ol(MM, AR)-C: a part of the batch is summed while the next one is multiplied."""
    return mm_ar_c(s).overlap("product", "sum", chunks=4, name="layer")


def mm_rs_c_ag(s: Schedule) -> Schedule:
    """MM-RS-C-AG: every rank computes the end of its part of the sequence."""
    return s.split("sum", dim=1).reorder("sum.ag", past="end")


def mm_fuse_rs_c_ag(s: Schedule) -> Schedule:
    """MM-fuse(RS-C-AG): the same as one kernel."""
    return mm_rs_c_ag(s).fuse("sum.rs", "end", "sum.ag", name="end")


def ol_mm_fuse_rs_c_ag(s: Schedule) -> Schedule:
    """ol(MM, fuse(RS-C-AG)): the same, while the next part of the batch is multiplied."""
    return mm_fuse_rs_c_ag(s).overlap("product", "end", chunks=4, name="layer")


def norm_mm_rs_c_ag(s: Schedule) -> Schedule:
    """MM-RS-C-AG: every rank computes end and norm of its part of the sequence."""
    return s.split("sum", dim=1).reorder("sum.ag", past=["end", "norm"])


def norm_mm_fuse_rs_c_ag(s: Schedule) -> Schedule:
    """MM-fuse(RS-C)-AG: the reduce_scatter and the end as one kernel, before the norm."""
    return norm_mm_rs_c_ag(s).fuse("sum.rs", "end", name="end")


def norm_ol_mm_fuse_rs_c_ag(s: Schedule) -> Schedule:
    """ol(MM, fuse(RS-C))-AG: that, while the next part of the batch is multiplied."""
    return norm_mm_fuse_rs_c_ag(s).overlap("product", "end", chunks=4, name="layer")


def ag_mm_rs_c(s: Schedule) -> Schedule:
    """AG-MM-RS-C: the pointwise end as one kernel on slices."""
    return s.fuse("end", name="end")


def ag_mm_fuse_rs_c(s: Schedule) -> Schedule:
    """AG-MM-fuse(RS-C): one kernel for the reduce_scatter and the end."""
    return s.fuse("part", "end", name="end")


def ol_ag_mm_rs_c(s: Schedule) -> Schedule:
    """ol(AG, MM)-ol(MM, RS)-C: parts of the batch are on their way before and after products."""
    s.overlap("whole", "widen", chunks=2, name="begin")
    return ag_mm_rs_c(s).overlap("product", "part", chunks=2, name="layer")
