"""Times one Adam step over a transformer's parameters as a list against one tensor of their size.

    python benchmarks/parameter_lists.py [--layers 24] [--width 256] [--rounds 15]

Both are fuse(RS-Opt-AG) with sliced moments on two ranks, hence one kernel each. They are measured
in turns in one process; "A/A" is the list against itself, the noise of such a ratio. Also printed:
seconds to compile each, and how often compiled code allocates memory in a step.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Sequence

import numpy as np
from coconet_mlir import _runtime
from coconet_mlir.runtime import Executable
from coconet_mlir.workloads import AdamOptions, data_parallel_list, transformer_shapes
from coconet_mlir.workloads.data_parallel_schedules import adam_sliced

RANKS = 2
SHORTEST = 0.02  # seconds of one measurement; small sizes repeat the step


def compiled(shapes: Sequence[Sequence[int]]) -> tuple[Executable, float]:
    """The step over a list of these shapes, and the seconds that it took to compile."""
    program = data_parallel_list(AdamOptions(), shapes)
    start = time.perf_counter()
    executable = adam_sliced(program.schedule(), "p").compile(ranks=RANKS)
    return executable, time.perf_counter() - start


def gradients(shapes: Sequence[Sequence[int]]) -> list[list[np.ndarray]]:
    """One addend a rank of each gradient, in memory as of the run time."""
    rng = np.random.default_rng(0)
    made = []
    for shape in shapes:
        addends = [_runtime.empty(shape, np.float32) for _ in range(RANKS)]
        for addend in addends:
            addend[...] = rng.standard_normal(shape, np.float32)
        made.append(addends)
    return made


def main() -> None:
    """Prints times, ratios and bytes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--layers", type=int, default=24)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    shapes = transformer_shapes(options.layers, options.width, vocabulary=8 * options.width)
    total = sum(math.prod(shape) for shape in shapes)
    runners, seconds = {}, {}
    for name, own in (("list", shapes), ("one tensor", [(total,)])):
        executable, seconds[name] = compiled(own)
        runners[name] = (executable, gradients(own))
    times: dict[str, list[float]] = {name: [] for name in ("list", "one tensor", "A/A")}
    first = runners["list"][0].benchmark(steps=1, g_p=runners["list"][1])
    before = _runtime.allocation_statistics()[1]
    runners["list"][0].run(g_p=runners["list"][1])
    allocations = _runtime.allocation_statistics()[1] - before
    steps = max(1, round(SHORTEST / first))
    for _ in range(options.rounds):
        for name in times:
            executable, g = runners["list" if name == "A/A" else name]
            times[name].append(executable.benchmark(steps=steps, g_p=g))
    print(f"{len(shapes)} tensors, {total} elements, {RANKS} ranks")
    for name, taken in times.items():
        ratio = statistics.median(a / b for a, b in zip(taken, times["one tensor"], strict=True))
        print(f"{name:>10}: {statistics.median(taken) * 1e3:8.3f} ms, {ratio:.3f} of one tensor")
    noise = [a / b for a, b in zip(times["A/A"], times["list"], strict=True)]
    print(f"A/A of the list: {statistics.median(noise):.3f}")
    print(", ".join(f"{name} compiled in {each:.2f} s" for name, each in seconds.items()))
    print(f"{allocations} allocations in a step over the list")


if __name__ == "__main__":
    main()
