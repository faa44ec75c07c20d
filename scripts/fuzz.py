"""Random testing of the compiler. `make fuzz` runs both kinds.

    python scripts/fuzz.py texts [--count 5000] [--seed 0] [--jobs 2]
    python scripts/fuzz.py pairs [--count 1000] [--seed 0] [--jobs 2] [--compile-share 0.33]

`texts` feeds mutated programs to coconet-opt, and what verifies to every pass. `pairs` draws well
typed programs and schedules of them, and compares each pair with its base in a finite field and
compiled; what fails is printed with its seed and as a small Python program. A seed always draws
the same pair.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "test"))


def _bar(done: int, count: int, failed: int) -> None:
    """Progress, on a terminal."""
    if not sys.stderr.isatty():
        return
    filled = 30 * done // count
    bar = "#" * filled + "." * (30 - filled)
    end = f", {failed} failed" if failed else ""
    print(f"\r[{bar}] {done}/{count}{end}", end="\n" if done >= count else "", file=sys.stderr)


def _texts(options: argparse.Namespace) -> int:
    from fuzz.texts import Outcome, run

    def progress(outcome: Outcome) -> None:
        _bar(outcome.inputs, options.count, len(outcome.crashes))

    outcome = run(options.count, options.seed, options.jobs, progress)
    for said, (text, pipeline) in outcome.crashes.items():
        print(f"=== coconet-opt {' '.join(pipeline)}: {said}\n{text}\n")
    for what, number in outcome.upstream.items():
        print(f"{number} times upstream: {what}")
    print(
        f"{outcome.inputs} inputs from seed {options.seed}, {outcome.verified} verify, "
        f"{outcome.runs} runs, {len(outcome.crashes)} kinds of crash"
    )
    return 1 if outcome.crashes else 0


def _pairs(options: argparse.Namespace) -> int:
    from fuzz.campaign import Failure, Result, counts, run, show

    def progress(result: Result, done: int) -> None:
        _bar(done, options.count, len(result.failures))

    def found(failure: Failure) -> None:
        print(("\n" if sys.stderr.isatty() else "") + show(failure), flush=True)

    seeds = range(options.seed, options.seed + options.count)
    result = run(
        seeds,
        jobs=options.jobs,
        compile_share=options.compile_share,
        progress=progress,
        found=found,
    )
    print(counts(result))
    print(f"{options.count} pairs from seed {options.seed}, {len(result.failures)} failed")
    return 1 if result.failures else 0


def main() -> int:
    """Run one kind; 1 if something fails."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    kinds = parser.add_subparsers(dest="kind", required=True)
    for name, count, handler in (("texts", 5000, _texts), ("pairs", 1000, _pairs)):
        kind = kinds.add_parser(name)
        kind.add_argument("--count", type=int, default=count)
        kind.add_argument("--seed", type=int, default=0)
        kind.add_argument("--jobs", type=int, default=1, help="child processes")
        kind.set_defaults(handler=handler)
    kind.add_argument("--compile-share", type=float, default=0.33, help="of pairs, 0 to 1")
    options = parser.parse_args()
    return options.handler(options)


if __name__ == "__main__":
    sys.exit(main())
