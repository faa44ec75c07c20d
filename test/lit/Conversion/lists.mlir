// A fused region over lists is one kernel, states in place; what has no kernel
// over lists is written once for each tensor.
// RUN: coconet-opt %s --coconet-lower-to-rank --coconet-to-kernels --cse --coconet-bufferize | FileCheck %s
// RUN: coconet-opt %s --coconet-to-cpu | FileCheck %s --check-prefix=LLVM

#mesh = #coconet.mesh<dp = 4>
#pending = #coconet.layout<#mesh, partial = {dp : sum}>
#flat = #coconet.layout<#mesh, flat = {dp}>

// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[G0:[^:]*]]: memref<8x4xf32> {{.*}}, %[[G1:[^:]*]]: memref<5xf32> {{.*}}, %[[P0:[^:]*]]: memref<8x4xf32> {{.*}}, %[[P1:[^:]*]]: memref<5xf32> {{.*}}, %[[M0:[^:]*]]: memref<8xf32> {{.*}}, %[[M1:[^:]*]]: memref<?xf32> {{.*}}, %[[C:[^:]*]]: memref<f32>
// CHECK-NOT: alloc
// CHECK: coconet.list_kernel 2 on {dp} of #mesh ins(%[[G0]], %[[G1]], %[[M0]], %[[M1]], %[[P0]], %[[P1]] : {{.*}}) with(%[[C]] : memref<f32>) outs(%[[M0]], %[[M1]], %[[P0]], %[[P1]] : {{.*}}) attributes {accesses = [#coconet<access reduce>, #coconet<access chunk>, #coconet<access slice>, #coconet<access chunk>, #coconet<access gather>]
// CHECK-NOT: memref.copy
// CHECK: return

// A table on the stack, filled by loops over arguments that follow each other;
// one loop over the tensors, and in it the loops over vectors and over the rest:
// the same for any number of tensors.
// LLVM-LABEL: llvm.func @_mlir__mlir_ciface_step(
// LLVM: llvm.alloca
// LLVM-NOT: llvm.alloca
// LLVM-COUNT-3: llvm.cond_br
// LLVM: llvm.call @coconet_rt_enter
// LLVM-NOT: llvm.call @coconet_rt_enter
// LLVM-COUNT-3: llvm.cond_br
// LLVM-NOT: llvm.cond_br
// LLVM: llvm.call @coconet_rt_leave
func.func @step(%g0: tensor<8x4xf32, #pending>, %g1: tensor<5xf32, #pending>, %p0: tensor<8x4xf32> {coconet.state}, %p1: tensor<5xf32> {coconet.state},
    %m0: tensor<8x4xf32, #flat> {coconet.state}, %m1: tensor<5xf32, #flat> {coconet.state}, %c: tensor<f32>) {
  %r:4 = coconet.for_each 2 of (%g0, %g1, %p0, %p1, %m0, %m1 : tensor<8x4xf32, #pending>, tensor<5xf32, #pending>, tensor<8x4xf32>, tensor<5xf32>, tensor<8x4xf32, #flat>, tensor<5xf32, #flat>) {
  ^bb0(%g: tensor<?xf32, #pending>, %p: tensor<?xf32>, %m: tensor<?xf32, #flat>):
    %f:2 = coconet.fused all_reduce {
      %s = coconet.reduce_scatter sum %g into flat on {dp} : tensor<?xf32, #pending> -> tensor<?xf32, #flat>
      %n = coconet.add %s, %m : tensor<?xf32, #flat>, tensor<?xf32, #flat> -> tensor<?xf32, #flat>
      %o = coconet.mul %n, %c : tensor<?xf32, #flat>, tensor<f32> -> tensor<?xf32, #flat>
      %q = coconet.sub %p, %o : tensor<?xf32>, tensor<?xf32, #flat> -> tensor<?xf32, #flat>
      %w = coconet.all_gather %q from flat on {dp} : tensor<?xf32, #flat> -> tensor<?xf32>
      coconet.yield %w, %n : tensor<?xf32>, tensor<?xf32, #flat>
    } : tensor<?xf32>, tensor<?xf32, #flat>
    coconet.yield %f#0, %f#1 : tensor<?xf32>, tensor<?xf32, #flat>
  } -> tensor<8x4xf32>, tensor<5xf32>, tensor<8x4xf32, #flat>, tensor<5xf32, #flat>
  %0 = coconet.update %p0, %r#0 : tensor<8x4xf32>
  %1 = coconet.update %p1, %r#1 : tensor<5xf32>
  %2 = coconet.update %m0, %r#2 : tensor<8x4xf32, #flat>
  %3 = coconet.update %m1, %r#3 : tensor<5xf32, #flat>
  return
}

// Squares are folded, one for each tensor, and reduced at once.
// CHECK-LABEL: func.func @norms
// CHECK-SAME: %[[X:[^:]*]]: memref<8xf32> {{.*}}, %[[Y:[^:]*]]: memref<?xf32>
// CHECK-NOT: memref<?xf32>
// CHECK: coconet.list_kernel 2 ins(%[[X]], %[[Y]] : {{.*}}) outs({{.*}} : memref<f32>, memref<f32>) attributes {accesses = [#coconet<access chunk>, #coconet<access fold>], reductions = [#coconet<reduction sum>]}
// CHECK: arith.mulf
// CHECK: coconet.list_kernel 2 on {dp} of #mesh ins({{.*}} : memref<f32>, memref<f32>) {{.*}}accesses = [#coconet<access reduce>, #coconet<access gather>]
// CHECK: coconet.list_kernel 2 ins({{.*}} : memref<f32>, memref<f32>) {{.*}}accesses = [#coconet<access shared>, #coconet<access chunk>]
func.func @norms(%x: tensor<8x4xf32, #flat>, %y: tensor<5xf32, #flat>) -> (tensor<f32>, tensor<f32>) {
  %r:2 = coconet.for_each 2 of (%x, %y : tensor<8x4xf32, #flat>, tensor<5xf32, #flat>) {
  ^bb0(%a: tensor<?xf32, #flat>):
    %n = coconet.norm %a : tensor<?xf32, #flat> -> tensor<f32>
    coconet.yield %n : tensor<f32>
  } -> tensor<f32>, tensor<f32>
  return %r#0, %r#1 : tensor<f32>, tensor<f32>
}

// CHECK-LABEL: func.func @unrolled
// CHECK-COUNT-2: coconet.symmetric_kernel {{.*}}coconet.algorithm = "one_shot"
func.func @unrolled(%x: tensor<8xf32, #pending>, %y: tensor<5xf32, #pending>) -> (tensor<8xf32>, tensor<5xf32>) {
  %r:2 = coconet.for_each 2 of (%x, %y : tensor<8xf32, #pending>, tensor<5xf32, #pending>) {
  ^bb0(%a: tensor<?xf32, #pending>):
    %n = coconet.all_reduce sum %a on {dp} {coconet.algorithm = "one_shot"} : tensor<?xf32, #pending> -> tensor<?xf32>
    coconet.yield %n : tensor<?xf32>
  } -> tensor<8xf32>, tensor<5xf32>
  return %r#0, %r#1 : tensor<8xf32>, tensor<5xf32>
}
