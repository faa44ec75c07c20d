"""Chunk-wise overlap: equal to the program without chunks, in the field and compiled."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import coconet_mlir as cc
import numpy as np
import pytest
from coconet_mlir.binding import bind
from coconet_mlir.check import equivalent
from coconet_mlir.errors import CompileError, ScheduleError
from coconet_mlir.passmanager import PassManager
from coconet_mlir.specs import Size
from compiled_support import Pair, case, traced

TP = cc.mesh(tp="?")

# ===- Programs ----------------------------------------------------------------===

Sizes = Mapping[str, Size]
OPEN = {name: name for name in "bskhgec"}


def mm_ar(d: Sizes = OPEN) -> cc.Program:
    def body(x: cc.Tensor, w: cc.Tensor, bias: cc.Tensor, r: cc.Tensor) -> cc.Tensor:
        total = cc.all_reduce(cc.matmul(x, w, name="mm"), name="ar")
        with cc.named("end"):
            return cc.relu(total + bias) * r

    x, w = cc.sliced(d["b"], d["s"], d["k"], tp=2), cc.sliced(d["k"], d["h"], tp=0)
    r = cc.tensor((d["b"], d["s"], d["h"]))
    return traced(body, TP, x=x, w=w, bias=cc.tensor((d["h"],)), r=r)


def mm_rs(d: Sizes = OPEN) -> cc.Program:
    def body(x: cc.Tensor, w: cc.Tensor) -> cc.Tensor:
        return cc.relu(cc.reduce_scatter(cc.matmul(x, w, name="mm"), 1, name="rs"))

    x, w = cc.sliced(d["b"], d["s"], d["k"], tp=2), cc.sliced(d["k"], d["h"], tp=0)
    return traced(body, TP, x=x, w=w)


def ag_mm(d: Sizes = OPEN) -> cc.Program:
    def body(x: cc.Tensor, w: cc.Tensor) -> cc.Tensor:
        return cc.matmul(cc.all_gather(x, 1, name="ag"), w, name="mm")

    x = cc.sliced(d["b"], d["s"], d["k"], tp=1)
    return traced(body, TP, x=x, w=cc.tensor((d["k"], d["h"])))


def exchange(d: Sizes = OPEN) -> cc.Program:
    def body(x: cc.Tensor) -> cc.Tensor:
        there = cc.all_to_all(x, 0, 1, name="there")
        met = cc.transpose(there, (1, 0, 2, 3), name="turn")
        back = cc.transpose(met, (1, 0, 2, 3), name="back")
        return cc.all_to_all(cc.relu(back, name="act"), 1, 0, name="home")

    return traced(body, TP, x=cc.sliced(d["g"], d["e"], d["c"], d["k"], tp=0))


def a2a_mm(d: Sizes = OPEN) -> cc.Program:
    def body(x: cc.Tensor, w: cc.Tensor) -> cc.Tensor:
        there = cc.all_to_all(x, 0, 1, name="there")
        made = cc.matmul(cc.transpose(there, (1, 0, 2), name="turn"), w, name="mm")
        return cc.all_to_all(cc.transpose(made, (1, 0, 2), name="back"), 1, 0, name="home")

    x, w = cc.sliced(d["g"], d["e"], d["k"], tp=0), cc.sliced(d["e"], d["k"], d["h"], tp=0)
    return traced(body, TP, x=x, w=w)


def capacity(d: Sizes = OPEN) -> cc.Program:
    def body(x: cc.Tensor, w: cc.Tensor) -> cc.Tensor:
        there = cc.all_to_all(x, 0, 1, name="there")
        with cc.named("mm"):
            tokens = cc.reshape(cc.transpose(there, (1, 0, 2, 3)), (8, "n", 4))
            made = cc.reshape(cc.relu(tokens @ w), (8, d["g"], 6, 4))
            back = cc.transpose(made, (1, 0, 2, 3))
        return cc.all_to_all(back, 1, 0, name="home")

    return traced(body, TP, x=cc.sliced(d["g"], 8, 6, 4, tp=0), w=cc.sliced(8, 4, 4, tp=0))


def pieces(s: cc.Schedule) -> cc.Schedule:
    return s.split("ar", dim=1).reorder("ar.ag", past="end")


def fused(s: cc.Schedule) -> cc.Schedule:
    return pieces(s).fuse("ar.rs", "end", "ar.ag", name="fused")


def plain(s: cc.Schedule) -> cc.Schedule:
    return s


@dataclass(frozen=True)
class Case:
    """A program, what is done to it before the overlap, and what is overlapped.

    `exact` names the size of a dimension that a collective cuts or gathers, which divides by
    ranks and chunks if it is the one that is chunked.
    """

    make: Callable[[Sizes], cc.Program]
    before: Callable[[cc.Schedule], cc.Schedule]
    names: Sequence[str]
    dims: Sequence[int]
    exact: Mapping[int, str] = field(default_factory=dict)

    def schedule(self, chunks: int, dim: int, sizes: Sizes = OPEN) -> cc.Schedule:
        schedule = self.before(self.make(sizes).schedule())
        return schedule.overlap(*self.names, chunks=chunks, dim=dim, name="ol")

    def sizes(self, dim: int, ranks: int, chunks: int) -> dict[str, int]:
        exact = self.exact.get(dim)
        return SIZES | ({exact: 2 * ranks * chunks} if exact else {})

    def used(self, sizes: Mapping[str, int]) -> dict[str, int]:
        """Those that the program has."""
        dims = {name for port in self.make(OPEN).signature().arguments for name in port.dims}
        return {name: size for name, size in sizes.items() if name in dims}


EXPERTS = ("there", "turn", "mm", "back", "home")
CASES = {
    "MM+AR": Case(mm_ar, plain, ("mm", "ar"), (0, 1, 2)),
    "MM+AR+C": Case(mm_ar, plain, ("mm", "ar", "end"), (0, 1, 2)),
    "AR+C": Case(mm_ar, plain, ("ar", "end"), (0, 1, 2)),
    "MM+RS": Case(mm_rs, plain, ("mm", "rs"), (0, 1, 2), {1: "s"}),
    "AG+MM": Case(ag_mm, plain, ("ag", "mm"), (0, 1), {1: "s"}),
    "A2A+MM+A2A": Case(a2a_mm, plain, EXPERTS, (0, 1), {0: "g", 1: "e"}),
    "A2A+C+A2A": Case(
        exchange, plain, ("there", "turn", "back", "act", "home"), (0, 1, 2, 3), {0: "g", 1: "e"}
    ),
    "A2A+MM+A2A in places": Case(capacity, plain, ("there", "mm", "home"), (2,)),
    "MM+fuse(RS-C-AG)": Case(mm_ar, fused, ("mm", "fused"), (0, 1, 2), {1: "s"}),
    "RS+C+AG": Case(mm_ar, pieces, ("ar.rs", "end", "ar.ag"), (0, 1, 2), {1: "s"}),
    "MM+RS+C+AG": Case(mm_ar, pieces, ("mm", "ar.rs", "end", "ar.ag"), (0, 1, 2), {1: "s"}),
}
SIZES = {"b": 3, "s": 5, "k": 4, "h": 7, "g": 5, "e": 3, "c": 2}


def parameters() -> list[tuple[str, int]]:
    return [(name, dim) for name, each in CASES.items() for dim in each.dims]


# ===- Equivalence -------------------------------------------------------------===


@pytest.mark.parametrize(("name", "dim"), parameters())
def test_equal_in_the_field(name: str, dim: int) -> None:
    each = CASES[name]
    for chunks, ranks in ((2, 1), (3, 2), (2, 3), (4, 4), (2, 8)):
        with case(f"{chunks} chunks on {ranks} ranks"):
            sizes = each.used(each.sizes(dim, ranks, chunks))
            each.schedule(chunks, dim).verify(ranks=ranks, sizes=sizes)


def rank_program(program: cc.Program, ranks: int) -> str:
    module = bind(program, ranks=ranks).copy().module
    with module.context:
        PassManager.parse("builtin.module(coconet-lower-to-rank)").run(module.operation)
    return module.operation.get_asm(print_generic_op_form=True)


@pytest.mark.parametrize(("name", "dim"), parameters())
@pytest.mark.parametrize(("ranks", "chunks"), [(1, 2), (2, 3), (3, 2), (4, 2)])
def test_rank_programs_are_equal_in_the_field(name: str, dim: int, ranks: int, chunks: int) -> None:
    """With communication that completes as late as it can."""
    sizes = CASES[name].sizes(dim, ranks, chunks)
    base = bind(CASES[name].make(sizes), ranks=ranks).generic()
    text = rank_program(CASES[name].schedule(chunks, dim, sizes).program, ranks)
    assert text.count('"coconet.rank.start"') >= chunks
    report = equivalent(base, text)
    assert report, str(report)


@pytest.mark.parametrize(("name", "dim"), parameters())
def test_compiled(name: str, dim: int) -> None:
    each = CASES[name]
    base = each.make(OPEN)
    for ranks, chunks in ((1, 2), (2, 3), (3, 2), (4, 4), (8, 2)):
        with case(f"{chunks} chunks on {ranks} ranks"):
            pair = Pair(each.schedule(chunks, dim), ranks=ranks, base=base)
            sizes = each.sizes(dim, ranks, chunks)
            for _ in range(2):
                pair.check(sizes, terms=4 * ranks)
            pair.check(sizes | {"k": 0}, terms=4 * ranks)
            pair.executable.close()


@pytest.mark.parametrize("chunks", [2, 3, 7])
def test_static_sizes(chunks: int) -> None:
    """Chunks of known and of uneven sizes, of one element, and empty ones."""
    for rows in (0, 1, 2, 6, 7):
        program = mm_ar({"b": rows, "s": 3, "k": 4, "h": 5})
        schedule = program.schedule().overlap("mm", "ar", "end", chunks=chunks)
        with case(f"{rows} rows"):
            schedule.verify(ranks=2)
            Pair(schedule, ranks=2, base=program).check()


def test_a_gathered_dimension_that_does_not_divide() -> None:
    """Refused where sizes are known, found at run time where they are open."""
    exe = CASES["AG+MM"].schedule(3, 1).compile(ranks=2)
    x, w = np.ones((1, 4, 2), np.float32), np.ones((2, 2), np.float32)
    with pytest.raises(Exception, match="remainder of the size by 6, for 3 chunks of every slice"):
        exe(x=x, w=w)

    @cc.program(mesh=TP)
    def fixed(x: cc.sliced(8, 4, tp=0), w: cc.tensor((4, 4))):
        return cc.matmul(cc.all_gather(x, 0, name="ag"), w, name="mm")

    schedule = fixed.schedule().overlap("ag", "mm", chunks=2)
    schedule.verify(ranks=2)
    with pytest.raises(CompileError, match="does not divide into 2 chunks of each of 8 slices"):
        schedule.compile(ranks=8)


# ===- Dropout (case N13) ------------------------------------------------------===


@cc.program(mesh=TP)
def dropped(x: cc.sliced("s", "k", tp=1), w: cc.sliced("k", "h", tp=0), step: cc.tensor((), "i32")):
    total = cc.all_reduce(cc.matmul(x, w, name="mm"), name="ar")
    return cc.dropout(total, step=step, rate=0.5, seed=3, name="drop")


@pytest.mark.parametrize("chunks", [2, 4])
@pytest.mark.parametrize("dim", [0, 1])
def test_n13_chunks_drop_the_same_elements(chunks: int, dim: int) -> None:
    def cut() -> cc.Schedule:
        return dropped.schedule().split("ar", dim=dim).reorder("ar.ag", past="drop")

    schedules = [
        dropped.schedule().overlap("mm", "ar", "drop", chunks=chunks, dim=dim),
        cut().fuse("ar.rs", "drop", "ar.ag", name="f").overlap("mm", "f", chunks=chunks, dim=dim),
        cut().overlap("mm", "ar.rs", "drop", "ar.ag", chunks=chunks, dim=1 - dim),
    ]
    ones = {"x": np.ones((16, 8), np.float32), "w": np.ones((8, 16), np.float32)}
    masks = []
    for ranks in (1, 2, 4):
        for schedule in [dropped.schedule(), *schedules]:
            schedule.verify(ranks=ranks, sizes=16)
            result = schedule.compile(ranks=ranks)(step=np.int32(5), **ones)
            masks.append(np.asarray(next(iter(result.values()))))
    for mask in masks[1:]:
        np.testing.assert_array_equal(mask, masks[0])
    assert 0 < np.count_nonzero(masks[0]) < masks[0].size


def test_dropout_of_a_gathered_dimension_is_refused() -> None:
    @cc.program(mesh=TP)
    def program(x: cc.sliced("s", "h", tp=0), step: cc.tensor((), "i32")):
        return cc.dropout(cc.all_gather(x, 0, name="ag"), step=step, rate=0.5, seed=3, name="drop")

    schedule = program.schedule().overlap("ag", "drop", chunks=2)
    with pytest.raises(CompileError, match="drops elements of a gathered dimension chunk by chunk"):
        schedule.compile(ranks=2)


# ===- Beside (cases F01, L01) -------------------------------------------------===


@cc.program(mesh=TP)
def f01(a: cc.partial("n", "n", tp="sum"), b: cc.tensor(("n", "n"))):
    y = cc.all_reduce(a, name="y")
    z = cc.matmul(b, b, name="z")
    return cc.add(y, z, name="w")


@cc.program(mesh=cc.mesh(tp=2))
def l01(a: cc.local(2, 2, axes="tp")):
    s = cc.all_reduce(a, reduction="sum", axes="tp", name="s")
    c = cc.relu(a, name="c")
    return cc.add(cc.matmul(c, c, name="cc"), s, name="e")


def modelled_time(text: str, *, product: float, collective: float) -> float:
    """Time of a rank program where products and communication each take turns by themselves."""
    now = free = 0.0
    done: dict[str, float] = {}
    pattern = r'(?:(%\w+) = )?"coconet\.(?:rank\.)?(matmul|start|wait)"\((%\w+)?'
    for result, op, operand in re.findall(pattern, text):
        if op == "matmul":
            now += product
        elif op == "start":
            free = done[result] = max(now, free) + collective
        else:
            now = max(now, done[operand])
    return max(now, free)


def test_f01_modelled_time() -> None:
    beside = rank_program(f01.schedule().overlap("y", "z", "w", chunks=1).program, 2)
    assert modelled_time(beside, product=7, collective=5) == 7
    chunks = rank_program(CASES["MM+AR"].schedule(2, 0).program, 2)
    assert modelled_time(chunks, product=3, collective=2) == 8
    chunks = rank_program(CASES["AG+MM"].schedule(2, 0).program, 2)
    assert modelled_time(chunks, product=3, collective=2) == 8


def test_f01_independent_computation_lies_between_start_and_wait() -> None:
    schedule = f01.schedule().overlap("y", "z", "w", chunks=1)
    schedule.verify(ranks=3, sizes=5)
    text = rank_program(schedule.program, 2)
    order = [text.index(op) for op in ("rank.start", "coconet.matmul", "rank.wait", "coconet.add")]
    assert order == sorted(order)
    Pair(schedule, ranks=2, base=f01).check({"n": 6}, terms=6)


def test_f01_independent_computation_comes_in_by_itself() -> None:
    @cc.program(mesh=TP)
    def program(a: cc.partial("n", "n", tp="sum"), b: cc.tensor(("n", "n")), s: cc.state("n", "n")):
        early = cc.exp(b)
        y = cc.all_reduce(a, name="y")
        z = cc.matmul(b, b)
        cc.update(s, cc.add(y, early))
        w = cc.matmul(z, cc.tanh(b))
        return cc.add(y, z), cc.all_reduce(cc.matmul(w, a), name="last")

    schedule = program.schedule().overlap("y", chunks=1)
    text = rank_program(schedule.program, 2)
    start, wait = text.index("rank.start"), text.index("rank.wait")
    inside = [op for op in ("matmul", "tanh", "exp", "add") if f"coconet.{op}" in text[start:wait]]
    assert inside == ["matmul", "tanh", "exp"]
    assert text[start:wait].count("coconet.matmul") == 3
    schedule.verify(ranks=3, sizes=4)
    for size in (0, 1, 7):
        Pair(schedule, ranks=3, base=program).check({"n": size}, terms=20 * size)


def test_f01_what_is_no_tensor_stays_outside() -> None:
    @cc.program(mesh=TP)
    def program(a: cc.partial("n", tp="sum"), b: cc.tensor("n"), k: cc.tensor((), "i32")):
        w = cc.exp(b)
        y = cc.all_reduce(a, name="y")
        z = cc.loop(k, lambda _, q: cc.tanh(q) + w, y)
        return z, cc.cond(cc.compare("gt", k, 2), lambda: cc.tanh(y), lambda: y)

    schedule = program.schedule().overlap("y", chunks=1)
    text = rank_program(schedule.program, 2)
    assert "coconet.exp" in text[text.index("rank.start") : text.index("rank.wait")]
    Pair(schedule, ranks=2, base=program).check({"n": 6}, k=np.int32(3), terms=6)


def test_f01_a_collective_that_everything_needs_is_refused_alone() -> None:
    with pytest.raises(ScheduleError, match="alone: nothing would run beside it"):
        mm_ar().schedule().overlap("ar", chunks=1)


def test_l01_the_input_is_read_while_its_sum_is_under_way() -> None:
    schedule = l01.schedule().overlap("s", "c", "cc", "e", chunks=1)
    text = rank_program(schedule.program, 2)
    order = [text.index(op) for op in ("rank.start", "coconet.relu", "rank.wait", "coconet.add")]
    assert order == sorted(order)
    a = np.array([[[1, -1], [2, 0]], [[3, 1], [0, -2]]], np.float32)
    exe = schedule.compile()
    for _ in range(3):
        (e,) = exe(a=a).values()
        np.testing.assert_array_equal(e, [[[5, 0], [4, -2]], [[13, 3], [2, -2]]])


def test_dependent_ops_in_one_chunk_are_refused() -> None:
    with pytest.raises(ScheduleError, match="every op waits for the collectives"):
        mm_ar().schedule().overlap("mm", "ar", chunks=1)


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_vectors_of_open_size(ranks):
    @cc.program(mesh=cc.mesh(dp="?"))
    def step(g: cc.partial("n", dp="sum"), p: cc.tensor("n")):
        average = cc.all_reduce(g, name="avg")
        with cc.named("opt"):
            return {"y": 2.0 * average + p}

    schedule = step.schedule().overlap("avg", "opt", chunks=2)
    pair = Pair(schedule, ranks=ranks, base=step)
    for size in (0, 1, 5, 17, 130):
        pair.check(size, terms=ranks)
