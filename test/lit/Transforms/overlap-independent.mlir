// RUN: coconet-opt %s "--coconet-overlap-ops=names=o chunks=1 dim=0" --split-input-file | FileCheck %s

#mesh = #coconet.mesh<tp = 2>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>

// Before and behind the collective; not what it needs, nor what needs it, nor what
// an update or a use of its result lies in between.
// CHECK-LABEL: func.func @independent
func.func @independent(%x: tensor<4x4xf32, #partial>, %b: tensor<4x4xf32>, %s: tensor<4x4xf32> {coconet.state, coconet.arg_name = "s"}) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK: coconet.neg
  // CHECK-NEXT: %[[R:.*]]:4 = coconet.overlap chunks 1
  // CHECK-NEXT: coconet.exp
  // CHECK-NEXT: coconet.all_reduce
  // CHECK-NEXT: coconet.matmul
  // CHECK-NEXT: coconet.tanh
  // CHECK-NEXT: coconet.yield
  // CHECK: coconet.update
  // CHECK-NEXT: coconet.sub
  // CHECK-NEXT: coconet.add
  // CHECK-NEXT: coconet.sqrt
  // CHECK-NEXT: return
  %need = coconet.neg %x : tensor<4x4xf32, #partial> -> tensor<4x4xf32, #partial>
  %e = coconet.exp %b : tensor<4x4xf32> -> tensor<4x4xf32>
  %0 = coconet.all_reduce sum %need on {tp} {coconet.name = "o"} : tensor<4x4xf32, #partial> -> tensor<4x4xf32>
  %z = coconet.matmul %b, %b : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %u = coconet.update %s, %e : tensor<4x4xf32>
  %f = coconet.sub %u, %b : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = coconet.add %0, %z : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %t = coconet.tanh %z : tensor<4x4xf32> -> tensor<4x4xf32>
  %q = coconet.sqrt %1 : tensor<4x4xf32> -> tensor<4x4xf32>
  return %q, %t : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

#mesh = #coconet.mesh<tp = 2>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>

// Other communication keeps its place.
// CHECK-LABEL: func.func @between
func.func @between(%x: tensor<4x4xf32, #partial>, %b: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK-NEXT: coconet.exp
  // CHECK-NEXT: coconet.barrier
  // CHECK-NEXT: coconet.overlap chunks 1
  // CHECK-NEXT: coconet.all_reduce
  // CHECK-NEXT: coconet.matmul
  // CHECK-NEXT: coconet.yield
  // CHECK: coconet.barrier
  // CHECK-NEXT: coconet.tanh
  %e = coconet.exp %b : tensor<4x4xf32> -> tensor<4x4xf32>
  coconet.barrier on {tp} of #mesh
  %0 = coconet.all_reduce sum %x on {tp} {coconet.name = "o"} : tensor<4x4xf32, #partial> -> tensor<4x4xf32>
  %z = coconet.matmul %b, %e : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  coconet.barrier on {tp} of #mesh
  %t = coconet.tanh %b : tensor<4x4xf32> -> tensor<4x4xf32>
  return %0, %z, %t : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

#mesh = #coconet.mesh<tp = 2>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>

// Several collectives; what is named by hand stays what it is.
// CHECK-LABEL: func.func @several
func.func @several(%x: tensor<4x4xf32, #partial>, %b: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK-NEXT: coconet.overlap chunks 1
  // CHECK-NEXT: coconet.all_reduce
  // CHECK-NEXT: coconet.matmul
  // CHECK-NEXT: coconet.all_reduce
  // CHECK-NEXT: coconet.yield
  %0 = coconet.all_reduce sum %x on {tp} {coconet.name = "o"} : tensor<4x4xf32, #partial> -> tensor<4x4xf32>
  %z = coconet.matmul %b, %b : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = coconet.all_reduce sum %x on {tp} {coconet.name = "o"} : tensor<4x4xf32, #partial> -> tensor<4x4xf32>
  return %0, %z, %1 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
