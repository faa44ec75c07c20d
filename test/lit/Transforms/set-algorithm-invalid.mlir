// RUN: split-file %s %t
// RUN: coconet-opt %t/kind.mlir --verify-diagnostics --coconet-set-algorithm=name=x
// RUN: coconet-opt %t/inner.mlir --verify-diagnostics --coconet-set-algorithm=name=x
// RUN: coconet-opt %t/name.mlir --verify-diagnostics --coconet-set-algorithm="name=x algorithm=tree"
// RUN: coconet-opt %t/channels.mlir --verify-diagnostics --coconet-set-algorithm="name=x channels=-1"
// RUN: coconet-opt %t/gather.mlir --verify-diagnostics --coconet-set-algorithm="name=x algorithm=one_shot"
// RUN: coconet-opt %t/lowered.mlir --split-input-file --verify-diagnostics --coconet-to-kernels

//--- kind.mlir
func.func @kind(%x: tensor<9xf32>) -> tensor<9xf32> {
  // expected-error@+2 {{cannot choose an algorithm for neg 'x': it communicates nothing}}
  // expected-note@+1 {{name a collective, or a fused region around some}}
  %0 = coconet.neg %x {coconet.name = "x"} : tensor<9xf32> -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

//--- inner.mlir
#mesh = #coconet.mesh<dp = 2>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
#sliced = #coconet.layout<#mesh, [{dp}]>
func.func @inner(%g: tensor<9xf32, #partial>) -> tensor<9xf32> {
  %0 = coconet.fused all_reduce {
    // expected-error@+2 {{cannot choose an algorithm for reduce_scatter 'x': it lies in fused 'kernel'}}
    // expected-note@+1 {{a fused region is done as a whole; name the region}}
    %1 = coconet.reduce_scatter sum %g into 0 on {dp} {coconet.name = "x"} : tensor<9xf32, #partial> -> tensor<9xf32, #sliced>
    %3 = coconet.all_gather %1 from 0 on {dp} : tensor<9xf32, #sliced> -> tensor<9xf32>
    coconet.yield %3 : tensor<9xf32>
  } {coconet.name = "kernel"} : tensor<9xf32>
  return %0 : tensor<9xf32>
}

//--- name.mlir
#mesh = #coconet.mesh<dp = 2>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
func.func @name(%x: tensor<9xf32, #partial>) -> tensor<9xf32> {
  // expected-error@+2 {{cannot choose 'tree' for all_reduce 'x': there is no such algorithm}}
  // expected-note@+1 {{algorithms are one_shot, two_shot, ring and library}}
  %0 = coconet.all_reduce sum %x on {dp} {coconet.name = "x"} : tensor<9xf32, #partial> -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

//--- channels.mlir
#mesh = #coconet.mesh<dp = 2>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
func.func @channels(%x: tensor<9xf32, #partial>) -> tensor<9xf32> {
  // expected-error@+2 {{cannot use -1 channels for all_reduce 'x'}}
  // expected-note@+1 {{give 1 or more}}
  %0 = coconet.all_reduce sum %x on {dp} {coconet.name = "x"} : tensor<9xf32, #partial> -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

//--- gather.mlir
#mesh = #coconet.mesh<dp = 2>
#sliced = #coconet.layout<#mesh, [{dp}]>
func.func @gather(%x: tensor<8xf32, #sliced>) -> tensor<8xf32> {
  // expected-error@+2 {{cannot choose 'one_shot' for all_gather 'x': it is an algorithm for all_reduce}}
  // expected-note@+1 {{name an all_reduce, or a fused region around one}}
  %0 = coconet.all_gather %x from 0 on {dp} {coconet.name = "x"} : tensor<8xf32, #sliced> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

//--- lowered.mlir
func.func @ring(%x: tensor<9xf32>) -> tensor<9xf32> {
  // expected-error@+2 {{has algorithm 'ring', which the CPU target does not have}}
  // expected-note@+1 {{the CPU target has one_shot and two_shot}}
  %0 = coconet.rank.all_reduce sum %x on {dp} of #coconet.mesh<dp = 2> {coconet.algorithm = "ring"} : tensor<9xf32> -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

// -----

func.func @channels(%x: tensor<9xf32>) -> tensor<9xf32> {
  // expected-error@+2 {{uses 2 channels, which the CPU target does not have}}
  // expected-note@+1 {{leave the number of channels out}}
  %0 = coconet.rank.all_reduce sum %x on {dp} of #coconet.mesh<dp = 2> {coconet.channels = 2} : tensor<9xf32> -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

// -----

func.func @scatter(%x: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error@+2 {{has algorithm 'one_shot', which is one for all_reduce}}
  // expected-note@+1 {{choose algorithms for all_reduce and for fused regions around one}}
  %0 = coconet.rank.reduce_scatter sum %x into 0 on {dp} of #coconet.mesh<dp = 2> {coconet.algorithm = "one_shot"} : tensor<8xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @slices(%x: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error@+2 {{is one_shot, but reads or gives slices as tensors}}
  // expected-note@+1 {{with one_shot every member has the whole; choose two_shot, or keep the state whole}}
  %0 = coconet.fused all_reduce {
    %1 = coconet.rank.reduce_scatter sum %x into 0 on {dp} of <dp = 2> : tensor<8xf32> -> tensor<4xf32>
    %2 = coconet.neg %1 : tensor<4xf32> -> tensor<4xf32>
    coconet.yield %2 : tensor<4xf32>
  } {coconet.algorithm = "one_shot"} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @positions(%x: tensor<8xf32>, %t: tensor<i32>) -> tensor<8xf32> {
  %n = arith.constant 8 : index
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  // expected-error@+2 {{is one_shot, but computes with positions in its slice}}
  // expected-note@+1 {{choose two_shot, or leave dropout and iota out of the region}}
  %0 = coconet.fused all_reduce {
    %1 = coconet.rank.reduce_scatter sum %x into 0 on {dp} of <dp = 2> : tensor<8xf32> -> tensor<4xf32>
    %2 = coconet.rank.dropout %1 step %t at (%z) by (%o) coordinate %z {rate = 0.5, seed = 1, stream = 0} : tensor<4xf32>, tensor<i32>
    %3 = coconet.rank.all_gather %2 size %n from 0 on {dp} of <dp = 2> : tensor<4xf32> -> tensor<8xf32>
    coconet.yield %3 : tensor<8xf32>
  } {coconet.algorithm = "one_shot"} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @distributed() {
  // expected-error@+2 {{is no collective of a rank program}}
  // expected-note@+1 {{run --coconet-to-rank first}}
  coconet.barrier on {dp} of #coconet.mesh<dp = 2>
  return
}
