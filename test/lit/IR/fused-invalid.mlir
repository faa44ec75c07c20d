// Regions that are no kernel.
// RUN: coconet-opt %s --split-input-file --verify-diagnostics

func.func @fused_matmul(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{of kind computation holds 'coconet.matmul'}}
  %0 = coconet.fused computation {
    // expected-note@+1 {{only pointwise ops are fused as computation}}
    %1 = coconet.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    coconet.yield %1 : tensor<4x4xf32>
  } : tensor<4x4xf32>
  return
}

// -----

func.func @yielded_type(%x: tensor<4xf32>) {
  // expected-error@+2 {{yields other types than its results}}
  // expected-note@+1 {{yield one value per result, of its type}}
  %0 = coconet.fused computation {
    coconet.yield %x : tensor<4xf32>
  } : tensor<8xf32>
  return
}

// -----

func.func @no_yield(%x: tensor<4xf32>) {
  coconet.fused computation {
    // expected-error@+1 {{block with no terminator}}
    %0 = coconet.neg %x : tensor<4xf32> -> tensor<4xf32>
  }
  return
}

// -----

// The ops of the region are verified before they are asked what they are.
func.func @invalid_inside(%x: tensor<4xf32>, %y: tensor<3xf32>) {
  %0 = coconet.fused computation {
    // expected-error@+2 {{shapes [4] and [3] do not broadcast}}
    // expected-error@+1 {{failed to infer returned types}}
    %1 = coconet.add %x, %y : tensor<4xf32>, tensor<3xf32> -> tensor<4xf32>
    coconet.yield %1 : tensor<4xf32>
  } : tensor<4xf32>
  return
}

// -----

func.func @block_arguments() {
  // expected-error@+2 {{has block arguments}}
  // expected-note@+1 {{use values from outside directly}}
  "coconet.fused"() <{kind = #coconet<fused_kind computation>}> ({
  ^bb0(%x: tensor<4xf32>):
    coconet.yield
  }) : () -> ()
  return
}

// -----

#mesh = #coconet.mesh<dp = 2, tp = 2>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
#sliced = #coconet.layout<#mesh, [{dp}]>
#other = #coconet.layout<#mesh, [{tp}]>
func.func @two_chains(%g: tensor<4xf32, #partial>, %x: tensor<4xf32, #other>) {
  // expected-error@+1 {{holds collectives of more than one chain}}
  %0 = coconet.fused all_reduce {
    %1 = coconet.reduce_scatter sum %g into 0 on {dp} : tensor<4xf32, #partial> -> tensor<4xf32, #sliced>
    // expected-note@+1 {{this one has another group or dimension than the reduce_scatter}}
    %2 = coconet.all_gather %x from 0 on {tp} : tensor<4xf32, #other> -> tensor<4xf32>
    coconet.yield %2 : tensor<4xf32>
  } : tensor<4xf32>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
#rows = #coconet.layout<#mesh, [{dp}, {}]>
#sliced = #coconet.layout<#mesh, [{dp}]>
func.func @row_sums_in_chain(%g: tensor<4x4xf32, #partial>) {
  // expected-error@+1 {{of kind all_reduce holds 'coconet.reduce'}}
  %0 = coconet.fused all_reduce {
    %1 = coconet.reduce_scatter sum %g into 0 on {dp} : tensor<4x4xf32, #partial> -> tensor<4x4xf32, #rows>
    // expected-note@+1 {{only pointwise ops, shard, reduce_scatter, all_gather and reductions to one element are fused around a collective}}
    %2 = coconet.reduce sum %1 over [1] : tensor<4x4xf32, #rows> -> tensor<4xf32, #sliced>
    coconet.yield %2 : tensor<4xf32, #sliced>
  } : tensor<4xf32, #sliced>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#sliced = #coconet.layout<#mesh, [{dp}]>
func.func @gather_in_scatter(%x: tensor<4xf32, #sliced>) {
  // expected-error@+1 {{of kind reduce_scatter holds 'coconet.all_gather'}}
  %0 = coconet.fused reduce_scatter {
    // expected-note@+1 {{only pointwise ops, shard, reductions to one element and the collective of the kind are fused around it}}
    %1 = coconet.all_gather %x from 0 on {dp} : tensor<4xf32, #sliced> -> tensor<4xf32>
    coconet.yield %1 : tensor<4xf32>
  } : tensor<4xf32>
  return
}

// -----

func.func @reduce_in_matmul(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{of kind matmul holds 'coconet.norm'}}
  %0 = coconet.fused matmul {
    %1 = coconet.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    // expected-note@+1 {{only one matmul and pointwise ops are fused as matmul}}
    %2 = coconet.norm %1 : tensor<4x4xf32> -> tensor<f32>
    coconet.yield %2 : tensor<f32>
  } : tensor<f32>
  return
}

// -----

func.func @two_matmuls(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  // expected-error@+2 {{of kind matmul holds 2 matmuls}}
  // expected-note@+1 {{fuse each matmul with what follows it}}
  %0:2 = coconet.fused matmul {
    %1 = coconet.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    %2 = coconet.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    coconet.yield %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>
  } : tensor<4x4xf32>, tensor<4x4xf32>
  return %0#0, %0#1 : tensor<4x4xf32>, tensor<4x4xf32>
}
