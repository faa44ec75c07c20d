"""The workloads by name, each with its named schedules."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from coconet_mlir.program import Program
from coconet_mlir.schedule import Schedule
from coconet_mlir.specs import Size
from coconet_mlir.workloads import data_parallel_schedules as dp
from coconet_mlir.workloads import model_parallel, moe, pipeline
from coconet_mlir.workloads.data_parallel import data_parallel
from coconet_mlir.workloads.optimizers import AdamOptions, LambOptions, Optimizer, SgdOptions
from coconet_mlir.workloads.parameter_lists import data_parallel_list

Steps = Callable[..., Schedule]
"""Adds steps to a schedule; those of an optimizer take the name of a parameter too."""


@dataclass(frozen=True)
class Workload:
    """A program and its schedules.

    Attributes:
        make: traces the program.
        schedules: what each named schedule adds to an empty one.
        parameters: for which each schedule is repeated; none where it is not for one parameter.
    """

    name: str
    make: Callable[[], Program]
    schedules: Mapping[str, Steps]
    parameters: tuple[str, ...] = ()

    def schedule(self, label: str, program: Program | None = None) -> Schedule:
        """The schedule of this name, of the program given or of a new one."""
        schedule = Schedule(program or self.make())
        return scheduled(schedule, self.schedules[label], self.parameters)


def scheduled(schedule: Schedule, steps: Steps, parameters: Sequence[str]) -> Schedule:
    """The schedule with these steps added, once for each parameter if there are any."""
    if not parameters:
        return steps(schedule)
    for parameter in parameters:
        schedule = steps(schedule, parameter)
    return schedule


def file_stem(label: str) -> str:
    """`fuse_rs_opt_ag` for "fuse(RS-Opt-AG)"."""
    return re.sub(r"[^a-z0-9]+", "_", label.lower()).strip("_")


# ===- Data-parallel ----------------------------------------------------------===

ADAM = {
    "AR-Opt": dp.ar_opt,
    "RS-Opt-AG": dp.rs_opt_ag,
    "fuse(RS-Opt-AG)": dp.fuse_rs_opt_ag,
    "fuse(RS-Opt-AG), sliced state": dp.adam_sliced,
}
SGD = ADAM | {"fuse(RS-Opt-AG), sliced state": dp.sgd_sliced}
GUARDED_ADAM = {
    "AR-Opt": dp.ar_opt,
    "RS-Opt-AG": dp.guarded_rs_opt_ag,
    "RS-fuse(Opt)-AG": dp.guarded_fuse,
    "RS-fuse(Opt)-AG, sliced state": dp.guarded_adam_sliced,
}
GUARDED_SGD = GUARDED_ADAM | {"RS-fuse(Opt)-AG, sliced state": dp.guarded_sgd_sliced}
LAMB = {
    "AR-Opt": dp.lamb_ar_opt,
    "RS-Opt-AG": dp.lamb_rs_opt_ag,
    "fuse(RS-Opt-AG)": dp.lamb_fuse,
    "fuse(RS-Opt-AG), sliced state": dp.lamb_sliced,
}
GUARDED_LAMB = {
    "AR-Opt": dp.lamb_ar_opt,
    "RS-Opt-AG": dp.guarded_lamb_rs_opt_ag,
    "RS-fuse(Opt)-AG, sliced state": dp.guarded_lamb_sliced,
}


def _with_wire(schedules: Mapping[str, Steps], narrow: Steps) -> Mapping[str, Steps]:
    """The schedules, and one that rounds what travels, before the last of them."""
    *rest, last = schedules.items()
    return dict([*rest, ("fuse(RS-Opt-AG), fp16 wire", narrow), last])


ADAM_WIRE = _with_wire(ADAM, dp.fp16_wire)
SGD_WIRE = _with_wire(SGD, dp.fp16_wire)
LAMB_WIRE = _with_wire(LAMB, dp.lamb_fp16_wire)
ONE: Mapping[str, Sequence[Size]] = {"p": ("n",)}
LAYER: Mapping[str, Sequence[Size]] = {"w": ("k", "n"), "b": ("n",)}


def _optimizer(
    name: str,
    optimizer: Optimizer,
    schedules: Mapping[str, Steps],
    parameters: Mapping[str, Sequence[Size]],
    **options: Any,
) -> Workload:
    def make() -> Program:
        return data_parallel(optimizer, parameters, name=name, **options)

    return Workload(name, make, schedules, tuple(parameters))


_GUARDS = {"max_norm": 1.0, "loss_scale": True}
_DECOUPLED = AdamOptions(weight_decay=0.01, decoupled=True)
_OPTIMIZERS = [
    _optimizer("sgd", SgdOptions(weight_decay=1e-4), SGD_WIRE, ONE),
    _optimizer("sgd_guarded", SgdOptions(weight_decay=1e-4), GUARDED_SGD, LAYER, **_GUARDS),
    _optimizer("adam", AdamOptions(), ADAM_WIRE, ONE),
    _optimizer("adamw", _DECOUPLED, ADAM_WIRE, ONE),
    _optimizer("adamw_layer", _DECOUPLED, ADAM_WIRE, LAYER),
    _optimizer("adamw_guarded", _DECOUPLED, GUARDED_ADAM, LAYER, **_GUARDS),
    _optimizer("lamb", LambOptions(), LAMB_WIRE, ONE),
    _optimizer("lamb_guarded", LambOptions(), GUARDED_LAMB, LAYER, **_GUARDS),
]

# ===- Lists of parameters ----------------------------------------------------===


def _list(name: str, optimizer: Optimizer, schedules: Mapping[str, Steps]) -> Workload:
    shapes = list(LAYER.values())

    def make() -> Program:
        return data_parallel_list(optimizer, shapes, name=name)

    return Workload(name, make, schedules, ("p",))


_LISTS = [
    _list("adam_list", AdamOptions(), ADAM_WIRE),
    _list("lamb_list", LambOptions(), LAMB_WIRE),
]

# ===- Model-parallel and experts ---------------------------------------------===

MODEL_PARALLEL = {
    "MM-AR-C": model_parallel.mm_ar_c,
    "ol(MM, AR)-C": model_parallel.ol_mm_ar_c,
    "MM-RS-C-AG": model_parallel.mm_rs_c_ag,
    "MM-fuse(RS-C-AG)": model_parallel.mm_fuse_rs_c_ag,
    "ol(MM, fuse(RS-C-AG))": model_parallel.ol_mm_fuse_rs_c_ag,
}
ATTENTION_NORM = {
    "MM-AR-C": model_parallel.mm_ar_c,
    "MM-RS-C-AG": model_parallel.norm_mm_rs_c_ag,
    "MM-fuse(RS-C)-AG": model_parallel.norm_mm_fuse_rs_c_ag,
    "ol(MM, fuse(RS-C))-AG": model_parallel.norm_ol_mm_fuse_rs_c_ag,
}
SEQUENCE_PARALLEL = {
    "AG-MM-RS-C": model_parallel.ag_mm_rs_c,
    "AG-MM-fuse(RS-C)": model_parallel.ag_mm_fuse_rs_c,
    "ol(AG, MM)-ol(MM, RS)-C": model_parallel.ol_ag_mm_rs_c,
}
MOE = {"A2A-MM-A2A": moe.a2a_mm_a2a, "ol(A2A, MM, A2A)": moe.ol_a2a_mm_a2a}

# ===- Pipeline-parallel ------------------------------------------------------===

PIPELINE = {
    "AR-C-P2P": pipeline.ar_c_p2p,
    "AR-C-P2P(slice)-AG": pipeline.ar_c_p2p_slice_ag,
    "RS-C-P2P-AG": pipeline.rs_c_p2p_ag,
    "AR-fuse(C-P2P)": pipeline.ar_fuse_c_p2p,
    "RS-fuse(C-P2P)-AG": pipeline.rs_fuse_c_p2p_ag,
    "ol(RS, fuse(C-P2P), AG)": pipeline.ol_rs_fuse_c_p2p_ag,
}

WORKLOADS: Mapping[str, Workload] = {
    workload.name: workload
    for workload in [
        *_OPTIMIZERS,
        *_LISTS,
        Workload("attention", model_parallel.attention, MODEL_PARALLEL),
        Workload("attention_norm", model_parallel.attention_norm, ATTENTION_NORM),
        Workload("mlp", model_parallel.mlp, MODEL_PARALLEL),
        Workload("sequence_parallel", model_parallel.sequence_parallel, SEQUENCE_PARALLEL),
        Workload("moe", moe.moe, MOE),
        Workload("pipeline", pipeline.pipeline, PIPELINE),
    ]
}
