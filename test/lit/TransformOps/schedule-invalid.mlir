// RUN: coconet-opt %s --split-input-file --verify-diagnostics --transform-interpreter

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
module attributes {transform.with_named_sequence} {
  func.func @f(%g: tensor<8xf32, #partial>) -> tensor<8xf32> {
    %0 = coconet.all_reduce sum %g on {dp} {coconet.name = "avg"} : tensor<8xf32, #partial> -> tensor<8xf32>
    %1 = coconet.exp %0 {coconet.name = "c"} : tensor<8xf32> -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    // expected-error@+2 {{no op is named 'ag'}}
    // expected-note@+1 {{the names are avg, c}}
    %0 = transform.coconet.match "ag" in %root : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
module attributes {transform.with_named_sequence} {
  func.func @f(%g: tensor<8xf32, #partial>) -> tensor<8xf32> {
    %0 = coconet.all_reduce sum %g on {dp} {coconet.name = "avg"} : tensor<8xf32, #partial> -> tensor<8xf32>
    // expected-note@+1 {{the handle leads to exp 'c'}}
    %1 = coconet.exp %0 {coconet.name = "c"} : tensor<8xf32> -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %0 = transform.coconet.match "c" in %root : (!transform.any_op) -> !transform.any_op
    // expected-error@+1 {{expects a handle to one coconet.all_reduce, got 1 ops}}
    %1:2 = transform.coconet.split %0 into rs_ag dim 0 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
module attributes {transform.with_named_sequence} {
  func.func @f(%g: tensor<8xf32, #partial>) -> tensor<8xf32> {
    // expected-note@+1 {{dimensions are 0 to 0}}
    %0 = coconet.all_reduce sum %g on {dp} {coconet.name = "avg"} : tensor<8xf32, #partial> -> tensor<8xf32>
    %1 = coconet.exp %0 {coconet.name = "c"} : tensor<8xf32> -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %0 = transform.coconet.match "avg" in %root : (!transform.any_op) -> !transform.any_op
    // expected-error@+1 {{cannot split all_reduce 'avg' into reduce_scatter and all_gather: 'coconet.reduce_scatter' op dimension -1 is out of range for an operand of rank 1}}
    %1:2 = transform.coconet.split %0 into rs_ag dim -1 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
module attributes {transform.with_named_sequence} {
  func.func @f(%g: tensor<8xf32, #partial>) -> tensor<8xf32> {
    // expected-note@+1 {{the handle leads to all_gather 'avg.ag'}}
    %0 = coconet.all_reduce sum %g on {dp} {coconet.name = "avg"} : tensor<8xf32, #partial> -> tensor<8xf32>
    %1 = coconet.exp %0 {coconet.name = "c"} : tensor<8xf32> -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %0 = transform.coconet.match "avg" in %root : (!transform.any_op) -> !transform.any_op
    %rs, %ag = transform.coconet.split %0 into rs_ag dim 0 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    // expected-error@+1 {{expects a handle to one coconet.reduce_scatter, got 1 ops}}
    %1 = transform.coconet.merge %ag, %rs : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
module attributes {transform.with_named_sequence} {
  func.func @f(%g: tensor<8xf32, #partial>) -> tensor<8xf32> {
    %0 = coconet.all_reduce sum %g on {dp} {coconet.name = "avg"} : tensor<8xf32, #partial> -> tensor<8xf32>
    // expected-note@+1 {{the handle leads to exp 'c'}}
    %1 = coconet.exp %0 {coconet.name = "c"} : tensor<8xf32> -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %0 = transform.coconet.match "avg" in %root : (!transform.any_op) -> !transform.any_op
    %c = transform.coconet.match "c" in %root : (!transform.any_op) -> !transform.any_op
    %rs, %ag = transform.coconet.split %0 into rs_ag dim 0 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    // expected-error@+1 {{expects a handle to one coconet.all_gather, got 1 ops}}
    %1 = transform.coconet.merge %rs, %c : (!transform.any_op, !transform.any_op) -> !transform.any_op
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
    %c = transform.coconet.match "c" in %root : (!transform.any_op) -> !transform.any_op
    %none = transform.select "coconet.log" in %c : (!transform.any_op) -> !transform.any_op
    // expected-error@+2 {{no op is named 'c'}}
    // expected-note@+1 {{the handle leads to no op}}
    %d = transform.coconet.match "c" in %none : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
