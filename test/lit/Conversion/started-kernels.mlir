// RUN: coconet-opt %s --coconet-to-kernels --cse | FileCheck %s --check-prefix=KERNELS
// RUN: coconet-opt %s --coconet-to-kernels --cse --coconet-bufferize | FileCheck %s --check-prefix=BUFFERS
// RUN: coconet-opt %s --coconet-rank-to-cpu | FileCheck %s --check-prefix=CALLS

#mesh = #coconet.mesh<tp = 2>

// What is published is not copied, not freed and not written before the kernel
// is done; two results under way do not share a buffer.
// KERNELS-LABEL: func.func @two
// KERNELS: %[[S0:.*]]:2 = coconet.symmetric_start on {tp} of #mesh ins(%[[X:.*]] : tensor<64xf32>) outs(%{{.*}} : tensor<64xf32>) {coconet.name = "a", coconet.started = "all_reduce 0"} -> tensor<64xf32>, tensor<64xf32>
// KERNELS: %[[S1:.*]]:2 = coconet.symmetric_start {{.*}} {coconet.name = "b", coconet.started = "all_reduce 1"}
// KERNELS: linalg.generic
// KERNELS: %[[K0:.*]] = coconet.symmetric_kernel {{.*}} ins(%[[S0]]#0 : tensor<64xf32>) outs(%[[S0]]#1 : tensor<64xf32>) attributes {{{.*}}coconet.started = "all_reduce 0"
// KERNELS: coconet.symmetric_kernel {{.*}} ins(%[[S1]]#0 : tensor<64xf32>) outs(%[[S1]]#1 : tensor<64xf32>) attributes {{{.*}}coconet.started = "all_reduce 1"

// BUFFERS-LABEL: func.func @two
// BUFFERS-SAME: (%[[X:.*]]: memref<64xf32>)
// BUFFERS-NOT: memref.copy
// BUFFERS-NOT: linalg
// BUFFERS: coconet.symmetric_start on {tp} of #mesh ins(%[[X]] : memref<64xf32>) outs(%[[A:.*]] : memref<64xf32>) {coconet.name = "a"
// BUFFERS: coconet.symmetric_start on {tp} of #mesh ins(%[[X]] : memref<64xf32>) outs(%[[B:.*]] : memref<64xf32>) {coconet.name = "b"
// BUFFERS-NOT: dealloc
// BUFFERS: linalg.generic {{.*}} ins(%[[X]] : memref<64xf32>) outs(%[[N:.*]] : memref<64xf32>)
// BUFFERS-NOT: dealloc
// BUFFERS: coconet.symmetric_kernel {{.*}} ins(%[[X]] : memref<64xf32>) outs(%[[A]] : memref<64xf32>)
// BUFFERS: coconet.symmetric_kernel {{.*}} ins(%[[X]] : memref<64xf32>) outs(%[[B]] : memref<64xf32>)

// CALLS-LABEL: llvm.func @_mlir__mlir_ciface_two(
// CALLS: llvm.call @coconet_rt_start(%{{.*}}, %[[A:.*]], %{{.*}}, %{{.*}})
// CALLS: llvm.call @coconet_rt_start(%{{.*}}, %[[B:.*]], %{{.*}}, %{{.*}})
// CALLS: llvm.call @coconet_rt_wait(%{{.*}}, %[[A]])
// CALLS: llvm.call @coconet_rt_leave(%{{.*}}, %[[A]])
// CALLS: llvm.call @coconet_rt_wait(%{{.*}}, %[[B]])
// CALLS: llvm.call @coconet_rt_leave(%{{.*}}, %[[B]])
// CALLS-NOT: coconet_rt_enter
func.func @two(%x: tensor<64xf32>) -> tensor<64xf32> {
  %f = coconet.rank.start {
    %0 = coconet.rank.all_reduce sum %x on {tp} of #mesh {coconet.name = "a"} : tensor<64xf32> -> tensor<64xf32>
    coconet.yield %0 : tensor<64xf32>
  } : !coconet.future<tensor<64xf32>>
  %g = coconet.rank.start {
    %0 = coconet.rank.all_reduce max %x on {tp} of #mesh {coconet.name = "b"} : tensor<64xf32> -> tensor<64xf32>
    coconet.yield %0 : tensor<64xf32>
  } : !coconet.future<tensor<64xf32>>
  %n = coconet.neg %x : tensor<64xf32> -> tensor<64xf32>
  %a = coconet.rank.wait %f : !coconet.future<tensor<64xf32>> -> tensor<64xf32>
  %b = coconet.rank.wait %g : !coconet.future<tensor<64xf32>> -> tensor<64xf32>
  %s = coconet.add %a, %b : tensor<64xf32>, tensor<64xf32> -> tensor<64xf32>
  %t = coconet.add %s, %n : tensor<64xf32>, tensor<64xf32> -> tensor<64xf32>
  return %t : tensor<64xf32>
}

// A state that is published is overwritten when its readers are done.
// BUFFERS-LABEL: func.func @state
// BUFFERS: coconet.symmetric_start {{.*}} ins(%[[S:arg[0-9]+]] : memref<64xf32>)
// BUFFERS: linalg.generic {{.*}} outs(%[[NEW:[a-z0-9_]+]] : memref<64xf32>)
// BUFFERS: coconet.symmetric_kernel {{.*}} ins(%[[S]] : memref<64xf32>)
// BUFFERS: memref.copy %[[NEW]], %[[S]]
func.func @state(%s: tensor<64xf32> {coconet.state}, %x: tensor<64xf32>) -> (tensor<64xf32>) {
  %f = coconet.rank.start {
    %0 = coconet.rank.all_reduce sum %s on {tp} of #mesh : tensor<64xf32> -> tensor<64xf32>
    coconet.yield %0 : tensor<64xf32>
  } : !coconet.future<tensor<64xf32>>
  %n = coconet.add %s, %x : tensor<64xf32>, tensor<64xf32> -> tensor<64xf32>
  %u = coconet.update %s, %n : tensor<64xf32>
  %a = coconet.rank.wait %f : !coconet.future<tensor<64xf32>> -> tensor<64xf32>
  return %a : tensor<64xf32>
}

// One member has nobody to wait for.
// KERNELS-LABEL: func.func @alone
// KERNELS-NOT: symmetric_start
// KERNELS: coconet.symmetric_kernel
func.func @alone(%x: tensor<64xf32>) -> tensor<64xf32> {
  %f = coconet.rank.start {
    %0 = coconet.rank.all_reduce sum %x on {tp} of <tp = 1> : tensor<64xf32> -> tensor<64xf32>
    coconet.yield %0 : tensor<64xf32>
  } : !coconet.future<tensor<64xf32>>
  %a = coconet.rank.wait %f : !coconet.future<tensor<64xf32>> -> tensor<64xf32>
  return %a : tensor<64xf32>
}
