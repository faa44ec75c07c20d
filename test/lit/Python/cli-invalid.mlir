// What a user gets wrong is told without a traceback, and the exit code says so.
//
// RUN: not coconet show %s 2>&1 | FileCheck %s
// RUN: not coconet show %t.missing 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not coconet check %examples/data_parallel_adam.mlir --ranks 2 \
// RUN:   --schedule %examples/data_parallel_adam.mlir 2>&1 | FileCheck %s --check-prefix=SCRIPT
// RUN: not coconet check %examples/data_parallel_adam.mlir --mesh tp=2 \
// RUN:   --schedule %examples/data_parallel_adam.fused.mlir 2>&1 | FileCheck %s --check-prefix=AXIS
// RUN: not coconet check %examples/data_parallel_adam.mlir --mesh dp=x \
// RUN:   --schedule %examples/data_parallel_adam.fused.mlir 2>&1 | FileCheck %s --check-prefix=SIZE
//
// MISSING: error: cannot read {{.*}}.missing: No such file or directory
// SCRIPT: error: the schedule has no named sequence
// AXIS: error: unknown axis 'tp'; the mesh is <dp = ?>
// SIZE: error: argument --mesh: 'dp=x' is no size; write dp=2,tp=4

func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NOT: Traceback
  // CHECK: cli-invalid.mlir:[[# @LINE + 1]]:8: error:
  %0 = coconet.negg %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
