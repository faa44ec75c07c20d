// RUN: coconet-opt %s --split-input-file --verify-diagnostics --transform-interpreter

#mesh = #coconet.mesh<tp = 2>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>

module attributes {transform.with_named_sequence} {
  func.func @chain(%a: tensor<4xf32, #partial>) -> tensor<4xf32> {
    // expected-note@+1 {{give 2 or more chunks, or add an op that does not depend on a collective}}
    %y = coconet.all_reduce sum %a on {tp} {coconet.name = "o"} : tensor<4xf32, #partial> -> tensor<4xf32>
    %z = coconet.neg %y {coconet.name = "o"} : tensor<4xf32> -> tensor<4xf32>
    return %z : tensor<4xf32>
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %o = transform.coconet.match "o" in %root : (!transform.any_op) -> !transform.any_op
    // expected-error@+1 {{cannot overlap all_reduce 'o' in one chunk: every op waits for the collectives, or they for it}}
    %ol = transform.coconet.overlap %o chunks 1 along 0 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

#mesh = #coconet.mesh<tp = 2>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>

module attributes {transform.with_named_sequence} {
  func.func @none(%a: tensor<4xf32, #partial>) -> tensor<4xf32> {
    // expected-note@+1 {{give 2 or more, or 1 to run independent ops side by side}}
    %y = coconet.all_reduce sum %a on {tp} {coconet.name = "o"} : tensor<4xf32, #partial> -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %o = transform.coconet.match "o" in %root : (!transform.any_op) -> !transform.any_op
    // expected-error@+1 {{cannot overlap in 0 chunks}}
    %ol = transform.coconet.overlap %o chunks 0 along 0 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @empty() {
    return
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    // expected-error@+1 {{there is nothing to overlap}}
    %ol = transform.coconet.overlap chunks 2 along 0 : () -> !transform.any_op
    transform.yield
  }
}
