"""The README says what is so: its programs stand in examples, its commands run."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
BIN = Path(sys.executable).parent


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def commands() -> list[str]:
    lines = [line.split("#")[0].strip() for block in blocks("sh") for line in block.splitlines()]
    return [line for line in lines if line]


def test_program_is_the_quick_start():
    (program,) = blocks("python")
    assert program.strip() in (ROOT / "examples/quickstart.py").read_text()


def test_ir_is_that_of_the_example():
    before, after = blocks("mlir")
    example = (ROOT / "examples/momentum.mlir").read_text()
    assert before.strip() in example
    checks = re.findall(r"^// CHECK(?:-NEXT)?: (.*)$", example, re.MULTILINE)
    assert after.strip().splitlines() == checks


@pytest.mark.parametrize("command", [c for c in commands() if c.startswith(".venv/bin/")])
def test_command(command):
    tool, *arguments = shlex.split(command)
    run = subprocess.run(
        [str(BIN / Path(tool).name), *arguments], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout


@pytest.mark.parametrize("command", [c for c in commands() if c.startswith("make ")])
def test_make_target_exists(command):
    target = shlex.split(command)[1]
    run = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True)
    assert re.search(rf"make {target} ", run.stdout)


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)#]+)\)", README))
def test_link_leads_somewhere(link):
    assert (ROOT / link).exists()
