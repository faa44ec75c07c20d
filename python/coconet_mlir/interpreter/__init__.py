"""Reference interpreter: programs on N simulated ranks, with numpy.

Two domains give meaning to floats: float64 for numbers, and a finite field for
equivalence (`coconet_mlir.check`). It reads generic form through the xDSL
mirror and shares no code with the compiler.
"""

from __future__ import annotations

from coconet_mlir.interpreter.domain import InterpretationError
from coconet_mlir.interpreter.run import RunResult, run

__all__ = ["InterpretationError", "RunResult", "run"]
