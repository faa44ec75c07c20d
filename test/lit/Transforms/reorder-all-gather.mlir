// RUN: coconet-opt %s --split-input-file "--coconet-reorder-all-gather=name=ag past=c" | FileCheck %s

#mesh = #coconet.mesh<dp = 4>
#sliced = #coconet.layout<#mesh, [{dp}, {}]>

// Replicated operands are sharded, and where they are broadcast along the cut
// dimension they are taken as they are; what is computed from replicated values
// for the set alone is computed on slices; each value used elsewhere is
// gathered.
// CHECK-LABEL: func.func @pointwise
// CHECK-SAME: %[[X:[^:]*]]: tensor<8x4xf32, #{{.*}}>, %[[P:[^:]*]]: tensor<8x4xf32>, %[[B:[^:]*]]: tensor<4xf32>
func.func @pointwise(%x: tensor<8x4xf32, #sliced>, %p: tensor<8x4xf32>, %b: tensor<4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  // CHECK: %[[PS:.*]] = coconet.shard %[[P]] into 0 on {dp}
  // CHECK: %[[E:.*]] = coconet.exp %[[PS]]
  %g = coconet.all_gather %x from 0 on {dp} {coconet.name = "ag"} : tensor<8x4xf32, #sliced> -> tensor<8x4xf32>
  %e = coconet.exp %p {coconet.name = "c"} : tensor<8x4xf32> -> tensor<8x4xf32>
  // CHECK: %[[A:.*]] = coconet.add %[[X]], %[[B]]
  // CHECK: %[[AG0:.*]] = coconet.all_gather %[[A]] from 0 on {dp} {coconet.name = "ag"}
  %0 = coconet.add %g, %b {coconet.name = "c"} : tensor<8x4xf32>, tensor<4xf32> -> tensor<8x4xf32>
  // CHECK: %[[M:.*]] = coconet.mul %[[A]], %[[E]]
  // CHECK: %[[AG1:.*]] = coconet.all_gather %[[M]] from 0 on {dp}
  %1 = coconet.mul %0, %e {coconet.name = "c"} : tensor<8x4xf32>, tensor<8x4xf32> -> tensor<8x4xf32>
  // CHECK: return %[[AG0]], %[[AG1]]
  return %0, %1 : tensor<8x4xf32>, tensor<8x4xf32>
}

// -----

#mesh = #coconet.mesh<dp = 4>
#sliced = #coconet.layout<#mesh, [{dp}, {}]>

// An all_gather that is used elsewhere stays; a matmul is computed by rows; a
// reduction over the cut dimension brings its all_reduce.
// CHECK-LABEL: func.func @contraction
// CHECK-SAME: %[[X:[^:]*]]: tensor<8x4xf32, #{{.*}}>, %[[W:[^:]*]]: tensor<4x3xf32>
func.func @contraction(%x: tensor<8x4xf32, #sliced>, %w: tensor<4x3xf32>) -> (tensor<8x4xf32>, tensor<3xf32>) {
  // CHECK: %[[G:.*]] = coconet.all_gather %[[X]]
  %g = coconet.all_gather %x from 0 on {dp} {coconet.name = "ag"} : tensor<8x4xf32, #sliced> -> tensor<8x4xf32>
  // CHECK: %[[Y:.*]] = coconet.matmul %[[X]], %[[W]]
  %0 = coconet.matmul %g, %w {coconet.name = "c"} : tensor<8x4xf32>, tensor<4x3xf32> -> tensor<8x3xf32>
  // CHECK: %[[R:.*]] = coconet.reduce sum %[[Y]] over [0]
  // CHECK: %[[AR:.*]] = coconet.all_reduce sum %[[R]] on {dp} {coconet.name = "c.ar"}
  %1 = coconet.reduce sum %0 over [0] {coconet.name = "c"} : tensor<8x3xf32> -> tensor<3xf32>
  // CHECK-NOT: all_gather
  // CHECK: return %[[G]], %[[AR]]
  return %g, %1 : tensor<8x4xf32>, tensor<3xf32>
}

// -----

#mesh = #coconet.mesh<dp = 4>
#flat = #coconet.layout<#mesh, flat = {dp}>

// CHECK-LABEL: func.func @flat
func.func @flat(%x: tensor<9x4xf32, #flat>, %p: tensor<9x4xf32>, %s: tensor<f32>) -> tensor<9x4xf32> {
  %g = coconet.all_gather %x from flat on {dp} {coconet.name = "ag"} : tensor<9x4xf32, #flat> -> tensor<9x4xf32>
  // CHECK: coconet.shard %{{.*}} into flat on {dp}
  %0 = coconet.add %g, %p {coconet.name = "c"} : tensor<9x4xf32>, tensor<9x4xf32> -> tensor<9x4xf32>
  // CHECK: coconet.mul {{.*}} tensor<f32> -> tensor<9x4xf32, #
  %1 = coconet.mul %0, %s {coconet.name = "c"} : tensor<9x4xf32>, tensor<f32> -> tensor<9x4xf32>
  // CHECK: coconet.all_gather %{{.*}} from flat on {dp}
  return %1 : tensor<9x4xf32>
}
