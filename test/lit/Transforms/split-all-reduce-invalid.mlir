// RUN: coconet-opt %s --split-input-file --verify-diagnostics --coconet-split-all-reduce=name=avg

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
func.func @scalar(%g: tensor<f32, #partial>) -> tensor<f32> {
  // expected-error@+2 {{cannot split all_reduce 'avg' into reduce_scatter and all_gather: 'coconet.reduce_scatter' op dimension 0 is out of range for an operand of rank 0}}
  // expected-note@+1 {{a tensor of rank 0 is cut flat}}
  %0 = coconet.all_reduce sum %g on {dp} {coconet.name = "avg"} : tensor<f32, #partial> -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

#mesh = #coconet.mesh<dp = 2, tp = 4>
#partial = #coconet.layout<#mesh, [{tp}], partial = {dp : sum}>
#sliced = #coconet.layout<#mesh, [{tp}]>
func.func @successive(%g: tensor<6xf32, #partial>) -> tensor<6xf32, #sliced> {
  // expected-error@+2 {{cannot split all_reduce 'avg' into reduce_scatter and all_gather: 'coconet.reduce_scatter' op cuts 6 elements by {dp} after {tp}}}
  // expected-note@+1 {{cut another dimension, or choose sizes that divide exactly}}
  %0 = coconet.all_reduce sum %g on {dp} {coconet.name = "avg"} : tensor<6xf32, #partial> -> tensor<6xf32, #sliced>
  return %0 : tensor<6xf32, #sliced>
}

// -----

// expected-error@below {{no op is named 'avg'}}
// expected-note@below {{the names are sum}}
module {
  func.func @names(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = coconet.neg %x {coconet.name = "sum"} : tensor<4xf32> -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

func.func @kind(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{neg 'avg' is no coconet.all_reduce}}
  %0 = coconet.neg %x {coconet.name = "avg"} : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
#sliced = #coconet.layout<#mesh, [{dp}]>
func.func @fused(%g: tensor<8xf32, #partial>) -> tensor<f32> {
  %0 = coconet.fused reduce_scatter {
    %1 = coconet.reduce_scatter sum %g into 0 on {dp} : tensor<8xf32, #partial> -> tensor<8xf32, #sliced>
    %2 = coconet.reduce sum %1 over [0] : tensor<8xf32, #sliced> -> tensor<f32, #partial>
    // expected-error@+2 {{cannot split all_reduce 'avg': it lies in fused}}
    // expected-note@+1 {{split before fusing}}
    %3 = coconet.all_reduce sum %2 on {dp} {coconet.name = "avg"} : tensor<f32, #partial> -> tensor<f32>
    coconet.yield %3 : tensor<f32>
  } : tensor<f32>
  return %0 : tensor<f32>
}
