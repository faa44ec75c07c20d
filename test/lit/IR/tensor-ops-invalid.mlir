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
