// What nobody uses leaves a fused region, its collectives too.
// RUN: coconet-opt %s --canonicalize | FileCheck %s
// RUN: coconet-opt %s --canonicalize --coconet-to-cpu -o /dev/null
// RUN: coconet-opt %s --coconet-to-cpu -o /dev/null

#mesh = #coconet.mesh<dp = 2>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
#sliced = #coconet.layout<#mesh, [{dp}]>

// CHECK-LABEL: func.func @scatter
// CHECK: coconet.fused reduce_scatter {
// CHECK-NEXT: coconet.neg
// CHECK-NEXT: coconet.yield
func.func @scatter(%x: tensor<4xf32, #partial>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = coconet.fused reduce_scatter {
    %1 = coconet.reduce_scatter sum %x into 0 on {dp} : tensor<4xf32, #partial> -> tensor<4xf32, #sliced>
    %2 = coconet.neg %y : tensor<4xf32> -> tensor<4xf32>
    coconet.yield %2 : tensor<4xf32>
  } : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @gather
// CHECK: coconet.fused all_gather {
// CHECK-NEXT: coconet.neg
// CHECK-NEXT: coconet.yield
func.func @gather(%x: tensor<4xf32, #sliced>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = coconet.fused all_gather {
    %1 = coconet.all_gather %x from 0 on {dp} : tensor<4xf32, #sliced> -> tensor<4xf32>
    %2 = coconet.neg %y : tensor<4xf32> -> tensor<4xf32>
    coconet.yield %2 : tensor<4xf32>
  } : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @product
// CHECK: coconet.fused matmul {
// CHECK-NEXT: coconet.neg
// CHECK-NEXT: coconet.yield
func.func @product(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = coconet.fused matmul {
    %1 = coconet.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    %2 = coconet.neg %y : tensor<4x4xf32> -> tensor<4x4xf32>
    coconet.yield %2 : tensor<4x4xf32>
  } : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
