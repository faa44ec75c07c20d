"""Every named schedule of the classifier on every rank count: equivalent, and trained alike."""

import numpy as np
import pytest
from coconet_mlir import workloads

BATCH, FEATURES, HIDDEN, CLASSES = 13, 7, 5, 3
SHAPES = workloads.parameter_shapes(FEATURES, HIDDEN, CLASSES)
PROGRAM = workloads.train_classifier(BATCH, features=FEATURES, hidden=HIDDEN, classes=CLASSES)
SCHEDULES = workloads.schedules(PROGRAM, tuple(SHAPES))


def trained(schedule, ranks: int) -> list[np.ndarray]:
    """Losses of three steps and the parameters after them."""
    rng = np.random.default_rng(0)
    states = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in SHAPES.items()}
    with schedule.compile(ranks=ranks) as step:
        step.init(**states)
        found = []
        for _ in range(3):
            x = rng.standard_normal((BATCH, FEATURES)).astype(np.float32)
            y = np.eye(CLASSES, dtype=np.float32)[rng.integers(CLASSES, size=BATCH)]
            found.append(step(x=x, y=y)["loss"])
        return [*found, *(step.read(name) for name in SHAPES)]


@pytest.fixture(scope="module")
def single() -> list[np.ndarray]:
    return trained(PROGRAM.schedule(), 1)


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5, 6, 7, 8])
@pytest.mark.parametrize("name", list(SCHEDULES))
def test_schedule_trains_as_one_rank(name, ranks, single):
    schedule = SCHEDULES[name]
    schedule.verify(ranks=ranks)
    for actual, expected in zip(trained(schedule, ranks), single, strict=True):
        np.testing.assert_allclose(actual, expected, rtol=2e-5, atol=2e-6)
