"""The guided tour: a classifier trained data-parallel under four schedules of one program.

    python -m coconet_mlir.demo [--ranks 4] [--epochs 10] [--output demo-output]

Trains on the handwritten digits that scikit-learn ships, checks every schedule equivalent to the
program, and writes the IR after each step and a picture of the loss curves.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coconet_mlir import workloads
from coconet_mlir.runtime import Executable
from coconet_mlir.schedule import Schedule

BATCH = 96
HIDDEN = 1024
OPTIONS = workloads.AdamOptions(lr=1e-3)
SHAPES = workloads.parameter_shapes(64, HIDDEN, 10)

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Digits:
    """Images of 8x8 pixels as rows of 64 numbers in 0..1, and their classes."""

    x: NDArray[np.float32]
    labels: NDArray[np.int64]
    test_x: NDArray[np.float32]
    test_labels: NDArray[np.int64]

    @staticmethod
    def load(seed: int = 0) -> Digits:
        """Three quarters for training, a quarter for the test."""
        from sklearn.datasets import load_digits

        data = load_digits()
        order = np.random.default_rng(seed).permutation(len(data.target))
        x, labels = (data.data[order] / 16).astype(np.float32), data.target[order]
        cut = len(labels) * 3 // 4
        return Digits(x[:cut], labels[:cut], x[cut:], labels[cut:])


@dataclass
class Outcome:
    """What training under one schedule gave."""

    name: str
    check: str
    step: Executable
    losses: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    accuracy: float = 0.0

    @property
    def milliseconds(self) -> float:
        """Median time of a step."""
        return float(np.median(self.seconds)) * 1e3


def initial_state(seed: int = 0) -> Arrays:
    """Parameters drawn as He et al. do, moments and step count 0."""
    rng = np.random.default_rng(seed)
    state: Arrays = {"t": np.zeros((), np.float32)}
    for name, shape in SHAPES.items():
        scale = np.sqrt(2 / shape[0]) if len(shape) == 2 else 0.0
        state[name] = (scale * rng.standard_normal(shape)).astype(np.float32)
        state[f"m_{name}"] = np.zeros(shape, np.float32)
        state[f"v_{name}"] = np.zeros(shape, np.float32)
    return state


def batches(digits: Digits, epochs: int, seed: int = 0) -> list[tuple[Any, Any]]:
    """Shuffled batches of all epochs, labels one-hot; a last short batch is left out."""
    rng = np.random.default_rng(seed)
    one_hot = np.eye(10, dtype=np.float32)[digits.labels]
    found = []
    for _ in range(epochs):
        order = rng.permutation(len(digits.labels))
        for start in range(0, len(order) - BATCH + 1, BATCH):
            rows = order[start : start + BATCH]
            found.append((digits.x[rows], one_hot[rows]))
    return found


def train(name: str, schedule: Schedule, ranks: int, digits: Digits, epochs: int) -> Outcome:
    """Check, compile and train; the test accuracy is that of the trained parameters."""
    report = schedule.verify(ranks=ranks)
    step = schedule.compile(ranks=ranks).init(**initial_state())
    outcome = Outcome(name, str(report).splitlines()[0], step)
    for x, y in batches(digits, epochs):
        outcome.losses.append(float(step(x=x, y=y)["loss"]))
    trained = {parameter: step.read(parameter) for parameter in SHAPES}
    with workloads.classify(hidden=HIDDEN).compile(ranks=ranks) as classify:
        logits = classify(x=digits.test_x, **trained)["logits"]
    outcome.accuracy = float(np.mean(np.argmax(logits, axis=1) == digits.test_labels))
    return outcome


def time_steps(outcomes: list[Outcome], digits: Digits, rounds: int = 15, steps: int = 20) -> None:
    """Time the schedules in turn, so that they meet the same conditions."""
    x, y = batches(digits, 1)[0]
    for _ in range(rounds):
        for outcome in outcomes:
            start = time.perf_counter()
            for _ in range(steps):
                outcome.step(x=x, y=y)
            outcome.seconds.append((time.perf_counter() - start) / steps)


# ===- Report -----------------------------------------------------------------===


def print_outcome(outcome: Outcome, base: Outcome) -> None:
    """One schedule in words."""
    speed = float(np.median(np.array(base.seconds) / np.array(outcome.seconds)))
    state = max(outcome.step.state_bytes)
    print(f"\n{outcome.name}")
    print(f"  check           {outcome.check}")
    print(
        f"  time per step   {outcome.milliseconds:.3f} ms; round by round {speed:.2f}x the speed "
        f"of {base.name}"
    )
    print(f"  state           {state:,} bytes on the largest rank: parameters, m, v, step count")
    print(f"  test accuracy   {outcome.accuracy:.4f}, last loss {outcome.losses[-1]:.5f}")


def plot_losses(outcomes: list[Outcome], single: Outcome, path: Path) -> None:
    """Loss by step of every schedule, and of one rank."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 4.5))
    axes.plot(single.losses, color="black", linewidth=3, alpha=0.4, label=single.name)
    for outcome, style in zip(outcomes, ["-", "--", "-.", ":"], strict=True):
        axes.plot(outcome.losses, style, linewidth=1, label=outcome.name)
    axes.set(xlabel="step", ylabel="cross entropy", yscale="log", title="Training loss")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def largest_deviation(outcomes: list[Outcome], single: Outcome) -> float:
    """Largest relative difference between a loss and that of one rank."""
    reference = np.array(single.losses)
    return max(
        float(np.max(np.abs(np.array(outcome.losses) - reference) / np.maximum(reference, 1e-3)))
        for outcome in outcomes
    )


def main() -> int:
    """Run the tour; 1 if a schedule trains to something else than the program."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--ranks", type=int, default=4, metavar="N")
    parser.add_argument("--epochs", type=int, default=10, metavar="N")
    parser.add_argument("--output", type=Path, default=Path("demo-output"), metavar="FOLDER")
    options = parser.parse_args()
    if options.ranks < 1 or options.epochs < 1:
        parser.error("ranks and epochs are at least 1")

    digits = Digits.load()
    program = workloads.train_classifier(BATCH, hidden=HIDDEN, options=OPTIONS)
    schedules = workloads.schedules(program, tuple(SHAPES))
    print(
        f"Training a 64-{HIDDEN}-10 classifier on {len(digits.labels)} digits, batches of {BATCH} "
        f"over {options.ranks} ranks, {options.epochs} epochs"
    )
    single = train("one rank", program.schedule(), 1, digits, options.epochs)
    outcomes: list[Outcome] = []
    for name, schedule in schedules.items():
        schedule.dump(options.output / "ir" / name.replace(" ", "-"))
        outcomes.append(train(name, schedule, options.ranks, digits, options.epochs))
    time_steps(outcomes, digits)
    for outcome in outcomes:
        print_outcome(outcome, outcomes[0])

    plot_losses(outcomes, single, options.output / "loss.png")
    deviation = largest_deviation(outcomes, single)
    print(f"\none rank: test accuracy {single.accuracy:.4f}, last loss {single.losses[-1]:.5f}")
    print(f"losses differ from those of one rank by at most {deviation:.1e} (relative)")
    print(
        f"IR after each step: {options.output / 'ir'}; loss curves: {options.output / 'loss.png'}"
    )
    accuracies = {round(outcome.accuracy, 3) for outcome in [single, *outcomes]}
    if max(accuracies) - min(accuracies) > 0.005:
        print("error: a schedule trained to another accuracy", file=sys.stderr)
        return 1
    if options.epochs >= 10 and min(accuracies) < 0.95:
        print("error: the accuracy is below 0.95 after 10 epochs", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
