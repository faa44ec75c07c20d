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

// -----

func.func @axis(%x: tensor<8xf32>) {
  // expected-error@+2 {{unknown axis 'tp'}}
  // expected-note@+1 {{the mesh has {dp}}}
  %0 = coconet.symmetric_kernel 0 on {tp} of <dp = 2> ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>)
      attributes {accesses = [#coconet<access reduce>, #coconet<access gather>], maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], reductions = [#coconet<reduction sum>]} {
  ^bb0(%a: f32):
    coconet.yield %a : f32
  } -> tensor<8xf32>
  return
}

// -----

func.func @open(%x: tensor<8xf32>) {
  // expected-error@+2 {{lies on a mesh with open sizes}}
  // expected-note@+1 {{bind the mesh before}}
  %0 = coconet.symmetric_kernel 0 on {dp} of <dp = ?> ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>)
      attributes {accesses = [#coconet<access reduce>, #coconet<access gather>], maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], reductions = [#coconet<reduction sum>]} {
  ^bb0(%a: f32):
    coconet.yield %a : f32
  } -> tensor<8xf32>
  return
}

// -----

func.func @cut(%x: tensor<8xf32>) {
  // expected-error@+1 {{cuts dimension 1 of a box of 1 dimensions}}
  %0 = coconet.symmetric_kernel 1 on {dp} of <dp = 2> ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>)
      attributes {accesses = [#coconet<access reduce>, #coconet<access gather>], maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], reductions = [#coconet<reduction sum>]} {
  ^bb0(%a: f32):
    coconet.yield %a : f32
  } -> tensor<8xf32>
  return
}

// -----

func.func @map(%x: tensor<8xf32>) {
  // expected-error@+1 {{has a map of 2 results and 0 symbols for operand 0, which has 1 dimensions in the box}}
  %0 = coconet.symmetric_kernel 0 on {dp} of <dp = 2> ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>)
      attributes {accesses = [#coconet<access reduce>, #coconet<access gather>], maps = [affine_map<(d0) -> (d0, d0)>, affine_map<(d0) -> (d0)>], reductions = [#coconet<reduction sum>]} {
  ^bb0(%a: f32):
    coconet.yield %a : f32
  } -> tensor<8xf32>
  return
}

// -----

func.func @index(%x: tensor<8xf32>) {
  %0 = coconet.symmetric_kernel 0 on {dp} of <dp = 2> ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>)
      attributes {accesses = [#coconet<access reduce>, #coconet<access gather>], maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], reductions = [#coconet<reduction sum>]} {
  ^bb0(%a: f32):
    // expected-error@+1 {{names dimension 1 of a box of 1 dimensions}}
    %i = coconet.kernel_index 1
    coconet.yield %a : f32
  } -> tensor<8xf32>
  return
}

// -----

func.func @exchange(%x: tensor<8xf32>, %y: tensor<8xf32>) {
  // expected-error@+2 {{names dimension 1 of tensors of rank 1}}
  // expected-note@+1 {{dimensions are counted from 0}}
  %0 = coconet.symmetric_all_to_all from 1 into 0 on {dp} of <dp = 2> ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @exchange_types(%x: tensor<8xf32>, %y: tensor<8xf64>) {
  // expected-error@+2 {{writes a tensor of another rank or element type}}
  // expected-note@+1 {{input and init differ in the sizes of two dimensions}}
  %0 = coconet.symmetric_all_to_all from 0 into 0 on {dp} of <dp = 2> ins(%x : tensor<8xf32>) outs(%y : tensor<8xf64>) -> tensor<8xf64>
  return
}

// -----

func.func @product(%x: tensor<8xf32>, %y: tensor<8x8xf32>) {
  // expected-error@+2 {{has factors that the run-time library does not take}}
  // expected-note@+1 {{factors are matrices, or batches of them like the init, of its element type, which is f32, f64 or an integer}}
  %0 = coconet.gemm ins(%x, %y : tensor<8xf32>, tensor<8x8xf32>) outs(%y : tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @half_product(%x: tensor<8x8xf16>) {
  // expected-error@+2 {{has factors that the run-time library does not take}}
  // expected-note@+1 {{factors are matrices, or batches of them like the init, of its element type, which is f32, f64 or an integer}}
  %0 = coconet.gemm ins(%x, %x : tensor<8x8xf16>, tensor<8x8xf16>) outs(%x : tensor<8x8xf16>) -> tensor<8x8xf16>
  return
}

// -----

func.func @permute(%x: tensor<8xf32>) {
  // expected-error@+2 {{needs axes or groups, and not both}}
  // expected-note@+1 {{write `on {dp}`}}
  %0 = "coconet.symmetric_permute"(%x, %x) <{sources = array<i64: 1, 0>, mesh = #coconet.mesh<dp = 2>}> : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}
