// The states of a fused optimizer step are written in place: nothing is
// allocated and nothing copied.
// RUN: coconet-opt %s --fuse-allreduce --coconet-lower-to-rank --coconet-to-kernels --coconet-bufferize | FileCheck %s

#mesh = #coconet.mesh<dp = 2>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>

// CHECK-LABEL: func.func @momentum
// CHECK-SAME: (%[[G:.*]]: memref<?xf32> {{.*}}, %[[P:.*]]: memref<?xf32> {{.*}}, %[[M:.*]]: memref<?xf32>
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: coconet.symmetric_kernel 0 on {dp} of #{{.*}} ins(%[[G]], %[[M]], %[[P]] : {{.*}}) outs(%[[M]], %[[P]] :
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: return{{$}}
func.func @momentum(%g: tensor<?xf32, #partial> {coconet.dims = ["n"]},
                    %p: tensor<?xf32> {coconet.state, coconet.dims = ["n"]},
                    %m: tensor<?xf32> {coconet.state, coconet.dims = ["n"]}) {
  %b = coconet.constant dense<0.9> : tensor<f32>
  %s = coconet.all_reduce sum %g on {dp} : tensor<?xf32, #partial> -> tensor<?xf32>
  %n = coconet.mul %m, %b : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  %o = coconet.add %n, %s : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
  %q = coconet.sub %p, %o : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
  %um = coconet.update %m, %o : tensor<?xf32>
  %up = coconet.update %p, %q : tensor<?xf32>
  return
}

// A later read of the old state keeps it: the new value is made aside, and
// copied at the end.
// CHECK-LABEL: func.func @old
// CHECK-SAME: (%[[P:.*]]: memref<4xf32>
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: linalg.generic {{.*}} ins(%[[P]] : {{.*}}) outs(%[[A]] :
// CHECK: linalg.generic {{.*}} ins(%[[A]], %[[P]] :
// CHECK: memref.copy %[[A]], %[[P]]
func.func @old(%p: tensor<4xf32> {coconet.state}) -> tensor<4xf32> {
  %n = coconet.neg %p : tensor<4xf32> -> tensor<4xf32>
  %u = coconet.update %p, %n : tensor<4xf32>
  %d = coconet.sub %u, %p : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %d : tensor<4xf32>
}
