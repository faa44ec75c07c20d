"""The `coconet` command. Everything heavy is imported by the command that needs it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from . import __version__

if TYPE_CHECKING:
    from .program import Program
    from .schedule import Schedule


def _axis_sizes(text: str) -> dict[str, int]:
    """`dp=2,tp=4` as a dictionary."""
    sizes: dict[str, int] = {}
    for entry in text.split(","):
        name, _, size = entry.partition("=")
        if not name.strip() or not size.strip().isdigit() or int(size) < 1:
            raise argparse.ArgumentTypeError(f"'{entry}' is no size; write dp=2,tp=4")
        sizes[name.strip()] = int(size)
    return sizes


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no positive number")
    return int(text)


def _add_binding(command: argparse.ArgumentParser) -> None:
    group = command.add_mutually_exclusive_group()
    group.add_argument(
        "--ranks", type=_positive, metavar="N", help="number of ranks, for a mesh of one axis"
    )
    group.add_argument(
        "--mesh", type=_axis_sizes, metavar="dp=2,tp=4", help="sizes of the mesh's axes"
    )
    command.add_argument("--function", metavar="NAME", help="default: the first public one")
    command.add_argument(
        "--sizes",
        type=_axis_sizes,
        metavar="n=1000",
        default={},
        help="open sizes by name, where no input tells them",
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="coconet", description="Compiler for distributed tensor programs."
    )
    parser.add_argument("--version", action="version", version=f"coconet {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    run = commands.add_parser("run", help="compile a program and run it on this machine")
    run.add_argument("program", metavar="FILE", help="program in MLIR text")
    _add_binding(run)
    run.add_argument("--schedule", metavar="FILE", help="transform script to apply first")
    run.add_argument(
        "--inputs",
        metavar="FILE.npz",
        help="arrays by argument name; pending and local ones have a first dimension of one array "
        "a rank. Without it inputs are random",
    )
    run.add_argument("--outputs", metavar="FILE.npz", help="write results and states there")
    run.add_argument("--steps", type=_positive, default=1, metavar="N", help="number of runs")
    run.add_argument(
        "--check",
        action="store_true",
        help="compare schedule with program, and results with the reference interpreter",
    )
    run.set_defaults(handler=_run)

    check = commands.add_parser("check", help="compare a schedule with its program")
    check.add_argument("program", metavar="FILE", help="base program in MLIR text")
    check.add_argument("--schedule", metavar="FILE", required=True, help="transform script")
    _add_binding(check)
    check.set_defaults(handler=_check)

    show = commands.add_parser("show", help="show layouts and communication of a program")
    show.add_argument("program", metavar="FILE", help="program in MLIR text")
    show.add_argument("--function", metavar="NAME", help="default: all of them")
    show.add_argument("--schedule", metavar="FILE", help="transform script to apply first")
    show.set_defaults(handler=_show)
    return parser


def _load(arguments: argparse.Namespace) -> Program:
    from .program import load

    return load(arguments.program)


def _scheduled(arguments: argparse.Namespace, program: Program) -> Schedule:
    from .schedule import Schedule

    schedule = Schedule(program)
    return schedule.apply(arguments.schedule) if arguments.schedule else schedule


def _show(arguments: argparse.Namespace) -> int:
    from .report import describe

    program = _scheduled(arguments, _load(arguments)).program
    names = [arguments.function] if arguments.function else program.functions
    print("\n\n".join(describe(program, name) for name in names))
    return 0


def _check(arguments: argparse.Namespace) -> int:
    schedule = _scheduled(arguments, _load(arguments))
    report = schedule.compare(
        ranks=arguments.ranks,
        mesh=arguments.mesh,
        sizes=arguments.sizes or None,
        function=arguments.function,
    )
    print(report)
    return 0 if report else 1


def _run(arguments: argparse.Namespace) -> int:
    from .running import run_program

    program = _load(arguments)
    return run_program(arguments, program, _scheduled(arguments, program))


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line `argv`, by default the process's own.

    Returns:
        0; 1 where a check fails or a program cannot be run; 2 for a wrong command line.
    """
    parser = _parser()
    arguments = parser.parse_args(argv)
    if arguments.command is None:
        parser.print_help()
        return 0
    from .errors import CoCoNetError

    try:
        return arguments.handler(arguments)
    except CoCoNetError as error:
        print(error.render(), file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
