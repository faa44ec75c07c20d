"""Collectives on simulated ranks against plain numpy."""

from __future__ import annotations

import numpy as np
import pytest
from coconet_mlir.interpreter import InterpretationError, run
from generic_text import Text

RANKS = [1, 2, 3, 4, 5, 8]
SIZES = [0, 1, 2, 7, 8, 13]
LOCAL = "local = {dp}"
COMBINE = {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min, "avg": np.mean}


def integers(*shape: int) -> np.ndarray:
    """Small whole numbers, whose sums are exact."""
    return np.random.default_rng(0).integers(-3, 4, shape).astype(np.float64)


def chunks(array: np.ndarray, dim: int, count: int) -> list[np.ndarray]:
    """Independent of the interpreter's own rule: positions i c to min(i c + c, n)."""
    width = -(-array.shape[dim] // count)
    bounds = [min(i * width, array.shape[dim]) for i in range(count + 1)]
    return [np.take(array, range(a, b), axis=dim) for a, b in zip(bounds, bounds[1:], strict=False)]


def collective(name: str, before: str, after: str, shape: str, **options) -> Text:
    text = Text()
    value = text.arg(text.type(shape, before))
    return text.ret(text.collective(name, value, text.type(shape, after), **options))


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", list(COMBINE))
def test_all_reduce_of_local_values(kind, size, ranks):
    text = collective("all_reduce", LOCAL, "", "?xf32", reduction=kind)
    given = integers(ranks, size)
    result = run(text.text(), [given], ranks=ranks)
    np.testing.assert_allclose(result.results[0], COMBINE[kind](given, axis=0), rtol=1e-6)
    assert not result.disagreements
    assert len(result.shards[0]) == ranks


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dim", [0, 1, None])
def test_reduce_scatter_and_all_gather(dim, size, ranks):
    text = Text()
    cut = "flat = {dp}" if dim is None else ("[{dp}, {}]", "[{}, {dp}]")[dim]
    at = "" if dim is None else f"dim = {dim} : i64"
    value = text.arg(text.type("?x?xf32", "partial = {dp : sum}"))
    part = text.collective(
        "reduce_scatter", value, text.type("?x?xf32", cut), reduction="sum", properties=at
    )
    text.ret(part, text.collective("all_gather", part, "tensor<?x?xf32>", properties=at))
    given = integers(ranks, 3, size) if dim == 1 else integers(ranks, size, 3)
    result = run(text.text(), [given], ranks=ranks)
    total = given.sum(axis=0)
    np.testing.assert_array_equal(result.results[0], total)
    np.testing.assert_array_equal(result.results[1], total)
    flat = total.reshape(-1) if dim is None else total
    for held, expected in zip(result.shards[0], chunks(flat, dim or 0, ranks), strict=True):
        np.testing.assert_array_equal(held, expected)
    assert not result.disagreements


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("size", SIZES)
def test_all_to_all(size, ranks):
    text = collective(
        "all_to_all",
        "[{dp}, {}]",
        "[{}, {dp}]",
        "?x?xf32",
        properties="from_dim = 0 : i64, into_dim = 1 : i64",
    )
    given = integers(size, 5)
    result = run(text.text(), [given], ranks=ranks)
    np.testing.assert_array_equal(result.results[0], given)
    for held, expected in zip(result.shards[0], chunks(given, 1, ranks), strict=True):
        np.testing.assert_array_equal(held, expected)


@pytest.mark.parametrize("ranks", RANKS)
def test_broadcast(ranks):
    root = ranks - 1
    text = collective("broadcast", LOCAL, "", "?xf32", properties=f"root = {root} : i64")
    given = integers(ranks, 4)
    np.testing.assert_array_equal(run(text.text(), [given], ranks=ranks).results[0], given[root])
    text = collective("broadcast", LOCAL, "", "?xf32", properties=f"root = {ranks} : i64")
    with pytest.raises(InterpretationError, match=f"root {ranks} is no position in a group"):
        run(text.text(), [given], ranks=ranks)


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dim", [0, None])
def test_shard(dim, size, ranks):
    text = Text()
    at = 'axes = ["dp"]' + ("" if dim is None else f", dim = {dim} : i64")
    cut = "flat = {dp}" if dim is None else "[{dp}, {}]"
    value = text.arg("tensor<?x3xf32>")
    text.ret(text.op("shard", [value], text.type("?x3xf32", cut), at))
    given = integers(size, 3)
    result = run(text.text(), [given], ranks=ranks)
    np.testing.assert_array_equal(result.results[0], given)
    flat = given.reshape(-1) if dim is None else given
    for held, expected in zip(result.shards[0], chunks(flat, 0, ranks), strict=True):
        np.testing.assert_array_equal(held, expected)


def test_two_axes_cut_in_order():
    """A dimension cut by tp then dp gives elements 0, 2, 1, 3 to ranks 0 to 3."""
    for cut, order in (("[{tp, dp}]", [0, 2, 1, 3]), ("[{dp, tp}]", [0, 1, 2, 3])):
        text = Text("dp = 2, tp = 2")
        text.ret(text.arg(text.type("4xf32", cut)))
        held = run(text.text(), [np.arange(4.0)]).shards[0]
        assert [float(part[0]) for part in held] == order


def test_reduction_along_one_axis_of_two():
    text = Text("dp = 2, tp = 3")
    value = text.arg(text.type("?xf32", "local = {dp, tp}"))
    half = text.collective(
        "all_reduce", value, text.type("?xf32", LOCAL), axes='"tp"', reduction="sum"
    )
    text.ret(half)
    given = integers(2, 3, 4)
    np.testing.assert_array_equal(run(text.text(), [given]).results[0], given.sum(axis=1))


def test_case_S01_uneven_and_empty_chunks():
    text = Text()
    value = text.arg("tensor<9x1xf32>")
    cut = text.op(
        "shard", [value], text.type("9x1xf32", "[{dp}, {}]"), 'dim = 0 : i64, axes = ["dp"]'
    )
    text.ret(cut, text.collective("all_gather", cut, "tensor<9x1xf32>", properties="dim = 0 : i64"))
    result = run(text.text(), [integers(9, 1)], ranks=4)
    assert [len(part) for part in result.shards[0]] == [3, 3, 3, 0]
    assert result.results[1].shape == (9, 1)
    assert [len(p) for p in run(text.text(), [integers(9, 1)], ranks=8).shards[0]] == [
        2,
        2,
        2,
        2,
        1,
        0,
        0,
        0,
    ]
    text = collective(
        "reduce_scatter", LOCAL, "[{dp}]", "7xf32", reduction="sum", properties="dim = 0 : i64"
    )
    held = run(text.text(), [integers(3, 7)], ranks=3).shards[0]
    assert [len(part) for part in held] == [3, 3, 1]


def test_case_S03_all_to_all_of_local_values():
    def program(split: int, join: int, before: str, after: str) -> str:
        text = Text("dp = 2")
        value = text.arg(text.type(before, LOCAL))
        moved = text.collective(
            "all_to_all",
            value,
            text.type(after, LOCAL),
            groups="[[0, 1]]",
            properties=f"from_dim = {join} : i64, into_dim = {split} : i64",
        )
        return text.ret(moved).text()

    given = np.stack([np.arange(8.0).reshape(4, 2), np.arange(8.0).reshape(4, 2) + 10])
    there = run(program(0, 1, "4x2xf32", "2x4xf32"), [given]).results[0]
    np.testing.assert_array_equal(there[0], [[0, 1, 10, 11], [2, 3, 12, 13]])
    np.testing.assert_array_equal(there[1], [[4, 5, 14, 15], [6, 7, 16, 17]])
    back = run(program(1, 0, "2x4xf32", "4x2xf32"), [there]).results[0]
    np.testing.assert_array_equal(back, given)


def test_case_S05_gather_and_matmul_along_dimension_1():
    text = Text("dp = 2")
    value = text.arg(text.type("2x4xf32", "[{}, {dp}]"))
    text.ret(text.collective("all_gather", value, "tensor<2x4xf32>", properties="dim = 1 : i64"))
    given = np.array([[1.0, 2, 5, 6], [3, 4, 7, 8]])
    np.testing.assert_array_equal(run(text.text(), [given]).results[0], given)

    text = Text("dp = 2")
    a = text.arg(text.type("2x2xf32", "[{}, {dp}]"))
    b = text.arg(text.type("2x4xf32", "[{dp}, {}]"))
    product = text.op("matmul", [a, b], text.type("2x4xf32", "partial = {dp : sum}"))
    text.ret(
        text.collective(
            "reduce_scatter",
            product,
            text.type("2x4xf32", "[{}, {dp}]"),
            reduction="sum",
            properties="dim = 1 : i64",
        )
    )
    result = run(text.text(), [[[1.0, 3], [2, 4]], [[1.0, 2, 3, 4], [5, 6, 7, 8]]])
    np.testing.assert_array_equal(result.shards[0][0], [[16, 20], [22, 28]])
    np.testing.assert_array_equal(result.shards[0][1], [[24, 28], [34, 40]])


@pytest.mark.parametrize("ranks", [2, 3])
def test_case_S06_no_elements(ranks):
    text = collective("all_reduce", LOCAL, "", "?xf32", reduction="sum")
    assert run(text.text(), [np.zeros((ranks, 0))], ranks=ranks).results[0].shape == (0,)
    text = collective("all_gather", "[{dp}]", "", "?xf32", properties="dim = 0 : i64")
    for size in (0, 1):
        whole = run(text.text(), [integers(size)], ranks=ranks).results[0]
        np.testing.assert_array_equal(whole, integers(size))
    text = collective(
        "all_to_all",
        "[{dp}, {}]",
        "[{}, {dp}]",
        "1x4xf32",
        properties="from_dim = 0 : i64, into_dim = 1 : i64",
    )
    given = integers(1, 4)
    np.testing.assert_array_equal(run(text.text(), [given], ranks=ranks).results[0], given)


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ("[[0, 1], [1, 2]]", "a rank is named twice"),
        ("[[0, 4]]", "rank 4 of a group is not below 4"),
        ("[]", "a collective needs non-empty groups"),
        ("[[0], [1, 2, 3]]", "rank 1 has shape"),
    ],
)
def test_case_V01_groups(groups, message):
    text = Text("dp = 4")
    value = text.arg(text.type("2xf32", LOCAL))
    text.ret(
        text.collective(
            "all_gather",
            value,
            text.type("?xf32", LOCAL),
            groups=groups,
            properties="dim = 0 : i64",
        )
    )
    with pytest.raises(InterpretationError, match=message):
        run(text.text(), [integers(4, 2)])


@pytest.mark.parametrize("groups", ["[[0, 2], [1, 3]]", "[[3, 2, 1, 0]]"])
def test_case_V01_order_of_members(groups):
    text = Text("dp = 4")
    value = text.arg(text.type("1xf32", LOCAL))
    text.ret(
        text.collective(
            "all_gather",
            value,
            text.type("?xf32", LOCAL),
            groups=groups,
            properties="dim = 0 : i64",
        )
    )
    result = run(text.text(), [np.arange(4.0).reshape(4, 1)]).results[0]
    expected = [[0, 2], [1, 3], [0, 2], [1, 3]] if "[0, 2]" in groups else [[3, 2, 1, 0]] * 4
    np.testing.assert_array_equal(result, expected)


def test_case_L02_gather_then_slice_along_another_axis():
    text = Text("i = 2, j = 2")
    value = text.arg(text.type("1xf32", "local = {i, j}"))
    column = text.collective(
        "all_gather",
        value,
        text.type("2xf32", "local = {i, j}"),
        groups="[[0, 2], [1, 3]]",
        properties="dim = 0 : i64",
    )
    text.ret(column)
    given = np.array([[[0.0], [1]], [[10], [11]]])
    gathered = run(text.text(), [given]).results[0]
    sliced = [gathered[i, j, j] for i in range(2) for j in range(2)]
    assert sliced == [0, 11, 0, 11]


@pytest.mark.parametrize("ranks", [1, 2, 3, 5, 6, 7])
@pytest.mark.parametrize("count", [1, 3, 31, 32, 33, 127, 129])
def test_case_R01_any_number_of_ranks_and_elements(ranks, count):
    given = np.stack([np.full(count, r + 1.0) for r in range(ranks)])
    expected = np.full(count, ranks * (ranks + 1) / 2)
    text = collective("all_reduce", LOCAL, "", "?xf32", reduction="sum")
    np.testing.assert_array_equal(run(text.text(), [given], ranks=ranks).results[0], expected)
    text = Text()
    value = text.arg(text.type("?xf32", LOCAL))
    part = text.collective(
        "reduce_scatter", value, text.type("?xf32", "flat = {dp}"), reduction="sum"
    )
    text.ret(text.collective("all_gather", part, "tensor<?xf32>"))
    np.testing.assert_array_equal(run(text.text(), [given], ranks=ranks).results[0], expected)


def test_case_N10_average():
    def average(element: str, given: np.ndarray, ranks: int) -> np.ndarray:
        text = collective("all_reduce", LOCAL, "", f"?x{element}", reduction="avg")
        return run(text.text(), [given], ranks=ranks).results[0]

    assert average("f16", np.full((4, 1), 40000.0), 4)[0] == 40000
    assert average("f16", np.full((4, 1), 2.0**-24), 4)[0] == 2.0**-24
    assert average("f32", np.arange(8.0).reshape(8, 1), 8)[0] == 3.5
    np.testing.assert_array_equal(average("f32", np.array([[1.0] * 3, [3.0] * 3]), 2), [2, 2, 2])
    with pytest.raises(InterpretationError, match="avg of i32 is not defined"):
        average("i32", np.array([[4], [3]]), 2)


def test_case_N11_one_rounding_after_a_wide_sum():
    text = collective("all_reduce", LOCAL, "", "?xbf16", reduction="sum")
    given = np.array([[512.0], [1], [1], [1]]) * np.ones((1, 6))
    result = run(text.text(), [given], ranks=4)
    np.testing.assert_array_equal(result.results[0], np.full(6, 516.0))
    text = collective("all_reduce", LOCAL, "", "1xf32", reduction="sum")
    result = run(text.text(), [np.array([[1e8], [1], [-1e8]])], ranks=3)
    assert result.results[0][0] in (0.0, 1.0)
    assert not result.disagreements


def test_case_N01_values():
    text = Text()
    total = text.collective(
        "all_reduce",
        text.arg(text.type("1xf32", "partial = {dp : sum}")),
        "tensor<1xf32>",
        reduction="sum",
    )
    ten = text.constant("10.0", "tensor<f32>")
    text.ret(text.op("add", [total, ten], "tensor<1xf32>"), text.op("norm", [total], "tensor<f32>"))
    result = run(text.text(), [np.array([[3.0], [4.0]])], ranks=2)
    assert result.results[0] == [17.0]
    text = Text()
    total = text.collective(
        "all_reduce",
        text.arg(text.type("2xf32", "partial = {dp : sum}")),
        "tensor<2xf32>",
        reduction="sum",
    )
    text.ret(text.op("norm", [total], "tensor<f32>"))
    assert run(text.text(), [np.array([[3.0, 0], [0, 4]])], ranks=2).results[0] == 5.0


def test_case_L05_values():
    given = np.array([[1.0, 2, 3, 4], [10, 20, 30, 40]])
    text = collective(
        "reduce_scatter",
        "partial = {dp : sum}",
        "[{dp}]",
        "4xf32",
        reduction="sum",
        properties="dim = 0 : i64",
    )
    held = run(text.text(), [given], ranks=2).shards[0]
    assert [part.tolist() for part in held] == [[11, 22], [33, 44]]


def test_ranks_that_disagree_are_named():
    text = Text()
    value = text.arg(text.type("2xf32", LOCAL))
    text.ret(text.op("neg", [value], "tensor<2xf32>"))
    result = run(text.text(), [np.array([[1.0, 2], [1, 2], [1, 3]])], ranks=3)
    assert result.disagreements == ["result 0: ranks 0 and 2 disagree at element [1]"]


def test_bytes_of_integer_sums_wrap():
    text = collective("all_reduce", LOCAL, "", "?xi8", reduction="sum")
    given = np.array([[100], [100]], dtype=np.int8)
    assert run(text.text(), [given], ranks=2).results[0][0] == -56


def test_program_without_group_is_refused():
    text = Text("dp = 2")
    value = text.arg(text.type("2xf32", LOCAL))
    text.ret(
        text.collective(
            "all_reduce", value, text.type("2xf32", LOCAL), groups="[[0]]", reduction="sum"
        )
    )
    with pytest.raises(InterpretationError, match="rank 1 is in no group"):
        run(text.text(), [integers(2, 2)])
