// RUN: coconet-opt %s -o %t.1 && FileCheck %s < %t.1
// RUN: coconet-opt %t.1 --mlir-print-op-generic | coconet-opt -o %t.2 && diff %t.1 %t.2
// RUN: coconet-opt %t.1 --emit-bytecode | coconet-opt -o %t.3 && diff %t.1 %t.3

#mesh = #coconet.mesh<dp = 2, tp = 2>
#rows = #coconet.layout<#mesh, [{dp}, {}]>
#columns = #coconet.layout<#mesh, [{}, {tp}]>
#inner = #coconet.layout<#mesh, [{tp}, {}]>
#pending = #coconet.layout<#mesh, partial = {tp : sum}>
#rows_pending = #coconet.layout<#mesh, [{dp}, {}], partial = {tp : sum}>
#vector = #coconet.layout<#mesh, [{dp}]>
#max = #coconet.layout<#mesh, partial = {dp : max}>
#batch = #coconet.layout<#mesh, [{dp}, {}, {}]>
#split = #coconet.layout<#mesh, [{dp}, {}, {}]>
#flat = #coconet.layout<#mesh, flat = {dp}>
#flat_one = #coconet.layout<#mesh, flat = {dp}>

// CHECK-LABEL: func.func @matmul
func.func @matmul(%x: tensor<8x6xf32, #rows>, %w: tensor<6x5xf32>, %a: tensor<8x6xf32, #columns>, %b: tensor<6x5xf32, #inner>, %c: tensor<5x6xf32>, %batch: tensor<4x8x6xf32, #batch>) {
  // CHECK: coconet.matmul %{{.*}}, %{{.*}} : tensor<8x6xf32, #{{.*}}>, tensor<6x5xf32> -> tensor<8x5xf32, #{{.*}}>
  %0 = coconet.matmul %x, %w : tensor<8x6xf32, #rows>, tensor<6x5xf32> -> tensor<8x5xf32, #rows>
  // The contraction is cut on both sides: a pending sum.
  %1 = coconet.matmul %a, %b : tensor<8x6xf32, #columns>, tensor<6x5xf32, #inner> -> tensor<8x5xf32, #pending>
  // CHECK: coconet.matmul %{{.*}}, transpose_rhs %{{.*}}
  %2 = coconet.matmul %x, transpose_rhs %c : tensor<8x6xf32, #rows>, tensor<5x6xf32> -> tensor<8x5xf32, #rows>
  %3 = coconet.matmul %batch, %w : tensor<4x8x6xf32, #batch>, tensor<6x5xf32> -> tensor<4x8x5xf32, #batch>
  return
}

// CHECK-LABEL: func.func @reductions
func.func @reductions(%x: tensor<8x6xf32, #rows>) {
  // CHECK: coconet.reduce max %{{.*}} over [0]
  %0 = coconet.reduce max %x over [0] : tensor<8x6xf32, #rows> -> tensor<6xf32, #max>
  %1 = coconet.reduce mean %x over [1] : tensor<8x6xf32, #rows> -> tensor<8xf32, #vector>
  // CHECK: coconet.reduce sum %{{.*}} over [1] keep_dims
  %2 = coconet.reduce sum %x over [1] keep_dims : tensor<8x6xf32, #rows> -> tensor<8x1xf32, #rows>
  %3 = coconet.norm %x : tensor<8x6xf32, #rows> -> tensor<f32>
  %4 = coconet.softmax %x over 1 : tensor<8x6xf32, #rows> -> tensor<8x6xf32, #rows>
  return
}

// CHECK-LABEL: func.func @shapes
func.func @shapes(%x: tensor<8x6xf32, #rows>, %d: tensor<?x6xf32>, %f: tensor<8x6xf32, #flat>) {
  %0 = coconet.transpose %x by [1, 0] : tensor<8x6xf32, #rows> -> tensor<6x8xf32, #coconet.layout<#mesh, [{}, {dp}]>>
  // CHECK: coconet.slice %{{.*}} [0, 1] [-1, 2] [1, 3]
  %1 = coconet.slice %x [0, 1] [-1, 2] [1, 3] : tensor<8x6xf32, #rows> -> tensor<8x2xf32, #rows>
  %2 = coconet.concat %x, %1 along 1 : tensor<8x6xf32, #rows>, tensor<8x2xf32, #rows> -> tensor<8x8xf32, #rows>
  // The cut dimension is outermost of what it is split into, or merged with.
  %3 = coconet.reshape %x : tensor<8x6xf32, #rows> -> tensor<4x2x6xf32, #split>
  %4 = coconet.reshape %x : tensor<8x6xf32, #rows> -> tensor<48xf32, #vector>
  %5 = coconet.reshape %x : tensor<8x6xf32, #rows> -> tensor<8x2x3xf32, #split>
  %6 = coconet.reshape %f : tensor<8x6xf32, #flat> -> tensor<48xf32, #flat_one>
  %7 = coconet.reshape %d : tensor<?x6xf32> -> tensor<?x3x2xf32>
  %8 = coconet.broadcast_to %x : tensor<8x6xf32, #rows> -> tensor<3x8x6xf32, #coconet.layout<#mesh, [{}, {dp}, {}]>>
  // CHECK: coconet.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  %9 = coconet.constant dense<[1.0, 2.0]> : tensor<2xf32>
  // CHECK: coconet.iota 0 : tensor<4xi32>
  %10 = coconet.iota 0 : tensor<4xi32>
  return
}

// CHECK-LABEL: func.func @state
// CHECK-SAME: coconet.arg_name = "m", coconet.dims = ["n"], coconet.state
func.func @state(%m: tensor<?xf32> {coconet.state, coconet.arg_name = "m", coconet.dims = ["n"]}, %g: tensor<?xf32>) -> (tensor<?xf32> {coconet.result_name = "m"}) {
  // CHECK: coconet.fused computation {
  %0 = coconet.fused computation {
    %2 = coconet.add %m, %g : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    // CHECK: coconet.yield
    coconet.yield %2 : tensor<?xf32>
  } {coconet.name = "sum"} : tensor<?xf32>
  // CHECK: coconet.update %{{.*}}, %{{.*}} : tensor<?xf32>
  %1 = coconet.update %m, %0 : tensor<?xf32>
  return %1 : tensor<?xf32>
}
