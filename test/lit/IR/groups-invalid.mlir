// Lists that are no groups of ranks.
// RUN: coconet-opt %s --split-input-file --verify-diagnostics

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

#mesh = #coconet.mesh<dp = 4>
#local = #coconet.layout<#mesh, local = {dp}>
func.func @neither(%x: tensor<4xf32, #local>) {
  // expected-error@+2 {{needs axes or groups, and not both}}
  // expected-note@+1 {{write `on {dp}` or `on groups [[0, 1]]`}}
  %0 = "coconet.broadcast"(%x) <{root = 0 : i64}> : (tensor<4xf32, #local>) -> tensor<4xf32, #local>
  return
}

// -----

#local = #coconet.layout<#coconet.mesh<dp = ?>, local = {dp}>
func.func @open_mesh(%x: tensor<4xf32, #local>) {
  // expected-error@+2 {{groups need a mesh whose sizes are bound}}
  // expected-note@+1 {{groups list distinct ranks of the mesh <dp = ?>, each rank once}}
  %0 = coconet.all_reduce sum %x on groups [[0, 1]] : tensor<4xf32, #local> -> tensor<4xf32, #local>
  return
}

// -----

#local = #coconet.layout<#coconet.mesh<dp = 4>, local = {dp}>
func.func @no_lists(%x: tensor<4xf32, #local>) {
  // expected-error@+2 {{groups are no lists of ranks}}
  // expected-note@+1 {{groups list distinct ranks of the mesh <dp = 4>, each rank once}}
  %0 = "coconet.all_reduce"(%x) <{reduction = #coconet<reduction sum>, groups = ["dp", 1]}> : (tensor<4xf32, #local>) -> tensor<4xf32, #local>
  return
}

// -----

#local = #coconet.layout<#coconet.mesh<dp = 4>, local = {dp}>
func.func @empty_list(%x: tensor<4xf32, #local>) {
  // expected-error@+2 {{groups have an empty list}}
  // expected-note@+1 {{groups list distinct ranks of the mesh <dp = 4>, each rank once}}
  %0 = coconet.broadcast %x root 0 on groups [[0, 1, 2, 3], []] : tensor<4xf32, #local> -> tensor<4xf32, #local>
  return
}

// -----

#local = #coconet.layout<#coconet.mesh<dp = 4>, local = {dp}>
func.func @huge_ranks(%x: tensor<4xf32, #local>) {
  // expected-error@+2 {{groups name rank -9223372036854775808 of 4}}
  // expected-note@+1 {{groups list distinct ranks of the mesh <dp = 4>, each rank once}}
  %0 = coconet.all_reduce sum %x on groups [[-9223372036854775808, 9223372036854775807]] : tensor<4xf32, #local> -> tensor<4xf32, #local>
  return
}
