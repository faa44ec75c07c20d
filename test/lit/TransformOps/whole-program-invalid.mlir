// Steps take ops of the program, not the program.
// RUN: coconet-opt %s --verify-diagnostics --transform-interpreter

// expected-note@+1 {{name ops of a function body}}
module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    // expected-error@+1 {{module is the whole program}}
    %0 = transform.coconet.fuse %root : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
