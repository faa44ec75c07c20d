// RUN: coconet-opt %s --split-input-file --verify-diagnostics --coconet-merge-all-reduce=name=rs

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
#sliced = #coconet.layout<#mesh, [{dp}]>
func.func @other_use(%g: tensor<8xf32, #partial>) -> (tensor<8xf32>, tensor<8xf32, #sliced>) {
  // expected-error@+2 {{cannot merge reduce_scatter 'rs': its result has another use}}
  // expected-note@+1 {{an all_reduce gives no slices; keep the two, or let that use take the gathered value}}
  %0 = coconet.reduce_scatter sum %g into 0 on {dp} {coconet.name = "rs"} : tensor<8xf32, #partial> -> tensor<8xf32, #sliced>
  %1 = coconet.all_gather %0 from 0 on {dp} : tensor<8xf32, #sliced> -> tensor<8xf32>
  // expected-note@+1 {{neg uses the slice}}
  %2 = coconet.neg %0 : tensor<8xf32, #sliced> -> tensor<8xf32, #sliced>
  return %1, %2 : tensor<8xf32>, tensor<8xf32, #sliced>
}

// -----

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
#sliced = #coconet.layout<#mesh, [{dp}]>
func.func @not_gathered(%g: tensor<8xf32, #partial>) -> tensor<8xf32, #sliced> {
  // expected-error@+2 {{reduce_scatter 'rs' is not gathered}}
  // expected-note@+1 {{merge takes a reduce_scatter and the all_gather of its result}}
  %0 = coconet.reduce_scatter sum %g into 0 on {dp} {coconet.name = "rs"} : tensor<8xf32, #partial> -> tensor<8xf32, #sliced>
  return %0 : tensor<8xf32, #sliced>
}

// -----

#mesh = #coconet.mesh<dp = 2, tp = 2>
#partial = #coconet.layout<#mesh, partial = {dp : sum, tp : sum}>
#both = #coconet.layout<#mesh, [{dp, tp}]>
#dp = #coconet.layout<#mesh, [{dp}]>
func.func @other_axes(%g: tensor<8xf32, #partial>) -> tensor<8xf32, #dp> {
  %0 = coconet.reduce_scatter sum %g into 0 on {dp, tp} {coconet.name = "rs"} : tensor<8xf32, #partial> -> tensor<8xf32, #both>
  // expected-error@+2 {{cannot merge reduce_scatter 'rs' and all_gather: they differ in axes, groups or dimension}}
  // expected-note@+1 {{merge collectives of one group and one dimension}}
  %1 = coconet.all_gather %0 from 0 on {tp} : tensor<8xf32, #both> -> tensor<8xf32, #dp>
  return %1 : tensor<8xf32, #dp>
}

// -----

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
#sliced = #coconet.layout<#mesh, [{dp}]>
func.func @fused(%g: tensor<8xf32, #partial>) -> tensor<8xf32> {
  %0 = coconet.fused all_reduce {
    %1 = coconet.reduce_scatter sum %g into 0 on {dp} {coconet.name = "rs"} : tensor<8xf32, #partial> -> tensor<8xf32, #sliced>
    // expected-error@+2 {{cannot merge reduce_scatter 'rs' and all_gather: they lie in fused}}
    // expected-note@+1 {{merge before fusing}}
    %2 = coconet.all_gather %1 from 0 on {dp} : tensor<8xf32, #sliced> -> tensor<8xf32>
    coconet.yield %2 : tensor<8xf32>
  } : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
#sliced = #coconet.layout<#mesh, [{dp}]>
func.func @conditional(%g: tensor<8xf32, #partial>, %x: tensor<8xf32>, %c: i1) -> tensor<8xf32> {
  %0 = coconet.reduce_scatter sum %g into 0 on {dp} {coconet.name = "rs"} : tensor<8xf32, #partial> -> tensor<8xf32, #sliced>
  %1 = scf.if %c -> tensor<8xf32> {
    // expected-error@+2 {{cannot merge reduce_scatter 'rs' and all_gather: they lie in different regions}}
    // expected-note@+1 {{an all_reduce runs where both of them run}}
    %2 = coconet.all_gather %0 from 0 on {dp} : tensor<8xf32, #sliced> -> tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  } else {
    scf.yield %x : tensor<8xf32>
  }
  return %1 : tensor<8xf32>
}
