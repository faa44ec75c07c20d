"""Writes the workloads as MLIR text: examples/WORKLOAD/base.mlir and a script for each schedule.

    python scripts/generate_examples.py [--check] [FOLDER]

With `--check` exits with 1 if a file in FOLDER, by default examples/, is missing, old or left over.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from coconet_mlir.workloads import WORKLOADS, file_stem

ROOT = Path(__file__).resolve().parent.parent


def generated() -> dict[Path, str]:
    """The text of each file, by its path in the folder."""
    files = {}
    for name, workload in WORKLOADS.items():
        program = workload.make()
        files[Path(name) / "base.mlir"] = str(program)
        for label in workload.schedules:
            script = str(workload.schedule(label, program))
            files[Path(name) / f"{file_stem(label)}.mlir"] = f"// {label}\n{script}"
    return files


def stale(folder: Path, files: dict[Path, str]) -> list[Path]:
    """Files that are not what they would be written as."""
    wrong = [
        path
        for path, text in files.items()
        if not (folder / path).is_file() or (folder / path).read_text() != text
    ]
    held = {
        path.relative_to(folder) for name in WORKLOADS for path in folder.glob(f"{name}/*.mlir")
    }
    return sorted([*wrong, *(held - set(files))])


def main() -> int:
    """Writes or checks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing")
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "examples", metavar="FOLDER")
    options = parser.parse_args()
    files = generated()
    wrong = stale(options.folder, files)
    if options.check:
        for path in wrong:
            print(f"{options.folder / path} is stale; run scripts/generate_examples.py")
        return 1 if wrong else 0
    for path in wrong:
        target = options.folder / path
        if path not in files:
            target.unlink()
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(files[path])
    return 0


if __name__ == "__main__":
    sys.exit(main())
