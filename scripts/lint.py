"""Checks the sources: format, common mistakes and the project's own rules.

Exits with 1 when a check fails; all of them run. With `--fix` formats instead.
"""

import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def sources(*patterns: str) -> list[str]:
    """Files of the project that match, those not yet committed included."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", *patterns]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()]


def commands(fix: bool) -> list[list[str]]:
    """The command lines to run, in the project's root."""
    python = sys.executable
    cpp = sources("*.cpp", "*.h")
    if fix:
        return [
            [python, "-m", "ruff", "check", "--fix", "."],
            [python, "-m", "ruff", "format", "."],
            ["clang-format", "-i", *cpp],
        ]
    rules = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "scripts").glob("check_*.py"))
    return [
        [python, "-m", "ruff", "check", "."],
        [python, "-m", "ruff", "format", "--check", "."],
        ["clang-format", "--dry-run", "--Werror", *cpp],
        *([python, rule] for rule in rules),
    ]


def main() -> int:
    """Runs all checks and reports those that failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fix", action="store_true", help="format the sources")
    failed = []
    for command in commands(parser.parse_args().fix):
        shown = " ".join(Path(word).name for word in command[:5])
        print(f"== {shown}", flush=True)
        if subprocess.run(command, cwd=ROOT).returncode:
            failed.append(shown)
    for shown in failed:
        print(f"failed: {shown}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
