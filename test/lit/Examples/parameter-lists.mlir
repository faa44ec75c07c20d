// Adam over a list of parameters under its named schedules.
// DEFINE: %{apply} = coconet-opt --transform-preload-library=transform-library-paths=%examples/adam_list
// RUN: %{apply}/ar_opt.mlir --transform-interpreter %examples/adam_list/base.mlir | FileCheck %s --check-prefixes=CHECK,WHOLE,AR
// RUN: %{apply}/rs_opt_ag.mlir --transform-interpreter %examples/adam_list/base.mlir | FileCheck %s --check-prefixes=CHECK,WHOLE,RS
// RUN: %{apply}/fuse_rs_opt_ag.mlir --transform-interpreter %examples/adam_list/base.mlir | FileCheck %s --check-prefixes=CHECK,WHOLE,FUSED
// RUN: %{apply}/fuse_rs_opt_ag_sliced_state.mlir --transform-interpreter %examples/adam_list/base.mlir | FileCheck %s --check-prefixes=CHECK,FUSED,SLICED

// CHECK-LABEL: func.func @adam_list
// CHECK-SAME: tensor<?x?xf32> {coconet.arg_name = "p.0"
// CHECK-SAME: tensor<?xf32> {coconet.arg_name = "p.1"
// WHOLE-SAME: tensor<?x?xf32> {coconet.arg_name = "m_p.0"
// SLICED-SAME: tensor<?x?xf32, #{{.*}}> {coconet.arg_name = "m_p.0"

// CHECK: coconet.for_each 2 of
// AR: coconet.all_reduce sum
// AR: coconet.fused computation {

// RS: coconet.reduce_scatter sum {{.*}} into 0 on {dp}
// RS-NOT: coconet.fused
// RS-COUNT-3: coconet.all_gather

// FUSED: coconet.fused all_reduce {
// FUSED-NEXT: coconet.reduce_scatter sum {{.*}} into 0 on {dp}
// FUSED: coconet.all_gather
// SLICED-NOT: coconet.all_gather
// CHECK: coconet.yield
// CHECK-COUNT-6: coconet.update
