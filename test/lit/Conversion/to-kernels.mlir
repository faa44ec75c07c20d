// RUN: coconet-opt %s --coconet-to-rank --cse --coconet-to-kernels | FileCheck %s

#mesh = #coconet.mesh<dp = 2>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
#rows = #coconet.layout<#mesh, [{dp}, {}]>

// Half floats are computed in f32 and rounded after every op.
// CHECK-LABEL: func.func @half
// CHECK: linalg.generic
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: %[[B:.*]] = arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK: arith.truncf %[[B]] : f32 to f16
func.func @half(%x: tensor<?xf16>) -> tensor<?xf16> {
  %y = coconet.mul %x, %x : tensor<?xf16>, tensor<?xf16> -> tensor<?xf16>
  return %y : tensor<?xf16>
}

// A fused computation is one op; a splat is a scalar in its body.
// CHECK-LABEL: func.func @computation
// CHECK: linalg.generic
// CHECK-SAME: ins(%{{[^ ]*}} : tensor<4x8xf32>)
// CHECK: arith.constant 2.000000e+00 : f32
// CHECK: arith.mulf
// CHECK: arith.subf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @computation(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c = coconet.constant dense<2.0> : tensor<f32>
  %f = coconet.fused computation {
    %a = coconet.mul %x, %c : tensor<4x8xf32>, tensor<f32> -> tensor<4x8xf32>
    %b = coconet.sub %a, %x : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
    coconet.yield %b : tensor<4x8xf32>
  } : tensor<4x8xf32>
  return %f : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @collectives
// CHECK: coconet.symmetric_kernel flat on {dp}
// CHECK-SAME: accesses = [#coconet<access reduce>, #coconet<access gather>]
// CHECK: coconet.symmetric_kernel 0 on {dp}
// CHECK-SAME: accesses = [#coconet<access reduce>, #coconet<access chunk>]
// CHECK: coconet.symmetric_kernel 0 on {dp}
// CHECK-SAME: accesses = [#coconet<access chunk>, #coconet<access gather>]
func.func @collectives(%x: tensor<6x4xf32, #partial>) -> (tensor<6x4xf32>, tensor<6x4xf32>) {
  %a = coconet.all_reduce sum %x on {dp} : tensor<6x4xf32, #partial> -> tensor<6x4xf32>
  %s = coconet.reduce_scatter sum %x into 0 on {dp} : tensor<6x4xf32, #partial> -> tensor<6x4xf32, #rows>
  %g = coconet.all_gather %s from 0 on {dp} : tensor<6x4xf32, #rows> -> tensor<6x4xf32>
  return %a, %g : tensor<6x4xf32>, tensor<6x4xf32>
}

// A whole chain is one kernel: two reductions, a slice of a whole tensor, a
// shared row, a result wanted whole and as a chunk.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: (%[[X:.*]]: tensor<6x4xf32> {{.*}}, %[[Y:.*]]: tensor<6x4xf32> {{.*}}, %[[P:.*]]: tensor<6x4xf32> {{.*}}, %[[B:.*]]: tensor<4xf32>
// CHECK: coconet.symmetric_kernel 0 on {dp} of #{{.*}} ins(%[[X]], %[[Y]], %[[P]], %[[B]] :
// CHECK-SAME: accesses = [#coconet<access reduce>, #coconet<access reduce>, #coconet<access slice>, #coconet<access shared>, #coconet<access gather>, #coconet<access chunk>]
// CHECK-NOT: coconet.symmetric_kernel
// CHECK: return
func.func @chain(%x: tensor<6x4xf32, #partial>, %y: tensor<6x4xf32, #partial>, %p: tensor<6x4xf32>, %b: tensor<4xf32>) -> (tensor<6x4xf32>, tensor<6x4xf32, #rows>) {
  %f:2 = coconet.fused all_reduce {
    %s = coconet.reduce_scatter sum %x into 0 on {dp} : tensor<6x4xf32, #partial> -> tensor<6x4xf32, #rows>
    %t = coconet.reduce_scatter sum %y into 0 on {dp} : tensor<6x4xf32, #partial> -> tensor<6x4xf32, #rows>
    %u = coconet.mul %s, %t : tensor<6x4xf32, #rows>, tensor<6x4xf32, #rows> -> tensor<6x4xf32, #rows>
    %v = coconet.add %u, %p : tensor<6x4xf32, #rows>, tensor<6x4xf32> -> tensor<6x4xf32, #rows>
    %w = coconet.add %v, %b : tensor<6x4xf32, #rows>, tensor<4xf32> -> tensor<6x4xf32, #rows>
    %g = coconet.all_gather %w from 0 on {dp} : tensor<6x4xf32, #rows> -> tensor<6x4xf32>
    coconet.yield %g, %w : tensor<6x4xf32>, tensor<6x4xf32, #rows>
  } : tensor<6x4xf32>, tensor<6x4xf32, #rows>
  return %f#0, %f#1 : tensor<6x4xf32>, tensor<6x4xf32, #rows>
}

// A product of half floats rounds once.
// CHECK-LABEL: func.func @product
// CHECK: coconet.gemm ins( %{{.*}}, transpose_rhs %{{.*}} : tensor<4x6xf32>, tensor<5x6xf32>)
// CHECK: arith.truncf
func.func @product(%x: tensor<4x6xf16>, %y: tensor<5x6xf16>) -> tensor<4x5xf16> {
  %z = coconet.matmul %x, transpose_rhs %y : tensor<4x6xf16>, tensor<5x6xf16> -> tensor<4x5xf16>
  return %z : tensor<4x5xf16>
}
