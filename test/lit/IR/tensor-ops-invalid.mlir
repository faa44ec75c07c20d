// RUN: coconet-opt %s --split-input-file --verify-diagnostics

#mesh = #coconet.mesh<dp = 2>
#columns = #coconet.layout<#mesh, [{}, {dp}]>
func.func @one_sided_contraction(%x: tensor<8x6xf32, #columns>, %w: tensor<6x5xf32>) {
  // expected-error@+3 {{contraction dimension is cut by {dp} on one side and by {} on the other}}
  // expected-note@+2 {{shard the other operand the same way}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.matmul %x, %w : tensor<8x6xf32, #columns>, tensor<6x5xf32> -> tensor<8x5xf32>
  return
}

// -----

func.func @contraction_sizes(%x: tensor<8x6xf32>, %w: tensor<5x6xf32>) {
  // expected-error@+2 {{contraction sizes 6 and 5 differ}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.matmul %x, %w : tensor<8x6xf32>, tensor<5x6xf32> -> tensor<8x6xf32>
  return
}

// -----

func.func @ranks(%x: tensor<6xf32>, %w: tensor<6x5xf32>) {
  // expected-error@+2 {{operands of ranks 1 and 2; both have rank 2 or more}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.matmul %x, %w : tensor<6xf32>, tensor<6x5xf32> -> tensor<5xf32>
  return
}

// -----

func.func @reduced_twice(%x: tensor<8x6xf32>) {
  // expected-error@+2 {{dimension 1 is reduced twice}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.reduce sum %x over [1, 1] : tensor<8x6xf32> -> tensor<8xf32>
  return
}

// -----

func.func @reduce_range(%x: tensor<8x6xf32>) {
  // expected-error@+2 {{dimension 2 is out of range for an operand of rank 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.reduce sum %x over [2] : tensor<8x6xf32> -> tensor<8xf32>
  return
}

// -----

func.func @integer_mean(%x: tensor<8xi32>) {
  // expected-error@+2 {{mean of 'i32' values; cast to a float type first}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.reduce mean %x over [0] : tensor<8xi32> -> tensor<i32>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
func.func @norm_of_pending(%x: tensor<4xf32, #partial>) {
  // expected-error@+3 {{operand 0 is a pending sum along axis 'dp'}}
  // expected-note@+2 {{all_reduce operand 0 first}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.norm %x : tensor<4xf32, #partial> -> tensor<f32, #partial>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
func.func @max_of_pending(%x: tensor<4xf32, #partial>) {
  // expected-error@+3 {{operand 0 is a pending sum along axis 'dp', and the op does not pass a pending sum}}
  // expected-note@+2 {{all_reduce operand 0 first}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.reduce max %x over [0] : tensor<4xf32, #partial> -> tensor<f32, #partial>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#rows = #coconet.layout<#mesh, [{dp}, {}]>
func.func @slice_of_cut(%x: tensor<8x6xf32, #rows>) {
  // expected-error@+3 {{slices dimension 0, which is cut by {dp}}}
  // expected-note@+2 {{all_gather it first}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.slice %x [0, 0] [4, -1] [1, 1] : tensor<8x6xf32, #rows> -> tensor<4x6xf32, #rows>
  return
}

// -----

func.func @slice_range(%x: tensor<8xf32>) {
  // expected-error@+2 {{slice leaves dimension 0 of size 8}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.slice %x [5] [4] [1] : tensor<8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @slice_overflow(%x: tensor<8xf32>) {
  // expected-error@+2 {{slice leaves dimension 0 of size 8}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.slice %x [5] [4] [4611686018427387904] : tensor<8xf32> -> tensor<4xf32>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#rows = #coconet.layout<#mesh, [{dp}, {}]>
func.func @concat_of_cut(%x: tensor<8x6xf32, #rows>) {
  // expected-error@+3 {{concatenates along dimension 0, which is cut by {dp}}}
  // expected-note@+2 {{all_gather the operands first}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.concat %x, %x along 0 : tensor<8x6xf32, #rows>, tensor<8x6xf32, #rows> -> tensor<16x6xf32, #rows>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#flat = #coconet.layout<#mesh, flat = {dp}>
func.func @transpose_of_flat(%x: tensor<8x6xf32, #flat>) {
  // expected-error@+3 {{operand is cut flat by {dp}}}
  // expected-note@+2 {{all_gather it first; only pointwise ops take flat slices}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.transpose %x by [1, 0] : tensor<8x6xf32, #flat> -> tensor<6x8xf32, #flat>
  return
}

// -----

func.func @permutation(%x: tensor<8x6xf32>) {
  // expected-error@+2 {{is no permutation of the 2 dimensions of the operand}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.transpose %x by [0, 0] : tensor<8x6xf32> -> tensor<8x8xf32>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#columns = #coconet.layout<#mesh, [{}, {dp}]>
#vector = #coconet.layout<#mesh, [{dp}]>
func.func @reshape_moves_cut(%x: tensor<8x6xf32, #columns>) {
  // expected-error@+2 {{moves the boundaries of dimension 1, which is cut by {dp}}}
  // expected-note@+1 {{all_gather it first; a cut dimension stays as it is, or is outermost and divides exactly}}
  %0 = coconet.reshape %x : tensor<8x6xf32, #columns> -> tensor<48xf32, #vector>
  return
}

// -----

#mesh = #coconet.mesh<dp = 4>
#rows = #coconet.layout<#mesh, [{dp}, {}]>
#vector = #coconet.layout<#mesh, [{dp}]>
func.func @reshape_uneven(%x: tensor<9x4xf32, #rows>) {
  // expected-error@+2 {{moves the boundaries of dimension 0, which is cut by {dp}}}
  // expected-note@+1 {{all_gather it first}}
  %0 = coconet.reshape %x : tensor<9x4xf32, #rows> -> tensor<36xf32, #vector>
  return
}

// -----

func.func @reshape_count(%x: tensor<8xf32>) {
  // expected-error@+1 {{changes the number of elements from 8 to 9}}
  %0 = coconet.reshape %x : tensor<8xf32> -> tensor<9xf32>
  return
}

// -----

func.func @broadcast_size(%x: tensor<3xf32>) {
  // expected-error@+1 {{size 3 does not broadcast to size 4 of dimension 0}}
  %0 = coconet.broadcast_to %x : tensor<3xf32> -> tensor<4xf32>
  return
}

// -----

func.func @dynamic_iota() {
  // expected-error@+1 {{it is static and replicated, shard it after}}
  %0 = coconet.iota 0 : tensor<?xi32>
  return
}

// -----

func.func @no_state(%m: tensor<4xf32>, %v: tensor<4xf32>) {
  // expected-error@+2 {{does not update a state argument}}
  // expected-note@+1 {{mark the function argument with 'coconet.state'}}
  %0 = coconet.update %m, %v : tensor<4xf32>
  return
}

// -----

func.func @updated_twice(%m: tensor<4xf32> {coconet.state}, %v: tensor<4xf32>) {
  // expected-error@+2 {{updates argument 0, which is updated elsewhere too}}
  // expected-note@+2 {{a state is updated once}}
  %0 = coconet.update %m, %v : tensor<4xf32>
  %1 = coconet.update %m, %v : tensor<4xf32>
  return
}

// -----

func.func @fused_matmul(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{of kind computation holds 'coconet.matmul'}}
  %0 = coconet.fused computation {
    // expected-note@+1 {{only pointwise ops are fused as computation}}
    %1 = coconet.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    coconet.yield %1 : tensor<4x4xf32>
  } : tensor<4x4xf32>
  return
}

// -----

func.func @fused_without_chain(%x: tensor<4xf32>) {
  // expected-error@+2 {{of kind all_reduce holds no reduce_scatter}}
  // expected-note@+1 {{use kind computation for pointwise ops alone}}
  %0 = coconet.fused all_reduce {
    %1 = coconet.neg %x : tensor<4xf32> -> tensor<4xf32>
    coconet.yield %1 : tensor<4xf32>
  } : tensor<4xf32>
  return
}

// -----

// expected-error@+1 {{argument 0 has unknown attribute 'coconet.stat'}}
func.func @unknown_attribute(%m: tensor<4xf32> {coconet.stat}) {
  return
}

// -----

// expected-error@+1 {{'coconet.dims' must be an array of one string per dimension}}
func.func @dims(%m: tensor<4xf32> {coconet.dims = ["n", "m"]}) {
  return
}

// -----

func.func @name(%x: tensor<4xf32>) {
  // expected-error@+1 {{attribute 'coconet.name' must be a string}}
  %0 = coconet.neg %x {coconet.name = 3 : i32} : tensor<4xf32> -> tensor<4xf32>
  return
}
