// RUN: coconet-opt %s | coconet-opt | FileCheck %s

#mesh = #coconet.mesh<tp = 2>
#sliced = #coconet.layout<#mesh, [{}, {tp}]>

// CHECK-LABEL: func.func @first
func.func @first(%x: tensor<?x4xf32, #sliced>) attributes {coconet.stage = 0 : i64} {
  // CHECK: coconet.send %{{.*}} to "next" {coconet.name = "boundary"} : tensor<?x4xf32, #sliced>
  coconet.send %x to "next" {coconet.name = "boundary"} : tensor<?x4xf32, #sliced>
  return
}

// CHECK-LABEL: func.func @second
func.func @second(%b: tensor<?xf32> {coconet.dims = ["b"]}) attributes {coconet.stage = 1 : i64} {
  // CHECK: coconet.recv from "next" dims ["b", ""] : tensor<?x4xf32, #sliced>
  %y = coconet.recv from "next" dims ["b", ""] : tensor<?x4xf32, #sliced>
  return
}

// CHECK-LABEL: func.func @rank
func.func @rank(%x: tensor<?x4xf32>, %n: index) {
  // CHECK: coconet.rank.send %{{.*}} to "a" between [0, 1] and [2, 3] : tensor<?x4xf32>
  coconet.rank.send %x to "a" between [0, 1] and [2, 3] : tensor<?x4xf32>
  // CHECK: coconet.rank.recv from "b" between [2, 3] and [0, 1] sizes(%{{.*}}) : tensor<?x4xf32>
  %y = coconet.rank.recv from "b" between [2, 3] and [0, 1] sizes(%n) : tensor<?x4xf32>
  return
}

// CHECK-LABEL: func.func @kernels
func.func @kernels(%x: memref<?x4xf32>, %n: index, %t: tensor<4xf32>) {
  // CHECK: coconet.symmetric_send_begin "a" between [0] and [1] sizes(%{{.*}}) : memref<?x4xf32>
  %0 = coconet.symmetric_send_begin "a" between [0] and [1] sizes(%n) : memref<?x4xf32>
  // CHECK: coconet.symmetric_send_end "a" between [0] and [1] ins(%{{.*}} : memref<?x4xf32>)
  coconet.symmetric_send_end "a" between [0] and [1] ins(%0 : memref<?x4xf32>)
  // CHECK: coconet.symmetric_recv "b" between [1] and [0] outs(%{{.*}} : memref<?x4xf32>)
  coconet.symmetric_recv "b" between [1] and [0] outs(%x : memref<?x4xf32>)
  // CHECK: coconet.symmetric_recv_start "c" between [1] and [0] outs(%{{.*}} : tensor<4xf32>) -> tensor<4xf32>
  %1 = coconet.symmetric_recv_start "c" between [1] and [0] outs(%t : tensor<4xf32>) -> tensor<4xf32>
  // CHECK: coconet.symmetric_recv "c" between [1] and [0] outs(%{{.*}} : tensor<4xf32>) {coconet.started = "c"} -> tensor<4xf32>
  %2 = coconet.symmetric_recv "c" between [1] and [0] outs(%1 : tensor<4xf32>) {coconet.started = "c"} -> tensor<4xf32>
  return
}
