"""Thin binding of the C runtime (``lib/Runtime/Runtime.h``) that runs N ranks as threads."""

from __future__ import annotations

import ctypes
import functools
import math
import os
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import DTypeLike, NDArray

from coconet_mlir.errors import CoCoNetError

_LIBRARY = "libcoconet_runtime.so"
_OK, _FAILED, _BROKEN, _REFUSED = range(4)

# Objects that a rank of a broken world may still touch. They are kept for good.
_abandoned: list[object] = []


class CollectiveError(CoCoNetError, RuntimeError):
    """A run failed: a rank is missing, collectives or sizes do not match, or there is no BLAS."""


def library_path() -> Path:
    """Path of the runtime library: ``COCONET_RUNTIME``, else the one installed in this package."""
    override = os.environ.get("COCONET_RUNTIME")
    return Path(override) if override else Path(__file__).parent / "_mlir_libs" / _LIBRARY


@functools.cache
def load_library() -> ctypes.CDLL:
    """Open the runtime and declare its functions; BLAS is set when its package is installed.

    Raises:
        ImportError: the library cannot be opened.
    """
    path = library_path()
    try:
        library = ctypes.CDLL(str(path))
    except OSError as error:
        raise ImportError(
            f"cannot open the runtime {path}: {error}; "
            "build the project, or set COCONET_RUNTIME to its path"
        ) from error
    pointer, integer = ctypes.c_void_p, ctypes.c_int64
    signatures = {
        "world_create": (pointer, [integer, ctypes.c_double]),
        "world_destroy": (None, [pointer]),
        "world_run": (ctypes.c_int, [pointer, pointer, pointer, integer]),
        "world_run_each": (ctypes.c_int, [pointer, pointer, pointer, integer]),
        "world_rank": (pointer, [pointer, integer]),
        "world_error": (ctypes.c_char_p, [pointer]),
        "set_blas": (ctypes.c_int, [ctypes.c_char_p]),
        "alloc": (pointer, [ctypes.c_size_t]),
        "free": (None, [pointer]),
        "alloc_statistics": (None, [ctypes.POINTER(integer), ctypes.POINTER(integer)]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, f"coconet_rt_{name}")
        function.restype = result
        function.argtypes = arguments
    _set_default_blas(library)
    return library


def _set_default_blas(library: ctypes.CDLL) -> None:
    # Without the package, the first product that needs BLAS says what is missing.
    if os.environ.get("COCONET_BLAS"):
        return
    try:
        import scipy_openblas32
    except ImportError:
        return
    path = Path(scipy_openblas32.get_lib_dir()) / "libscipy_openblas.so"
    library.coconet_rt_set_blas(os.fsencode(path))


def _thread_error(library: ctypes.CDLL) -> str:
    message: bytes = library.coconet_rt_world_error(None)
    return message.decode()


def set_blas(path: str | os.PathLike[str]) -> None:
    """Take matrix products from the shared library at ``path``.

    Its symbols start with ``scipy_`` and take 32-bit integers, as in scipy-openblas32.

    Raises:
        CollectiveError: it cannot be opened or lacks a symbol.
    """
    library = load_library()
    if library.coconet_rt_set_blas(os.fsencode(path)):
        raise CollectiveError(_thread_error(library))


def free(address: int) -> None:
    """Free a block that compiled code allocated. Any thread may do so; 0 is allowed."""
    load_library().coconet_rt_free(address)


class _Block:
    """A block of the runtime's memory, which numpy arrays keep alive."""

    def __init__(self, size: int) -> None:
        self.address = load_library().coconet_rt_alloc(size)
        if not self.address:
            raise MemoryError(f"{size} bytes are not available; use smaller tensors or more slices")
        self.__array_interface__ = {
            "version": 3,
            "shape": (size,),
            "typestr": "|u1",
            "data": (self.address, False),
        }

    def __del__(self) -> None:
        if self.address:
            free(self.address)


def empty(shape: Sequence[int], dtype: DTypeLike) -> NDArray[np.generic]:
    """An uninitialised numpy array in the runtime's memory.

    Its blocks begin at different offsets in their pages. Large numpy arrays all begin at the same
    one, which makes a loop over six of them up to 1.5 times slower in cache.
    """
    kind = np.dtype(dtype)
    size = math.prod(shape) * kind.itemsize
    return np.asarray(_Block(size)).view(kind).reshape(shape)


def allocation_statistics() -> tuple[int, int]:
    """Bytes in use by compiled code now, and the number of allocations made so far."""
    live, count = ctypes.c_int64(), ctypes.c_int64()
    load_library().coconet_rt_alloc_statistics(ctypes.byref(live), ctypes.byref(count))
    return live.value, count.value


class PackedArguments:
    """Arguments of one call on all ranks, in the packed convention of MLIR's ExecutionEngine.

    Args:
        ranks: the rank pointers, which become each rank's first argument.
        arguments: for each rank, addresses of the variables that hold its other arguments.
        keep: whatever owns the memory behind those addresses.
        results: for each rank, the address of the variable that points at its result structure,
            which comes before the rank; None where its function returns nothing.
    """

    def __init__(
        self,
        ranks: Sequence[int],
        arguments: Sequence[Sequence[int]],
        keep: object = None,
        results: Sequence[int | None] | None = None,
    ) -> None:
        if len(arguments) != len(ranks):
            raise ValueError(
                f"arguments for {len(arguments)} ranks given, but the world has {len(ranks)}"
            )
        count = len(ranks)
        self._ranks = (ctypes.c_void_p * count)(*ranks)
        first = ctypes.addressof(self._ranks)
        size = ctypes.sizeof(ctypes.c_void_p)
        heads = [[] if address is None else [address] for address in results or [None] * count]
        self._rows = [
            (ctypes.c_void_p * (1 + len(head) + len(row)))(*head, first + size * rank, *row)
            for rank, (head, row) in enumerate(zip(heads, arguments, strict=True))
        ]
        self._table = (ctypes.c_void_p * count)(*(ctypes.addressof(row) for row in self._rows))
        self._keep = keep

    @property
    def address(self) -> int:
        """Address of the table of all ranks' argument lists."""
        return ctypes.addressof(self._table)


class World:
    """N ranks as threads of this process; the thread that calls ``run`` acts as rank 0.

    Args:
        ranks: number of ranks. More than processors is fine.
        timeout: seconds that a rank may be waited for; by default ``COCONET_TIMEOUT``, else 30.

    Raises:
        CollectiveError: the world cannot be created.
    """

    def __init__(self, ranks: int, timeout: float | None = None) -> None:
        self._handle: int | None = None
        if timeout is not None and not timeout > 0:
            raise ValueError(f"timeout is {timeout}; give a positive number of seconds")
        self._library = load_library()
        self._handle = self._library.coconet_rt_world_create(ranks, timeout or 0)
        if not self._handle:
            raise CollectiveError(_thread_error(self._library))
        self.ranks = ranks
        self._rank_pointers = [
            self._library.coconet_rt_world_rank(self._handle, rank) for rank in range(ranks)
        ]

    def pack(
        self,
        arguments: Sequence[Sequence[int]],
        *,
        keep: object = None,
        results: Sequence[int | None] | None = None,
    ) -> PackedArguments:
        """Prepare ``arguments[rank]``, addresses of argument variables, for calls of ``run``.

        The rank pointer, every function's first argument, is added, and before it ``results[rank]``
        for functions that return tensors. ``keep`` lives as long as the result.
        """
        return PackedArguments(self._rank_pointers, arguments, keep, results)

    def run(
        self,
        function: int | Sequence[int],
        arguments: PackedArguments | Sequence[Sequence[int]],
        *,
        repeat: int = 1,
        keep: object = None,
    ) -> None:
        """Call a compiled function (or one for each rank) on all ranks, without the GIL.

        Args:
            function: address of the packed entry point, or one address for each rank.
            arguments: see ``pack``.
            repeat: number of calls.
            keep: whatever owns the code and memory of the call. It is kept for good when a rank
                cannot be stopped.

        Raises:
            CollectiveError: the run failed. Unless it says so, the world can be used again.
        """
        if not self._handle:
            raise CollectiveError("the world is closed; create another")
        packed = arguments if isinstance(arguments, PackedArguments) else self.pack(arguments)
        if isinstance(function, int):
            code = self._library.coconet_rt_world_run(
                self._handle, function, packed.address, repeat
            )
        else:
            if len(function) != self.ranks:
                raise ValueError(
                    f"{len(function)} functions given, but the world has {self.ranks} ranks"
                )
            functions = (ctypes.c_void_p * self.ranks)(*function)
            code = self._library.coconet_rt_world_run_each(
                self._handle, functions, packed.address, repeat
            )
        if code == _OK:
            return
        if code == _BROKEN:
            _abandoned.append((packed, keep))
        message = (
            _thread_error(self._library)
            if code == _REFUSED
            else self._library.coconet_rt_world_error(self._handle).decode()
        )
        raise CollectiveError(message)

    def close(self) -> None:
        """Stop the threads. Calling it again does nothing."""
        handle, self._handle = self._handle, None
        if handle:
            self._library.coconet_rt_world_destroy(handle)

    def __enter__(self) -> World:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"World(ranks={self.ranks})" if self._handle else "World(closed)"
