// RUN: coconet-opt %s --split-input-file --verify-diagnostics --coconet-fuse-ops=names=f

// A fusion that skips an intermediate consumer would be cyclic.
func.func @skips_consumer(%x: tensor<8xf32>, %w: tensor<8x8xf32>) -> tensor<8xf32> {
  %0 = coconet.exp %x {coconet.name = "f"} : tensor<8xf32> -> tensor<8xf32>
  // expected-note@+1 {{the path leaves the set here}}
  %1 = coconet.neg %0 : tensor<8xf32> -> tensor<8xf32>
  // expected-error@+2 {{cannot fuse: add 'f' depends on neg, which is outside of the set and depends on it}}
  // expected-note@+1 {{add neg, or leave add 'f' out}}
  %2 = coconet.add %0, %1 {coconet.name = "f"} : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

func.func @reduction(%x: tensor<8xf32>) -> tensor<f32> {
  %0 = coconet.exp %x {coconet.name = "f"} : tensor<8xf32> -> tensor<8xf32>
  // expected-error@+2 {{cannot fuse norm 'f': it is no pointwise op}}
  // expected-note@+1 {{fuse the pointwise ops before and after it, each side by itself}}
  %1 = coconet.norm %0 {coconet.name = "f"} : tensor<8xf32> -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
func.func @unsplit(%g: tensor<8xf32, #partial>) -> tensor<8xf32> {
  // expected-error@+2 {{cannot fuse all_reduce 'f'}}
  // expected-note@+1 {{split it into reduce_scatter and all_gather, and reorder the all_gather past the computation first}}
  %0 = coconet.all_reduce sum %g on {dp} {coconet.name = "f"} : tensor<8xf32, #partial> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @shapes(%x: tensor<8xf32>, %y: tensor<4xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  // expected-note@+1 {{the other op is here}}
  %0 = coconet.exp %x {coconet.name = "f"} : tensor<8xf32> -> tensor<8xf32>
  // expected-error@+2 {{cannot fuse exp 'f' and neg 'f': they iterate over different shapes or cuts}}
  // expected-note@+1 {{leave one of them out}}
  %1 = coconet.neg %y {coconet.name = "f"} : tensor<4xf32> -> tensor<4xf32>
  return %0, %1 : tensor<8xf32>, tensor<4xf32>
}

// -----

#mesh = #coconet.mesh<dp = 2, tp = 2>
#dp_pending = #coconet.layout<#mesh, partial = {dp : sum}>
#tp_pending = #coconet.layout<#mesh, partial = {tp : sum}>
#dp = #coconet.layout<#mesh, [{dp}]>
#tp = #coconet.layout<#mesh, [{tp}]>
func.func @two_chains(%g: tensor<8xf32, #dp_pending>, %h: tensor<8xf32, #tp_pending>) -> (tensor<8xf32, #dp>, tensor<8xf32, #tp>) {
  // expected-note@+1 {{the other collective is here}}
  %0 = coconet.reduce_scatter sum %g into 0 on {dp} {coconet.name = "f"} : tensor<8xf32, #dp_pending> -> tensor<8xf32, #dp>
  // expected-error@+2 {{cannot fuse reduce_scatter 'f' and reduce_scatter 'f': they differ in group or dimension}}
  // expected-note@+1 {{fuse collectives of one group and one dimension}}
  %1 = coconet.reduce_scatter sum %h into 0 on {tp} {coconet.name = "f"} : tensor<8xf32, #tp_pending> -> tensor<8xf32, #tp>
  return %0, %1 : tensor<8xf32, #dp>, tensor<8xf32, #tp>
}

// -----

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
#sliced = #coconet.layout<#mesh, [{dp}]>
func.func @uses_gathered(%g: tensor<8xf32, #partial>) -> tensor<8xf32> {
  %0 = coconet.reduce_scatter sum %g into 0 on {dp} {coconet.name = "f"} : tensor<8xf32, #partial> -> tensor<8xf32, #sliced>
  %1 = coconet.all_gather %0 from 0 on {dp} {coconet.name = "f"} : tensor<8xf32, #sliced> -> tensor<8xf32>
  // expected-error@+2 {{cannot fuse exp 'f': it uses a gathered value}}
  // expected-note@+1 {{reorder the all_gather past it first}}
  %2 = coconet.exp %1 {coconet.name = "f"} : tensor<8xf32> -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
#sliced = #coconet.layout<#mesh, [{dp}]>
func.func @reduces_computed(%g: tensor<8xf32, #partial>) -> tensor<8xf32, #sliced> {
  %0 = coconet.neg %g {coconet.name = "f"} : tensor<8xf32, #partial> -> tensor<8xf32, #partial>
  // expected-error@+2 {{cannot fuse reduce_scatter 'f': it reduces what the set computes}}
  // expected-note@+1 {{a chain begins with its reduce_scatters; fuse the computation before it by itself}}
  %1 = coconet.reduce_scatter sum %0 into 0 on {dp} {coconet.name = "f"} : tensor<8xf32, #partial> -> tensor<8xf32, #sliced>
  return %1 : tensor<8xf32, #sliced>
}

// -----

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
#sliced = #coconet.layout<#mesh, [{dp}]>
func.func @gathers_outside(%g: tensor<8xf32, #partial>, %x: tensor<8xf32, #sliced>) -> (tensor<8xf32, #sliced>, tensor<8xf32>) {
  %0 = coconet.reduce_scatter sum %g into 0 on {dp} {coconet.name = "f"} : tensor<8xf32, #partial> -> tensor<8xf32, #sliced>
  // expected-error@+2 {{cannot fuse all_gather 'f': what it gathers is computed outside of the set}}
  // expected-note@+1 {{add the op that computes it}}
  %1 = coconet.all_gather %x from 0 on {dp} {coconet.name = "f"} : tensor<8xf32, #sliced> -> tensor<8xf32>
  return %0, %1 : tensor<8xf32, #sliced>, tensor<8xf32>
}

// -----

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
#flat = #coconet.layout<#mesh, flat = {dp}>
func.func @shard_of_the_set(%g: tensor<f32, #partial>, %x: tensor<f32>) -> (tensor<f32, #flat>, tensor<f32, #flat>) {
  %0 = coconet.reduce_scatter sum %g into flat on {dp} {coconet.name = "f"} : tensor<f32, #partial> -> tensor<f32, #flat>
  %1 = coconet.tanh %x {coconet.name = "f"} : tensor<f32> -> tensor<f32>
  // expected-error@+2 {{cannot fuse shard 'f': it cuts what the set computes}}
  // expected-note@+1 {{fuse what comes before it by itself}}
  %2 = coconet.shard %1 into flat on {dp} {coconet.name = "f"} : tensor<f32> -> tensor<f32, #flat>
  return %0, %2 : tensor<f32, #flat>, tensor<f32, #flat>
}
