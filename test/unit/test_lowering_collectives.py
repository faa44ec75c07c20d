"""Numeric tests of lowered collectives: uneven cuts, two axes, groups, element types."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from coconet_mlir._abi import ResultType
from coconet_mlir._runtime import CollectiveError
from lowering_support import Lowered, chunk

DTYPES = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "i8": np.int8,
    "i32": np.int32,
    "i64": np.int64,
}


def result(array_type: type, rank: int) -> list[ResultType]:
    return [ResultType(np.dtype(array_type), rank)]


def values(shape: tuple[int, ...], dtype: type, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    return (random.integers(-20, 20, shape) / 4).astype(dtype)


def one_op(body: str, operand: str, output: str, *, mesh: str = "dp = ?") -> str:
    return f"""
#mesh = #coconet.mesh<{mesh}>
func.func @f(%x: {operand}) -> {output} {{
  %y = {body} : {operand} -> {output}
  return %y : {output}
}}
"""


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("reduction", ["sum", "prod", "max", "min", "avg"])
def test_all_reduce(reduction: str, dtype: str) -> None:
    if reduction == "avg" and dtype.startswith("i"):
        pytest.skip("avg is for floats")
    ranks = 3
    local = f"tensor<5x?x{dtype}, #coconet.layout<#mesh, local = {{dp}}>>"
    run = Lowered(
        one_op(f"coconet.all_reduce {reduction} %x on {{dp}}", local, f"tensor<5x?x{dtype}>"), ranks
    )
    numpy_type = DTYPES[dtype]
    x = values((ranks, 5, 7), numpy_type)
    got = run([[x[r].copy()] for r in range(ranks)], result(numpy_type, 2))
    wide = x.astype(np.float64 if dtype[0] in "fb" else numpy_type)
    combine = {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min, "avg": np.mean}
    wanted = combine[reduction](wide, axis=0).astype(numpy_type)
    for (array,) in got:
        np.testing.assert_allclose(
            array.astype(np.float64),
            wanted.astype(np.float64),
            rtol=1e-2 if reduction == "avg" else 0,
        )


@pytest.mark.parametrize("size", [0, 1, 6, 7])
@pytest.mark.parametrize("dim", [0, 1, 2])
@pytest.mark.parametrize("ranks", [1, 2, 3, 9])
def test_reduce_scatter_gather(ranks: int, dim: int, size: int) -> None:
    """Chunks of any dimension, static sizes."""
    shape = [3, 2, 4]
    shape[dim] = size
    text = "x".join(map(str, shape)) + "xf32"
    cut = ", ".join("{dp}" if d == dim else "{}" for d in range(3))
    partial = f"tensor<{text}, #coconet.layout<#mesh, partial = {{dp : sum}}>>"
    sliced = f"tensor<{text}, #coconet.layout<#mesh, [{cut}]>>"
    program = f"""
#mesh = #coconet.mesh<dp = ?>
func.func @f(%x: {partial}) -> ({sliced}, tensor<{text}>) {{
  %s = coconet.reduce_scatter sum %x into {dim} on {{dp}} : {partial} -> {sliced}
  %y = coconet.all_gather %s from {dim} on {{dp}} : {sliced} -> tensor<{text}>
  return %s, %y : {sliced}, tensor<{text}>
}}
"""
    run = Lowered(program, ranks)
    x = values((ranks, *shape), np.float32)
    got = run([[x[r].copy()] for r in range(ranks)], result(np.float32, 3) * 2)
    wanted = x.sum(axis=0)
    for rank, (part, whole) in enumerate(got):
        place = [slice(None)] * 3
        place[dim] = chunk(size, ranks, rank)
        np.testing.assert_array_equal(part, wanted[tuple(place)])
        np.testing.assert_array_equal(whole, wanted)


@pytest.mark.parametrize("shape", [(0, 3), (5, 3), (1, 1), (4, 4)])
def test_flat(shape: tuple[int, int]) -> None:
    """Flat slices of open sizes; a flat argument is told its logical sizes."""
    flat = "tensor<?x?xf32, #coconet.layout<#mesh, flat = {dp}>>"
    program = f"""
#mesh = #coconet.mesh<dp = ?>
func.func @f(%x: {flat}) -> (tensor<?x?xf32>, {flat}) {{
  %n = coconet.neg %x : {flat} -> {flat}
  %y = coconet.all_gather %n from flat on {{dp}} : {flat} -> tensor<?x?xf32>
  return %y, %n : tensor<?x?xf32>, {flat}
}}
"""
    ranks = 3
    run = Lowered(program, ranks)
    x = values(shape, np.float32)
    parts = [x.reshape(-1)[chunk(x.size, ranks, rank)].copy() for rank in range(ranks)]
    got = run([[part, *shape] for part in parts], result(np.float32, 2) + result(np.float32, 1))
    for part, (whole, own) in zip(parts, got, strict=True):
        np.testing.assert_array_equal(whole, -x)
        np.testing.assert_array_equal(own, -part)


def test_two_axes() -> None:
    """Partial along one axis, cut along both, gathered along one."""
    shape = "tensor<8x?xf32"
    partial = f"{shape}, #coconet.layout<#mesh, [{{tp}}, {{}}], partial = {{dp : sum}}>>"
    both = f"{shape}, #coconet.layout<#mesh, [{{tp, dp}}, {{}}]>>"
    one = f"{shape}, #coconet.layout<#mesh, [{{tp}}, {{}}]>>"
    program = f"""
#mesh = #coconet.mesh<dp = 2, tp = 2>
func.func @f(%x: {partial}) -> ({both}, {one}) {{
  %s = coconet.reduce_scatter sum %x into 0 on {{dp}} : {partial} -> {both}
  %y = coconet.all_gather %s from 0 on {{dp}} : {both} -> {one}
  return %s, %y : {both}, {one}
}}
"""
    run = Lowered(program, 4, bind="axes=dp=2")
    x = values((2, 8, 5), np.float32)
    rows = [[x[rank // 2, 4 * (rank % 2) : 4 * (rank % 2) + 4].copy()] for rank in range(4)]
    got = run(rows, result(np.float32, 2) * 2)
    total = x.sum(axis=0)
    for rank, (part, whole) in enumerate(got):
        dp, tp = divmod(rank, 2)
        np.testing.assert_array_equal(part, total[4 * tp + 2 * dp : 4 * tp + 2 * dp + 2])
        np.testing.assert_array_equal(whole, total[4 * tp : 4 * tp + 4])


@pytest.mark.parametrize("size", [0, 1, 5, 6])
def test_all_to_all(size: int) -> None:
    before = f"tensor<{size}x2x7xf32, #coconet.layout<#mesh, [{{dp}}, {{}}, {{}}]>>"
    after = f"tensor<{size}x2x7xf32, #coconet.layout<#mesh, [{{}}, {{}}, {{dp}}]>>"
    run = Lowered(one_op("coconet.all_to_all %x from 0 into 2 on {dp}", before, after), 3)
    x = values((size, 2, 7), np.float32)
    got = run([[x[chunk(size, 3, rank)].copy()] for rank in range(3)], result(np.float32, 3))
    for rank, (part,) in enumerate(got):
        np.testing.assert_array_equal(part, x[:, :, chunk(7, 3, rank)])


def test_broadcast() -> None:
    local = "tensor<?xi1, #coconet.layout<#mesh, local = {dp}>>"
    run = Lowered(one_op("coconet.broadcast %x root 1 on {dp}", local, "tensor<?xi1>"), 3)
    x = values((3, 40), np.int32) > 0
    for (array,) in run([[x[rank].copy()] for rank in range(3)], result(np.bool_, 1)):
        np.testing.assert_array_equal(array, x[1])


def test_groups() -> None:
    """Explicit groups whose order is not that of the ranks."""
    local = "tensor<6x4xf32, #coconet.layout<#mesh, local = {dp}>>"
    quarter = "tensor<3x4xf32, #coconet.layout<#mesh, local = {dp}>>"
    moved = "tensor<12x2xf32, #coconet.layout<#mesh, local = {dp}>>"
    program = f"""
#mesh = #coconet.mesh<dp = 4>
func.func @f(%x: {local}) -> ({local}, {quarter}, {local}, {moved}) {{
  %a = coconet.all_reduce sum %x on groups [[2, 0, 3], [1]] : {local} -> {local}
  %s = coconet.reduce_scatter max %x into 0 on groups [[3, 0], [1, 2]] : {local} -> {quarter}
  %g = coconet.all_gather %s from 0 on groups [[3, 0], [1, 2]] : {quarter} -> {local}
  %e = coconet.all_to_all %x from 0 into 1 on groups [[3, 0], [1, 2]] : {local} -> {moved}
  return %a, %s, %g, %e : {local}, {quarter}, {local}, {moved}
}}
"""
    run = Lowered(program, 4)
    x = values((4, 6, 4), np.float32)
    got = run([[x[rank].copy()] for rank in range(4)], result(np.float32, 2) * 4)
    pairs = {3: (3, 0), 0: (3, 0), 1: (1, 2), 2: (1, 2)}
    for rank, (reduced, part, whole, moved_part) in enumerate(got):
        np.testing.assert_array_equal(reduced, x[1] if rank == 1 else x[0] + x[2] + x[3])
        pair = pairs[rank]
        largest = np.maximum(x[pair[0]], x[pair[1]])
        position = pair.index(rank)
        np.testing.assert_array_equal(part, largest[3 * position : 3 * position + 3])
        np.testing.assert_array_equal(whole, largest)
        columns = slice(2 * position, 2 * position + 2)
        np.testing.assert_array_equal(
            moved_part, np.concatenate([x[pair[0]][:, columns], x[pair[1]][:, columns]])
        )


def test_size_mismatch_is_reported() -> None:
    program = """
func.func @f(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %c = coconet.add %a, %b : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
  return %c : tensor<?xf32>
}
"""
    run = Lowered(program, 1)
    with pytest.raises(CollectiveError, match="coconet.add"):
        run([[np.zeros(3, np.float32), np.zeros(4, np.float32)]], result(np.float32, 1))


def test_wrong_rank_count_is_reported() -> None:
    sliced = "tensor<4xf32, #coconet.layout<#mesh, [{dp}]>>"
    run = Lowered(
        one_op("coconet.all_gather %x from 0 on {dp}", sliced, "tensor<4xf32>"), 3, bind="ranks=2"
    )
    with pytest.raises(CollectiveError, match="2"):
        run([[np.zeros(2, np.float32)] for _ in range(3)], result(np.float32, 1))
