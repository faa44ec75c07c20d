// LAMB: the norm of the step is that of the whole parameter under every schedule.
// DEFINE: %{apply} = coconet-opt --transform-preload-library=transform-library-paths=%examples/lamb
// RUN: %{apply}/ar_opt.mlir --transform-interpreter %examples/lamb/base.mlir | FileCheck %s --check-prefix=AR
// RUN: %{apply}/rs_opt_ag.mlir --transform-interpreter %examples/lamb/base.mlir | FileCheck %s --check-prefixes=NORM,RS
// RUN: %{apply}/fuse_rs_opt_ag.mlir --transform-interpreter %examples/lamb/base.mlir | FileCheck %s --check-prefixes=NORM,FUSED,WHOLE
// RUN: %{apply}/fuse_rs_opt_ag_sliced_state.mlir --transform-interpreter %examples/lamb/base.mlir | FileCheck %s --check-prefixes=NORM,FUSED,SLICED

// AR: coconet.all_reduce sum %arg0 on {dp}
// AR: coconet.fused computation
// AR: } {coconet.name = "opt_p"}
// AR: coconet.reduce sum {{.*}}name = "trust_p"{{.*}}-> tensor<f32>
// AR-NOT: coconet.all_reduce
// AR: coconet.fused computation
// AR: } {coconet.name = "step_p"}

// SLICED: tensor<?xf32, #sliced> {coconet.arg_name = "m_p"
// SLICED-SAME: tensor<?xf32, #sliced> {coconet.arg_name = "v_p"
// One region, of two phases, with the exchange of norms between.
// FUSED: coconet.fused all_reduce {
// NORM: coconet.reduce_scatter sum %arg0 into 0 on {dp}
// WHOLE-COUNT-2: coconet.all_gather
// NORM: coconet.reduce sum {{.*}}name = "trust_p"{{.*}}-> tensor<f32, #partial>
// NORM-NEXT: coconet.all_reduce sum
// NORM: %[[SQUARES:.*]] = coconet.reduce sum {{.*}}name = "trust_p"{{.*}}-> tensor<f32, #partial>
// NORM-NEXT: %[[TOTAL:.*]] = coconet.all_reduce sum %[[SQUARES]] on {dp} {coconet.name = "trust_p.ar"}
// NORM-NEXT: coconet.sqrt %[[TOTAL]]
// RS-NOT: coconet.fused
// NORM: coconet.all_gather {{.*}}name = "g_p.ag"
// NORM-NOT: coconet.all_gather
// FUSED: } {coconet.name = "step_p"}
// NORM: return
