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
from coconet_mlir.interpreter.types import given_name, op_name

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
    """The lanes of all ranks, by the op that started them."""

    def __init__(self, seed: int = 0) -> None:
        self.lanes: dict[Operation, _Lane] = {}
        self.parked: dict[int, Operation] = {}
        self.random = np.random.default_rng(seed)

    def start(self, rank: int, started: Started) -> None:
        """Note what a rank has started."""
        lane = self.lanes.setdefault(started.op, _Lane())
        if rank in lane.courses:
            raise InterpretationError(
                f"{describe(started.op)} is started again on rank {rank} before it was waited for"
            )
        lane.courses[rank] = started.course
        lane.fresh.append(rank)

    def park(self, rank: int, awaited: Awaited) -> None:
        """A rank does nothing until what it has started is done."""
        if rank not in self.lanes.setdefault(awaited.op, _Lane()).courses:
            raise InterpretationError(
                f"{describe(awaited.op)} is waited for on rank {rank}, where it is not under way"
            )
        self.parked[rank] = awaited.op

    def finish(self, rank: int) -> None:
        """A rank has returned: nothing of it may be under way."""
        for op, lane in self.lanes.items():
            if rank in lane.courses:
                raise InterpretationError(
                    f"{describe(op)} is started on rank {rank} and never waited for"
                )

    def advance(self, exchange: Exchange) -> list[tuple[int, list[Array]]]:
        """Let lanes go on until a rank may; those ranks, with what they waited for."""
        lanes = list(self.lanes.values())
        for index in self.random.permutation(len(lanes)):
            self._move(lanes[index], exchange)
            released = [rank for rank, op in self.parked.items() if rank in self.lanes[op].results]
            if released:
                return [(rank, self._take(rank)) for rank in released]
        return []

    def _take(self, rank: int) -> list[Array]:
        lane = self.lanes[self.parked.pop(rank)]
        del lane.courses[rank]
        return lane.results.pop(rank)

    def _move(self, lane: _Lane, exchange: Exchange) -> None:
        ready: list[tuple[int, Array | None]] = [(rank, None) for rank in lane.fresh]
        lane.fresh.clear()
        while ready:
            for rank, received in ready:
                try:
                    lane.arrivals[rank] = lane.courses[rank].send(received)
                except StopIteration as stop:
                    lane.results[rank] = stop.value
            ready = exchange(lane.arrivals)

    def stuck(self) -> list[str]:
        """What the ranks that wait are waiting for."""
        return [f"rank {rank} waits for {describe(op)}" for rank, op in sorted(self.parked.items())]


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
