// RUN: coconet-opt %s --coconet-to-rank --split-input-file --verify-diagnostics

#open = #coconet.mesh<dp = ?>
func.func @open_mesh(%x: tensor<4xf32, #coconet.layout<#open, partial = {dp : sum}>>) -> tensor<4xf32> {
  // expected-error@+2 {{'coconet.all_reduce' op lies on a mesh with open sizes <dp = ?>}}
  // expected-note@+1 {{run --coconet-bind-mesh before --coconet-to-rank}}
  %y = coconet.all_reduce sum %x on {dp} : tensor<4xf32, #coconet.layout<#open, partial = {dp : sum}>> -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @composite(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+2 {{'coconet.softmax' op is composite}}
  // expected-note@+1 {{run --coconet-decompose before --coconet-to-rank}}
  %y = coconet.softmax %x over 0 : tensor<4xf32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func private @callee(tensor<4xf32>) -> tensor<4xf32>
func.func @call(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+2 {{'func.call' op cannot be in a function that becomes a rank program}}
  // expected-note@+1 {{inline calls; loops and branches are scf.for and scf.if}}
  %y = func.call @callee(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// expected-error@+2 {{'func.func' op has several blocks}}
// expected-note@+1 {{control flow of a program is scf.for and scf.if}}
func.func @blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^end
^end:
  return %x : tensor<4xf32>
}

// -----

// expected-error@+1 {{'func.func' op needs sizes 4 and 5 to be equal}}
func.func @names(%x: tensor<4xf32> {coconet.dims = ["n"]}, %y: tensor<5xf32> {coconet.dims = ["n"]}) {
  return
}

// -----

func.func @reshape(%x: tensor<?x?x6xf32>) -> tensor<?x?x2x3xf32> {
  // expected-error@+1 {{'coconet.reshape' op leaves 2 sizes open and changes the number of dimensions; give all but one a size}}
  %y = coconet.reshape %x : tensor<?x?x6xf32> -> tensor<?x?x2x3xf32>
  return %y : tensor<?x?x2x3xf32>
}

// -----

#mesh = #coconet.mesh<dp = 2>
#flat = #coconet.layout<#mesh, flat = {dp}>
func.func @flat_region(%x: tensor<2x2xf32, #coconet.layout<#mesh, partial = {dp : sum}>>) -> tensor<2x2xf32> {
  %f = coconet.fused all_reduce {
    %s = coconet.reduce_scatter sum %x into flat on {dp} : tensor<2x2xf32, #coconet.layout<#mesh, partial = {dp : sum}>> -> tensor<2x2xf32, #flat>
    %g = coconet.all_gather %s from flat on {dp} : tensor<2x2xf32, #flat> -> tensor<2x2xf32>
    // expected-error@+2 {{'coconet.neg' op uses a flat slice that is gathered in the same region}}
    // expected-note@+1 {{use it after the region}}
    %n = coconet.neg %g : tensor<2x2xf32> -> tensor<2x2xf32>
    coconet.yield %n : tensor<2x2xf32>
  } : tensor<2x2xf32>
  return %f : tensor<2x2xf32>
}

// -----

// expected-error@+2 {{'func.func' op has an argument or a result of type 'tensor<4xcomplex<f32>>'}}
// expected-note@+1 {{take and return ranked tensors of integers and floats}}
func.func @complex(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  return %x : tensor<4xcomplex<f32>>
}
