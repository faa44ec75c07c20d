// RUN: coconet-opt %s --coconet-validate-layouts --split-input-file --verify-diagnostics

#mesh = #coconet.mesh<dp = 2>
#local = #coconet.layout<#mesh, local = {dp}>
func.func @replicated(%x: tensor<4xf32>, %c: tensor<i1, #local>) -> tensor<4xf32> {
  %b = tensor.extract %c[] : tensor<i1, #local>
  // expected-error@+2 {{'scf.if' op has a condition that differs along {dp}, and result 0 is replicated there}}
  // expected-note@+1 {{let the result be local along {dp}, or all_reduce the condition first}}
  %0 = scf.if %b -> tensor<4xf32> {
    %1 = coconet.neg %x : tensor<4xf32> -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

#mesh = #coconet.mesh<dp = 2>
#local = #coconet.layout<#mesh, local = {dp}>
func.func @bounds(%x: tensor<4xf32>, %k: tensor<i64, #local>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.extract %k[] : tensor<i64, #local>
  %n = arith.index_cast %e : i64 to index
  // expected-error@+2 {{'scf.for' op has bounds that differ along {dp}}}
  // expected-note@+1 {{take them from a tensor that is equal along {dp}: all_reduce it first}}
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> tensor<4xf32> {
    %1 = coconet.neg %y : tensor<4xf32> -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// A scalar that a loop carries, and one that a branch gives.
#mesh = #coconet.mesh<dp = 2>
#local = #coconet.layout<#mesh, local = {dp}>
func.func @carried(%x: tensor<4xf32>, %c: tensor<i1, #local>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %b = tensor.extract %c[] : tensor<i1, #local>
  %d = scf.if %true -> i1 {
    scf.yield %b : i1
  } else {
    scf.yield %true : i1
  }
  %0:2 = scf.for %i = %c0 to %c1 step %c1 iter_args(%y = %x, %f = %true) -> (tensor<4xf32>, i1) {
    // expected-error@+2 {{'scf.if' op has a condition that differs along {dp}, and result 0 is replicated there}}
    // expected-note@+1 {{let the result be local along {dp}}}
    %1 = scf.if %f -> tensor<4xf32> {
      scf.yield %x : tensor<4xf32>
    } else {
      scf.yield %y : tensor<4xf32>
    }
    scf.yield %1, %d : tensor<4xf32>, i1
  }
  return %0#0 : tensor<4xf32>
}

// -----

// What a rank holds of a slice or of a pending sum is no value of its own.
#mesh = #coconet.mesh<dp = 2>
#partial = #coconet.layout<#mesh, partial = {dp : max}>
func.func @pending(%c: tensor<i1, #partial>) {
  // expected-error@+2 {{does not know layouts and is used on a tensor that carries one}}
  // expected-note@+1 {{use an op of the coconet dialect}}
  %b = tensor.extract %c[] : tensor<i1, #partial>
  return
}
