// RUN: coconet-opt %s --coconet-lower-kernels --split-input-file --verify-diagnostics

func.func @tensors(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+2 {{'coconet.neg' op works on tensors}}
  // expected-note@+1 {{bufferize before --coconet-lower-kernels}}
  %0 = coconet.neg %x : tensor<8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// expected-error@+2 {{'func.func' op has several blocks}}
// expected-note@+1 {{a rank function is one block}}
func.func @blocks(%x: memref<8xf32>) {
  cf.br ^end
^end:
  return
}

// -----

func.func @rest() {
  // expected-error@+2 {{'coconet.constant' op is no kernel over buffers}}
  // expected-note@+1 {{run --coconet-to-kernels and bufferize first}}
  %0 = coconet.constant dense<1.0> : tensor<f32>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
func.func @no_dimension(%x: memref<f32>, %y: memref<f32>) {
  // expected-error@+2 {{'coconet.symmetric_kernel' op has no operand with the dimension that is cut}}
  // expected-note@+1 {{an input or init is whole, or a chunk}}
  coconet.symmetric_kernel 0 on {dp} of #mesh ins(%x : memref<f32>) outs(%y : memref<f32>)
      attributes {accesses = [#coconet<access shared>, #coconet<access fold>], maps = [affine_map<(d0) -> ()>, affine_map<(d0) -> ()>], reductions = [#coconet<reduction sum>]} {
  ^bb0(%a: f32):
    coconet.yield %a : f32
  }
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
func.func @gaps(%x: memref<4x4xf32, strided<[8, 1]>>, %y: memref<4x4xf32>) {
  // expected-error@+2 {{iterates over the flattening of a buffer with gaps}}
  // expected-note@+1 {{copy the buffer to a contiguous one first}}
  coconet.symmetric_kernel flat on {dp} of #mesh ins(%x : memref<4x4xf32, strided<[8, 1]>>) outs(%y : memref<4x4xf32>)
      attributes {accesses = [#coconet<access reduce>, #coconet<access gather>], maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], reductions = [#coconet<reduction sum>]} {
  ^bb0(%a: f32):
    coconet.yield %a : f32
  }
  return
}

// -----

func.func @send_tensor() attributes {coconet.ranks = array<i64: 0>} {
  // expected-error@+2 {{works on tensors}}
  // expected-note@+1 {{bufferize before --coconet-lower-kernels}}
  %0 = coconet.symmetric_send_begin "a" between [0] and [1] sizes () : tensor<4xf32>
  return
}
