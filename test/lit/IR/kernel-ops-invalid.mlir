// RUN: coconet-opt %s --split-input-file --verify-diagnostics

func.func @counts(%x: tensor<8xf32>) {
  // expected-error@+1 {{has 1 accesses and 2 maps for 2 operands}}
  %0 = coconet.symmetric_kernel 0 on {dp} of <dp = 2> ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>)
      attributes {accesses = [#coconet<access reduce>], maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], reductions = [#coconet<reduction sum>]} {
  ^bb0(%a: f32):
    coconet.yield %a : f32
  } -> tensor<8xf32>
  return
}

// -----

func.func @init(%x: tensor<8xf32>) {
  // expected-error@+1 {{uses init 0 as reduce; an init is a chunk, a gather or a fold}}
  %0 = coconet.symmetric_kernel 0 on {dp} of <dp = 2> ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>)
      attributes {accesses = [#coconet<access reduce>, #coconet<access reduce>], maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], reductions = [#coconet<reduction sum>]} {
  ^bb0(%a: f32):
    coconet.yield %a : f32
  } -> tensor<8xf32>
  return
}

// -----

func.func @input(%x: tensor<8xf32>) {
  // expected-error@+1 {{uses input 0 as gather; an input is no gather}}
  %0 = coconet.symmetric_kernel 0 on {dp} of <dp = 2> ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>)
      attributes {accesses = [#coconet<access gather>, #coconet<access gather>], maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], reductions = [#coconet<reduction sum>]} {
  ^bb0(%a: f32):
    coconet.yield %a : f32
  } -> tensor<8xf32>
  return
}

// -----

func.func @dimensions(%x: tensor<8xf32>) {
  // expected-error@+1 {{has maps of 1 and of 2 dimensions}}
  %0 = coconet.symmetric_kernel 0 on {dp} of <dp = 2> ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>)
      attributes {accesses = [#coconet<access reduce>, #coconet<access gather>], maps = [affine_map<(d0) -> (d0)>, affine_map<(d0, d1) -> (d0)>], reductions = [#coconet<reduction sum>]} {
  ^bb0(%a: f32):
    coconet.yield %a : f32
  } -> tensor<8xf32>
  return
}

// -----

func.func @reductions(%x: tensor<8xf32>) {
  // expected-error@+1 {{has 0 reductions for 1 operands that are reduced or folded}}
  %0 = coconet.symmetric_kernel 0 on {dp} of <dp = 2> ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>)
      attributes {accesses = [#coconet<access reduce>, #coconet<access gather>], maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], reductions = []} {
  ^bb0(%a: f32):
    coconet.yield %a : f32
  } -> tensor<8xf32>
  return
}

// -----

func.func @body(%x: tensor<8xf32>) {
  // expected-error@+1 {{has a body that does not take one element an input and yield one an init}}
  %0 = coconet.symmetric_kernel 0 on {dp} of <dp = 2> ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>)
      attributes {accesses = [#coconet<access reduce>, #coconet<access gather>], maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], reductions = [#coconet<reduction sum>]} {
  ^bb0(%a: f32, %b: f32):
    coconet.yield %a : f32
  } -> tensor<8xf32>
  return
}
