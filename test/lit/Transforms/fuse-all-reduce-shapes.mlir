// Operands of other shapes, gradients that are wanted whole, and several blocks.
// RUN: coconet-opt %s --fuse-allreduce | FileCheck %s

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>

// What computes a repeated column stays before the kernel.
// CHECK-LABEL: func.func @column
func.func @column(%g: tensor<8x4xf32, #partial>, %c: tensor<8x1xf32>) -> tensor<8x4xf32> {
  // CHECK: coconet.shard %{{.*}} into 0 on {dp} : tensor<8x1xf32>
  // CHECK-NEXT: coconet.exp
  // CHECK-NEXT: coconet.fused all_reduce {
  // CHECK-NEXT: coconet.reduce_scatter
  // CHECK-NEXT: coconet.mul
  // CHECK-NEXT: coconet.all_gather
  %0 = coconet.all_reduce sum %g on {dp} : tensor<8x4xf32, #partial> -> tensor<8x4xf32>
  %1 = coconet.exp %c : tensor<8x1xf32> -> tensor<8x1xf32>
  %2 = coconet.mul %0, %1 : tensor<8x4xf32>, tensor<8x1xf32> -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// The gathered gradient is one result of the kernel.
// CHECK-LABEL: func.func @gradient
func.func @gradient(%g: tensor<8xf32, #partial>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[F:.*]]:2 = coconet.fused all_reduce {
  // CHECK-NEXT: coconet.reduce_scatter
  // CHECK-DAG: coconet.all_gather
  // CHECK-DAG: coconet.all_gather
  // CHECK: coconet.yield
  // CHECK: return %[[F]]#{{.}}, %[[F]]#
  %0 = coconet.all_reduce sum %g on {dp} : tensor<8xf32, #partial> -> tensor<8xf32>
  %1 = coconet.exp %0 : tensor<8xf32> -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// An op with a region that uses the slices moves behind the kernel.
// CHECK-LABEL: func.func @nested
func.func @nested(%g: tensor<8xf32, #partial>, %c: i1) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: coconet.fused all_reduce {
  // CHECK: }
  // CHECK: scf.if
  // CHECK: coconet.neg
  %0 = coconet.all_reduce sum %g on {dp} : tensor<8xf32, #partial> -> tensor<8xf32>
  %1 = scf.if %c -> tensor<8xf32> {
    %3 = coconet.neg %0 : tensor<8xf32> -> tensor<8xf32>
    scf.yield %3 : tensor<8xf32>
  } else {
    scf.yield %0 : tensor<8xf32>
  }
  %2 = coconet.exp %0 : tensor<8xf32> -> tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @loop
func.func @loop(%g: tensor<8xf32, #partial>, %x: tensor<8xf32>, %a: index, %b: index) -> tensor<8xf32> {
  // CHECK: scf.for
  // CHECK: coconet.fused all_reduce {
  %0 = scf.for %i = %a to %b step %b iter_args(%y = %x) -> tensor<8xf32> {
    %1 = coconet.all_reduce sum %g on {dp} : tensor<8xf32, #partial> -> tensor<8xf32>
    %2 = coconet.add %1, %y : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @blocks
func.func @blocks(%g: tensor<8xf32, #partial>) -> tensor<8xf32> {
  // CHECK: coconet.fused all_reduce {
  %0 = coconet.all_reduce sum %g on {dp} : tensor<8xf32, #partial> -> tensor<8xf32>
  %1 = coconet.exp %0 : tensor<8xf32> -> tensor<8xf32>
  cf.br ^bb1
^bb1:
  %2 = coconet.add %0, %1 : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// CHECK: func.func private @declared
func.func private @declared(tensor<8xf32, #partial>)
