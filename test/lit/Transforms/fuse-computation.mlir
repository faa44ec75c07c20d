// RUN: coconet-opt %s --coconet-fuse-ops=names=f | FileCheck %s

// CHECK-LABEL: func.func @computation
func.func @computation(%x: tensor<8xf32>, %s: tensor<f32>) -> (tensor<8xf32>, tensor<8xi1>) {
  // CHECK-NEXT: %[[F:.*]]:2 = coconet.fused computation {
  // CHECK-NEXT: %[[E:.*]] = coconet.exp
  // CHECK-NEXT: %[[M:.*]] = coconet.mul %[[E]]
  // CHECK-NEXT: %[[C:.*]] = coconet.compare lt %[[M]]
  // CHECK-NEXT: coconet.yield %[[M]], %[[C]]
  // CHECK: return %[[F]]#0, %[[F]]#1
  %0 = coconet.exp %x {coconet.name = "f"} : tensor<8xf32> -> tensor<8xf32>
  %1 = coconet.mul %0, %s {coconet.name = "f"} : tensor<8xf32>, tensor<f32> -> tensor<8xf32>
  %2 = coconet.compare lt %1, %x {coconet.name = "f"} : tensor<8xf32>, tensor<8xf32> -> tensor<8xi1>
  return %1, %2 : tensor<8xf32>, tensor<8xi1>
}
