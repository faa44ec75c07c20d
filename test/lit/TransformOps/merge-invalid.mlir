// RUN: coconet-opt %s --split-input-file --verify-diagnostics --transform-interpreter

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
module attributes {transform.with_named_sequence} {
  func.func @f(%g: tensor<8xf32, #partial>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = coconet.all_reduce sum %g on {dp} {coconet.name = "a"} : tensor<8xf32, #partial> -> tensor<8xf32>
    // expected-note@+1 {{name a reduce_scatter and the all_gather of its result}}
    %1 = coconet.all_reduce sum %g on {dp} {coconet.name = "b"} : tensor<8xf32, #partial> -> tensor<8xf32>
    return %0, %1 : tensor<8xf32>, tensor<8xf32>
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %a = transform.coconet.match "a" in %root : (!transform.any_op) -> !transform.any_op
    %b = transform.coconet.match "b" in %root : (!transform.any_op) -> !transform.any_op
    %rs0, %ag0 = transform.coconet.split %a into rs_ag dim 0 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %rs1, %ag1 = transform.coconet.split %b into rs_ag dim 0 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    // expected-error@+1 {{cannot merge reduce_scatter 'a.rs' and all_gather 'b.ag': the second does not take the result of the first}}
    %0 = transform.coconet.merge %rs0, %ag1 : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield
  }
}
