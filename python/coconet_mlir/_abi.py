"""How compiled functions take and give tensors: memref descriptors and packed arguments."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coconet_mlir import _runtime

Array = NDArray[np.generic]

# Allocated pointer, aligned pointer, offset; then sizes and strides. All are 8 bytes wide.
_HEADER = 3


def words(rank: int) -> int:
    """Number of 8-byte words of the descriptor of a memref of this rank."""
    return _HEADER + 2 * rank


def descriptor(array: Array) -> Any:
    """The descriptor of a C-contiguous array, which must outlive it."""
    address = array.ctypes.data
    sizes = array.shape
    strides = [math.prod(sizes[dim + 1 :]) for dim in range(array.ndim)]
    return (ctypes.c_int64 * words(array.ndim))(address, address, 0, *sizes, *strides)


class _Block:
    """A block that compiled code allocated; freed with the last array over it."""

    def __init__(self, allocated: int) -> None:
        self.allocated = allocated

    def __del__(self) -> None:
        _runtime.free(self.allocated)


class _Bytes:
    """Bytes of a block, for numpy to keep and look at."""

    def __init__(self, block: _Block, start: int, size: int) -> None:
        self.block = block
        self.__array_interface__ = {
            "version": 3,
            "shape": (size,),
            "typestr": "|u1",
            "data": (start, False),
        }


@dataclass(frozen=True)
class ResultType:
    """Element type and number of dimensions of what a compiled function returns."""

    dtype: np.dtype
    rank: int


class Results:
    """The structure into which one rank's results are written, descriptor after descriptor."""

    def __init__(self, types: Sequence[ResultType]) -> None:
        self._types = types
        self._words = (ctypes.c_int64 * sum(words(each.rank) for each in types))()

    @property
    def address(self) -> int:
        """Address of the structure."""
        return ctypes.addressof(self._words)

    def take(self) -> list[Array]:
        """The results as arrays that own their memory, without a copy. Once a run."""
        arrays = []
        blocks: dict[int, _Block] = {}
        start = 0
        for each in self._types:
            held = self._words[start : start + words(each.rank)]
            start += words(each.rank)
            arrays.append(_wrap(each, held, blocks))
        return arrays


def _wrap(kind: ResultType, held: list[int], blocks: dict[int, _Block]) -> Array:
    allocated, aligned, offset = held[:_HEADER]
    sizes = held[_HEADER : _HEADER + kind.rank]
    strides = held[_HEADER + kind.rank :]
    # Two results may lie in one block, which is freed once.
    if allocated not in blocks:
        blocks[allocated] = _Block(allocated)
    block = blocks[allocated]
    if not math.prod(sizes):
        return np.empty(sizes, kind.dtype)
    last = sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
    width = kind.dtype.itemsize
    held_bytes = _Bytes(block, aligned + offset * width, (last + 1) * width)
    flat = np.asarray(held_bytes).view(kind.dtype)
    return np.lib.stride_tricks.as_strided(flat, sizes, [stride * width for stride in strides])
