"""Overlap of what goes between functions: both ends in chunks, equal to the program without."""

from __future__ import annotations

import functools
from collections.abc import Callable

import coconet_mlir as cc
import numpy as np
import pytest
from coconet_mlir._abi import ResultType
from coconet_mlir.binding import bind, run_pipeline
from coconet_mlir.check import equivalent
from coconet_mlir.workloads import WORKLOADS, pipeline
from compiled_support import Pair, case
from lowering_support import Lowered

MESH = cc.mesh(tp="?")
stages = functools.partial(cc.trace_stages, mesh=MESH)
PENDING = cc.partial("b", "n", tp="sum")
CUT = cc.sliced("b", "n", tp=1)
WHOLE = cc.tensor(("b", "n"))

# ===- Programs ----------------------------------------------------------------===


def reduced_and_gathered() -> cc.Program:
    def first(x: PENDING):
        part = cc.reduce_scatter(x, 1, name="rs")
        cc.send(cc.relu(part, name="c"), "m")

    def second(w: cc.tensor(("n", 3)), s: WHOLE):
        whole = cc.all_gather(cc.recv("m", like=CUT), 1, name="ag")
        return {"y": cc.matmul(cc.add(whole, s, name="a"), w, name="mm")}

    return stages({"first": first, "second": second})


def sent_as_it_is() -> cc.Program:
    """The sender computes nothing, the receiver a product."""

    def first(x: WHOLE):
        cc.send(x, "m")

    def second(w: cc.tensor(("n", 3)), s: cc.tensor(("b",))):
        return {"y": cc.matmul(cc.recv("m", like=WHOLE), w, name="mm"), "s": s}

    return stages({"first": first, "second": second})


def turned() -> cc.Program:
    """The chunks lie along dimension 0 of what is sent, and 1 of what is made of it."""

    def first(x: WHOLE):
        cc.send(cc.exp(x, name="c"), "m")

    def second(z: cc.tensor(("n", "b"))):
        return {"y": cc.transpose(cc.recv("m", like=WHOLE), (1, 0), name="t") - z}

    return stages({"first": first, "second": second})


def chain() -> cc.Program:
    def first(x: WHOLE):
        cc.send(cc.relu(x, name="c"), "m")

    def second(s: WHOLE):
        cc.send(cc.add(cc.recv("m", like=WHOLE), s, name="d"), "n")

    def third(s: WHOLE):
        return {"y": cc.recv("n", like=WHOLE) * s}

    return stages({"first": first, "second": second, "third": third})


def both_ways() -> cc.Program:
    """Each function sends to the other one, in regions of their own."""

    def left(x: WHOLE):
        cc.send(cc.relu(x, name="c"), "m")
        return {"y": cc.tanh(cc.recv("n", like=WHOLE), name="e")}

    def right(s: WHOLE):
        z = cc.exp(cc.recv("m", like=WHOLE), name="d")
        cc.send(cc.neg(s, name="f"), "n")
        return {"z": z}

    return stages({"left": left, "right": right})


Steps = Callable[[cc.Schedule, int], cc.Schedule]
CASES: dict[str, tuple[Callable[[], cc.Program], Steps]] = {
    "RS+C+send": (reduced_and_gathered, lambda s, k: s.overlap("rs", "c", "m", chunks=k)),
    "RS+C+send+AG": (reduced_and_gathered, lambda s, k: s.overlap("rs", "c", "m", "ag", chunks=k)),
    "RS+fuse(C+send)+AG+MM": (
        reduced_and_gathered,
        lambda s, k: s.fuse("c", "m", name="c").overlap("rs", "c", "ag", "a", "mm", chunks=k),
    ),
    "send+MM": (sent_as_it_is, lambda s, k: s.overlap("mm", "m", chunks=k)),
    "C+send+transpose": (turned, lambda s, k: s.overlap("c", "m", "t", chunks=k)),
    "chain": (chain, lambda s, k: s.overlap("c", "m", "d", "n", chunks=k)),
    "both ways": (
        both_ways,
        lambda s, k: s.overlap("c", "m", "d", chunks=k).overlap("f", "n", "e", chunks=k),
    ),
}


def scheduled(name: str, chunks: int) -> cc.Schedule:
    make, steps = CASES[name]
    return steps(make().schedule(), chunks)


def test_send_alone_names_its_product():
    """Naming what receives chunks the send too."""
    text = str(sent_as_it_is().schedule().overlap("mm", "m", chunks=2).program)
    assert text.count("coconet.overlap chunks 2 along 0") == 2


# ===- Numbers -----------------------------------------------------------------===

SIZES = [{"b": 5, "n": 7}, {"b": 1, "n": 3}, {"b": 0, "n": 4}, {"b": 6, "n": 0}, {"b": 12, "n": 1}]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_equal_in_the_field(name, ranks):
    assert scheduled(name, 3).verify(ranks=ranks)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(("ranks", "chunks"), [(1, 2), (2, 3), (3, 4)])
def test_rank_programs_are_equal_in_the_field(name, ranks, chunks):
    """With communication that completes as late as it can, in several orders."""
    base = bind(CASES[name][0](), ranks=ranks)
    lowered = bind(scheduled(name, chunks).program, ranks=ranks)
    run_pipeline(lowered, "builtin.module(coconet-lower-to-rank)")
    text = lowered.generic()
    assert text.count('"coconet.rank.start"') >= 2 * chunks
    assert f"m[{chunks - 1}]" in text
    assert equivalent(base.generic(), text)


@pytest.mark.parametrize("name", CASES)
def test_compiled(name):
    base = CASES[name][0]()
    for ranks, chunks in ((1, 2), (2, 3), (3, 2), (5, 4)):
        pair = Pair(scheduled(name, chunks), ranks=ranks, base=base)
        for sizes in SIZES:
            with case(f"{chunks} chunks on {ranks} ranks, {sizes}"):
                for _ in range(2):
                    pair.check(sizes, terms=8 * ranks)
        pair.executable.close()


@pytest.mark.parametrize("rows", [0, 1, 2, 7, 8])
@pytest.mark.parametrize("chunks", [2, 3, 7])
def test_static_sizes(rows, chunks):
    """Chunks of one element, uneven, and empty ones: both ends send as many."""
    spec = cc.tensor((rows, 3))

    def first(x: spec):
        cc.send(cc.exp(x, name="c"), "m")

    def second(s: spec):
        return {"y": cc.sub(cc.recv("m", like=spec), s, name="d")}

    program = stages({"first": first, "second": second})
    schedule = program.schedule().overlap("c", "m", "d", chunks=chunks)
    assert schedule.verify(ranks=2)
    Pair(schedule, ranks=2, base=program).check({})


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_chunks_of_the_dimension_that_is_cut(ranks):
    """Chunk c is the c-th part of every slice; other sizes are an error of both ends."""
    program = WORKLOADS["pipeline"].make()
    schedule = pipeline.rs_fuse_c_p2p_ag(program.schedule())
    schedule = schedule.overlap("sum.rs", "end", "sum.ag", "begin", chunks=2, dim=1)
    sizes = {"b": 3, "s": 2 * ranks * 3, "h": 4 * ranks, "f": 5}
    assert schedule.verify(ranks=ranks, sizes=sizes)
    pair = Pair(schedule, ranks=ranks, base=program)
    pair.check(sizes, terms=32 * ranks, step=np.int32(3))
    arrays = pair.inputs(sizes | {"s": 2 * ranks * 3 + 1}) | {"step": np.int32(0)}
    with pytest.raises(
        cc.CollectiveError, match="remainder of the size by .*, for 2 chunks of every slice"
    ):
        pair.executable(**arrays)
    pair.executable.close()


# ===- Other forms -------------------------------------------------------------===


def test_one_chunk_runs_beside_a_plain_other_end():
    """One end is started and the other one is not."""

    def first(x: WHOLE, v: WHOLE):
        cc.send(x, "m")
        return {"w": cc.exp(v, name="c")}

    def second(s: WHOLE):
        return {"y": cc.recv("m", like=WHOLE) + s}

    program = stages({"first": first, "second": second})
    schedule = program.schedule().overlap("m", "c", chunks=1)
    text = str(schedule.program)
    assert text.count("coconet.overlap") == 1
    assert schedule.verify(ranks=2)
    lowered = bind(schedule.program, ranks=2)
    run_pipeline(lowered, "builtin.module(coconet-lower-to-rank)")
    assert equivalent(bind(program, ranks=2).generic(), lowered.generic())
    pair = Pair(schedule, ranks=2, base=program)
    pair.check({"b": 5, "n": 3})
    pair.executable.close()


LOOP = """
#one = #coconet.mesh<tp = 1>
func.func @f(%x: tensor<4xf32> {coconet.arg_name = "x"})
    attributes {coconet.stage = 0 : i64, coconet.mesh = #one} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
    %b = coconet.add %a, %x {coconet.name = "c"} : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    coconet.send %b to "a" {coconet.name = "m"} : tensor<4xf32>
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
    %p = coconet.mul %a, %m {coconet.name = "d"} : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    %q = coconet.sub %p, %s : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    scf.yield %q : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
"""


def test_chunks_in_a_loop():
    program = cc.parse(LOOP)
    schedule = program.schedule().overlap("c", "m", "d", chunks=2)
    assert schedule.verify()
    x, s = np.arange(4, dtype=np.float32), np.ones(4, np.float32)
    expected = ((2 * x - 1) * 3 * x - 1) * 4 * x - 1
    with cc.compile(schedule) as exe:
        for _ in range(3):
            assert exe(x=x, s=s)["result 0"].tolist() == expected.tolist()


ANY_ORDER = """
#mesh = #coconet.mesh<tp = 1>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32>
    attributes {coconet.mesh = #mesh, coconet.ranks = array<i64: 0>} {
  %s = coconet.rank.start {
    coconet.rank.send %x to "a" between [0] and [1] : tensor<4xf32>
    coconet.yield
  } : !coconet.future
  %r = coconet.rank.start {
    %0 = coconet.rank.recv from "b" between [1] and [0] sizes() : tensor<4xf32>
    coconet.yield %0 : tensor<4xf32>
  } : !coconet.future<tensor<4xf32>>
  %1 = coconet.rank.wait %r : !coconet.future<tensor<4xf32>> -> tensor<4xf32>
  coconet.rank.wait %s : !coconet.future
  return %1 : tensor<4xf32>
}
func.func @g(%y: tensor<4xf32>) -> tensor<4xf32>
    attributes {coconet.mesh = #mesh, coconet.ranks = array<i64: 1>} {
  %r = coconet.rank.start {
    %0 = coconet.rank.recv from "a" between [0] and [1] sizes() : tensor<4xf32>
    coconet.yield %0 : tensor<4xf32>
  } : !coconet.future<tensor<4xf32>>
  %s = coconet.rank.start {
    coconet.rank.send %y to "b" between [1] and [0] : tensor<4xf32>
    coconet.yield
  } : !coconet.future
  %1 = coconet.rank.wait %r : !coconet.future<tensor<4xf32>> -> tensor<4xf32>
  coconet.rank.wait %s : !coconet.future
  return %1 : tensor<4xf32>
}
"""


def test_what_is_started_runs_in_the_order_in_which_it_is_started():
    """Where each rank did first what it waits for first, both would wait for the other one."""
    lowered = Lowered(ANY_ORDER, 2, functions=("f", "g"))
    x, y = np.full(4, 1, np.float32), np.full(4, 2, np.float32)
    for _ in range(3):
        (from_g,), (from_f,) = lowered([[x], [y]], [ResultType(np.dtype(np.float32), 1)])
        assert (from_g == y).all() and (from_f == x).all()
