"""`coconet check` of a folder: what belongs together, what it says, its exit codes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from coconet_mlir.cli import main

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ADAM = (EXAMPLES / "adam/base.mlir").read_text()
SPLIT = (EXAMPLES / "adam/rs_opt_ag.mlir").read_text()
ATTENTION = (EXAMPLES / "attention/base.mlir").read_text()
SCRIPT = """module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    STEPS
    transform.yield
  }
}
"""
PRODUCT = """func.func @f(%a: tensor<3x3xf32>, %b: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %0 = coconet.matmul %a, %b {coconet.name = "ab"}
    : tensor<3x3xf32>, tensor<3x3xf32> -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}
"""
# What a schedule of ours cannot do.
TRANSPOSE = """%ab = transform.coconet.match "ab" in %root
      : (!transform.any_op) -> !transform.any_op
    transform.annotate %ab "transpose_rhs" : !transform.any_op"""


@pytest.fixture
def check(capsys, tmp_path):
    """Writes files and checks their folder; gives exit code, output and errors."""

    def run(files: dict[str, str], *options: str) -> tuple[int, str, str]:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        code = main(["check", str(tmp_path), *options])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return code, captured.out, captured.err

    return run


def rows(out: str) -> list[list[str]]:
    """Program, schedule and result of each line of the table."""
    table = out.split("\n\n")[0].splitlines()
    assert table[0].split() == ["program", "schedule", "result"]
    return [line.split(maxsplit=2) for line in table[1:]]


def test_examples_pass(capsys):
    assert main(["check", str(EXAMPLES / "sgd")]) == 0
    table = rows(capsys.readouterr().out)
    assert [row[1] for row in table] == [
        path.name for path in sorted((EXAMPLES / "sgd").iterdir()) if path.name != "base.mlir"
    ]
    assert all(row[0] == "base.mlir" for row in table)
    assert all(row[2].startswith("equivalent on 3 ranks (2 results, ") for row in table)


def test_folders_within_and_several_programs(check):
    files = {
        "a/one.mlir": ADAM,
        "a/split.mlir": SPLIT,
        "b/x.mlir": ADAM,
        "b/x.y.mlir": ADAM,
        "b/x.first.mlir": SPLIT,
        "b/x.y.second.mlir": SPLIT,
        "alone.mlir": ATTENTION,
        "notes.txt": "no program",
    }
    code, out, err = check(files)
    assert (code, err) == (0, "")
    assert [row[:2] for row in rows(out)] == [
        ["a/one.mlir", "a/split.mlir"],
        ["alone.mlir", "-"],
        ["b/x.mlir", "b/x.first.mlir"],
        ["b/x.y.mlir", "b/x.y.second.mlir"],
    ]
    assert out.endswith("3 schedules of 4 programs: all passed\n")


def test_ranks_axes_and_sizes_go_to_the_programs_that_have_them(check):
    files = {"a/p.mlir": ADAM, "a/s.mlir": SPLIT, "b/p.mlir": ATTENTION, "b/s.mlir": SCRIPT}
    files["b/s.mlir"] = SCRIPT.replace("STEPS", "")
    _, out, _ = check(files, "--ranks", "5", "--sizes", "n=7,b=1,s=1,h=2")
    assert ["(4 results, 22 elements" in row[2] for row in rows(out)] == [True, False]
    assert all(row[2].startswith("equivalent on 5 ranks") for row in rows(out))
    _, out, _ = check({}, "--mesh", "dp=2")
    assert [row[2].split(" (")[0] for row in rows(out)] == [
        "equivalent on 2 ranks",
        "equivalent on 3 ranks",
    ]
    code, _, err = check({}, "--mesh", "pp=2")
    assert code == 1 and "no program has axis 'pp'; the names in use are dp, tp" in err
    code, _, err = check({}, "--sizes", "q=2")
    assert code == 1 and "no program has size 'q'; the names in use are b, h, n, s" in err


def test_a_schedule_that_is_refused_or_differs_fails(check):
    files = {"p.mlir": ADAM, "good.mlir": SPLIT, "refused.mlir": SPLIT.replace('"g_p"', '"q"')}
    code, out, _ = check(files)
    assert code == 1
    assert [row[2].split(" on ")[0] for row in rows(out)] == ["equivalent", "error"]
    assert "2 schedules of 1 program: 1 failed" in out
    assert "no op is named 'q'" in out
    files = {"f/p.mlir": PRODUCT, "f/wrong.mlir": SCRIPT.replace("STEPS", TRANSPOSE)}
    code, out, _ = check(files)
    assert code == 1
    assert [row[2].split(" on ")[0] for row in rows(out)][:1] == ["not equivalent"]
    assert "wrong.mlir: not equivalent on 1 rank: result 0: values differ" in out


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"notes.txt": ""}, "no program in"),
        ({"s.mlir": SPLIT}, "no program lies beside this schedule"),
        ({"a.mlir": ADAM, "b.mlir": ADAM, "s.mlir": SPLIT}, "2 programs lie beside this schedule"),
        ({"bad.mlir": "func.func @f("}, "bad.mlir"),
        ({"a.mlir": ADAM, "bad.mlir": "what"}, "bad.mlir:1:1: error:"),
        ({"a.mlir": PRODUCT, "s.mlir": SPLIT}, "no op is named 'g_p'"),
        ({"a.mlir": "module {}", "s.mlir": SPLIT}, "no function is in this file"),
    ],
)
def test_mistakes_are_told(check, files, message):
    code, out, err = check(files)
    assert code == 1
    assert message in out + err


def test_files_that_cannot_be_read(check, tmp_path):
    os.symlink(tmp_path / "nowhere", tmp_path / "gone.mlir")
    (tmp_path / "folder.mlir").mkdir()
    code, out, _ = check({"p.mlir": ADAM, "s.mlir": SPLIT})
    assert code == 1
    assert "gone.mlir: No such file or directory" in out
    assert "folder.mlir" not in out and "1 schedule of 1 program: 1 failed" in out


@pytest.mark.parametrize("option", [["--schedule", "s.mlir"], ["--function", "adam"]])
def test_options_of_a_single_program(check, option):
    code, _, err = check({"p.mlir": ADAM}, *option)
    assert code == 1
    assert "leave --schedule and --function out" in err


def test_what_is_no_program(check, tmp_path):
    os.mkfifo(tmp_path / "pipe.mlir")
    code, out, err = check({"empty.mlir": "", "base.mlir": ADAM, "split.mlir": SPLIT})
    assert code == 1
    assert "no function is in this file" in out + err
    assert "pipe.mlir" not in out
    assert "split.mlir" in out and "1 schedule of 1 program: 1 failed" in out
