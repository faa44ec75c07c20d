"""Numeric tests of lowered computation: element types, contractions, shapes, dropout."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest
from coconet_mlir._abi import ResultType
from coconet_mlir.interpreter.philox import dropout_mask
from lowering_support import Lowered, chunk

FLOATS = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
_erf = np.vectorize(math.erf)

UNARY = {
    "neg": lambda x: -x,
    "abs": np.abs,
    "sqrt": lambda x: np.sqrt(np.abs(x)),
    "rsqrt": lambda x: 1 / np.sqrt(np.abs(x)),
    "exp": np.exp,
    "log": lambda x: np.log(np.abs(x)),
    "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "relu": lambda x: np.maximum(x, 0),
    "gelu": lambda x: x * (1 + _erf(x / math.sqrt(2))) / 2,
    "silu": lambda x: x / (1 + np.exp(-x)),
}
POSITIVE = {"sqrt", "rsqrt", "log"}
TOLERANCE = {"f16": 2e-3, "bf16": 2e-2, "f32": 1e-6, "f64": 1e-14}


def kinds(*types: tuple[type, int]) -> list[ResultType]:
    return [ResultType(np.dtype(dtype), rank) for dtype, rank in types]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", UNARY)
def test_unary(op: str, dtype: str) -> None:
    tensor = f"tensor<?x3x{dtype}>"
    run = Lowered(
        f"""
func.func @f(%x: {tensor}) -> {tensor} {{
  %y = coconet.{op} %x : {tensor} -> {tensor}
  return %y : {tensor}
}}
""",
        1,
    )
    x = np.random.default_rng(1).standard_normal((13, 3))
    if op in POSITIVE:
        x = np.abs(x) + 0.1
    x = x.astype(FLOATS[dtype])
    [[y]] = run([[x]], kinds((FLOATS[dtype], 2)))
    np.testing.assert_allclose(
        y.astype(np.float64),
        UNARY[op](x.astype(np.float64)),
        rtol=TOLERANCE[dtype],
        atol=TOLERANCE[dtype],
    )


def test_half_rounds_after_every_op() -> None:
    program = """
func.func @f(%x: tensor<?xf16>) -> tensor<?xf16> {
  %y = coconet.fused computation {
    %a = coconet.mul %x, %x : tensor<?xf16>, tensor<?xf16> -> tensor<?xf16>
    %b = coconet.add %a, %x : tensor<?xf16>, tensor<?xf16> -> tensor<?xf16>
    coconet.yield %b : tensor<?xf16>
  } : tensor<?xf16>
  return %y : tensor<?xf16>
}
"""
    x = np.random.default_rng(2).standard_normal(1000).astype(np.float16)
    [[y]] = Lowered(program, 1)([[x]], kinds((np.float16, 1)))
    np.testing.assert_array_equal(y, x * x + x)


def test_integers() -> None:
    """Division by 0 and -1, saturating casts, comparison, select."""
    program = """
func.func @f(%x: tensor<?xi8>, %y: tensor<?xi8>, %z: tensor<?xf32>)
    -> (tensor<?xi8>, tensor<?xi8>, tensor<?xi8>, tensor<?xi1>) {
  %q = coconet.div %x, %y : tensor<?xi8>, tensor<?xi8> -> tensor<?xi8>
  %c = coconet.cast %z to i8 : tensor<?xf32> -> tensor<?xi8>
  %l = coconet.compare lt %x, %y : tensor<?xi8>, tensor<?xi8> -> tensor<?xi1>
  %s = coconet.select %l, %x, %y : tensor<?xi1>, tensor<?xi8>, tensor<?xi8> -> tensor<?xi8>
  return %q, %c, %s, %l : tensor<?xi8>, tensor<?xi8>, tensor<?xi8>, tensor<?xi1>
}
"""
    x = np.array([-128, 7, -7, 5, 100] * 4, np.int8)
    y = np.array([-1, 0, 2, -1, 7] * 4, np.int8)
    z = np.array([1e9, -1e9, np.nan, -3.7, 3.7] * 4, np.float32)
    run = Lowered(program, 1)
    [[q, c, s, less]] = run(
        [[x, y, z]], kinds((np.int8, 1), (np.int8, 1), (np.int8, 1), (np.bool_, 1))
    )
    np.testing.assert_array_equal(q, [-128, 0, -3, -5, 14] * 4)
    np.testing.assert_array_equal(c, [127, -128, 0, -3, 3] * 4)
    np.testing.assert_array_equal(less, x < y)
    np.testing.assert_array_equal(s, np.minimum(x, y))


@pytest.mark.parametrize("dtype", ["f16", "f32", "f64", "i32"])
def test_matmul_partial(dtype: str) -> None:
    """A contraction dimension that is cut, and an epilogue with a replicated bias."""
    lhs = f"tensor<2x?x6x{dtype}, #coconet.layout<#mesh, [{{}}, {{}}, {{tp}}]>>"
    rhs = f"tensor<5x6x{dtype}, #coconet.layout<#mesh, [{{}}, {{tp}}]>>"
    pending = f"tensor<2x?x5x{dtype}, #coconet.layout<#mesh, partial = {{tp : sum}}>>"
    whole = f"tensor<2x?x5x{dtype}>"
    program = f"""
#mesh = #coconet.mesh<tp = ?>
func.func @f(%a: {lhs}, %b: {rhs}, %c: tensor<5x{dtype}>) -> {whole} {{
  %p = coconet.matmul %a, transpose_rhs %b : {lhs}, {rhs} -> {pending}
  %r = coconet.all_reduce sum %p on {{tp}} : {pending} -> {whole}
  %y = coconet.add %r, %c : {whole}, tensor<5x{dtype}> -> {whole}
  return %y : {whole}
}}
"""
    numpy_type = {**FLOATS, "i32": np.int32}[dtype]
    random = np.random.default_rng(3)
    a, b, c = (
        random.integers(-4, 4, shape).astype(numpy_type) for shape in [(2, 3, 6), (5, 6), (5,)]
    )
    rows = [
        [a[..., part].copy(), b[:, part].copy(), c]
        for part in (chunk(6, 4, rank) for rank in range(4))
    ]
    for (y,) in Lowered(program, 4)(rows, kinds((numpy_type, 3))):
        np.testing.assert_array_equal(y, (a @ b.T + c).astype(numpy_type))


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32", "f64"])
@pytest.mark.parametrize("size", [1, 7, 8])
def test_reductions_over_a_cut(dtype: str, size: int) -> None:
    """softmax, mean and norm over a dimension cut unevenly."""
    x = f"tensor<4x?x{dtype}, #coconet.layout<#mesh, [{{}}, {{dp}}]>>"
    mean = f"tensor<4x{dtype}, #coconet.layout<#mesh, partial = {{dp : sum}}>>"
    program = f"""
#mesh = #coconet.mesh<dp = ?>
func.func @f(%x: {x}) -> ({x}, tensor<4x{dtype}>, tensor<{dtype}>) {{
  %s = coconet.softmax %x over 1 : {x} -> {x}
  %p = coconet.reduce mean %x over [1] : {x} -> {mean}
  %m = coconet.all_reduce sum %p on {{dp}} : {mean} -> tensor<4x{dtype}>
  %n = coconet.norm %x : {x} -> tensor<{dtype}>
  return %s, %m, %n : {x}, tensor<4x{dtype}>, tensor<{dtype}>
}}
"""
    full = np.random.default_rng(4).standard_normal((4, size)).astype(FLOATS[dtype])
    rows = [[full[:, chunk(size, 3, rank)].copy(), size] for rank in range(3)]
    kind = FLOATS[dtype]
    got = Lowered(program, 3)(rows, kinds((kind, 2), (kind, 1), (kind, 0)))
    wide = full.astype(np.float64)
    power = np.exp(wide - wide.max(axis=1, keepdims=True))
    softmax = power / power.sum(axis=1, keepdims=True)
    close = {"rtol": 4 * TOLERANCE[dtype], "atol": TOLERANCE[dtype]}
    for rank, (s, m, n) in enumerate(got):
        part = softmax[:, chunk(size, 3, rank)]
        np.testing.assert_allclose(s.astype(np.float64), part, **close)
        np.testing.assert_allclose(m.astype(np.float64), wide.mean(axis=1), **close)
        np.testing.assert_allclose(float(n), np.linalg.norm(wide), **close)


def test_shapes() -> None:
    program = """
func.func @f(%x: tensor<2x?x4xf32>) -> (tensor<?x8xf32>, tensor<4x2x?xf32>, tensor<1x?x2xf32>,
                                        tensor<4x?x4xf32>, tensor<3x4xi32>, tensor<2x?x4xf32>) {
  %r = coconet.reshape %x : tensor<2x?x4xf32> -> tensor<?x8xf32>
  %t = coconet.transpose %x by [2, 0, 1] : tensor<2x?x4xf32> -> tensor<4x2x?xf32>
  %s = coconet.slice %x [1, 0, 1] [1, -1, 2] [1, 1, 2] : tensor<2x?x4xf32> -> tensor<1x?x2xf32>
  %c = coconet.concat %x, %x along 0 : tensor<2x?x4xf32>, tensor<2x?x4xf32> -> tensor<4x?x4xf32>
  %i = coconet.iota 1 : tensor<3x4xi32>
  return %r, %t, %s, %c, %i, %x : tensor<?x8xf32>, tensor<4x2x?xf32>, tensor<1x?x2xf32>,
      tensor<4x?x4xf32>, tensor<3x4xi32>, tensor<2x?x4xf32>
}
"""
    x = np.random.default_rng(5).standard_normal((2, 6, 4)).astype(np.float32)
    types = kinds(*[(np.float32, 2), *[(np.float32, 3)] * 3, (np.int32, 2), (np.float32, 3)])
    [[r, t, s, c, i, same]] = Lowered(program, 1)([[x]], types)
    np.testing.assert_array_equal(r, x.reshape(6, 8))
    np.testing.assert_array_equal(t, x.transpose(2, 0, 1))
    np.testing.assert_array_equal(s, x[1:2, :, 1:4:2])
    np.testing.assert_array_equal(c, np.concatenate([x, x]))
    np.testing.assert_array_equal(i, np.broadcast_to(np.arange(4), (3, 4)))
    np.testing.assert_array_equal(same, x)
    assert not np.shares_memory(same, x)


@pytest.mark.parametrize("cut", ["[{dp}, {}]", "[{}, {dp}]", "flat = {dp}"])
def test_dropout_slices(cut: str) -> None:
    """A slice is dropped as the whole is; bias and residual are broadcast and sharded."""
    sliced = f"tensor<5x40xf32, #coconet.layout<#mesh, {cut}>>"
    dim = {"[{dp}, {}]": "0", "[{}, {dp}]": "1", "flat = {dp}": "flat"}[cut]
    program = f"""
#mesh = #coconet.mesh<dp = ?>
func.func @f(%x: tensor<5x40xf32>, %t: tensor<i32>) -> tensor<5x40xf32> {{
  %s = coconet.shard %x into {dim} on {{dp}} : tensor<5x40xf32> -> {sliced}
  %d = coconet.dropout %s step %t rate 0.25 {{seed = 12345678901 : i64, stream = 3 : i64}}
      : {sliced}, tensor<i32> -> {sliced}
  %a = coconet.add %d, %x : {sliced}, tensor<5x40xf32> -> {sliced}
  %y = coconet.all_gather %a from {dim} on {{dp}} : {sliced} -> tensor<5x40xf32>
  return %y : tensor<5x40xf32>
}}
"""
    x = np.random.default_rng(6).standard_normal((5, 40)).astype(np.float32)
    step = np.array(7, np.int32)
    keep = dropout_mask(
        np.arange(x.size).reshape(x.shape),
        rate=0.25,
        seed=12345678901,
        step=7,
        stream=3,
        coordinate=0,
    )
    wanted = np.where(keep, x * np.float32(1 / 0.75), np.float32(0)) + x
    for (y,) in Lowered(program, 3)([[x, step] for _ in range(3)], kinds((np.float32, 2))):
        np.testing.assert_array_equal(y, wanted)


def test_states_exchange_and_old_values() -> None:
    """Updates read the old values of all states."""
    program = """
func.func @f(%a: tensor<4xf32> {coconet.state}, %b: tensor<4xf32> {coconet.state})
    -> (tensor<4xf32>, tensor<4xf32>) {
  %ua = coconet.update %a, %b : tensor<4xf32>
  %ub = coconet.update %b, %a : tensor<4xf32>
  %s = coconet.sub %a, %ua : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %s, %ub : tensor<4xf32>, tensor<4xf32>
}
"""
    a, b = np.arange(4, dtype=np.float32), np.ones(4, np.float32)
    [[difference]] = Lowered(program, 1)([[a, b]], kinds((np.float32, 1)))
    np.testing.assert_array_equal(difference, [-1, 0, 1, 2])
    np.testing.assert_array_equal(a, [1, 1, 1, 1])
    np.testing.assert_array_equal(b, [0, 1, 2, 3])
