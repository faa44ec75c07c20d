// Adam under its named schedules.
// DEFINE: %{apply} = coconet-opt --transform-preload-library=transform-library-paths=%examples/adam
// RUN: %{apply}/ar_opt.mlir --transform-interpreter %examples/adam/base.mlir | FileCheck %s --check-prefixes=CHECK,WHOLE,AR
// RUN: %{apply}/rs_opt_ag.mlir --transform-interpreter %examples/adam/base.mlir | FileCheck %s --check-prefixes=CHECK,WHOLE,RS
// RUN: %{apply}/fuse_rs_opt_ag.mlir --transform-interpreter %examples/adam/base.mlir | FileCheck %s --check-prefixes=CHECK,WHOLE,FUSED
// RUN: %{apply}/fuse_rs_opt_ag_sliced_state.mlir --transform-interpreter %examples/adam/base.mlir | FileCheck %s --check-prefixes=CHECK,FUSED,SLICED

// CHECK-LABEL: func.func @adam
// CHECK-SAME: tensor<?xf32> {coconet.arg_name = "p"
// WHOLE-SAME: tensor<?xf32> {coconet.arg_name = "m_p"
// SLICED-SAME: tensor<?xf32, #sliced> {coconet.arg_name = "m_p"

// AR: %[[SUM:.*]] = coconet.all_reduce sum %arg0 on {dp}
// AR: coconet.fused computation {
// AR: coconet.mul {{.*}}, %[[SUM]] {coconet.name = "opt_p"}
// AR: } {coconet.name = "opt_p"}

// RS: coconet.reduce_scatter sum %arg0 into 0 on {dp}
// RS-NOT: coconet.fused
// RS-COUNT-3: coconet.all_gather

// FUSED: coconet.fused all_reduce {
// FUSED-NEXT: coconet.reduce_scatter sum %arg0 into 0 on {dp}
// FUSED: coconet.all_gather
// SLICED-NOT: coconet.all_gather
// FUSED: } {coconet.name = "step_p"}
// CHECK-NOT: coconet.all_gather
// CHECK: coconet.update
