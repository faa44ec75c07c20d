"""Faults of communication under way that people met in practice, by id, compiled and run."""

from __future__ import annotations

import re

import coconet_mlir as cc
import numpy as np
import pytest
from coconet_mlir.binding import run_pipeline
from compiled_support import f32, traced

GROUPS = {"a": "[[0, 1], [2]]", "b": "[[0], [1, 2]]", "c": "[[0, 2], [1]]"}


def three_functions(orders: tuple[str, str, str], started: str = "", named: bool = False) -> str:
    """Each rank has a function of its own, and sums in groups of two in its order.

    `started` are ranks that start both sums before they wait for them.
    """
    lines = ["#world = #coconet.mesh<r = 3>"]
    for rank, order in enumerate(orders):
        results = ", ".join(f'tensor<4xf32> {{coconet.result_name = "{s}{rank}"}}' for s in order)
        lines += [
            f'func.func @f{rank}(%x: tensor<4xf32> {{coconet.arg_name = "x{rank}"}})',
            f"    -> ({results}) attributes {{coconet.ranks = array<i64: {rank}>}} {{",
        ]
        for each in order:
            name = f' {{coconet.name = "{each} of {rank}"}}' if named else ""
            total = (
                f"%{each} = coconet.rank.all_reduce sum %x on groups {GROUPS[each]} of #world"
                f"{name} : tensor<4xf32> -> tensor<4xf32>"
            )
            if str(rank) in started:
                total = (
                    f"%f{each} = coconet.rank.start {{\n{total}\n"
                    f"coconet.yield %{each} : tensor<4xf32>\n}} : !coconet.future<tensor<4xf32>>"
                )
            lines.append(total)
        if str(rank) in started:
            lines += [
                f"%{each} = coconet.rank.wait %f{each} : <tensor<4xf32>> -> tensor<4xf32>"
                for each in order
            ]
        values = ", ".join(f"%{each}" for each in order)
        lines += [f"return {values} : tensor<4xf32>, tensor<4xf32>", "}"]
    return "\n".join(lines)


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("started", ["", "0", "12", "012"])
def test_case_D02_orders_that_fit_one_order_run(started, named):
    program = cc.parse(three_functions(("ac", "ab", "bc"), started, named))
    given = {f"x{rank}": np.full(4, 1 << rank, np.float32) for rank in range(3)}
    with cc.compile(program, timeout=10) as exe:
        for _ in range(50):
            found = {name: value.tolist() for name, value in exe(**given).items()}
            sums = {"a": 3, "b": 6, "c": 5}
            assert found == {name: [sums[name[0]]] * 4 for name in found}


@pytest.mark.parametrize("started", ["", "0", "012"])
def test_case_D02_a_circle_is_rejected_with_its_ranks(started):
    program = cc.parse(three_functions(("ac", "ba", "cb"), started))
    with pytest.raises(cc.CompileError, match="ranks wait in a circle: rank 0 at .* for rank 1"):
        cc.compile(program)
    given = {f"x{rank}": np.ones(4, np.float32) for rank in range(3)}
    with cc.compile(program, check=False, timeout=3) as exe:
        # Of those that all have started, each reads for itself, and nobody leaves.
        with pytest.raises(cc.CollectiveError, match="deadlock: rank . waits at .*all_reduce"):
            exe(**given)


def test_case_W04_every_wait_has_a_start_before_it():
    """An op of two dependencies waits for two; what is waited for was started."""

    def body(x, y, b):
        s = cc.all_reduce(x, axes="dp", reduction="sum", name="s")
        t = cc.all_reduce(y, axes="dp", reduction="sum", name="t")
        z = cc.matmul(b, b, name="z")
        return cc.add(s, t, name="both"), z

    local = cc.local(5, axes="dp")
    program = traced(body, cc.mesh(dp=2), x=local, y=local, b=cc.tensor((8, 8)))
    schedule = program.schedule().overlap("s", "t", "z", chunks=1)
    lowered = schedule.program.copy()
    run_pipeline(lowered, "builtin.module(coconet-lower-to-rank)")
    text = str(lowered)
    starts = re.findall(r"(%\w+) = coconet\.rank\.start", text)
    waits = re.findall(r"(%\w+) = coconet\.rank\.wait (%\w+)", text)
    assert len(starts) == 2 and sorted(future for _, future in waits) == sorted(starts)
    for result, future in waits:
        assert text.index(f"{future} = ") < text.index(f"{result} = ")
    add = re.search(r"coconet\.add (%\w+), (%\w+)", text)
    assert add is not None and set(add.groups()) == {result for result, _ in waits}

    run_pipeline(lowered, "builtin.module(coconet-to-kernels,coconet-bufferize)")
    text = str(lowered)
    begun = re.findall(r'coconet\.symmetric_start .*?coconet\.started = "([^"]+)"', text)
    done = re.findall(r'coconet\.symmetric_kernel .*?coconet\.started = "([^"]+)"', text)
    assert sorted(begun) == sorted(done) and len(set(begun)) == 2
    with schedule.compile() as exe:
        for _ in range(200):
            found, _ = exe(
                x=np.full((2, 5), 21, np.float32),
                y=f32([21] * 5, [21] * 5),
                b=np.zeros((8, 8), np.float32),
            ).values()
            assert found.tolist() == [84] * 5


def test_case_W04_a_chain_of_doublings_gives_84_always():
    def body(x):
        first = cc.all_reduce(x, groups=[[0, 1]], name="first")
        return (cc.all_reduce(first, groups=[[0, 1]], name="second"),)

    program = traced(body, cc.mesh(dp=2), x=cc.local(64, axes="dp"))
    chunked = program.schedule().overlap("first", "second", chunks=4)
    for schedule in (program.schedule(), chunked):
        with schedule.compile() as exe:
            for _ in range(200):
                (found,) = exe(x=np.full((2, 64), 21, np.float32)).values()
                assert (found == 84).all()
