// Operands of pointwise ops whose layouts do not go together.
// RUN: coconet-opt %s --split-input-file --verify-diagnostics

#row = #coconet.layout<#coconet.mesh<dp = 2>, [{dp}, {}]>
func.func @repeated_cut(%a: tensor<1x4xf32, #row>, %b: tensor<8x4xf32>) {
  // expected-error@+3 {{operand 0 has its dimension 0 of size 1 cut by {dp} and repeated}}
  // expected-note@+2 {{all_gather it first; a dimension that is repeated is never cut}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.add %a, %b : tensor<1x4xf32, #row>, tensor<8x4xf32> -> tensor<8x4xf32, #row>
  return
}

// -----

#rows = #coconet.layout<#coconet.mesh<dp = 2>, [{dp}, {}]>
#columns = #coconet.layout<#coconet.mesh<dp = 2>, [{}, {dp}]>
func.func @dimensions(%a: tensor<4x4xf32, #rows>, %b: tensor<4x4xf32, #columns>) {
  // expected-error@+3 {{operands 0 and 1 are cut along different dimensions by axis 'dp'}}
  // expected-note@+2 {{make the cuts equal: all_to_all one of them to the other's dimension, or all_gather it}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.mul %a, %b : tensor<4x4xf32, #rows>, tensor<4x4xf32, #columns> -> tensor<4x4xf32, #rows>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#local = #coconet.layout<#mesh, local = {dp}>
#rooted = #coconet.layout<#mesh, rooted = {dp : 1}>
func.func @local_and_rooted(%a: tensor<4xf32, #local>, %b: tensor<4xf32, #rooted>) {
  // expected-error@+3 {{operand 0 is local and operand 1 is rooted at 1 along axis 'dp'}}
  // expected-note@+2 {{bring the operands to one layout: broadcast a rooted or local value, all_gather a cut one}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.add %a, %b : tensor<4xf32, #local>, tensor<4xf32, #rooted> -> tensor<4xf32, #local>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#zero = #coconet.layout<#mesh, rooted = {dp : 0}>
#one = #coconet.layout<#mesh, rooted = {dp : 1}>
func.func @roots(%a: tensor<4xf32, #zero>, %b: tensor<4xf32, #one>) {
  // expected-error@+3 {{operand 0 is rooted at 0 and operand 1 is rooted at 1 along axis 'dp'}}
  // expected-note@+2 {{bring the operands to one layout}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.add %a, %b : tensor<4xf32, #zero>, tensor<4xf32, #one> -> tensor<4xf32, #zero>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#sum = #coconet.layout<#mesh, partial = {dp : sum}>
#max = #coconet.layout<#mesh, partial = {dp : max}>
func.func @reductions(%a: tensor<4xf32, #sum>, %b: tensor<4xf32, #max>) {
  // expected-error@+3 {{operand 0 is a pending sum and operand 1 is a pending max along axis 'dp'}}
  // expected-note@+2 {{all_reduce the pending operand first, or reduce_scatter it to the cut of the other}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.add %a, %b : tensor<4xf32, #sum>, tensor<4xf32, #max> -> tensor<4xf32, #sum>
  return
}

// -----

#flat = #coconet.layout<#coconet.mesh<dp = 4>, flat = {dp}>
// A single element that is cut lies on one rank.
func.func @flat_scalar(%a: tensor<f32, #flat>, %b: tensor<8xf32, #flat>) {
  // expected-error@+3 {{operand 0 is broadcast against a flat slice}}
  // expected-note@+2 {{cut along a dimension instead, or broadcast_to the whole shape first}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.add %a, %b : tensor<f32, #flat>, tensor<8xf32, #flat> -> tensor<8xf32, #flat>
  return
}

// -----

#mesh = #coconet.mesh<dp = 4>
#flat = #coconet.layout<#mesh, flat = {dp}>
#rows = #coconet.layout<#mesh, [{dp}]>
func.func @flat_and_rows(%a: tensor<8xf32, #flat>, %b: tensor<8xf32, #rows>) {
  // expected-error@+3 {{operand 1 is cut differently from a flat slice by {dp}}}
  // expected-note@+2 {{make the cuts equal: all_gather one of them}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.add %a, %b : tensor<8xf32, #flat>, tensor<8xf32, #rows> -> tensor<8xf32, #flat>
  return
}

// -----

func.func @cast_type(%a: tensor<4xf32>) {
  // expected-error@+2 {{casts to '() -> ()'; elements are floats or integers}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.cast %a to () -> () : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @step(%a: tensor<4xf32>, %step: tensor<2xi64>) {
  // expected-error@+2 {{the step is a tensor of rank 0, got 'tensor<2xi64>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.dropout %a step %step rate 0.5 : tensor<4xf32>, tensor<2xi64> -> tensor<4xf32>
  return
}

// -----

func.func @matmul_ranks(%x: tensor<6xf32>, %w: tensor<6x5xf32>) {
  // expected-error@+2 {{operands of ranks 1 and 2; both have rank 2 or more, and equal batch dimensions or none on one side}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.matmul %x, %w : tensor<6xf32>, tensor<6x5xf32> -> tensor<5xf32>
  return
}
