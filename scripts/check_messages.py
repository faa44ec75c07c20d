"""Checks that every diagnostic of the compiler is tested, and every tested one exists.

A message is known by its longest literal, which must stand in a file below test/.
In turn, what a lit test expects must be made of literals of the sources: some
literal lies in it, or it is a piece of one.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STARTS = re.compile(
    r"\b(refuse|set|emitOpError|emitError|emitRemark|emitOptionalError"
    r"|emitSilenceableError|emitSilenceableFailure|attachNote|addNote)\("
)
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
SIDE_BY_SIDE = re.compile(r'"\s*\n\s*"')
EXPECTED = re.compile(r"expected-(?:error|note|remark|warning)(?!-re)[^{\n]*\{\{(.*)\}\}")
# Messages of MLIR itself that tests see beside ours.
UPSTREAM = ("failed to infer returned types", "operand #", "result #", "block with no terminator")
SHORTEST = 8


def normal(text: str) -> str:
    """The text with white space as single blanks."""
    return re.sub(r"\s+", " ", text)


def literals(source: str) -> list[str]:
    """The string literals of C++ source text, those side by side as one."""
    joined = SIDE_BY_SIDE.sub("", re.sub(r"^\s*#include.*", "", source, flags=re.MULTILINE))
    return [normal(text.replace('\\"', '"').strip()) for text in LITERAL.findall(joined)]


def messages(source: str) -> list[tuple[int, str]]:
    """Line and longest literal of each statement that reports something."""
    found = []
    for match in STARTS.finditer(source):
        end = re.compile(r";\s*$", re.MULTILINE).search(source, match.start())
        texts = literals(source[match.start() : end.start() if end else None])
        longest = max(texts, key=len, default="")
        if len(longest) >= SHORTEST:
            found.append((source.count("\n", 0, match.start()) + 1, longest))
    return found


def find_untested(sources: dict[Path, str], tests: dict[Path, str]) -> list[str]:
    """Messages that stand in no test."""
    tested = normal("\n".join(tests.values()))
    return [
        f"{path.relative_to(ROOT)}:{line}: untested: {text!r}"
        for path, source in sources.items()
        for line, text in messages(source)
        if text not in tested
    ]


def find_unknown(sources: dict[Path, str], tests: dict[Path, str]) -> list[str]:
    """Texts that lit tests expect and no source holds."""
    known = {text for source in sources.values() for text in literals(source)}
    return [
        f"{path.relative_to(ROOT)}: no such message: {text!r}"
        for path, test in tests.items()
        for text in map(normal, EXPECTED.findall(test) if path.suffix == ".mlir" else [])
        if not is_made_of(text, known) and not any(other in text for other in UPSTREAM)
    ]


def is_made_of(text: str, known: set[str]) -> bool:
    """Whether the text is a literal with values in it, or a piece of one.

    Values, and literals too short to tell anything, may be half of it.
    """
    if any(text in piece or (len(piece) >= SHORTEST and piece in text) for piece in known):
        return True
    rest = text
    for piece in sorted(known, key=len, reverse=True):
        if len(piece) >= SHORTEST // 2:
            rest = rest.replace(piece, "")
    return len(rest) <= len(text) / 2


def main() -> int:
    """Reports messages without test and tests without message."""
    sources = {
        path: path.read_text()
        for path in sorted((ROOT / "lib").rglob("*.cpp")) + sorted((ROOT / "lib").rglob("*.h"))
        if "Runtime" not in path.parts
    }
    suffixes = (".mlir", ".py", ".c")
    tests = {
        path: path.read_text()
        for path in sorted((ROOT / "test").rglob("*"))
        if path.suffix in suffixes
    }
    faults = find_untested(sources, tests) + find_unknown(sources, tests)
    print(*dict.fromkeys(faults), sep="\n", end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
