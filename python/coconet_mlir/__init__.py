"""A compiler for distributed tensor programs.

Importing this package loads none of the compiler: modules load on first use.

    import coconet_mlir as cc

    @cc.program(mesh=cc.mesh(dp="?"))
    def step(g: cc.partial("n", dp="sum"), p: cc.state("n")):
        cc.update(p, p - 0.1 * cc.all_reduce(g))

    exe = cc.compile(step, ranks=2)
"""

# ruff: noqa: F401, F403 -- the imports below are for type checkers alone.
from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from coconet_mlir.collectives import *
    from coconet_mlir.compile import compile
    from coconet_mlir.control import cond, loop
    from coconet_mlir.errors import *
    from coconet_mlir.layout import Layout, Mesh
    from coconet_mlir.lists import for_each, partials, states, tensors
    from coconet_mlir.neural import *
    from coconet_mlir.ops import *
    from coconet_mlir.program import Program, load, parse, program, trace
    from coconet_mlir.runtime import Executable
    from coconet_mlir.schedule import Schedule
    from coconet_mlir.specs import local, mesh, partial, rooted, sliced, state, tensor
    from coconet_mlir.stages import recv, send, trace_stages
    from coconet_mlir.tracing import Tensor, named

_MODULES = {
    "collectives": (
        "all_reduce reduce_scatter all_gather all_to_all broadcast shard reduce_to_root "
        "gather_to_root scatter_from_root permute barrier"
    ),
    "compile": "compile",
    "control": "loop cond",
    "errors": "CoCoNetError ProgramError ScheduleError CompileError InputError Diagnostic",
    "_runtime": "CollectiveError",
    "layout": "Layout Mesh",
    "neural": (
        "layer_norm rms_norm cross_entropy pick take scatter_add pad conv2d conv2d_input_gradient "
        "conv2d_weight_gradient pool2d"
    ),
    "lists": "for_each tensors states partials",
    "ops": (
        "neg abs sqrt rsqrt exp log tanh sigmoid relu gelu silu is_finite add sub mul div pow max "
        "min compare select cast dropout matmul reduce norm softmax reshape broadcast_to transpose "
        "slice concat constant iota update"
    ),
    "program": "Program load parse program trace",
    "runtime": "Executable",
    "schedule": "Schedule",
    "stages": "recv send trace_stages",
    "specs": "TensorSpec local mesh partial rooted sliced state tensor",
    "tracing": "Tensor named",
}
_OWNERS = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = sorted(_OWNERS)


class _Package(ModuleType):
    """A function stays what its name means when the module of the same name is loaded."""

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, ModuleType) and _OWNERS.get(name) == name:
            value = getattr(value, name)
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    if name not in _OWNERS:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    value = getattr(importlib.import_module(f"{__name__}.{_OWNERS[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
