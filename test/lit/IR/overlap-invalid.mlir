// RUN: coconet-opt %s --split-input-file --verify-diagnostics

#mesh = #coconet.mesh<tp = 2>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>
func.func @chunks(%x: tensor<4xf32, #partial>) {
  // expected-error@+2 {{'coconet.overlap' op has 0 chunks}}
  // expected-note@+1 {{give 2 or more, or 1 to run independent ops side by side}}
  %0 = coconet.overlap chunks 0 along 0 {
    %1 = coconet.all_reduce sum %x on {tp} : tensor<4xf32, #partial> -> tensor<4xf32>
    coconet.yield %1 : tensor<4xf32>
  } : tensor<4xf32>
  return
}

// -----

func.func @dim(%x: tensor<4xf32>) {
  // expected-error@+2 {{lies along dimension -1}}
  // expected-note@+1 {{name a dimension of the first result, from 0}}
  %0 = coconet.overlap chunks 2 along -1 {
    %1 = coconet.neg %x : tensor<4xf32> -> tensor<4xf32>
    coconet.yield %1 : tensor<4xf32>
  } : tensor<4xf32>
  return
}

// -----

func.func @nothing(%x: tensor<4xf32>) {
  // expected-error@+2 {{yields no value}}
  // expected-note@+1 {{it yields what its ops compute}}
  "coconet.overlap"() <{chunks = 2 : i64, dim = 0 : i64}> ({
    %0 = coconet.neg %x : tensor<4xf32> -> tensor<4xf32>
    coconet.yield
  }) : () -> ()
  return
}

// -----

func.func @types(%x: tensor<4xf32>) {
  // expected-error@+2 {{yields other types than its results}}
  // expected-note@+1 {{yield one value per result, of its type}}
  %0 = coconet.overlap chunks 2 along 0 {
    %1 = coconet.neg %x : tensor<4xf32> -> tensor<4xf32>
    coconet.yield %1 : tensor<4xf32>
  } : tensor<5xf32>
  return
}

// -----

func.func @start(%x: tensor<4xf32>) {
  // expected-error@+2 {{does not hold one op that communicates}}
  // expected-note@+1 {{its region holds one collective, send or recv, or one fused region with one}}
  %0 = coconet.rank.start {
    %1 = coconet.neg %x : tensor<4xf32> -> tensor<4xf32>
    coconet.yield %1 : tensor<4xf32>
  } : !coconet.future<tensor<4xf32>>
  return
}

// -----

#mesh = #coconet.mesh<tp = 2>
func.func @wait(%x: tensor<4xf32>) {
  %0 = coconet.rank.start {
    %1 = coconet.rank.all_reduce sum %x on {tp} of #mesh : tensor<4xf32> -> tensor<4xf32>
    coconet.yield %1 : tensor<4xf32>
  } : !coconet.future<tensor<4xf32>>
  // expected-error@+2 {{has other results than the future delivers}}
  // expected-note@+1 {{the results are those of the future, in order}}
  %2 = coconet.rank.wait %0 : !coconet.future<tensor<4xf32>> -> tensor<5xf32>
  return
}

// -----

func.func @unnamed(%x: tensor<4xf32>) {
  // expected-error@+2 {{does not say what it starts}}
  // expected-note@+1 {{give it and the kernel that waits for it the same 'coconet.started'}}
  %0 = coconet.symmetric_start on {tp} of <tp = 2> ins(%x : tensor<4xf32>) outs() -> tensor<4xf32>
  return
}

// -----

func.func @results(%x: tensor<4xf32>) {
  // expected-error@+2 {{has results of other types than its operands}}
  // expected-note@+1 {{tensors are results too, in order; buffers are not}}
  %0 = coconet.symmetric_start on {tp} of <tp = 2> ins(%x : tensor<4xf32>) outs() {coconet.started = "all_reduce 0"} -> tensor<5xf32>
  return
}
