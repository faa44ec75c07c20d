"""The collectives of both kinds of programs, as functions of one group's arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Operation

from coconet_mlir.interpreter.collectives import (
    all_to_all,
    broadcast,
    check_groups,
    combine,
    concatenate,
    split,
)
from coconet_mlir.interpreter.domain import Array, Domain
from coconet_mlir.interpreter.layouts import Mesh
from coconet_mlir.interpreter.types import attribute_of, groups_of, integer, keyword, strings

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


COLLECTIVES: dict[str, Collective] = {
    "all_reduce": _all_reduce,
    "reduce_scatter": _reduce_scatter,
    "all_gather": _all_gather,
    "all_to_all": _all_to_all,
    "broadcast": _broadcast,
}


def collective_kind(name: str) -> str | None:
    """`all_reduce` for the op of either kind of program; nothing for other ops."""
    kind = name.removeprefix("coconet.").removeprefix("rank.")
    return kind if kind in COLLECTIVES else None
