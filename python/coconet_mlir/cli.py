"""The `coconet` command."""

import argparse
from collections.abc import Sequence

from . import __version__


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line `argv`, by default the process's own."""
    parser = argparse.ArgumentParser(
        prog="coconet", description="Compiler for distributed tensor programs."
    )
    parser.add_argument("--version", action="version", version=f"coconet {__version__}")
    parser.parse_args(argv)
    parser.print_help()
    return 0
