"""Programs of unlike ranks: several functions, joined by channels, that run side by side."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from coconet_mlir.interpreter.domain import InterpretationError
from coconet_mlir.interpreter.layouts import Mesh
from coconet_mlir.interpreter.program import Port, Program, load, qualified, stage_names
from coconet_mlir.interpreter.types import attribute_of, bind_mesh, integers
from coconet_mlir.interpreter.values import Value
from coconet_mlir.mirror import parse


@dataclass(frozen=True)
class Stage:
    """A function, its mesh, and the numbers of its ranks in the whole program."""

    program: Program
    mesh: Mesh
    ranks: Sequence[int]


@dataclass(frozen=True)
class Whole:
    """All functions of a program; mostly one. Ports are those of all, with names of their own."""

    stages: tuple[Stage, ...]
    arguments: tuple[Port, ...] = field(init=False)
    results: tuple[Port, ...] = field(init=False)
    argument_meshes: tuple[Mesh, ...] = field(init=False)
    result_meshes: tuple[Mesh, ...] = field(init=False)

    def __post_init__(self) -> None:
        for kind, meshes in (("arguments", "argument_meshes"), ("results", "result_meshes")):
            own = [getattr(stage.program, kind) for stage in self.stages]
            names = [stage.program.name for stage in self.stages]
            object.__setattr__(self, kind, qualified(names, own))
            held = [s.mesh for s, ports in zip(self.stages, own, strict=True) for _ in ports]
            object.__setattr__(self, meshes, tuple(held))

    @property
    def ranks(self) -> int:
        """Number of ranks of all stages."""
        return sum(stage.mesh.ranks for stage in self.stages)

    @property
    def block_arguments(self) -> list:
        """The values that stand for the arguments."""
        return [value for stage in self.stages for value in stage.program.block.args]

    @property
    def returned(self) -> list:
        """The values that stand for the results."""
        ends = [stage.program.block.last_op for stage in self.stages]
        return [value for end in ends if end is not None for value in end.operands]


def load_whole(
    source: str | ModuleOp,
    mesh: Mapping[str, int] | None,
    ranks: int | None,
    function: str | None,
    *,
    spread: bool = True,
) -> Whole:
    """All functions with ranks of their own; without them the one function that is meant.

    One that names no mesh runs on that of `mesh` if `spread`, else on one rank.
    """
    module = parse(source) if isinstance(source, str) else source
    names = stage_names(module) if function is None else []
    programs = [load(module, function=name) for name in names or [function]]
    stages: list[Stage] = []
    for program in programs:
        given = mesh
        if mesh is not None and program.mesh is not None and len(programs) > 1:
            own = [axis.data for axis in program.mesh.axes]
            given = {axis: size for axis, size in mesh.items() if axis in own}
        if program.mesh is None and not spread:
            bound = Mesh((), ())
        else:
            bound = bind_mesh(program.mesh, given, ranks)
        stages.append(Stage(program, bound, _ranks(program, bound, stages)))
    return Whole(tuple(stages))


def _ranks(program: Program, mesh: Mesh, before: Sequence[Stage]) -> Sequence[int]:
    if attribute_of(program.function, "coconet.ranks") is None:
        first = sum(stage.mesh.ranks for stage in before)
        return range(first, first + mesh.ranks)
    ranks = tuple(integers(program.function, "coconet.ranks"))
    if len(ranks) != mesh.ranks:
        raise InterpretationError(
            f"@{program.name} lists {len(ranks)} ranks for a mesh of {mesh.ranks}"
        )
    return ranks


class Abandoned(Exception):
    """Another stage has failed."""


class Exchange:
    """Lets stages of distributed programs take turns, and values pass between them.

    Each stage runs on a thread, of which one at a time holds the turn: a thread gives it away only
    where its stage waits at a channel. A send is complete when its value has been taken.
    """

    def __init__(self) -> None:
        self.turn = threading.Condition()
        self.sent: dict[str, tuple[Value, Operation]] = {}
        self.waiting: dict[str, tuple[Callable[[], bool], str]] = {}
        self.running: set[str] = set()
        self.finished: set[str] = set()
        self.error: BaseException | None = None

    def run(self, stages: Mapping[str, Callable[[], None]]) -> None:
        """Run all stages to their ends; raises the first error of any."""
        self.running = set(stages)
        threads = []
        for name, body in stages.items():
            context = contextvars.copy_context()
            target = (self._run_stage, name, body)
            threads.append(threading.Thread(target=context.run, args=target, daemon=True))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self.error is not None:
            raise self.error

    def _run_stage(self, name: str, body: Callable[[], None]) -> None:
        with self.turn:
            try:
                if self.error is None:
                    body()
            except Abandoned:
                pass
            except BaseException as error:
                self.error = self.error or error
            self.running.discard(name)
            self.finished.add(name)
            self._check_progress()
            self.turn.notify_all()

    def wait(self, stage: str, what: str, ready: Callable[[], bool]) -> None:
        """Give the turn away until `ready()`."""
        self.waiting[stage] = (ready, what)
        self._check_progress()
        self.turn.notify_all()
        self.turn.wait_for(lambda: self.error is not None or ready())
        del self.waiting[stage]
        if self.error is not None:
            raise Abandoned

    def _check_progress(self) -> None:
        """Where all wait and none can go on, none ever will."""
        if self.error is not None or not self.running:
            return
        if any(name not in self.waiting or self.waiting[name][0]() for name in self.running):
            return
        parts = [f"@{name} waits in {what}" for name, (_, what) in sorted(self.waiting.items())]
        parts += [f"@{name} has returned" for name in sorted(self.finished)]
        self.error = InterpretationError("a channel is never completed: " + ", ".join(parts))


@dataclass(frozen=True)
class Ends:
    """The channels as one stage sees them."""

    exchange: Exchange
    stage: str

    def send(self, channel: str, value: Value, op: Operation) -> None:
        """Give a value, and wait until it is taken."""
        held = self.exchange.sent
        if channel in held:
            raise InterpretationError(f"channel '{channel}' is sent to by two ops")
        held[channel] = (value, op)
        self.exchange.wait(self.stage, f'send "{channel}"', lambda: channel not in held)

    def receive(self, channel: str) -> tuple[Value, Operation]:
        """Take a value, and the op that sent it."""
        held = self.exchange.sent
        self.exchange.wait(self.stage, f'recv "{channel}"', lambda: channel in held)
        return held.pop(channel)
