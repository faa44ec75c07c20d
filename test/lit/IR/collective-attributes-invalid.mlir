// RUN: coconet-opt %s --split-input-file --verify-diagnostics

func.func @elsewhere(%x: tensor<4xf32>) {
  // expected-error@+1 {{carries 'coconet.wire_type', which belongs on a collective}}
  %0 = coconet.neg %x {coconet.wire_type = f16} : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
func.func @wide(%x: tensor<4xf32>) {
  // expected-error@+1 {{'coconet.wire_type' is f16 or bf16}}
  %0 = coconet.rank.all_reduce sum %x on {dp} of #mesh {coconet.wire_type = f32} : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
func.func @algorithm(%x: tensor<4xf32>) {
  // expected-error@+1 {{'coconet.algorithm' is one_shot, two_shot, ring or library}}
  %0 = coconet.rank.all_reduce sum %x on {dp} of #mesh {coconet.algorithm = "tree"} : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
func.func @channels(%x: tensor<4xf32>) {
  // expected-error@+1 {{'coconet.channels' is a positive integer}}
  %0 = coconet.rank.all_reduce sum %x on {dp} of #mesh {coconet.channels = 0} : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @rounding(%x: tensor<4xf64>) {
  // expected-error@+1 {{'coconet.rounding' marks a cast from f32 to f16 or bf16}}
  %0 = coconet.cast %x to f32 {coconet.rounding} : tensor<4xf64> -> tensor<4xf32>
  return
}
