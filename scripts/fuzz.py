"""Random testing of the compiler. `make fuzz` runs both kinds.

    python scripts/fuzz.py texts [--count 2000] [--seed 0]
    python scripts/fuzz.py pairs [--count 1000] [--seed 0] [--jobs 2] [--compile-share 0.33]

`texts` feeds mutated programs to coconet-opt. `pairs` draws well typed programs and schedules of
them, and compares each pair with its base in a finite field and compiled; what fails is printed
with its seed and as a small Python program. A seed always draws the same pair.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "test"))


def _texts(options: argparse.Namespace) -> int:
    from fuzz.texts import run

    return 1 if run(options.count, options.seed) else 0


def _pairs(options: argparse.Namespace) -> int:
    from fuzz.campaign import Failure, Result, counts, run, show

    wide = sys.stderr.isatty()

    def progress(result: Result, done: int) -> None:
        if wide:
            filled = 30 * done // options.count
            bar = "#" * filled + "." * (30 - filled)
            failed = f", {len(result.failures)} failed" if result.failures else ""
            print(f"\r[{bar}] {done}/{options.count}{failed}", end="", file=sys.stderr)

    def found(failure: Failure) -> None:
        print(("\n" if wide else "") + show(failure), flush=True)

    seeds = range(options.seed, options.seed + options.count)
    result = run(
        seeds,
        jobs=options.jobs,
        compile_share=options.compile_share,
        progress=progress,
        found=found,
    )
    if wide:
        print(file=sys.stderr)
    print(counts(result))
    print(f"{options.count} pairs from seed {options.seed}, {len(result.failures)} failed")
    return 1 if result.failures else 0


def main() -> int:
    """Run one kind; 1 if something fails."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    kinds = parser.add_subparsers(dest="kind", required=True)
    for name, count, handler in (("texts", 2000, _texts), ("pairs", 1000, _pairs)):
        kind = kinds.add_parser(name)
        kind.add_argument("--count", type=int, default=count)
        kind.add_argument("--seed", type=int, default=0)
        kind.set_defaults(handler=handler)
    kind.add_argument("--jobs", type=int, default=1, help="child processes")
    kind.add_argument("--compile-share", type=float, default=0.33, help="of pairs, 0 to 1")
    options = parser.parse_args()
    return options.handler(options)


if __name__ == "__main__":
    sys.exit(main())
