"""The example of docs/stages.md runs."""

from __future__ import annotations

import re
from pathlib import Path

import coconet_mlir as cc
import numpy as np

PAGE = Path(__file__).resolve().parents[2] / "docs/stages.md"


def test_the_example_runs(tmp_path):
    (source,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    path = tmp_path / "stages_example.py"
    path.write_text(source)
    names: dict = {}
    exec(compile(source, str(path), "exec"), names)
    x = np.arange(-8, 16, dtype=np.float32).reshape(3, 8)
    bias = np.ones(3, np.float32)
    with cc.compile(names["program"], ranks=2) as exe:
        assert exe.ranks == 4
        total = exe(x=x, bias=bias)["total"]
    assert total.tolist() == (np.maximum(x, 0).sum(axis=1) + 1).tolist()
