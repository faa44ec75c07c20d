// RUN: coconet-opt %s --split-input-file --verify-diagnostics --transform-interpreter

#mesh = #coconet.mesh<tp = 2>
module attributes {transform.with_named_sequence} {
  func.func @first(%x: tensor<4xf32>) attributes {coconet.stage = 0 : i64, coconet.mesh = #mesh} {
    // expected-note@+1 {{name axes of the mesh along which all ranks hold it}}
    coconet.send %x to "b" {coconet.name = "next"} : tensor<4xf32>
    return
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %next = transform.coconet.match "next" in %root : (!transform.any_op) -> !transform.any_op
    // expected-error@+1 {{cannot slice send 'next': the value is not replicated along 'dp'}}
    %send, %ag = transform.coconet.slice_send %next dim 0 on ["dp"] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

#mesh = #coconet.mesh<tp = 2>
module attributes {transform.with_named_sequence} {
  func.func @first(%x: tensor<4xf32>) attributes {coconet.stage = 0 : i64, coconet.mesh = #mesh} {
    // expected-note@+1 {{name a dimension of the value, and axes to cut it by}}
    coconet.send %x to "b" {coconet.name = "next"} : tensor<4xf32>
    return
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %next = transform.coconet.match "next" in %root : (!transform.any_op) -> !transform.any_op
    // expected-error@+1 {{cannot slice send 'next': it has no such dimension, or no axis is named}}
    %send, %ag = transform.coconet.slice_send %next dim 1 on ["tp"] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

#mesh = #coconet.mesh<tp = 2, dp = 2>
#sliced = #coconet.layout<#mesh, [{dp}]>
module attributes {transform.with_named_sequence} {
  func.func @first(%x: tensor<6xf32, #sliced>) attributes {coconet.stage = 0 : i64} {
    // expected-note@+1 {{cut another dimension, or by other axes}}
    coconet.send %x to "b" {coconet.name = "next"} : tensor<6xf32, #sliced>
    return
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %next = transform.coconet.match "next" in %root : (!transform.any_op) -> !transform.any_op
    // expected-error@+1 {{cannot slice send 'next': it cuts 6 elements by {tp} after {dp}}}
    %send, %ag = transform.coconet.slice_send %next dim 0 on ["tp"] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
