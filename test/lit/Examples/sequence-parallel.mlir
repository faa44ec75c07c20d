// The MLP between activations that are cut along the sequence.
// DEFINE: %{apply} = coconet-opt --transform-preload-library=transform-library-paths=%examples/sequence_parallel
// RUN: %{apply}/ag_mm_rs_c.mlir --transform-interpreter %examples/sequence_parallel/base.mlir | FileCheck %s --check-prefixes=CHECK,SPLIT
// RUN: %{apply}/ag_mm_fuse_rs_c.mlir --transform-interpreter %examples/sequence_parallel/base.mlir | FileCheck %s --check-prefixes=CHECK,FUSED

// CHECK: coconet.all_gather %arg0 from 1 on {tp} {coconet.name = "whole"}
// CHECK: %[[PRODUCT:.*]] = coconet.matmul {{.*}} {coconet.name = "product"}
// FUSED: coconet.fused reduce_scatter {
// CHECK: coconet.reduce_scatter sum %[[PRODUCT]] into 1 on {tp} {coconet.name = "part"}
// SPLIT: coconet.fused computation {
// CHECK: coconet.dropout
// CHECK: coconet.add {{.*}}, %arg0
// CHECK: } {coconet.name = "end"} : tensor<?x?x?xf32, #sliced>
// CHECK-NOT: coconet.all_gather
