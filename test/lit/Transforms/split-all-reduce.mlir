// RUN: coconet-opt %s --coconet-split-all-reduce=name=avg | FileCheck %s
// RUN: coconet-opt %s "--coconet-split-all-reduce=name=avg flat" | FileCheck %s --check-prefix=FLAT
// RUN: coconet-opt %s --coconet-split-all-reduce=name=avg --coconet-merge-all-reduce=name=avg.rs | FileCheck %s --check-prefix=MERGED

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : max}>

// CHECK: #sliced = #coconet.layout<#mesh, {{\[}}{dp}, {}]>
// FLAT: #sliced = #coconet.layout<#mesh, flat = {dp}>
// CHECK-LABEL: func.func @split
func.func @split(%g: tensor<9x3xf32, #partial>) -> tensor<9x3xf32> {
  // CHECK: %[[RS:.*]] = coconet.reduce_scatter max %{{.*}} into 0 on {dp} {coconet.name = "avg.rs"} : {{.*}} -> tensor<9x3xf32, #sliced>
  // CHECK: %[[AG:.*]] = coconet.all_gather %[[RS]] from 0 on {dp} {coconet.name = "avg.ag"}
  // CHECK: return %[[AG]]
  // FLAT: coconet.reduce_scatter max %{{.*}} into flat on {dp} {{.*}} -> tensor<9x3xf32, #sliced>
  // FLAT: coconet.all_gather %{{.*}} from flat on {dp}
  // MERGED: %[[AR:.*]] = coconet.all_reduce max %{{.*}} on {dp} {coconet.name = "avg"}
  // MERGED-NEXT: return %[[AR]]
  %0 = coconet.all_reduce max %g on {dp} {coconet.name = "avg"} : tensor<9x3xf32, #partial> -> tensor<9x3xf32>
  return %0 : tensor<9x3xf32>
}
