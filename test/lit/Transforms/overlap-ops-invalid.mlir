// RUN: coconet-opt %s --split-input-file --verify-diagnostics "--coconet-overlap-ops=names=o chunks=3 dim=1"

func.func @no_collective(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error@+2 {{cannot overlap exp 'o': no op communicates}}
  // expected-note@+1 {{add a collective, or a fused region with one}}
  %0 = coconet.exp %x {coconet.name = "o"} : tensor<4x6xf32> -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

#mesh = #coconet.mesh<tp = 2>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>
func.func @alone(%x: tensor<4x6xf32, #partial>) -> tensor<4x6xf32> {
  // expected-error@+2 {{cannot overlap all_reduce 'o' alone: nothing would run beside it}}
  // expected-note@+1 {{add the computation before or after it}}
  %0 = coconet.all_reduce sum %x on {tp} {coconet.name = "o"} : tensor<4x6xf32, #partial> -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

#mesh = #coconet.mesh<tp = 2>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>
func.func @unit_dimension(%x: tensor<1x9xf32, #partial>) -> tensor<1x1x9xf32> {
  %0 = coconet.all_reduce sum %x on {tp} : tensor<1x9xf32, #partial> -> tensor<1x9xf32>
  // expected-error@+2 {{cannot overlap reshape 'o': the chunks are no slices of its operand}}
  // expected-note@+1 {{chunk another dimension, or leave it out}}
  %1 = coconet.reshape %x {coconet.name = "o"} : tensor<1x9xf32, #partial> -> tensor<1x1x9xf32, #partial>
  %2 = coconet.all_reduce sum %1 on {tp} {coconet.name = "o"} : tensor<1x1x9xf32, #partial> -> tensor<1x1x9xf32>
  return %2 : tensor<1x1x9xf32>
}

// -----

#mesh = #coconet.mesh<tp = 2>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>
func.func @not_convex(%x: tensor<4x6xf32, #partial>) -> tensor<4x6xf32> {
  %0 = coconet.all_reduce sum %x on {tp} {coconet.name = "o"} : tensor<4x6xf32, #partial> -> tensor<4x6xf32>
  // expected-note@+1 {{the path leaves the set here}}
  %1 = coconet.neg %0 : tensor<4x6xf32> -> tensor<4x6xf32>
  // expected-error@+2 {{cannot overlap: add 'o' depends on neg, which is outside of the set and depends on it}}
  // expected-note@+1 {{add neg, or leave add 'o' out}}
  %2 = coconet.add %0, %1 {coconet.name = "o"} : tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}

// -----

#mesh = #coconet.mesh<tp = 2>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>
func.func @unused(%x: tensor<4x6xf32, #partial>) {
  // expected-error@+2 {{cannot overlap all_reduce 'o': its result is not used}}
  // expected-note@+1 {{leave out what nobody needs; it is not computed}}
  %0 = coconet.all_reduce sum %x on {tp} {coconet.name = "o"} : tensor<4x6xf32, #partial> -> tensor<4x6xf32>
  %1 = coconet.neg %0 {coconet.name = "o"} : tensor<4x6xf32> -> tensor<4x6xf32>
  return
}

// -----

#mesh = #coconet.mesh<tp = 2>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>
func.func @rank(%x: tensor<4xf32, #partial>) -> tensor<4xf32> {
  %0 = coconet.all_reduce sum %x on {tp} {coconet.name = "o"} : tensor<4xf32, #partial> -> tensor<4xf32>
  // expected-error@+2 {{cannot overlap along dimension 1: the result of neg 'o' has rank 1}}
  // expected-note@+1 {{name a dimension of the first result that is used elsewhere}}
  %1 = coconet.neg %0 {coconet.name = "o"} : tensor<4xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

#mesh = #coconet.mesh<tp = 2>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>
func.func @contraction(%x: tensor<4x6xf32, #partial>, %w: tensor<6x6xf32>) -> tensor<4x6xf32> {
  %0 = coconet.all_reduce sum %x on {tp} {coconet.name = "o"} : tensor<4x6xf32, #partial> -> tensor<4x6xf32>
  // expected-error@+2 {{cannot overlap matmul 'o': a chunk of it needs all of all_reduce 'o'}}
  // expected-note@+1 {{chunk another dimension, or leave it out}}
  %1 = coconet.matmul %0, %w {coconet.name = "o"} : tensor<4x6xf32>, tensor<6x6xf32> -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// -----

#mesh = #coconet.mesh<tp = 2>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>
func.func @reduced(%x: tensor<4x6xf32, #partial>) -> (tensor<4x6xf32>, tensor<4xf32>) {
  %0 = coconet.all_reduce sum %x on {tp} {coconet.name = "o"} : tensor<4x6xf32, #partial> -> tensor<4x6xf32>
  // expected-error@+2 {{cannot overlap reduce 'o': dimension 1 of its operand is none of its result}}
  // expected-note@+1 {{chunk another dimension, or leave it out}}
  %1 = coconet.reduce sum %0 over [1] {coconet.name = "o"} : tensor<4x6xf32> -> tensor<4xf32>
  return %0, %1 : tensor<4x6xf32>, tensor<4xf32>
}

// -----

#mesh = #coconet.mesh<tp = 2>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>
#flat = #coconet.layout<#mesh, flat = {tp}>
func.func @flat(%x: tensor<4x6xf32, #partial>) -> tensor<4x6xf32, #flat> {
  // expected-error@+2 {{cannot overlap reduce_scatter 'o': it cuts or gathers the flattening}}
  // expected-note@+1 {{split along a dimension, which the chunks can follow}}
  %0 = coconet.reduce_scatter sum %x into flat on {tp} {coconet.name = "o"} : tensor<4x6xf32, #partial> -> tensor<4x6xf32, #flat>
  %1 = coconet.neg %0 {coconet.name = "o"} : tensor<4x6xf32, #flat> -> tensor<4x6xf32, #flat>
  return %1 : tensor<4x6xf32, #flat>
}

// -----

#mesh = #coconet.mesh<tp = 2, dp = 2>
#partial = #coconet.layout<#mesh, flat = {dp}, partial = {tp : sum}>
#flat = #coconet.layout<#mesh, flat = {dp}>
func.func @flat_values(%x: tensor<4x6xf32, #partial>) -> tensor<4x6xf32, #flat> {
  // expected-error@+2 {{cannot overlap all_reduce 'o': it has a value that is cut flat}}
  // expected-note@+1 {{cut along a dimension, which the chunks can follow}}
  %0 = coconet.all_reduce sum %x on {tp} {coconet.name = "o"} : tensor<4x6xf32, #partial> -> tensor<4x6xf32, #flat>
  %1 = coconet.neg %0 {coconet.name = "o"} : tensor<4x6xf32, #flat> -> tensor<4x6xf32, #flat>
  return %1 : tensor<4x6xf32, #flat>
}

// -----

#mesh = #coconet.mesh<tp = 2>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>
func.func @norm(%x: tensor<4x6xf32, #partial>) -> (tensor<4x6xf32>, tensor<f32>) {
  %0 = coconet.all_reduce sum %x on {tp} {coconet.name = "o"} : tensor<4x6xf32, #partial> -> tensor<4x6xf32>
  // expected-error@+2 {{cannot overlap norm 'o': chunks are not followed through it}}
  // expected-note@+1 {{overlap pointwise ops, products, reductions, transpose, reshape, shard, collectives, sends and receives}}
  %1 = coconet.norm %0 {coconet.name = "o"} : tensor<4x6xf32> -> tensor<f32>
  return %0, %1 : tensor<4x6xf32>, tensor<f32>
}

// -----

#mesh = #coconet.mesh<tp = 2>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>
func.func @apart(%x: tensor<4x6xf32, #partial>, %y: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = coconet.all_reduce sum %x on {tp} {coconet.name = "o"} : tensor<4x6xf32, #partial> -> tensor<4x6xf32>
  // expected-error@+2 {{cannot overlap exp 'o': it shares no value with the other ops}}
  // expected-note@+1 {{leave it out, or run it beside them with one chunk}}
  %1 = coconet.exp %y {coconet.name = "o"} : tensor<4x6xf32> -> tensor<4x6xf32>
  return %0, %1 : tensor<4x6xf32>, tensor<4x6xf32>
}

// -----

#mesh = #coconet.mesh<tp = 2>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>
func.func @both_ways(%x: tensor<6x6xf32, #partial>) -> tensor<6x6xf32> {
  %0 = coconet.all_reduce sum %x on {tp} {coconet.name = "o"} : tensor<6x6xf32, #partial> -> tensor<6x6xf32>
  // expected-error@+2 {{cannot overlap transpose 'o': the chunks reach all_reduce 'o' along two of its dimensions}}
  // expected-note@+1 {{chunk another dimension, or leave it out}}
  %1 = coconet.transpose %0 by [1, 0] {coconet.name = "o"} : tensor<6x6xf32> -> tensor<6x6xf32>
  %2 = coconet.add %0, %1 {coconet.name = "o"} : tensor<6x6xf32>, tensor<6x6xf32> -> tensor<6x6xf32>
  return %2 : tensor<6x6xf32>
}

// -----

#mesh = #coconet.mesh<tp = 2>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>
func.func @reshaped(%x: tensor<4x6xf32, #partial>) -> tensor<2x12xf32> {
  %0 = coconet.all_reduce sum %x on {tp} {coconet.name = "o"} : tensor<4x6xf32, #partial> -> tensor<4x6xf32>
  // expected-error@+2 {{cannot overlap reshape 'o': a chunk of it needs all of all_reduce 'o'}}
  // expected-note@+1 {{chunk another dimension, or leave it out}}
  %1 = coconet.reshape %0 {coconet.name = "o"} : tensor<4x6xf32> -> tensor<2x12xf32>
  return %1 : tensor<2x12xf32>
}

// -----

#mesh = #coconet.mesh<tp = 2>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>
func.func @reshaped_after(%x: tensor<4x6xf32, #partial>) -> (tensor<4x6xf32>, tensor<2x12xf32>) {
  %0 = coconet.all_reduce sum %x on {tp} {coconet.name = "o"} : tensor<4x6xf32, #partial> -> tensor<4x6xf32>
  // expected-error@+2 {{cannot overlap reshape 'o': dimension 1 of its operand is none of its result}}
  // expected-note@+1 {{chunk another dimension, or leave it out}}
  %1 = coconet.reshape %0 {coconet.name = "o"} : tensor<4x6xf32> -> tensor<2x12xf32>
  return %0, %1 : tensor<4x6xf32>, tensor<2x12xf32>
}

// -----

#mesh = #coconet.mesh<tp = 2>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>
func.func @squared(%x: tensor<6x6xf32, #partial>) -> (tensor<6x6xf32>, tensor<6x6xf32>) {
  %0 = coconet.all_reduce sum %x on {tp} {coconet.name = "o"} : tensor<6x6xf32, #partial> -> tensor<6x6xf32>
  // expected-error@+2 {{cannot overlap matmul 'o': dimension 1 of its operand is none of its result}}
  // expected-note@+1 {{chunk another dimension, or leave it out}}
  %1 = coconet.matmul %0, %0 {coconet.name = "o"} : tensor<6x6xf32>, tensor<6x6xf32> -> tensor<6x6xf32>
  return %0, %1 : tensor<6x6xf32>, tensor<6x6xf32>
}

// -----

#mesh = #coconet.mesh<tp = 2>
#cols = #coconet.layout<#mesh, [{}, {tp}]>
func.func @uneven(%x: tensor<4x8xf32, #cols>, %w: tensor<4x4xf32>) -> tensor<4x8xf32> {
  // expected-error@+2 {{cannot overlap all_gather 'o': dimension 1 of 8 elements, which is cut by {tp}, does not divide into 3 chunks of each of 2 slices}}
  // expected-note@+1 {{chunk another dimension, or choose a number of chunks that divides the slices}}
  %0 = coconet.all_gather %x from 1 on {tp} {coconet.name = "o"} : tensor<4x8xf32, #cols> -> tensor<4x8xf32>
  %1 = coconet.matmul %w, %0 {coconet.name = "o"} : tensor<4x4xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

#mesh = #coconet.mesh<tp = 2, dp = 2>
#tp = #coconet.layout<#mesh, [{}, {tp}]>
#dp = #coconet.layout<#mesh, [{}, {dp}]>
func.func @two_cuts(%x: tensor<4x12xf32, #tp>) -> tensor<4x12xf32, #dp> {
  // expected-error@+2 {{cannot overlap all_gather 'o': the chunks' dimension is cut by {dp} and by {tp}}}
  // expected-note@+1 {{chunk another dimension}}
  %0 = coconet.all_gather %x from 1 on {tp} {coconet.name = "o"} : tensor<4x12xf32, #tp> -> tensor<4x12xf32>
  %1 = coconet.shard %0 into 1 on {dp} {coconet.name = "o"} : tensor<4x12xf32> -> tensor<4x12xf32, #dp>
  return %1 : tensor<4x12xf32, #dp>
}

// -----

#mesh = #coconet.mesh<tp = 2>
#local = #coconet.layout<#mesh, local = {tp}>
func.func @groups(%x: tensor<4x6xf32, #local>) -> tensor<4x12xf32, #local> {
  // expected-error@+2 {{cannot overlap all_gather 'o': its groups cut or join the chunks' dimension}}
  // expected-note@+1 {{chunk another dimension}}
  %0 = coconet.all_gather %x from 1 on groups [[0, 1]] {coconet.name = "o"} : tensor<4x6xf32, #local> -> tensor<4x12xf32, #local>
  %1 = coconet.neg %0 {coconet.name = "o"} : tensor<4x12xf32, #local> -> tensor<4x12xf32, #local>
  return %1 : tensor<4x12xf32, #local>
}

// -----

#mesh = #coconet.mesh<tp = 2>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>
func.func @nested(%x: tensor<4x6xf32, #partial>) -> tensor<4x6xf32> {
  %0 = coconet.overlap chunks 3 along 1 attributes {coconet.name = "ol"} {
    // expected-error@+2 {{cannot overlap all_reduce 'o': it lies in overlap 'ol' already}}
    // expected-note@+1 {{name the region, or the ops once}}
    %1 = coconet.all_reduce sum %x on {tp} {coconet.name = "o"} : tensor<4x6xf32, #partial> -> tensor<4x6xf32>
    %2 = coconet.neg %1 {coconet.name = "o"} : tensor<4x6xf32> -> tensor<4x6xf32>
    coconet.yield %2 : tensor<4x6xf32>
  } : tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

#mesh = #coconet.mesh<tp = 2>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>
func.func @merged_operand(%x: tensor<2x3x6xf32, #partial>, %y: tensor<6x6xf32>) -> (tensor<2x3x6xf32>, tensor<6x6xf32>) {
  %0 = coconet.all_reduce sum %x on {tp} {coconet.name = "o"} : tensor<2x3x6xf32, #partial> -> tensor<2x3x6xf32>
  %1 = coconet.reshape %0 {coconet.name = "o"} : tensor<2x3x6xf32> -> tensor<6x6xf32>
  // expected-error@+2 {{cannot overlap add 'o': the chunks are no slices of its operand, whose dimension a reshape has merged}}
  // expected-note@+1 {{chunk another dimension, or leave it out}}
  %2 = coconet.add %1, %y {coconet.name = "o"} : tensor<6x6xf32>, tensor<6x6xf32> -> tensor<6x6xf32>
  return %0, %2 : tensor<2x3x6xf32>, tensor<6x6xf32>
}

// -----

#mesh = #coconet.mesh<tp = 2>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>
func.func @merged_result(%x: tensor<2x3x6xf32, #partial>) -> (tensor<2x3x6xf32>, tensor<6x6xf32>) {
  %0 = coconet.all_reduce sum %x on {tp} {coconet.name = "o"} : tensor<2x3x6xf32, #partial> -> tensor<2x3x6xf32>
  // expected-error@+2 {{cannot overlap reshape 'o': the chunks are no slices of its result, whose dimension a reshape has merged}}
  // expected-note@+1 {{add the reshape that splits it, or leave it out}}
  %1 = coconet.reshape %0 {coconet.name = "o"} : tensor<2x3x6xf32> -> tensor<6x6xf32>
  return %0, %1 : tensor<2x3x6xf32>, tensor<6x6xf32>
}

// -----

#sliced = #coconet.layout<#coconet.mesh<dp = 4>, [{dp}]>
func.func @no_tensor(%x: tensor<8xf32, #sliced>, %i: index) -> f32 {
  %0 = coconet.all_gather %x from 0 on {dp} {coconet.name = "o"} : tensor<8xf32, #sliced> -> tensor<8xf32>
  // expected-error@+2 {{cannot overlap extract 'o': its result is no tensor}}
  // expected-note@+1 {{leave it out}}
  %1 = tensor.extract %0[%i] {coconet.name = "o"} : tensor<8xf32>
  return %1 : f32
}

// -----

#mesh = #coconet.mesh<tp = 2>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>
func.func @list(%x: tensor<4x6xf32, #partial>, %y: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  // expected-error@+2 {{cannot overlap for_each 'o': what its region communicates is not started as one}}
  // expected-note@+1 {{overlap within the region, or leave it out}}
  %0 = coconet.for_each 1 of(%x : tensor<4x6xf32, #partial>) attributes {coconet.name = "o"} {
  ^bb0(%a: tensor<?xf32, #partial>):
    %1 = coconet.all_reduce sum %a on {tp} : tensor<?xf32, #partial> -> tensor<?xf32>
    coconet.yield %1 : tensor<?xf32>
  } -> tensor<4x6xf32>
  %2 = coconet.neg %y {coconet.name = "o"} : tensor<4x6xf32> -> tensor<4x6xf32>
  return %0, %2 : tensor<4x6xf32>, tensor<4x6xf32>
}
