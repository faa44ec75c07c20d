"""What the members of one group receive, given what each brings, by position."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coconet_mlir.interpreter.domain import Array, Domain, InterpretationError
from coconet_mlir.interpreter.kernels import arithmetic
from coconet_mlir.interpreter.layouts import chunk


def combine(domain: Domain, kind: str, arrays: Sequence[Array], element: str) -> Array:
    """The reduction that every member of an all_reduce receives."""
    shapes = {array.shape for array in arrays}
    if len(shapes) > 1:
        listed = " and ".join(str(list(shape)) for shape in sorted(shapes))
        raise InterpretationError(f"members reduce arrays of unlike shapes {listed}")
    with np.errstate(all="ignore"):
        return np.asarray(arithmetic(domain, element).combine(kind, arrays, element))  # type: ignore[attr-defined]


def split(array: Array, dim: int, count: int) -> list[Array]:
    """The chunks of a dimension."""
    chunks = []
    for index in range(count):
        start, length = chunk(array.shape[dim], count, index)
        chunks.append(array[(slice(None),) * dim + (slice(start, start + length),)])
    return chunks


def concatenate(arrays: Sequence[Array], dim: int) -> Array:
    """The members' arrays one after another."""
    others = {array.shape[:dim] + array.shape[dim + 1 :] for array in arrays}
    if len(others) > 1:
        raise InterpretationError("members gather arrays of unlike shapes")
    return np.concatenate(arrays, axis=dim)


def all_to_all(arrays: Sequence[Array], from_dim: int, into_dim: int) -> list[Array]:
    """Blocks of `into_dim`, concatenated along `from_dim` in order of the senders."""
    blocks = [split(array, into_dim, len(arrays)) for array in arrays]
    return [
        concatenate([sent[position] for sent in blocks], from_dim)
        for position in range(len(arrays))
    ]


def broadcast(arrays: Sequence[Array], root: int) -> Array:
    """The array of the member at position `root`."""
    if not 0 <= root < len(arrays):
        raise InterpretationError(f"root {root} is no position in a group of {len(arrays)}")
    return arrays[root]


def check_groups(groups: Sequence[Sequence[int]], ranks: int) -> None:
    """Every group is non-empty, its members exist, and no rank is named twice."""
    members = [member for group in groups for member in group]
    if not groups or any(not group for group in groups):
        raise InterpretationError("a collective needs non-empty groups")
    if len(set(members)) != len(members):
        raise InterpretationError(f"a rank is named twice in groups {list(groups)}")
    outside = [m for m in members if not 0 <= m < ranks]
    if outside:
        raise InterpretationError(f"rank {outside[0]} of a group is not below {ranks}")
