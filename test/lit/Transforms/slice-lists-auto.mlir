// all_reduces in the region of a list are fused, and its states sliced.
// RUN: coconet-opt %s --fuse-allreduce=slice-state | FileCheck %s

#mesh = #coconet.mesh<dp = ?>
#pending = #coconet.layout<#mesh, partial = {dp : sum}>

// CHECK-LABEL: func.func @step
// CHECK-SAME: tensor<3xf32, #sliced> {coconet.arg_name = "p.1"
// CHECK-SAME: tensor<4x2xf32, #sliced> {coconet.arg_name = "m.0"
func.func @step(%g0: tensor<4x2xf32, #pending>, %g1: tensor<3xf32, #pending>,
    %p0: tensor<4x2xf32> {coconet.state, coconet.arg_name = "p.0"}, %p1: tensor<3xf32> {coconet.state, coconet.arg_name = "p.1"},
    %m0: tensor<4x2xf32> {coconet.state, coconet.arg_name = "m.0"}, %m1: tensor<3xf32> {coconet.state, coconet.arg_name = "m.1"}) {
  // CHECK: %[[R:.*]]:4 = coconet.for_each 2 of
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<?xf32, #partial>, %[[P:.*]]: tensor<?xf32, #sliced1>, %[[M:.*]]: tensor<?xf32, #sliced1>):
  // CHECK-NEXT: %[[F:.*]]:2 = coconet.fused reduce_scatter {
  // CHECK-NEXT: %[[S:.*]] = coconet.reduce_scatter
  // CHECK-NEXT: %[[N:.*]] = coconet.add %[[S]], %[[M]]
  // CHECK-NEXT: %[[Q:.*]] = coconet.sub %[[P]], %[[N]]
  // CHECK-NEXT: coconet.yield %[[N]], %[[Q]]
  // CHECK: } -> tensor<4x2xf32, #sliced>, tensor<3xf32, #sliced>, tensor<4x2xf32, #sliced>, tensor<3xf32, #sliced>
  %r:4 = coconet.for_each 2 of (%g0, %g1, %p0, %p1, %m0, %m1 : tensor<4x2xf32, #pending>, tensor<3xf32, #pending>, tensor<4x2xf32>, tensor<3xf32>, tensor<4x2xf32>, tensor<3xf32>) {
  ^bb0(%g: tensor<?xf32, #pending>, %p: tensor<?xf32>, %m: tensor<?xf32>):
    %s = coconet.all_reduce sum %g on {dp} : tensor<?xf32, #pending> -> tensor<?xf32>
    %n = coconet.add %s, %m : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %q = coconet.sub %p, %n : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    coconet.yield %q, %n : tensor<?xf32>, tensor<?xf32>
  } -> tensor<4x2xf32>, tensor<3xf32>, tensor<4x2xf32>, tensor<3xf32>
  %0 = coconet.update %p0, %r#0 : tensor<4x2xf32>
  %1 = coconet.update %p1, %r#1 : tensor<3xf32>
  %2 = coconet.update %m0, %r#2 : tensor<4x2xf32>
  %3 = coconet.update %m1, %r#3 : tensor<3xf32>
  return
}
