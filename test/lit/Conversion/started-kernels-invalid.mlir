// RUN: coconet-opt %s --verify-diagnostics --coconet-to-kernels

#mesh = #coconet.mesh<tp = 2>
func.func @not_waited(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+2 {{is not waited for exactly once}}
  // expected-note@+1 {{wait for every future once, in the block where it is started}}
  %0 = coconet.rank.start {
    %1 = coconet.rank.all_reduce sum %x on {tp} of #mesh : tensor<4xf32> -> tensor<4xf32>
    coconet.yield %1 : tensor<4xf32>
  } : !coconet.future<tensor<4xf32>>
  return %x : tensor<4xf32>
}
