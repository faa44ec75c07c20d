"""Mutated programs for coconet-opt: those that end it by a signal or hang it.

Inputs are the programs of the tests and examples with a few tokens deleted, repeated, exchanged or
replaced. Those that still verify run through every pass and pipeline of the project by itself,
through what the test of the program runs, and through transformations of ops by their names. They
run in batches; a batch that crashes is taken apart until the one input is found.
"""

from __future__ import annotations

import functools
import random
import re
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOL = Path(sys.executable).parent / "coconet-opt"
SEPARATOR = "\n// -----\n"
BATCH = 200
TIMEOUT = 60
DEEP = [
    ["--canonicalize", "--cse"],
    ["--fuse-allreduce=slice-state", "--coconet-bind-mesh=ranks=3", "--coconet-to-cpu"],
    ["--coconet-bind-mesh=ranks=2", "--coconet-lower-to-rank", "--coconet-check-communication"],
    ["--coconet-bind-mesh=ranks=2", "--coconet-to-cpu"],
    ["--coconet-bind-mesh=axes=dp=2,tp=3", "--coconet-to-cpu"],
]
TOKEN = re.compile(r"[A-Za-z_][\w.]*|[%@#!^][\w.]+|-?\d+(?:\.\d+)?|\S")
NUMBERS = ["0", "1", "2", "3", "7", "-1", str(2**63 - 1), str(-(2**63)), str(2**32)]

UPSTREAM: tuple[tuple[str, str], ...] = (
    # What was run and what the tool said, what of MLIR's own that is. A parser's crash is one that
    # comes before any pass.
    (
        r"^--transform-interpreter: .*To = mlir::transform::TransformOpInterface;",
        "the interpreter of transformations meets an op that is none in a named sequence",
    ),
    (
        r"^: .*SymbolTable\(mlir::Operation\*\): Assertion `inserted.second",
        "transform.with_named_sequence on a module with two symbols of one name",
    ),
    (
        r"^: .*OpOperand\]: Assertion `use_empty",
        "the parser drops a region whose argument another region names, after an error behind it",
    ),
    (r"^: .*Type::getIntOrFloatBitWidth.*Assertion `isIntOrFloat", "an array of the type index"),
)
"""Crashes outside of our code; they are counted apart."""

Pipeline = Sequence[str]


@dataclass(frozen=True)
class Source:
    """The programs of one file, comments left out, and the flags that its test runs them with."""

    programs: tuple[str, ...]
    pipelines: tuple[tuple[str, ...], ...]
    names: tuple[str, ...]


@dataclass
class Outcome:
    """What came of all inputs: crashes by what the tool said, each with one input that shows it."""

    inputs: int = 0
    verified: int = 0
    runs: int = 0
    crashes: dict[str, tuple[str, Pipeline]] = field(default_factory=dict)
    upstream: Counter[str] = field(default_factory=Counter)


# ===- Inputs ------------------------------------------------------------------===


def _flags(line: str) -> tuple[str, ...]:
    """What a RUN line gives coconet-opt, without what is about the test."""
    line = line.replace("%examples", str(ROOT / "examples")).split("|")[0]
    words = shlex.split(line.partition("coconet-opt")[2])
    plumbing = ("--split-input-file", "--verify-diagnostics", "--allow-unregistered-dialect")
    kept = [word for word in words if word.startswith("--") and not word.startswith(plumbing)]
    return tuple(word for word in kept if "%" not in word)


def _source(path: Path) -> Source:
    text = path.read_text()
    parts = [re.sub(r"//.*", "", part).strip() for part in re.split(r"// -----|//---.*", text)]
    runs = re.findall(r"RUN: (.*coconet-opt.*)", text)
    names = sorted(set(re.findall(r'coconet\.name = "([^"]+)"', text)))
    return Source(
        tuple(filter(None, parts)),
        tuple(sorted({flags for flags in map(_flags, runs) if flags})),
        tuple(names),
    )


@functools.cache
def corpus() -> tuple[Source, ...]:
    """Every valid program of the tests and examples; a schedule runs on the program beside it."""
    sources = [_source(path) for path in sorted((ROOT / "test/lit").rglob("*.mlir"))]
    for base in sorted((ROOT / "examples").rglob("base.mlir")):
        schedules = tuple(
            (f"--transform-preload-library=transform-library-paths={each}", *TRANSFORM)
            for each in sorted(base.parent.glob("*.mlir"))
            if each != base
        )
        program = _source(base)
        sources.append(Source(program.programs, schedules, program.names))
    sources += [_source(path) for path in sorted((ROOT / "examples").glob("*.mlir"))]
    programs = [program for source in sources for program in source.programs]
    valid = set(verified(programs)[0])
    kept = [replace(s, programs=tuple(p for p in s.programs if p in valid)) for s in sources]
    return tuple(source for source in kept if source.programs)


TRANSFORM = ("--transform-interpreter",)


@functools.cache
def all_passes() -> tuple[tuple[str, ...], ...]:
    """Every pass and pipeline of the project, as the tool lists them, each by itself."""
    text = subprocess.run([TOOL, "--help"], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^ +(--(?:coconet-[a-z-]+|fuse-allreduce))\b", text, re.M)
    return tuple((name,) for name in sorted(set(found)))


def named_pipelines(names: Sequence[str], rng: random.Random) -> list[list[str]]:
    """Transformations of ops that the programs have names for."""
    if not names:
        return []
    name, other = rng.choice(names), rng.choice(names)
    chunks, dim = rng.choice([1, 2, 3, 2**40]), rng.choice([-1, 0, 1, 2])
    steps = [
        [f"--coconet-split-all-reduce=name={name} dim={dim}"],
        [f"--coconet-split-all-reduce=name={name} into=reduce_broadcast root=1"],
        [f"--coconet-split-all-reduce=name={name}", f"--coconet-merge-all-reduce=name={name}.rs"],
        [
            f"--coconet-split-all-reduce=name={name}",
            f"--coconet-reorder-all-gather=name={name}.ag past={other}",
            f"--coconet-fuse-ops=names={name}.rs,{other},{name}.ag",
        ],
        [f"--coconet-reorder-all-gather=name={name} past={other}"],
        [f"--coconet-fuse-ops=names={name},{other}"],
        [f"--coconet-overlap-ops=names={name},{other} chunks={chunks} dim={dim}"],
        [
            f"--coconet-overlap-ops=names={name},{other} chunks=2 dim={dim}",
            "--coconet-bind-mesh=ranks=2",
            "--coconet-to-cpu",
        ],
        [f"--coconet-bucket-collectives=names={name},{other} result=all"],
        [f"--coconet-set-wire-type=name={name} type=f16"],
        [f"--coconet-set-algorithm=name={name} algorithm=one_shot"],
        [f"--pass-pipeline=builtin.module(func.func(coconet-slice-state{{names={name}}}))"],
    ]
    return rng.sample(steps, 4)


def _kind(token: str) -> str:
    """Tokens of one kind can mostly stand in each other's place."""
    if token[0].isdigit() or token[0] == "-":
        return "number"
    return token[0] if token[0] in "%@#!^" else "word" if token[0].isalpha() else "mark"


def _change_token(text: str, rng: random.Random, programs: Sequence[str]) -> str:
    """Delete, repeat or replace one token, mostly by another one of its kind."""
    tokens = list(TOKEN.finditer(text))
    if not tokens:
        return text
    token = rng.choice(tokens)
    old = token.group()
    way = rng.randrange(10)
    if way == 0:
        new = ""
    elif way == 1:
        new = f"{old} {old}"
    elif way == 2:
        new = rng.choice(tokens).group()
    elif way == 3:
        new = rng.choice(NUMBERS)
    else:
        near = tokens if way < 8 else list(TOKEN.finditer(rng.choice(programs)))
        alike = [each.group() for each in near if _kind(each.group()) == _kind(old)]
        alike += NUMBERS if _kind(old) == "number" else []
        new = rng.choice(alike) if alike else ""
    return text[: token.start()] + new + text[token.end() :]


def _change_line(text: str, rng: random.Random, programs: Sequence[str]) -> str:
    """Delete or repeat a line, exchange two, or bring one from another program."""
    lines = text.split("\n")
    first, second = rng.randrange(len(lines)), rng.randrange(len(lines))
    way = rng.randrange(4)
    if way == 0:
        del lines[first]
    elif way == 1:
        lines.insert(first, lines[second])
    elif way == 2:
        lines[first], lines[second] = lines[second], lines[first]
    else:
        lines.insert(first, rng.choice(rng.choice(programs).split("\n")))
    return "\n".join(lines)


def mutate(text: str, rng: random.Random, programs: Sequence[str]) -> str:
    """The text with one to three places changed."""
    for _ in range(rng.choice([1, 1, 1, 2, 2, 3])):
        change = _change_line if rng.random() < 0.2 else _change_token
        text = change(text, rng, programs)
    return text.replace("// -----", "")


# ===- Runs --------------------------------------------------------------------===


def _run(inputs: Sequence[str], pipeline: Pipeline) -> tuple[str, str]:
    """How the tool ends on these inputs, "" if by itself, and what it prints."""
    command = [str(TOOL), "--split-input-file", *pipeline]
    try:
        run = subprocess.run(
            command, input=SEPARATOR.join(inputs).encode(), capture_output=True, timeout=TIMEOUT
        )
    except subprocess.TimeoutExpired:
        return f"hangs for {TIMEOUT} s", ""
    if 0 <= run.returncode < 128:
        return "", run.stdout.decode(errors="replace")
    lines = run.stderr.decode(errors="replace").splitlines()
    said = [line for line in lines if "Assertion" in line or "LLVM ERROR" in line]
    return (said[0] if said else f"ends by signal {-run.returncode}"), ""


def find(inputs: Sequence[str], pipeline: Pipeline) -> list[tuple[str, str]]:
    """Inputs that crash by themselves, with what the tool said."""
    said, _ = _run(inputs, pipeline) if inputs else ("", "")
    if not said:
        return []
    if len(inputs) == 1:
        return [(inputs[0], said)]
    half = len(inputs) // 2
    return find(inputs[:half], pipeline) + find(inputs[half:], pipeline)


def verified(inputs: Sequence[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """The inputs that the tool takes as they are, and those that crash it."""
    found = find(inputs, ())
    crashed = {text for text, _ in found}
    inputs = [text for text in inputs if text not in crashed]
    _, printed = _run(inputs, ())
    parts = printed.split("// -----")
    if len(parts) != len(inputs):
        raise RuntimeError(f"{len(inputs)} inputs give {len(parts)} outputs")
    return [text for text, part in zip(inputs, parts, strict=True) if part.strip()], found


def _record(outcome: Outcome, found: Iterable[tuple[str, str]], pipeline: Pipeline) -> None:
    for text, said in found:
        for pattern, what in UPSTREAM:
            if re.search(pattern, f"{' '.join(pipeline)}: {said}"):
                outcome.upstream[what] += 1
                break
        else:
            outcome.crashes.setdefault(said, (text, pipeline))


def run_batch(size: int, seed: int) -> Outcome:
    """Mutate the programs of one file `size` times, and run what verifies."""
    rng = random.Random(seed)
    source = rng.choice(corpus())
    others = [program for other in rng.sample(corpus(), 8) for program in other.programs]
    inputs = [mutate(rng.choice(source.programs), rng, others) for _ in range(size)]
    inputs = [text for text in inputs if text.strip()]
    outcome = Outcome(inputs=size)
    valid, found = verified(inputs)
    outcome.verified = len(valid)
    _record(outcome, found, ())
    pipelines = [*all_passes(), *DEEP, *source.pipelines, *named_pipelines(source.names, rng)]
    for pipeline in pipelines:
        outcome.runs += len(valid)
        _record(outcome, find(valid, pipeline), pipeline)
    return outcome


def run(
    count: int, seed: int, jobs: int = 1, progress: Callable[[Outcome], None] = lambda _: None
) -> Outcome:
    """Run `count` inputs in batches, each with a seed of its own."""
    total = Outcome()
    sizes = [min(BATCH, count - start) for start in range(0, count, BATCH)]
    seeds = [seed * 1_000_003 + index for index in range(len(sizes))]
    with ThreadPoolExecutor(jobs) as pool:
        for outcome in pool.map(run_batch, sizes, seeds):
            total.inputs += outcome.inputs
            total.verified += outcome.verified
            total.runs += outcome.runs
            total.upstream += outcome.upstream
            for said, shown in outcome.crashes.items():
                total.crashes.setdefault(said, shown)
            progress(total)
    return total
