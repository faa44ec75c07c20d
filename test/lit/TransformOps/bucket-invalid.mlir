// RUN: coconet-opt %s --split-input-file --verify-diagnostics --transform-interpreter

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    // expected-error@+1 {{there is nothing to put into a bucket}}
    %none = transform.coconet.bucket : () -> !transform.any_op
    transform.yield
  }
}

// -----

#mesh = #coconet.mesh<dp = 2>
#pending = #coconet.layout<#mesh, partial = {dp : sum}>
module attributes {transform.with_named_sequence} {
  func.func @grads(%x: tensor<5xf32, #pending>) -> tensor<5xf32> {
    // expected-note@+1 {{give a positive number of bytes}}
    %a = coconet.all_reduce sum %x on {dp} {coconet.name = "a"} : tensor<5xf32, #pending> -> tensor<5xf32>
    return %a : tensor<5xf32>
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %a = transform.coconet.match "a" in %root : (!transform.any_op) -> !transform.any_op
    // expected-error@+1 {{a bucket of 0 bytes holds nothing}}
    transform.coconet.bucket %a bytes 0 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
