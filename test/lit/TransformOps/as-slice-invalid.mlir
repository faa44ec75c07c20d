// RUN: coconet-opt %s --split-input-file --verify-diagnostics --transform-interpreter

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
module attributes {transform.with_named_sequence} {
  func.func @f(%m: tensor<8xf32> {coconet.state, coconet.arg_name = "m"}, %g: tensor<8xf32>) {
    %0 = coconet.update %m, %g {coconet.name = "u"} : tensor<8xf32>
    return
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %u = transform.coconet.match "u" in %root : (!transform.any_op) -> !transform.any_op
    // expected-error@+2 {{there is no function}}
    // expected-note@+1 {{give a handle to one}}
    transform.coconet.as_slice ["m"] in %u : !transform.any_op
    transform.yield
  }
}

// -----

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
module attributes {transform.with_named_sequence} {
  // expected-note@+1 {{the names are m}}
  func.func @f(%m: tensor<8xf32> {coconet.state, coconet.arg_name = "m"}, %g: tensor<8xf32>) {
    %0 = coconet.update %m, %g {coconet.name = "u"} : tensor<8xf32>
    return
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    // expected-error@+1 {{no argument is named 'v'}}
    transform.coconet.as_slice ["v"] in %root : !transform.any_op
    transform.yield
  }
}

// -----

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
module attributes {transform.with_named_sequence} {
  func.func @f(%m: tensor<8xf32> {coconet.state, coconet.arg_name = "m"}, %g: tensor<8xf32>) {
    // expected-note@+1 {{reorder an all_gather past the computation of the new value first, and slice state before fusing}}
    %0 = coconet.update %m, %g {coconet.name = "u"} : tensor<8xf32>
    return
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    // expected-error@+1 {{cannot slice state 'm': its new value is not gathered from slices}}
    transform.coconet.as_slice ["m"] in %root : !transform.any_op
    transform.yield
  }
}

// -----

#sliced = #coconet.layout<#coconet.mesh<dp = 4>, [{dp}]>
module attributes {transform.with_named_sequence} {
  func.func @step(%m: tensor<8xf32> {coconet.state, coconet.arg_name = "m"}, %g: tensor<8xf32, #sliced>) {
    %0 = coconet.all_gather %g from 0 on {dp} : tensor<8xf32, #sliced> -> tensor<8xf32>
    %1 = coconet.update %m, %0 {coconet.name = "u"} : tensor<8xf32>
    return
  }
  func.func private @declared(tensor<8xf32> {coconet.state, coconet.arg_name = "m"})
  func.func @caller(%n: tensor<8xf32>, %g: tensor<8xf32, #sliced>) {
    // expected-note@+1 {{slicing changes the function's type; inline it first}}
    call @step(%n, %g) : (tensor<8xf32>, tensor<8xf32, #sliced>) -> ()
    return
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    // expected-error@+1 {{cannot slice state of 'step': the function is called}}
    transform.coconet.as_slice ["m"] in %root : !transform.any_op
    transform.yield
  }
}
