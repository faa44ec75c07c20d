"""What `coconet check` does: compare a schedule with its program, or all of a folder."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coconet_mlir.errors import CoCoNetError, InputError
from coconet_mlir.program import Program, Signature, load
from coconet_mlir.schedule import Schedule

OPEN_RANKS = 3
"""Size of an open axis where a folder is checked and none is given: divides few sizes."""


@dataclass(frozen=True)
class Pair:
    """A schedule and the program it belongs to, or why there is none.

    Attributes:
        schedule: None where a program has no schedule beside it.
        problem: why the two cannot be compared, empty where they can.
    """

    program: Path | None
    schedule: Path | None
    problem: str = ""


def check(arguments: argparse.Namespace) -> int:
    """Compare as the command line says. Returns the exit code."""
    path = Path(arguments.program)
    if path.is_dir():
        if arguments.schedule is not None or arguments.function is not None:
            raise InputError(
                f"{path} is a folder, which is checked with the schedules in it; "
                "leave --schedule and --function out"
            )
        return check_folder(path, arguments.ranks, arguments.mesh, arguments.sizes)
    program = load(path)
    if arguments.schedule is None:
        raise InputError(
            f"no schedule is given for {path}; give --schedule FILE, or the folder of both"
        )
    report = (
        Schedule(program)
        .apply(arguments.schedule)
        .compare(
            ranks=arguments.ranks,
            mesh=arguments.mesh,
            sizes=arguments.sizes or None,
            function=arguments.function,
        )
    )
    print(report)
    return 0 if report else 1


# ===- Folders ----------------------------------------------------------------===


def check_folder(
    folder: Path,
    ranks: int | None = None,
    mesh: Mapping[str, int] | None = None,
    sizes: Mapping[str, int] | None = None,
) -> int:
    """Compare every schedule below a folder with its program and print a table.

    Axes and sizes go to the programs that have them; open axes that are not named have 3 ranks.

    Returns:
        0; 1 if a schedule differs, is refused or has no program, or a file cannot be read.

    Raises:
        InputError: there is no program, or no program has an axis or a size of that name.
    """
    programs, pairs = find_pairs(folder)
    if not programs and not any(pair.problem for pair in pairs):
        raise InputError(
            f"no program in {folder}; a program is a .mlir file beside the schedules of it"
        )
    _check_names("axis", mesh, _axes(programs.values()))
    _check_names("size", sizes, _sizes(programs.values()))
    names = [(_shown(pair.program, folder), _shown(pair.schedule, folder)) for pair in pairs]
    widths = [max(map(len, column)) for column in zip(("program", "schedule"), *names, strict=True)]
    _print_row(widths, "program", "schedule", "result")
    failures = []
    for pair, (program, schedule) in zip(pairs, names, strict=True):
        outcome, failure = _outcome(pair, programs, ranks, mesh, sizes)
        _print_row(widths, program, schedule, outcome)
        if failure:
            failures.append(failure)
    scheduled = sum(1 for pair in pairs if pair.schedule)
    result = f"{len(failures)} failed" if failures else "all passed"
    print(f"\n{_count(scheduled, 'schedule')} of {_count(len(programs), 'program')}: {result}")
    for failure in failures:
        print(f"\n{failure}")
    return 1 if failures else 0


def find_pairs(folder: Path) -> tuple[dict[Path, Program], list[Pair]]:
    """Programs below a folder, and what to compare.

    A schedule belongs to the only program of its folder. Where there are several, PROGRAM.NAME.mlir
    belongs to PROGRAM.mlir.
    """
    programs: dict[Path, Program] = {}
    schedules: list[Path] = []
    pairs: list[Pair] = []
    for path in sorted(folder.rglob("*.mlir")):
        if path.exists() and not path.is_file():  # A folder, or a pipe that nobody writes to.
            continue
        try:
            program = load(path)
        except CoCoNetError as error:
            pairs.append(Pair(path, None, error.render()))
            continue
        if "transform.with_named_sequence" in program.module.operation.attributes:
            schedules.append(path)
        elif any(op.operation.name == "func.func" for op in program.module.body.operations):
            programs[path] = program
        else:
            problem = "no function is in this file; remove it, or write a program"
            pairs.append(Pair(path, None, f"{path}: error: {problem}"))
    pairs += [_pair(schedule, list(programs)) for schedule in schedules]
    paired = {pair.program for pair in pairs}
    pairs += [Pair(program, None) for program in programs if program not in paired]
    return programs, sorted(pairs, key=lambda pair: str(pair.schedule or pair.program))


def _pair(schedule: Path, programs: Sequence[Path]) -> Pair:
    beside = [path for path in programs if path.parent == schedule.parent]
    named = [path for path in beside if schedule.name.startswith(f"{path.stem}.")]
    if named:
        return Pair(max(named, key=lambda path: len(path.stem)), schedule)
    if len(beside) == 1:
        return Pair(beside[0], schedule)
    if not beside:
        problem = "no program lies beside this schedule; put the .mlir file of one into its folder"
    else:
        problem = (
            f"{len(beside)} programs lie beside this schedule; "
            f"name it as in {beside[0].stem}.{schedule.name}"
        )
    return Pair(None, schedule, f"{schedule}: error: {problem}")


def _outcome(
    pair: Pair,
    programs: Mapping[Path, Program],
    ranks: int | None,
    mesh: Mapping[str, int] | None,
    sizes: Mapping[str, int] | None,
) -> tuple[str, str]:
    """A line for the table, and what to say about a failure."""
    if pair.problem:
        return "error", pair.problem
    if pair.program is None or pair.schedule is None:
        return "no schedule", ""
    program = programs[pair.program]
    try:
        own = {name: size for name, size in (sizes or {}).items() if name in _sizes([program])}
        report = (
            Schedule(program)
            .apply(pair.schedule)
            .compare(sizes=own or None, **_binding(program, ranks, mesh))
        )
    except CoCoNetError as error:
        return "error", f"{pair.schedule}: {error.render()}"
    return str(report).splitlines()[0], "" if report else f"{pair.schedule}: {report}"


def _binding(program: Program, ranks: int | None, mesh: Mapping[str, int] | None) -> dict[str, Any]:
    """The sizes of a program's axes."""
    signature = _signature(program)
    known = signature.mesh if signature else None
    if ranks is not None or known is None:
        return {"ranks": ranks}
    given = mesh or {}
    open_axes = {axis: OPEN_RANKS for axis, size in known.sizes.items() if size is None}
    own = open_axes | {axis: size for axis, size in given.items() if axis in known.sizes}
    return {"mesh": own or None}


def _signature(program: Program) -> Signature | None:
    """None for a program without a public function, which `compare` refuses."""
    try:
        return program.signature()
    except InputError:
        return None


def _axes(programs: Iterable[Program]) -> list[str]:
    signatures = [_signature(program) for program in programs]
    return sorted({axis for each in signatures if each and each.mesh for axis in each.mesh.sizes})


def _sizes(programs: Iterable[Program]) -> list[str]:
    signatures = [_signature(program) for program in programs]
    dims = [port.dims for each in signatures if each for port in each.arguments]
    return sorted({name for names in dims for name in names if name})


def _check_names(what: str, given: Mapping[str, int] | None, known: Sequence[str]) -> None:
    for name in given or {}:
        if name not in known:
            listed = ", ".join(known) or "none"
            raise InputError(f"no program has {what} '{name}'; the names in use are {listed}")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _shown(path: Path | None, folder: Path) -> str:
    return "-" if path is None else str(path.relative_to(folder))


def _print_row(widths: Sequence[int], *cells: str) -> None:
    padded = [cell.ljust(width) for cell, width in zip(cells, widths, strict=False)]
    print("  ".join([*padded, *cells[len(widths) :]]), flush=True)
