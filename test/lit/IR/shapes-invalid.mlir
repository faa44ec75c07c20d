// RUN: coconet-opt %s --split-input-file --verify-diagnostics

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

func.func @slice_lists(%x: tensor<8x6xf32>) {
  // expected-error@+2 {{needs one offset, size and stride for each of the 2 dimensions of the operand}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.slice %x [0] [4] [1] : tensor<8x6xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @slice_negative(%x: tensor<8xf32>) {
  // expected-error@+2 {{offset -9223372036854775808, size 4, stride 1 along dimension 0; offset and size are at least 0, the stride at least 1, or all of them 0, -1, 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.slice %x [-9223372036854775808] [4] [1] : tensor<8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @too_many_elements(%x: tensor<3037000500x3037000500xf32>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of}}
  %0 = coconet.neg %x : tensor<3037000500x3037000500xf32> -> tensor<3037000500x3037000500xf32>
  return
}

// -----

func.func @permutation(%x: tensor<8x6xf32>) {
  // expected-error@+2 {{[0, 9223372036854775807] is no permutation of the 2 dimensions of the operand}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.transpose %x by [0, 9223372036854775807] : tensor<8x6xf32> -> tensor<8x8xf32>
  return
}

// -----

func.func @softmax_dimension(%x: tensor<f32>) {
  // expected-error@+2 {{dimension 0 is out of range for an operand of rank 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.softmax %x over 0 : tensor<f32> -> tensor<f32>
  return
}
