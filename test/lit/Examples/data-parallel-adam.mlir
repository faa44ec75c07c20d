// The schedules beside the program, and the automatic one, give one kernel.
// RUN: coconet-opt %examples/data_parallel_adam.mlir --fuse-allreduce | FileCheck %s --check-prefixes=CHECK,FUSED
// RUN: coconet-opt %examples/data_parallel_adam.mlir --transform-preload-library=transform-library-paths=%examples/data_parallel_adam.fused.mlir --transform-interpreter | FileCheck %s --check-prefixes=CHECK,FUSED
// RUN: coconet-opt %examples/data_parallel_adam.mlir --transform-preload-library=transform-library-paths=%examples/data_parallel_adam.fused_sliced.mlir --transform-interpreter | FileCheck %s --check-prefixes=CHECK,SLICED
// RUN: coconet-opt %examples/data_parallel_adam.mlir --transform-preload-library=transform-library-paths=%examples/data_parallel_adam.rs_opt_ag.mlir --transform-interpreter | FileCheck %s --check-prefix=SPLIT

// CHECK-LABEL: func.func @adam
// FUSED-SAME: %arg2: tensor<?xf32> {coconet.arg_name = "m"
// SLICED-SAME: %arg2: tensor<?xf32, #sliced> {coconet.arg_name = "m"
// CHECK: coconet.fused all_reduce {
// CHECK: coconet.reduce_scatter sum
// FUSED-COUNT-3: coconet.all_gather
// SLICED: coconet.all_gather
// SLICED-NOT: coconet.all_gather
// CHECK: coconet.yield
// CHECK-NEXT: }
// CHECK-NOT: coconet.all_reduce
// CHECK-NOT: coconet.all_gather

// SPLIT-NOT: coconet.fused
// SPLIT: coconet.reduce_scatter
// SPLIT-COUNT-3: coconet.all_gather
