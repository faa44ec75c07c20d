"""Programs of unlike ranks: their names, their numbers, and what goes wrong between them (D01)."""

from __future__ import annotations

import functools
import importlib
import re

import coconet_mlir as cc
import numpy as np
import pytest
from coconet_mlir.binding import bind, run_pipeline
from coconet_mlir.check import equivalent
from coconet_mlir.interpreter import InterpretationError, run
from compiled_support import Pair, case

MESH = cc.mesh(tp="?")
N = cc.tensor(("n",))


# Annotations may name what only the caller knows, so this is no function of ours.
stages = functools.partial(cc.trace_stages, mesh=MESH)


@pytest.fixture
def unchecked(monkeypatch):
    """Without the check before the run, which finds the same: the run time must not hang."""
    module = importlib.import_module("coconet_mlir.compile")
    passes = "builtin.module(coconet-decompose,coconet-to-rank)"
    monkeypatch.setattr(module, "_TO_RANK", passes)


# ===- Numbers ----------------------------------------------------------------===


def there_and_back(layout):
    """y = 2 x, computed by another stage, plus what the first one kept."""

    def first(x: layout, skip: layout):
        cc.send(x, "there")
        return {"y": cc.recv("back", like=layout) + skip}

    def second(n: N):
        x = cc.recv("there", like=layout)
        cc.send(x + x, "back")

    return stages({"first": first, "second": second})


LAYOUTS = {
    "replicated": cc.tensor(("n", 3)),
    "cut": cc.sliced("n", 3, tp=0),
    "cut inside": cc.sliced("n", 5, tp=1),
    "flat": cc.sliced("n", 3, tp="flat"),
    "pending": cc.partial("n", tp="sum"),
    "local": cc.local("n", axes="tp"),
    "static": cc.tensor((7, 2)),
}


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_every_layout_goes_over(name, ranks):
    program = there_and_back(LAYOUTS[name])
    if name == "flat":  # A flat slice of an open size is no result.
        program = there_and_back(cc.sliced(4, 3, tp="flat"))
    assert program.schedule().verify(ranks=ranks)
    pair = Pair(program, ranks=ranks)
    assert pair.executable.ranks == 2 * ranks
    for size in (0, 1, 7, 13):
        with case(size):
            pair.check({"n": size}, terms=ranks)
    pair.executable.close()


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f64", "i1", "i8", "i64"])
def test_every_element_type_goes_over(dtype):
    spec = cc.tensor(("n",), dtype)

    def first(x: spec):
        cc.send(x, "c")

    def second(n: N):
        return {"y": cc.recv("c", like=spec)}

    pair = Pair(stages({"first": first, "second": second}), ranks=2)
    pair.check({"n": 9})
    pair.executable.close()


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_a_kernel_computes_into_the_receivers_buffer(ranks):
    def first(x: cc.tensor(("n", 4)), b: cc.tensor(4), step: cc.tensor((), "i32")):
        with cc.named("c"):
            kept = x * b
            y = cc.dropout(kept, step=step, rate=0.5, seed=3)
        cc.send(y, "c1")
        return {"kept": kept}

    def second(n: N):
        return {"y": cc.recv("c1", like=cc.tensor(("n", 4)))}

    program = stages({"first": first, "second": second})
    schedule = program.schedule().slice_send("c1", axes="tp").fuse("c", name="c")
    fused = program.schedule().fuse("c", "c1", name="c")
    for scheduled in (schedule, fused):
        scheduled.verify(ranks=ranks)
        pair = Pair(scheduled, ranks=ranks, base=program)
        for size in (0, 1, 5, 33):
            pair.check({"n": size}, step=np.int32(2))
        pair.executable.close()


INTERLEAVED = """
#mesh = #coconet.mesh<tp = 2>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>
#sliced = #coconet.layout<#mesh, [{tp}]>
func.func @f(%x: tensor<5xf32, #partial> {coconet.arg_name = "x"})
    attributes {coconet.ranks = array<i64: 3, 0>} {
  %0 = coconet.reduce_scatter sum %x into 0 on {tp}
       : tensor<5xf32, #partial> -> tensor<5xf32, #sliced>
  coconet.send %0 to "a" : tensor<5xf32, #sliced>
  return
}
func.func @g() -> (tensor<5xf32> {coconet.result_name = "y"})
    attributes {coconet.ranks = array<i64: 1, 2>} {
  %0 = coconet.recv from "a" : tensor<5xf32, #sliced>
  %1 = coconet.all_gather %0 from 0 on {tp} : tensor<5xf32, #sliced> -> tensor<5xf32>
  return %1 : tensor<5xf32>
}
"""


def test_ranks_are_given_in_any_order():
    program = cc.parse(INTERLEAVED)
    x = np.arange(10, dtype=np.float32).reshape(2, 5)
    with cc.compile(program) as exe:
        assert exe.ranks == 4
        assert exe(x=x)["y"].tolist() == [5, 7, 9, 11, 13]
    assert run(program.generic(), {"x": x}).results[0].tolist() == [5, 7, 9, 11, 13]


LOOP = """
#one = #coconet.mesh<one = 1>
func.func @f(%x: tensor<4xf32> {coconet.arg_name = "x"})
    attributes {coconet.stage = 0 : i64, coconet.mesh = #one} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
    %b = coconet.add %a, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    coconet.send %b to "a" : tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  return
}
func.func @g(%s: tensor<4xf32> {coconet.arg_name = "s"}) -> tensor<4xf32>
    attributes {coconet.stage = 1 : i64, coconet.mesh = #one} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %s) -> (tensor<4xf32>) {
    %m = coconet.recv from "a" : tensor<4xf32>
    %p = coconet.mul %a, %m : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    %q = coconet.sub %p, %s : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    scf.yield %q : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
"""


def test_messages_of_a_loop_come_in_order():
    program = cc.parse(LOOP)
    x, s = np.arange(4, dtype=np.float32), np.ones(4, np.float32)
    expected = ((2 * x - 1) * 3 * x - 1) * 4 * x - 1
    with cc.compile(program) as exe:
        assert exe(x=x, s=s)["result 0"].tolist() == expected.tolist()
    assert run(program.generic(), {"x": x, "s": s}).results[0].tolist() == expected.tolist()


def test_one_rank_program_and_its_lowering_agree():
    program = there_and_back(cc.sliced(7, 3, tp=0))
    bound = bind(program, ranks=3)
    lowered = bound.copy()
    run_pipeline(lowered, "builtin.module(coconet-lower-to-rank)")
    assert "coconet.rank.recv" in lowered.generic()
    assert equivalent(bound.generic(), lowered.generic())


# ===- D01 --------------------------------------------------------------------===


def test_d01_both_sides_send_first(unchecked, monkeypatch):
    def left(x: N):
        cc.send(x, "a")
        return {"y": cc.recv("b", like=N)}

    def right(z: N):
        cc.send(z, "b")
        return {"w": cc.recv("a", like=N)}

    program = stages({"left": left, "right": right})
    x = np.ones(3, np.float32)
    with cc.compile(program, ranks=1, timeout=5) as exe:
        with pytest.raises(cc.CollectiveError, match="deadlock: rank .* waits at channel") as error:
            exe(x=x, z=x)
        assert "'a'" in str(error.value) and "'b'" in str(error.value)
        assert "test_channels.py" in str(error.value)
    monkeypatch.undo()
    with pytest.raises(cc.CompileError, match="ranks wait in a circle: rank 0 at rank.send"):
        cc.compile(program, ranks=1)
    with pytest.raises(InterpretationError, match=r"@left waits in send \"a\", @right waits in"):
        run(program.generic(), {"x": x, "z": x}, ranks=1)


def test_d01_a_ring_of_two_keeps_messages_apart():
    def left(x: N, y: N):
        cc.send(x, "left to next")
        cc.send(y, "left to previous")
        return {
            "from_next": cc.recv("right to previous", like=N),
            "from_previous": cc.recv("right to next", like=N),
        }

    def right(u: N, v: N):
        previous = cc.recv("left to next", like=N)
        following = cc.recv("left to previous", like=N)
        cc.send(v, "right to previous")
        cc.send(u, "right to next")
        return {"got_next": following, "got_previous": previous}

    program = stages({"left": left, "right": right})
    arrays = {name: np.full(2, i, np.float32) for i, name in enumerate("xyuv")}
    with cc.compile(program, ranks=1) as exe:
        found = {name: array[0] for name, array in exe(**arrays).items()}
    assert found == {"from_next": 3, "from_previous": 2, "got_next": 1, "got_previous": 0}
    Pair(program, ranks=3).check({"n": 5})


def test_messages_in_another_order(unchecked):
    def left(x: N):
        cc.send(x, "a")
        cc.send(x + x, "b")

    def right(n: N):
        second = cc.recv("b", like=N)
        return {"y": cc.recv("a", like=N) - second}

    program = stages({"left": left, "right": right})
    x = np.ones(3, np.float32)
    with (
        cc.compile(program, ranks=1, timeout=5) as exe,
        pytest.raises(cc.CollectiveError, match=r"deadlock: .*channel '[ab]'"),
    ):
        exe(x=x, n=x)


def test_d01_a_half_without_the_other():
    def left(x: N):
        cc.send(x, "a")

    def right(n: N):
        return {"y": n}

    with pytest.raises(cc.ProgramError, match="to channel 'a' has no recv") as error:
        stages({"left": left, "right": right})
    assert "test_channels.py" in error.value.render()


def test_a_wait_at_a_channel_is_bounded():
    def left(x: cc.tensor((1000, 1000)), m: N):
        for _ in range(20):
            x = x @ x
        cc.send(m + cc.reduce("max", x, (0, 1)), "late")

    def right(n: N):
        return {"y": cc.recv("late", like=N)}

    program = stages({"left": left, "right": right})
    ones = np.ones(3, np.float32)
    where = r"\(.*test_channels\.py:\d+:\d+ to .*test_channels\.py:\d+:\d+\)"
    with (
        cc.compile(program, ranks=1, timeout=0.1) as exe,
        pytest.raises(cc.CollectiveError) as error,
    ):
        exe(x=np.zeros((1000, 1000), np.float32), m=ones, n=ones)
    assert re.match(
        rf"rank 0 did not arrive at channel 'late' {where} within 0\.1 s; rank 0 is computing .*"
        "; rank 1 waits",
        str(error.value),
    )


# ===- Sizes and names --------------------------------------------------------===


def test_sizes_that_differ():
    def left(x: cc.tensor(("m",))):
        cc.send(x, "a")

    def right(n: N):
        return {"y": cc.recv("a", like=N)}

    with (
        cc.compile(stages({"left": left, "right": right}), ranks=2, timeout=5) as exe,
        pytest.raises(cc.CollectiveError, match="size mismatch at channel 'a'.* expected 4, but"),
    ):
        exe(x=np.ones(3, np.float32), n=np.ones(4, np.float32))


def test_a_size_that_no_argument_has():
    def left(x: cc.tensor(("m",))):
        cc.send(x, "a")

    def right(n: N):
        return {"y": cc.recv("a", like=cc.tensor(("m",)))}

    with pytest.raises(cc.CompileError, match="has a dimension 'm', which no argument of @right"):
        cc.compile(stages({"left": left, "right": right}), ranks=2)


def test_names_of_two_stages():
    def left(x: N, m: cc.state("n")):
        cc.send(x, "a")
        return {"y": cc.update(m, m + x)}

    def right(x: N, m: cc.state("n")):
        return {"y": cc.update(m, m + cc.recv("a", like=N) * x)}

    program = stages({"left": left, "right": right})
    signature = program.signature()
    assert [port.name for port in signature.arguments] == ["left.x", "left.m", "right.x", "right.m"]
    assert program.signature("left").arguments[0].name == "x"
    with cc.compile(program, ranks=2) as exe:
        exe.init(**{"left.m": np.ones(2, np.float32)})
        x = np.full(2, 3, np.float32)
        found = exe.run({"left.x": x, "right.x": x}, steps=2)
        assert found["left.y"].tolist() == [7, 7] and found["right.y"].tolist() == [18, 18]
        assert exe.read("right.m").tolist() == [18, 18]
        assert exe.state_bytes == (8, 8, 8, 8)
        with pytest.raises(cc.InputError, match=r"no array for left.x"):
            exe(**{"right.x": x})
    with pytest.raises(cc.CompileError, match="@left is one of the functions left, right"):
        cc.compile(program, ranks=2, function="left")


# ===- Tracing ----------------------------------------------------------------===


def test_declarations_that_are_none():
    def half(n: N):
        return {"y": cc.recv("a", like=n)}

    with pytest.raises(cc.ProgramError, match="like is Tensor, which declares no tensor"):
        stages({"half": half})

    def unnamed(n: N):
        return {"y": cc.recv("a", like=cc.tensor(("?",)))}

    with pytest.raises(cc.ProgramError, match="does not know the size of dimension 0"):
        stages({"unnamed": unnamed})
    with pytest.raises(cc.InputError, match="a program has at least one stage"):
        stages({})
    with pytest.raises(cc.InputError, match="no mesh for f"):
        cc.trace_stages({"f": lambda: None}, mesh={})
    with pytest.raises(cc.InputError, match="unknown stage 'g'; the stages are f"):
        cc.trace_stages({"f": lambda: None}, mesh=MESH, specs={"g": {}})


def test_a_schedule_that_swaps_messages_is_found_out():
    def left(x: N, y: N):
        cc.send(x, "a")
        cc.send(y, "b")

    def right(n: N):
        return {"u": cc.recv("a", like=N), "v": cc.recv("b", like=N)}

    base = stages({"left": left, "right": right})

    def wrong(x: N, y: N):
        cc.send(y, "a")
        cc.send(x, "b")

    other = stages({"left": wrong, "right": right})
    report = equivalent(base.generic(), other.generic(), ranks=2)
    assert not report and "u" in str(report)
