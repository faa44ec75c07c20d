"""Makes Python handles into IR safe, where upstream's are not.

- `PassManager.run` erases operations that Python objects may still stand for, and touching one of
  them afterwards ends the process. Here passes run on a copy that then takes the place of what
  was there. What was there is kept, so a handle goes on meaning the operation as it was.
- An operation taken from a list of operations does not keep the module alive. Here it does.
"""

from __future__ import annotations

from typing import Any

from coconet_mlir._mlir_libs import _mlir
from coconet_mlir._mlir_libs._site_initialize_0 import keep_alive

_PassManager = _mlir.passmanager.PassManager
_run_in_place = _PassManager.run
# Owners of replaced operations: handles do not keep them alive.
_replaced: list[Any] = []


def _swap_bodies(first: Any, second: Any) -> None:
    """Exchange the blocks of two operations of one kind."""
    for a, b in zip(first.regions, second.regions, strict=True):
        of_a, of_b = list(a.blocks), list(b.blocks)
        for block in of_a:
            block.append_to(b)
        for block in of_b:
            block.append_to(a)


def _copy_attributes(source: Any, target: Any) -> None:
    for name in [entry.name for entry in target.attributes]:
        if name not in source.attributes:
            del target.attributes[name]
    for entry in source.attributes:
        target.attributes[entry.name] = entry.attr


def _run(self: Any, operation: Any) -> None:
    """Run the passes on an operation; where one fails, the operation stays as it was.

    Handles to operations inside that were taken before go on meaning these operations, which are
    no longer part of the program. `run_in_place` is upstream's way, for a module without handles.

    Raises:
        MLIRError: a pass failed.
    """
    target = operation.operation
    copy = target.clone()
    _run_in_place(self, copy)
    _swap_bodies(target, copy)
    _copy_attributes(copy, target)
    _replaced.append(copy)


def _keeping(take: Any) -> Any:
    """`take`, a method that gives an operation, so that the result keeps what it is taken from."""

    def method(self: Any, *arguments: Any) -> Any:
        taken = take(self, *arguments)
        for item in taken if isinstance(taken, list) else [taken]:
            keep_alive(item.operation, self)
        return taken

    method.__doc__ = take.__doc__
    return method


_PassManager.run = _run
_PassManager.run_in_place = _run_in_place
_mlir.ir.OperationIterator.__next__ = _keeping(_mlir.ir.OperationIterator.__next__)
_mlir.ir.OperationList.__getitem__ = _keeping(_mlir.ir.OperationList.__getitem__)
