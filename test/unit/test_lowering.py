"""Numeric tests of the CPU lowering against numpy."""

from __future__ import annotations

import numpy as np
import pytest
from lowering_support import Lowered, chunk

ADAM = """
#mesh = #coconet.mesh<dp = ?>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
func.func @f(%g: tensor<?xf32, #partial> {coconet.dims = ["n"]},
             %p: tensor<?xf32> {coconet.state, coconet.dims = ["n"]},
             %m: tensor<?xf32> {coconet.state, coconet.dims = ["n"]},
             %v: tensor<?xf32> {coconet.state, coconet.dims = ["n"]},
             %t: tensor<i32> {coconet.state}) {
  %one = coconet.constant dense<1> : tensor<i32>
  %t1 = coconet.add %t, %one : tensor<i32>, tensor<i32> -> tensor<i32>
  %t2 = coconet.update %t, %t1 : tensor<i32>
  %step = coconet.cast %t2 to f32 : tensor<i32> -> tensor<f32>
  %unit = coconet.constant dense<1.0> : tensor<f32>
  %b1 = coconet.constant dense<0.9> : tensor<f32>
  %b2 = coconet.constant dense<0.999> : tensor<f32>
  %b1c = coconet.constant dense<0.1> : tensor<f32>
  %b2c = coconet.constant dense<0.001> : tensor<f32>
  %lr = coconet.constant dense<0.01> : tensor<f32>
  %eps = coconet.constant dense<1.0e-8> : tensor<f32>
  %pow1 = coconet.pow %b1, %step : tensor<f32>, tensor<f32> -> tensor<f32>
  %c1 = coconet.sub %unit, %pow1 : tensor<f32>, tensor<f32> -> tensor<f32>
  %pow2 = coconet.pow %b2, %step : tensor<f32>, tensor<f32> -> tensor<f32>
  %c2 = coconet.sub %unit, %pow2 : tensor<f32>, tensor<f32> -> tensor<f32>
  %sum = coconet.all_reduce sum %g on {dp} {coconet.name = "avg"}
      : tensor<?xf32, #partial> -> tensor<?xf32>
  %m1 = coconet.mul %b1, %m : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
  %m2 = coconet.mul %b1c, %sum : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
  %mn = coconet.add %m1, %m2 : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
  %v1 = coconet.mul %b2, %v : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
  %gg = coconet.mul %sum, %sum : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
  %v2 = coconet.mul %b2c, %gg : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
  %vn = coconet.add %v1, %v2 : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
  %mh = coconet.div %mn, %c1 : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  %vh = coconet.div %vn, %c2 : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  %root = coconet.sqrt %vh : tensor<?xf32> -> tensor<?xf32>
  %den = coconet.add %root, %eps : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  %num = coconet.mul %lr, %mh : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
  %d = coconet.div %num, %den : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
  %pn = coconet.sub %p, %d : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
  %um = coconet.update %m, %mn : tensor<?xf32>
  %uv = coconet.update %v, %vn : tensor<?xf32>
  %up = coconet.update %p, %pn : tensor<?xf32>
  return
}
"""


def _fused(text: str) -> str:
    """The program with m and v held in slices and one fused all_reduce around the update."""
    head, body = text.split("  %sum = ", 1)
    for state in ["m", "v"]:
        head = head.replace(f"%{state}: tensor<?xf32>", f"%{state}: tensor<?xf32, #sliced>")
    head = head.replace("func.func", "#sliced = #coconet.layout<#mesh, [{dp}]>\nfunc.func")
    lines = body.split("\n")[1:]
    pointwise = [line for line in lines if " = coconet." in line and "update" not in line]
    inner = "\n".join(pointwise).replace("tensor<?xf32>", "tensor<?xf32, #sliced>")
    inner = inner.replace(
        "coconet.sub %p, %d : tensor<?xf32, #sliced>", "coconet.sub %p, %d : tensor<?xf32>"
    )
    slice_type = "tensor<?xf32, #sliced>"
    partial = "tensor<?xf32, #partial>"
    return f"""{head}
  %new:3 = coconet.fused all_reduce {{
  %sum = coconet.reduce_scatter sum %g into 0 on {{dp}} : {partial} -> {slice_type}
{inner}
  %whole = coconet.all_gather %pn from 0 on {{dp}} : {slice_type} -> tensor<?xf32>
  coconet.yield %mn, %vn, %whole : {slice_type}, {slice_type}, tensor<?xf32>
  }} {{coconet.name = "adam"}} : {slice_type}, {slice_type}, tensor<?xf32>
  %um = coconet.update %m, %new#0 : {slice_type}
  %uv = coconet.update %v, %new#1 : {slice_type}
  %up = coconet.update %p, %new#2 : tensor<?xf32>
  return
}}
"""


FUSED_ADAM = _fused(ADAM)


def adam(
    g: np.ndarray, p: np.ndarray, m: np.ndarray, v: np.ndarray, t: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    m = 0.9 * m + 0.1 * g
    v = 0.999 * v + 0.001 * g * g
    return p - 0.01 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8), m, v


@pytest.mark.parametrize("schedule", ["", "fuse-allreduce"])
@pytest.mark.parametrize("ranks", [1, 2, 3, 5, 8, 9])
def test_adam(schedule: str, ranks: int) -> None:
    """Two steps on odd sizes; every rank has the same bits."""
    step = Lowered(ADAM, ranks, schedule=schedule)
    random = np.random.default_rng(0)
    for size in [0, 1, 7, 1000, 65536]:
        gradients = random.standard_normal((ranks, size)).astype(np.float32)
        start = [random.standard_normal(size).astype(np.float32) for _ in range(3)]
        start[2] = np.abs(start[2])
        rows = [
            [gradients[rank].copy(), *(array.copy() for array in start), np.zeros((), np.int32)]
            for rank in range(ranks)
        ]
        step(rows, repeat=2)
        total = gradients.astype(np.float64).sum(axis=0)
        expected = tuple(array.astype(np.float64) for array in start)
        for t in [1, 2]:
            expected = adam(total, *expected, t)
        for row in rows:
            assert row[4] == 2
            for got, first, wanted in zip(row[1:4], rows[0][1:4], expected, strict=True):
                np.testing.assert_array_equal(got, first)
                np.testing.assert_allclose(got, wanted, rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("ranks", [1, 2, 3, 5, 8, 9])
def test_fused_adam_with_sliced_state(ranks: int) -> None:
    """Slices of m and v, with their logical size, and chunks that are short or empty."""
    step = Lowered(FUSED_ADAM, ranks)
    random = np.random.default_rng(0)
    for size in [0, 1, 7, 1000, 65536]:
        gradients = random.standard_normal((ranks, size)).astype(np.float32)
        start = [random.standard_normal(size).astype(np.float32) for _ in range(3)]
        start[2] = np.abs(start[2])
        parts = [chunk(size, ranks, rank) for rank in range(ranks)]
        rows = [
            [
                gradients[rank].copy(),
                start[0].copy(),
                start[1][part].copy(),
                start[2][part].copy(),
                np.zeros((), np.int32),
                size,
                size,
            ]
            for rank, part in enumerate(parts)
        ]
        step(rows, repeat=2)
        total = gradients.astype(np.float64).sum(axis=0)
        expected = tuple(array.astype(np.float64) for array in start)
        for t in [1, 2]:
            expected = adam(total, *expected, t)
        for row, part in zip(rows, parts, strict=True):
            np.testing.assert_array_equal(row[1], rows[0][1])
            np.testing.assert_allclose(row[1], expected[0], rtol=2e-4, atol=2e-5)
            for got, wanted in zip(row[2:4], expected[1:], strict=True):
                np.testing.assert_allclose(got, wanted[part], rtol=2e-4, atol=2e-5)
