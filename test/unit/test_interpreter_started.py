"""Rank programs that start communication and wait for it, in the interpreter."""

from __future__ import annotations

import numpy as np
import pytest
from coconet_mlir.interpreter import run
from coconet_mlir.interpreter.domain import InterpretationError
from coconet_mlir.interpreter.float64 import Float64
from coconet_mlir.interpreter.layouts import Mesh
from coconet_mlir.interpreter.program import load
from coconet_mlir.interpreter.rank import RankMachine, schedule

TYPE = "tensor<2xf32>"
FUTURE = f"!coconet.future<{TYPE}>"


def start(result: str, operand: str, name: str) -> str:
    return f"""
    %{result} = "coconet.rank.start"() ({{
      %{result}_in = "coconet.rank.all_reduce"(%{operand}) <{{axes = ["tp"],
          mesh = #coconet.mesh<tp = 2>, reduction = #coconet<reduction sum>}}>
          {{coconet.name = "{name}"}} : ({TYPE}) -> {TYPE}
      "coconet.yield"(%{result}_in) : ({TYPE}) -> ()
    }}) : () -> {FUTURE}"""


def wait(result: str, future: str) -> str:
    return f"""
    %{result} = "coconet.rank.wait"(%{future}) : ({FUTURE}) -> {TYPE}"""


def neg(result: str, operand: str) -> str:
    return f"""
    %{result} = "coconet.neg"(%{operand}) : ({TYPE}) -> {TYPE}"""


def update(result: str, state: str, value: str) -> str:
    return f"""
    %{result} = "coconet.update"(%{state}, %{value}) : ({TYPE}, {TYPE}) -> {TYPE}"""


def program(body: str, result: str) -> str:
    return f"""
"builtin.module"() ({{
  "func.func"() <{{function_type = ({TYPE}) -> {TYPE}, sym_name = "f",
      arg_attrs = [{{coconet.state, coconet.arg_name = "a"}}]}}> ({{
  ^bb0(%a: {TYPE}):{body}
    "func.return"(%{result}) : ({TYPE}) -> ()
  }}) {{coconet.mesh = #coconet.mesh<tp = 2>}} : () -> ()
}}) : () -> ()
"""


def outcome(body: str, result: str) -> list[np.ndarray]:
    return run(program(body, result), [np.array([1.0, 2.0])]).shards[0]


def test_results_come_with_the_wait() -> None:
    for shard in outcome(start("f", "a", "s") + neg("n", "a") + wait("r", "f"), "r"):
        np.testing.assert_array_equal(shard, [2, 4])


def test_any_order_of_completion() -> None:
    """Three are under way, and wait for each other's operands in no order."""
    body = start("f", "a", "s") + start("g", "a", "t") + neg("n", "a") + start("h", "n", "u")
    body += wait("z", "h") + wait("y", "g") + wait("x", "f")
    block = load(program(body, "z")).block
    for seed in range(6):
        machine = RankMachine(Mesh(("tp",), (2,)), Float64(rounding=True))
        courses = machine.courses(block, [[np.array([1.0, 2.0])], [np.array([3.0, 4.0])]])
        for values in schedule(courses, machine.domain, seed).values():
            np.testing.assert_array_equal(values[0], [-4, -6])


@pytest.mark.parametrize(
    ("body", "result", "message"),
    [
        (start("f", "a", "s"), "a", 'rank.all_reduce "s" is started on rank 0 and never waited'),
        (
            start("f", "a", "s") + wait("r", "f") + wait("q", "f"),
            "q",
            'rank.all_reduce "s" is waited for on rank 0, where it is not under way',
        ),
        (
            start("f", "a", "s") + neg("n", "a") + update("u", "a", "n") + wait("r", "f"),
            "r",
            'on rank 0: overwrites what coconet.rank.all_reduce "s", which is under way, still',
        ),
    ],
)
def test_misuse_is_found(body: str, result: str, message: str) -> None:
    with pytest.raises(InterpretationError) as error:
        outcome(body, result)
    assert message in str(error.value)


def test_a_start_that_others_do_not_join_is_found() -> None:
    """One rank waits for what the other has not started."""
    body = f"""
    %c = "coconet.rank.coordinate"() <{{axes = ["tp"], mesh = #coconet.mesh<tp = 2>}}>
        : () -> index
    %zero = "arith.constant"() <{{value = 0 : index}}> : () -> index
    %first = "arith.cmpi"(%c, %zero) <{{predicate = 0 : i64}}> : (index, index) -> i1
    %r = "scf.if"(%first) ({{{start("f", "a", "s") + wait("q", "f")}
      "scf.yield"(%q) : ({TYPE}) -> ()
    }}, {{
      "scf.yield"(%a) : ({TYPE}) -> ()
    }}) : (i1) -> {TYPE}"""
    with pytest.raises(InterpretationError, match='rank 0 waits for coconet.rank.all_reduce "s"'):
        outcome(body, "r")
