// Ops that do not pass a pending value on.
// RUN: coconet-opt %s --split-input-file --verify-diagnostics

#mesh = #coconet.mesh<dp = 2>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>

// Case N01: a constant added to a pending sum would be added once per rank.
func.func @constant_to_pending(%p: tensor<4xf32, #partial>, %c: tensor<f32>) {
  // expected-error@+3 {{operand 0 is a pending sum along axis 'dp', and the op does not pass a pending sum}}
  // expected-note@+2 {{all_reduce operand 0 first}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.add %p, %c : tensor<4xf32, #partial>, tensor<f32> -> tensor<4xf32, #partial>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>

func.func @relu_of_pending(%p: tensor<4xf32, #partial>) {
  // expected-error@+3 {{operand 0 is a pending sum along axis 'dp', and the op does not pass a pending sum}}
  // expected-note@+2 {{all_reduce operand 0 first}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.relu %p : tensor<4xf32, #partial> -> tensor<4xf32, #partial>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>

func.func @product_of_pending(%p: tensor<4xf32, #partial>) {
  // expected-error@+3 {{operand 0 is a pending sum along axis 'dp', and the op does not pass a pending sum}}
  // expected-note@+2 {{all_reduce operand 0 first}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.mul %p, %p : tensor<4xf32, #partial>, tensor<4xf32, #partial> -> tensor<4xf32, #partial>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>

func.func @integer_division(%p: tensor<4xi32, #partial>, %c: tensor<i32>) {
  // expected-error@+3 {{the op does not pass a pending sum}}
  // expected-note@+2 {{all_reduce operand 0 first}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.div %p, %c : tensor<4xi32, #partial>, tensor<i32> -> tensor<4xi32, #partial>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
#sliced = #coconet.layout<#mesh, [{dp}]>

func.func @pending_and_sliced(%p: tensor<4xf32, #partial>, %s: tensor<4xf32, #sliced>) {
  // expected-error@+3 {{operand 0 is a pending sum and operand 1 is cut along dimension 0 by {dp} along axis 'dp'}}
  // expected-note@+2 {{all_reduce the pending operand first, or reduce_scatter it to the cut of the other}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.mul %p, %s : tensor<4xf32, #partial>, tensor<4xf32, #sliced> -> tensor<4xf32, #sliced>
  return
}
