"""Compiled collectives with a root, permutations and barriers, against the reference and numpy."""

from __future__ import annotations

import coconet_mlir as cc
import numpy as np
import pytest
from compiled_support import Pair, case, normal, same_bits, traced, whole

RANKS = (1, 2, 3, 5, 8)
SIZES = (0, 1, 2, 7, 16, 33, 130)


def round_trips(root: int):
    """To a root and back, of every kind."""

    def body(g, each, rows):
        total = cc.reduce_to_root(g, root)
        most = cc.reduce_to_root(each, root, axes="dp", reduction="max")
        columns = cc.shard(cc.all_gather(rows), "dp", 1)
        together = cc.gather_to_root(rows, root=root)
        flat = cc.gather_to_root(cc.shard(cc.all_gather(rows), "dp", "flat"), "flat", root)
        return {
            "rooted": total,
            "total": cc.broadcast(total, root),
            "most": cc.broadcast(most, root),
            "gathered": together,
            "columns": cc.gather_to_root(columns, 1, root),
            "rows": cc.scatter_from_root(together, 0, root),
            "again": cc.all_gather(cc.scatter_from_root(together * 2.0, 1, root), 1),
            "flat": cc.broadcast(flat, root),
            "scattered": cc.all_gather(cc.scatter_from_root(flat, "flat", root), "flat"),
        }

    return body


def arguments(dtype: str = "f32") -> dict:
    return {
        "g": cc.partial("n", 3, dtype=dtype, dp="sum"),
        "each": cc.local("n", 3, dtype=dtype, axes="dp"),
        "rows": cc.tensor(("n", 3), dtype, cut={0: "dp"}),
    }


@pytest.mark.parametrize("ranks", RANKS)
def test_to_a_root_and_back(ranks):
    for root in sorted({0, ranks // 2, ranks - 1}):
        pair = Pair(traced(round_trips(root), cc.mesh(dp=ranks), **arguments()))
        for size in SIZES:
            with case(f"root {root}, size {size}"):
                out = pair.check(size, whole, terms=ranks)
                assert out["rooted"].shape == (size, 3)
        given = pair.inputs(17, normal)
        out = pair.executable(**given)
        np.testing.assert_allclose(out["rooted"], given["g"].sum(axis=0), rtol=1e-5, atol=1e-5)
        same_bits([out["rooted"], out["total"]])
        same_bits([out["most"], given["each"].max(axis=0)])
        for name in ("gathered", "columns", "rows", "flat", "scattered"):
            same_bits([out[name], given["rows"]])
        same_bits([out["again"], 2 * given["rows"]])


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f64", "i32"])
def test_roots_of_every_type(dtype):
    def body(g, rows):
        return cc.broadcast(cc.reduce_to_root(g, 1), 1), cc.gather_to_root(rows, root=1)

    held = arguments(dtype)
    pair = Pair(traced(body, cc.mesh(dp=3), g=held["g"], rows=held["rows"]))
    for size in (0, 1, 33):
        pair.check(size, whole, terms=3)
        pair.check(size, normal, terms=3)


def test_a_root_of_several_axes_is_row_major():
    def body(g, rows):
        total = cc.reduce_to_root(g, 4)
        return {
            "total": total,
            "back": cc.broadcast(total, 4),
            "rows": cc.gather_to_root(rows, 0, 4),
        }

    mesh = cc.mesh(dp=2, tp=3)
    program = traced(
        body,
        mesh,
        g=cc.partial("n", dp="sum", tp="sum"),
        rows=cc.tensor("n", cut={0: ("dp", "tp")}),
    )
    assert "rooted = {dp : 1, tp : 1}" in str(program)
    pair = Pair(program)
    for size in SIZES:
        pair.check(size, whole, terms=6)


def test_roots_of_lists_leave_zeros_elsewhere():
    groups = [[4, 1], [0, 3], [2, 5]]

    def body(x):
        return {
            "sum": cc.reduce_to_root(x, 1, groups=groups),
            "gathered": cc.gather_to_root(x, 0, 1, groups=groups),
            "part": cc.scatter_from_root(x, 0, 1, groups=groups),
        }

    program = traced(body, cc.mesh(dp=6), x=cc.local("n", axes="dp"))
    pair = Pair(program)
    for size in (0, 2, 34):
        pair.check(size, whole, terms=2)
    x = np.arange(12, dtype=np.float32).reshape(6, 2) + 1
    out = pair.executable(x=x)
    roots = {members[1]: members for members in groups}
    for rank in range(6):
        members = next(m for m in groups if rank in m)
        summed = x[members].sum(axis=0) if rank in roots else np.zeros(2)
        np.testing.assert_array_equal(out["sum"][rank], summed)
        joined = x[members].reshape(-1) if rank in roots else np.zeros(4)
        np.testing.assert_array_equal(out["gathered"][rank], joined)
        position = members.index(rank)
        np.testing.assert_array_equal(out["part"][rank], x[members[1]][position : position + 1])


def test_unequal_lists_reduce_to_a_position_that_all_have():
    groups = [[0], [1, 2], [4, 3]]
    program = traced(
        lambda x: (cc.reduce_to_root(x, 0, groups=groups), cc.broadcast(x, 0, groups=groups)),
        cc.mesh(dp=5),
        x=cc.local("n", axes="dp"),
    )
    pair = Pair(program)
    for size in SIZES:
        pair.check(size, whole, terms=2)


@pytest.mark.parametrize("ranks", RANKS)
def test_permutations(ranks):
    shift = [(i, (i + 1) % ranks) for i in range(ranks)]
    swap = [(0, ranks - 1), (ranks - 1, 0)] if ranks > 1 else []
    one = [(ranks - 1, 0)]
    for pairs in (shift, swap, one, []):

        def body(x, rows, pairs=pairs):
            return {
                "local": cc.permute(x, pairs),
                "chunks": cc.permute(rows, pairs),
            }

        program = traced(
            body,
            cc.mesh(dp=ranks),
            x=cc.local("n", 3, axes="dp"),
            rows=cc.tensor((2 * ranks, "m"), cut={0: "dp"}),
        )
        pair = Pair(program)
        for size in (0, 1, 5, 33):
            with case(f"{pairs}, size {size}"):
                pair.check({"n": size, "m": size}, normal)
        given = pair.inputs({"n": 5, "m": 3}, normal)
        out = pair.executable(**given)
        sources = {target: source for source, target in pairs}
        for rank in range(ranks):
            expected = given["x"][sources[rank]] if rank in sources else np.zeros((5, 3))
            np.testing.assert_array_equal(out["local"][rank], expected)
            rows = given["rows"].reshape(ranks, 2, 3)
            expected = rows[sources[rank]] if rank in sources else np.zeros((2, 3))
            np.testing.assert_array_equal(out["chunks"][rank], expected)


def test_chunks_of_an_open_size_must_divide():
    program = traced(
        lambda rows: (cc.permute(rows, [(0, 1)]),), cc.mesh(dp=2), rows=cc.sliced("n", dp=0)
    )
    pair = Pair(program)
    pair.check(6, normal)
    with pytest.raises(cc.CollectiveError, match="remainder of chunks that are permuted"):
        pair.executable(rows=np.ones(7, np.float32))


def test_permutations_of_one_axis_of_two():
    def body(x, rows):
        moved = cc.permute(rows, [(0, 1), (1, 2)], axes="tp")
        return cc.permute(x, [(0, 1), (1, 0)], axes="dp"), moved

    program = traced(
        body,
        cc.mesh(dp=2, tp=3),
        x=cc.local("n", axes=("dp", "tp")),
        rows=cc.tensor((12, "n"), cut={0: ("dp", "tp")}),
    )
    pair = Pair(program)
    for size in (0, 1, 33):
        pair.check(size, normal)


@pytest.mark.parametrize("ranks", (1, 2, 3))
def test_barriers_stay_where_they_are(ranks):
    def body(x):
        y = cc.all_reduce(x)
        cc.barrier(name="meet")
        return (y * 2.0,)

    program = traced(body, cc.mesh(dp="?"), x=cc.partial("n", dp="sum"))
    text = str(program)
    assert text.index("all_reduce") < text.index("coconet.barrier") < text.index("coconet.mul")
    pair = Pair(program, ranks=ranks)
    for size in (0, 5):
        pair.check(size, whole, terms=ranks)


def test_a_barrier_needs_a_mesh():
    with pytest.raises(cc.ProgramError, match="no mesh to meet on"):

        def body(x):
            cc.barrier()
            return (x,)

        traced(body, None, x=cc.tensor(3))


def test_rooted_arguments():
    def body(x):
        return {"back": cc.broadcast(x * 3.0, 1), "part": cc.scatter_from_root(x, 0, 1)}

    pair = Pair(traced(body, cc.mesh(dp=3), x=cc.rooted("n", dp=1)))
    for size in SIZES:
        pair.check(size, normal)


def test_binding_a_mesh_checks_roots_again():
    program = traced(
        lambda g: (cc.broadcast(cc.reduce_to_root(g, 3), 3),),
        cc.mesh(dp="?"),
        g=cc.partial(4, dp="sum"),
    )
    with pytest.raises(cc.CompileError, match="3"):
        program.compile(ranks=3)
    with program.compile(ranks=4) as exe:
        assert list(exe(g=np.ones((4, 4), np.float32))["result 0"]) == [4] * 4
