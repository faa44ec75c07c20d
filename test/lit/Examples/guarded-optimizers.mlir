// Global-norm clip and loss scale: on slices each reduction is completed over the ranks before
// anything is updated, and one condition serves all parameters.
// DEFINE: %{adamw} = coconet-opt --transform-preload-library=transform-library-paths=%examples/adamw_guarded
// DEFINE: %{lamb} = coconet-opt --transform-preload-library=transform-library-paths=%examples/lamb_guarded
// RUN: %{adamw}/ar_opt.mlir --transform-interpreter %examples/adamw_guarded/base.mlir | FileCheck %s --check-prefix=AR
// RUN: %{adamw}/rs_opt_ag.mlir --transform-interpreter %examples/adamw_guarded/base.mlir | FileCheck %s --check-prefixes=RS,STEP
// RUN: %{adamw}/rs_fuse_opt_ag.mlir --transform-interpreter %examples/adamw_guarded/base.mlir | FileCheck %s --check-prefixes=RS,FUSED,WHOLE
// RUN: %{adamw}/rs_fuse_opt_ag_sliced_state.mlir --transform-interpreter %examples/adamw_guarded/base.mlir | FileCheck %s --check-prefixes=RS,FUSED
// RUN: coconet check %examples/sgd_guarded | FileCheck %s --check-prefix=SGD
// RUN: %{lamb}/ar_opt.mlir --transform-interpreter %examples/lamb_guarded/base.mlir | FileCheck %s --check-prefix=AR
// RUN: %{lamb}/rs_opt_ag.mlir --transform-interpreter %examples/lamb_guarded/base.mlir | FileCheck %s --check-prefixes=RS,STEP
// RUN: %{lamb}/rs_fuse_opt_ag_sliced_state.mlir --transform-interpreter %examples/lamb_guarded/base.mlir | FileCheck %s --check-prefixes=RS,LAMB

// AR-COUNT-2: coconet.all_reduce sum
// AR-COUNT-2: coconet.reduce max
// AR-NOT: coconet.all_reduce
// AR: coconet.fused computation
// AR: } {coconet.name = "opt_w"}
// AR: } {coconet.name = "opt_b"}

// RS: coconet.reduce_scatter sum %arg0
// RS: coconet.reduce_scatter sum %arg5
// RS: coconet.reduce max {{.*}} -> tensor<f32, #partial
// RS: coconet.all_reduce max {{.*}}name = "stats_w.ar"
// RS: coconet.reduce max
// RS: coconet.all_reduce max {{.*}}name = "stats_b.ar"
// RS: %[[INF:.*]] = coconet.compare gt
// RS: coconet.all_reduce sum {{.*}}name = "stats_w.ar"
// RS: coconet.all_reduce sum {{.*}}name = "stats_b.ar"
// RS: coconet.sqrt

// STEP: coconet.select %[[INF]], %arg4, {{.*}} : tensor<i1>, tensor<i32>
// STEP: coconet.select %[[INF]], {{.*}}name = "opt_w"
// STEP: coconet.all_gather {{.*}}name = "g_w.ag"
// STEP: coconet.select %[[INF]], %arg9
// STEP: return %[[INF]] : tensor<i1>

// FUSED: coconet.fused computation
// FUSED-COUNT-3: coconet.select %[[INF]], {{.*}}name = "opt_w"
// FUSED: } {coconet.name = "opt_w"}
// WHOLE-COUNT-2: coconet.all_gather {{.*}}name = "g_w.ag"
// FUSED: coconet.all_gather {{.*}}name = "g_w.ag"
// FUSED-NOT: name = "g_w.ag"
// FUSED: } {coconet.name = "opt_b"}

// LAMB: } {coconet.name = "opt_w"}
// LAMB: coconet.all_reduce sum {{.*}}name = "trust_w.ar"
// LAMB: coconet.select %[[INF]], {{.*}}name = "step_w"
// LAMB: } {coconet.name = "step_w"}

// SGD: base.mlir ar_opt.mlir{{ +}}equivalent on 3 ranks
// SGD: 4 schedules of 1 program: all passed
