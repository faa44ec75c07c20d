"""Rank programs whose groups have members in several functions, compiled, against numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import coconet_mlir as cc
import numpy as np
import pytest
from compiled_support import case

Values = list[np.ndarray]
Expect = Callable[[Values], Values]

N = 8  # elements of each rank
X = f"tensor<{N}xf32>"
SPLITS = ([[0], [1], [2], [3]], [[0, 1], [2, 3]], [[0, 3], [1, 2]], [[1, 2, 3], [0]])
GROUPS = {
    "{i}": [[0, 2], [1, 3]],
    "{j}": [[0, 1], [2, 3]],
    "{i, j}": [[0, 1, 2, 3]],
    "groups [[3, 0], [1], [2]]": [[3, 0], [1], [2]],
    "groups [[2, 0, 1, 3]]": [[2, 0, 1, 3]],
}


def rank_function(index: int, ranks: Sequence[int], body: str, result: str) -> str:
    return f"""
    func.func @f{index}(%x: {X} {{coconet.arg_name = "x{index}"}})
        -> ({result} {{coconet.result_name = "y{index}"}})
        attributes {{coconet.ranks = array<i64: {", ".join(map(str, ranks))}>}} {{
      {body}
      return %y : {result}
    }}"""


def run(split: Sequence[Sequence[int]], bodies: Sequence[str], result: str, turns: int = 3):
    """What each function gives, from whole numbers that differ between functions."""
    functions = [
        rank_function(i, ranks, body, result)
        for i, (ranks, body) in enumerate(zip(split, bodies, strict=True))
    ]
    program = cc.parse("#mesh = #coconet.mesh<i = 2, j = 2>" + "".join(functions))
    own = [np.arange(N, dtype=np.float32) + 100 * i for i in range(len(split))]
    values: Values = [np.zeros(0)] * 4
    for array, ranks in zip(own, split, strict=True):
        for rank in ranks:
            values[rank] = array
    with cc.compile(program, timeout=10) as exe:
        for _ in range(turns):
            found = exe(**{f"x{i}": array for i, array in enumerate(own)})
    return values, [found[f"y{i}"] for i in range(len(split))]


def each_group(values: Values, groups: list[list[int]], expect: Expect) -> Values:
    found: Values = [np.zeros(0)] * len(values)
    for group in groups:
        for rank, value in zip(group, expect([values[r] for r in group]), strict=True):
            found[rank] = value
    return found


def only(root: int, value: np.ndarray, count: int) -> Values:
    return [value if k == root else np.zeros_like(value) for k in range(count)]


KINDS: dict[str, tuple[str, str, Expect]] = {
    "all_reduce": ("all_reduce sum %x on GROUP of #mesh", X, lambda v: [sum(v)] * len(v)),
    "all_reduce max": (
        "all_reduce max %x on GROUP of #mesh",
        X,
        lambda v: [np.max(v, axis=0)] * len(v),
    ),
    "reduce_scatter": (
        "reduce_scatter sum %x into 0 on GROUP of #mesh",
        "tensor<?xf32>",
        lambda v: np.array_split(sum(v), len(v)),
    ),
    "all_gather": (
        "all_gather %x size %whole from 0 on GROUP of #mesh",
        "tensor<?xf32>",
        lambda v: [np.concatenate(v)] * len(v),
    ),
    "broadcast": ("broadcast %x root 0 on GROUP of #mesh", X, lambda v: [v[0]] * len(v)),
    "reduce_to_root": (
        "reduce_to_root sum %x root 0 on GROUP of #mesh",
        X,
        lambda v: only(0, sum(v), len(v)),
    ),
    "gather_to_root": (
        "gather_to_root %x size %whole from 0 root 0 on GROUP of #mesh",
        "tensor<?xf32>",
        lambda v: only(0, np.concatenate(v), len(v)),
    ),
    "scatter_from_root": (
        "scatter_from_root %x into 0 root 0 on GROUP of #mesh",
        "tensor<?xf32>",
        lambda v: np.array_split(v[0], len(v)),
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_collectives_of_groups_that_span_functions(kind: str) -> None:
    operation, result, expect = KINDS[kind]
    for written, groups in GROUPS.items():
        if "?" in result and len({len(group) for group in groups}) > 1:
            continue
        size = f"%whole = arith.constant {N * len(groups[0])} : index\n"
        body = size + f"%y = coconet.rank.{operation} : {X} -> {result}".replace("GROUP", written)
        for split in SPLITS:
            with case(f"{written} over {split}"):
                values, found = run(split, [body] * len(split), result)
                expected = each_group(values, groups, expect)
                for ranks, value in zip(split, found, strict=True):
                    # Results of a function are those of its first rank.
                    np.testing.assert_array_equal(value, expected[ranks[0]])


def test_permute_and_all_to_all() -> None:
    matrix = "tensor<2x4xf32>"
    body = f"""
      %four = arith.constant 4 : index
      %m = coconet.rank.reshape %x sizes() : {X} -> {matrix}
      %p = coconet.rank.permute %m pairs [[0, 1], [1, 2], [2, 3], [3, 0]] on {{i, j}} of #mesh
          : {matrix} -> {matrix}
      %a = coconet.rank.all_to_all %p size %four from 0 into 1 on {{j}} of #mesh
          : {matrix} -> tensor<4x2xf32>
      %b = coconet.rank.all_to_all %a size %four from 1 into 0 on {{j}} of #mesh
          : tensor<4x2xf32> -> {matrix}
      coconet.rank.barrier on {{i}} of #mesh
      %y = coconet.rank.reshape %b sizes() : {matrix} -> {X}"""
    for split in SPLITS:
        values, found = run(split, [body] * len(split), X)
        for ranks, value in zip(split, found, strict=True):
            np.testing.assert_array_equal(value, values[ranks[0] - 1])


def test_a_fused_region() -> None:
    body = f"""
      %n = arith.constant {N} : index
      %y = coconet.fused all_reduce {{
        %r = coconet.rank.reduce_scatter sum %x into 0 on {{i, j}} of #mesh : {X} -> tensor<2xf32>
        %e = coconet.add %r, %r : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
        %g = coconet.rank.all_gather %e size %n from 0 on {{i, j}} of #mesh : tensor<2xf32> -> {X}
        coconet.yield %g : {X}
      }} : {X}"""
    for split in SPLITS:
        values, found = run(split, [body] * len(split), X)
        for value in found:
            np.testing.assert_array_equal(value, 2 * sum(values))


def test_a_loop_meets_what_is_written_out_and_what_is_started() -> None:
    total = f"coconet.rank.all_reduce sum %{{of}} on {{{{i, j}}}} of #mesh : {X} -> {X}"
    loop = f"""
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %three = arith.constant 3 : index
      %y = scf.for %k = %zero to %three step %one iter_args(%c = %x) -> ({X}) {{
        %t = {total.format(of="c")}
        scf.yield %t : {X}
      }}"""
    written = "\n".join(
        f"%{to} = {total.format(of=of)}" for of, to in (("x", "a"), ("a", "b"), ("b", "y"))
    )
    started = ""
    for of, to in (("x", "a"), ("a", "b"), ("b", "y")):
        started += f"""
      %f{to} = coconet.rank.start {{
        %t = {total.format(of=of)}
        coconet.yield %t : {X}
      }} : !coconet.future<{X}>
      %{to} = coconet.rank.wait %f{to} : <{X}> -> {X}"""
    split = [[0], [1], [2], [3]]
    for bodies in ([loop, written, started, loop], [started, loop, loop, written]):
        values, found = run(split, bodies, X, turns=50)
        for value in found:
            np.testing.assert_array_equal(value, 16 * sum(values))


def test_functions_that_do_unlike_things_with_a_sum() -> None:
    """In place or not, used or not, equal ones: each side starts as many as the other."""
    total = f"coconet.rank.all_reduce sum {{}} on {{{{i, j}}}} of #mesh : {X} -> {X}"
    plain = f"%y = {total.format('%x')}"
    negated = f"%z = coconet.neg %x : {X} -> {X}\n%y = {total.format('%z')}"
    unused = f"%u = {total.format('%x')}\n%y = coconet.neg %x : {X} -> {X}"
    split = [[0], [1], [2], [3]]
    values, found = run(split, [plain, negated, unused, plain], X)
    expected = values[0] - values[1] + values[2] + values[3]
    for index in (0, 1, 3):
        np.testing.assert_array_equal(found[index], expected)
    np.testing.assert_array_equal(found[2], -values[2])

    twice = f"%a = {total.format('%x')}\n%y = {total.format('%a')}"
    equal = f"%a = {total.format('%x')}\n%b = {total.format('%x')}\n"
    equal += f"%y = coconet.add %a, %b : {X}, {X} -> {X}"
    values, found = run(split, [equal, equal, equal, equal], X)
    for value in found:
        np.testing.assert_array_equal(value, 2 * sum(values))
    values, found = run(split, [twice, twice, twice, equal], X)
    first = sum(values)
    second = 3 * first + values[3]
    np.testing.assert_array_equal(found[0], second)
    np.testing.assert_array_equal(found[3], first + second)
