// RUN: coconet-opt %s --split-input-file --verify-diagnostics

func.func @no_dims(%x: tensor<8x6xf32>) {
  // expected-error@+2 {{normalises over no dimension; name one or several}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.layer_norm %x over [] eps 0.0 : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

func.func @out_of_range(%x: tensor<8x6xf32>) {
  // expected-error@+2 {{dimension 2 is out of range for an operand of rank 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.layer_norm %x over [2] eps 0.0 : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

func.func @twice(%x: tensor<8x6xf32>) {
  // expected-error@+2 {{dimension 1 is normalised twice}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.rms_norm %x over [1, 1] eps 0.0 : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

func.func @eps(%x: tensor<8x6xf32>) {
  // expected-error@+2 {{is no small number; it is finite and at least 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.rms_norm %x over [1] eps -1.0 : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

func.func @scale_type(%x: tensor<8x6xf32>, %w: tensor<6xf16>) {
  // expected-error@+2 {{element types 'f32' and 'f16' differ; cast one to the other}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.rms_norm %x scale %w over [1] eps 0.0 : (tensor<8x6xf32>, tensor<6xf16>) -> tensor<8x6xf32>
  return
}

// -----

func.func @large_scale(%x: tensor<1x6xf32>, %w: tensor<4x6xf32>) {
  // expected-error@+3 {{scale or bias is larger than the operand}}
  // expected-note@+2 {{they broadcast to the operand's shape, aligned on the right}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.rms_norm %x scale %w over [1] eps 0.0 : (tensor<1x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#flat = #coconet.layout<#mesh, flat = {dp}>
func.func @flat_norm(%x: tensor<8x6xf32, #flat>) {
  // expected-error@+3 {{operand is cut flat by {dp}}}
  // expected-note@+2 {{all_gather it first; only pointwise ops take flat slices}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.rms_norm %x over [1] eps 0.0 : (tensor<8x6xf32, #flat>) -> tensor<8x6xf32, #flat>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#pending = #coconet.layout<#mesh, partial = {dp : sum}>
func.func @pending_norm(%x: tensor<8x6xf32, #pending>) {
  // expected-error@+3 {{operand 0 is a pending sum along axis 'dp', and the op does not pass a pending sum}}
  // expected-note@+2 {{all_reduce operand 0 first}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.layer_norm %x over [1] eps 0.0 : (tensor<8x6xf32, #pending>) -> tensor<8x6xf32, #pending>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#pending = #coconet.layout<#mesh, partial = {dp : sum}>
func.func @pending_logits(%x: tensor<8x6xf32, #pending>, %i: tensor<8xi32>) {
  // expected-error@+3 {{operand 0 is a pending sum along axis 'dp'}}
  // expected-note@+2 {{all_reduce operand 0 first}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.cross_entropy %x, %i over 1 : (tensor<8x6xf32, #pending>, tensor<8xi32>) -> tensor<8xf32>
  return
}

// -----

func.func @labels(%x: tensor<8x6xf32>, %i: tensor<6xi32>) {
  // expected-error@+2 {{; they have its shape without dimension 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.cross_entropy %x, %i over 1 : (tensor<8x6xf32>, tensor<6xi32>) -> tensor<8xf32>
  return
}

// -----

func.func @no_rows(%x: tensor<f32>, %i: tensor<8xi32>) {
  // expected-error@+2 {{the table has no rows; its rank is 1 or more}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.take %x, %i : (tensor<f32>, tensor<8xi32>) -> tensor<8xf32>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#rows = #coconet.layout<#mesh, [{dp}, {}]>
func.func @cut_twice(%x: tensor<8x6xf32, #rows>, %i: tensor<8x2xi32, #rows>) {
  // expected-error@+3 {{operands 1 and 0 are cut along different dimensions by axis 'dp'}}
  // expected-note@+2 {{make the cuts equal: all_to_all one of them to the other's dimension, or all_gather it}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.take %x, %i : (tensor<8x6xf32, #rows>, tensor<8x2xi32, #rows>) -> tensor<8x2x6xf32>
  return
}

// -----

func.func @updates(%x: tensor<8x6xf32>, %i: tensor<6xi32>) {
  // expected-error@+2 {{; updates have the shape of the indices followed by that of a row}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.scatter_add %x at %i into 4 : (tensor<8x6xf32>, tensor<6xi32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @negative_rows(%x: tensor<8x6xf32>, %i: tensor<8xi32>) {
  // expected-error@+2 {{adds into -1 rows; their number is at least 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.scatter_add %x at %i into -1 : (tensor<8x6xf32>, tensor<8xi32>) -> tensor<4x6xf32>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#rows = #coconet.layout<#mesh, [{dp}, {}]>
func.func @cut_updates(%x: tensor<8x6xf32, #rows>, %i: tensor<8xi32>) {
  // expected-error@+3 {{contraction dimension is cut by {dp} on one side and by {} on the other}}
  // expected-note@+2 {{shard the other operand the same way}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.scatter_add %x at %i into 4 : (tensor<8x6xf32, #rows>, tensor<8xi32>) -> tensor<4x6xf32>
  return
}
