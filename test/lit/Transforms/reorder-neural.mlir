// RUN: coconet-opt %s --split-input-file "--coconet-reorder-all-gather=name=ag past=c" | FileCheck %s

#mesh = #coconet.mesh<dp = 4>
#rows = #coconet.layout<#mesh, [{dp}, {}]>

// Rows are normalised where they lie.
// CHECK-LABEL: func.func @rows
// CHECK-SAME: %[[X:[^:]*]]: tensor<8x6xf32, #{{.*}}>, %[[W:[^:]*]]: tensor<6xf32>
func.func @rows(%x: tensor<8x6xf32, #rows>, %w: tensor<6xf32>) -> (tensor<8x6xf32>, tensor<8x6xf32>) {
  %g = coconet.all_gather %x from 0 on {dp} {coconet.name = "ag"} : tensor<8x6xf32, #rows> -> tensor<8x6xf32>
  // CHECK: %[[L:.*]] = coconet.layer_norm %[[X]] scale %[[W]] bias %[[W]] over [1]
  // CHECK: %[[AG:.*]] = coconet.all_gather %[[L]] from 0 on {dp}
  %0 = coconet.layer_norm %g scale %w bias %w over [1] eps 1.0e-5 {coconet.name = "c"} : (tensor<8x6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<8x6xf32>
  // CHECK: %[[R:.*]] = coconet.rms_norm %[[L]] over [1]
  // CHECK: %[[BG:.*]] = coconet.all_gather %[[R]] from 0 on {dp}
  %1 = coconet.rms_norm %0 over [1] eps 1.0e-5 {coconet.name = "c"} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  // CHECK: return %[[AG]], %[[BG]]
  return %0, %1 : tensor<8x6xf32>, tensor<8x6xf32>
}

// -----

#mesh = #coconet.mesh<dp = 4>
#columns = #coconet.layout<#mesh, [{}, {dp}]>

// Classes stay cut; the loss needs no all_gather.
// CHECK-LABEL: func.func @classes
// CHECK-SAME: %[[X:[^:]*]]: tensor<8x6xf32, #{{.*}}>
func.func @classes(%x: tensor<8x6xf32, #columns>, %i: tensor<8xi32>) -> tensor<8xf32> {
  // CHECK-NOT: all_gather
  %g = coconet.all_gather %x from 1 on {dp} {coconet.name = "ag"} : tensor<8x6xf32, #columns> -> tensor<8x6xf32>
  // CHECK: %[[L:.*]] = coconet.cross_entropy %[[X]], %{{.*}} over 1
  %0 = coconet.cross_entropy %g, %i over 1 {coconet.name = "c"} : (tensor<8x6xf32>, tensor<8xi32>) -> tensor<8xf32>
  // CHECK: return %[[L]]
  return %0 : tensor<8xf32>
}

// -----

#mesh = #coconet.mesh<dp = 4>
#rows = #coconet.layout<#mesh, [{dp}, {}]>

// Rows of a cut table are pending.
// CHECK-LABEL: func.func @table
// CHECK-SAME: %[[T:[^:]*]]: tensor<8x6xf32, #{{.*}}>
func.func @table(%t: tensor<8x6xf32, #rows>, %i: tensor<5xi32>) -> tensor<5x6xf32> {
  %g = coconet.all_gather %t from 0 on {dp} {coconet.name = "ag"} : tensor<8x6xf32, #rows> -> tensor<8x6xf32>
  // CHECK: %[[P:.*]] = coconet.take %[[T]]
  // CHECK: coconet.all_reduce sum %[[P]] on {dp} {coconet.name = "c.ar"}
  %0 = coconet.take %g, %i {coconet.name = "c"} : (tensor<8x6xf32>, tensor<5xi32>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}
