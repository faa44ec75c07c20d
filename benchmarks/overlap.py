"""Times ol(MM, AR) against MM-AR on two ranks.

    python benchmarks/overlap.py [--rows 512 2048] [--hidden 256 1024] [--chunks 2 4] [--rounds 11]

Both are measured in turns in one process, so that ratios are of neighbours in time; "A/A" is MM-AR
against itself, the noise of such a ratio. Times are medians. On CPU threads nobody moves data while
a rank computes: what can be gained is waiting for a slower rank, not the copying itself.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import coconet_mlir as cc
import numpy as np
from coconet_mlir.runtime import Executable

sys.path.insert(0, str(Path(__file__).resolve().parent))
from run import measure  # noqa: E402

RANKS = 2


@cc.program(mesh=cc.mesh(tp="?"))
def product(x: cc.sliced("s", "k", tp=1), w: cc.sliced("k", "h", tp=0)) -> dict[str, cc.Tensor]:
    """The product of a row-parallel layer, summed over ranks."""
    return {"y": cc.all_reduce(cc.matmul(x, w, name="mm"), name="ar")}


def runner(exe: Executable, rows: int, hidden: int) -> Callable[[int], None]:
    """A compiled schedule, its loop over steps inside."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((rows, hidden), np.float32)
    w = rng.standard_normal((hidden, hidden), np.float32)

    def run(steps: int) -> None:
        exe.run(steps=steps, x=x, w=w)

    return run


def main() -> None:
    """Print one line a size."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[128, 512, 2048])
    parser.add_argument("--hidden", type=int, nargs="+", default=[256, 1024])
    parser.add_argument("--chunks", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--rounds", type=int, default=11)
    options = parser.parse_args()
    schedules = {"MM-AR": product.schedule(), "again": product.schedule()}
    for chunks in options.chunks:
        schedules[f"ol {chunks}"] = product.schedule().overlap("mm", "ar", chunks=chunks)
    compiled = {name: schedule.compile(ranks=RANKS) for name, schedule in schedules.items()}
    print(f"{RANKS} ranks, f32; ms a step, and ratios as medians of {options.rounds} pairs")
    for hidden in options.hidden:
        for rows in options.rows:
            runners = {name: runner(exe, rows, hidden) for name, exe in compiled.items()}
            times = measure(runners, options.rounds)
            shown = [f"MM-AR {1e3 * float(np.median(times['MM-AR'])):.3f} ms"]
            for name in [*(n for n in schedules if n.startswith("ol")), "again"]:
                ratio = float(np.median(times[name] / times["MM-AR"]))
                shown.append(f"{'A/A' if name == 'again' else name + '/MM-AR'} {ratio:.2f}")
            print(f"{rows:>6} rows, hidden {hidden:>5}:  " + ", ".join(shown), flush=True)
    for exe in compiled.values():
        exe.close()


if __name__ == "__main__":
    main()
