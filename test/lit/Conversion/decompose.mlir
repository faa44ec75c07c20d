// RUN: coconet-opt %s --coconet-decompose | FileCheck %s

#mesh = #coconet.mesh<dp = 2>
#columns = #coconet.layout<#mesh, [{}, {dp}]>

// CHECK-LABEL: func.func @softmax
// CHECK: %[[X:.*]] = coconet.cast %{{.*}} to f32
// CHECK: %[[L:.*]] = coconet.reduce max %[[X]] over [1] keep_dims
// CHECK: %[[M:.*]] = coconet.all_reduce max %[[L]] on {dp}
// CHECK: %[[D:.*]] = coconet.sub %[[X]], %[[M]]
// CHECK: %[[E:.*]] = coconet.exp %[[D]]
// CHECK: %[[P:.*]] = coconet.reduce sum %[[E]] over [1] keep_dims
// CHECK: %[[S:.*]] = coconet.all_reduce sum %[[P]] on {dp}
// CHECK: %[[Q:.*]] = coconet.div %[[E]], %[[S]]
// CHECK: coconet.cast %[[Q]] to f16 {coconet.name = "attention"}
func.func @softmax(%x: tensor<4x8xf16, #columns>) -> tensor<4x8xf16, #columns> {
  %y = coconet.softmax %x over 1 {coconet.name = "attention"} : tensor<4x8xf16, #columns> -> tensor<4x8xf16, #columns>
  return %y : tensor<4x8xf16, #columns>
}
