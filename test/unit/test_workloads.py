"""Every workload under every named schedule: equal to its program, and compiled as interpreted."""

from __future__ import annotations

import ast
import functools
import importlib.util
import inspect
import textwrap
from pathlib import Path

import coconet_mlir as cc
import numpy as np
import pytest
from coconet_mlir.workloads import WORKLOADS, SgdOptions, data_parallel, file_stem
from compiled_support import Pair

ROOT = Path(__file__).resolve().parents[2]
RANKS = (1, 2, 3, 5, 8)
# Sums of the products of experts have 32 terms.
TERMS = 32
# No number of ranks divides these; 8 ranks leave some without a part.
SIZES = {"n": 13, "k": 5, "b": 3, "s": 7, "h": 9, "f": 11, "g": 5, "t": 6}
ALL = [(name, label) for name, workload in WORKLOADS.items() for label in workload.schedules]

program = functools.cache(lambda name: WORKLOADS[name].make())


def schedule(name: str, label: str):
    return WORKLOADS[name].schedule(label, program(name))


def check(name: str, label: str, ranks: int) -> None:
    scheduled = schedule(name, label)
    sizes = {
        dim: SIZES[dim] for port in program(name).signature().arguments for dim in port.dims if dim
    }
    report = scheduled.verify(ranks=ranks, sizes=sizes)
    assert report.error_bound < 2**-30
    # What is rounded on the wire is compared with the rounding program.
    lossy = "wire" in label
    pair = Pair(scheduled, ranks=ranks, base=scheduled.program if lossy else program(name))
    try:
        for step in (0, 6):
            pair.check(
                sizes, terms=(TERMS + sum(sizes.values())) * ranks, **given(pair, sizes, step)
            )
    finally:
        pair.executable.close()


def given(pair: Pair, sizes: dict[str, int], step: int) -> dict[str, np.ndarray]:
    """Arguments that are not any number: second moments, step counts, the loss scale, and
    factors of chains of products, which do not grow."""
    arrays = {}
    for name, array in pair.inputs(sizes).items():
        if name.startswith("v_"):
            arrays[name] = array * array
        elif name.startswith("t_") or name == "step":
            arrays[name] = np.full_like(array, step)
        elif name in ("w1", "w2", "places", "gates"):
            arrays[name] = array / 4
        elif name == "scale":
            arrays[name] = np.full_like(array, 8)
    return arrays


@pytest.mark.parametrize(
    ("name", "label", "ranks"),
    [(*each, RANKS[index % len(RANKS)]) for index, each in enumerate(ALL)],
)
def test_schedule(name, label, ranks):
    check(name, label, ranks)


@pytest.mark.slow
@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize(("name", "label"), ALL)
def test_schedule_on_all_numbers_of_ranks(name, label, ranks):
    check(name, label, ranks)


@pytest.mark.parametrize("name", list(WORKLOADS))
def test_automatic_schedule(name):
    program(name).schedule().fuse_allreduce(slice_state=True).verify(ranks=3)


@pytest.mark.parametrize(
    ("parameters", "options", "message"),
    [
        ({}, {}, "a step has no parameter"),
        ({"p": (1,), "m_p": (1,)}, {}, "two arguments of the step are called 'm_p'"),
        ({"scale": ()}, {"loss_scale": True}, "are called 'scale'; rename a parameter"),
        ({"p": (1,)}, {"max_norm": 0.0}, "max_norm is 0.0; give a positive number"),
    ],
)
def test_parameters_that_are_none(parameters, options, message):
    with pytest.raises(cc.InputError, match=message):
        data_parallel(SgdOptions(), parameters, **options)


# ===- Text -------------------------------------------------------------------===


def lines(function, module) -> int:
    """Lines of the body of a schedule and of those that it calls, without the docstring."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    body = tree.body[1:]
    called = {
        node.func.id
        for statement in body
        for node in ast.walk(statement)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    own = sum(statement.end_lineno - statement.lineno + 1 for statement in body)
    return own + sum(lines(getattr(module, name), module) for name in called)


@pytest.mark.parametrize(("name", "label"), ALL)
def test_a_schedule_takes_few_lines(name, label):
    steps = WORKLOADS[name].schedules[label]
    assert 1 <= lines(steps, inspect.getmodule(steps)) <= 8


def test_files_of_schedules_have_names_of_their_own():
    for workload in WORKLOADS.values():
        stems = {file_stem(label) for label in workload.schedules}
        assert len(stems) == len(workload.schedules) and "base" not in stems


def test_examples_are_what_is_written():
    spec = importlib.util.spec_from_file_location(
        "generate_examples", ROOT / "scripts/generate_examples.py"
    )
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    assert generator.stale(ROOT / "examples", generator.generated()) == []


def test_the_page_names_all_of_them():
    page = (ROOT / "docs/workloads.md").read_text()
    for name, workload in WORKLOADS.items():
        assert f"`{name}`" in page
        assert all(f"`{label}`" in page for label in workload.schedules)
