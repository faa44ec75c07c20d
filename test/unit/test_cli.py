"""The command line: what it prints, what it writes, its exit codes."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from coconet_mlir.cli import main

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ADAM = str(EXAMPLES / "data_parallel_adam.mlir")
SCHEDULES = sorted(str(path) for path in EXAMPLES.glob("data_parallel_adam.*.mlir"))


@pytest.fixture
def command(capsys):
    """Runs a command line; gives exit code, output and errors."""

    def run(*arguments: str) -> tuple[int, str, str]:
        try:
            code = main(arguments)
        except SystemExit as stopped:
            code = stopped.code
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return code, captured.out, captured.err

    return run


def test_help_loads_nothing_heavy():
    script = (
        "import sys; from coconet_mlir.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "print('heavy' if {'numpy', 'xdsl', 'coconet_mlir.ir'} & set(sys.modules) else 'light')"
    )
    start = time.perf_counter()
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert shown.stdout.endswith("light\n")
    assert time.perf_counter() - start < 5
    for name in ("run", "check", "show"):
        assert name in shown.stdout


def test_without_arguments_it_helps(command):
    code, out, _ = command()
    assert code == 0 and "usage: coconet" in out


def test_show_names_layouts_and_communication(command):
    code, out, _ = command("show", ADAM, "--schedule", SCHEDULES[1])
    assert code == 0
    assert "state, dimension 0 cut by dp" in out
    assert "reduce_scatter" in out


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_check_accepts_each_schedule(command, schedule):
    code, out, _ = command("check", ADAM, "--schedule", schedule, "--ranks", "3", "--sizes", "n=10")
    assert code == 0
    assert out.startswith("equivalent on 3 ranks")


def test_check_of_what_is_no_schedule_of_the_program(command, tmp_path):
    script = tmp_path / "other.mlir"
    script.write_text(Path(SCHEDULES[0]).read_text().replace('"avg"', '"average"'))
    code, _, err = command("check", ADAM, "--schedule", str(script), "--ranks", "2")
    assert code == 1
    assert "no op is named 'average'" in err and str(script) in err


@pytest.mark.parametrize("schedule", [None, *SCHEDULES])
def test_run_reads_and_writes_arrays(command, tmp_path, schedule):
    inputs, outputs = tmp_path / "in.npz", tmp_path / "out.npz"
    g = np.ones((4, 10), np.float32)
    np.savez(inputs, g=g, p=np.full(10, 2, np.float32))
    options = ["--schedule", schedule] if schedule else []
    code, out, err = command(
        *("run", ADAM, "--ranks", "4", "--inputs", str(inputs), "--outputs", str(outputs)),
        *("--steps", "2", "--check", *options),
    )
    assert (code, err) == (0, "")
    assert "results equal those of the reference interpreter" in out
    assert ("schedule: equivalent on 4 ranks" in out) == bool(schedule)
    assert "state t: i32[] = 2" in out
    with np.load(outputs) as held:
        assert sorted(held.files) == ["m", "p", "t", "v"]
        np.testing.assert_allclose(held["p"], 2 - 2e-3, rtol=1e-5)


def test_run_makes_inputs_up(command):
    code, out, _ = command("run", ADAM, "--mesh", "dp=2", "--sizes", "n=100")
    assert code == 0
    assert "inputs are random, n = 100" in out
    assert "state p: f32[100], mean" in out


def test_run_stores_bf16(command, tmp_path):
    program = tmp_path / "twice.mlir"
    program.write_text("""
      func.func @twice(%x: tensor<?xbf16> {coconet.arg_name = "x"})
          -> (tensor<?xbf16> {coconet.result_name = "y"}) {
        %0 = coconet.add %x, %x : tensor<?xbf16>, tensor<?xbf16> -> tensor<?xbf16>
        return %0 : tensor<?xbf16>
      }
    """)
    inputs, outputs = tmp_path / "in.npz", tmp_path / "out.npz"
    np.savez(inputs, x=np.arange(3).astype(ml_dtypes.bfloat16))
    code, _, err = command(
        *("run", str(program), "--inputs", str(inputs), "--outputs", str(outputs), "--check")
    )
    assert (code, err) == (0, "")
    with np.load(outputs) as held:
        assert held["y"].view(ml_dtypes.bfloat16).tolist() == [0, 2, 4]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", "missing.mlir"], "error: cannot read missing.mlir: No such file or directory"),
        (["show", ADAM, "--function", "f"], "no function @f; functions here: adam"),
        (["run", ADAM], "axis 'dp' has no size"),
        (["run", ADAM, "--mesh", "tp=2"], "unknown axis 'tp'"),
        (["run", ADAM, "--ranks", "2", "--inputs", "missing.npz"], "cannot read missing.npz"),
        (["run", ADAM, "--ranks", "2", "--inputs", ADAM], "is no .npz file"),
        (["run", ADAM, "--ranks", "2", "--schedule", "missing.mlir"], "cannot read missing.mlir"),
        (["run", ADAM, "--ranks", "2", "--outputs", "/nowhere/x.npz"], "cannot write /nowhere"),
        (["check", ADAM, "--ranks", "2"], "no schedule is given for"),
        (["run", ADAM, "--ranks", "two"], "'two' is no positive number"),
        (["run", ADAM, "--ranks", "2", "--mesh", "dp=2"], "not allowed with"),
        (["walk", ADAM], "invalid choice: 'walk'"),
        (["run", ADAM, "--ranks", "²"], "'²' is no positive number"),
        (["run", ADAM, "--ranks", "9" * 20], "is no positive number"),
        (["run", ADAM, "--mesh", "dp=2,dp=3"], "'dp' is given twice"),
        (["run", ADAM, "--ranks", "2", "--sizes", "q=7"], "unknown size 'q'"),
        (["run", ADAM, "--ranks", "2", "--sizes", "n=-1"], "'n=-1' is no size; write n=1000"),
        (["run", ADAM, "--ranks", "2", "--sizes", f"n={10**15}"], "error: out of memory"),
        (["run", ADAM, "--ranks", "2", "--inputs", ""], "cannot read"),
        (["run", ADAM, "--ranks", "2", "--outputs", ""], "cannot write"),
        (["check", ADAM, "--ranks", f"{10**8}", "--schedule", SCHEDULES[0]], "at most 4096"),
        (["check", ADAM, "--ranks", "2", "--schedule", SCHEDULES[0], "--sizes", "q=7"], "size 'q'"),
        (["check", SCHEDULES[0], "--ranks", "2", "--schedule", SCHEDULES[0]], "no op is named"),
        (["show", SCHEDULES[0]], "the program has no public function"),
    ],
)
def test_mistakes_are_told_in_one_line(command, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    code, _, err = command(*arguments)
    assert code in (1, 2)
    assert message in err


def test_inputs_that_do_not_fit(command, tmp_path):
    path = tmp_path / "in.npz"
    for arrays, message in [
        ({"x": np.zeros(3)}, "unknown argument 'x'; the program has g, p, m, v, t"),
        ({"p": np.zeros(3, np.float32)}, "no array for g"),
        ({"g": np.zeros((2, 3))}, "'g' is an array of f64"),
        ({"g": np.zeros((3, 3), np.float32)}, "'g' has 3 arrays, but there are 2 positions"),
    ]:
        np.savez(path, **arrays)
        code, _, err = command("run", ADAM, "--ranks", "2", "--inputs", str(path))
        assert code == 1
        assert message in err


def test_a_file_of_one_array(command, tmp_path):
    np.save(tmp_path / "one.npy", np.zeros(3))
    code, _, err = command("run", ADAM, "--ranks", "2", "--inputs", str(tmp_path / "one.npy"))
    assert code == 1 and "holds one array" in err


@pytest.mark.parametrize("workload", ["mlp", "pipeline", "sequence_parallel"])
def test_large_values_are_compared_at_their_magnitude(command, workload):
    base = str(EXAMPLES / workload / "base.mlir")
    assert command("run", base, "--ranks", "2", "--check")[0] == 0


def test_a_narrow_wire_is_compared_as_narrow(command):
    wire = str(EXAMPLES / "adam" / "fuse_rs_opt_ag_fp16_wire.mlir")
    base = str(EXAMPLES / "adam" / "base.mlir")
    code, out, _ = command("run", base, "--schedule", wire, "--ranks", "3", "--check")
    assert code == 0 and "travel as f16" in out


def test_sizes_without_name_and_empty_ones(command):
    momentum = str(EXAMPLES / "momentum.mlir")
    assert command("run", momentum, "--ranks", "3", "--check")[0] == 0
    assert command("run", ADAM, "--ranks", "2", "--sizes", "n=0", "--check")[0] == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(%a: tensor<4xcomplex<f32>>) { return }", "unknown element type 'complex<f32>'"),
        ("(%a: tensor<*xf32>) { return }", r"unknown element type 'tensor<*xf32>'"),
        ("(%a: tensor<4xf32>) { cf.br ^b\n ^b:\n return }", "@f has 2 blocks"),
        (
            '(%a: tensor<4xf32> {coconet.arg_name = "x"}, '
            '%b: tensor<4xf32> {coconet.arg_name = "x"}) { return }',
            "are called 'x'",
        ),
    ],
)
def test_programs_that_are_not_run(command, tmp_path, text, message):
    path = tmp_path / "f.mlir"
    path.write_text(f"func.func @f{text}")
    code, _, err = command("run", str(path))
    assert code == 1 and message in err


def test_arrays_of_any_name_in_a_module_with_attributes(command, tmp_path):
    path, output = tmp_path / "f.mlir", tmp_path / "out.npz"
    path.write_text("""
      module @m attributes {coconet.mesh = #coconet.mesh<dp = 2>} {
        func.func @"f \u00e9"(
            %a: tensor<2xf32> {coconet.arg_name = "steps"},
            %b: tensor<2xf32> {coconet.arg_name = "self"},
            %c: tensor<2xf32> {coconet.arg_name = "\u00fc 1"})
            -> (tensor<2xf32> {coconet.result_name = "file"}) {
          %0 = coconet.add %a, %b : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
          return %0 : tensor<2xf32>
        }
      }
    """)
    code, _, err = command("run", str(path), "--outputs", str(output), "--check")
    assert (code, err) == (0, "")
    with np.load(output) as held:
        assert held["file"].shape == (2,)


def test_an_interrupt_ends_a_long_loop():
    line = ["run", ADAM, "--ranks", "2", "--steps", str(10**12)]
    # Whoever starts the tests in the background may have it ignored.
    handled = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    script = f"import sys; {handled}; from coconet_mlir.cli import main; sys.exit(main({line!r}))"
    process = subprocess.Popen(
        [sys.executable, "-uc", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline().startswith("inputs are random")
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, err) == (130, "error: interrupted\n")


def test_output_that_nobody_reads():
    script = f"import sys; from coconet_mlir.cli import main; sys.exit(main(['show', {ADAM!r}]))"
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(timeout=20) == 1


def test_default_sizes_are_small(capsys):
    path = str(Path(__file__).resolve().parents[2] / "examples/attention/base.mlir")
    assert main(["run", path, "--ranks", "2"]) == 0
    assert "b = 64, h = 64, s = 64" in capsys.readouterr().out
