// The ends of self-attention and of the MLP under their named schedules.
// DEFINE: %{attention} = coconet-opt --transform-preload-library=transform-library-paths=%examples/attention
// DEFINE: %{mlp} = coconet-opt --transform-preload-library=transform-library-paths=%examples/mlp
// RUN: %{attention}/mm_ar_c.mlir --transform-interpreter %examples/attention/base.mlir | FileCheck %s --check-prefixes=CHECK,AR
// RUN: %{attention}/mm_rs_c_ag.mlir --transform-interpreter %examples/attention/base.mlir | FileCheck %s --check-prefixes=CHECK,RS
// RUN: %{attention}/mm_fuse_rs_c_ag.mlir --transform-interpreter %examples/attention/base.mlir | FileCheck %s --check-prefixes=CHECK,FUSED
// RUN: %{mlp}/mm_ar_c.mlir --transform-interpreter %examples/mlp/base.mlir | FileCheck %s --check-prefixes=CHECK,AR
// RUN: %{mlp}/mm_rs_c_ag.mlir --transform-interpreter %examples/mlp/base.mlir | FileCheck %s --check-prefixes=CHECK,RS
// RUN: %{mlp}/mm_fuse_rs_c_ag.mlir --transform-interpreter %examples/mlp/base.mlir | FileCheck %s --check-prefixes=CHECK,FUSED

// CHECK: %[[PRODUCT:.*]] = coconet.matmul {{.*}} {coconet.name = "product"} : {{.*}} -> tensor<?x?x?xf32, #partial>

// AR: %[[SUM:.*]] = coconet.all_reduce sum %[[PRODUCT]] on {tp}
// AR: coconet.fused computation {
// AR: coconet.add %[[SUM]], %{{.*}} : tensor<?x?x?xf32>, tensor<?xf32>
// AR: coconet.dropout
// AR: coconet.add
// AR: } {coconet.name = "end"}

// RS: coconet.reduce_scatter sum %[[PRODUCT]] into 1 on {tp}
// RS: coconet.dropout {{.*}} tensor<?x?x?xf32, #sliced
// RS: coconet.shard {{.*}} into 1 on {tp} : tensor<?x?x?xf32> ->
// RS: coconet.all_gather {{.*}} from 1 on {tp}

// FUSED: coconet.fused all_reduce {
// FUSED-NEXT: coconet.reduce_scatter sum %[[PRODUCT]] into 1 on {tp}
// FUSED: coconet.dropout
// FUSED: %[[WHOLE:.*]] = coconet.all_gather
// FUSED-NEXT: coconet.yield %[[WHOLE]]
