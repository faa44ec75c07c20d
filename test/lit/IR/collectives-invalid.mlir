// RUN: coconet-opt %s --split-input-file --verify-diagnostics

#mesh = #coconet.mesh<dp = 2>
func.func @replicated(%x: tensor<4xf32>) {
  // expected-error@+2 {{operand is replicated, so there is nothing to exchange}}
  // expected-note@+1 {{the operand of a collective carries a layout; use it as it is, or shard it}}
  %0 = coconet.all_reduce sum %x on {dp} : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// Case L05: a reduction axis must not also cut the operand.
#mesh = #coconet.mesh<dp = 2>
#sliced = #coconet.layout<#mesh, [{dp}]>
func.func @reduces_cut(%x: tensor<4xf32, #sliced>) {
  // expected-error@+2 {{operand is cut along dimension 0 by {dp} along axis 'dp'}}
  // expected-note@+1 {{it takes an operand that is local, or a pending sum, along every axis of the group; a replicated value is already whole}}
  %0 = coconet.all_reduce sum %x on {dp} : tensor<4xf32, #sliced> -> tensor<4xf32>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
func.func @other_reduction(%x: tensor<4xf32, #partial>) {
  // expected-error@+2 {{operand is a pending sum along axis 'dp'}}
  // expected-note@+1 {{or a pending max, along every axis}}
  %0 = coconet.all_reduce max %x on {dp} : tensor<4xf32, #partial> -> tensor<4xf32>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
func.func @unknown_axis(%x: tensor<4xf32, #partial>) {
  // expected-error@+2 {{unknown axis 'tp'}}
  // expected-note@+1 {{the mesh has {dp}}}
  %0 = coconet.all_reduce sum %x on {tp} : tensor<4xf32, #partial> -> tensor<4xf32>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
func.func @axis_twice(%x: tensor<4xf32, #partial>) {
  // expected-error@+2 {{names axis 'dp' twice}}
  // expected-note@+1 {{an axis appears once in a group}}
  %0 = coconet.all_reduce sum %x on {dp, dp} : tensor<4xf32, #partial> -> tensor<4xf32>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
func.func @no_axis(%x: tensor<4xf32, #partial>) {
  // expected-error@+2 {{names no axis}}
  // expected-note@+1 {{a collective acts along at least one axis}}
  %0 = coconet.all_reduce sum %x on {} : tensor<4xf32, #partial> -> tensor<4xf32>
  return
}

// -----

// Case N10: an average of integers is refused.
#mesh = #coconet.mesh<dp = 2>
#local = #coconet.layout<#mesh, local = {dp}>
func.func @integer_average(%x: tensor<4xi32, #local>) {
  // expected-error@+2 {{avg of integers}}
  // expected-note@+1 {{cast to a float type first, or use sum}}
  %0 = coconet.all_reduce avg %x on {dp} : tensor<4xi32, #local> -> tensor<4xi32>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#rooted = #coconet.layout<#mesh, rooted = {dp : 0}>
func.func @root(%x: tensor<4xf32, #rooted>) {
  // expected-error@+2 {{root 2 is no position in a group of 2}}
  // expected-note@+1 {{a root is a position in the group, from 0}}
  %0 = coconet.broadcast %x root 2 on {dp} : tensor<4xf32, #rooted> -> tensor<4xf32>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#rooted = #coconet.layout<#mesh, rooted = {dp : 0}>
func.func @other_root(%x: tensor<4xf32, #rooted>) {
  // expected-error@+2 {{operand is rooted at 0 along axis 'dp'}}
  // expected-note@+1 {{it takes an operand that is local, or rooted at the root, along the axes of the group}}
  %0 = coconet.broadcast %x root 1 on {dp} : tensor<4xf32, #rooted> -> tensor<4xf32>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
func.func @result_type(%x: tensor<4xf32, #partial>) {
  // expected-error@+2 {{has result type}}
  // expected-note@+1 {{the operand gives 'tensor<4xf32>'}}
  %0 = coconet.all_reduce sum %x on {dp} : tensor<4xf32, #partial> -> tensor<4xf32, #partial>
  return
}
