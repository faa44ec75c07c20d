// RUN: coconet-opt %s --split-input-file --verify-diagnostics --transform-interpreter

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%a: !transform.any_op) {
    // expected-error@+1 {{an all_reduce is not split into 'thirds'; write rs_ag, reduce_broadcast or hierarchical}}
    %0, %1 = transform.coconet.split %a into thirds : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%a: !transform.any_op) {
    // expected-error@+1 {{expected 'dim' and a dimension, or 'flat'}}
    %0, %1 = transform.coconet.split %a into rs_ag : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%a: !transform.any_op) {
    // expected-error@+1 {{gives 3 handles, not 2}}
    %0, %1 = transform.coconet.split %a into hierarchical flat inner {tp} outer {dp} : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%a: !transform.any_op) {
    // expected-error@+1 {{mixes the options of several forms; give dim, root, or inner and outer axes}}
    %0, %1 = "transform.coconet.split"(%a) {root = 0, dim = 0} : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

#mesh = #coconet.mesh<dp = 2>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
module attributes {transform.with_named_sequence} {
  func.func @program(%g: tensor<9xf16, #partial>) -> tensor<9xf16> {
    // expected-note@+1 {{only f32 and f64 values are narrowed}}
    %a = coconet.all_reduce sum %g on {dp} {coconet.name = "a"} : tensor<9xf16, #partial> -> tensor<9xf16>
    return %a : tensor<9xf16>
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %a = transform.coconet.match "a" in %root : (!transform.any_op) -> !transform.any_op
    // expected-error@+1 {{cannot let all_reduce 'a' of f16 values travel in another type}}
    transform.coconet.wire_type %a bf16 : !transform.any_op
    transform.yield
  }
}
