"""The watch for values that are not finite: which op, which rank."""

from __future__ import annotations

import subprocess
import sys

import coconet_mlir as cc
import ml_dtypes
import numpy as np
import pytest

MESH = cc.mesh(dp="?")


@cc.program(mesh=MESH)
def quotient(a: cc.local(8, axes="dp"), b: cc.local(8, axes="dp"), p: cc.state(8)):
    q = cc.div(a, b, name="ratio")
    g = cc.all_reduce(q, axes="dp", reduction="sum", name="avg")
    cc.update(p, cc.sub(p, 0.1 * g, name="next"))


def parts(ranks: int) -> list[np.ndarray]:
    return [np.arange(8, dtype=np.float32) for _ in range(ranks)]


def test_a_nan_of_one_rank_is_found_where_it_is_made():
    a, b = parts(3), [part + 1 for part in parts(3)]
    b[1][0] = 0
    with cc.compile(quotient, ranks=3, watch="nonfinite") as exe:
        with pytest.raises(cc.CollectiveError) as failure:
            exe(a=a, b=b)
        text = str(failure.value)
        assert "the result of div 'ratio'" in text
        assert "test_watch.py" in text
        assert "is not finite on rank 1: element 0 of 8 is nan" in text
    # Without the watch it goes through.
    with cc.compile(quotient, ranks=3) as exe:
        exe(a=a, b=b)
        assert np.isnan(exe.read("p")).any()


@pytest.mark.parametrize(("value", "shown"), [(np.inf, "inf"), (-np.inf, "-inf"), (np.nan, "nan")])
def test_an_input_is_blamed_before_what_is_computed_from_it(value, shown):
    a, b = parts(2), [part + 1 for part in parts(2)]
    a[1][5] = value
    with cc.compile(quotient, ranks=2, watch="nonfinite") as exe:
        with pytest.raises(
            cc.CollectiveError, match=f"argument 'a' .*not finite on rank 1: element 5 .* {shown}"
        ):
            exe(a=a, b=b)


def test_a_state_is_watched():
    with cc.compile(quotient, ranks=2, watch="nonfinite") as exe:
        exe.init(p=[np.inf] + [0] * 7)
        with pytest.raises(cc.CollectiveError, match="argument 'p' .* element 0 of 8 is inf"):
            exe(a=parts(2), b=[part + 1 for part in parts(2)])


@pytest.mark.parametrize(
    ("dtype", "large"), [("f16", 6e4), ("bf16", 3e38), ("f32", 3e38), ("f64", 1e308)]
)
def test_an_overflow_of_each_type(dtype, large):
    kind = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}

    @cc.program
    def square(x: cc.tensor("n", dtype)):
        y = cc.mul(x, 0.5, name="half")
        return cc.add(cc.mul(y, 8.0, name="eight"), 1.0, name="more")

    x = np.ones(5000, kind[dtype])
    with cc.compile(square, watch="nonfinite") as exe:
        exe(x=x)
        x[4999] = large
        with pytest.raises(
            cc.CollectiveError, match="the result of mul 'eight' .* element 4999 of 5000 is inf"
        ):
            exe(x=x)


def test_ops_of_a_fused_region_are_told_apart():
    schedule = cc.Schedule(quotient).fuse_allreduce()
    a, b = [np.full(8, -1e38, np.float32)] * 2, [np.ones(8, np.float32)] * 2
    with schedule.compile(ranks=2, watch="nonfinite") as exe:
        exe(a=a, b=b)
        exe.init(p=np.full(8, 3.4e38, np.float32))
        with pytest.raises(cc.CollectiveError, match="the result of sub 'next' .* is inf"):
            exe(a=a, b=b)


def test_a_run_goes_on_after_a_failure():
    with cc.compile(quotient, ranks=2, watch="nonfinite") as exe:
        b = [part + 1 for part in parts(2)]
        with pytest.raises(cc.CollectiveError):
            exe(a=[np.full(8, np.inf, np.float32)] * 2, b=b)
        exe.init(p=np.zeros(8, np.float32))
        exe(a=parts(2), b=b)
        assert np.isfinite(exe.read("p")).all()


def test_nothing_is_watched_unless_asked():
    with pytest.raises(cc.InputError, match="watch='nan' is unknown"):
        cc.compile(quotient, ranks=2, watch="nan")


def test_the_command_line(tmp_path):
    program = tmp_path / "p.mlir"
    program.write_text(
        'func.func @f(%x: tensor<4xf32> {coconet.arg_name = "x"}) -> tensor<4xf32> {\n'
        "  %0 = coconet.sub %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>\n"
        "  %1 = coconet.log %0 : tensor<4xf32> -> tensor<4xf32>\n"
        "  return %1 : tensor<4xf32>\n}\n"
    )
    command = [sys.executable, "-m", "coconet_mlir.cli", "run", str(program)]
    assert subprocess.run(command, capture_output=True).returncode == 0
    watched = subprocess.run([*command, "--watch", "--no-check"], capture_output=True, text=True)
    assert watched.returncode == 1
    assert "the result of log" in watched.stderr and "is -inf" in watched.stderr
