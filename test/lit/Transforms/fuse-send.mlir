// What computes the sent value, and the send, are one kernel; other uses of what is computed stay.
// RUN: coconet-opt %s "--coconet-fuse-ops=names=c,next result=f" | FileCheck %s

// CHECK-LABEL: func.func @first
func.func @first(%x: tensor<4xf32>, %b: tensor<f32>) -> tensor<4xf32> attributes {coconet.stage = 0 : i64} {
  // CHECK: %[[F:.*]] = coconet.fused send {
  // CHECK-NEXT: %[[SUM:.*]] = coconet.add
  // CHECK-NEXT: %[[EXP:.*]] = coconet.exp %[[SUM]]
  // CHECK-NEXT: coconet.send %[[EXP]] to "b"
  // CHECK-NEXT: coconet.yield %[[SUM]]
  // CHECK-NEXT: } {coconet.name = "f"}
  %0 = coconet.add %x, %b {coconet.name = "c"} : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  %1 = coconet.exp %0 {coconet.name = "c"} : tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: %[[NEG:.*]] = coconet.neg %[[F]]
  %2 = coconet.neg %0 : tensor<4xf32> -> tensor<4xf32>
  coconet.send %1 to "b" {coconet.name = "next"} : tensor<4xf32>
  return %2 : tensor<4xf32>
}
