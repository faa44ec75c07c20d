"""The table of CoCoNet's features names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_row_names_a_test():
    rows = [line for line in (ROOT / "docs" / "coconet.md").read_text().splitlines() if "|" in line]
    shown = [row for row in rows if not re.match(r"\| (---|CoCoNet|fault)", row)]
    assert len(shown) > 20
    for row in shown:
        assert re.search(r"`(lit|unit)/[\w/.-]+`", row.rsplit("|", 2)[1]), row


def test_tests_exist():
    text = (ROOT / "docs" / "coconet.md").read_text()
    named = re.findall(r"`((?:lit|unit)/[\w/.-]+)`", text)
    missing = [name for name in named if not (ROOT / "test" / name).is_file()]
    assert named and not missing
