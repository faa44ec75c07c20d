// RUN: coconet-opt %s --split-input-file "--coconet-overlap-ops=names=o chunks=4 dim=1 result=ol" | FileCheck %s

#mesh = #coconet.mesh<tp = 2>
#cols = #coconet.layout<#mesh, [{}, {}, {tp}]>
#rows = #coconet.layout<#mesh, [{tp}, {}]>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>

// The chunks run along the sequence: rows of the product, elements of the sum.
// What only depends on the region moves behind it.
// CHECK-LABEL: func.func @mm_ar
func.func @mm_ar(%x: tensor<2x8x4xf32, #cols>, %w: tensor<4x6xf32, #rows>) -> (tensor<2x8x6xf32>, tensor<2x8x6xf32, #partial>) {
  // CHECK-NEXT: %[[O:.*]]:2 = coconet.overlap chunks 4 along 1 attributes {coconet.name = "ol"} {
  // CHECK-NEXT: %[[M:.*]] = coconet.matmul
  // CHECK-NEXT: %[[A:.*]] = coconet.all_reduce sum %[[M]]
  // CHECK-NEXT: coconet.yield %[[M]], %[[A]]
  // CHECK-NEXT: } : tensor<2x8x6xf32, #{{.*}}>, tensor<2x8x6xf32>
  // CHECK-NEXT: %[[N:.*]] = coconet.neg %[[O]]#0
  // CHECK-NEXT: return %[[O]]#1, %[[N]]
  %0 = coconet.matmul %x, %w {coconet.name = "o"} : tensor<2x8x4xf32, #cols>, tensor<4x6xf32, #rows> -> tensor<2x8x6xf32, #partial>
  %1 = coconet.neg %0 : tensor<2x8x6xf32, #partial> -> tensor<2x8x6xf32, #partial>
  %2 = coconet.all_reduce sum %0 on {tp} {coconet.name = "o"} : tensor<2x8x6xf32, #partial> -> tensor<2x8x6xf32>
  return %2, %1 : tensor<2x8x6xf32>, tensor<2x8x6xf32, #partial>
}

// -----

#mesh = #coconet.mesh<tp = 2>
#sliced = #coconet.layout<#mesh, [{}, {tp}, {}]>

// Four parts of each of two slices of eight rows.
// CHECK-LABEL: func.func @ag_mm
// CHECK: coconet.overlap chunks 4 along 1
// CHECK-NEXT: coconet.all_gather
// CHECK-NEXT: coconet.matmul
func.func @ag_mm(%x: tensor<2x8x4xf32, #sliced>, %w: tensor<4x6xf32>) -> tensor<2x8x6xf32> {
  %0 = coconet.all_gather %x from 1 on {tp} {coconet.name = "o"} : tensor<2x8x4xf32, #sliced> -> tensor<2x8x4xf32>
  %1 = coconet.matmul %0, %w {coconet.name = "o"} : tensor<2x8x4xf32>, tensor<4x6xf32> -> tensor<2x8x6xf32>
  return %1 : tensor<2x8x6xf32>
}

// -----

#mesh = #coconet.mesh<tp = 2>
#rows = #coconet.layout<#mesh, [{tp}, {}]>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>

// A fused region is one op of the overlap; the dimension is followed into it,
// through a transposed operand, and past an operand that is used whole.
// CHECK-LABEL: func.func @fused
// CHECK: coconet.overlap chunks 4 along 1
// CHECK: coconet.fused all_reduce
func.func @fused(%x: tensor<8x4xf32, #rows>, %w: tensor<8x6xf32, #rows>, %b: tensor<6xf32>) -> tensor<4x6xf32> {
  %0 = coconet.matmul transpose_lhs %x, %w {coconet.name = "o"} : tensor<8x4xf32, #rows>, tensor<8x6xf32, #rows> -> tensor<4x6xf32, #partial>
  %1 = coconet.fused all_reduce {
    %2 = coconet.reduce_scatter sum %0 into 0 on {tp} : tensor<4x6xf32, #partial> -> tensor<4x6xf32, #rows>
    %3 = coconet.add %2, %b : tensor<4x6xf32, #rows>, tensor<6xf32> -> tensor<4x6xf32, #rows>
    %4 = coconet.all_gather %3 from 0 on {tp} : tensor<4x6xf32, #rows> -> tensor<4x6xf32>
    coconet.yield %4 : tensor<4x6xf32>
  } {coconet.name = "o"} : tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// -----

#mesh = #coconet.mesh<tp = 2>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>

// A dimension that is merged with another is followed until it is split again.
// An op of a region that is overlapped may have the same name.
// CHECK-LABEL: func.func @merged
// CHECK: coconet.overlap chunks 4 along 1
// CHECK: coconet.yield
func.func @merged(%x: tensor<?x4x6xf32, #partial>, %w: tensor<6x6xf32>) -> tensor<?x4x6xf32> {
  %0 = coconet.all_reduce sum %x on {tp} {coconet.name = "o"} : tensor<?x4x6xf32, #partial> -> tensor<?x4x6xf32>
  %1 = coconet.reshape %0 {coconet.name = "o"} : tensor<?x4x6xf32> -> tensor<?x6xf32>
  %2 = coconet.matmul %1, %w {coconet.name = "o"} : tensor<?x6xf32>, tensor<6x6xf32> -> tensor<?x6xf32>
  %3 = coconet.fused computation {
    %4 = coconet.relu %2 {coconet.name = "o"} : tensor<?x6xf32> -> tensor<?x6xf32>
    coconet.yield %4 : tensor<?x6xf32>
  } {coconet.name = "o"} : tensor<?x6xf32>
  %5 = coconet.reshape %3 {coconet.name = "o"} : tensor<?x6xf32> -> tensor<?x4x6xf32>
  return %5 : tensor<?x4x6xf32>
}
