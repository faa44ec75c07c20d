// What a region is called follows from the ops that it holds.
// RUN: coconet-opt %s --split-input-file "--coconet-fuse-ops=names=f result=kernel" | FileCheck %s

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
#sliced = #coconet.layout<#mesh, [{dp}]>

// CHECK-LABEL: func.func @scatter
func.func @scatter(%g: tensor<8xf32, #partial>) -> tensor<8xf32, #sliced> {
  // CHECK-NEXT: coconet.fused reduce_scatter {
  // CHECK-NEXT: coconet.reduce_scatter
  // CHECK-NEXT: coconet.exp
  %0 = coconet.reduce_scatter sum %g into 0 on {dp} {coconet.name = "f"} : tensor<8xf32, #partial> -> tensor<8xf32, #sliced>
  %1 = coconet.exp %0 {coconet.name = "f"} : tensor<8xf32, #sliced> -> tensor<8xf32, #sliced>
  return %1 : tensor<8xf32, #sliced>
}

// -----

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
#sliced = #coconet.layout<#mesh, [{dp}]>

// CHECK-LABEL: func.func @gather
func.func @gather(%x: tensor<8xf32, #sliced>) -> tensor<8xf32> {
  // CHECK-NEXT: coconet.fused all_gather {
  // CHECK-NEXT: coconet.exp
  // CHECK-NEXT: coconet.all_gather
  %0 = coconet.exp %x {coconet.name = "f"} : tensor<8xf32, #sliced> -> tensor<8xf32, #sliced>
  %1 = coconet.all_gather %0 from 0 on {dp} {coconet.name = "f"} : tensor<8xf32, #sliced> -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @epilogue
func.func @epilogue(%x: tensor<8x4xf32>, %w: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<8x8xf32> {
  // CHECK-NEXT: coconet.fused matmul {
  // CHECK-NEXT: coconet.matmul
  // CHECK-NEXT: coconet.add
  // CHECK-NEXT: coconet.relu
  %0 = coconet.matmul %x, %w {coconet.name = "f"} : tensor<8x4xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
  %1 = coconet.add %0, %b {coconet.name = "f"} : tensor<8x8xf32>, tensor<8xf32> -> tensor<8x8xf32>
  %2 = coconet.relu %1 {coconet.name = "f"} : tensor<8x8xf32> -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// -----

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
#sliced = #coconet.layout<#mesh, [{dp}]>

// Norms of slices, and what is computed from them, stand between.
// CHECK-LABEL: func.func @two_phases
func.func @two_phases(%g: tensor<8xf32, #partial>) -> tensor<8xf32> {
  // CHECK-NEXT: coconet.fused all_reduce {
  // CHECK-NEXT: coconet.reduce_scatter
  // CHECK-NEXT: coconet.norm
  // CHECK-NEXT: coconet.sqrt
  // CHECK-NEXT: coconet.div
  // CHECK-NEXT: coconet.all_gather
  %0 = coconet.reduce_scatter sum %g into 0 on {dp} {coconet.name = "f"} : tensor<8xf32, #partial> -> tensor<8xf32, #sliced>
  %1 = coconet.norm %0 {coconet.name = "f"} : tensor<8xf32, #sliced> -> tensor<f32>
  %2 = coconet.sqrt %1 {coconet.name = "f"} : tensor<f32> -> tensor<f32>
  %3 = coconet.div %0, %2 {coconet.name = "f"} : tensor<8xf32, #sliced>, tensor<f32> -> tensor<8xf32, #sliced>
  %4 = coconet.all_gather %3 from 0 on {dp} {coconet.name = "f"} : tensor<8xf32, #sliced> -> tensor<8xf32>
  return %4 : tensor<8xf32>
}
