// Many small all_reduces as one, which is then split.
// RUN: coconet-opt %s --transform-interpreter | FileCheck %s

#mesh = #coconet.mesh<dp = 2>
#pending = #coconet.layout<#mesh, partial = {dp : sum}>

module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: func.func @grads
  func.func @grads(%x: tensor<2x3xf32, #pending>, %y: tensor<5xf32, #pending>) -> (tensor<2x3xf32>, tensor<5xf32>) {
    // CHECK: coconet.for_each 2 of
    // CHECK: coconet.reduce_scatter sum {{.*}} into flat on {dp} {coconet.name = "all.rs"}
    // CHECK: coconet.all_gather {{.*}} from flat on {dp} {coconet.name = "all.ag"}
    %a = coconet.all_reduce sum %x on {dp} {coconet.name = "a"} : tensor<2x3xf32, #pending> -> tensor<2x3xf32>
    %b = coconet.all_reduce sum %y on {dp} {coconet.name = "b"} : tensor<5xf32, #pending> -> tensor<5xf32>
    return %a, %b : tensor<2x3xf32>, tensor<5xf32>
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %a = transform.coconet.match "a" in %root : (!transform.any_op) -> !transform.any_op
    %b = transform.coconet.match "b" in %root : (!transform.any_op) -> !transform.any_op
    %one = transform.coconet.bucket %a, %b bytes 1000 as "all" : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.coconet.split %one into rs_ag flat : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
