"""The package as a user meets it: imports, passes, schedules, the JIT."""

import ctypes
import shutil
import subprocess
import sys

import pytest
from coconet_mlir import execution_engine, ir, passmanager
from coconet_mlir.dialects import transform  # noqa: F401
from coconet_mlir.dialects.transform import interpreter

PROGRAM = """
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = coconet.neg %a {coconet.name = "first"} : tensor<4xf32> -> tensor<4xf32>
  %1 = coconet.neg %0 : tensor<4xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
"""


@pytest.fixture
def context():
    """A context and a location, entered."""
    with ir.Context() as context, ir.Location.unknown():
        yield context


def test_passes_of_both_kinds_are_registered(context):
    module = ir.Module.parse(PROGRAM)
    pipeline = "builtin.module(coconet-bind-mesh{ranks=2},coconet-validate-layouts,symbol-dce)"
    passmanager.PassManager.parse(pipeline).run(module.operation)
    assert "coconet.neg" in str(module)


def test_schedule_that_fails_raises_with_the_diagnostic(context):
    schedule = ir.Module.parse("""
      module attributes {transform.with_named_sequence} {
        transform.named_sequence @__transform_main(%root: !transform.any_op) {
          %0 = transform.coconet.match "second" in %root : (!transform.any_op) -> !transform.any_op
          transform.yield
        }
      }
    """)
    payload = ir.Module.parse(PROGRAM)
    with pytest.raises(ValueError, match="no op is named 'second'"):
        interpreter.apply_named_sequence(payload, schedule.body.operations[0], schedule)


def test_compiled_function_runs(context):
    module = ir.Module.parse("""
      func.func @twice(%a: i32) -> i32 attributes {llvm.emit_c_interface} {
        %0 = arith.addi %a, %a : i32
        return %0 : i32
      }
    """)
    passmanager.PassManager.parse(
        "builtin.module(convert-func-to-llvm,convert-arith-to-llvm,reconcile-unrealized-casts)"
    ).run(module.operation)
    engine = execution_engine.ExecutionEngine(module)
    argument, result = ctypes.c_int(21), ctypes.c_int(0)
    engine.invoke("twice", ctypes.byref(argument), ctypes.byref(result))
    assert result.value == 42


def test_commands_work_from_any_folder(tmp_path):
    commands = sys.exec_prefix + "/bin"
    for name in ["coconet", "coconet-opt"]:
        command = shutil.which(name, path=commands)
        assert command, f"{name} is not in {commands}"
        shown = subprocess.run(
            [command, "--version"], cwd=tmp_path, check=True, capture_output=True, text=True
        )
        assert shown.stdout
