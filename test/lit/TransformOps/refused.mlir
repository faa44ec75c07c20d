// What is refused leaves the program as it was; the schedule goes on.
// RUN: coconet-opt %s --transform-interpreter | FileCheck %s

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>

module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: func.func @kept
  // CHECK-SAME: %{{[^:]*}}: tensor<8xf32, #partial>, %{{[^:]*}}: tensor<8xf32> {{{.*}}}, %{{[^:]*}}: tensor<8xf32> {
  func.func @kept(%g: tensor<8xf32, #partial>, %m: tensor<8xf32> {coconet.state, coconet.arg_name = "m"}, %v: tensor<8xf32> {coconet.state, coconet.arg_name = "v"}) -> tensor<f32> {
    // CHECK-NEXT: coconet.reduce_scatter
    // CHECK-NEXT: coconet.all_gather
    // CHECK-NEXT: coconet.update
    // CHECK-NEXT: coconet.norm
    // CHECK-NEXT: return
    %avg = coconet.all_reduce sum %g on {dp} {coconet.name = "avg"} : tensor<8xf32, #partial> -> tensor<8xf32>
    %0 = coconet.update %m, %avg {coconet.name = "u"} : tensor<8xf32>
    %1 = coconet.norm %v {coconet.name = "n"} : tensor<8xf32> -> tensor<f32>
    return %1 : tensor<f32>
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %avg = transform.coconet.match "avg" in %root : (!transform.any_op) -> !transform.any_op
    %rs, %ag = transform.coconet.split %avg into rs_ag dim 0 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    // The state 'm' could be sliced, 'v' cannot: neither is.
    transform.sequence %root : !transform.any_op failures(suppress) {
    ^bb0(%arg: !transform.any_op):
      transform.coconet.as_slice ["m", "v"] in %arg : !transform.any_op
    }
    transform.sequence %root : !transform.any_op failures(suppress) {
    ^bb0(%arg: !transform.any_op):
      %g = transform.coconet.match "avg.ag" in %arg : (!transform.any_op) -> !transform.any_op
      %u = transform.coconet.match "u" in %arg : (!transform.any_op) -> !transform.any_op
      transform.coconet.reorder %g past %u : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    }
    transform.sequence %root : !transform.any_op failures(suppress) {
    ^bb0(%arg: !transform.any_op):
      %s = transform.coconet.match "avg.rs" in %arg : (!transform.any_op) -> !transform.any_op
      %n = transform.coconet.match "n" in %arg : (!transform.any_op) -> !transform.any_op
      transform.coconet.fuse %s, %n : (!transform.any_op, !transform.any_op) -> !transform.any_op
    }
    transform.yield
  }
}
