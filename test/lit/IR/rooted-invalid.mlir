// RUN: coconet-opt %s --split-input-file --verify-diagnostics

#mesh = #coconet.mesh<dp = 2>
#pending = #coconet.layout<#mesh, partial = {dp : sum}>
#rooted = #coconet.layout<#mesh, rooted = {dp : 1}>
func.func @root(%x: tensor<4xf32, #pending>) {
  // expected-error@+2 {{root 2 is no position in a group of 2}}
  // expected-note@+1 {{a root is a position in the group, from 0}}
  %0 = coconet.reduce_to_root sum %x root 2 on {dp} : tensor<4xf32, #pending> -> tensor<4xf32, #rooted>
  return
}

// -----

#mesh = #coconet.mesh<dp = ?, tp = ?>
#pending = #coconet.layout<#mesh, partial = {dp : sum, tp : sum}>
#rooted = #coconet.layout<#mesh, rooted = {dp : 0, tp : 0}>
func.func @open(%x: tensor<4xf32, #pending>) {
  // expected-error@+2 {{has a root along several axes, of which 'tp' has no size}}
  // expected-note@+1 {{give the mesh axis a size, or act along one axis at a time}}
  %0 = coconet.reduce_to_root sum %x root 0 on {dp, tp} : tensor<4xf32, #pending> -> tensor<4xf32, #rooted>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#rooted = #coconet.layout<#mesh, rooted = {dp : 1}>
#sliced = #coconet.layout<#mesh, [{dp}]>
func.func @elsewhere(%x: tensor<4xf32, #rooted>) {
  // expected-error@+2 {{operand is rooted at 1 along axis 'dp'}}
  // expected-note@+1 {{it takes an operand that is rooted at the root, along the axes of the group}}
  %0 = coconet.scatter_from_root %x into 0 root 0 on {dp} : tensor<4xf32, #rooted> -> tensor<4xf32, #sliced>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#local = #coconet.layout<#mesh, local = {dp}>
func.func @flat_lists(%x: tensor<4xf32, #local>) {
  // expected-error@+2 {{gathers flat slices with explicit groups}}
  // expected-note@+1 {{name a dimension, or axes of the mesh}}
  %0 = coconet.gather_to_root %x from flat root 0 on groups [[0, 1]] : tensor<4xf32, #local> -> tensor<8xf32, #local>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#local = #coconet.layout<#mesh, local = {dp}>
func.func @flat_scatter(%x: tensor<4xf32, #local>) {
  // expected-error@+2 {{is cut flat with explicit groups}}
  // expected-note@+1 {{name a dimension, or axes of the mesh}}
  %0 = coconet.scatter_from_root %x into flat root 0 on groups [[0, 1]] : tensor<4xf32, #local> -> tensor<2xf32, #local>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#local = #coconet.layout<#mesh, local = {dp}>
func.func @result(%x: tensor<4xf32, #local>) {
  // expected-error@+2 {{has result type 'tensor<4xf32>'}}
  // expected-note@+1 {{the operand gives 'tensor<4xf32, #coconet.layout<#coconet.mesh<dp = 2>, local = {dp}>>'}}
  %0 = coconet.permute %x pairs [[0, 1]] on {dp} : tensor<4xf32, #local> -> tensor<4xf32>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#local = #coconet.layout<#mesh, local = {dp}>
func.func @triple(%x: tensor<4xf32, #local>) {
  // expected-error@+2 {{has a pair that is no source and target}}
  // expected-note@+1 {{write `pairs [[0, 1], [1, 0]]`}}
  %0 = coconet.permute %x pairs [[0, 1, 1]] on {dp} : tensor<4xf32, #local> -> tensor<4xf32, #local>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#local = #coconet.layout<#mesh, local = {dp}>
func.func @position(%x: tensor<4xf32, #local>) {
  // expected-error@+2 {{names position 2 in a group of 2}}
  // expected-note@+1 {{pairs are positions in the group, from 0}}
  %0 = coconet.permute %x pairs [[0, 2]] on {dp} : tensor<4xf32, #local> -> tensor<4xf32, #local>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#local = #coconet.layout<#mesh, local = {dp}>
func.func @sends_twice(%x: tensor<4xf32, #local>) {
  // expected-error@+2 {{sends from position 0 twice}}
  // expected-note@+1 {{a member sends to one other; broadcast, or permute again}}
  %0 = coconet.permute %x pairs [[0, 0], [0, 1]] on {dp} : tensor<4xf32, #local> -> tensor<4xf32, #local>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#local = #coconet.layout<#mesh, local = {dp}>
func.func @receives_twice(%x: tensor<4xf32, #local>) {
  // expected-error@+2 {{sends to position 1 twice}}
  // expected-note@+1 {{a member receives from one other}}
  %0 = coconet.permute %x pairs [[0, 1], [1, 1]] on {dp} : tensor<4xf32, #local> -> tensor<4xf32, #local>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#pending = #coconet.layout<#mesh, partial = {dp : sum}>
func.func @pending(%x: tensor<4xf32, #pending>) {
  // expected-error@+2 {{operand is a pending sum along axis 'dp'}}
  // expected-note@+1 {{it takes an operand that is local, or cut along a dimension, along the axes of the group}}
  %0 = coconet.permute %x pairs [[0, 1]] on {dp} : tensor<4xf32, #pending> -> tensor<4xf32, #pending>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#sliced = #coconet.layout<#mesh, [{dp}]>
func.func @uneven(%x: tensor<5xf32, #sliced>) {
  // expected-error@+2 {{takes chunks of 5 elements cut by {dp}, which have different sizes}}
  // expected-note@+1 {{choose sizes that divide exactly, or all_gather first}}
  %0 = coconet.permute %x pairs [[0, 1]] on {dp} : tensor<5xf32, #sliced> -> tensor<5xf32, #sliced>
  return
}

// -----

#mesh = #coconet.mesh<dp = ?>
#sliced = #coconet.layout<#mesh, [{dp}]>
func.func @open_chunks(%x: tensor<4xf32, #sliced>) {
  // expected-error@+2 {{takes chunks of 4 elements on a mesh with open sizes <dp = ?>}}
  // expected-note@+1 {{give the mesh axis a size, or leave the dimension open}}
  %0 = coconet.permute %x pairs [[0, 1]] on {dp} : tensor<4xf32, #sliced> -> tensor<4xf32, #sliced>
  return
}

// -----

func.func @barrier() {
  // expected-error@+2 {{unknown axis 'tp'}}
  // expected-note@+1 {{the mesh has {dp}}}
  coconet.barrier on {tp} of #coconet.mesh<dp = ?>
  return
}

// -----

func.func @rank_barrier() {
  // expected-error@+2 {{lies on a mesh with open sizes <dp = ?>}}
  // expected-note@+1 {{bind the mesh before --coconet-to-rank}}
  coconet.rank.barrier on {dp} of #coconet.mesh<dp = ?>
  return
}

// -----

func.func @rank_root(%x: tensor<4xf32>) {
  // expected-error@+2 {{root 2 is no position in a group of 2}}
  // expected-note@+1 {{a root is a position in the group, from 0}}
  %0 = coconet.rank.reduce_to_root sum %x root 2 on {dp} of <dp = 2> : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @narrowed(%x: tensor<4xf32>) {
  // expected-error@+1 {{has a wire type; only all_reduce, reduce_scatter, all_gather, all_to_all, broadcast and reduce_to_root have one}}
  %0 = coconet.rank.permute %x pairs [[0, 1]] on {dp} of #coconet.mesh<dp = 2> {coconet.wire_type = f16} : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @narrow(%x: tensor<4xbf16>) {
  // expected-error@+1 {{has a wire type, and no f32 or f64 values that could be narrowed}}
  %0 = coconet.rank.all_reduce sum %x on {dp} of #coconet.mesh<dp = 2> {coconet.wire_type = f16} : tensor<4xbf16> -> tensor<4xbf16>
  return
}

// -----

func.func @sources(%x: tensor<4xf32>) {
  // expected-error@+1 {{has 1 sources for 2 positions}}
  %0 = coconet.symmetric_permute from [0] on {dp} of #coconet.mesh<dp = 2> ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @source(%x: tensor<4xf32>) {
  // expected-error@+1 {{copies from position 2 in a group of 2}}
  %0 = coconet.symmetric_permute from [0, 2] on {dp} of #coconet.mesh<dp = 2> ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return
}
