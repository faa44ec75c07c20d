// RUN: coconet-opt %s "--pass-pipeline=builtin.module(func.func(coconet-slice-state{names=m}))" | FileCheck %s

#mesh = #coconet.mesh<dp = 4>
#sliced = #coconet.layout<#mesh, [{dp}]>

// The state, its update and the result that returns it are slices; shard and
// all_gather are gone.
// CHECK-LABEL: func.func @state
// CHECK-SAME: %[[M:[^:]*]]: tensor<9xf32, #[[SLICED:.*]]> {coconet.arg_name = "m", coconet.state}
// CHECK-SAME: -> tensor<9xf32, #[[SLICED]]>
func.func @state(%m: tensor<9xf32> {coconet.state, coconet.arg_name = "m"}, %g: tensor<9xf32, #sliced>) -> tensor<9xf32> {
  // CHECK-NEXT: %[[A:.*]] = coconet.add %[[M]], %{{.*}}
  // CHECK-NEXT: %[[U:.*]] = coconet.update %[[M]], %[[A]] : tensor<9xf32, #[[SLICED]]>
  // CHECK-NEXT: return %[[U]]
  %0 = coconet.shard %m into 0 on {dp} : tensor<9xf32> -> tensor<9xf32, #sliced>
  %1 = coconet.add %0, %g : tensor<9xf32, #sliced>, tensor<9xf32, #sliced> -> tensor<9xf32, #sliced>
  %2 = coconet.all_gather %1 from 0 on {dp} : tensor<9xf32, #sliced> -> tensor<9xf32>
  %3 = coconet.update %m, %2 : tensor<9xf32>
  return %3 : tensor<9xf32>
}
