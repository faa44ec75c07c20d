"""Scripts: modules of the transform dialect with one named sequence, which schedules write."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from coconet_mlir import ir
from coconet_mlir.dialects import transform
from coconet_mlir.dialects._coconet_transform_ops_gen import MatchOp
from coconet_mlir.dialects.coconet import apply_named_sequence
from coconet_mlir.errors import InputError, ScheduleError, reported_as
from coconet_mlir.program import Program, context

_ENTRY = "__transform_main"

Emit = Callable[[ir.Value], ir.Value | None]
"""Writes a step on a root, and returns the root that is left where it consumes the one given."""


def handle() -> ir.Type:
    """The type of handles."""
    return transform.AnyOpType.get()


def match_named(name: str, root: ir.Value) -> ir.Value:
    """A handle to the operations of that name below the root."""
    return MatchOp(handle(), root, name).result


def sequence(emitters: Sequence[Emit]) -> ir.Module:
    """A module with one named sequence that does all of these."""
    with context(), ir.Location.unknown():
        module = ir.Module.create()
        module.operation.attributes["transform.with_named_sequence"] = ir.UnitAttr.get()
        with ir.InsertionPoint(module.body):
            sequence = transform.NamedSequenceOp(_ENTRY, [handle()], [])
        with ir.InsertionPoint(sequence.body):
            root = sequence.body.arguments[0]
            for emit in emitters:
                left = emit(root)
                root = root if left is None else left
            transform.YieldOp()
        return module


def entry(script: ir.Module) -> ir.OpView:
    """The named sequence that is run."""
    for op in script.body.operations:
        if op.operation.name != "transform.named_sequence":
            continue
        if ir.StringAttr(op.operation.attributes["sym_name"]).value == _ENTRY:
            return op
    raise InputError(
        f"the schedule has no named sequence @{_ENTRY}; it is a module with "
        f"transform.named_sequence @{_ENTRY}(%root: !transform.any_op)"
    )


def applied(program: Program, script: ir.Module, what: str) -> Program:
    """The program after a script; the one given stays as it is."""
    with context(), ir.Location.unknown():
        payload = program.copy()
        with reported_as(ScheduleError, f"{what} is refused"):
            apply_named_sequence(payload.module.operation, entry(script), script.operation)
            payload.module.operation.verify()
        return payload


def copier(script: ir.Module) -> Emit:
    """Writes the body of a script's sequence into another one."""

    def emit(root: ir.Value) -> ir.Value:
        block = entry(script).operation.regions[0].blocks[0]
        values = {block.arguments[0]: root}
        for op in block.operations:
            if op.operation.name == "transform.yield":
                continue
            copy = op.operation.clone()
            for index, operand in enumerate(op.operation.operands):
                copy.operation.operands[index] = values[operand]
            for old, new in zip(op.operation.results, copy.operation.results, strict=True):
                values[old] = new
            takes_root = op.operation.name == "transform.apply_registered_pass"
            if takes_root and copy.operation.operands[0] == root:
                root = copy.operation.results[0]
        return root

    return emit


def strings(names: Sequence[str]) -> ir.ArrayAttr:
    """An array of strings."""
    return ir.ArrayAttr.get([ir.StringAttr.get(name) for name in names])


def quoted(names: Sequence[str]) -> str:
    """The names as messages give them."""
    return ", ".join(f'"{name}"' for name in names)
