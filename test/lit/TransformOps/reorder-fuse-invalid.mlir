// RUN: coconet-opt %s --split-input-file --verify-diagnostics --transform-interpreter

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
module attributes {transform.with_named_sequence} {
  func.func @f(%g: tensor<8xf32, #partial>) -> tensor<8xf32> {
    // expected-note@+1 {{the handle leads to all_reduce 'avg'; split it first, into 'avg.rs' and 'avg.ag'}}
    %0 = coconet.all_reduce sum %g on {dp} {coconet.name = "avg"} : tensor<8xf32, #partial> -> tensor<8xf32>
    %1 = coconet.exp %0 {coconet.name = "c"} : tensor<8xf32> -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %avg = transform.coconet.match "avg" in %root : (!transform.any_op) -> !transform.any_op
    %c = transform.coconet.match "c" in %root : (!transform.any_op) -> !transform.any_op
    // expected-error@+1 {{expects a handle to one coconet.all_gather, got 1 ops}}
    %1:2 = transform.coconet.reorder %avg past %c : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
module attributes {transform.with_named_sequence} {
  func.func @f(%g: tensor<8xf32, #partial>) -> tensor<8xf32> {
    // expected-note@+1 {{add the op that computes it}}
    %0 = coconet.all_reduce sum %g on {dp} {coconet.name = "avg"} : tensor<8xf32, #partial> -> tensor<8xf32>
    %1 = coconet.exp %0 {coconet.name = "c"} : tensor<8xf32> -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %0 = transform.coconet.match "avg" in %root : (!transform.any_op) -> !transform.any_op
    %c = transform.coconet.match "c" in %root : (!transform.any_op) -> !transform.any_op
    %rs, %ag = transform.coconet.split %0 into rs_ag dim 0 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    // expected-error@+1 {{cannot fuse all_gather 'avg.ag': what it gathers is computed outside of the set}}
    %1 = transform.coconet.fuse %ag, %c : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
module attributes {transform.with_named_sequence} {
  func.func @f(%g: tensor<8xf32, #partial>) -> tensor<8xf32> {
    %0 = coconet.all_reduce sum %g on {dp} {coconet.name = "avg"} : tensor<8xf32, #partial> -> tensor<8xf32>
    %1 = coconet.exp %0 {coconet.name = "c"} : tensor<8xf32> -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    // expected-error@+1 {{there is nothing to fuse}}
    %1 = transform.coconet.fuse : () -> !transform.any_op
    transform.yield
  }
}

// -----

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
module attributes {transform.with_named_sequence} {
  func.func @f(%g: tensor<8xf32, #partial>) -> tensor<8xf32> {
    // expected-note@+1 {{name the computations that use it}}
    %0 = coconet.all_reduce sum %g on {dp} {coconet.name = "avg"} : tensor<8xf32, #partial> -> tensor<8xf32>
    %1 = coconet.exp %0 {coconet.name = "c"} : tensor<8xf32> -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %avg = transform.coconet.match "avg" in %root : (!transform.any_op) -> !transform.any_op
    %none = transform.select "coconet.log" in %avg : (!transform.any_op) -> !transform.any_op
    %rs, %ag = transform.coconet.split %avg into rs_ag dim 0 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    // expected-error@+1 {{there is nothing to reorder all_gather 'avg.ag' past}}
    %1:2 = transform.coconet.reorder %ag past %none : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
