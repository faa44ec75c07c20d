// RUN: coconet-opt %s --split-input-file --verify-diagnostics

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

func.func @concat_nothing() {
  // expected-error@+2 {{concatenates at least one tensor}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "coconet.concat"() <{dim = 0 : i64}> : () -> tensor<4xf32>
  return
}

// -----

func.func @concat_dimension(%x: tensor<8xf32>) {
  // expected-error@+2 {{dimension -1 is out of range for operands of rank 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.concat %x, %x along -1 : tensor<8xf32>, tensor<8xf32> -> tensor<16xf32>
  return
}

// -----

func.func @concat_types(%x: tensor<8xf32>, %y: tensor<8xf16>) {
  // expected-error@+2 {{operands of types 'tensor<8xf32>' and 'tensor<8xf16>'; they have one element type and rank}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.concat %x, %y along 0 : tensor<8xf32>, tensor<8xf16> -> tensor<16xf32>
  return
}

// -----

#sliced = #coconet.layout<#coconet.mesh<dp = 2>, [{}, {dp}]>
func.func @concat_layouts(%x: tensor<8x4xf32>, %y: tensor<8x4xf32, #sliced>) {
  // expected-error@+3 {{operands have different layouts: 'tensor<8x4xf32>' and 'tensor<8x4xf32, #coconet.layout<#coconet.mesh<dp = 2>, [{}, {dp}]>>'}}
  // expected-note@+2 {{bring the operands to one layout}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.concat %x, %y along 0 : tensor<8x4xf32>, tensor<8x4xf32, #sliced> -> tensor<16x4xf32>
  return
}

// -----

func.func @concat_sizes(%x: tensor<8x4xf32>, %y: tensor<8x5xf32>) {
  // expected-error@+2 {{sizes 4 and 5 along dimension 1 differ}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.concat %x, %y along 0 : tensor<8x4xf32>, tensor<8x5xf32> -> tensor<16x4xf32>
  return
}

// -----

func.func @concat_too_large(%x: tensor<9223372036854775807xi8>) {
  // expected-error@+2 {{dimension 0 of the result has more than 2^63 - 1 elements}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.concat %x, %x along 0 : tensor<9223372036854775807xi8>, tensor<9223372036854775807xi8> -> tensor<8xi8>
  return
}
