// RUN: coconet-opt %s --coconet-to-rank --cse --mlir-print-local-scope | FileCheck %s

#mesh = #coconet.mesh<tp = 2>
#cols = #coconet.layout<#mesh, [{}, {tp}]>
#rows = #coconet.layout<#mesh, [{tp}, {}]>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>

// The sum of a chunk is under way during the product of the next. The last
// chunk is short.
// CHECK-LABEL: func.func @mm_ar
// CHECK-SAME: (%[[X:.*]]: tensor<5x2xf32> {{.*}}, %[[W:.*]]: tensor<2x6xf32>
// CHECK-DAG: %[[X0:.*]] = tensor.extract_slice %[[X]][0, 0] [3, 2] [1, 1]
// CHECK-DAG: %[[X1:.*]] = tensor.extract_slice %[[X]][3, 0] [2, 2] [1, 1]
// CHECK: %[[P0:.*]] = coconet.matmul
// CHECK-NEXT: %[[F0:.*]] = coconet.rank.start {
// CHECK-NEXT: %[[A0:.*]] = coconet.rank.all_reduce sum %[[P0]] on {tp} {{.*}} {coconet.name = "sum"}
// CHECK-NEXT: coconet.yield %[[A0]]
// CHECK-NEXT: } : <tensor<?x6xf32>>
// CHECK-NEXT: %[[P1:.*]] = coconet.matmul
// CHECK-NEXT: %[[F1:.*]] = coconet.rank.start {
// CHECK-NEXT: coconet.rank.all_reduce sum %[[P1]]
// CHECK: %[[S0:.*]] = coconet.rank.wait %[[F0]]
// CHECK: %[[C0:.*]] = tensor.cast %[[S0]] : tensor<?x6xf32> to tensor<3x6xf32>
// CHECK-NEXT: %[[R0:.*]] = tensor.insert_slice %[[C0]] into %{{.*}}[0, 0] [3, 6] [1, 1]
// CHECK: %[[S1:.*]] = coconet.rank.wait %[[F1]]
// CHECK: %[[R1:.*]] = tensor.insert_slice %{{.*}} into %[[R0]][3, 0] [2, 6] [1, 1]
// CHECK-NEXT: return %[[R1]]
func.func @mm_ar(%x: tensor<5x4xf32, #cols>, %w: tensor<4x6xf32, #rows>) -> tensor<5x6xf32> {
  %r = coconet.overlap chunks 2 along 0 {
    %0 = coconet.matmul %x, %w {coconet.name = "product"} : tensor<5x4xf32, #cols>, tensor<4x6xf32, #rows> -> tensor<5x6xf32, #partial>
    %1 = coconet.all_reduce sum %0 on {tp} {coconet.name = "sum"} : tensor<5x6xf32, #partial> -> tensor<5x6xf32>
    coconet.yield %1 : tensor<5x6xf32>
  } : tensor<5x6xf32>
  return %r : tensor<5x6xf32>
}

// Chunk c is the c-th half of both slices: rows 0, 1, 4, 5 and rows 2, 3, 6, 7.
// Both gathers are started before the first is waited for.
// CHECK-LABEL: func.func @ag_mm
// CHECK-DAG: tensor.extract_slice %{{.*}}[0, 0] [2, 4] [1, 1]
// CHECK-DAG: tensor.extract_slice %{{.*}}[2, 0] [2, 4] [1, 1]
// CHECK: %[[F0:.*]] = coconet.rank.start
// CHECK: coconet.rank.all_gather %{{.*}} size %c4 from 0
// CHECK: %[[F1:.*]] = coconet.rank.start
// CHECK: %[[G0:.*]] = coconet.rank.wait %[[F0]]
// CHECK-NEXT: %[[P0:.*]] = coconet.matmul %[[G0]], %{{.*}} : tensor<4x4xf32>, tensor<4x6xf32> -> tensor<4x6xf32>
// CHECK: %[[E:.*]] = coconet.rank.reshape %{{.*}} : tensor<8x6xf32> -> tensor<2x4x6xf32>
// CHECK: %[[Q0:.*]] = coconet.rank.reshape %[[P0]] {{.*}} -> tensor<2x2x6xf32>
// CHECK: tensor.insert_slice %[[Q0]] into %[[E]][0, 0, 0] [2, 2, 6] [1, 1, 1]
// CHECK: coconet.rank.wait %[[F1]]
// CHECK-NEXT: coconet.matmul
// CHECK: %[[ALL:.*]] = tensor.insert_slice %{{.*}}[0, 2, 0] [2, 2, 6] [1, 1, 1]
// CHECK: coconet.rank.reshape %[[ALL]] sizes() : tensor<2x4x6xf32> -> tensor<8x6xf32>
func.func @ag_mm(%x: tensor<8x4xf32, #rows>, %w: tensor<4x6xf32>) -> tensor<8x6xf32> {
  %r = coconet.overlap chunks 2 along 0 {
    %0 = coconet.all_gather %x from 0 on {tp} : tensor<8x4xf32, #rows> -> tensor<8x4xf32>
    %1 = coconet.matmul %0, %w : tensor<8x4xf32>, tensor<4x6xf32> -> tensor<8x6xf32>
    coconet.yield %1 : tensor<8x6xf32>
  } : tensor<8x6xf32>
  return %r : tensor<8x6xf32>
}

// An open size that must divide is checked at run time. The replicated operand
// of the fused region is sharded before.
// CHECK-LABEL: func.func @fused
// CHECK: coconet.rank.shard %{{.*}} into 0 on {tp}
// CHECK: coconet.rank.check_size "remainder of the size by 4, for 2 chunks of every slice"
// CHECK: coconet.matmul
// CHECK: coconet.rank.start {
// CHECK-NEXT: coconet.fused all_reduce {
// CHECK-NEXT: coconet.rank.reduce_scatter
// CHECK: coconet.rank.all_gather
// CHECK: coconet.matmul
// CHECK: coconet.rank.start {
// CHECK: coconet.rank.wait
// CHECK: coconet.rank.wait
func.func @fused(%x: tensor<?x4xf32, #cols>, %w: tensor<4x6xf32, #rows>, %b: tensor<?x6xf32>) -> tensor<?x6xf32> {
  %r = coconet.overlap chunks 2 along 0 {
    %0 = coconet.matmul %x, %w : tensor<?x4xf32, #cols>, tensor<4x6xf32, #rows> -> tensor<?x6xf32, #partial>
    %1 = coconet.fused all_reduce {
      %2 = coconet.reduce_scatter sum %0 into 0 on {tp} : tensor<?x6xf32, #partial> -> tensor<?x6xf32, #rows>
      %3 = coconet.mul %2, %b : tensor<?x6xf32, #rows>, tensor<?x6xf32> -> tensor<?x6xf32, #rows>
      %4 = coconet.all_gather %3 from 0 on {tp} : tensor<?x6xf32, #rows> -> tensor<?x6xf32>
      coconet.yield %4 : tensor<?x6xf32>
    } : tensor<?x6xf32>
    coconet.yield %1 : tensor<?x6xf32>
  } : tensor<?x6xf32>
  return %r : tensor<?x6xf32>
}

// With one chunk nothing is cut: the product runs between start and wait.
// CHECK-LABEL: func.func @beside
// CHECK: %[[F:.*]] = coconet.rank.start
// CHECK: %[[Z:.*]] = coconet.matmul
// CHECK: %[[Y:.*]] = coconet.rank.wait %[[F]]
// CHECK-NEXT: %[[S:.*]] = coconet.add %[[Y]], %[[Z]]
// CHECK-NEXT: return %[[S]]
func.func @beside(%a: tensor<4x4xf32, #partial>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = coconet.overlap chunks 1 along 0 {
    %y = coconet.all_reduce sum %a on {tp} : tensor<4x4xf32, #partial> -> tensor<4x4xf32>
    %z = coconet.matmul %b, %b : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    %s = coconet.add %y, %z : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    coconet.yield %s : tensor<4x4xf32>
  } : tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}
