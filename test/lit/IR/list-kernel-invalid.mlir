// RUN: coconet-opt %s --split-input-file --verify-diagnostics

func.func @counts(%x: tensor<8xf32>) {
  // expected-error@+1 {{has 1 inputs and 2 inits, which are no lists of 2}}
  %0:2 = coconet.list_kernel 2 ins(%x : tensor<8xf32>) outs(%x, %x : tensor<8xf32>, tensor<8xf32>)
      attributes {accesses = [#coconet<access chunk>, #coconet<access chunk>], reductions = []} {
  ^bb0(%a: f32):
    coconet.yield %a : f32
  } -> tensor<8xf32>, tensor<8xf32>
  return
}

// -----

func.func @accesses(%x: tensor<8xf32>) {
  // expected-error@+1 {{has 1 accesses for 2 lists}}
  %0 = coconet.list_kernel 1 ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>)
      attributes {accesses = [#coconet<access chunk>], reductions = []} {
  ^bb0(%a: f32):
    coconet.yield %a : f32
  } -> tensor<8xf32>
  return
}

// -----

func.func @init(%x: tensor<8xf32>) {
  // expected-error@+1 {{uses init list 0 as slice; an init is a chunk, a gather or a fold}}
  %0 = coconet.list_kernel 1 ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>)
      attributes {accesses = [#coconet<access chunk>, #coconet<access slice>], reductions = []} {
  ^bb0(%a: f32):
    coconet.yield %a : f32
  } -> tensor<8xf32>
  return
}

// -----

func.func @input(%x: tensor<8xf32>) {
  // expected-error@+1 {{uses input list 0 as fold; an input is neither gathered nor folded}}
  %0 = coconet.list_kernel 1 ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>)
      attributes {accesses = [#coconet<access fold>, #coconet<access chunk>], reductions = [#coconet<reduction sum>]} {
  ^bb0(%a: f32):
    coconet.yield %a : f32
  } -> tensor<8xf32>
  return
}

// -----

func.func @reductions(%x: tensor<8xf32>) {
  // expected-error@+1 {{has 0 reductions for 1 lists that are reduced or folded}}
  %0 = coconet.list_kernel 1 ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>)
      attributes {accesses = [#coconet<access reduce>, #coconet<access chunk>], reductions = []} {
  ^bb0(%a: f32):
    coconet.yield %a : f32
  } -> tensor<8xf32>
  return
}

// -----

func.func @element_types(%x: tensor<8xf32>, %y: tensor<8xf64>) {
  // expected-error@+1 {{has a list of tensors of several element types}}
  %0:2 = coconet.list_kernel 2 ins(%x, %y : tensor<8xf32>, tensor<8xf64>) outs(%x, %x : tensor<8xf32>, tensor<8xf32>)
      attributes {accesses = [#coconet<access chunk>, #coconet<access chunk>], reductions = []} {
  ^bb0(%a: f32):
    coconet.yield %a : f32
  } -> tensor<8xf32>, tensor<8xf32>
  return
}

// -----

func.func @body(%x: tensor<8xf32>) {
  // expected-error@+1 {{has a body that does not take one element an input list and a scalar, and yield one an init list}}
  %0 = coconet.list_kernel 1 ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>)
      attributes {accesses = [#coconet<access chunk>, #coconet<access chunk>], reductions = []} {
  ^bb0(%a: f32, %b: f32):
    coconet.yield %a : f32
  } -> tensor<8xf32>
  return
}
