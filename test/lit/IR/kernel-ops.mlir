// RUN: coconet-opt %s -o %t.1 && FileCheck %s < %t.1
// RUN: coconet-opt %t.1 --mlir-print-op-generic | coconet-opt -o %t.2 && diff %t.1 %t.2
// RUN: coconet-opt %t.1 --emit-bytecode | coconet-opt -o %t.3 && diff %t.1 %t.3

#mesh = #coconet.mesh<dp = 2>

// CHECK-LABEL: func.func @kernels
func.func @kernels(%x: tensor<8x6xf32>, %w: tensor<6x8xf32>, %n: index) -> (tensor<8x6xf32>, tensor<8x6xf32>, tensor<4x12xf32>, tensor<8x8xf32>) {
  // CHECK: coconet.rank.check_size "rows"
  coconet.rank.check_size "rows" %n, %n
  // CHECK: coconet.rank.check_finite "argument x" %{{.*}} : tensor<8x6xf32>
  coconet.rank.check_finite "argument x" %x : tensor<8x6xf32>
  // CHECK: coconet.symmetric_kernel 0 on {dp} of #mesh
  %0 = coconet.symmetric_kernel 0 on {dp} of #mesh ins(%x : tensor<8x6xf32>) outs(%x : tensor<8x6xf32>)
      attributes {accesses = [#coconet<access reduce>, #coconet<access gather>], maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], reductions = [#coconet<reduction sum>]} {
  ^bb0(%a: f32):
    // CHECK: coconet.kernel_index 1
    %i = coconet.kernel_index 1
    coconet.yield %a : f32
  } -> tensor<8x6xf32>
  // CHECK: coconet.symmetric_permute from [1, 1] on {dp} of #mesh
  %1 = coconet.symmetric_permute from [1, 1] on {dp} of #mesh ins(%x : tensor<8x6xf32>) outs(%x : tensor<8x6xf32>) -> tensor<8x6xf32>
  %e = tensor.empty() : tensor<4x12xf32>
  // CHECK: coconet.symmetric_all_to_all from 1 into 0 on {dp} of #mesh
  %2 = coconet.symmetric_all_to_all from 1 into 0 on {dp} of #mesh ins(%x : tensor<8x6xf32>) outs(%e : tensor<4x12xf32>) -> tensor<4x12xf32>
  %f = tensor.empty() : tensor<8x8xf32>
  // CHECK: coconet.gemm ins
  %3 = coconet.gemm ins(%x, %w : tensor<8x6xf32>, tensor<6x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %1, %2, %3 : tensor<8x6xf32>, tensor<8x6xf32>, tensor<4x12xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: func.func @table
func.func @table(%x: memref<8xf32>, %y: memref<3xf32>) {
  // CHECK: coconet.address_table %{{.*}}, %{{.*}} : memref<8xf32>, memref<3xf32> -> !llvm.ptr
  %0 = coconet.address_table %x, %y : memref<8xf32>, memref<3xf32> -> !llvm.ptr
  return
}
