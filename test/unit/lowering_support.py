"""Compiles program text through the CPU pipeline and runs it on numpy arrays, one list a rank."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np
from coconet_mlir import _runtime, ir
from coconet_mlir._abi import Results, ResultType, descriptor
from coconet_mlir.execution_engine import ExecutionEngine
from coconet_mlir.passmanager import PassManager

Argument = np.ndarray | int


def _each(values: ctypes.Array) -> list[int]:
    start, size = ctypes.addressof(values), ctypes.sizeof(values._type_)
    return [start + index * size for index in range(len(values))]


def lower(text: str, *, bind: str, schedule: str = "") -> ir.Module:
    """The module in the LLVM dialect. ``bind`` are options of coconet-bind-mesh."""
    with ir.Context():
        module = ir.Module.parse(text)
        steps = [f"coconet-bind-mesh{{{bind}}}", *filter(None, [schedule]), "coconet-to-cpu"]
        PassManager.parse(f"builtin.module({','.join(steps)})").run(module.operation)
        return module


def lower_ranks(text: str) -> ir.Module:
    """A rank program in the LLVM dialect."""
    with ir.Context():
        module = ir.Module.parse(text)
        PassManager.parse("builtin.module(coconet-rank-to-cpu)").run(module.operation)
        return module


class Lowered:
    """A compiled function ``f`` of a program on a number of ranks.

    With ``functions`` the text is a rank program, and rank r runs ``functions[r]``.
    """

    def __init__(
        self,
        text: str,
        ranks: int,
        *,
        bind: str | None = None,
        schedule: str = "",
        name: str = "f",
        functions: Sequence[str] = (),
    ) -> None:
        self.ranks = ranks
        if functions:
            module = lower_ranks(text)
        else:
            module = lower(text, bind=bind or f"ranks={ranks}", schedule=schedule)
        _runtime.load_library()
        self._engine = ExecutionEngine(
            module, opt_level=3, shared_libs=[str(_runtime.library_path())]
        )
        addresses = [
            self._engine.raw_lookup(f"_mlir_ciface_{each}") for each in functions or [name]
        ]
        assert all(addresses)
        self._address = addresses if functions else addresses[0]
        self.world = _runtime.World(ranks, timeout=20)

    def pack(
        self, rows: Sequence[Sequence[Argument]], types: Sequence[ResultType] = ()
    ) -> tuple[_runtime.PackedArguments, list[Results]]:
        addresses, keep = [], []
        for row in rows:
            row_addresses = []
            for value in row:
                if isinstance(value, int):
                    held = (ctypes.c_int64 * 1)(value)
                else:
                    array = descriptor(value)
                    keep.append(array)
                    held = (ctypes.c_void_p * 1)(ctypes.addressof(array))
                keep.append((value, held))
                row_addresses += _each(held)
            addresses.append(row_addresses)
        results = [Results(types) for _ in rows]
        heads = (ctypes.c_void_p * len(rows))(*(result.address for result in results))
        packed = self.world.pack(
            addresses, keep=(keep, heads, results), results=_each(heads) if types else None
        )
        return packed, results

    def __call__(
        self, rows: Sequence[Sequence[Argument]], types: Sequence[ResultType] = (), repeat: int = 1
    ) -> list[list[np.ndarray]]:
        """Each rank's results; state arguments are changed in place."""
        packed, results = self.pack(rows, types)
        self.world.run(self._address, packed, repeat=repeat, keep=self._engine)
        return [result.take() for result in results] if types else []

    def run_packed(self, packed: _runtime.PackedArguments, repeat: int = 1) -> None:
        self.world.run(self._address, packed, repeat=repeat, keep=self._engine)


def chunk(size: int, parts: int, index: int) -> slice:
    """Elements of one of equal chunks, of which the last ones are short or empty."""
    step = -(-size // parts)
    return slice(min(index * step, size), min(index * step + step, size))
