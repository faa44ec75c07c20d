// Schedules that communicate a chunk while the next one is computed.
// DEFINE: %{apply} = coconet-opt --transform-preload-library=transform-library-paths=%examples
// RUN: %{apply}/attention/ol_mm_ar_c.mlir --transform-interpreter %examples/attention/base.mlir | FileCheck %s --check-prefix=AR
// RUN: %{apply}/mlp/ol_mm_ar_c.mlir --transform-interpreter %examples/mlp/base.mlir | FileCheck %s --check-prefix=AR
// RUN: %{apply}/attention/ol_mm_fuse_rs_c_ag.mlir --transform-interpreter %examples/attention/base.mlir | FileCheck %s --check-prefix=FUSED
// RUN: %{apply}/sequence_parallel/ol_ag_mm_ol_mm_rs_c.mlir --transform-interpreter %examples/sequence_parallel/base.mlir | FileCheck %s --check-prefix=SEQUENCE
// RUN: %{apply}/moe/ol_a2a_mm_a2a.mlir --transform-interpreter %examples/moe/base.mlir | FileCheck %s --check-prefix=EXPERTS
// RUN: %{apply}/attention/ol_mm_ar_c.mlir --transform-interpreter %examples/attention/base.mlir --coconet-bind-mesh=ranks=2 --coconet-lower-to-rank | FileCheck %s --check-prefix=RANK

// AR: %[[SUM:.*]] = coconet.overlap chunks 4 along 0 attributes {coconet.name = "layer"} {
// AR-NEXT: %[[PRODUCT:.*]] = coconet.matmul
// AR-NEXT: %[[A:.*]] = coconet.all_reduce sum %[[PRODUCT]] on {tp}
// AR-NEXT: coconet.yield %[[A]]
// AR: coconet.fused computation {
// AR-NEXT: coconet.add %[[SUM]]

// FUSED: coconet.overlap chunks 4 along 0
// FUSED-NEXT: coconet.matmul
// FUSED-NEXT: coconet.fused all_reduce {
// FUSED: coconet.dropout

// SEQUENCE: coconet.overlap chunks 2 along 0 attributes {coconet.name = "begin"}
// SEQUENCE-NEXT: coconet.all_gather
// SEQUENCE-NEXT: coconet.matmul
// SEQUENCE: coconet.overlap chunks 2 along 0 attributes {coconet.name = "layer"}
// SEQUENCE-NEXT: coconet.matmul
// SEQUENCE-NEXT: coconet.reduce_scatter

// EXPERTS: coconet.overlap chunks 2 along 2
// EXPERTS-NEXT: coconet.all_to_all {{.*}} {coconet.name = "dispatch"}
// EXPERTS: coconet.matmul
// EXPERTS: coconet.all_to_all {{.*}} {coconet.name = "combine"}

// Two products before the first wait, then one more each time.
// RANK: coconet.matmul
// RANK: coconet.rank.start
// RANK: coconet.matmul
// RANK: coconet.rank.start
// RANK: coconet.rank.wait
// RANK: coconet.matmul
// RANK: coconet.rank.start
// RANK: coconet.rank.wait
// RANK: coconet.matmul
// RANK: coconet.rank.start
// RANK: coconet.rank.wait
// RANK: coconet.rank.wait
// RANK: coconet.fused computation
