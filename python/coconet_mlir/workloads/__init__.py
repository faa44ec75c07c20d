"""Programs of distributed training with their schedules: examples, demo and benchmarks use them.

`WORKLOADS` lists them by name. Optimizer steps are made by `data_parallel` from an optimizer's
options and the shapes of parameters; the classifier puts one into a whole training step.
"""

from coconet_mlir.workloads.catalogue import WORKLOADS, Workload, file_stem, scheduled
from coconet_mlir.workloads.classifier import (
    classifier_gradients,
    classify,
    parameter_shapes,
    schedules,
    train_classifier,
)
from coconet_mlir.workloads.data_parallel import clip_factor, data_parallel, found_overflow
from coconet_mlir.workloads.optimizers import (
    AdamOptions,
    LambOptions,
    Optimizer,
    SgdOptions,
    adam_update,
    bias_corrections,
)
from coconet_mlir.workloads.parameter_lists import data_parallel_list, transformer_shapes

__all__ = [
    "WORKLOADS",
    "AdamOptions",
    "LambOptions",
    "Optimizer",
    "SgdOptions",
    "Workload",
    "adam_update",
    "bias_corrections",
    "classifier_gradients",
    "classify",
    "clip_factor",
    "data_parallel",
    "data_parallel_list",
    "file_stem",
    "found_overflow",
    "parameter_shapes",
    "scheduled",
    "schedules",
    "train_classifier",
    "transformer_shapes",
]
