"""The documented table of tolerances is the one that tests use."""

from __future__ import annotations

import math
import re
from pathlib import Path

from coconet_mlir.interpreter.float64 import accumulator
from coconet_mlir.interpreter.tolerances import ROUNDOFF, TOLERANCES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tolerances.md"


def test_the_page_shows_the_table():
    rows = re.findall(r"^\| (\w+) \| (\S+) \| (\S+) \| 2\^(-\d+) \|$", PAGE.read_text(), re.M)
    shown = {name: (float(r), float(a), int(power)) for name, r, a, power in rows}
    assert shown == {
        name: (known.relative, known.absolute, int(math.log2(ROUNDOFF[accumulator(name)])))
        for name, known in TOLERANCES.items()
    }
