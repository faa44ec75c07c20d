// Cuts that collectives do not make or remove.
// RUN: coconet-opt %s --split-input-file --verify-diagnostics

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
#sliced = #coconet.layout<#mesh, [{dp}, {}]>
func.func @same_dimension(%x: tensor<4x4xf32, #sliced>) {
  // expected-error@+2 {{moves a cut from dimension 0 to itself}}
  // expected-note@+1 {{name two dimensions}}
  %0 = coconet.all_to_all %x from 0 into 0 on {dp} : tensor<4x4xf32, #sliced> -> tensor<4x4xf32, #sliced>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2, tp = 4>
#both = #coconet.layout<#mesh, [{dp, tp}]>
#dp = #coconet.layout<#mesh, [{dp}]>
func.func @part_of_uneven_cut(%x: tensor<6xf32, #both>) {
  // expected-error@+2 {{removing a part of a cut of dimension 0 that does not divide exactly}}
  // expected-note@+1 {{remove all axes of the list, or choose sizes that divide exactly}}
  %0 = coconet.all_gather %x from 0 on {tp} : tensor<6xf32, #both> -> tensor<6xf32, #dp>
  return
}

// -----

#local = #coconet.layout<#coconet.mesh<dp = 2>, local = {dp}>
func.func @booleans(%x: tensor<4xi1, #local>) {
  // expected-error@+2 {{reduces i1 values}}
  // expected-note@+1 {{cast to an integer type first; max is any, min is all}}
  %0 = coconet.all_reduce max %x on {dp} : tensor<4xi1, #local> -> tensor<4xi1>
  return
}

// -----

#rooted = #coconet.layout<#coconet.mesh<dp = ?>, rooted = {dp : 0}>
func.func @open_group(%x: tensor<4xf32, #rooted>) {
  // expected-error@+2 {{root -1 is no position in a group of ?}}
  // expected-note@+1 {{a root is a position in the group, from 0}}
  %0 = coconet.broadcast %x root -1 on {dp} : tensor<4xf32, #rooted> -> tensor<4xf32>
  return
}
