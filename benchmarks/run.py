"""Times the fused data-parallel Adam step on two ranks against its limit and against AR-Opt.

    python benchmarks/run.py [--sizes 65536 1048576 16777216] [--rounds 21]

The limit is a C loop that moves the bytes that must move (adam_limit.c), with arrays from the same
allocator. All are measured in turns in one process, so that ratios are of neighbours in time; "A/A"
is the fused step against itself, the noise of such a ratio. Times are medians.
"""

from __future__ import annotations

import argparse
import ctypes
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from coconet_mlir import _runtime
from coconet_mlir.runtime import Executable

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))
import data_parallel_adam as example  # noqa: E402

RANKS = 2
SHORTEST = 0.02  # seconds of one measurement; small sizes repeat the step


class Limit(ctypes.Structure):
    """`struct step` of adam_limit.c."""

    _fields_ = [
        ("n", ctypes.c_int64),
        *[(name, ctypes.c_void_p) for name in ("g0", "g1", "p0", "p1", "m", "v")],
        ("c1", ctypes.c_float),
        ("c2", ctypes.c_float),
        ("repeat", ctypes.c_int64),
    ]


def load_limit(folder: Path) -> ctypes.CDLL:
    """Compile the C loop for this machine."""
    source = Path(__file__).parent / "adam_limit.c"
    library = folder / "adam_limit.so"
    flags = ["-O3", "-march=native", "-fno-math-errno", "-ffp-contract=off", "-fPIC", "-shared"]
    command = ["cc", *flags, str(source), "-o", str(library), "-lm", "-lpthread"]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(library))


def limit_runner(library: ctypes.CDLL, n: int) -> Callable[[int], None]:
    """The C loop on arrays of its own."""
    arrays = {name: _runtime.empty((n,), np.float32) for name in ("g0", "g1", "p0", "p1", "m", "v")}
    rng = np.random.default_rng(0)
    for name, array in arrays.items():
        array[:] = 0 if name in "mv" else rng.standard_normal(n, np.float32)
    addresses = {name: array.ctypes.data for name, array in arrays.items()}

    def run(steps: int) -> None:
        step = Limit(n=n, c1=0.1, c2=0.001, repeat=steps, **addresses)
        if library.adam_limit(ctypes.byref(step)):
            raise RuntimeError("cannot start a thread")
        run.arrays = arrays  # kept alive

    return run


def our_runner(exe: Executable, n: int) -> Callable[[int], None]:
    """A compiled schedule, its loop over steps inside."""
    rng = np.random.default_rng(0)
    gradients = [_runtime.empty((n,), np.float32) for _ in range(RANKS)]
    for gradient in gradients:
        gradient[:] = rng.standard_normal(n, np.float32)
    zeros = np.zeros(n, np.float32)
    exe.init(p=zeros, m=zeros, v=zeros, t=0)

    def run(steps: int) -> None:
        exe.run(steps=steps, g=gradients)

    return run


def seconds(run: Callable[[int], None], steps: int) -> float:
    """Seconds of one step."""
    start = time.perf_counter()
    run(steps)
    return (time.perf_counter() - start) / steps


def measure(runners: dict[str, Callable[[int], None]], rounds: int) -> dict[str, np.ndarray]:
    """Seconds of a step by runner and round, all runners in turn."""
    first = {name: max(seconds(run, 1), seconds(run, 1)) for name, run in runners.items()}
    steps = {name: max(1, int(SHORTEST / once)) for name, once in first.items()}
    times: dict[str, list[float]] = {name: [] for name in runners}
    for _ in range(rounds):
        for name, run in runners.items():
            times[name].append(seconds(run, steps[name]))
    return {name: np.array(values) for name, values in times.items()}


def main() -> None:
    """Print one line a size."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[2**16, 2**20, 2**24])
    parser.add_argument("--rounds", type=int, default=21)
    options = parser.parse_args()
    schedules = {
        "fused": example.fused_sliced(),
        "fused again": example.fused_sliced(),
        "fused, replicated m and v": example.fused(),
        "AR-Opt": example.adam.schedule(),
    }
    print(f"{RANKS} ranks, f32; ms a step, and ratios as medians of {options.rounds} pairs")
    print(f"{'elements':>10} {'limit':>9} {'fused':>9} {'AR-Opt':>9}  ratios")
    with tempfile.TemporaryDirectory() as folder:
        library = load_limit(Path(folder))
        for n in options.sizes:
            runners = {"limit": limit_runner(library, n)}
            compiled = [schedule.compile(ranks=RANKS) for schedule in schedules.values()]
            runners |= {
                name: our_runner(exe, n) for name, exe in zip(schedules, compiled, strict=True)
            }
            times = measure(runners, options.rounds)
            milliseconds = {name: 1e3 * float(np.median(t)) for name, t in times.items()}

            def ratio(a: str, b: str, times: dict[str, np.ndarray] = times) -> float:
                return float(np.median(times[a] / times[b]))

            print(
                f"{n:>10} {milliseconds['limit']:>9.4f} {milliseconds['fused']:>9.4f} "
                f"{milliseconds['AR-Opt']:>9.4f}  fused/limit {ratio('fused', 'limit'):.2f}, "
                f"AR-Opt/fused {ratio('AR-Opt', 'fused'):.2f}, "
                f"replicated m and v/fused {ratio('fused, replicated m and v', 'fused'):.2f}, "
                f"A/A {ratio('fused again', 'fused'):.2f}",
                flush=True,
            )
            for exe in compiled:
                exe.close()


if __name__ == "__main__":
    main()
