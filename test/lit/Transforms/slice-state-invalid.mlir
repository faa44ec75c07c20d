// RUN: coconet-opt %s --split-input-file --verify-diagnostics "--pass-pipeline=builtin.module(func.func(coconet-slice-state{names=m}))"

#mesh = #coconet.mesh<dp = 4>
#sliced = #coconet.layout<#mesh, [{dp}]>
func.func @whole_use(%m: tensor<8xf32> {coconet.state, coconet.arg_name = "m"}, %g: tensor<8xf32, #sliced>) -> tensor<8xf32> {
  %1 = coconet.all_gather %g from 0 on {dp} : tensor<8xf32, #sliced> -> tensor<8xf32>
  %2 = coconet.update %m, %1 : tensor<8xf32>
  // expected-error@+2 {{cannot slice state 'm': neg uses it whole}}
  // expected-note@+1 {{reorder the all_gather past this op first, so that it works on slices}}
  %3 = coconet.neg %m : tensor<8xf32> -> tensor<8xf32>
  return %3 : tensor<8xf32>
}

// -----

#mesh = #coconet.mesh<dp = 4>
#sliced = #coconet.layout<#mesh, [{dp}]>
func.func @not_gathered(%m: tensor<8xf32> {coconet.state, coconet.arg_name = "m"}, %g: tensor<8xf32>) {
  // expected-error@+2 {{cannot slice state 'm': its new value is not gathered from slices}}
  // expected-note@+1 {{reorder an all_gather past the computation of the new value first, and slice state before fusing}}
  %0 = coconet.update %m, %g : tensor<8xf32>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2, tp = 2>
#dp = #coconet.layout<#mesh, [{dp}]>
#tp = #coconet.layout<#mesh, [{tp}]>
func.func @two_cuts(%m: tensor<8xf32> {coconet.state, coconet.arg_name = "m"}, %g: tensor<8xf32, #dp>) -> tensor<8xf32, #tp> {
  // expected-error@+2 {{cannot slice state 'm': it is cut in two ways}}
  // expected-note@+1 {{all its uses go through one cut}}
  %0 = coconet.shard %m into 0 on {tp} : tensor<8xf32> -> tensor<8xf32, #tp>
  // expected-note@+1 {{the other cut is here}}
  %1 = coconet.all_gather %g from 0 on {dp} : tensor<8xf32, #dp> -> tensor<8xf32>
  %2 = coconet.update %m, %1 : tensor<8xf32>
  return %0 : tensor<8xf32, #tp>
}

// -----

// expected-error@+2 {{no argument is named 'm'}}
// expected-note@+1 {{the names are v}}
func.func @names(%v: tensor<8xf32> {coconet.state, coconet.arg_name = "v"}) {
  return
}

// -----

// expected-error@+2 {{cannot slice state 'm': it is no state}}
// expected-note@+1 {{mark the argument with 'coconet.state'}}
func.func @no_state(%m: tensor<8xf32> {coconet.arg_name = "m"}) {
  return
}

// -----

// expected-error@+2 {{cannot slice state 'm': it is not updated}}
// expected-note@+1 {{only state that is updated from slices is held in slices}}
func.func @not_updated(%m: tensor<8xf32> {coconet.state, coconet.arg_name = "m"}) {
  return
}

// -----

#mesh = #coconet.mesh<dp = 4>
#sliced = #coconet.layout<#mesh, [{dp}]>
func.func @new_value_used(%m: tensor<8xf32> {coconet.state, coconet.arg_name = "m"}, %g: tensor<8xf32, #sliced>) -> tensor<8xf32> {
  %1 = coconet.all_gather %g from 0 on {dp} : tensor<8xf32, #sliced> -> tensor<8xf32>
  %2 = coconet.update %m, %1 : tensor<8xf32>
  // expected-error@+2 {{cannot slice state 'm': neg uses its new value whole}}
  // expected-note@+1 {{use the slices instead}}
  %3 = coconet.neg %2 : tensor<8xf32> -> tensor<8xf32>
  return %3 : tensor<8xf32>
}

// -----

// expected-error@+2 {{no argument is named 'm'}}
// expected-note@+1 {{give arguments names with coconet.arg_name}}
func.func @no_names(%m: tensor<8xf32> {coconet.state}) {
  return
}
