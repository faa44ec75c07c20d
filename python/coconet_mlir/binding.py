"""Passes over programs: giving the axes of a mesh their sizes, and running pipelines."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral

from coconet_mlir.errors import CompileError, InputError, reported_as
from coconet_mlir.passmanager import PassManager
from coconet_mlir.program import Program, context


def bind(
    program: Program, *, ranks: int | None = None, mesh: Mapping[str, int] | None = None
) -> Program:
    """The program with all sizes of its mesh known.

    Raises:
        CompileError: an axis is unknown or has no size, or a division that must be exact is not.
    """
    if ranks is not None and mesh is not None:
        raise InputError("both ranks and mesh are given; give one of them")
    if ranks is not None and not _is_whole(ranks):
        raise CompileError(f"ranks is {ranks!r}; give a positive number")
    if ranks is not None and ranks < 1:
        raise CompileError(f"{ranks} ranks; there is at least 1")
    options = []
    if ranks is not None:
        options.append(f"ranks={ranks}")
    if mesh is not None and not isinstance(mesh, Mapping):
        raise CompileError(f'mesh is {mesh!r}; give sizes by axis, as in {{"dp": 2}}')
    if mesh:
        _check_pass_option(program, mesh)
        axes = ",".join(f"{axis}={size}" for axis, size in mesh.items())
        options.append(f"axes={axes}")
    bound = program.copy()
    run_pipeline(bound, f"builtin.module(coconet-bind-mesh{{{' '.join(options)}}})")
    return bound


def _check_pass_option(program: Program, mesh: Mapping[str, int]) -> None:
    """What the pass would not even parse."""
    for axis, size in mesh.items():
        if not isinstance(axis, str) or not axis.isidentifier():
            known = program.signature().mesh
            raise CompileError(f"'{axis}' is no axis; the mesh is {known or 'not named'}")
        if not _is_whole(size) or size < 1:
            raise CompileError(f"axis '{axis}' has size {size!r}; give a positive number")


def _is_whole(value: object) -> bool:
    """Whether this is a whole number that a pass can take, of Python or numpy."""
    return isinstance(value, Integral) and not isinstance(value, bool) and abs(int(value)) < 2**63


def run_pipeline(program: Program, pipeline: str) -> None:
    """Run passes on a program of which no handle to an operation is held.

    Raises:
        CompileError: a pass fails.
    """
    with context(), reported_as(CompileError):
        PassManager.parse(pipeline).run_in_place(program.module.operation)
