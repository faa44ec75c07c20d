// AdamW of one parameter and of two: decay of the parameter's own slice, one kernel for each.
// DEFINE: %{one} = coconet-opt --transform-preload-library=transform-library-paths=%examples/adamw
// DEFINE: %{two} = coconet-opt --transform-preload-library=transform-library-paths=%examples/adamw_layer
// RUN: %{one}/ar_opt.mlir --transform-interpreter %examples/adamw/base.mlir | FileCheck %s --check-prefix=AR
// RUN: %{one}/rs_opt_ag.mlir --transform-interpreter %examples/adamw/base.mlir | FileCheck %s --check-prefix=RS
// RUN: %{one}/fuse_rs_opt_ag.mlir --transform-interpreter %examples/adamw/base.mlir | FileCheck %s --check-prefix=FUSED
// RUN: %{one}/fuse_rs_opt_ag_sliced_state.mlir --transform-interpreter %examples/adamw/base.mlir | FileCheck %s --check-prefix=SLICED
// RUN: %{two}/ar_opt.mlir --transform-interpreter %examples/adamw_layer/base.mlir | FileCheck %s --check-prefix=AR2
// RUN: %{two}/rs_opt_ag.mlir --transform-interpreter %examples/adamw_layer/base.mlir | FileCheck %s --check-prefix=RS2
// RUN: %{two}/fuse_rs_opt_ag.mlir --transform-interpreter %examples/adamw_layer/base.mlir | FileCheck %s --check-prefix=FUSED2
// RUN: %{two}/fuse_rs_opt_ag_sliced_state.mlir --transform-interpreter %examples/adamw_layer/base.mlir | FileCheck %s --check-prefix=SLICED2

// AR: func.func @adamw
// AR: coconet.all_reduce sum %arg0 on {dp}
// AR: coconet.fused computation {
// AR: coconet.mul %{{.*}}, %arg1 {coconet.name = "opt_p"}

// RS: coconet.reduce_scatter sum %arg0 into 0 on {dp}
// RS: %[[P:.*]] = coconet.shard %arg1 into 0 on {dp}
// RS: coconet.mul %{{.*}}, %[[P]] {coconet.name = "opt_p"}
// RS: coconet.all_gather

// FUSED: coconet.fused all_reduce {
// FUSED-COUNT-3: coconet.all_gather
// FUSED: } {coconet.name = "step_p"}

// SLICED: coconet.fused all_reduce {
// SLICED: coconet.all_gather
// SLICED-NOT: coconet.all_gather
// SLICED: } {coconet.name = "step_p"}

// AR2: coconet.all_reduce sum %arg0 {{.*}}tensor<?x?xf32>
// AR2: coconet.all_reduce sum %arg5 {{.*}}tensor<?xf32>
// AR2-COUNT-2: coconet.fused computation

// RS2: coconet.reduce_scatter sum %arg0 into 0
// RS2: coconet.reduce_scatter sum %arg5 into 0
// RS2-COUNT-3: coconet.all_gather {{.*}}name = "g_w.ag"
// RS2-COUNT-3: coconet.all_gather {{.*}}name = "g_b.ag"

// FUSED2: coconet.fused all_reduce {
// FUSED2: } {coconet.name = "step_w"}
// FUSED2: coconet.fused all_reduce {
// FUSED2: } {coconet.name = "step_b"}

// SLICED2-DAG: tensor<?x?xf32, #sliced> {coconet.arg_name = "m_w"
// SLICED2-DAG: tensor<?x?xf32, #sliced> {coconet.arg_name = "v_w"
// SLICED2-DAG: tensor<?xf32, #sliced1> {coconet.arg_name = "m_b"
// SLICED2-DAG: tensor<?xf32, #sliced1> {coconet.arg_name = "v_b"
// SLICED2: } {coconet.name = "step_w"}
// SLICED2: } {coconet.name = "step_b"}
