// RUN: coconet-opt %s --coconet-to-kernels --split-input-file --verify-diagnostics

#mesh = #coconet.mesh<dp = 2>
func.func @inner(%x: tensor<8xf32>) -> tensor<4xf32> {
  %f = coconet.fused all_reduce {
    %n = coconet.neg %x : tensor<8xf32> -> tensor<8xf32>
    // expected-error@+2 {{'coconet.rank.reduce_scatter' op reads a value that is computed in the same fused region}}
    // expected-note@+1 {{compute it before the region}}
    %s = coconet.rank.reduce_scatter sum %n into 0 on {dp} of #mesh : tensor<8xf32> -> tensor<4xf32>
    coconet.yield %s : tensor<4xf32>
  } : tensor<4xf32>
  return %f : tensor<4xf32>
}

// -----

func.func @mean(%x: tensor<8xf32>) -> tensor<f32> {
  // expected-error@+2 {{'coconet.reduce' op divides by a logical count}}
  // expected-note@+1 {{run --coconet-to-rank, which knows it}}
  %m = coconet.reduce mean %x over [0] : tensor<8xf32> -> tensor<f32>
  return %m : tensor<f32>
}

// -----

#mesh = #coconet.mesh<dp = 2>
#rows = #coconet.layout<#mesh, [{dp}]>
func.func @layout(%x: tensor<8xf32, #rows>) -> tensor<8xf32, #rows> {
  // expected-error@+2 {{'coconet.neg' op uses a tensor with a layout}}
  // expected-note@+1 {{run --coconet-to-rank first}}
  %y = coconet.neg %x : tensor<8xf32, #rows> -> tensor<8xf32, #rows>
  return %y : tensor<8xf32, #rows>
}

// -----

func.func @composite(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+2 {{'coconet.softmax' op has no lowering to kernels}}
  // expected-note@+1 {{run --coconet-decompose and --coconet-to-rank first}}
  %y = coconet.softmax %x over 0 : tensor<8xf32> -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// expected-error@+2 {{'func.func' op has several blocks}}
// expected-note@+1 {{control flow of a rank program is scf.for and scf.if}}
func.func @blocks(%x: tensor<8xf32>) -> tensor<8xf32> {
  cf.br ^end
^end:
  return %x : tensor<8xf32>
}

// -----

func.func @dropout_of_a_distributed_program(%x: tensor<8xf32>, %step: tensor<i32>) -> tensor<8xf32> {
  // expected-error@+2 {{'coconet.dropout' op is no op of a rank program}}
  // expected-note@+1 {{run --coconet-to-rank first}}
  %0 = coconet.dropout %x step %step rate 0.5 : tensor<8xf32>, tensor<i32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
#sliced = #coconet.layout<#mesh, [{dp}]>
func.func @fused_of_a_distributed_program(%g: tensor<8xf32, #sliced>) -> tensor<8xf32> {
  %0 = coconet.fused all_gather {
    // expected-error@+2 {{uses a tensor with a layout}}
    // expected-note@+1 {{run --coconet-to-rank first}}
    %1 = coconet.all_gather %g from 0 on {dp} : tensor<8xf32, #sliced> -> tensor<8xf32>
    coconet.yield %1 : tensor<8xf32>
  } : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

#mesh = #coconet.mesh<dp = 2>
func.func @unknown_sizes(%n: index, %x: tensor<?xf32>) -> tensor<?x?xf32> {
  // expected-error@+2 {{has a result of open sizes at position 0, where all tensors of its lists are cut flat}}
  // expected-note@+1 {{make it a list of whole tensors too, or give static shapes}}
  %0 = coconet.for_each 1 of(%n, %x : index, tensor<?xf32>) {
  ^bb0(%size: index, %a: tensor<?xf32>):
    %1 = coconet.rank.all_gather %a size %size from 0 on {dp} of #mesh : tensor<?xf32> -> tensor<?xf32>
    coconet.yield %1 : tensor<?xf32>
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
