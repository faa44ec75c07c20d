// RUN: coconet-opt %s --fuse-allreduce | FileCheck %s
// RUN: coconet-opt %s --fuse-allreduce=slice-state | FileCheck %s --check-prefix=SLICED

#mesh = #coconet.mesh<dp = ?>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>

// Momentum SGD: all computation on slices, in one region, also what does not
// depend on the gradient; types of the function stay.
// CHECK-LABEL: func.func @momentum
// CHECK-SAME: %[[G:[^:]*]]: tensor<?xf32, #partial>, %[[P:[^:]*]]: tensor<?xf32> {{.*}}, %[[M:[^:]*]]: tensor<?xf32> {{.*}}) -> tensor<?xf32>
// SLICED-LABEL: func.func @momentum
// SLICED-SAME: %[[P:[^:]*]]: tensor<?xf32> {{.*}}, %[[M:[^:]*]]: tensor<?xf32, #sliced> {{.*}}) -> tensor<?xf32>
func.func @momentum(%g: tensor<?xf32, #partial>, %p: tensor<?xf32> {coconet.state}, %m: tensor<?xf32> {coconet.state}) -> tensor<?xf32> {
  // CHECK: %[[F:.*]]:2 = coconet.fused all_reduce {
  // CHECK-NOT: }
  // CHECK: coconet.reduce_scatter sum %[[G]] into 0 on {dp} {coconet.name = "avg.rs"}
  // CHECK: coconet.shard %[[M]] into 0
  // CHECK: coconet.mul
  // CHECK: coconet.add
  // CHECK: coconet.all_gather
  // CHECK: coconet.shard %[[P]] into 0
  // CHECK: coconet.sub
  // CHECK: coconet.all_gather
  // CHECK: } {coconet.name = "avg"}
  // CHECK: coconet.update %[[M]], %[[F]]#0
  // CHECK: %[[NEW:.*]] = coconet.update %[[P]], %[[F]]#1
  // CHECK: return %[[NEW]]
  // SLICED: %[[F:.*]]:2 = coconet.fused all_reduce {
  // SLICED-NOT: coconet.shard %[[M]]
  // SLICED: } {coconet.name = "avg"} : tensor<?xf32, #sliced>, tensor<?xf32>
  // SLICED: coconet.update %[[M]], %[[F]]#0 : tensor<?xf32, #sliced>
  %avg = coconet.all_reduce sum %g on {dp} {coconet.name = "avg"} : tensor<?xf32, #partial> -> tensor<?xf32>
  %c = coconet.constant dense<0.9> : tensor<f32>
  %0 = coconet.mul %m, %c : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  %1 = coconet.add %0, %avg : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
  %2 = coconet.update %m, %1 : tensor<?xf32>
  %3 = coconet.sub %p, %1 : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
  %4 = coconet.update %p, %3 : tensor<?xf32>
  return %4 : tensor<?xf32>
}
