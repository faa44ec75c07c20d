"""Computation on simulated ranks against plain numpy, op by op."""

from __future__ import annotations

import math

import coconet_mlir as cc
import ml_dtypes
import numpy as np
import pytest
from coconet_mlir.interpreter import InterpretationError, run
from generic_text import Text

LAYOUTS = ["", "[{dp}, {}]", "[{}, {dp}]", "flat = {dp}"]
RANKS = [1, 2, 3, 8]

erf = np.vectorize(math.erf, otypes=[np.float64])
UNARY = {
    "neg": np.negative,
    "abs": np.abs,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "exp": np.exp,
    "log": np.log,
    "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "relu": lambda x: np.maximum(x, 0),
    "gelu": lambda x: x * (1 + erf(x / np.sqrt(2))) / 2,
    "silu": lambda x: x / (1 + np.exp(-x)),
}
BINARY = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "pow": np.power,
    "max": np.maximum,
    "min": np.minimum,
}


def sample(*shape: int, seed: int = 0, low: float = 0.25) -> np.ndarray:
    """Values that f32 holds exactly."""
    values = np.random.default_rng(seed).uniform(low, 2.0, shape)
    return values.astype(np.float32).astype(np.float64)


def close(actual: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(actual, expected, rtol=2e-7, atol=1e-7)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", list(UNARY))
def test_unary(name, layout):
    text = Text()
    value = text.arg(text.type("?x?xf32", layout))
    text.ret(text.op(name, [value], value.type))
    given = sample(5, 7)
    for ranks in RANKS:
        result = run(text.text(), [given], ranks=ranks)
        close(result.results[0], UNARY[name](given))
        assert not result.disagreements


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", list(BINARY))
def test_binary_with_a_replicated_operand(name, layout):
    text = Text()
    value = text.arg(text.type("?x7xf32", layout))
    other = text.arg("tensor<7xf32>")
    text.ret(text.op(name, [value, other], value.type))
    given = [sample(5, 7), sample(7, seed=1)]
    for ranks in RANKS:
        close(run(text.text(), given, ranks=ranks).results[0], BINARY[name](*given))


@pytest.mark.parametrize(("shapes", "result"), [(("4x1", "3"), "4x3"), (("1x3", "4x1"), "4x3")])
def test_broadcasting_of_size_1(shapes, result):
    text = Text()
    values = [text.arg(f"tensor<{shape}xf32>") for shape in shapes]
    text.ret(text.op("add", values, text.type(f"{result}xf32", "[{dp}, {}]")))
    given = [sample(*map(int, shape.split("x")), seed=i) for i, shape in enumerate(shapes)]
    close(run(text.text(), given, ranks=3).results[0], given[0] + given[1])


def test_open_sizes_are_not_broadcast():
    text = Text()
    values = [text.arg("tensor<?x3xf32>"), text.arg("tensor<?x1xf32>")]
    text.ret(text.op("add", values, "tensor<?x3xf32>"))
    (total,) = run(text.text(), [np.ones((2, 3)), np.ones((2, 1))]).results
    assert total.shape == (2, 3)
    for sizes in ((1, 2), (2, 1)):
        arrays = [np.ones((size, width)) for size, width in zip(sizes, (3, 1), strict=True)]
        with pytest.raises(InterpretationError, match="do not broadcast"):
            run(text.text(), arrays)


def test_integer_division_rounds_to_zero():
    text = Text()
    values = [text.arg("tensor<6xi32>"), text.arg("tensor<6xi32>")]
    text.ret(text.op("div", values, "tensor<6xi32>"))
    given = [[7, -7, 7, -7, 5, -(2**31)], [2, 2, -2, -2, 0, -1]]
    result = run(text.text(), [np.array(g) for g in given]).results[0]
    assert result.tolist() == [3, -3, -3, 3, 0, -(2**31)]


@pytest.mark.parametrize("predicate", ["eq", "ne", "lt", "le", "gt", "ge"])
def test_compare(predicate):
    text = Text()
    values = [text.arg("tensor<4xf32>"), text.arg("tensor<4xf32>")]
    held = f"predicate = #coconet<predicate {predicate}>"
    text.ret(text.op("compare", values, "tensor<4xi1>", held))
    a, b = np.array([1, 2, 3, np.nan]), np.array([2, 2, 2, 1.0])
    symbols = {
        "eq": "equal",
        "ne": "not_equal",
        "lt": "less",
        "le": "less_equal",
        "gt": "greater",
        "ge": "greater_equal",
    }
    expected = getattr(np, symbols[predicate])(a, b)
    assert run(text.text(), [a, b]).results[0].tolist() == expected.tolist()


def test_select_and_is_finite():
    text = Text()
    value, other = text.arg("tensor<4xf32>"), text.arg("tensor<f32>")
    fine = text.op("is_finite", [value], "tensor<4xi1>")
    text.ret(text.op("select", [fine, value, other], "tensor<4xf32>"))
    given = np.array([1.0, np.inf, -np.inf, np.nan])
    assert run(text.text(), [given, np.array(5.0)]).results[0].tolist() == [1, 5, 5, 5]


@pytest.mark.parametrize(
    ("source", "target", "given", "expected"),
    [
        ("f32", "bf16", [1.00390625, 1.01171875], [1.0, 1.015625]),  # ties to even
        ("f32", "f16", [65520.0, 1e-8], [np.inf, 0.0]),
        ("f32", "i8", [1.9, -1.9, 300.0, -300.0, np.nan], [1, -1, 127, -128, 0]),
        ("f64", "i64", [1e30, -1e30], [2**63 - 1, -(2**63)]),
        ("f32", "i1", [0.0, 0.5, np.nan], [False, True, True]),
        ("i32", "i8", [257, -1], [1, -1]),
        ("i8", "i64", [-5, 5], [-5, 5]),
        ("i32", "i1", [0, 7], [False, True]),
        ("i1", "f32", [True, False], [1.0, 0.0]),
        ("i64", "f16", [3, -2], [3.0, -2.0]),
    ],
)
def test_cast(source, target, given, expected):
    text = Text()
    value = text.arg(f"tensor<?x{source}>")
    text.ret(text.op("cast", [value], f"tensor<?x{target}>", f"element_type = {target}"))
    np.testing.assert_array_equal(run(text.text(), [np.array(given)]).results[0], expected)


@pytest.mark.parametrize("element", ["f16", "bf16", "f32"])
def test_every_op_rounds_once(element):
    dtype = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32}[element]
    text = Text()
    values = [text.arg(f"tensor<?x{element}>"), text.arg(f"tensor<?x{element}>")]
    product = text.op("mul", values, f"tensor<?x{element}>")
    text.ret(text.op("add", [product, values[0]], f"tensor<?x{element}>"))
    a, b = (sample(100, seed=s).astype(dtype) for s in (0, 1))
    expected = a * b + a
    result = run(text.text(), [a.astype(np.float64), b.astype(np.float64)])
    np.testing.assert_array_equal(result.results[0], expected.astype(np.float64))
    exact = run(text.text(), [a, b], rounding=False).results[0]
    wide = a.astype(np.float64)
    np.testing.assert_array_equal(exact, wide * b.astype(np.float64) + wide)


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize(
    ("left", "right", "out"),
    [
        ("", "", ""),
        ("[{dp}, {}]", "", "[{dp}, {}]"),
        ("", "[{}, {dp}]", "[{}, {dp}]"),
        ("[{}, {dp}]", "[{dp}, {}]", "partial = {dp : sum}"),
        ("[{}, {dp}]", "", "partial = {dp : sum}"),
    ],
)
def test_matmul_layouts(left, right, out, ranks):
    text = Text()
    a, b = text.arg(text.type("5x7xf32", left)), text.arg(text.type("7x3xf32", right))
    text.ret(text.op("matmul", [a, b], text.type("5x3xf32", out)))
    given = [sample(5, 7), sample(7, 3, seed=1)]
    result = run(text.text(), given, ranks=ranks)
    np.testing.assert_allclose(result.results[0], given[0] @ given[1], rtol=1e-6)


def test_matmul_of_a_pending_sum():
    text = Text()
    a, b = text.arg(text.type("2x3xf32", "partial = {dp : sum}")), text.arg("tensor<3x2xf32>")
    text.ret(text.op("matmul", [a, b], text.type("2x2xf32", "partial = {dp : sum}")))
    given = [sample(4, 2, 3), sample(3, 2, seed=1)]
    expected = given[0].sum(axis=0) @ given[1]
    np.testing.assert_allclose(run(text.text(), given, ranks=4).results[0], expected, rtol=1e-6)


@pytest.mark.parametrize("flags", [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("shared", [False, True])
def test_matmul_batched_and_transposed(flags, shared):
    text = Text()
    left = "2x7x5" if flags[0] else "2x5x7"
    right = "3x7" if flags[1] else "7x3"
    right = right if shared else f"2x{right}"
    a, b = text.arg(f"tensor<{left}xf32>"), text.arg(f"tensor<{right}xf32>")
    names = ("transpose_lhs", "transpose_rhs")
    held = ", ".join(n for n, f in zip(names, flags, strict=True) if f)
    text.ret(text.op("matmul", [a, b], text.type("2x5x3xf32", "[{}, {dp}, {}]"), held))
    given = [sample(*map(int, s.split("x")), seed=i) for i, s in enumerate((left, right))]
    x, y = (np.swapaxes(g, -1, -2) if f else g for g, f in zip(given, flags, strict=True))
    np.testing.assert_allclose(run(text.text(), given, ranks=2).results[0], x @ y, rtol=1e-6)


def test_matmul_of_integers_wraps():
    text = Text()
    a, b = text.arg("tensor<1x2xi8>"), text.arg("tensor<2x1xi8>")
    text.ret(text.op("matmul", [a, b], "tensor<1x1xi8>"))
    given = [np.array([[100, 100]]), np.array([[1], [1]])]
    assert run(text.text(), given).results[0] == [[-56]]


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("kind", ["sum", "max", "min", "mean"])
@pytest.mark.parametrize("dims", [(0,), (1,), (0, 1)])
@pytest.mark.parametrize("keep", [False, True])
def test_reduce_of_a_cut_value(kind, dims, keep, ranks):
    text = Text()
    value = text.arg(text.type("?x7xf32", "[{dp}, {}]"))
    how = "sum" if kind == "mean" else kind
    out = ["1" if d in dims else s for d, s in enumerate(("?", "7")) if keep or d not in dims]
    layout = f"partial = {{dp : {how}}}"
    if 0 not in dims:
        layout = "[{dp}, {}]" if keep else "[{dp}]"
    held = f"kind = #coconet<reduce_kind {kind}>, dims = array<i64: {', '.join(map(str, dims))}>"
    held += ", keep_dims" if keep else ""
    text.ret(text.op("reduce", [value], text.type("x".join([*out, "f32"]), layout), held))
    given = sample(5, 7)
    expected = getattr(np, kind)(given, axis=dims, keepdims=keep)
    np.testing.assert_allclose(run(text.text(), [given], ranks=ranks).results[0], expected, 1e-6)


@pytest.mark.parametrize(("kind", "expected"), [("sum", 0.0), ("max", -np.inf), ("min", np.inf)])
def test_reduce_of_nothing(kind, expected):
    text = Text()
    held = f"kind = #coconet<reduce_kind {kind}>, dims = array<i64: 0>"
    text.ret(text.op("reduce", [text.arg("tensor<?xf32>")], "tensor<f32>", held))
    assert run(text.text(), [np.zeros(0)]).results[0] == expected


def test_reduce_of_no_integers():
    text = Text()
    held = "kind = #coconet<reduce_kind max>, dims = array<i64: 0>"
    text.ret(text.op("reduce", [text.arg("tensor<?xi8>")], "tensor<i8>", held))
    assert run(text.text(), [np.zeros(0)]).results[0] == -128


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("ranks", RANKS)
def test_norm(layout, ranks):
    text = Text()
    text.ret(text.op("norm", [text.arg(text.type("5x7xf32", layout))], "tensor<f32>"))
    given = sample(5, 7)
    result = run(text.text(), [given], ranks=ranks)
    np.testing.assert_allclose(result.results[0], np.linalg.norm(given), rtol=1e-6)
    assert not result.disagreements


@pytest.mark.parametrize("layout", LAYOUTS[:3])
@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("ranks", RANKS)
def test_softmax(layout, dim, ranks):
    text = Text()
    value = text.arg(text.type("5x7xf32", layout))
    text.ret(text.op("softmax", [value], value.type, f"dim = {dim} : i64"))
    given = sample(5, 7) * 64
    grown = np.exp(given - given.max(axis=dim, keepdims=True))
    expected = grown / grown.sum(axis=dim, keepdims=True)
    np.testing.assert_allclose(
        run(text.text(), [given], ranks=ranks).results[0], expected, rtol=1e-5, atol=1e-12
    )


@pytest.mark.parametrize(
    ("before", "after", "source", "target"),
    [
        ("[{dp}, {}]", "[{dp}]", "4x6", "24"),
        ("[{dp}]", "[{dp}, {}]", "24", "4x6"),
        ("[{}, {dp}]", "[{}, {dp}, {}]", "3x8", "3x4x2"),
        ("flat = {dp}", "flat = {dp}", "4x6", "3x8"),
        ("", "", "4x6", "2x12"),
    ],
)
def test_reshape(before, after, source, target):
    text = Text()
    value = text.arg(text.type(f"{source}xf32", before))
    text.ret(text.op("reshape", [value], text.type(f"{target}xf32", after)))
    given = sample(*map(int, source.split("x")))
    result = run(text.text(), [given], ranks=4).results[0]
    np.testing.assert_array_equal(result, given.reshape([int(n) for n in target.split("x")]))


def test_reshape_with_open_dimensions():
    text = Text()
    value = text.arg("tensor<?x?x6xf32>")
    text.ret(text.op("reshape", [value], "tensor<?x?x2x3xf32>"))
    given = sample(4, 5, 6)
    assert run(text.text(), [given]).results[0].shape == (4, 5, 2, 3)


def test_reshape_that_moves_a_cut_is_refused():
    text = Text()
    value = text.arg(text.type("6xf32", "[{dp}]"))
    text.ret(text.op("reshape", [value], text.type("3x2xf32", "[{dp}, {}]")))
    with pytest.raises(InterpretationError, match="holds 3 elements where the result needs"):
        run(text.text(), [sample(6)], ranks=2)


def test_transpose_slice_concat_broadcast():
    text = Text()
    value = text.arg(text.type("5x?xf32", "[{}, {dp}]"))
    order = "permutation = array<i64: 1, 0>"
    turned = text.op("transpose", [value], text.type("?x5xf32", "[{dp}, {}]"), order)
    box = "offsets = array<i64: 1, 0>, sizes = array<i64: 2, -1>, strides = array<i64: 3, 1>"
    part = text.op("slice", [value], text.type("2x?xf32", "[{}, {dp}]"), box)
    joined = text.op("concat", [part, value], text.type("7x?xf32", "[{}, {dp}]"), "dim = 0 : i64")
    row = text.arg("tensor<3x1xf32>")
    wide = text.op("broadcast_to", [row], text.type("2x3x4xf32", "[{}, {}, {dp}]"))
    text.ret(turned, part, joined, wide)
    given, column = sample(5, 7), sample(3, 1, seed=1)
    results = run(text.text(), [given, column], ranks=3).results
    np.testing.assert_array_equal(results[0], given.T)
    np.testing.assert_array_equal(results[1], given[1:5:3])
    np.testing.assert_array_equal(results[2], np.concatenate([given[1:5:3], given]))
    np.testing.assert_array_equal(results[3], np.broadcast_to(column, (2, 3, 4)))


def test_constants_and_iota():
    text = Text()
    text.ret(
        text.constant("[0x7F800000, 1.5]", "tensor<2xf32>"),
        text.constant('"0x01020304"', "tensor<1xi32>"),
        text.constant("[true, false]", "tensor<2xi1>"),
        text.constant("[1.0, 0x7F80]", "tensor<2xbf16>"),
        text.op("iota", [], "tensor<2x3xi32>", "dim = 1 : i64"),
        text.op("iota", [], "tensor<2x3xf32>", "dim = 0 : i64"),
    )
    results = run(text.text(), []).results
    assert results[0].tolist() == [np.inf, 1.5]
    assert results[1].tolist() == [67305985]
    assert results[2].tolist() == [True, False]
    assert results[3].tolist() == [1.0, np.inf]
    assert results[4].tolist() == [[0, 1, 2]] * 2
    assert results[5].tolist() == [[0.0] * 3, [1.0] * 3]


def test_states_and_fused_regions():
    text = Text()
    state = text.arg(text.type("?xf32", "flat = {dp}"), 'coconet.state, coconet.arg_name = "m"')
    text.arg("tensor<2xf32>", 'coconet.state, coconet.arg_name = "still"')
    text.begin_fused()
    doubled = text.op("add", [state, state], state.type)
    tripled = text.op("add", [doubled, state], state.type)
    doubled, tripled = text.end_fused([doubled, tripled])
    new = text.op("update", [state, doubled], state.type)
    text.ret(new, tripled, state)
    result = run(text.text(), {"m": sample(5), "still": np.ones(2)}, ranks=2)
    close(result.states["m"], 2 * sample(5))
    close(result.states["still"], np.ones(2))
    close(result.results[1], 3 * sample(5))
    close(result.results[2], sample(5))
    with pytest.raises(InterpretationError, match="no input for still"):
        run(text.text(), {"m": sample(5)}, ranks=2)


def philox(counter: list[int], key: list[int]) -> list[int]:
    """Philox-4x32-10 word by word."""
    c, k, mask = list(counter), list(key), 0xFFFFFFFF
    for _ in range(10):
        a, b = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
        c = [(b >> 32) ^ c[1] ^ k[0], b & mask, (a >> 32) ^ c[3] ^ k[1], a & mask]
        k = [(k[0] + 0x9E3779B9) & mask, (k[1] + 0xBB67AE85) & mask]
    return c


def test_philox_known_answers():
    """Known-answer vectors published with Random123."""
    assert philox([0] * 4, [0] * 2) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    assert philox([0xFFFFFFFF] * 4, [0xFFFFFFFF] * 2)[0] == 0x408F276D


def dropout(layout: str, rate: float, seed: int, stream: int, mesh: str = "dp = ?") -> Text:
    text = Text(mesh)
    value, step = text.arg(text.type("4x16xf32", layout)), text.arg("tensor<i32>")
    held = f"rate = {rate:.6e} : f64, seed = {seed} : i64, stream = {stream} : i64"
    return text.ret(text.op("dropout", [value, step], value.type, held))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_case_N13_dropout(layout, ranks):
    seed, stream, step = (5 << 32) + 7, 3, 11
    given = np.ones((4, 16))
    result = run(dropout(layout, 0.5, seed, stream).text(), [given, np.array(step)], ranks=ranks)
    words = [philox([i, 0, step, stream], [7, 5])[0] for i in range(64)]
    kept = np.array([word >= 2**31 for word in words]).reshape(4, 16)
    np.testing.assert_array_equal(result.results[0], np.where(kept, 2.0, 0.0))
    assert not result.disagreements


def test_case_N13_dropout_along_local_axes():
    """Masks of unlike ranks differ; replicas along the other axis agree."""
    text = dropout("local = {dp}", 0.5, 7, 3, "dp = 2, tp = 2")
    result = run(text.text(), [np.ones((2, 4, 16)), np.array(0)])
    assert not result.disagreements
    assert not np.array_equal(result.results[0][0], result.results[0][1])
    words = [philox([i, 0, 0, 3 + (1 << 16)], [7, 0])[0] for i in range(64)]
    kept = np.array([word >= 2**31 for word in words]).reshape(4, 16)
    np.testing.assert_array_equal(result.results[0][1], np.where(kept, 2.0, 0.0))


def test_case_N13_replicas_along_another_axis():
    """The batch is cut over dp and replicated over tp: masks agree inside tp, differ over dp."""
    text = dropout("[{dp}, {}]", 0.5, 7, 3, "dp = 2, tp = 2")
    result = run(text.text(), [np.ones((4, 16)), np.array(0)])
    a, b, c, d = result.shards[0]
    np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(c, d)
    assert not np.array_equal(a, c)


@pytest.mark.parametrize(("rate", "expected"), [(0.0, 1.0), (1.0, 0.0)])
def test_dropout_of_nothing_and_of_all(rate, expected):
    result = run(dropout("", rate, 1, 1).text(), [np.ones((4, 16)), np.array(0)])
    np.testing.assert_array_equal(result.results[0], np.full((4, 16), expected))


def test_inputs_are_checked():
    text = Text()
    text.ret(text.arg("tensor<4xf32>"))
    with pytest.raises(InterpretationError, match=r"argument 0 has shape \[3\], its type says"):
        run(text.text(), [np.ones(3)])
    with pytest.raises(InterpretationError, match="1 inputs are needed, 2 are given"):
        run(text.text(), [np.ones(4)] * 2)
    text = Text()
    text.ret(text.arg(text.type("4xf32", "local = {dp}")))
    with pytest.raises(InterpretationError, match="mesh axis 'dp' has no size"):
        run(text.text(), [np.ones((2, 4))])
    with pytest.raises(InterpretationError, match="needs leading dimensions"):
        run(text.text(), [np.ones(4)], ranks=2)
    with pytest.raises(InterpretationError, match="axis 'tp' is none of the mesh's"):
        run(text.text(), [np.ones((2, 4))], mesh={"tp": 2})


def test_the_absolute_value_of_zero_is_positive():
    """So that 1 / |0| is infinite and positive."""

    @cc.program
    def size(x: cc.tensor("n")):
        return {"abs": cc.abs(x)}

    x = np.array([0.0, -0.0], np.float32)
    assert not np.signbit(run(size.generic(), {"x": x}).results[0]).any()
    assert not np.signbit(cc.compile(size)(x=x)["abs"]).any()
