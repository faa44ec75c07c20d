// Operands and dimensions that explicit groups do not take.
// RUN: coconet-opt %s --split-input-file --verify-diagnostics

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
func.func @not_local(%x: tensor<4xf32, #partial>) {
  // expected-error@+2 {{with explicit groups the operand is local}}
  // expected-note@+1 {{name the axes of the mesh instead, or make the operand local}}
  %0 = coconet.all_reduce sum %x on groups [[0, 1, 2, 3]] : tensor<4xf32, #partial> -> tensor<4xf32, #partial>
  return
}

// -----

#mesh = #coconet.mesh<dp = 4, tp = 2>
#both = #coconet.layout<#mesh, [{tp}], local = {dp}>
func.func @cut_too(%x: tensor<4xf32, #both>) {
  // expected-error@+2 {{with explicit groups the operand is local and nothing else}}
  // expected-note@+1 {{all_gather or all_reduce it first}}
  %0 = coconet.all_reduce sum %x on groups [[0, 2, 4, 6], [1, 3, 5, 7]] : tensor<4xf32, #both> -> tensor<4xf32, #both>
  return
}

// -----

#local = #coconet.layout<#coconet.mesh<dp = 4>, local = {dp}>
func.func @flat_scatter(%x: tensor<4xf32, #local>) {
  // expected-error@+2 {{is cut flat with explicit groups}}
  // expected-note@+1 {{name a dimension, or axes of the mesh}}
  %0 = coconet.reduce_scatter sum %x into flat on groups [[0, 1, 2, 3]] : tensor<4xf32, #local> -> tensor<4xf32, #local>
  return
}

// -----

#local = #coconet.layout<#coconet.mesh<dp = 4>, local = {dp}>
func.func @flat_gather(%x: tensor<4xf32, #local>) {
  // expected-error@+2 {{gathers flat slices with explicit groups}}
  // expected-note@+1 {{name a dimension, or axes of the mesh}}
  %0 = coconet.all_gather %x from flat on groups [[0, 1, 2, 3]] : tensor<4xf32, #local> -> tensor<4xf32, #local>
  return
}

// -----

#local = #coconet.layout<#coconet.mesh<dp = 4>, local = {dp}>
func.func @uneven(%x: tensor<9xf32, #local>) {
  // expected-error@+2 {{splits 9 elements of dimension 0 among 4 members}}
  // expected-note@+1 {{local values are split evenly; pad them, or cut along axes of the mesh}}
  %0 = coconet.reduce_scatter sum %x into 0 on groups [[0, 1, 2, 3]] : tensor<9xf32, #local> -> tensor<3xf32, #local>
  return
}

// -----

#local = #coconet.layout<#coconet.mesh<dp = 4>, local = {dp}>
func.func @too_large(%x: tensor<9223372036854775807xi8, #local>) {
  // expected-error@+2 {{joins 2 blocks of dimension 0 to more than 2^63 - 1 elements}}
  // expected-note@+1 {{name smaller groups}}
  %0 = coconet.all_gather %x from 0 on groups [[0, 1], [2, 3]] : tensor<9223372036854775807xi8, #local> -> tensor<4xi8, #local>
  return
}
