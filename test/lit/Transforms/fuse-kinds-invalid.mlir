// RUN: coconet-opt %s --split-input-file --verify-diagnostics --coconet-fuse-ops=names=f

func.func @two_matmuls(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  // expected-note@+1 {{the other matmul is here}}
  %0 = coconet.matmul %x, %x {coconet.name = "f"} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  // expected-error@+2 {{cannot fuse matmul 'f' and matmul 'f'}}
  // expected-note@+1 {{fuse each matmul with the pointwise ops that follow it}}
  %1 = coconet.matmul %x, %x {coconet.name = "f"} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

func.func @prologue(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error@+2 {{cannot fuse exp 'f': it computes an operand of matmul 'f'}}
  // expected-note@+1 {{fuse what follows the matmul}}
  %0 = coconet.exp %x {coconet.name = "f"} : tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = coconet.matmul %0, %x {coconet.name = "f"} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

#mesh = #coconet.mesh<tp = 4>
#columns = #coconet.layout<#mesh, [{}, {tp}]>
#rows = #coconet.layout<#mesh, [{tp}, {}]>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>
func.func @matmul_in_chain(%x: tensor<8x8xf32, #columns>, %w: tensor<8x8xf32, #rows>) -> tensor<8x8xf32, #rows> {
  // expected-error@+2 {{cannot fuse matmul 'f' and a collective}}
  // expected-note@+1 {{overlap them, or fuse the matmul with the pointwise ops after it}}
  %0 = coconet.matmul %x, %w {coconet.name = "f"} : tensor<8x8xf32, #columns>, tensor<8x8xf32, #rows> -> tensor<8x8xf32, #partial>
  %1 = coconet.reduce_scatter sum %0 into 0 on {tp} {coconet.name = "f"} : tensor<8x8xf32, #partial> -> tensor<8x8xf32, #rows>
  return %1 : tensor<8x8xf32, #rows>
}

// -----

// A reduction of rows is none to one element.
#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
#rows = #coconet.layout<#mesh, [{dp}, {}]>
#sliced = #coconet.layout<#mesh, [{dp}]>
func.func @row_sums(%g: tensor<8x8xf32, #partial>) -> tensor<8xf32, #sliced> {
  %0 = coconet.reduce_scatter sum %g into 0 on {dp} {coconet.name = "f"} : tensor<8x8xf32, #partial> -> tensor<8x8xf32, #rows>
  // expected-error@+2 {{cannot fuse reduce 'f': it is no pointwise op}}
  // expected-note@+1 {{fuse the pointwise ops before and after it, each side by itself}}
  %1 = coconet.reduce sum %0 over [1] {coconet.name = "f"} : tensor<8x8xf32, #rows> -> tensor<8xf32, #sliced>
  return %1 : tensor<8xf32, #sliced>
}

// -----

func.func @no_collective(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = coconet.exp %x {coconet.name = "f"} : tensor<8x8xf32> -> tensor<8x8xf32>
  // expected-error@+2 {{cannot fuse transpose 'f'}}
  // expected-note@+1 {{only pointwise ops, shard, reduce_scatter and all_gather are fused}}
  %1 = coconet.transpose %0 by [1, 0] {coconet.name = "f"} : tensor<8x8xf32> -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
