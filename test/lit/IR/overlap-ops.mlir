// RUN: coconet-opt %s | coconet-opt | FileCheck %s
// RUN: coconet-opt %s --mlir-print-op-generic | coconet-opt | FileCheck %s

#mesh = #coconet.mesh<tp = 2>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>

// CHECK-LABEL: func.func @overlap
// CHECK: coconet.overlap chunks 2 along 0 attributes {coconet.name = "layer"} {
// CHECK: coconet.yield %{{.*}} : tensor<4xf32>
// CHECK-NEXT: } : tensor<4xf32>
func.func @overlap(%x: tensor<4xf32, #partial>) -> tensor<4xf32> {
  %0 = coconet.overlap chunks 2 along 0 attributes {coconet.name = "layer"} {
    %1 = coconet.all_reduce sum %x on {tp} : tensor<4xf32, #partial> -> tensor<4xf32>
    %2 = coconet.neg %1 : tensor<4xf32> -> tensor<4xf32>
    coconet.yield %2 : tensor<4xf32>
  } : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @started
// CHECK: %[[F:.*]] = coconet.rank.start {
// CHECK: } : <tensor<4xf32>>
// CHECK: coconet.rank.wait %[[F]] : <tensor<4xf32>> -> tensor<4xf32>
func.func @started(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = coconet.rank.start {
    %1 = coconet.rank.all_reduce sum %x on {tp} of #mesh : tensor<4xf32> -> tensor<4xf32>
    coconet.yield %1 : tensor<4xf32>
  } : !coconet.future<tensor<4xf32>>
  %2 = coconet.rank.wait %0 : !coconet.future<tensor<4xf32>> -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// CHECK-LABEL: func.func @published
// CHECK: coconet.symmetric_start on {tp} of #mesh ins(%{{.*}} : tensor<4xf32>) outs(%{{.*}} : tensor<4xf32>) {coconet.started = "all_reduce 0"} -> tensor<4xf32>, tensor<4xf32>
// CHECK: coconet.symmetric_start on {tp} of #mesh ins(%{{.*}} : memref<4xf32>) outs() {coconet.started = "reduce_scatter 1"}
func.func @published(%x: tensor<4xf32>, %b: memref<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = coconet.symmetric_start on {tp} of #mesh ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) {coconet.started = "all_reduce 0"} -> tensor<4xf32>, tensor<4xf32>
  coconet.symmetric_start on {tp} of #mesh ins(%b : memref<4xf32>) outs() {coconet.started = "reduce_scatter 1"}
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// A region that sends needs no result, and a send that is started delivers none.
// CHECK-LABEL: func.func @sends
// CHECK: coconet.overlap chunks 2 along 0 {
// CHECK: coconet.send
func.func @sends(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 0>} {
  coconet.overlap chunks 2 along 0 {
    %0 = coconet.exp %x : tensor<4xf32> -> tensor<4xf32>
    coconet.send %0 to "a" : tensor<4xf32>
    coconet.yield
  }
  return
}

// CHECK-LABEL: func.func @started_send
// CHECK: %[[S:.*]] = coconet.rank.start {
// CHECK: } : !coconet.future
// CHECK: coconet.rank.wait %[[S]] : !coconet.future{{$}}
func.func @started_send(%x: tensor<4xf32>) {
  %0 = coconet.rank.start {
    coconet.rank.send %x to "a" between [0] and [1] : tensor<4xf32>
    coconet.yield
  } : !coconet.future
  coconet.rank.wait %0 : !coconet.future
  return
}
