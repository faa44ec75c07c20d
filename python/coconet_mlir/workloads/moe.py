"""Mixture of experts: dispatch and combine with a declared capacity (Lepikhin et al., 2021).

Tokens come in groups, which are cut over `ep`, as are the experts. Each group has `capacity` places
for every expert, and the router's masks say which token takes which, so that every message has a
size that is known before.
"""

from __future__ import annotations

import coconet_mlir as cc
from coconet_mlir.program import Program
from coconet_mlir.schedule import Schedule
from coconet_mlir.tracing import Tensor


def moe(*, experts: int = 8, capacity: int = 4, hidden: int = 16, wide: int = 32) -> Program:
    """Dispatch, expert MLP, combine: all_to_all `dispatch`, `experts`, all_to_all `combine`.

    Arguments: tokens x [g, t, hidden] in g groups; `places` [g, experts * capacity, t], 1 where
    a token takes a place; `gates` [g, t, experts * capacity], the weights of what comes back; the
    experts' w1 [experts, hidden, wide] and w2 [experts, wide, hidden]. The result is y like x.
    """
    slots = experts * capacity

    specs = {
        "x": cc.sliced("g", "t", hidden, ep=0),
        "places": cc.sliced("g", slots, "t", ep=0),
        "gates": cc.sliced("g", "t", slots, ep=0),
        "w1": cc.sliced(experts, hidden, wide, ep=0),
        "w2": cc.sliced(experts, wide, hidden, ep=0),
    }

    def moe(x: Tensor, places: Tensor, gates: Tensor, w1: Tensor, w2: Tensor) -> dict[str, Tensor]:
        sent = cc.reshape(places @ x, ("g", experts, capacity, hidden))
        met = cc.all_to_all(sent, 0, 1, name="dispatch")
        with cc.named("experts"):
            tokens = cc.reshape(cc.transpose(met, (1, 0, 2, 3)), (experts, "n", hidden))
            made = cc.silu(tokens @ w1) @ w2
            grouped = cc.reshape(made, (experts, "g", capacity, hidden))
            returned = cc.transpose(grouped, (1, 0, 2, 3))
        back = cc.all_to_all(returned, 1, 0, name="combine")
        return {"y": gates @ cc.reshape(back, ("g", slots, hidden))}

    return cc.trace(moe, mesh=cc.mesh(ep="?"), **specs)


# ===- Schedules --------------------------------------------------------------===


def a2a_mm_a2a(s: Schedule) -> Schedule:
    """A2A-MM-A2A: as it is written."""
    return s


def ol_a2a_mm_a2a(s: Schedule) -> Schedule:
    """ol(A2A, MM, A2A): half of each expert's places is on its way while the other is computed."""
    return s.overlap("dispatch", "experts", "combine", chunks=2, dim=2, name="layer")
