"""Rank programs: own data, own position, lockstep at collectives only."""

from __future__ import annotations

import numpy as np
import pytest
from coconet_mlir.check import equivalent
from coconet_mlir.interpreter import InterpretationError, run
from generic_text import Text, Value

RANKS = [1, 2, 3, 4, 8]
PENDING = "partial = {dp : sum}"


def sample(*shape: int) -> np.ndarray:
    """Small whole numbers."""
    return np.random.default_rng(0).integers(-9, 10, shape).astype(np.float64)


def port(text: Text, parts: str, more: str = "") -> str:
    """Attributes of an argument or a result that is a part of something."""
    return f"coconet.layout = {text.layout(parts)}{more}"


def index(text: Text, value: int) -> Value:
    return text.op("arith.constant", [], "index", f"value = {value} : index")


def size_of(text: Text, value: Value, dim: int = 0) -> Value:
    return text.op("tensor.dim", [value, index(text, dim)], "index")


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("size", [0, 1, 7, 16])
def test_reduce_scatter_then_all_gather(size, ranks):
    text = Text()
    value = text.arg("tensor<?xf32>", port(text, PENDING))
    part = text.collective(
        "rank.reduce_scatter",
        value,
        "tensor<?xf32>",
        reduction="sum",
        properties="dim = 0 : i64",
        mesh=True,
    )
    whole = text.collective(
        "rank.all_gather",
        part,
        "tensor<?xf32>",
        properties="dim = 0 : i64",
        mesh=True,
        more=(size_of(text, value),),
    )
    text.ret(part, whole, attributes=(port(text, "[{dp}]"), ""))
    given = sample(ranks, size)
    result = run(text.text(), [given], ranks=ranks)
    np.testing.assert_array_equal(result.results[0], given.sum(axis=0))
    np.testing.assert_array_equal(result.results[1], given.sum(axis=0))
    assert not result.disagreements


@pytest.mark.parametrize("ranks", RANKS)
def test_all_to_all_and_broadcast(ranks):
    text = Text()
    value = text.arg("tensor<?x5xf32>", port(text, "[{dp}, {}]"))
    rows = text.arg("tensor<i64>")
    count = text.op("arith.index_cast", [text.op("tensor.extract", [rows], "i64")], "index")
    moved = text.collective(
        "rank.all_to_all",
        value,
        "tensor<?x?xf32>",
        properties="from_dim = 0 : i64, into_dim = 1 : i64",
        mesh=True,
        more=(count,),
    )
    first = text.collective(
        "rank.broadcast", moved, "tensor<?x?xf32>", properties="root = 0 : i64", mesh=True
    )
    text.ret(moved, first, attributes=(port(text, "[{}, {dp}]"), ""))
    given = sample(7, 5)
    result = run(text.text(), [given, np.array(7)], ranks=ranks)
    np.testing.assert_array_equal(result.results[0], given)
    np.testing.assert_array_equal(result.results[1], given[:, : -(-5 // ranks)])


def test_coordinates_of_a_mesh_of_two_axes():
    text = Text("dp = 2, tp = 3")
    axes = 'axes = ["tp", "dp"]'
    place = text.op("rank.coordinate", [], "index", f"mesh = {text.mesh}, {axes}")
    wide = text.op("arith.index_cast", [place], "i64")
    text.ret(
        text.op("tensor.from_elements", [wide], "tensor<i64>"),
        attributes=(port(text, "local = {dp, tp}"),),
    )
    assert run(text.text(), []).results[0].tolist() == [[0, 2, 4], [1, 3, 5]]


def loop(chunk: int) -> Text:
    """Doubles a tensor chunk by chunk; the last chunk may be short."""
    text = Text()
    value = text.arg("tensor<?xf32>", port(text, "flat = {dp}"))
    size, zero, step = size_of(text, value), index(text, 0), index(text, chunk)
    out = text.op("tensor.empty", [size], "tensor<?xf32>")
    outer, text.lines = text.lines, []
    rest = text.op("arith.subi", [size, Value("%i", "index")], "index")
    width = text.op("arith.minsi", [rest, step], "index")
    segments = "operandSegmentSizes = array<i32: 1, {}1, 1, 0>, "
    box = (
        "static_offsets = array<i64: -9223372036854775808>, "
        "static_sizes = array<i64: -9223372036854775808>, static_strides = array<i64: 1>"
    )
    at = [Value("%i", "index"), width]
    part = text.op("tensor.extract_slice", [value, *at], "tensor<?xf32>", segments.format("") + box)
    new = text.op("add", [part, part], "tensor<?xf32>")
    grown = text.op(
        "tensor.insert_slice",
        [new, Value("%acc", "tensor<?xf32>"), *at],
        "tensor<?xf32>",
        segments.format("1, ") + box,
    )
    text.lines.append(f'"scf.yield"({grown}) : (tensor<?xf32>) -> ()')
    inner, text.lines = "\n".join(text.lines), outer
    text.lines.append(
        f'%loop = "scf.for"({zero}, {size}, {step}, {out}) ({{\n'
        f"^bb1(%i: index, %acc: tensor<?xf32>):\n{inner}\n"
        "}) : (index, index, index, tensor<?xf32>) -> tensor<?xf32>"
    )
    return text.ret(Value("%loop", "tensor<?xf32>"), attributes=(port(text, "flat = {dp}"),))


@pytest.mark.parametrize("chunk", [1, 3, 64])
@pytest.mark.parametrize("ranks", RANKS)
def test_loops_over_chunks_of_unlike_lengths(chunk, ranks):
    text = loop(chunk)
    given = sample(13)
    np.testing.assert_array_equal(run(text.text(), [given], ranks=ranks).results[0], 2 * given)
    base = Text()
    value = base.arg("tensor<?xf32>")
    base.ret(base.op("add", [value, value], "tensor<?xf32>"))
    assert equivalent(base.text(), text.text(), ranks=ranks)


def test_unwritten_memory_shows():
    base, text = Text(), Text()
    value = base.arg("tensor<4xf32>")
    base.ret(base.op("sub", [value, value], "tensor<4xf32>"))
    text.arg("tensor<4xf32>")
    text.ret(text.op("tensor.empty", [], "tensor<4xf32>"))
    assert not equivalent(base.text(), text.text(), ranks=2)
    assert np.isnan(run(text.text(), [np.ones(4)]).results[0]).all()


def branch(condition: str) -> Text:
    """An all_reduce under a condition."""
    text = Text()
    value = text.arg("tensor<2xf32>", port(text, PENDING))
    place = text.op("rank.coordinate", [], "index", f'mesh = {text.mesh}, axes = ["dp"]')
    taken = text.op("arith.cmpi", [place, index(text, 0)], "i1", f"predicate = {condition} : i64")
    outer, text.lines = text.lines, []
    total = text.collective(
        "rank.all_reduce", value, "tensor<2xf32>", reduction="sum", mesh=True, label="total"
    )
    text.lines.append(f'"scf.yield"({total}) : (tensor<2xf32>) -> ()')
    inner, text.lines = "\n".join(text.lines), outer
    text.lines.append(
        f'%if = "scf.if"({taken}) ({{\n{inner}\n}}, {{\n'
        f'"scf.yield"({value}) : (tensor<2xf32>) -> ()\n}}) : (i1) -> tensor<2xf32>'
    )
    return text.ret(Value("%if", "tensor<2xf32>"))


def test_collective_that_a_rank_does_not_reach():
    given = sample(2, 2)
    always = run(branch("5").text(), [given], ranks=2)
    np.testing.assert_array_equal(always.results[0], given.sum(axis=0))
    with pytest.raises(InterpretationError) as error:
        run(branch("0").text(), [given], ranks=2)
    assert str(error.value) == (
        "a collective is never completed: "
        'rank 0 waits in coconet.rank.all_reduce "total", rank 1 has returned'
    )


def test_shapes_and_scalars():
    text = Text()
    value = text.arg("tensor<?x6xf32>")
    flat = text.op("tensor.collapse_shape", [value], "tensor<?xf32>", "reassociation = [[0, 1]]")
    rows = size_of(text, value)
    back = text.op(
        "tensor.expand_shape",
        [flat, rows],
        "tensor<?x6xf32>",
        "reassociation = [[0, 1]], static_output_shape = array<i64: -9223372036854775808, 6>",
    )
    turned = text.op(
        "rank.reshape", [back, text.op("arith.addi", [rows, rows], "index")], "tensor<?x3xf32>"
    )
    three = text.op("arith.constant", [], "f32", "value = 3.0 : f32")
    nine = text.op("arith.mulf", [three, three], "f32")
    filled = text.op("tensor.splat", [nine], "tensor<3xf32>")
    divided = [
        text.op(f"arith.{name}", [index(text, 7), index(text, 2)], "index")
        for name in ("divui", "ceildivui", "remui", "maxsi")
    ]
    text.ret(turned, filled, text.op("tensor.from_elements", divided, "tensor<4xindex>"))
    given = sample(2, 6)
    results = run(text.text(), [given]).results
    np.testing.assert_array_equal(results[0], given.reshape(4, 3))
    assert results[1].tolist() == [9, 9, 9]
    assert results[2].tolist() == [3, 4, 1, 7]


def test_slices_out_of_bounds_are_refused():
    text = Text()
    value = text.arg("tensor<4xf32>")
    held = (
        "operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 3>, "
        "static_sizes = array<i64: 2>, static_strides = array<i64: 1>"
    )
    text.ret(text.op("tensor.extract_slice", [value], "tensor<2xf32>", held))
    with pytest.raises(InterpretationError, match="elements 3 to 4 in steps of 1 do not exist"):
        run(text.text(), [np.ones(4)])


def adam_step(text: Text, values: list[Value], type_: str) -> tuple[Value, Value]:
    """Momentum and parameter after one step of a small optimizer."""
    gradient, parameter, momentum = values
    decay, rate = text.constant("0.9", "tensor<f32>"), text.constant("0.01", "tensor<f32>")
    new = text.op("add", [text.op("mul", [momentum, decay], type_), gradient], type_)
    step = text.op("mul", [new, rate], type_)
    return new, text.op("sub", [parameter, step], type_)


@pytest.mark.parametrize("correct", [True, False])
@pytest.mark.parametrize("ranks", RANKS[1:])
def test_state_in_slices_of_a_rank_program(ranks, correct):
    """SGD with momentum: the base keeps whole state, the rank program a flat slice of it."""
    base = Text()
    whole = "tensor<?xf32>"
    pending = base.arg(base.type("?xf32", PENDING))
    parameter, momentum = (base.arg(whole, "coconet.state") for _ in range(2))
    total = base.collective("all_reduce", pending, whole, reduction="sum")
    new, stepped = adam_step(base, [total, parameter, momentum], whole)
    base.ret(
        base.op("update", [parameter, stepped], whole), base.op("update", [momentum, new], whole)
    )

    text = Text()
    pending = text.arg(whole, port(text, PENDING))
    parameter = text.arg(whole, "coconet.state")
    momentum = text.arg(whole, port(text, "flat = {dp}", ", coconet.state"))
    reduction = "sum" if correct else "max"
    held = {"properties": "dim = 0 : i64", "mesh": True}
    part = text.collective("rank.reduce_scatter", pending, whole, reduction=reduction, **held)
    own = text.collective("rank.shard", parameter, whole, **held)
    new, stepped = adam_step(text, [part, own, momentum], whole)
    gathered = text.collective(
        "rank.all_gather", stepped, whole, more=(size_of(text, parameter),), **held
    )
    text.ret(
        text.op("update", [parameter, gathered], whole),
        text.op("update", [momentum, new], whole),
        attributes=("", port(text, "flat = {dp}")),
    )
    report = equivalent(base.text(), text.text(), ranks=ranks)
    assert report.equivalent == correct, str(report)
    inputs = [sample(ranks, 13), sample(13), sample(13)]
    if correct:
        ours, theirs = (run(t.text(), inputs, ranks=ranks) for t in (base, text))
        for name in ours.states:
            np.testing.assert_allclose(theirs.states[name], ours.states[name], rtol=1e-6)
