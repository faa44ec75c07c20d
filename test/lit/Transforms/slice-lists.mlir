// Lists of state held in slices, as their region cuts them.
// RUN: coconet-opt %s "--pass-pipeline=builtin.module(func.func(coconet-slice-state{names=m}))" | FileCheck %s

#mesh = #coconet.mesh<dp = ?>
#pending = #coconet.layout<#mesh, partial = {dp : sum}>
#flat = #coconet.layout<#mesh, flat = {dp}>

// CHECK-LABEL: func.func @by_name
// CHECK-SAME: %[[M0:[^:]*]]: tensor<4x2xf32, #sliced> {coconet.arg_name = "m.0"
// CHECK-SAME: %[[M1:[^:]*]]: tensor<3xf32, #sliced> {coconet.arg_name = "m.1"
func.func @by_name(%g0: tensor<4x2xf32, #pending>, %g1: tensor<3xf32, #pending>,
    %m0: tensor<4x2xf32> {coconet.state, coconet.arg_name = "m.0"}, %m1: tensor<3xf32> {coconet.state, coconet.arg_name = "m.1"})
    -> (tensor<4x2xf32>, tensor<3xf32>) {
  // CHECK: %[[R:.*]]:4 = coconet.for_each 2 of({{.*}}, %[[M0]], %[[M1]] : {{.*}}, tensor<4x2xf32, #sliced>, tensor<3xf32, #sliced>) {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<?xf32, #partial>, %[[M:.*]]: tensor<?xf32, #sliced>):
  // CHECK-NEXT: %[[S:.*]] = coconet.reduce_scatter
  // CHECK-NEXT: %[[N:.*]] = coconet.add %[[S]], %[[M]]
  // CHECK-NEXT: %[[W:.*]] = coconet.all_gather %[[S]]
  // CHECK-NEXT: coconet.yield %[[W]], %[[N]]
  // CHECK-NEXT: } -> tensor<4x2xf32>, tensor<3xf32>, tensor<4x2xf32, #sliced>, tensor<3xf32, #sliced>
  %r:4 = coconet.for_each 2 of (%g0, %g1, %m0, %m1 : tensor<4x2xf32, #pending>, tensor<3xf32, #pending>, tensor<4x2xf32>, tensor<3xf32>) {
  ^bb0(%g: tensor<?xf32, #pending>, %m: tensor<?xf32>):
    %s = coconet.reduce_scatter sum %g into flat on {dp} : tensor<?xf32, #pending> -> tensor<?xf32, #flat>
    %c = coconet.shard %m into flat on {dp} : tensor<?xf32> -> tensor<?xf32, #flat>
    %n = coconet.add %s, %c : tensor<?xf32, #flat>, tensor<?xf32, #flat> -> tensor<?xf32, #flat>
    %w = coconet.all_gather %s from flat on {dp} : tensor<?xf32, #flat> -> tensor<?xf32>
    %v = coconet.all_gather %n from flat on {dp} : tensor<?xf32, #flat> -> tensor<?xf32>
    coconet.yield %w, %v : tensor<?xf32>, tensor<?xf32>
  } -> tensor<4x2xf32>, tensor<3xf32>, tensor<4x2xf32>, tensor<3xf32>
  // CHECK: coconet.update %[[M0]], %[[R]]#2 : tensor<4x2xf32, #sliced>
  // CHECK: coconet.update %[[M1]], %[[R]]#3 : tensor<3xf32, #sliced>
  %0 = coconet.update %m0, %r#2 : tensor<4x2xf32>
  %1 = coconet.update %m1, %r#3 : tensor<3xf32>
  return %r#0, %r#1 : tensor<4x2xf32>, tensor<3xf32>
}
