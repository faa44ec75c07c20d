// RUN: coconet run %s --ranks 2 --sizes n=6 --check | FileCheck %s
// RUN: not coconet run %s 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: not coconet run %s --ranks 2 --inputs %s 2>&1 | FileCheck %s --check-prefix=INPUTS
//
// OPEN: error: axis 'dp' has no size
// INPUTS: error: {{.*}} is no .npz file of plain arrays; write one with numpy.savez

#mesh = #coconet.mesh<dp = ?>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>

// CHECK: inputs are random, n = 6
// CHECK-NEXT: result total: f32[6], mean
// CHECK-NEXT: state count: i32[] = 1
// CHECK-NEXT: results equal those of the reference interpreter, within rounding
func.func @count(%g: tensor<?xf32, #partial> {coconet.arg_name = "g", coconet.dims = ["n"]},
                 %count: tensor<i32> {coconet.arg_name = "count", coconet.state})
    -> (tensor<?xf32> {coconet.result_name = "total"}) {
  %one = coconet.constant dense<1> : tensor<i32>
  %next = coconet.add %count, %one : tensor<i32>, tensor<i32> -> tensor<i32>
  coconet.update %count, %next : tensor<i32>
  %0 = coconet.all_reduce sum %g on {dp} : tensor<?xf32, #partial> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
