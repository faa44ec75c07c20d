"""The builder: what it makes, and how it reports what is wrong."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import coconet_mlir as cc
import numpy as np
import pytest

MESH = cc.mesh(dp=2, tp=4)


def line_of(text: str) -> int:
    """The line of this file that holds a text, for the first time."""
    lines = Path(__file__).read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if text in line)


def test_ports_tell_what_was_declared():
    @cc.program(mesh=cc.mesh(dp="?"))
    def step(g: cc.partial("n", dp="sum"), p: cc.state("n", 4, dtype="bf16"), x: cc.tensor(())):
        return {"loss": x, "sum": cc.all_reduce(g)}

    signature = step.signature()
    assert [str(port) for port in signature.arguments] == [
        "g: nxf32, pending sum over dp",
        "p: nx4xbf16, state, replicated",
        "x: f32, replicated",
    ]
    assert [port.name for port in signature.results] == ["loss", "sum"]
    assert signature.mesh.sizes == {"dp": None}
    assert [port.name for port in signature.states] == ["p"]
    assert repr(step) == "Program(@step)"


def test_text_of_a_program_is_the_program():
    @cc.program(mesh=MESH)
    def f(x: cc.sliced("b", 8, dp=0, tp=1)):
        return cc.all_gather(cc.tanh(x), 1)

    again = cc.parse(str(f))
    assert str(again) == str(f)
    assert again.signature() == f.signature()
    assert '"coconet.all_gather"' in f.generic()


def test_operators_and_numbers():
    @cc.program
    def f(x: cc.tensor("n"), i: cc.tensor("n", "i32")):
        y = 2 * x + 1 - x / 3 - (-x) ** 2 + abs(1 - x) + 2**x + 1 / x + np.float32(1) * x
        j = 3 - i * 2 + i
        return y, j, x < 1, x <= y, 0 > x, x >= y

    text = str(f)
    assert text.count("coconet.constant dense<2.000000e+00> : tensor<f32>") == 1
    assert "coconet.constant dense<2> : tensor<i32>" in text
    assert [port.dtype for port in f.signature().results] == ["f32", "i32"] + ["i1"] * 4


def test_dropouts_of_a_seed_have_streams_of_their_own():
    def streams(program):
        return [int(n) for n in re.findall(r"stream = (\d+)", program.generic())]

    def drop(x, step, **options):
        return cc.dropout(x, step=step, rate=0.5, **options)

    def body(x, step):
        first = drop(x, step, stream=1), drop(x, step), drop(x, step), drop(x, step, seed=7)

        return *first, cc.loop(2, lambda _, y: drop(y, step), x), drop(x, step, stream=0)

    given = {"x": cc.tensor(8), "step": cc.tensor((), "i32")}
    assert streams(cc.trace(body, **given)) == [1, 0, 2, 0, 3, 0]

    def send(x, step):
        cc.send(drop(x, step), "c")

    def receive(step):
        received = cc.recv("c", like=cc.tensor(8))
        return (cc.loop(1, lambda _, y: drop(y, step), received),)

    specs = {"send": given, "receive": {"step": given["step"]}}
    stages = cc.trace_stages({"send": send, "receive": receive}, mesh=cc.mesh(tp=1), specs=specs)
    assert streams(stages) == [0, 1]


def test_every_operation_of_one_rank():
    @cc.program
    def f(
        x: cc.tensor((4, 6)),
        y: cc.tensor((6, 4)),
        s: cc.state(4, 6),
        step: cc.tensor((), "i32"),
    ):
        for function in (cc.neg, cc.abs, cc.sqrt, cc.rsqrt, cc.exp, cc.log, cc.tanh, cc.sigmoid):
            x = function(x)
        for function in (cc.relu, cc.gelu, cc.silu):
            x = function(x, name="activation")
        for function in (cc.add, cc.sub, cc.mul, cc.div, cc.pow, cc.max, cc.min):
            x = function(x, 2.0)
        chosen = cc.select(cc.compare("ne", x, 0), x, 1.0)
        chosen = cc.select(cc.is_finite(chosen), chosen, x)
        half = cc.cast(chosen, "f16")
        dropped = cc.dropout(x, step=step, rate=0.5, seed=3, stream=1)
        product = x @ y + cc.matmul(x, x, transpose_rhs=True)
        both = cc.concat([cc.reshape(x, (24,)), cc.reshape(y, (24,))], 0)
        parts = cc.slice(both, [2], [10], [3]), cc.slice(x, [0, 1], [-1, 2])
        table = cc.constant(np.arange(6, dtype=np.float32)) + cc.cast(cc.iota((4, 6), 1), "f32")
        turned = cc.transpose(cc.broadcast_to(cc.constant([[1.5], [2]]), (3, 2, 6)), (2, 0, 1))
        total = cc.reduce("mean", cc.softmax(x, 1), [0], keep_dims=True)
        return half, dropped, product, *parts, table, turned, total, cc.norm(x), cc.update(s, x)

    assert [port.shape for port in f.signature().results] == [
        (4, 6),
        (4, 6),
        (4, 4),
        (10,),
        (4, 2),
        (4, 6),
        (6, 3, 2),
        (1, 6),
        (),
        (4, 6),
    ]
    assert cc.parse(str(f)).signature() == f.signature()


def test_every_collective():
    seen = {}

    @cc.program(mesh=MESH)
    def f(
        g: cc.partial(8, 16, dp="sum", tp="sum"),
        x: cc.tensor((8, 16)),
        each: cc.local(8, 16, axes=("dp", "tp")),
        at: cc.tensor((8,), rooted={"dp": 1}),
    ):
        seen["all"] = cc.all_reduce(g)
        seen["tp"] = cc.all_reduce(g, axes="tp")
        seen["scattered"] = cc.reduce_scatter(g, 1, axes=["dp", "tp"])
        seen["flat"] = cc.reduce_scatter(g, "flat")
        seen["whole"] = cc.all_gather(seen["flat"], "flat")
        seen["sharded"] = cc.shard(x, "tp")
        seen["moved"] = cc.all_to_all(seen["sharded"], 0, 1)
        seen["maximum"] = cc.all_reduce(each, axes="dp", reduction="max")
        seen["grouped"] = cc.all_reduce(each, groups=[[0, 2, 4, 6], [1, 3, 5, 7]])
        seen["sent"] = cc.broadcast(at, 1)

    layouts = {name: tensor.layout.describe() for name, tensor in seen.items()}
    assert layouts == {
        "all": "replicated",
        "tp": "pending sum over dp",
        "scattered": "dimension 1 cut by dp, tp",
        "flat": "flattening cut by dp, tp",
        "whole": "replicated",
        "sharded": "dimension 0 cut by tp",
        "moved": "dimension 1 cut by tp",
        "maximum": "local along tp",
        "grouped": "local along dp, tp",
        "sent": "replicated",
    }
    assert repr(seen["moved"]) == "Tensor(8x16, f32, dimension 1 cut by tp)"


def test_names_are_given_by_block_or_call():
    @cc.program
    def f(x: cc.tensor("n")):
        with cc.named("outer"):
            y = x + 1
            with cc.named("inner"):
                y = y * y
        return cc.exp(y, name="last")

    text = str(f)
    for op, name in [("add", "outer"), ("mul", "inner"), ("exp", "last")]:
        line = next(line for line in text.splitlines() if f"coconet.{op}" in line)
        assert f'coconet.name = "{name}"' in line
    assert "coconet.name" not in next(line for line in text.splitlines() if "constant" in line)


def test_mesh_of_a_program_without_layouts():
    @cc.program(mesh=MESH)
    def f(x: cc.tensor(8)):
        return cc.all_gather(cc.shard(x, ("dp", "tp")))

    assert f.signature().mesh == MESH


# ===- Errors ----------------------------------------------------------------===


def test_an_error_names_the_line_and_what_would_do():
    with pytest.raises(cc.ProgramError) as caught:

        @cc.program(mesh=MESH)
        def f(g: cc.partial("n", dp="sum")):
            return cc.relu(g) + 1  # the culprit

    diagnostic = caught.value.diagnostics[0]
    assert (diagnostic.file, diagnostic.line) == (__file__, line_of("# the culprit"))
    assert "operand 0 is a pending sum along axis 'dp'" in caught.value.message
    assert caught.value.notes == ("all_reduce operand 0 first",)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (lambda g, x, i: cc.all_reduce(x), "no reduction is given, and the operand is replicated"),
        (lambda g, x, i: cc.all_reduce(x, axes="dp", reduction="sum"), "operand is replicated"),
        (lambda g, x, i: cc.all_reduce(g, axes="pp"), "unknown axis 'pp'"),
        (lambda g, x, i: cc.all_reduce(g, reduction="mean"), "unknown reduction 'mean'"),
        (lambda g, x, i: cc.all_gather(x), "names no axis"),
        (lambda g, x, i: cc.shard(x, "dp", 3), "dimension 3 is out of range"),
        (lambda g, x, i: x + i, "type"),
        (lambda g, x, i: i * 0.5, "the number 0.5 meets a tensor of i32"),
        (lambda g, x, i: x + "a", "str is no operand"),
        (lambda g, x, i: cc.exp(1.0), "float is no tensor"),
        (lambda g, x, i: cc.add(1, 2), "only numbers"),
        (lambda g, x, i: cc.update(x, x), "does not update a state argument"),
        (lambda g, x, i: cc.compare("is", x, x), "unknown predicate 'is'"),
        (lambda g, x, i: x if x > 0 else -x, "no truth value"),
        (lambda g, x, i: cc.reshape(x, (3, 3)), "changes the number of elements"),
        (lambda g, x, i: "x", "a program returns tensors, not str"),
    ],
)
def test_errors_in_a_body(body, message):
    specs = {"g": cc.partial(8, dp="sum"), "x": cc.tensor(8), "i": cc.tensor(8, "i32")}

    with pytest.raises(cc.ProgramError, match=message) as caught:
        cc.trace(body, mesh=MESH, **specs)
    assert caught.value.diagnostics[0].file in (__file__, "")


def test_errors_in_declarations():
    with pytest.raises(cc.ProgramError, match="unknown axis 'pp'") as caught:

        @cc.program(mesh=MESH)
        def declared(g: cc.partial("n", pp="sum")):
            return g

    assert caught.value.diagnostics[0].line == line_of("def declared") - 1
    with pytest.raises(cc.ProgramError, match="the program has no mesh"):
        cc.trace(lambda g: g, g=cc.partial("n", dp="sum"))
    with pytest.raises(cc.ProgramError, match="parameter 'x' of f does not say what it is"):

        @cc.program
        def f(x):
            return x

    with pytest.raises(cc.ProgramError, match="uses a name that is not defined: nowhere"):

        @cc.program
        def g(x: nowhere):  # noqa: F821
            return x

    with pytest.raises(cc.InputError, match="unknown element type 'f8'"):
        cc.tensor("n", "f8")
    with pytest.raises(cc.InputError, match="dimension 1 is none of a tensor of rank 1"):
        cc.tensor("n", cut={1: "dp"})
    with pytest.raises(cc.InputError, match="axis 'dp' has size 0"):
        cc.mesh(dp=0)


def test_operations_outside_of_a_program():
    with pytest.raises(cc.ProgramError, match="belong in the body of a program"):
        cc.constant(1.0)


def test_errors_in_text():
    with pytest.raises(cc.ProgramError) as caught:
        cc.parse("func.func @f(%a: tensor<4xf32>) {\n  %0 = coconet.negg %a\n}")
    assert caught.value.diagnostics[0].place == "<text>:2:8"
    assert "\n" not in caught.value.message


def test_errors_in_files(tmp_path):
    with pytest.raises(cc.InputError, match="cannot read .*missing.mlir: No such file"):
        cc.load(tmp_path / "missing.mlir")
    bad = tmp_path / "bad.mlir"
    bad.write_text("func.func @f() {\n  return %a : f32\n}\n")
    with pytest.raises(cc.ProgramError) as caught:
        cc.load(bad)
    assert caught.value.diagnostics[0].file == str(bad)


def test_functions_are_found_by_name():
    program = cc.parse("func.func private @a() { return }\nfunc.func @b() { return }")
    assert program.signature().name == "b"
    assert program.signature("a").name == "a"
    with pytest.raises(cc.InputError, match="no function @c; functions here: a, b"):
        program.signature("c")


def test_names_of_functions_outlive_the_loading_of_modules():
    import importlib

    importlib.import_module("coconet_mlir.program")
    assert callable(cc.program) and not isinstance(cc.program, type(sys))
    assert "Schedule" in dir(cc)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        cc.nothing  # noqa: B018


def test_tensor_without_shape_is_a_scalar():
    @cc.program
    def double(x: cc.tensor()):
        return {"y": x * 2.0}

    assert double.signature().arguments[0].shape == ()
