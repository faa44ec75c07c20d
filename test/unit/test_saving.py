"""Training state in files: bit by bit, into other ranks and schedules, whole or absent."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import coconet_mlir as cc
import ml_dtypes
import numpy as np
import pytest
from coconet_mlir.cli import main
from coconet_mlir.dtypes import NAMES, is_float, to_numpy
from safetensors.numpy import load_file, save_file

DP = cc.mesh(dp="?")
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ADAM = str(EXAMPLES / "data_parallel_adam.mlir")
SLICED = str(EXAMPLES / "data_parallel_adam.fused_sliced.mlir")
VECTOR = cc.state("n")


@cc.program(mesh=DP)
def adam(g: cc.partial("n", dp="sum"), p: VECTOR, m: VECTOR, v: VECTOR, t: cc.state()):
    step = cc.update(t, t + 1.0)
    fixes = 1.0 - 0.5**step, 1.0 - 0.25**step
    average = cc.all_reduce(g, name="avg")
    with cc.named("opt"):
        new_m = 0.5 * m + 0.5 * average
        new_v = 0.75 * v + 0.25 * average * average
        new_p = p - 0.125 * (new_m / fixes[0]) / (cc.sqrt(new_v / fixes[1]) + 0.5)
    cc.update(m, new_m)
    cc.update(v, new_v)
    cc.update(p, new_p)


STATES = ("p", "m", "v", "t")
SIZE = 37


def schedule(name: str) -> cc.Schedule:
    steps = adam.schedule()
    if name == "AR-Opt":
        return steps
    steps.split("avg").reorder("avg.ag", past="opt")
    if name == "fused, sliced":
        steps.as_slice("m", "v")
    return steps.fuse("avg.rs", "opt", "avg.ag")


def started(name: str, ranks: int) -> cc.Executable:
    return schedule(name).compile(ranks=ranks).init(p=np.linspace(-1, 1, SIZE, dtype=np.float32))


def train(exe: cc.Executable, steps: range) -> None:
    """Whole gradients, whose sums are exact on every number of ranks."""
    for step in steps:
        whole = np.random.default_rng(step).integers(-50, 50, SIZE).astype(np.float32)
        exe(g=np.stack([whole, *[np.zeros_like(whole)] * (exe.ranks - 1)]))


def states(exe: cc.Executable) -> dict[str, bytes]:
    return {name: exe.read(name).tobytes() for name in STATES}


# ===- What is kept ----------------------------------------------------------===


@pytest.mark.parametrize("name", ["AR-Opt", "fused", "fused, sliced"])
@pytest.mark.parametrize("ranks", [1, 3, 5])
def test_training_goes_on_elsewhere(tmp_path, name, ranks):
    path = tmp_path / "adam.safetensors"
    with started("fused, sliced", 2) as first:
        train(first, range(3))
        first.save(path)
        kept = states(first)
        train(first, range(3, 6))
        uninterrupted = {state: first.read(state) for state in STATES}
    with schedule(name).compile(ranks=ranks) as second:
        assert second.load(path) is second
        assert states(second) == kept
        train(second, range(3, 6))
        for state, expected in uninterrupted.items():
            np.testing.assert_allclose(second.read(state), expected, rtol=1e-5, atol=1e-7)


def test_training_goes_on_bit_by_bit_where_it_stopped(tmp_path):
    path = tmp_path / "adam.safetensors"
    with started("fused, sliced", 2) as first:
        train(first, range(2))
        first.save(path)
        train(first, range(2, 5))
        with schedule("fused, sliced").compile(ranks=2) as second:
            train(second.load(path), range(2, 5))
            assert states(second) == states(first)


def keeping(dtype: str, cut: dict | None) -> cc.Program:
    @cc.program(mesh=DP)
    def keep(a: cc.tensor(("n", 3), dtype, cut=cut, state=True), b: cc.state(dtype=dtype)):
        cc.update(b, b)
        cc.update(a, a)

    return keep


@pytest.mark.parametrize("dtype", NAMES)
@pytest.mark.parametrize("cut", [None, {0: "dp"}, {1: "dp"}, {"flat": "dp"}])
def test_every_bit_of_every_type_is_kept(tmp_path, dtype, cut):
    """NaNs with a payload, negative zeros and the like; open sizes, among them 0."""

    rng = np.random.default_rng(0)
    kind = to_numpy(dtype)
    path = tmp_path / "kept.safetensors"
    for size in (0, 1, 7):
        raw = rng.integers(0, 2 if dtype == "i1" else 256, size * 3 * kind.itemsize, np.uint8)
        a = raw.view(kind).reshape(size, 3)
        b = np.array(-0.0 if is_float(dtype) else 1).astype(kind)
        cc.compile(keeping(dtype, cut), ranks=3).init(a=a, b=b).save(path)
        for other in (None, {1: "dp"}):
            exe = cc.compile(keeping(dtype, other), ranks=2).load(path)
            assert exe.read("a").dtype == kind and exe.read("a").shape == (size, 3)
            assert (exe.read("a").tobytes(), exe.read("b").tobytes()) == (a.tobytes(), b.tobytes())


def test_other_tools_read_the_file_and_write_such_files(tmp_path):
    path = tmp_path / "adam.safetensors"
    exe = started("AR-Opt", 2)
    exe.save(path)
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    assert header["__metadata__"] == {
        "format": "coconet-mlir state",
        "format_version": "1",
        "coconet_mlir_version": cc.__version__,
        "program": "adam",
    }
    held = load_file(path)
    assert {name: held[name].shape for name in sorted(held)} == {
        **{name: (SIZE,) for name in ("m", "p", "v")},
        "t": (),
    }
    save_file({**held, "p": np.full(SIZE, 7, np.float32)}, path)
    assert exe.load(path).read("p")[0] == 7


def test_states_that_were_never_set_are_saved_as_zeros(tmp_path):
    path = tmp_path / "adam.safetensors"
    exe = started("fused, sliced", 3)
    exe.save(path)
    assert set(exe.state) == {"p"}
    np.testing.assert_array_equal(exe.load(path).read("m"), np.zeros(SIZE))
    with pytest.raises(cc.InputError, match="the size of state 'p' is not known"):
        cc.compile(adam, ranks=2).save(tmp_path / "other")
    assert os.listdir(tmp_path) == ["adam.safetensors"]


# ===- Files that do not fit ---------------------------------------------------===

HELD = {name: np.ones(SIZE, np.float32) for name in "pmv"} | {"t": np.array(3, np.float32)}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"m": None}, r"no tensor 'm'; the program's state 'm' is \(n,\) of f32, and the file has"),
        ({"q": HELD["p"]}, r"a tensor 'q', \(37,\) of f32; the program's states are p, m, v, t"),
        (
            {"m": HELD["t"]},
            r"tensor 'm' has shape \(\), of 0 dimensions; .* declares \(n,\) of f32",
        ),
        ({"t": HELD["p"]}, r"tensor 't' has shape \(37,\), of 1 dimensions"),
        ({"m": np.ones(36, np.float32)}, "'m' has n = 36 in dimension 0, but 'p' has n = 37"),
        ({"v": np.ones(SIZE)}, r"tensor 'v' is \(37,\) of f64; the program declares \(n,\) of f32"),
        ({"v": np.ones(SIZE, ml_dtypes.bfloat16)}, r"tensor 'v' is \(37,\) of bf16"),
        ({"v": np.ones(SIZE, np.uint8)}, r"tensor 'v' is \(37,\) of u8"),
    ],
)
def test_tensors_that_do_not_fit(tmp_path, change, message):
    path = tmp_path / "other.safetensors"
    changed = {n: a for n, a in {**HELD, **change}.items() if a is not None}
    save_file(changed, path)
    exe = started("fused, sliced", 2)
    train(exe, range(1))
    before = states(exe)
    with pytest.raises(cc.InputError, match=message) as found:
        exe.load(path)
    assert str(path) in str(found.value)
    assert states(exe) == before
    train(exe, range(1, 2))


def test_files_that_are_not_read(tmp_path):
    exe = started("AR-Opt", 2)
    before = exe.read("p").tobytes()
    good = tmp_path / "good"
    exe.save(good)
    whole = good.read_bytes()
    header = int.from_bytes(whole[:8], "little")
    cases = {
        "empty": b"",
        "short": whole[:-1],
        "header": whole[: header // 2],
        "long": whole + b"x",
        "text": b"func.func @f() { return }",
        "huge": (2**60).to_bytes(8, "little") + whole[8:],
    }
    for name, data in cases.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(cc.InputError, match=f"{name} is no safetensors file, or not a whole"):
            exe.load(tmp_path / name)
    for path, message in [
        (tmp_path, "cannot read .*: Is a directory"),
        (tmp_path / "missing", "cannot read .*missing: No such file or directory"),
        (good / "in", "cannot read .*: Not a directory"),
    ]:
        with pytest.raises(cc.InputError, match=message):
            exe.load(path)
    later = {"format": "coconet-mlir state", "format_version": "2"}
    save_file(HELD, tmp_path / "later", later)
    with pytest.raises(cc.InputError, match="has version 2 of the format of states; .* version 1"):
        exe.load(tmp_path / "later")
    assert exe.read("p").tobytes() == before


def test_files_that_are_not_written(tmp_path):
    exe = started("AR-Opt", 2)
    (tmp_path / "file").write_text("")
    for path, message in [
        (tmp_path, "it is no plain file"),
        ("/dev/null", "it is no plain file"),
        (tmp_path / "no" / "x", "No such file or directory"),
        (tmp_path / "file" / "x", "Not a directory"),
    ]:
        with pytest.raises(cc.InputError, match=f"cannot write .*{message}"):
            exe.save(path)
    assert os.listdir(tmp_path) == ["file"]


def test_a_state_of_a_reserved_name(tmp_path):
    program = cc.parse("""
      func.func @f(%s: tensor<2xf32> {coconet.state, coconet.arg_name = "__metadata__"}) {
        %0 = coconet.update %s, %s : tensor<2xf32>
        return
      }
    """)
    exe = cc.compile(program)
    with pytest.raises(cc.InputError, match="a state is called '__metadata__'"):
        exe.init(__metadata__=np.zeros(2, np.float32)).save(tmp_path / "x")


@pytest.fixture
def unprivileged():
    """Without root's rights, for whom nothing is forbidden."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    yield
    os.seteuid(0)


def test_files_without_permission(tmp_path, request):
    exe = started("AR-Opt", 2)
    exe.save(tmp_path / "x")
    (tmp_path / "x").chmod(0)
    tmp_path.chmod(0o500)
    request.getfixturevalue("unprivileged")
    with pytest.raises(cc.InputError, match="cannot read .*: Permission denied"):
        exe.load(tmp_path / "x")
    with pytest.raises(cc.InputError, match="cannot write .*: Permission denied"):
        exe.save(tmp_path / "y")


# ===- Whole or absent ---------------------------------------------------------===


def limited() -> None:
    """As on a full disk: no file grows beyond 64 KiB."""
    import resource

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**16, 2**16))


def test_a_disk_that_is_full(tmp_path):
    path = tmp_path / "state"
    path.write_text("old")
    script = (
        "import sys, numpy as np\n"
        "from coconet_mlir.errors import InputError\n"
        "from coconet_mlir.saving import save_states\n"
        "try: save_states(sys.argv[1], {'a': np.ones(2**20)}, 'f')\n"
        "except InputError as error: print(error)\n"
    )
    line = [sys.executable, "-c", script, str(path)]
    ran = subprocess.run(line, preexec_fn=limited, capture_output=True, text=True, timeout=60)
    assert ran.stdout.startswith(f"cannot write {path}: "), ran
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["state"]


WRITER = """
import sys, numpy as np
from coconet_mlir.saving import save_states
for round in range(10**6):
    save_states(sys.argv[1], {"a": np.full(2**22, round, np.float32)}, "f")
    print(round, flush=True)
"""


@pytest.mark.parametrize("rounds", [0, 1, 2])
def test_a_killed_process_leaves_a_whole_file_or_none(tmp_path, rounds):
    path = tmp_path / "state"
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True
    )
    try:
        for _ in range(rounds):
            process.stdout.readline()
        limit = time.monotonic() + 60
        # In the middle of a write: the temporary file is there.
        while not any(name.endswith(".tmp") for name in os.listdir(tmp_path)):
            assert time.monotonic() < limit and process.poll() is None
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=60)
    assert process.returncode == -signal.SIGKILL
    if path.exists():
        values = load_file(path)["a"]
        assert values.size == 2**22 and np.ptp(values) == 0 and values[0] >= rounds - 1
    else:
        assert rounds == 0


def test_a_link_stays_a_link(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    link.symlink_to(real)
    started("AR-Opt", 2).save(link)
    assert link.is_symlink() and real.is_file()


# ===- The command line ---------------------------------------------------------===


def test_the_command_saves_and_loads(tmp_path, capsys):
    state, more = str(tmp_path / "s"), str(tmp_path / "s2")
    sizes = ["--sizes", "n=10"]
    assert main(["run", ADAM, "--ranks", "4", *sizes, "--steps", "2", "--save-state", state]) == 0
    assert load_file(state)["t"] == 2
    line = ["run", ADAM, "--ranks", "3", "--schedule", SLICED, "--load-state", state]
    assert main([*line, "--save-state", more, "--check"]) == 0
    out = capsys.readouterr().out
    assert "inputs are random, n = 10" in out
    assert "state t: i32[] = 3" in out
    assert "results equal those of the reference interpreter" in out
    assert load_file(more)["t"] == 3


def test_the_command_does_not_take_a_state_twice(tmp_path, capsys):
    state, inputs = str(tmp_path / "s"), str(tmp_path / "in.npz")
    main(["run", ADAM, "--ranks", "2", "--sizes", "n=4", "--save-state", state])
    arrays = {"g": np.ones((2, 4), np.float32)}
    np.savez(inputs, **arrays)
    line = ["run", ADAM, "--ranks", "2", "--inputs", inputs, "--load-state", state]
    assert main(line) == 0
    np.savez(inputs, **arrays, m=np.zeros(4, np.float32))
    assert main(line) == 1
    assert f"state 'm' is in {inputs} and in {state}; give it once" in capsys.readouterr().err
