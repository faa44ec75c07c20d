// RUN: coconet-opt %s --split-input-file --verify-diagnostics --coconet-validate-layouts --allow-unregistered-dialect

#mesh = #coconet.mesh<dp = 2>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
func.func @square(%x: tensor<4xf32, #partial>) -> tensor<4xf32, #partial> {
  // expected-error@+2 {{'arith.mulf' op does not know layouts and is used on a tensor that carries one}}
  // expected-note@+1 {{use an op of the coconet dialect; others are for plain tensors, after --coconet-to-rank}}
  %0 = arith.mulf %x, %x : tensor<4xf32, #partial>
  return %0 : tensor<4xf32, #partial>
}

// -----

#mesh = #coconet.mesh<dp = 2>
#sliced = #coconet.layout<#mesh, [{dp}]>
func.func @cast(%x: tensor<4xf32>) -> tensor<4xf32, #sliced> {
  // expected-error@+2 {{'tensor.cast' op does not know layouts and is used on a tensor that carries one}}
  // expected-note@+1 {{use an op of the coconet dialect}}
  %0 = tensor.cast %x : tensor<4xf32> to tensor<4xf32, #sliced>
  return %0 : tensor<4xf32, #sliced>
}

// -----

func.func @plain(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.mulf %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

#sliced = #coconet.layout<#coconet.mesh<dp = 2>, [{dp}]>
func.func @unregistered() {
  // expected-error@+2 {{'other.source' op does not know layouts and is used on a tensor that carries one}}
  // expected-note@+1 {{use an op of the coconet dialect}}
  %0 = "other.source"() : () -> tensor<4xf32, #sliced>
  return
}
