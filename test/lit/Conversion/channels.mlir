// The receiver publishes a buffer; the sender copies, or computes, into it.
// RUN: coconet-opt %s --coconet-to-rank | FileCheck %s --check-prefix=RANK
// RUN: coconet-opt %s --coconet-to-rank --coconet-to-kernels | FileCheck %s --check-prefix=KERNEL
// RUN: coconet-opt %s --coconet-to-rank --coconet-to-kernels --coconet-bufferize | FileCheck %s --check-prefix=BUFFER
// RUN: coconet-opt %s --coconet-to-rank --coconet-rank-to-cpu | FileCheck %s --check-prefix=LLVM

#mesh = #coconet.mesh<tp = 2>
#sliced = #coconet.layout<#mesh, [{tp}, {}]>

// LLVM-DAG: "channel\0Afused\0A{{.*}}channels.mlir:[[#]]:[[#]] to {{.*}}channels.mlir:[[#]]:[[#]]\0Agroups 0,2 1,3\00"
// LLVM-DAG: "all_gather\0Aag\0A{{.*}}\0Agroups 2,3\00"

// RANK-LABEL: func.func @first
// KERNEL-LABEL: func.func @first
// BUFFER-LABEL: func.func @first
// LLVM-LABEL: llvm.func @_mlir__mlir_ciface_first(
func.func @first(%x: tensor<?x4xf32, #sliced> {coconet.dims = ["n", ""]})
    attributes {coconet.ranks = array<i64: 0, 1>} {
  // RANK: coconet.rank.send %{{.*}} to "plain" between [0, 1] and [2, 3] : tensor<?x4xf32>
  // KERNEL: %[[REMOTE:.*]] = coconet.symmetric_send_begin "plain" between [0, 1] and [2, 3] sizes(%{{.*}}) : tensor<?x4xf32>
  // KERNEL: %[[WRITTEN:.*]] = bufferization.materialize_in_destination %{{.*}} in %[[REMOTE]]
  // KERNEL: coconet.symmetric_send_end "plain" between [0, 1] and [2, 3] ins(%[[WRITTEN]] : tensor<?x4xf32>)
  // BUFFER: %[[REMOTE:.*]] = coconet.symmetric_send_begin "plain"
  // BUFFER: memref.copy %{{.*}}, %[[REMOTE]]
  // BUFFER: coconet.symmetric_send_end "plain"
  coconet.send %x to "plain" : tensor<?x4xf32, #sliced>
  // RANK: coconet.fused send {
  // RANK: coconet.rank.send %{{.*}} to "fused"
  // KERNEL: %[[INTO:.*]] = coconet.symmetric_send_begin "fused"
  // KERNEL: linalg.generic {{.*}} outs(%[[INTO]] : tensor<?x4xf32>)
  // No buffer of one's own, and no copy.
  // BUFFER-NOT: memref.alloc
  // BUFFER: %[[INTO:.*]] = coconet.symmetric_send_begin "fused"
  // BUFFER: linalg.generic {{.*}} outs(%[[INTO]] : memref<?x4xf32>)
  // BUFFER-NOT: memref.copy
  // BUFFER: return
  // LLVM: llvm.call @coconet_rt_start
  // LLVM: llvm.call @coconet_rt_wait
  // LLVM: llvm.call @coconet_rt_check_size
  // LLVM: llvm.call @coconet_rt_leave
  coconet.fused send {
    %0 = coconet.exp %x : tensor<?x4xf32, #sliced> -> tensor<?x4xf32, #sliced>
    coconet.send %0 to "fused" : tensor<?x4xf32, #sliced>
    coconet.yield
  }
  return
}

// RANK-LABEL: func.func @second
// BUFFER-LABEL: func.func @second
func.func @second(%n: tensor<?xf32> {coconet.dims = ["n"]}) -> tensor<?x4xf32>
    attributes {coconet.ranks = array<i64: 2, 3>} {
  // RANK: coconet.rank.recv from "plain" between [0, 1] and [2, 3] sizes(%{{.*}}) : tensor<?x4xf32>
  // BUFFER: %[[MINE:.*]] = memref.alloc
  // BUFFER: coconet.symmetric_recv "plain" between [0, 1] and [2, 3] outs(%[[MINE]]
  %0 = coconet.recv from "plain" dims ["n", ""] : tensor<?x4xf32, #sliced>
  %1 = coconet.recv from "fused" dims ["n", ""] : tensor<?x4xf32, #sliced>
  %2 = coconet.sub %0, %1 : tensor<?x4xf32, #sliced>, tensor<?x4xf32, #sliced> -> tensor<?x4xf32, #sliced>
  %3 = coconet.all_gather %2 from 0 on {tp} {coconet.name = "ag"} : tensor<?x4xf32, #sliced> -> tensor<?x4xf32>
  return %3 : tensor<?x4xf32>
}
