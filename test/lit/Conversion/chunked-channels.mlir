// Both ends of a channel in chunks: each chunk has a channel of its own. The
// receiver lets all of a chunk be written before it waits for it; the sender
// computes a chunk into that buffer while the next one is reduced.
// RUN: coconet-opt %s --coconet-to-rank --cse | FileCheck %s --check-prefix=RANK
// RUN: coconet-opt %s --coconet-to-rank --coconet-check-communication --coconet-to-kernels --cse | FileCheck %s --check-prefix=KERNEL
// RUN: coconet-opt %s --coconet-to-rank --coconet-to-kernels --coconet-bufferize | FileCheck %s --check-prefix=BUFFER
// RUN: coconet-opt %s --coconet-to-rank --coconet-rank-to-cpu | FileCheck %s --check-prefix=CALLS

#mesh = #coconet.mesh<tp = 2>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>
#sliced = #coconet.layout<#mesh, [{}, {tp}]>

// RANK-LABEL: func.func @first
// RANK: %[[R0:.*]] = coconet.rank.start {
// RANK: %[[R1:.*]] = coconet.rank.start {
// RANK: %[[SUM0:.*]] = coconet.rank.wait %[[R0]]
// RANK: %[[S0:.*]] = coconet.rank.start {
// RANK-NEXT: coconet.fused send {
// RANK-NEXT: %[[EXP0:.*]] = coconet.exp %[[SUM0]]
// RANK-NEXT: coconet.rank.send %[[EXP0]] to "boundary[0]" between [0, 1] and [2, 3] : tensor<2x4xf32>
// RANK: : !coconet.future
// RANK: %[[SUM1:.*]] = coconet.rank.wait %[[R1]]
// RANK: %[[S1:.*]] = coconet.rank.start {
// RANK: to "boundary[1]"
// RANK: coconet.rank.wait %[[S0]] : !coconet.future
// RANK: coconet.rank.wait %[[S1]] : !coconet.future

// KERNEL-LABEL: func.func @first
// KERNEL: symmetric_kernel {{.*}} coconet.started = "reduce_scatter 0"
// KERNEL: symmetric_kernel {{.*}} coconet.started = "reduce_scatter 1"
// KERNEL: symmetric_send_begin "boundary[0]"
// KERNEL: symmetric_send_end "boundary[0]"
// KERNEL: symmetric_send_begin "boundary[1]"
func.func @first(%x: tensor<4x8xf32, #partial>) attributes {coconet.ranks = array<i64: 0, 1>} {
  coconet.overlap chunks 2 along 0 {
    %0 = coconet.reduce_scatter sum %x into 1 on {tp} : tensor<4x8xf32, #partial> -> tensor<4x8xf32, #sliced>
    coconet.fused send {
      %1 = coconet.exp %0 : tensor<4x8xf32, #sliced> -> tensor<4x8xf32, #sliced>
      coconet.send %1 to "boundary" : tensor<4x8xf32, #sliced>
      coconet.yield
    }
    coconet.yield
  }
  return
}

// RANK-LABEL: func.func @second
// RANK: %[[G0:.*]] = coconet.rank.start {
// RANK-NEXT: coconet.rank.recv from "boundary[0]" between [0, 1] and [2, 3] sizes() : tensor<2x4xf32>
// RANK: %[[G1:.*]] = coconet.rank.start {
// RANK-NEXT: coconet.rank.recv from "boundary[1]"
// RANK: coconet.rank.wait %[[G0]]
// RANK: coconet.rank.start {
// RANK-NEXT: coconet.rank.all_gather
// RANK: coconet.rank.wait %[[G1]]

// KERNEL-LABEL: func.func @second
// KERNEL: %[[B0:.*]] = coconet.symmetric_recv_start "boundary[0]" between [0, 1] and [2, 3] outs(%{{.*}} : tensor<2x4xf32>) -> tensor<2x4xf32>
// KERNEL: %[[B1:.*]] = coconet.symmetric_recv_start "boundary[1]"
// KERNEL: %[[D0:.*]] = coconet.symmetric_recv "boundary[0]" between [0, 1] and [2, 3] outs(%[[B0]] : tensor<2x4xf32>) {coconet.started = "boundary[0]"}
// KERNEL: coconet.symmetric_start {{.*}} "all_gather 2"
// KERNEL: coconet.symmetric_recv "boundary[1]"

// BUFFER-LABEL: func.func @second
// BUFFER: coconet.symmetric_recv_start "boundary[0]" {{.*}} outs(%[[A:.*]] : memref<2x4xf32>)
// BUFFER: coconet.symmetric_recv_start "boundary[1]" {{.*}} outs(%[[B:.*]] : memref<2x4xf32>)
// BUFFER-NOT: memref.copy
// BUFFER: coconet.symmetric_recv "boundary[0]" {{.*}} outs(%[[A]] : memref<2x4xf32>)
// BUFFER-NOT: memref.copy
// BUFFER: coconet.symmetric_recv "boundary[1]" {{.*}} outs(%[[B]] : memref<2x4xf32>)

// CALLS-LABEL: llvm.func @_mlir__mlir_ciface_second(
// CALLS: llvm.call @coconet_rt_start(%{{.*}}, %[[FIRST:[0-9]+]], %{{.*}}, %{{.*}})
// CALLS: llvm.call @coconet_rt_start(%{{.*}}, %[[SECOND:[0-9]+]], %{{.*}}, %{{.*}})
// CALLS: llvm.call @coconet_rt_wait(%{{.*}}, %[[FIRST]])
// CALLS: llvm.call @coconet_rt_leave(%{{.*}}, %[[FIRST]])
// CALLS: llvm.call @coconet_rt_start
// CALLS: llvm.call @coconet_rt_wait(%{{.*}}, %[[SECOND]])
func.func @second() -> tensor<4x8xf32> attributes {coconet.ranks = array<i64: 2, 3>} {
  %0 = coconet.overlap chunks 2 along 0 {
    %1 = coconet.recv from "boundary" : tensor<4x8xf32, #sliced>
    %2 = coconet.all_gather %1 from 1 on {tp} : tensor<4x8xf32, #sliced> -> tensor<4x8xf32>
    coconet.yield %2 : tensor<4x8xf32>
  } : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
