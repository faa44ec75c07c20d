"""The `coconet` command. Everything heavy is imported by the command that needs it."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from . import __version__

if TYPE_CHECKING:
    from .program import Program
    from .schedule import Schedule


def _sizes(text: str, least: int, example: str) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for entry in text.split(","):
        name, _, size = (part.strip() for part in entry.partition("="))
        if not name or not _is_number(size) or int(size) < least:
            raise argparse.ArgumentTypeError(f"'{entry}' is no size; write {example}")
        if name in sizes:
            raise argparse.ArgumentTypeError(f"'{name}' is given twice; give it once")
        sizes[name] = int(size)
    return sizes


def _axis_sizes(text: str) -> dict[str, int]:
    """`dp=2,tp=4` as a dictionary."""
    return _sizes(text, 1, "dp=2,tp=4")


def _open_sizes(text: str) -> dict[str, int]:
    """`n=1000,k=0` as a dictionary."""
    return _sizes(text, 0, "n=1000")


def _is_number(text: str) -> bool:
    """Whether this is a number that a size can be. Python counts superscripts as digits."""
    return text.isascii() and text.isdigit() and len(text) <= 18


def _positive(text: str) -> int:
    if not _is_number(text) or int(text) < 1:
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
        type=_open_sizes,
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
    run.add_argument(
        "--load-state",
        metavar="FILE",
        help="start from the states of this safetensors file, which --save-state wrote, on any "
        "number of ranks and under any schedule",
    )
    run.add_argument("--save-state", metavar="FILE", help="write the states there at the end")
    run.add_argument("--steps", type=_positive, default=1, metavar="N", help="number of runs")
    run.add_argument(
        "--check",
        action="store_true",
        help="compare schedule with program, and results with the reference interpreter",
    )
    run.add_argument(
        "--no-check",
        action="store_true",
        help="do not prove that ranks meet in all communication",
    )
    run.add_argument(
        "--watch",
        action="store_true",
        help="fail at the first operation whose value is infinite or not a number",
    )
    run.set_defaults(handler=_run)

    check = commands.add_parser(
        "check",
        help="compare a schedule with its program, or all schedules of a folder",
        description="Compare a schedule with its program on simulated ranks, over a finite field.",
        epilog="In a folder, and those below it, every .mlir file that holds a transform script is "
        "a schedule of the program beside it; where there are several programs, "
        "PROGRAM.NAME.mlir is one of PROGRAM.mlir. A table says how each one fares, and the exit "
        "code is 1 where one fails.",
    )
    check.add_argument(
        "program",
        metavar="FILE|FOLDER",
        help="base program in MLIR text, or a folder of programs and schedules",
    )
    check.add_argument("--schedule", metavar="FILE", help="transform script, for a single program")
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
    return schedule if arguments.schedule is None else schedule.apply(arguments.schedule)


def _show(arguments: argparse.Namespace) -> int:
    from .report import describe

    program = _scheduled(arguments, _load(arguments)).program
    names = program.functions if arguments.function is None else [arguments.function]
    if not names:
        program.function_op()
    print("\n\n".join(describe(program, name) for name in names))
    return 0


def _check(arguments: argparse.Namespace) -> int:
    from .checking import check

    return check(arguments)


def _run(arguments: argparse.Namespace) -> int:
    from .running import run_program

    program = _load(arguments)
    return run_program(arguments, program, _scheduled(arguments, program))


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line `argv`, by default the process's own.

    Returns:
        0; 1 where a check fails or a program cannot be run; 2 for a wrong command line; 130 when
        it is interrupted.
    """
    parser = _parser()
    arguments = parser.parse_args(argv)
    if arguments.command is None:
        parser.print_help()
        return 0
    from .errors import CoCoNetError

    try:
        code = arguments.handler(arguments)
        sys.stdout.flush()
        return code
    except CoCoNetError as error:
        message, code = error.render(), 1
    except MemoryError as error:
        message, code = f"error: out of memory: {error}; give smaller sizes or fewer ranks", 1
    except BrokenPipeError:
        # Whoever read the output has enough. Nothing is left for Python to flush at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        message, code = f"error: {error}", 1
    except KeyboardInterrupt:
        message, code = "error: interrupted", 130
    print(message, file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
