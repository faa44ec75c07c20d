"""The dialect in xDSL: programs in generic form, read and written from Python.

The operations (`generated.py`) come from the same ODS as the compiler, through
`scripts/generate_mirror.py`. This package shares no code with the compiler.
"""

from __future__ import annotations

from xdsl.utils.exceptions import ParseError

from coconet_mlir.mirror.text import parse, to_text

__all__ = ["ParseError", "parse", "to_text"]
