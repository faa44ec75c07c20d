// Each rank sends its slice of a value that all hold; the receivers gather.
// RUN: coconet-opt %s --transform-interpreter | FileCheck %s

#mesh = #coconet.mesh<tp = 2>

module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: func.func @first
  func.func @first(%x: tensor<5x4xf32>) attributes {coconet.stage = 0 : i64, coconet.mesh = #mesh} {
    // CHECK: %[[PART:.*]] = coconet.shard %{{.*}} into 0 on {tp} : tensor<5x4xf32> -> tensor<5x4xf32, #sliced>
    // CHECK-NEXT: coconet.send %[[PART]] to "b" {coconet.name = "next"} : tensor<5x4xf32, #sliced>
    coconet.send %x to "b" {coconet.name = "next"} : tensor<5x4xf32>
    return
  }

  // CHECK-LABEL: func.func @second
  func.func @second() -> tensor<5x4xf32> attributes {coconet.stage = 1 : i64, coconet.mesh = #mesh} {
    // CHECK: %[[GOT:.*]] = coconet.recv from "b" : tensor<5x4xf32, #sliced>
    // CHECK-NEXT: %[[WHOLE:.*]] = coconet.all_gather %[[GOT]] from 0 on {tp} {coconet.name = "next.ag"}
    // CHECK-NEXT: return %[[WHOLE]]
    %y = coconet.recv from "b" : tensor<5x4xf32>
    return %y : tensor<5x4xf32>
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %next = transform.coconet.match "next" in %root : (!transform.any_op) -> !transform.any_op
    %send, %ag = transform.coconet.slice_send %next dim 0 on ["tp"] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
