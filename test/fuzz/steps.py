"""The transformations of random schedules, a line for each in `STEPS`.

An entry proposes a step on the program as it is now, or nothing where none fits. Most proposals
have a chance to be accepted; some are wild, to see them refused.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import coconet_mlir as cc
from coconet_mlir import ir

_WILD = 0.07


@dataclass(frozen=True)
class Step:
    """A method of a schedule, and what it is given."""

    method: str
    operands: tuple[Any, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        words = [*map(repr, self.operands), *(f"{k}={v!r}" for k, v in self.options.items())]
        return f".{self.method}({', '.join(words)})"

    def apply(self, schedule: cc.Schedule) -> None:
        """Add the step.

        Raises:
            coconet_mlir.ScheduleError: it is refused.
        """
        getattr(schedule, self.method)(*self.operands, **self.options)


@dataclass
class Node:
    """An operation of the program: its kind and name, and the names of those that use it."""

    kind: str
    name: str
    rank: int
    users: list[str]
    producers: list[str]


class View:
    """What a proposal may look at: the operations of a program, and chance."""

    def __init__(self, rng: random.Random, program: cc.Program) -> None:
        self.rng = rng
        self.nodes: list[Node] = []
        program.function_op().operation.walk(self._visit)
        signature = program.signature()
        block = program.function_op().operation.regions[0].blocks[0]
        self.states: dict[str, list[str]] = {}
        """Names of what uses each state."""
        self.cut_states: list[str] = []
        """Those of which only slices are used."""
        for port, value in zip(signature.arguments, block.arguments, strict=True):
            if port.state:
                self.states[port.name] = _distinct([_name(use.owner) for use in value.uses])
                kinds = {use.owner.name for use in value.uses}
                if "coconet.shard" in kinds and kinds <= {"coconet.shard", "coconet.update"}:
                    self.cut_states.append(port.name)

    def _visit(self, op: ir.Operation) -> ir.WalkResult:
        name = op.attributes["coconet.name"].value if "coconet.name" in op.attributes else ""
        kind = op.name.removeprefix("coconet.")
        if len(op.results):
            type_ = op.results[0].type
            rank = type_.rank if isinstance(type_, ir.RankedTensorType) else 0
            users = [_name(use.owner) for value in op.results for use in value.uses]
            producers = [
                _name(value.owner) for value in op.operands if isinstance(value, ir.OpResult)
            ]
            self.nodes.append(Node(kind, name, rank, _distinct(users), _distinct(producers)))
        return ir.WalkResult.ADVANCE

    def chance(self, probability: float) -> bool:
        """A coin."""
        return self.rng.random() < probability

    @property
    def names(self) -> list[str]:
        """All names, in order."""
        return _distinct([node.name for node in self.nodes])

    def node(self, *kinds: str) -> Node | None:
        """A named operation of one of these kinds; now and then any one."""
        wild = self.chance(_WILD)
        found = [n for n in self.nodes if n.name and (wild or n.kind in kinds)]
        return self.rng.choice(found) if found else None

    def some(self, names: list[str], least: int = 1) -> list[str]:
        """Some of the names; now and then others."""
        pool = self.names if self.chance(_WILD) else names
        if self.chance(0.03):
            pool = [*pool, "missing"]
        if len(pool) < least:
            return []
        return self.rng.sample(pool, self.rng.randint(least, min(len(pool), 4)))

    def dim(self, rank: int) -> int | str:
        """A dimension, or "flat"; now and then one that is not there."""
        if self.chance(0.15) or rank == 0:
            return "flat"
        return self.rng.randrange(rank + (1 if self.chance(0.1) else 0))


def _name(owner: Any) -> str:
    attributes = owner.operation.attributes
    return attributes["coconet.name"].value if "coconet.name" in attributes else ""


def _distinct(names: list[str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if name]


Proposal = Callable[[View], Step | list[Step] | None]


def split(view: View) -> Step | None:
    node = view.node("all_reduce")
    return Step("split", (node.name,), {"dim": view.dim(node.rank)}) if node else None


def split_otherwise(view: View) -> Step | None:
    """By way of a root, or in levels."""
    node = view.node("all_reduce")
    if node is None:
        return None
    if view.chance(0.6):
        root = view.rng.choice([0, 0, 1, 2])
        return Step("split", (node.name, "reduce_broadcast"), {"root": root})
    levels = ["dp", "tp"]
    view.rng.shuffle(levels)
    options = {"dim": view.dim(node.rank), "inner": levels[0], "outer": levels[1]}
    return Step("split", (node.name, "hierarchical"), options)


def merge(view: View) -> Step | None:
    node = view.node("reduce_scatter")
    if node is None:
        return None
    if node.name.endswith(".rs") and node.users != [node.name.removesuffix(".rs") + ".ag"]:
        return None if view.chance(0.8) else Step("merge", (node.name,))
    gathers = [n.name for n in view.nodes if n.kind == "all_gather" and n.name]
    if gathers and not node.name.endswith(".rs"):
        return Step("merge", (node.name, view.rng.choice(gathers)))
    return Step("merge", (node.name,))


def reorder(view: View) -> Step | None:
    node = view.node("all_gather")
    if node is None:
        return None
    past = view.some([name for name in node.users if name.startswith("g")])
    # Computations that use what the first one gives.
    while past and view.chance(0.3):
        past = _distinct([*past, *(n.name for n in view.nodes if set(n.producers) & set(past))])
    return Step("reorder", (node.name,), {"past": past}) if past else None


def as_slice(view: View) -> Step | None:
    known = list(view.states) if view.chance(_WILD) else view.cut_states
    states = [name for name in known if view.chance(0.7)]
    return Step("as_slice", tuple(states)) if states else None


def fuse_chain(view: View) -> Step | None:
    """A collective with what it gives to, up to the gathers after that."""
    node = view.node("reduce_scatter", "all_reduce", "all_gather")
    if node is None:
        return None
    names = [node.name, *node.users]
    if view.chance(0.7):
        names += [n.name for n in view.nodes if n.name and set(n.producers) & set(names)]
    chosen = _distinct(names)
    if view.chance(0.2) and len(chosen) > 1:
        chosen.pop(view.rng.randrange(len(chosen)))
    options = {"name": "kernel"} if view.chance(0.5) else {}
    return Step("fuse", tuple(chosen), options)


def fuse_some(view: View) -> Step | None:
    """A computation, or several."""
    plain = [n.name for n in view.nodes if n.name and n.name.startswith("g")]
    names = view.some(_distinct(plain))
    return Step("fuse", tuple(names)) if names else None


def fuse_allreduce(view: View) -> Step | None:
    return Step("fuse_allreduce", (), {"slice_state": True} if view.chance(0.4) else {})


def optimizer(view: View) -> list[Step] | None:
    """The way of data-parallel training: split, reorder, slice the state, fuse; or part of it."""
    node = view.node("all_reduce")
    groups = [name for name in node.users if name.startswith("g")] if node else []
    if node is None or not groups:
        return None
    scatter, gather = f"{node.name}.rs", f"{node.name}.ag"
    states = [state for state, users in view.states.items() if set(users) & set(groups)]
    steps = [
        Step("split", (node.name,), {"dim": view.dim(node.rank)}),
        Step("reorder", (gather,), {"past": groups}),
        *([Step("as_slice", tuple(states))] if states else []),
        Step("fuse", (scatter, *groups, gather), {"name": "kernel"}),
    ]
    return steps[: view.rng.randint(2, len(steps))]


_COLLECTIVES = (
    "all_reduce",
    "reduce_scatter",
    "all_gather",
    "all_to_all",
    "broadcast",
    "reduce_to_root",
    "gather_to_root",
    "scatter_from_root",
    "permute",
)


def overlap(view: View) -> Step | None:
    """A collective, or a region with one, and computation before and after it, chunk by chunk."""
    node = view.node(*_COLLECTIVES, "fused", "fused")
    if node is None:
        return None
    names = [node.name]
    while view.chance(0.75):
        near = [n.name for n in view.nodes if n.name and set(n.producers) & set(names)]
        near += [p for n in view.nodes if n.name in names for p in n.producers]
        near = [name for name in _distinct(near) if name not in names]
        if not near:
            break
        names.append(view.rng.choice(near))
    options: dict[str, Any] = {"chunks": view.rng.choice([2, 2, 3, 4, 7])}
    if node.rank:
        options["dim"] = view.rng.randrange(node.rank + (1 if view.chance(0.05) else 0))
    if view.chance(0.4):
        options["name"] = "overlapped"
    return Step("overlap", tuple(names), options)


def overlap_beside(view: View) -> Step | None:
    """A collective, or several, beside what does not depend on them."""
    node = view.node(*_COLLECTIVES, "fused")
    if node is None:
        return None
    others = view.some(view.names) if view.chance(0.4) else []
    return Step("overlap", tuple(_distinct([node.name, *others])), {"chunks": 1})


def algorithm(view: View) -> Step | None:
    node = view.node("all_reduce", "all_reduce", "fused", "reduce_scatter")
    chosen = "one_shot" if view.chance(0.6) else view.rng.choice(["two_shot", "ring", "library"])
    return Step("algorithm", (node.name, chosen)) if node else None


def bucket(view: View) -> Step | None:
    """Collectives of one kind; now and then of two."""
    node = view.node("all_reduce", "reduce_scatter", "all_gather", "broadcast")
    if node is None:
        return None
    kinds = {node.kind} if view.chance(0.9) else set(_COLLECTIVES)
    alike = _distinct([n.name for n in view.nodes if n.kind in kinds])
    names = view.some(alike, least=2)
    options: dict[str, Any] = {"name": "bucket"} if view.chance(0.5) else {}
    if view.chance(0.3):
        options["bytes"] = view.rng.choice([4, 64, 1000])
    return Step("bucket", tuple(names), options) if names else None


STEPS: list[tuple[float, Proposal]] = [
    # Likelihood, proposal.
    (5, split),
    (1, split_otherwise),
    (1, merge),
    (9, reorder),
    (6, as_slice),
    (3, fuse_chain),
    (2, fuse_some),
    (0.7, fuse_allreduce),
    (8, optimizer),
    (6, overlap),
    (1.5, overlap_beside),
    (1, algorithm),
    (1, bucket),
]


def draw_steps(rng: random.Random, program: cc.Program) -> list[Step]:
    """What to try next on a program: a step, or several in a row."""
    view = View(rng, program)
    weights = [weight for weight, _ in STEPS]
    for _ in range(6):
        found = rng.choices(STEPS, weights)[0][1](view)
        if found:
            return found if isinstance(found, list) else [found]
    return []
