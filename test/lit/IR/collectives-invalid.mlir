// RUN: coconet-opt %s --split-input-file --verify-diagnostics

#mesh = #coconet.mesh<dp = 2>
func.func @replicated(%x: tensor<4xf32>) {
  // expected-error@+2 {{operand is replicated, so there is nothing to exchange}}
  // expected-note@+1 {{the operand of a collective carries a layout}}
  %0 = coconet.all_reduce sum %x on {dp} : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// Case L05: a reduction axis must not also cut the operand.
#mesh = #coconet.mesh<dp = 2>
#sliced = #coconet.layout<#mesh, [{dp}]>
func.func @reduces_cut(%x: tensor<4xf32, #sliced>) {
  // expected-error@+2 {{operand is cut along dimension 0 by {dp} along axis 'dp'}}
  // expected-note@+1 {{it takes an operand that is local, or a pending sum, along every axis of the group}}
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

// Case V01: group lists.
#mesh = #coconet.mesh<dp = 4>
#local = #coconet.layout<#mesh, local = {dp}>
func.func @duplicate(%x: tensor<4xf32, #local>) {
  // expected-error@+2 {{groups name rank 1 twice}}
  // expected-note@+1 {{groups list distinct ranks of the mesh <dp = 4>, each rank once}}
  %0 = coconet.all_reduce sum %x on groups [[0, 1], [1, 2]] : tensor<4xf32, #local> -> tensor<4xf32, #local>
  return
}

// -----

#mesh = #coconet.mesh<dp = 4>
#local = #coconet.layout<#mesh, local = {dp}>
func.func @out_of_range(%x: tensor<4xf32, #local>) {
  // expected-error@+2 {{groups name rank 4 of 4}}
  // expected-note@+1 {{groups list distinct ranks}}
  %0 = coconet.all_reduce sum %x on groups [[0, 4]] : tensor<4xf32, #local> -> tensor<4xf32, #local>
  return
}

// -----

#mesh = #coconet.mesh<dp = 4>
#local = #coconet.layout<#mesh, local = {dp}>
func.func @empty(%x: tensor<4xf32, #local>) {
  // expected-error@+2 {{groups are empty}}
  // expected-note@+1 {{groups list distinct ranks}}
  %0 = coconet.all_reduce sum %x on groups [] : tensor<4xf32, #local> -> tensor<4xf32, #local>
  return
}

// -----

#mesh = #coconet.mesh<dp = 4>
#local = #coconet.layout<#mesh, local = {dp}>
func.func @missing(%x: tensor<4xf32, #local>) {
  // expected-error@+2 {{groups name 2 of 4 ranks}}
  // expected-note@+1 {{groups list distinct ranks}}
  %0 = coconet.all_reduce sum %x on groups [[0, 1]] : tensor<4xf32, #local> -> tensor<4xf32, #local>
  return
}

// -----

#mesh = #coconet.mesh<dp = 4>
#local = #coconet.layout<#mesh, local = {dp}>
func.func @unequal(%x: tensor<4xf32, #local>) {
  // expected-error@+2 {{groups have unequal sizes 1 and 3, on which the result's shape depends}}
  // expected-note@+1 {{groups list distinct ranks}}
  %0 = coconet.all_gather %x from 0 on groups [[0], [1, 2, 3]] : tensor<4xf32, #local> -> tensor<4xf32, #local>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2, tp = 2>
#local = #coconet.layout<#mesh, local = {dp}>
func.func @spans_other_axis(%x: tensor<4xf32, #local>) {
  // expected-error@+2 {{groups span axis 'tp', along which the operand is not local}}
  // expected-note@+1 {{the operand is local along {dp}}}
  %0 = coconet.all_reduce sum %x on groups [[0, 1], [2, 3]] : tensor<4xf32, #local> -> tensor<4xf32, #local>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2, tp = 4>
#rows = #coconet.layout<#mesh, [{dp}], partial = {tp : sum}>
#both = #coconet.layout<#mesh, [{dp, tp}]>
func.func @successive_cuts(%x: tensor<6xf32, #rows>) {
  // expected-error@+2 {{cuts 6 elements by {tp} after {dp}, which is one flat cut only if it divides exactly}}
  // expected-note@+1 {{cut another dimension, or choose sizes that divide exactly}}
  %0 = coconet.reduce_scatter sum %x into 0 on {tp} : tensor<6xf32, #rows> -> tensor<6xf32, #both>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2, tp = 4>
#both = #coconet.layout<#mesh, [{dp, tp}]>
#tp = #coconet.layout<#mesh, [{tp}]>
func.func @no_suffix(%x: tensor<8xf32, #both>) {
  // expected-error@+2 {{axes {dp} do not end the list {dp, tp} that cuts dimension 0}}
  // expected-note@+1 {{the axes that are removed are the last of the list, in its order}}
  %0 = coconet.all_gather %x from 0 on {dp} : tensor<8xf32, #both> -> tensor<8xf32, #tp>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#sliced = #coconet.layout<#mesh, [{dp}]>
func.func @out_of_range(%x: tensor<4xf32, #sliced>) {
  // expected-error@+2 {{dimension 1 is out of range for an operand of rank 1}}
  // expected-note@+1 {{dimensions are 0 to 0}}
  %0 = coconet.all_gather %x from 1 on {dp} : tensor<4xf32, #sliced> -> tensor<4xf32>
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
  // expected-note@+1 {{it takes an operand that is local, or rooted at the root}}
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

// -----

#mesh = #coconet.mesh<dp = 2>
#sliced = #coconet.layout<#mesh, [{dp}]>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
func.func @shard_of_pending(%x: tensor<4xf32, #partial>) {
  // expected-error@+2 {{operand is a pending sum along axis 'dp'}}
  // expected-note@+1 {{only a replicated value is sharded without communication}}
  %0 = coconet.shard %x into 0 on {dp} : tensor<4xf32, #partial> -> tensor<4xf32, #sliced>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#sliced = #coconet.layout<#mesh, [{dp}, {}]>
func.func @same_dimension(%x: tensor<4x4xf32, #sliced>) {
  // expected-error@+2 {{moves a cut from dimension 0 to itself}}
  // expected-note@+1 {{name two dimensions}}
  %0 = coconet.all_to_all %x from 0 into 0 on {dp} : tensor<4x4xf32, #sliced> -> tensor<4x4xf32, #sliced>
  return
}
