"""Bugs that are known: pairs that show them are counted, and are no failure. Mend one, and its line
goes."""

from __future__ import annotations

import re

KNOWN: tuple[tuple[str, str], ...] = (
    # Message, bug.
)


def known_bug(message: str) -> str | None:
    """The known bug that a failure shows."""
    for pattern, bug in KNOWN:
        if re.search(pattern, message):
            return bug
    return None
