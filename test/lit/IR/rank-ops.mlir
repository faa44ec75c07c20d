// Custom form, generic form and bytecode of every op of rank programs
// round-trip.
// RUN: coconet-opt %s -o %t.1 && FileCheck %s < %t.1
// RUN: coconet-opt %t.1 --mlir-print-op-generic | coconet-opt -o %t.2 && diff %t.1 %t.2
// RUN: coconet-opt %t.1 --emit-bytecode | coconet-opt -o %t.3 && diff %t.1 %t.3

#mesh = #coconet.mesh<dp = 2, tp = 4>

// CHECK-LABEL: func.func @axes
func.func @axes(%x: tensor<8x4xf32>, %d: tensor<?x4xf32>, %n: index) {
  // CHECK: coconet.rank.coordinate {tp, dp} of #mesh
  %i = coconet.rank.coordinate {tp, dp} of #mesh
  // CHECK: coconet.rank.all_reduce sum %{{.*}} on {dp} of #mesh : tensor<8x4xf32> -> tensor<8x4xf32>
  %0 = coconet.rank.all_reduce sum %x on {dp} of #mesh : tensor<8x4xf32> -> tensor<8x4xf32>
  // CHECK: coconet.rank.reduce_scatter max %{{.*}} into 1 on {tp} of #mesh : tensor<8x4xf32> -> tensor<8x1xf32>
  %1 = coconet.rank.reduce_scatter max %x into 1 on {tp} of #mesh : tensor<8x4xf32> -> tensor<8x1xf32>
  // CHECK: coconet.rank.all_gather %{{.*}} size %{{.*}} from 0 on {dp, tp} of #mesh : tensor<?x4xf32> -> tensor<?x4xf32>
  %2 = coconet.rank.all_gather %d size %n from 0 on {dp, tp} of #mesh : tensor<?x4xf32> -> tensor<?x4xf32>
  // CHECK: coconet.rank.all_to_all %{{.*}} size %{{.*}} from 0 into 1 on {tp} of #mesh : tensor<?x4xf32> -> tensor<8x1xf32>
  %3 = coconet.rank.all_to_all %d size %n from 0 into 1 on {tp} of #mesh : tensor<?x4xf32> -> tensor<8x1xf32>
  // CHECK: coconet.rank.broadcast %{{.*}} root 7 on {dp, tp} of #mesh : tensor<8x4xf32> -> tensor<8x4xf32>
  %4 = coconet.rank.broadcast %x root 7 on {dp, tp} of #mesh : tensor<8x4xf32> -> tensor<8x4xf32>
  // CHECK: coconet.rank.shard %{{.*}} into 0 on {dp} of #mesh : tensor<8x4xf32> -> tensor<4x4xf32>
  %5 = coconet.rank.shard %x into 0 on {dp} of #mesh : tensor<8x4xf32> -> tensor<4x4xf32>
  return
}

// CHECK-LABEL: func.func @groups
func.func @groups(%x: tensor<4xi8>, %n: index) {
  // CHECK: coconet.rank.all_reduce min %{{.*}} on groups {{\[}}[0, 7], [1, 2, 3, 4, 5, 6]] of #mesh
  %0 = coconet.rank.all_reduce min %x on groups [[0, 7], [1, 2, 3, 4, 5, 6]] of #mesh : tensor<4xi8> -> tensor<4xi8>
  // CHECK: coconet.rank.all_gather %{{.*}} size %{{.*}} from 0 on groups {{\[}}[0, 1, 2, 3], [4, 5, 6, 7]] of #mesh
  %1 = coconet.rank.all_gather %x size %n from 0 on groups [[0, 1, 2, 3], [4, 5, 6, 7]] of #mesh : tensor<4xi8> -> tensor<16xi8>
  return
}

// CHECK-LABEL: func.func @own
func.func @own(%x: tensor<?x4xf32>, %e: tensor<0x4xf32>, %s: tensor<f32>, %step: tensor<i64>, %n: index) {
  // CHECK: coconet.rank.reshape %{{.*}} sizes(%{{.*}}) : tensor<?x4xf32> -> tensor<?xf32>
  %0 = coconet.rank.reshape %x sizes(%n) : tensor<?x4xf32> -> tensor<?xf32>
  // CHECK: coconet.rank.reshape %{{.*}} sizes() : tensor<0x4xf32> -> tensor<0xf32>
  %1 = coconet.rank.reshape %e sizes() : tensor<0x4xf32> -> tensor<0xf32>
  // CHECK: coconet.rank.dropout %{{.*}} step %{{.*}} at(%{{.*}}, %{{.*}}) by(%{{.*}}, %{{.*}}) coordinate %{{.*}} {rate = 1.000000e-01 : f64, seed = 7 : i64, stream = 2 : i64} : tensor<?x4xf32>, tensor<i64>
  %2 = coconet.rank.dropout %x step %step at(%n, %n) by(%n, %n) coordinate %n {rate = 0.1 : f64, seed = 7 : i64, stream = 2 : i64} : tensor<?x4xf32>, tensor<i64>
  %3 = coconet.rank.dropout %s step %step at() by() coordinate %n {rate = 0.0 : f64, seed = 0 : i64, stream = 0 : i64} : tensor<f32>, tensor<i64>
  return
}
