// RUN: coconet-opt %s --split-input-file --verify-diagnostics --coconet-to-rank

#mesh = #coconet.mesh<tp = 4>
#rows = #coconet.layout<#mesh, [{tp}, {}]>
func.func @uneven(%x: tensor<12x4xf32, #rows>, %w: tensor<4x6xf32>) -> tensor<12x6xf32> {
  %r = coconet.overlap chunks 2 along 0 {
    // expected-error@+2 {{does not divide into 2 chunks of each of 4 slices}}
    // expected-note@+1 {{chunk another dimension, or choose a number of chunks that divides the slices}}
    %0 = coconet.all_gather %x from 0 on {tp} : tensor<12x4xf32, #rows> -> tensor<12x4xf32>
    %1 = coconet.matmul %0, %w : tensor<12x4xf32>, tensor<4x6xf32> -> tensor<12x6xf32>
    coconet.yield %1 : tensor<12x6xf32>
  } : tensor<12x6xf32>
  return %r : tensor<12x6xf32>
}

// -----

#mesh = #coconet.mesh<tp = 4>
#rows = #coconet.layout<#mesh, [{tp}, {}]>
func.func @dropout(%x: tensor<8x4xf32, #rows>, %step: tensor<i32>) -> tensor<8x4xf32> {
  %r = coconet.overlap chunks 2 along 0 {
    %0 = coconet.all_gather %x from 0 on {tp} : tensor<8x4xf32, #rows> -> tensor<8x4xf32>
    // expected-error@+2 {{drops elements of a gathered dimension chunk by chunk}}
    // expected-note@+1 {{leave it out of the overlap, or chunk another dimension}}
    %1 = coconet.dropout %0 step %step rate 0.5 : tensor<8x4xf32>, tensor<i32> -> tensor<8x4xf32>
    coconet.yield %1 : tensor<8x4xf32>
  } : tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// -----

#mesh = #coconet.mesh<tp = 2>
#flat = #coconet.layout<#mesh, flat = {tp}>
func.func @flat(%x: tensor<4x4xf32, #flat>, %b: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %r:2 = coconet.overlap chunks 1 along 0 {
    // expected-error@+2 {{gathers a flattening while others compute}}
    // expected-note@+1 {{gather along a dimension}}
    %y = coconet.all_gather %x from flat on {tp} : tensor<4x4xf32, #flat> -> tensor<4x4xf32>
    %z = coconet.neg %b : tensor<4x4xf32> -> tensor<4x4xf32>
    coconet.yield %y, %z : tensor<4x4xf32>, tensor<4x4xf32>
  } : tensor<4x4xf32>, tensor<4x4xf32>
  return %r#0, %r#1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

#mesh = #coconet.mesh<tp = 2>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>
func.func @nothing_made(%x: tensor<4xf32, #partial>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+2 {{overlap gives values from outside only}}
  // expected-note@+1 {{let it yield what its ops compute}}
  %0 = coconet.overlap chunks 2 along 0 {
    %1 = coconet.all_reduce sum %x on {tp} : tensor<4xf32, #partial> -> tensor<4xf32>
    %2 = coconet.fused computation {
      %3 = coconet.exp %1 : tensor<4xf32> -> tensor<4xf32>
      coconet.yield %y : tensor<4xf32>
    } : tensor<4xf32>
    coconet.yield %2 : tensor<4xf32>
  } : tensor<4xf32>
  return %0 : tensor<4xf32>
}
