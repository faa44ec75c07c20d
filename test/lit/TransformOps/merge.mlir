// split and merge are inverse; a flat split serves any shape.
// RUN: coconet-opt %s --transform-interpreter | FileCheck %s

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : max}>

module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: func.func @norm
  func.func @norm(%x: tensor<f32, #partial>) -> tensor<f32> {
    // CHECK-NEXT: %[[AR:.*]] = coconet.all_reduce max %{{.*}} on {dp} {coconet.name = "top"} : tensor<f32, #partial> -> tensor<f32>
    // CHECK-NEXT: return %[[AR]]
    %0 = coconet.all_reduce max %x on {dp} {coconet.name = "top"} : tensor<f32, #partial> -> tensor<f32>
    return %0 : tensor<f32>
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %top = transform.coconet.match "top" in %root : (!transform.any_op) -> !transform.any_op
    %rs, %ag = transform.coconet.split %top into rs_ag flat : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %ar = transform.coconet.merge %rs, %ag : (!transform.any_op, !transform.any_op) -> !transform.any_op
    %again:2 = transform.coconet.split %ar into rs_ag flat : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.coconet.merge %again#0, %again#1 : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield
  }
}
