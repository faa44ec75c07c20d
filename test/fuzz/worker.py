"""A child process of a campaign: `python -m fuzz.worker`.

Reads a request a line, as JSON, and answers with a line. Before anything that could end the process
it writes the pair at hand to a file, so that its parent knows what it was.
"""

from __future__ import annotations

import base64
import json
import os
import pickle
import sys
from pathlib import Path

from fuzz.known import known_bug
from fuzz.pairs import Outcome, Pair, check, draw_pair
from fuzz.recipe import source
from fuzz.shrink import shrink

_SHRINK_SECONDS = 30


def encode(value: object) -> str:
    """A value as text."""
    return base64.b64encode(pickle.dumps(value)).decode()


def decode(text: str) -> object:
    """The value of a text."""
    return pickle.loads(base64.b64decode(text))


def signature(failure: str) -> str:
    """What failures of one cause have in common."""
    import re

    first = next((line for line in failure.splitlines() if line.strip()), "")
    first = re.sub(r"\S*recipe\.py:\d+:\d+: ", "", first)
    first = re.sub(r"\{[^}]*\}|\[[^]]*\]", "_", first)
    first = re.sub(r"'[^']*'|\"[^\"]*\"", "_", first)
    return re.sub(r"-?\d+(\.\d+)?(e[+-]?\d+)?|\b(nan|inf|True|False)\b", "N", first)[:90]


def describe(pair: Pair) -> str:
    """A pair as Python that repeats it."""
    steps = "".join(map(repr, pair.steps))
    meshes = ", ".join(map(str, pair.meshes))
    return (
        f"{source(pair.recipe)}\n\nschedule = f.schedule(){steps}\n"
        f"# seed {pair.seed}, meshes {meshes}, sizes {pair.recipe.sizes}"
    )


class Worker:
    """Answers requests; `record` is the file of the pair at hand."""

    def __init__(self, record: Path) -> None:
        self.record = record

    def watch(self, pair: Pair) -> None:
        """Keep a pair for the case that it ends this process."""
        self.record.write_text(encode(pair))

    def draw(self, seed: int, share: float) -> dict[str, object]:
        """Draw and check a pair; a failing one is shrunk."""
        outcome = draw_pair(seed, share, self.watch)
        counts = dict(outcome.counts)
        failure = outcome.failure
        if not failure or known_bug(failure):
            return {"counts": counts, "failure": failure}
        kind = signature(failure)

        def fails(pair: Pair) -> bool:
            self.watch(pair)
            return signature(check(pair).failure) == kind

        self.watch(outcome.pair)
        small = shrink(outcome.pair, fails, _SHRINK_SECONDS)
        return {
            "counts": counts,
            "failure": check(small).failure or failure,
            "kind": kind,
            "pair": describe(small),
        }

    def check(self, pair: Pair) -> dict[str, object]:
        """Check a pair that is given."""
        found: Outcome = check(pair, self.watch)
        return {"counts": {}, "failure": found.failure}


def main() -> None:
    """Answer until the input ends."""
    worker = Worker(Path(sys.argv[1]))
    # What compiled code or a library prints goes to the log, not between the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        request = json.loads(line)
        if "pair" in request:
            pair = decode(request["pair"])
            assert isinstance(pair, Pair)
            answer = worker.check(pair)
        else:
            answer = worker.draw(request["seed"], request["share"])
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
