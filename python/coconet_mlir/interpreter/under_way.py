"""Communication that ranks have started and not waited for: it completes late, in any order.

The adversary of rank programs: nothing that was started goes on until no rank can do anything
else, and then one of the things under way does, chosen by a seed. What it reads, it reads then.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.ir import Operation, SSAValue

from coconet_mlir.interpreter.domain import Array, InterpretationError
from coconet_mlir.interpreter.types import given_name, op_name, required, text_of

_VIEWS = (
    "tensor.extract_slice",
    "tensor.cast",
    "tensor.collapse_shape",
    "tensor.expand_shape",
    "coconet.rank.reshape",
    "coconet.rank.shard",
)


@dataclass(frozen=True)
class Started:
    """A rank has started the body of `op` and goes on."""

    op: Operation
    course: Generator[Any, Any, list[Array]]


@dataclass(frozen=True)
class Awaited:
    """A rank waits for what `op` has started."""

    op: Operation


Exchange = Callable[[dict[int, Any]], list[tuple[int, Array | None]]]


@dataclass
class _Lane:
    """What the ranks have made of one start."""

    courses: dict[int, Generator[Any, Any, list[Array]]] = field(default_factory=dict)
    fresh: list[int] = field(default_factory=list)
    arrivals: dict[int, Any] = field(default_factory=dict)
    results: dict[int, list[Array]] = field(default_factory=dict)


class UnderWay:
    """The lanes of all ranks, by the op that started them, or by the channel."""

    def __init__(self, seed: int = 0) -> None:
        self.lanes: dict[Operation | str, _Lane] = {}
        self.parked: dict[int, Operation] = {}
        self.random = np.random.default_rng(seed)

    def _lane(self, op: Operation) -> _Lane:
        return self.lanes.setdefault(_channel(op) or op, _Lane())

    def start(self, rank: int, started: Started) -> None:
        """Note what a rank has started."""
        lane = self._lane(started.op)
        if rank in lane.courses:
            raise InterpretationError(
                f"{describe(started.op)} is started again on rank {rank} before it was waited for"
            )
        lane.courses[rank] = started.course
        lane.fresh.append(rank)

    def park(self, rank: int, awaited: Awaited) -> None:
        """A rank does nothing until what it has started is done."""
        if rank not in self._lane(awaited.op).courses:
            raise InterpretationError(
                f"{describe(awaited.op)} is waited for on rank {rank}, where it is not under way"
            )
        self.parked[rank] = awaited.op

    def finish(self, rank: int) -> None:
        """A rank has returned: nothing of it may be under way."""
        for key, lane in self.lanes.items():
            if rank in lane.courses:
                what = key if isinstance(key, str) else describe(key)
                raise InterpretationError(f"{what} is started on rank {rank} and never waited for")

    def advance(self, exchange: Exchange, waiting: dict[int, Any]) -> list[tuple[int, Any]]:
        """Let lanes go on until a rank may; those ranks, with what they waited for.

        `waiting` are ranks that communicate without having started anything: with one of them
        another rank may have started to.
        """
        lanes = list(self.lanes.values())
        for index in self.random.permutation(len(lanes)):
            met = self._move(lanes[index], exchange, waiting)
            released = [rank for rank, op in self.parked.items() if rank in self._lane(op).results]
            if released or met:
                return met + [(rank, self._take(rank)) for rank in released]
        return []

    def _take(self, rank: int) -> list[Array]:
        lane = self._lane(self.parked.pop(rank))
        del lane.courses[rank]
        return lane.results.pop(rank)

    def _move(
        self, lane: _Lane, exchange: Exchange, waiting: dict[int, Any]
    ) -> list[tuple[int, Any]]:
        """Let what was started go on; the waiting ranks that some of it has met."""
        ready: list[tuple[int, Array | None]] = [(rank, None) for rank in lane.fresh]
        lane.fresh.clear()
        met: list[tuple[int, Any]] = []
        while ready:
            for rank, received in ready:
                try:
                    lane.arrivals[rank] = lane.courses[rank].send(received)
                except StopIteration as stop:
                    lane.results[rank] = stop.value
            ready = exchange(lane.arrivals)
            if not ready and any(arrival.channel for arrival in lane.arrivals.values()):
                present = waiting | lane.arrivals
                released = exchange(present)
                ready = [each for each in released if each[0] in lane.arrivals]
                met += [each for each in released if each[0] not in lane.arrivals]
                for rank, _ in released:
                    (lane.arrivals if rank in lane.arrivals else waiting).pop(rank)
        return met

    def stuck(self) -> list[str]:
        """What the ranks that wait are waiting for."""
        return [f"rank {rank} waits for {describe(op)}" for rank, op in sorted(self.parked.items())]


def _channel(op: Operation) -> str | None:
    """The channel of what is started, which two ops start; None of a collective."""
    for inner in op.regions[0].walk():
        if op_name(inner) in ("coconet.rank.send", "coconet.rank.recv"):
            return f"channel '{text_of(required(inner, 'channel'))}'"
    return None


def describe(op: Operation) -> str:
    """The communication in a start, by kind and name."""
    inner = op.regions[0].blocks[0].first_op
    assert inner is not None
    label = given_name(inner)
    return f'{op_name(inner)} "{label}"' if label else op_name(inner)


def reads(op: Operation, state: SSAValue) -> bool:
    """Whether what `op` starts reads the state, or a view of it."""
    return any(
        _origin(operand) is state for inner in op.regions[0].walk() for operand in inner.operands
    )


def _origin(value: SSAValue) -> SSAValue:
    owner = value.owner
    while isinstance(owner, Operation) and op_name(owner) in _VIEWS:
        value = owner.operands[0]
        owner = value.owner
    return value
