"""Case P02: Python handles into IR outlive passes and the objects they came from."""

import gc

import coconet_mlir as cc
from coconet_mlir import ir, passmanager
from coconet_mlir.program import context

FOLDS = """
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = coconet.reshape %x {coconet.name = "r"} : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


def run_pass(program: cc.Program, pipeline: str) -> None:
    with context():
        passmanager.PassManager.parse(pipeline).run(program.module.operation)


def test_case_P02_handle_to_a_folded_op_prints_what_it_was():
    program = cc.parse(FOLDS)
    function = program.module.body.operations[0]
    op = function.operation.regions[0].blocks[0].operations[0]
    run_pass(program, "builtin.module(canonicalize)")
    assert "coconet.reshape" not in str(program)
    assert "coconet.reshape" in str(op)
    assert "coconet.reshape" in str(op.results[0])
    assert "coconet.reshape" in str(function)
    del program, function
    gc.collect()
    assert "coconet.reshape" in str(op)


def test_case_P02_function_outlives_its_module():
    program = cc.parse(FOLDS)
    function = program.module.body.operations[0]
    op = next(iter(function.operation.regions[0].blocks[0].operations))
    alive = context()._get_live_module_count()
    del program
    gc.collect()
    assert context()._get_live_module_count() == alive
    assert "func.func @f" in str(function)
    del function
    gc.collect()
    assert "coconet.reshape" in str(op)


def test_a_failing_pass_leaves_the_program_as_it_was():
    program = cc.parse(FOLDS)
    before = str(program)
    try:
        run_pass(program, "builtin.module(canonicalize,coconet-split-all-reduce{name=none})")
    except ir.MLIRError as error:
        assert "no op is named 'none'" in str(error)
    else:
        raise AssertionError("the pass did not fail")
    assert str(program) == before


def test_a_schedule_leaves_handles_of_the_base_program_alone():
    program = cc.parse(
        """
        #mesh = #coconet.mesh<dp = 4>
        #partial = #coconet.layout<#mesh, partial = {dp : sum}>
        func.func @f(%x: tensor<8xf32, #partial>) -> tensor<8xf32> {
          %0 = coconet.all_reduce sum %x on {dp} {coconet.name = "avg"}
            : tensor<8xf32, #partial> -> tensor<8xf32>
          return %0 : tensor<8xf32>
        }
        """
    )
    op = program.function_op().operation.regions[0].blocks[0].operations[0]
    scheduled = program.schedule().split("avg").program
    assert "reduce_scatter" in str(scheduled)
    assert "all_reduce" in str(op)
