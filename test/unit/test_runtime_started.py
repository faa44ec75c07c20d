"""The run time's start and wait, driven by hand-written C programs."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from coconet_mlir._runtime import CollectiveError, World
from test_runtime import Script, addresses, entry, programs, site

__all__ = ["programs"]

GROUP = "axes 2:1"


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 8])
@pytest.mark.parametrize("slow", [None, 0, -1])
def test_started_all_reduces(programs: ctypes.CDLL, ranks: int, slow: int | None) -> None:
    """Case L01: three chunks, two of them under way, one rank slowed."""
    n = 100
    inputs = np.random.default_rng(0).normal(size=(ranks, 3 * n))
    buffers = inputs.copy()
    outputs = np.zeros_like(inputs)
    names = [site(f"axes {ranks}:1", name=f"chunk {i}").value for i in range(3)]
    sites = (ctypes.c_char_p * 3)(*names)
    where, count = ctypes.c_void_p(ctypes.addressof(sites)), ctypes.c_int64(n)
    rows, keep = [], []
    for rank in range(ranks):
        held = [ctypes.c_void_p(a[rank].ctypes.data) for a in (buffers, outputs)]
        late = ctypes.c_int64(slow is not None and rank == slow % ranks)
        keep.append((held, late))
        rows.append(addresses(where, *held, count, late))
    with World(ranks, timeout=5) as world:
        world.run(entry(programs, "pipeline"), rows, repeat=5)
    total = sum(32 * inputs[rank] for rank in range(ranks))
    for rank in range(ranks):
        np.testing.assert_allclose(outputs[rank], total)


def test_others_meet_between_start_and_wait(programs: ctypes.CDLL) -> None:
    sites = [site(GROUP, name=name) for name in ("a", "b", "c")]
    script = Script(programs, sites)
    with World(2, timeout=0.3) as world:
        script.run(world, ">0 *1 >2 <0 -0 *1 <2 -2", ">0 z20 *1 >2 <0 -0 *1 <2 -2", repeat=20)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (">0 >0", ">0", "'a' started twice by rank 0; wait for it first"),
        ("<0", "", "'a' waited for by rank 0, which has not started it; start it first"),
        (">0 <0 <0", ">0 <0", "'a' waited for by rank 0, which has not started it"),
        (">0 -0", ">0", "'a' left by rank 0, which is not inside"),
        (">0 <0", "", "rank 1 has finished without arriving at all_reduce 'a'"),
        (">0 <0", "z150 >0 <0", "rank 1 did not arrive at all_reduce 'a' within 0.1 s"),
        (">0 <0 -0", ">0 z150 <0 -0", "rank 1 did not arrive at the end of all_reduce 'a'"),
    ],
)
def test_errors_name_rank_and_site(
    programs: ctypes.CDLL, first: str, second: str, message: str
) -> None:
    script = Script(programs, [site(GROUP, name="a")])
    with World(2, timeout=0.1) as world:
        with pytest.raises(CollectiveError) as error:
            script.run(world, first, second)
        assert message in str(error.value)
        script.run(world, ">0 <0 -0", ">0 <0 -0", repeat=3)


def shared(name: str, kind: str = "all_reduce", group: str = "groups 0,1") -> ctypes.c_char_p:
    return site(f"shared {kind} {group}", name=name)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("*0 *1", "*2 *2"),  # a loop on one side
        (">0 <0 -0 *1", "*2 >3 z20 <3 -3"),  # started on one side, entered on the other
        (">0 >1 <0 -0 <1 -1", ">2 >3 <2 -2 <3 -3"),  # both under way
        (">0 >1 <1 <0 -0 -1", "z20 >3 >2 <2 <3 -3 -2"),
    ],
)
def test_nth_starts_of_functions_meet(programs: ctypes.CDLL, first: str, second: str) -> None:
    """Ranks run different functions, whose sites have different names."""
    script = Script(programs, [shared(name) for name in "abcd"])
    with World(2, timeout=2) as world:
        for _ in range(3):
            script.run(world, first, second, repeat=20)


def test_sequences_of_kinds_and_groups_are_apart(programs: ctypes.CDLL) -> None:
    """Case D02: three ranks in groups of two, in orders that fit one of all."""
    names = {"01": "groups 0,1 2", "12": "groups 0 1,2", "02": "groups 0,2 1"}
    sites = [shared(name, group=group) for name, group in names.items()]
    sites += [shared("x", "broadcast", "groups 0,1 2")]
    script = Script(programs, sites)
    with World(3, timeout=2) as world:
        script.run(world, "*0 *2", "*0 *1", "*1 *2", repeat=300)
        script.run(world, ">3 *0 <3 -3", ">3 *0 <3 -3", "", repeat=300)
        with pytest.raises(CollectiveError, match="deadlock: rank . waits at all_reduce"):
            script.run(world, "*0 *2", "*1 *0", "*2 *1")
        with pytest.raises(CollectiveError, match="deadlock: rank . waits at"):
            script.run(world, "*0 *3", "*3 *0", "")
        script.run(world, "*0 *2", "*0 *1", "*1 *2", repeat=300)


def test_too_many_under_way_are_refused(programs: ctypes.CDLL) -> None:
    sites = [shared(f"s{i}") for i in range(300)]
    script = Script(programs, sites)
    starts = " ".join(f">{i}" for i in range(300))
    waits = " ".join(f"<{i} -{i}" for i in range(300))
    with World(2, timeout=2) as world:
        with pytest.raises(CollectiveError, match="while 256 others of its kind and group are"):
            script.run(world, f"{starts} {waits}", f"{starts} {waits}")
        some = " ".join(f">{i}" for i in range(250)) + " "
        some += " ".join(f"<{i} -{i}" for i in range(250))
        script.run(world, some, some, repeat=3)
