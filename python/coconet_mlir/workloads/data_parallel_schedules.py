"""Schedules of data-parallel optimizer steps, written for one parameter `p` of a program.

In their names Opt is the optimizer's computation, RS a reduce_scatter, AG an all_gather, AR an
all_reduce (CoCoNet section 6).
"""

from __future__ import annotations

from coconet_mlir.schedule import Schedule

# ===- SGD and Adam -----------------------------------------------------------===


def ar_opt(s: Schedule, p: str) -> Schedule:
    """AR-Opt: all_reduce, then the optimizer as one kernel, the same on every rank."""
    return s.fuse(f"opt_{p}", name=f"opt_{p}")


def rs_opt_ag(s: Schedule, p: str) -> Schedule:
    """RS-Opt-AG: every rank updates its slice; parameters and moments are gathered."""
    return s.split(f"g_{p}").reorder(f"g_{p}.ag", past=f"opt_{p}")


def fuse_rs_opt_ag(s: Schedule, p: str) -> Schedule:
    """fuse(RS-Opt-AG): the same as one kernel, one pass over memory."""
    return rs_opt_ag(s, p).fuse(f"g_{p}.rs", f"opt_{p}", f"g_{p}.ag", name=f"step_{p}")


def sgd_sliced(s: Schedule, p: str) -> Schedule:
    """fuse(RS-Opt-AG) with the momentum held in slices: only parameters are gathered."""
    rs_opt_ag(s, p).as_slice(f"m_{p}")
    return s.fuse(f"g_{p}.rs", f"opt_{p}", f"g_{p}.ag", name=f"step_{p}")


def adam_sliced(s: Schedule, p: str) -> Schedule:
    """fuse(RS-Opt-AG) with both moments held in slices: only parameters are gathered."""
    rs_opt_ag(s, p).as_slice(f"m_{p}", f"v_{p}")
    return s.fuse(f"g_{p}.rs", f"opt_{p}", f"g_{p}.ag", name=f"step_{p}")


def fp16_wire(s: Schedule, p: str) -> Schedule:
    """fuse(RS-Opt-AG), fp16 wire: gradients travel as f16, are added and used as f32."""
    return fuse_rs_opt_ag(s, p).wire_type(f"g_{p}.rs", "f16")


# ===- With reductions over gradients -----------------------------------------===


def guarded_rs_opt_ag(s: Schedule, p: str) -> Schedule:
    """RS-Opt-AG behind a global norm or a search for infinities: those of slices, all_reduced."""
    s.split(f"g_{p}").reorder(f"g_{p}.ag", past=f"stats_{p}")
    return s.reorder(f"g_{p}.ag", past=f"opt_{p}")


def guarded_fuse(s: Schedule, p: str) -> Schedule:
    """RS-fuse(Opt)-AG: the optimizer is one kernel behind the reductions."""
    return guarded_rs_opt_ag(s, p).fuse(f"opt_{p}", name=f"opt_{p}")


def guarded_sgd_sliced(s: Schedule, p: str) -> Schedule:
    """RS-fuse(Opt)-AG with the momentum held in slices."""
    return guarded_rs_opt_ag(s, p).as_slice(f"m_{p}").fuse(f"opt_{p}", name=f"opt_{p}")


def guarded_adam_sliced(s: Schedule, p: str) -> Schedule:
    """RS-fuse(Opt)-AG with both moments held in slices."""
    return guarded_rs_opt_ag(s, p).as_slice(f"m_{p}", f"v_{p}").fuse(f"opt_{p}", name=f"opt_{p}")


# ===- LAMB -------------------------------------------------------------------===


def lamb_ar_opt(s: Schedule, p: str) -> Schedule:
    """AR-Opt: one kernel before the norm of the step, one behind it."""
    return s.fuse(f"opt_{p}", name=f"opt_{p}").fuse(f"step_{p}", name=f"step_{p}")


def lamb_rs_opt_ag(s: Schedule, p: str) -> Schedule:
    """RS-Opt-AG: the squares of slices are all_reduced for the norms."""
    parts = [f"opt_{p}", f"trust_{p}", f"step_{p}"]
    return s.split(f"g_{p}").reorder(f"g_{p}.ag", past=parts)


def lamb_fuse(s: Schedule, p: str) -> Schedule:
    """fuse(RS-Opt-AG): one kernel of two phases, with the norms of slices between."""
    parts = [f"opt_{p}", f"trust_{p}", f"trust_{p}.ar", f"step_{p}"]
    return lamb_rs_opt_ag(s, p).fuse(f"g_{p}.rs", *parts, f"g_{p}.ag", name=f"step_{p}")


def lamb_sliced(s: Schedule, p: str) -> Schedule:
    """fuse(RS-Opt-AG) with both moments held in slices: only parameters are gathered."""
    parts = [f"opt_{p}", f"trust_{p}", f"trust_{p}.ar", f"step_{p}"]
    lamb_rs_opt_ag(s, p).as_slice(f"m_{p}", f"v_{p}")
    return s.fuse(f"g_{p}.rs", *parts, f"g_{p}.ag", name=f"step_{p}")


def lamb_fp16_wire(s: Schedule, p: str) -> Schedule:
    """fuse(RS-Opt-AG), fp16 wire: gradients travel as f16, are added and used as f32."""
    return lamb_fuse(s, p).wire_type(f"g_{p}.rs", "f16")


def guarded_lamb_rs_opt_ag(s: Schedule, p: str) -> Schedule:
    """RS-Opt-AG behind a global norm or a search for infinities."""
    parts = [f"opt_{p}", f"trust_{p}", f"step_{p}"]
    s.split(f"g_{p}").reorder(f"g_{p}.ag", past=f"stats_{p}")
    return s.reorder(f"g_{p}.ag", past=parts)


def guarded_lamb_sliced(s: Schedule, p: str) -> Schedule:
    """RS-fuse(Opt)-AG with both moments held in slices."""
    guarded_lamb_rs_opt_ag(s, p).as_slice(f"m_{p}", f"v_{p}")
    return s.fuse(f"opt_{p}", name=f"opt_{p}").fuse(f"step_{p}", name=f"step_{p}")
