"""The check of communication: how long it takes, and where it runs."""

from __future__ import annotations

import time

import coconet_mlir as cc
import pytest
from coconet_mlir import ir
from coconet_mlir.program import context

OPS = 10_000


def check(text: str) -> float:
    from coconet_mlir.passmanager import PassManager

    with context():
        module = ir.Module.parse(text)
        manager = PassManager.parse("builtin.module(coconet-check-communication)")
        start = time.perf_counter()
        manager.run(module.operation)
        return time.perf_counter() - start


def function(name: str, mesh: str, attributes: str, groups: list[str]) -> str:
    lines = [f"func.func @{name}(%x0: tensor<4xf32>) {attributes} {{"]
    lines += [
        f"  %x{i + 1} = coconet.rank.all_reduce sum %x{i} on {groups[i % len(groups)]} of {mesh} : "
        "tensor<4xf32> -> tensor<4xf32>"
        for i in range(OPS)
    ]
    return "\n".join([*lines, "  return", "}"])


def test_ten_thousand_ops_of_eight_ranks_take_less_than_a_second():
    groups = ["{a}", "{b, c}", "{c}", "groups [[0, 7], [1, 6], [2, 5], [3, 4]]"]
    text = "#m = #coconet.mesh<a = 2, b = 2, c = 2>\n" + function("f", "#m", "", groups)
    assert min(check(text) for _ in range(2)) < 1


def test_eight_functions_of_ten_thousand_ops_take_seconds():
    groups = ["{a}", "{b, c}", "{c}"]
    text = "#m = #coconet.mesh<a = 2, b = 2, c = 2>\n" + "\n".join(
        function(f"f{i}", "#m", f"attributes {{coconet.ranks = array<i64: {i}>}}", groups)
        for i in range(8)
    )
    assert check(text) < 4


def test_programs_are_checked_when_they_are_compiled():
    text = """
    #mesh = #coconet.mesh<dp = 2>
    #local = #coconet.layout<#mesh, local = {dp}>
    func.func @f(%x: tensor<4xf32, #local>, %c: tensor<i1, #local>) -> tensor<4xf32, #local> {
      %b = tensor.extract %c[] : tensor<i1, #local>
      %0 = scf.if %b -> tensor<4xf32, #local> {
        %1 = coconet.all_reduce sum %x on {dp} : tensor<4xf32, #local> -> tensor<4xf32>
        %2 = coconet.add %1, %x : tensor<4xf32>, tensor<4xf32, #local> -> tensor<4xf32, #local>
        scf.yield %2 : tensor<4xf32, #local>
      } else {
        scf.yield %x : tensor<4xf32, #local>
      }
      return %0 : tensor<4xf32, #local>
    }
    """
    program = cc.parse(text)
    with pytest.raises(cc.CompileError, match=r"is in a branch that ranks along \{dp\}"):
        cc.compile(program)
    cc.compile(program, check=False).close()
