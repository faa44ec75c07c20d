"""Mutated programs for coconet-opt: those that end it by a signal or hang it.

Inputs are the programs of the tests and examples with a few tokens deleted, repeated, exchanged or
replaced. They run in batches; a batch that crashes is taken apart until the one input is found.
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOL = Path(sys.executable).parent / "coconet-opt"
SEPARATOR = "\n// -----\n"
BATCH = 100
TIMEOUT = 60
PIPELINES = [
    [],
    ["--canonicalize", "--cse"],
    ["--fuse-allreduce"],
    ["--fuse-allreduce=slice-state", "--coconet-bind-mesh=ranks=3"],
    ["--coconet-bind-mesh=ranks=2", "--coconet-to-cpu"],
]
TOKEN = re.compile(r"[A-Za-z_][\w.]*|[%@#!^][\w.]+|-?\d+(?:\.\d+)?|\S")
NUMBERS = [
    "0",
    "1",
    "2",
    "3",
    "7",
    "-1",
    "9223372036854775807",
    "-9223372036854775808",
    "4294967296",
]


def corpus() -> list[str]:
    """Every program of the tests and examples, comments left out."""
    programs = []
    for folder in ("test/lit", "examples"):
        for path in sorted((ROOT / folder).rglob("*.mlir")):
            for part in path.read_text().split("// -----"):
                text = re.sub(r"//.*", "", part).strip()
                if text:
                    programs.append(text)
    return programs


def mutate(text: str, rng: random.Random, programs: Sequence[str]) -> str:
    """The text with one to four tokens changed."""
    for _ in range(rng.randint(1, 4)):
        tokens = list(TOKEN.finditer(text))
        if not tokens:
            return text
        token = rng.choice(tokens)
        kind = rng.randrange(5)
        if kind == 0:
            new = ""
        elif kind == 1:
            new = f"{token.group()} {token.group()}"
        elif kind == 2:
            new = rng.choice(tokens).group()
        elif kind == 3:
            new = rng.choice(NUMBERS)
        else:
            others = TOKEN.findall(rng.choice(programs))
            new = rng.choice(others) if others else ""
        text = text[: token.start()] + new + text[token.end() :]
    return text.replace("// -----", "")


def crashes(inputs: Sequence[str], pipeline: Sequence[str]) -> str:
    """How the tool ends on these inputs: "" if by itself."""
    command = [str(TOOL), "--split-input-file", *pipeline, "-o", "/dev/null"]
    try:
        run = subprocess.run(
            command, input=SEPARATOR.join(inputs).encode(), capture_output=True, timeout=TIMEOUT
        )
    except subprocess.TimeoutExpired:
        return f"hangs for {TIMEOUT} s"
    if run.returncode >= 0 and run.returncode < 128:
        return ""
    lines = run.stderr.decode(errors="replace").splitlines()
    said = [line for line in lines if "Assertion" in line or "LLVM ERROR" in line]
    return said[0] if said else f"ends by signal {-run.returncode}"


def find(inputs: Sequence[str], pipeline: Sequence[str]) -> list[tuple[str, str]]:
    """Inputs that crash by themselves, with what the tool said."""
    said = crashes(inputs, pipeline)
    if not said:
        return []
    if len(inputs) == 1:
        return [(inputs[0], said)]
    half = len(inputs) // 2
    return find(inputs[:half], pipeline) + find(inputs[half:], pipeline)


def run(count: int, seed: int) -> int:
    """Run all, `count` inputs for each pipeline; the number of kinds of crash."""
    rng = random.Random(seed)
    programs = corpus()
    found: dict[str, tuple[str, Sequence[str]]] = {}
    for pipeline in PIPELINES:
        for start in range(0, count, BATCH):
            size = min(BATCH, count - start)
            batch = [mutate(rng.choice(programs), rng, programs) for _ in range(size)]
            for text, said in find(batch, pipeline):
                found.setdefault(said, (text, pipeline))
            if sys.stderr.isatty():
                done = f"{start + size}/{count}"
                print(f"\r{' '.join(pipeline) or 'parse'}: {done}", end="", file=sys.stderr)
    for said, (text, pipeline) in found.items():
        print(f"=== coconet-opt {' '.join(pipeline)}: {said}\n{text}\n")
    total = count * len(PIPELINES)
    print(f"{total} inputs (seed {seed}), {len(found)} kinds of crash")
    return len(found)
