// Custom form, generic form and bytecode of every pointwise op round-trip.
// RUN: coconet-opt %s -o %t.1 && FileCheck %s < %t.1
// RUN: coconet-opt %t.1 --mlir-print-op-generic | coconet-opt -o %t.2 && diff %t.1 %t.2
// RUN: coconet-opt %t.1 --emit-bytecode | coconet-opt -o %t.3 && diff %t.1 %t.3

#mesh = #coconet.mesh<dp = 2, tp = 4>
#sliced = #coconet.layout<#mesh, [{tp, dp}, {}]>
#rows = #coconet.layout<#mesh, [{dp}, {}]>
#flat = #coconet.layout<#mesh, flat = {dp}>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
#pending_max = #coconet.layout<#mesh, partial = {dp : max}>
#local = #coconet.layout<#mesh, local = {dp}>
#rooted = #coconet.layout<#mesh, rooted = {dp : 1}>

// CHECK-LABEL: func.func @binary
func.func @binary(%a: tensor<8x4xf32>, %b: tensor<4xf32>, %s: tensor<f32>) {
  // CHECK: coconet.add %{{.*}}, %{{.*}} : tensor<8x4xf32>, tensor<4xf32> -> tensor<8x4xf32>
  %0 = coconet.add %a, %b : tensor<8x4xf32>, tensor<4xf32> -> tensor<8x4xf32>
  %1 = coconet.sub %a, %s : tensor<8x4xf32>, tensor<f32> -> tensor<8x4xf32>
  %2 = coconet.mul %0, %1 : tensor<8x4xf32>, tensor<8x4xf32> -> tensor<8x4xf32>
  %3 = coconet.div %2, %s : tensor<8x4xf32>, tensor<f32> -> tensor<8x4xf32>
  %4 = coconet.pow %3, %s : tensor<8x4xf32>, tensor<f32> -> tensor<8x4xf32>
  %5 = coconet.max %4, %a : tensor<8x4xf32>, tensor<8x4xf32> -> tensor<8x4xf32>
  %6 = coconet.min %5, %a : tensor<8x4xf32>, tensor<8x4xf32> -> tensor<8x4xf32>
  // CHECK: coconet.compare lt %{{.*}}, %{{.*}} : tensor<8x4xf32>, tensor<f32> -> tensor<8x4xi1>
  %7 = coconet.compare lt %6, %s : tensor<8x4xf32>, tensor<f32> -> tensor<8x4xi1>
  %8 = coconet.select %7, %6, %a : tensor<8x4xi1>, tensor<8x4xf32>, tensor<8x4xf32> -> tensor<8x4xf32>
  return
}

// CHECK-LABEL: func.func @unary
func.func @unary(%a: tensor<?xf32>, %step: tensor<i64>) {
  %0 = coconet.neg %a : tensor<?xf32> -> tensor<?xf32>
  %1 = coconet.abs %0 : tensor<?xf32> -> tensor<?xf32>
  %2 = coconet.sqrt %1 : tensor<?xf32> -> tensor<?xf32>
  %3 = coconet.rsqrt %2 : tensor<?xf32> -> tensor<?xf32>
  %4 = coconet.exp %3 : tensor<?xf32> -> tensor<?xf32>
  %5 = coconet.log %4 : tensor<?xf32> -> tensor<?xf32>
  %6 = coconet.tanh %5 : tensor<?xf32> -> tensor<?xf32>
  %7 = coconet.sigmoid %6 : tensor<?xf32> -> tensor<?xf32>
  %8 = coconet.relu %7 : tensor<?xf32> -> tensor<?xf32>
  %9 = coconet.gelu %8 : tensor<?xf32> -> tensor<?xf32>
  %10 = coconet.silu %9 : tensor<?xf32> -> tensor<?xf32>
  %11 = coconet.is_finite %10 : tensor<?xf32> -> tensor<?xi1>
  // CHECK: coconet.cast %{{.*}} to bf16 : tensor<?xf32> -> tensor<?xbf16>
  %12 = coconet.cast %10 to bf16 : tensor<?xf32> -> tensor<?xbf16>
  // CHECK: coconet.dropout %{{.*}} step %{{.*}} rate 5.000000e-01 {seed = 7 : i64} : tensor<?xf32>, tensor<i64> -> tensor<?xf32>
  %13 = coconet.dropout %10 step %step rate 0.5 {seed = 7 : i64} : tensor<?xf32>, tensor<i64> -> tensor<?xf32>
  return
}

// Cuts pass, and a replicated operand goes with any of them.
// CHECK-LABEL: func.func @cuts
func.func @cuts(%a: tensor<8x4xf32, #sliced>, %b: tensor<4xf32>, %f: tensor<8x4xf32, #flat>, %s: tensor<f32>, %w: tensor<8x4xf32>) {
  %0 = coconet.add %a, %b : tensor<8x4xf32, #sliced>, tensor<4xf32> -> tensor<8x4xf32, #sliced>
  %1 = coconet.mul %0, %w : tensor<8x4xf32, #sliced>, tensor<8x4xf32> -> tensor<8x4xf32, #sliced>
  %2 = coconet.mul %f, %s : tensor<8x4xf32, #flat>, tensor<f32> -> tensor<8x4xf32, #flat>
  return
}

// A pending sum passes what is linear and homogeneous.
// CHECK-LABEL: func.func @pending
func.func @pending(%p: tensor<4xf32, #partial>, %q: tensor<4xf32, #partial>, %s: tensor<f32>, %c: tensor<4xi1>, %step: tensor<i64>, %m: tensor<4xf32, #pending_max>) {
  %0 = coconet.add %p, %q : tensor<4xf32, #partial>, tensor<4xf32, #partial> -> tensor<4xf32, #partial>
  %1 = coconet.neg %0 : tensor<4xf32, #partial> -> tensor<4xf32, #partial>
  %2 = coconet.mul %1, %s : tensor<4xf32, #partial>, tensor<f32> -> tensor<4xf32, #partial>
  %3 = coconet.div %2, %s : tensor<4xf32, #partial>, tensor<f32> -> tensor<4xf32, #partial>
  %4 = coconet.select %c, %3, %q : tensor<4xi1>, tensor<4xf32, #partial>, tensor<4xf32, #partial> -> tensor<4xf32, #partial>
  %5 = coconet.dropout %4 step %step rate 0.1 : tensor<4xf32, #partial>, tensor<i64> -> tensor<4xf32, #partial>
  %6 = coconet.cast %5 to f64 : tensor<4xf32, #partial> -> tensor<4xf64, #partial>
  %7 = coconet.max %m, %m : tensor<4xf32, #pending_max>, tensor<4xf32, #pending_max> -> tensor<4xf32, #pending_max>
  %8 = coconet.exp %7 : tensor<4xf32, #pending_max> -> tensor<4xf32, #pending_max>
  return
}

// CHECK-LABEL: func.func @local_and_rooted
func.func @local_and_rooted(%l: tensor<4xf32, #local>, %r: tensor<4xf32, #rooted>, %w: tensor<4xf32>) {
  %0 = coconet.add %l, %w : tensor<4xf32, #local>, tensor<4xf32> -> tensor<4xf32, #local>
  %1 = coconet.exp %0 : tensor<4xf32, #local> -> tensor<4xf32, #local>
  %2 = coconet.mul %r, %w : tensor<4xf32, #rooted>, tensor<4xf32> -> tensor<4xf32, #rooted>
  return
}
