# The files beside the example are what it writes, and each schedule equals the program.
#
# RUN: rm -rf %t && mkdir %t
# RUN: %python %examples/data_parallel_adam.py %t | FileCheck %s
# RUN: diff %examples/data_parallel_adam.mlir %t/data_parallel_adam.mlir
# RUN: diff %examples/data_parallel_adam.rs_opt_ag.mlir %t/data_parallel_adam.rs_opt_ag.mlir
# RUN: diff %examples/data_parallel_adam.fused.mlir %t/data_parallel_adam.fused.mlir
# RUN: diff %examples/data_parallel_adam.fused_sliced.mlir %t/data_parallel_adam.fused_sliced.mlir
# RUN: coconet check %examples/data_parallel_adam.mlir \
# RUN:   --schedule %examples/data_parallel_adam.fused_sliced.mlir --ranks 3 \
# RUN:   | FileCheck %s --check-prefix=THREE
# RUN: coconet-opt %examples/data_parallel_adam.mlir --fuse-allreduce \
# RUN:   | FileCheck %s --check-prefix=FUSED
#
# CHECK: @adam on mesh dp = ?
# CHECK: all_reduce avg {dp} dp 2 (dp - 1)/dp x 4 n B
# CHECK: rs_opt_ag: equivalent on 4 ranks
# CHECK: reduce_scatter avg.rs
# CHECK-COUNT-3: all_gather avg.ag
# CHECK-NOT: fused
# CHECK: fused: equivalent on 4 ranks
# CHECK: all_reduce "adam": reduce_scatter, 3 all_gather, 14 pointwise ops
# CHECK: fused_sliced: equivalent on 4 ranks
# CHECK: p nxf32 state, replicated
# CHECK-NEXT: m nxf32 state, dimension 0 cut by dp
# CHECK-NEXT: v nxf32 state, dimension 0 cut by dp
# CHECK: all_reduce "adam": reduce_scatter, all_gather, 14 pointwise ops
#
# THREE: equivalent on 3 ranks
#
# FUSED: coconet.fused all_reduce
# FUSED: coconet.reduce_scatter sum
# FUSED-COUNT-3: coconet.all_gather
