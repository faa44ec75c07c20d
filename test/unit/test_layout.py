"""Layouts as values: parts of ranks, and the way back."""

from __future__ import annotations

import itertools

import coconet_mlir as cc
import ml_dtypes
import numpy as np
import pytest
from coconet_mlir.layout import Layout, chunk

MESH = cc.mesh(dp=2, tp=3)


def test_chunks_cover_a_size_once():
    for size, parts in itertools.product(range(8), range(1, 6)):
        chunks = [chunk(size, parts, index) for index in range(parts)]
        held = [position for part in chunks for position in range(part.start, part.stop)]
        assert held == list(range(size))
        assert max(part.stop - part.start for part in chunks) == -(-size // parts)


@pytest.mark.parametrize(
    "layout",
    [
        Layout(),
        Layout(MESH, dims=(("dp",), ())),
        Layout(MESH, dims=((), ("tp", "dp"))),
        Layout(MESH, dims=(("tp",), ("dp",))),
        Layout(MESH, flat=("dp", "tp")),
        Layout(MESH, rooted={"dp": 1}),
    ],
)
@pytest.mark.parametrize("shape", [(6, 6), (5, 7), (1, 1), (0, 4)])
def test_parts_join_to_the_whole(layout, shape):
    whole = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    parts = [layout.take(whole, rank).copy() for rank in range(6)]
    assert [part.shape for part in parts] == [layout.rank_shape(shape, r) for r in range(6)]
    if layout.rooted:
        parts[:3] = [np.full_like(part, np.nan) for part in parts[:3]]
    np.testing.assert_array_equal(layout.join(parts, shape), whole)


def test_order_of_axes_matters():
    whole = np.arange(4)
    square = cc.mesh(a=2, b=2)
    major = Layout(square, dims=(("b", "a"),))
    assert [int(major.take(whole, rank)[0]) for rank in range(4)] == [0, 2, 1, 3]
    minor = Layout(square, dims=(("a", "b"),))
    assert [int(minor.take(whole, rank)[0]) for rank in range(4)] == [0, 1, 2, 3]


def test_pending_and_local_values():
    arrays = [np.full(3, 10**rank) for rank in range(6)]
    total = Layout(MESH, partial={"dp": "sum", "tp": "max"})
    np.testing.assert_array_equal(total.join(arrays, (3,)), [100_100] * 3)
    unlike = [np.full(3, value) for value in (1, 2, 30, 4, 50, 6)]
    # As in the interpreter: the sums over dp, and of these the largest.
    np.testing.assert_array_equal(total.join(unlike, (3,)), [52] * 3)
    stacked = Layout(MESH, local=("dp", "tp")).join(arrays, (3,))
    np.testing.assert_array_equal(stacked[:, 0], [10**rank for rank in range(6)])
    mixed = Layout(MESH, partial={"tp": "sum"}, local=("dp",))
    assert mixed.leading == ("tp", "dp")
    np.testing.assert_array_equal(mixed.join(arrays, (3,))[:, 0], [111, 111_000])
    assert [mixed.position(rank) for rank in range(6)] == [0, 2, 4, 1, 3, 5]


@pytest.mark.parametrize("kind", [np.float16, ml_dtypes.bfloat16])
def test_pending_sums_of_narrow_floats_round_once(kind):
    small = 2.0**-10 if kind is np.float16 else 2.0**-7
    arrays = [np.full(2, value, kind) for value in (1, small / 2, small / 2)]
    total = Layout(cc.mesh(dp=3), partial={"dp": "sum"}).join(arrays, (2,))
    assert total.dtype == kind
    np.testing.assert_array_equal(total.astype(np.float64), [1 + small] * 2)


@pytest.mark.parametrize("shape", [(), (0,), (2, 0)])
def test_pending_values_of_any_shape(shape):
    arrays = [np.full(shape, rank) for rank in range(6)]
    total = Layout(MESH, partial={"dp": "sum"}, local=("tp",)).join(arrays, shape)
    assert total.shape == (3, *shape)
    assert Layout(MESH, partial={"dp": "sum", "tp": "min"}).join(arrays, shape).shape == shape


def test_words():
    layout = Layout(MESH, dims=(("dp",), ()), partial={"tp": "sum"})
    assert layout.describe() == "dimension 0 cut by dp, pending sum over tp"
    assert Layout(MESH, local=("dp",), rooted={"tp": 2}).describe() == (
        "local along dp, only at position 2 of tp"
    )
    assert str(cc.mesh(dp="?", tp=3)) == "dp = ?, tp = 3"
    with pytest.raises(cc.InputError, match="axis 'dp' has no size"):
        _ = cc.mesh(dp="?").ranks
