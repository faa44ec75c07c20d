// RUN: coconet-opt %s | coconet-opt | FileCheck %s

#mesh = #coconet.mesh<dp = 2>
#pending = #coconet.layout<#mesh, partial = {dp : sum}>
#flat = #coconet.layout<#mesh, flat = {dp}>
#cut = #coconet.layout<#mesh, [{dp}]>

// Flattenings take the shape of the first list, scalars stay, and what is cut
// along its only dimension is cut flat.
// CHECK-LABEL: func.func @lists
func.func @lists(%g0: tensor<8x4xf32, #pending>, %g1: tensor<3xf32, #pending>, %m0: tensor<8x4xf32, #flat>, %m1: tensor<3xf32, #flat>, %rate: tensor<f32>)
    -> (tensor<8x4xf32, #flat>, tensor<3xf32, #flat>, tensor<f32>, tensor<f32>) {
  // CHECK: %[[R:.*]]:4 = coconet.for_each 2 of({{.*}} : tensor<8x4xf32, #partial>, tensor<3xf32, #partial>, tensor<8x4xf32, #[[FLAT:.*]]>, tensor<3xf32, #[[FLAT]]>) {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<?xf32, #partial>, %{{.*}}: tensor<?xf32, #[[CUT:.*]]>):
  %r:4 = coconet.for_each 2 of (%g0, %g1, %m0, %m1 : tensor<8x4xf32, #pending>, tensor<3xf32, #pending>, tensor<8x4xf32, #flat>, tensor<3xf32, #flat>) {
  ^bb0(%g: tensor<?xf32, #pending>, %m: tensor<?xf32, #cut>):
    %s = coconet.reduce_scatter sum %g into 0 on {dp} : tensor<?xf32, #pending> -> tensor<?xf32, #cut>
    %u = coconet.mul %s, %rate : tensor<?xf32, #cut>, tensor<f32> -> tensor<?xf32, #cut>
    %v = coconet.add %u, %m : tensor<?xf32, #cut>, tensor<?xf32, #cut> -> tensor<?xf32, #cut>
    %n = coconet.norm %v : tensor<?xf32, #cut> -> tensor<f32>
    coconet.yield %v, %n : tensor<?xf32, #cut>, tensor<f32>
  // CHECK: } -> tensor<8x4xf32, #[[FLAT]]>, tensor<3xf32, #[[FLAT]]>, tensor<f32>, tensor<f32>
  } -> tensor<8x4xf32, #flat>, tensor<3xf32, #flat>, tensor<f32>, tensor<f32>
  return %r#0, %r#1, %r#2, %r#3 : tensor<8x4xf32, #flat>, tensor<3xf32, #flat>, tensor<f32>, tensor<f32>
}

// In rank programs a list of sizes comes first.
// CHECK-LABEL: func.func @sizes
func.func @sizes(%n0: index, %n1: index, %x0: tensor<4x4xf32>, %x1: tensor<?xf32>) -> (tensor<8xf32>, tensor<?xf32>) {
  // CHECK: coconet.for_each 2 of({{.*}} : index, index, tensor<4x4xf32>, tensor<?xf32>) {
  // CHECK-NEXT: ^bb0(%{{.*}}: index, %{{.*}}: tensor<?xf32>):
  %r:2 = coconet.for_each 2 of (%n0, %n1, %x0, %x1 : index, index, tensor<4x4xf32>, tensor<?xf32>) {
  ^bb0(%n: index, %x: tensor<?xf32>):
    %s = coconet.rank.reduce_scatter sum %x into 0 on {dp} of #mesh : tensor<?xf32> -> tensor<?xf32>
    coconet.yield %s : tensor<?xf32>
  } -> tensor<8xf32>, tensor<?xf32>
  return %r#0, %r#1 : tensor<8xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @kernels
func.func @kernels(%x0: tensor<4x4xf32>, %x1: tensor<3xf32>, %c: tensor<f32>) -> (tensor<4x4xf32>, tensor<3xf32>) {
  // CHECK: coconet.list_kernel 2 on {dp} of #mesh ins(%{{.*}}, %{{.*}} : tensor<4x4xf32>, tensor<3xf32>) with(%{{.*}} : tensor<f32>) outs(
  %r:2 = coconet.list_kernel 2 on {dp} of #mesh ins(%x0, %x1 : tensor<4x4xf32>, tensor<3xf32>) with(%c : tensor<f32>)
      outs(%x0, %x1 : tensor<4x4xf32>, tensor<3xf32>)
      attributes {accesses = [#coconet<access reduce>, #coconet<access gather>], reductions = [#coconet<reduction sum>]} {
  ^bb0(%a: f32, %b: f32):
    coconet.yield %a : f32
  } -> tensor<4x4xf32>, tensor<3xf32>
  // CHECK: coconet.list_kernel 2 root 1 on {dp} of #mesh ins(
  %s:2 = coconet.list_kernel 2 root 1 on {dp} of #mesh ins(%r#0, %r#1 : tensor<4x4xf32>, tensor<3xf32>)
      outs(%x0, %x1 : tensor<4x4xf32>, tensor<3xf32>)
      attributes {accesses = [#coconet<access chunk>, #coconet<access chunk>], reductions = []} {
  ^bb0(%a: f32):
    coconet.yield %a : f32
  } -> tensor<4x4xf32>, tensor<3xf32>
  // CHECK: coconet.list_kernel 2 ins(
  %t:2 = coconet.list_kernel 2 ins(%s#0, %s#1 : tensor<4x4xf32>, tensor<3xf32>)
      outs(%x0, %x1 : tensor<4x4xf32>, tensor<3xf32>)
      attributes {accesses = [#coconet<access chunk>, #coconet<access chunk>], reductions = []} {
  ^bb0(%a: f32):
    coconet.yield %a : f32
  } -> tensor<4x4xf32>, tensor<3xf32>
  return %t#0, %t#1 : tensor<4x4xf32>, tensor<3xf32>
}
