"""Bugs that are known: pairs that show them are counted, and are no failure. Mend one, and its line
goes."""

from __future__ import annotations

import re

KNOWN: tuple[tuple[str, str], ...] = (
    # Message, bug.
    (r"offset \d+ is out-of-bounds: \d+ >= \d+", "a box without elements is not lowered"),
    (r"must be dynamic if and only if reassociation", "a flat cut of an open size beside a 0"),
    (r"index 0 is out of bounds for axis 0 with size 0", "dropout takes a step that is cut"),
    (r"an operand has at most the rank of the result", "dropout takes a step that is cut"),
    (r"Cannot call front\(\) on empty SetVector", "reorder past nothing that is gathered"),
    (r"a result on slices is cut, or the same", "reorder reduces a result that stays cut"),
    (
        r"\.reorder\(.*is refused, but changed the program",
        "reorder gathers a result that stays cut",
    ),
)


def known_bug(message: str) -> str | None:
    """The known bug that a failure shows."""
    for pattern, bug in KNOWN:
        if re.search(pattern, message):
            return bug
    return None
