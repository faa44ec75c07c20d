"""Rank programs: one function, run by every rank on its own plain tensors.

Each rank is a coroutine that stops at communication; a scheduler completes an
exchange when all members of its group have arrived. Ranks share nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.ir import Block, Operation, SSAValue

from coconet_mlir.interpreter.communication import COLLECTIVES, collective_kind, group_lists
from coconet_mlir.interpreter.degrees import Degrees
from coconet_mlir.interpreter.distributed import Machine
from coconet_mlir.interpreter.domain import (
    INTEGER_DTYPES,
    Array,
    Domain,
    InterpretationError,
    is_float,
)
from coconet_mlir.interpreter.layouts import REPLICATED, Mesh
from coconet_mlir.interpreter.types import (
    given_name,
    integers,
    op_name,
    required,
    tensor_info,
    text_of,
)
from coconet_mlir.interpreter.under_way import Awaited, Started, UnderWay, describe, reads
from coconet_mlir.interpreter.values import Value

Locals = dict[SSAValue, Array]


@dataclass(frozen=True)
class Arrival:
    """A rank has reached a collective, or one end of a channel, and waits for its group.

    Attributes:
        members: numbers of ranks of the whole program, by position.
        channel: its name; sender and receiver, the two members, arrive with ops of their own.
    """

    op: Operation
    members: tuple[int, ...]
    array: Array
    channel: str = ""

    def meets(self, other: Arrival | None) -> bool:
        """Whether the other one has arrived at the same place."""
        if other is None or other.members != self.members:
            return False
        return other.channel == self.channel if self.channel else other.op is self.op


Course = Generator[Arrival | Started | Awaited, Any, list[Array]]


class RankMachine:
    """Runs a rank function on all ranks of a mesh.

    `ranks` are their numbers in the whole program, where it has other functions too.
    """

    def __init__(
        self,
        mesh: Mesh,
        domain: Domain,
        degrees: Degrees | None = None,
        ranks: Sequence[int] | None = None,
    ) -> None:
        self.mesh = mesh
        self.ranks = range(mesh.ranks) if ranks is None else ranks
        self.domain = domain
        self.degrees = degrees
        self.updates: list[dict[SSAValue, Array]] = [{} for _ in range(mesh.ranks)]
        self.started: list[list[Operation]] = [[] for _ in range(mesh.ranks)]
        # Runs the ops that rank programs share with distributed ones.
        self.alone = Machine(Mesh((), ()), domain)

    def run(self, block: Block, arguments: Sequence[Sequence[Array]]) -> list[list[Array]]:
        """Results per rank; `arguments[r]` are those of rank r."""
        courses = self.courses(block, arguments)
        finished = schedule(courses, self.domain)
        return [finished[rank] for rank in courses]

    def courses(self, block: Block, arguments: Sequence[Sequence[Array]]) -> dict[int, Course]:
        """The courses of these ranks, ready to be scheduled."""
        return {
            self.ranks[rank]: self.run_block(block, dict(zip(block.args, own, strict=True)), rank)
            for rank, own in enumerate(arguments)
        }

    def run_block(self, block: Block, env: Locals, rank: int) -> Course:
        """A course through a block; its value are the terminator's operands."""
        for op in block.ops:
            name = op_name(op)
            operands = [env[operand] for operand in op.operands]
            if name in ("func.return", "coconet.yield", "scf.yield"):
                return operands
            try:
                results = yield from self._run_op(op, name, operands, env, rank)
            except InterpretationError as error:
                if op.regions:
                    raise
                label = given_name(op)
                shown = f'{name} "{label}"' if label else name
                raise InterpretationError(f"{shown} on rank {rank}: {error}") from error
            env.update(zip(op.results, results, strict=True))
            if self.degrees is not None and rank == 0:
                self.degrees.step(
                    op,
                    name,
                    [a.size * self.mesh.ranks for a in operands],
                    [a.size * self.mesh.ranks for a in results],
                    self.mesh.ranks,
                )
        raise InterpretationError("a block has no terminator")

    def _run_op(
        self, op: Operation, name: str, operands: list[Array], env: Locals, rank: int
    ) -> Generator[Arrival, Array, list[Array]]:
        from coconet_mlir.interpreter.rank_ops import CONTROL, OPS

        if name in CONTROL:
            return (yield from CONTROL[name](self, op, operands, env, rank))
        if name in OPS:
            return [np.asarray(OPS[name](self, op, operands, rank))]
        if name in ("coconet.rank.send", "coconet.rank.recv"):
            return (yield from self._run_channel(op, name, operands, rank))
        if name == "coconet.rank.barrier":
            yield self._arrive(op, [np.empty(0)], rank)
            return []
        if name.startswith("coconet.rank."):
            received = yield self._arrive(op, operands, rank)
            assert received is not None
            return [received]
        if name == "coconet.update":
            for started in self.started[rank]:
                if reads(started, op.operands[0]):
                    raise InterpretationError(
                        f"overwrites what {describe(started)}, which is under way, still reads; "
                        "wait for it first"
                    )
            self.updates[rank][op.operands[0]] = operands[1]
            return [operands[1]]
        return self._plain(op, name, operands)

    def _arrive(self, op: Operation, operands: list[Array], rank: int) -> Arrival:
        if collective_kind(op_name(op)) is None:
            raise InterpretationError("this op is not part of rank programs")
        for members in group_lists(op, self.mesh):
            if rank in members:
                numbers = tuple(self.ranks[member] for member in members)
                return Arrival(op, numbers, operands[0])
        raise InterpretationError(f"rank {rank} is in no group")

    def _run_channel(
        self, op: Operation, name: str, operands: list[Array], rank: int
    ) -> Generator[Arrival, Array | None, list[Array]]:
        """Wait for one's counterpart, and take what it sends."""
        sends = name == "coconet.rank.send"
        pairs = zip(integers(op, "senders"), integers(op, "receivers"), strict=True)
        mine = [pair for pair in pairs if pair[0 if sends else 1] == self.ranks[rank]]
        if not mine:
            raise InterpretationError(f"rank {rank} is at no end of the channel")
        brought = operands[0] if sends else np.empty(0)
        channel = text_of(required(op, "channel"))
        received = yield Arrival(op, mine[0], brought, channel)
        if sends:
            return []
        assert received is not None
        sizes = iter(operands)
        declared = tensor_info(op.results[0].type).shape
        shape = tuple(int(next(sizes)) if size < 0 else size for size in declared)
        if received.shape != shape:
            raise InterpretationError(
                f"shape {list(received.shape)} is sent where {list(shape)} is received"
            )
        return [received]

    def _plain(self, op: Operation, name: str, operands: list[Array]) -> list[Array]:
        """An op of distributed programs on plain tensors: the same with one rank."""
        values = [
            Value([array], array.shape, tensor_info(o.type).element, REPLICATED)
            for o, array in zip(op.operands, operands, strict=True)
        ]
        return [result.shards[0] for result in self.alone.run_op(op, name, values, {})]

    def poison(self, op: Operation, shape: tuple[int, ...], element: str, rank: int) -> Array:
        """Contents of memory that nobody has written."""
        if not is_float(element):
            return np.ones(shape, dtype=INTEGER_DTYPES[element])
        nothing = self.domain.constant(np.asarray(np.nan))
        if nothing.dtype == np.float64:
            return np.full(shape, nothing)
        generator = np.random.default_rng([rank, len(shape), *shape])
        return self.domain.random(generator, shape)


def schedule(
    courses: Mapping[int, Course], domain: Domain, seed: int = 0
) -> dict[int, list[Array]]:
    """Run all ranks to their ends; what each returns.

    `seed` decides in which order communication under way completes.
    """
    finished: dict[int, list[Array]] = {}
    waiting: dict[int, Arrival] = {}
    under_way = UnderWay(seed)

    def exchange(arrivals: dict[int, Arrival]) -> list[tuple[int, Array | None]]:
        return _exchange(arrivals, domain)

    ready: list[tuple[int, Any]] = [(rank, None) for rank in courses]
    while ready:
        for rank, received in ready:
            try:
                step = courses[rank].send(received)
                while isinstance(step, Started):
                    under_way.start(rank, step)
                    step = courses[rank].send(None)
            except StopIteration as stop:
                under_way.finish(rank)
                finished[rank] = stop.value
                continue
            if isinstance(step, Awaited):
                under_way.park(rank, step)
            else:
                waiting[rank] = step
        ready = exchange(waiting) or under_way.advance(exchange, waiting)
    if waiting or under_way.parked:
        raise InterpretationError(_stuck(waiting, finished, under_way))
    return finished


def _exchange(waiting: dict[int, Arrival], domain: Domain) -> list[tuple[int, Array | None]]:
    """Complete all groups that are present; the ranks that may go on."""
    released: list[tuple[int, Array | None]] = []
    for rank in sorted(waiting):
        if rank not in waiting:
            continue
        arrival = waiting[rank]
        present = [waiting.get(member) for member in arrival.members]
        if not all(arrival.meets(other) for other in present):
            continue
        arrays = [other.array for other in present if other is not None]
        parts = _parts(arrival, arrays, domain)
        for member, part in zip(arrival.members, parts, strict=True):
            del waiting[member]
            released.append((member, part))
    return released


def _parts(arrival: Arrival, arrays: list[Array], domain: Domain) -> Sequence[Array | None]:
    """What each member receives."""
    if arrival.channel:
        return [None, arrays[0]]
    kind = collective_kind(op_name(arrival.op)) or ""
    if kind == "barrier":
        return arrays
    element = tensor_info(arrival.op.operands[0].type).element
    return COLLECTIVES[kind](domain, arrival.op, arrays, element)


def _stuck(
    waiting: dict[int, Arrival], finished: dict[int, list[Array]], under_way: UnderWay
) -> str:
    parts = under_way.stuck()
    for rank, arrival in sorted(waiting.items()):
        label = arrival.channel or given_name(arrival.op)
        shown = f' "{label}"' if label else ""
        parts.append(f"rank {rank} waits in {op_name(arrival.op)}{shown}")
    parts += [f"rank {rank} has returned" for rank in sorted(finished)]
    return "a collective is never completed: " + ", ".join(parts)


Handler = Callable[[RankMachine, Operation, list[Array], int], Array]
