// RUN: coconet-opt %s --split-input-file --verify-diagnostics

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
#sliced = #coconet.layout<#mesh, [{dp}]>
func.func @no_mesh(%x: tensor<4xf32>) {
  // expected-error@+2 {{result lies on another mesh than the operand}}
  // expected-note@+1 {{the result of a shard is cut on the operand's mesh}}
  %0 = coconet.shard %x into 0 on {dp} : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

#sliced = #coconet.layout<#coconet.mesh<dp = 2>, [{dp}]>
func.func @no_axis(%x: tensor<4xf32>) {
  // expected-error@+2 {{names no axis}}
  // expected-note@+1 {{a shard cuts along at least one axis}}
  %0 = coconet.shard %x into 0 on {} : tensor<4xf32> -> tensor<4xf32, #sliced>
  return
}

// -----

#sliced = #coconet.layout<#coconet.mesh<dp = 2>, [{dp}]>
func.func @scalar(%x: tensor<f32>) {
  // expected-error@+2 {{dimension 0 is out of range for an operand of rank 0}}
  // expected-note@+1 {{a tensor of rank 0 is cut flat}}
  %0 = coconet.shard %x into 0 on {dp} : tensor<f32> -> tensor<4xf32, #sliced>
  return
}

// -----

#sliced = #coconet.layout<#coconet.mesh<dp = 2>, [{dp}]>
func.func @negative(%x: tensor<4xf32>) {
  // expected-error@+2 {{dimension -9223372036854775808 is out of range for an operand of rank 1}}
  // expected-note@+1 {{a tensor of rank 0 is cut flat}}
  %0 = coconet.shard %x into -9223372036854775808 on {dp} : tensor<4xf32> -> tensor<4xf32, #sliced>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2, tp = 2>
#dp = #coconet.layout<#mesh, [{dp}]>
#tp = #coconet.layout<#mesh, [{tp}]>
func.func @shard_type(%x: tensor<4xf32>) {
  // expected-error@+2 {{has another result type than its operand gives}}
  // expected-note@+1 {{the operand gives 'tensor<4xf32, #coconet.layout<#coconet.mesh<dp = 2, tp = 2>, [{dp}]>>'}}
  %0 = coconet.shard %x into 0 on {dp} : tensor<4xf32> -> tensor<4xf32, #tp>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2, tp = 2>
#dp = #coconet.layout<#mesh, [{dp}]>
#flat = #coconet.layout<#mesh, flat = {tp}>
func.func @flat_after_dimension(%x: tensor<4xf32, #dp>) {
  // expected-error@+2 {{cuts flat what is cut along a dimension}}
  // expected-note@+1 {{cut another dimension, or choose sizes that divide exactly}}
  %0 = coconet.shard %x into flat on {tp} : tensor<4xf32, #dp> -> tensor<4xf32, #flat>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2, tp = 2>
#dp = #coconet.layout<#mesh, [{dp}]>
#flat = #coconet.layout<#mesh, flat = {tp}>
func.func @dimension_after_flat(%x: tensor<4xf32, #flat>) {
  // expected-error@+2 {{cuts along a dimension what is cut flat}}
  // expected-note@+1 {{cut another dimension, or choose sizes that divide exactly}}
  %0 = coconet.shard %x into 0 on {dp} : tensor<4xf32, #flat> -> tensor<4xf32, #dp>
  return
}
