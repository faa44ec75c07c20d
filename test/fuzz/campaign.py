"""Many pairs in child processes: a crash or a hang is one more failure, and its seed is known."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fuzz.known import known_bug
from fuzz.pairs import Pair
from fuzz.shrink import shrink
from fuzz.worker import decode, describe, encode, signature

_TEST = Path(__file__).resolve().parent.parent
_SECONDS = 120
"""For one pair; a failing one is shrunk within it."""
_SHRINK_SECONDS = 60


@dataclass
class Failure:
    """A pair that failed."""

    seed: int
    kind: str
    message: str
    pair: str


@dataclass
class Result:
    """What a campaign found."""

    counts: Counter = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)


class Child:
    """A worker process; a new one is started when the last one ended."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.record = Path(self.folder.name) / "pair"
        self.log = Path(self.folder.name) / "log"
        self.process: subprocess.Popen[str] | None = None

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer; {"died": how} where there was none."""
        process = self._started()
        assert process.stdin and process.stdout
        self.record.unlink(missing_ok=True)
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            return self._died()
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            if not selector.select(_SECONDS):
                process.kill()
                process.wait()
                self.process = None
                return {"died": f"hangs for {_SECONDS} s"}
        line = process.stdout.readline()
        return json.loads(line) if line.endswith("\n") else self._died()

    def _started(self) -> subprocess.Popen[str]:
        if self.process is None or self.process.poll() is not None:
            paths = [str(_TEST), *filter(None, [os.environ.get("PYTHONPATH")])]
            with open(self.log, "w") as log:
                self.process = subprocess.Popen(
                    [sys.executable, "-m", "fuzz.worker", str(self.record)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    text=True,
                    env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
                )
        return self.process

    def _died(self) -> dict[str, Any]:
        assert self.process
        code = self.process.wait()
        self.process = None
        lines = self.log.read_text(errors="replace").splitlines()
        said = [line for line in lines if "Assertion" in line or "ERROR" in line] or lines[-1:]
        return {"died": f"ends with {code}: {said[0] if said else 'nothing is said'}"}

    def pair(self) -> Pair | None:
        """What the process worked on."""
        try:
            found = decode(self.record.read_text())
        except (OSError, ValueError, EOFError):
            return None
        return found if isinstance(found, Pair) else None

    def close(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            for pipe in (self.process.stdin, self.process.stdout):
                if pipe:
                    pipe.close()
        self.folder.cleanup()


def run_seed(child: Child, seed: int, share: float, known: Iterable[str], result: Result) -> None:
    """Check one pair. A crash of a kind that is not known yet is made small."""
    answer = child.ask({"seed": seed, "share": share})
    result.counts.update(answer.get("counts", {}))
    result.counts["pairs"] += 1
    message = answer.get("failure") or answer.get("died", "")
    bug = known_bug(message)
    if bug:
        result.counts[f"known bug: {bug}"] += 1
    elif "died" in answer:
        kind = signature(message)
        pair = child.pair()
        if pair is not None and kind not in known:
            pair = shrink(pair, lambda tried: _dies(child, tried, kind), _SHRINK_SECONDS)
        text = describe(pair) if pair is not None else "no pair was drawn"
        result.failures.append(Failure(seed, kind, message, text))
    elif message:
        result.failures.append(Failure(seed, answer["kind"], message, answer["pair"]))


def _dies(child: Child, pair: Pair, kind: str) -> bool:
    return signature(child.ask({"pair": encode(pair)}).get("died", "")) == kind


def run(
    seeds: Iterable[int],
    *,
    jobs: int = 1,
    compile_share: float = 0.33,
    progress: Callable[[Result, int], None] = lambda result, done: None,
    found: Callable[[Failure], None] = lambda failure: None,
) -> Result:
    """Check the pairs of these seeds. `found` is told the first failure of each kind at once."""
    result, lock = Result(), threading.Lock()
    pending = iter(seeds)
    kinds: set[str] = set()
    done = 0

    def work() -> None:
        nonlocal done
        child = Child()
        try:
            while True:
                with lock:
                    seed = next(pending, None)
                if seed is None:
                    return
                own = Result()
                run_seed(child, seed, compile_share, kinds, own)
                with lock:
                    done += 1
                    result.counts += own.counts
                    result.failures += own.failures
                    for failure in own.failures:
                        if failure.kind not in kinds:
                            kinds.add(failure.kind)
                            found(failure)
                    progress(result, done)
        finally:
            child.close()

    threads = [threading.Thread(target=work) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return result


def show(failure: Failure) -> str:
    """A failure, and the pair that repeats it."""
    return f"=== seed {failure.seed}: {failure.message}\n{failure.pair}\n"


def counts(result: Result) -> str:
    """Statistics, and the seeds of each kind of failure."""
    lines = [f"{count:8} {name}" for name, count in sorted(result.counts.items())]
    kinds: dict[str, list[int]] = {}
    for failure in sorted(result.failures, key=lambda each: each.seed):
        kinds.setdefault(failure.kind, []).append(failure.seed)
    for kind, seeds in kinds.items():
        lines.append(f"{len(seeds):8} failed: {kind} (seeds {', '.join(map(str, seeds[:10]))})")
    return "\n".join(lines)
