"""The collectives of both kinds of programs, as functions of one group's arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from xdsl.ir import Operation

from coconet_mlir.interpreter.collectives import (
    all_to_all,
    broadcast,
    check_groups,
    combine,
    concatenate,
    split,
)
from coconet_mlir.interpreter.domain import Array, Domain, InterpretationError
from coconet_mlir.interpreter.layouts import Mesh
from coconet_mlir.interpreter.types import (
    attribute_of,
    element_name,
    groups_of,
    integer,
    keyword,
    pairs_of,
    strings,
)

Collective = Callable[[Domain, Operation, Sequence[Array], str], list[Array]]


def group_lists(op: Operation, mesh: Mesh) -> list[list[int]]:
    """Members of every group of a collective, by position."""
    explicit = groups_of(op)
    if explicit is not None:
        check_groups(explicit, mesh.ranks)
        return explicit
    axes = strings(op, "axes")
    groups = {tuple(mesh.group(rank, axes)) for rank in range(mesh.ranks)}
    return [list(group) for group in sorted(groups)]


def _dim(op: Operation) -> int | None:
    return None if attribute_of(op, "dim") is None else integer(op, "dim")


def _all_reduce(
    domain: Domain, op: Operation, arrays: Sequence[Array], element: str
) -> list[Array]:
    return [combine(domain, keyword(op, "reduction"), arrays, element)] * len(arrays)


def _reduce_scatter(
    domain: Domain, op: Operation, arrays: Sequence[Array], element: str
) -> list[Array]:
    total = combine(domain, keyword(op, "reduction"), arrays, element)
    dim = _dim(op)
    return split(total.reshape(-1) if dim is None else total, dim or 0, len(arrays))


def _all_gather(
    domain: Domain, op: Operation, arrays: Sequence[Array], element: str
) -> list[Array]:
    return [concatenate(arrays, _dim(op) or 0)] * len(arrays)


def _all_to_all(
    domain: Domain, op: Operation, arrays: Sequence[Array], element: str
) -> list[Array]:
    return all_to_all(arrays, integer(op, "from_dim"), integer(op, "into_dim"))


def _broadcast(domain: Domain, op: Operation, arrays: Sequence[Array], element: str) -> list[Array]:
    return [broadcast(arrays, integer(op, "root"))] * len(arrays)


def _root(op: Operation, count: int) -> int:
    root = integer(op, "root")
    if not 0 <= root < count:
        raise InterpretationError(f"root {root} is no position in a group of {count}")
    return root


def _only_at(root: int, array: Array, count: int) -> list[Array]:
    """The array at the root; the others have zeros."""
    nothing = np.zeros_like(array)
    return [array if position == root else nothing for position in range(count)]


def _reduce_to_root(
    domain: Domain, op: Operation, arrays: Sequence[Array], element: str
) -> list[Array]:
    total = combine(domain, keyword(op, "reduction"), arrays, element)
    return _only_at(_root(op, len(arrays)), total, len(arrays))


def _gather_to_root(
    domain: Domain, op: Operation, arrays: Sequence[Array], element: str
) -> list[Array]:
    return _only_at(_root(op, len(arrays)), concatenate(arrays, _dim(op) or 0), len(arrays))


def _scatter_from_root(
    domain: Domain, op: Operation, arrays: Sequence[Array], element: str
) -> list[Array]:
    whole, dim = arrays[_root(op, len(arrays))], _dim(op)
    return split(whole.reshape(-1) if dim is None else whole, dim or 0, len(arrays))


def _permute(domain: Domain, op: Operation, arrays: Sequence[Array], element: str) -> list[Array]:
    received = [np.zeros_like(array) for array in arrays]
    for source, target in pairs_of(op):
        if max(source, target) >= len(arrays):
            raise InterpretationError(
                f"position {max(source, target)} is none in a group of {len(arrays)}"
            )
        received[target] = arrays[source]
    return received


def wire_type(op: Operation) -> str | None:
    """The type in which a collective's values travel, if it is not their own."""
    found = attribute_of(op, "coconet.wire_type")
    return None if found is None else element_name(found)


def _on_wire(kind: str, exchange: Collective) -> Collective:
    """Let values be rounded to the wire type on each hop, and added in f32."""

    def run(domain: Domain, op: Operation, arrays: Sequence[Array], element: str) -> list[Array]:
        wire = wire_type(op)
        if wire is None:
            return exchange(domain, op, arrays, element)
        known = {id(array): domain.round(array, wire) for array in arrays}
        parts = exchange(domain, op, [known[id(array)] for array in arrays], "f32")
        if kind == "all_reduce":
            return [domain.round(parts[0], wire)] * len(parts)
        return parts

    return run


_EXCHANGES: dict[str, Collective] = {
    "all_reduce": _all_reduce,
    "reduce_scatter": _reduce_scatter,
    "all_gather": _all_gather,
    "all_to_all": _all_to_all,
    "broadcast": _broadcast,
    "reduce_to_root": _reduce_to_root,
    "gather_to_root": _gather_to_root,
    "scatter_from_root": _scatter_from_root,
    "permute": _permute,
}

COLLECTIVES = {kind: _on_wire(kind, exchange) for kind, exchange in _EXCHANGES.items()}


def collective_kind(name: str) -> str | None:
    """`all_reduce` for the op of either kind of program; nothing for other ops."""
    kind = name.removeprefix("coconet.").removeprefix("rank.")
    return kind if kind in COLLECTIVES or kind == "barrier" else None
