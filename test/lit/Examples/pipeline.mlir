// The boundary of two pipeline stages under its named schedules.
// DEFINE: %{pipeline} = coconet-opt --transform-preload-library=transform-library-paths=%examples/pipeline
// RUN: %{pipeline}/ar_c_p2p.mlir --transform-interpreter %examples/pipeline/base.mlir | FileCheck %s --check-prefixes=CHECK,AR
// RUN: %{pipeline}/ar_c_p2p_slice_ag.mlir --transform-interpreter %examples/pipeline/base.mlir | FileCheck %s --check-prefixes=CHECK,SLICE
// RUN: %{pipeline}/rs_c_p2p_ag.mlir --transform-interpreter %examples/pipeline/base.mlir | FileCheck %s --check-prefixes=CHECK,RS
// RUN: %{pipeline}/rs_fuse_c_p2p_ag.mlir --transform-interpreter %examples/pipeline/base.mlir | FileCheck %s --check-prefixes=CHECK,FUSED
// RUN: %{pipeline}/ar_fuse_c_p2p.mlir --transform-interpreter %examples/pipeline/base.mlir | FileCheck %s --check-prefixes=CHECK,WHOLE
// RUN: %{pipeline}/ol_rs_fuse_c_p2p_ag.mlir --transform-interpreter %examples/pipeline/base.mlir | FileCheck %s --check-prefixes=CHECK,CHUNKED

// CHECK-LABEL: func.func @head
// CHECK: %[[PRODUCT:.*]] = coconet.matmul {{.*}} {coconet.name = "product"}

// AR: coconet.all_reduce sum %[[PRODUCT]]
// AR: %[[END:.*]] = coconet.fused computation {
// AR: coconet.send %[[END]] to "boundary" {coconet.name = "boundary"} : tensor<?x?x?xf32>
// AR-LABEL: func.func @tail
// AR: coconet.recv from "boundary" dims ["b", "s", "h"] : tensor<?x?x?xf32>
// AR-NOT: all_gather

// SLICE: coconet.all_reduce sum %[[PRODUCT]]
// SLICE: %[[END:.*]] = coconet.fused computation {
// SLICE: %[[PART:.*]] = coconet.shard %[[END]] into 1 on {tp}
// SLICE: coconet.send %[[PART]] to "boundary" {{.*}} : tensor<?x?x?xf32, #sliced
// SLICE-LABEL: func.func @tail
// SLICE: %[[GOT:.*]] = coconet.recv from "boundary"
// SLICE: coconet.all_gather %[[GOT]] from 1 on {tp} {coconet.name = "boundary.ag"}

// RS: coconet.reduce_scatter sum %[[PRODUCT]] into 1 on {tp}
// RS-NOT: all_gather
// RS: coconet.dropout {{.*}} tensor<?x?x?xf32, #sliced
// RS-NOT: all_gather
// RS: coconet.send {{.*}} : tensor<?x?x?xf32, #sliced
// RS-LABEL: func.func @tail
// RS: %[[GOT:.*]] = coconet.recv from "boundary"
// RS: coconet.all_gather %[[GOT]] from 1 on {tp} {coconet.name = "sum.ag"}

// FUSED: coconet.reduce_scatter sum %[[PRODUCT]] into 1 on {tp}
// FUSED: coconet.fused send {
// FUSED: coconet.dropout {{.*}} tensor<?x?x?xf32, #sliced
// FUSED: coconet.send {{.*}} : tensor<?x?x?xf32, #sliced
// FUSED-LABEL: func.func @tail
// FUSED: coconet.all_gather

// WHOLE: coconet.all_reduce sum %[[PRODUCT]]
// WHOLE: coconet.fused send {
// WHOLE: coconet.send {{.*}} : tensor<?x?x?xf32>

// CHUNKED: coconet.overlap chunks 2 along 0 attributes {coconet.name = "boundary"} {
// CHUNKED: coconet.reduce_scatter sum %[[PRODUCT]] into 1 on {tp}
// CHUNKED: coconet.fused send {
// CHUNKED: coconet.send {{.*}} : tensor<?x?x?xf32, #sliced
// CHUNKED-LABEL: func.func @tail
// CHUNKED: %[[ALL:.*]] = coconet.overlap chunks 2 along 0 attributes {coconet.name = "boundary"} {
// CHUNKED: %[[GOT:.*]] = coconet.recv from "boundary"
// CHUNKED: %[[GATHERED:.*]] = coconet.all_gather %[[GOT]] from 1 on {tp}
// CHUNKED: coconet.yield %[[GATHERED]]
// CHUNKED: coconet.add %[[ALL]]
