// RUN: coconet-opt %s --split-input-file --verify-diagnostics

func.func @open_mesh() {
  // expected-error@+2 {{lies on a mesh with open sizes <dp = ?>}}
  // expected-note@+1 {{bind the mesh before --coconet-to-rank}}
  %0 = coconet.rank.coordinate {dp} of <dp = ?>
  return
}

// -----

func.func @unknown_axis() {
  // expected-error@+2 {{unknown axis 'tp'}}
  // expected-note@+1 {{the mesh has {dp}}}
  %0 = coconet.rank.coordinate {tp} of <dp = 2>
  return
}

// -----

func.func @axis_twice() {
  // expected-error@+2 {{names axis 'dp' twice}}
  // expected-note@+1 {{an axis appears once in a group}}
  %0 = coconet.rank.coordinate {dp, dp} of <dp = 2>
  return
}

// -----

func.func @no_members(%x: tensor<4xf32>) {
  // expected-error@+2 {{needs axes or groups, and not both}}
  // expected-note@+1 {{write `on {dp}` or `on groups [[0, 1]]`}}
  %0 = "coconet.rank.all_reduce"(%x) <{mesh = #coconet.mesh<dp = 2>, reduction = #coconet<reduction sum>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @groups(%x: tensor<4xf32>) {
  // expected-error@+2 {{groups name rank 9223372036854775807 of 2}}
  // expected-note@+1 {{groups list distinct ranks of the mesh <dp = 2>, each rank once}}
  %0 = coconet.rank.all_reduce sum %x on groups [[0, 9223372036854775807]] of <dp = 2> : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

#sliced = #coconet.layout<#coconet.mesh<dp = 2>, [{dp}]>
func.func @layout(%x: tensor<4xf32, #sliced>) {
  // expected-error@+2 {{has a tensor that carries a layout}}
  // expected-note@+1 {{rank programs have plain tensors}}
  %0 = coconet.rank.all_reduce sum %x on {dp} of <dp = 2> : tensor<4xf32, #sliced> -> tensor<4xf32>
  return
}

// -----

func.func @element_type(%x: tensor<4xf32>) {
  // expected-error@+1 {{result type 'tensor<4xf16>' has another element type or rank than 'tensor<4xf32>'}}
  %0 = coconet.rank.all_reduce sum %x on {dp} of <dp = 2> : tensor<4xf32> -> tensor<4xf16>
  return
}

// -----

func.func @dimension(%x: tensor<4xf32>) {
  // expected-error@+1 {{dimension -9223372036854775808 is out of range for an operand of rank 1}}
  %0 = coconet.rank.shard %x into -9223372036854775808 on {dp} of <dp = 2> : tensor<4xf32> -> tensor<2xf32>
  return
}

// -----

func.func @other_size(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{changes the size of dimension 1 from 4 to ?}}
  %0 = coconet.rank.shard %x into 0 on {dp} of <dp = 2> : tensor<4x4xf32> -> tensor<2x?xf32>
  return
}

// -----

func.func @root(%x: tensor<4xf32>) {
  // expected-error@+2 {{root 2 is no position in a group of 2}}
  // expected-note@+1 {{a root is a position in the group, from 0}}
  %0 = coconet.rank.broadcast %x root 2 on {dp} of <dp = 2> : tensor<4xf32> -> tensor<4xf32>
  return
}
