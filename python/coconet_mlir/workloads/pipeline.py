"""A boundary between two pipeline stages of a transformer (Narayanan et al., 2021; CoCoNet 6.4).

Each stage has `tp` ranks of its own, over which its weights are cut; activations are [batch,
sequence, hidden] of open sizes b, s, h, and f is the wide size of the second stage.
"""

from __future__ import annotations

import coconet_mlir as cc
from coconet_mlir.program import Program
from coconet_mlir.schedule import Schedule
from coconet_mlir.tracing import Tensor
from coconet_mlir.workloads.model_parallel import epilogue


def pipeline() -> Program:
    """The end of one stage's last layer, and the begin of the next stage.

    `head` ends with all_reduce `sum`, bias, dropout and residual, called `end`, and the send
    `boundary`; `tail` goes on with the skip that it holds and a product.
    """

    def head(
        x: cc.sliced("b", "s", "h", tp=2),
        w: cc.sliced("h", "h", tp=0),
        bias: cc.tensor("h"),
        residual: cc.tensor(("b", "s", "h")),
        step: cc.tensor((), "i32"),
    ) -> None:
        total = cc.all_reduce(cc.matmul(x, w, name="product"), name="sum")
        cc.send(epilogue(total, bias, residual, step), "boundary")

    def tail(skip: cc.tensor(("b", "s", "h")), w1: cc.sliced("h", "f", tp=1)) -> dict[str, Tensor]:
        y = cc.recv("boundary", like=cc.tensor(("b", "s", "h")))
        with cc.named("begin"):
            active = cc.gelu(y + skip)
        return {"z": cc.matmul(active, w1, name="widen")}

    return cc.trace_stages({"head": head, "tail": tail}, mesh=cc.mesh(tp="?"))


# ===- Schedules --------------------------------------------------------------===


def ar_c_p2p(s: Schedule) -> Schedule:
    """AR-C-P2P: the pointwise end as one kernel, then the whole value from each rank."""
    return s.fuse("end", name="end")


def ar_c_p2p_slice_ag(s: Schedule) -> Schedule:
    """AR-C-P2P(slice)-AG: each rank sends its part of the sequence; the receivers gather."""
    return s.fuse("end", name="end").slice_send("boundary", axes="tp", dim=1)


def rs_c_p2p_ag(s: Schedule) -> Schedule:
    """RS-C-P2P-AG: each rank computes and sends its part of the sequence."""
    s.split("sum", dim=1).reorder("sum.ag", past="end")
    return s.reorder("sum.ag", past="boundary")


def rs_fuse_c_p2p_ag(s: Schedule) -> Schedule:
    """RS-fuse(C-P2P)-AG: the end is computed into the receiver's buffer."""
    return rs_c_p2p_ag(s).fuse("end", "boundary", name="end")


def ol_rs_fuse_c_p2p_ag(s: Schedule) -> Schedule:
    """ol(RS, fuse(C-P2P), AG): reduce, compute and send, and gather chunks side by side."""
    return rs_fuse_c_p2p_ag(s).overlap("sum.rs", "end", "sum.ag", chunks=2, name="boundary")


def ar_fuse_c_p2p(s: Schedule) -> Schedule:
    """AR-fuse(C-P2P): the same with the whole value."""
    return s.fuse("end", "boundary", name="end")
