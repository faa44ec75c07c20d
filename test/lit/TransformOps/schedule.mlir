// The schedule of data-parallel momentum: split, reorder, as_slice and fuse.
// RUN: coconet-opt %s --transform-interpreter | FileCheck %s
// RUN: coconet-opt %s -o %t.1 && coconet-opt %t.1 --mlir-print-op-generic | coconet-opt -o %t.2 && diff %t.1 %t.2
// RUN: coconet-opt %t.1 --emit-bytecode | coconet-opt -o %t.3 && diff %t.1 %t.3

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>

module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: func.func @momentum
  // CHECK-SAME: %[[G:[^:]*]]: tensor<9xf32, #partial>, %[[P:[^:]*]]: tensor<9xf32>, %[[M:[^:]*]]: tensor<9xf32, #sliced>
  func.func @momentum(%g: tensor<9xf32, #partial>, %p: tensor<9xf32>, %m: tensor<9xf32> {coconet.state, coconet.arg_name = "m"}) -> tensor<9xf32> {
    // CHECK: %[[F:.*]]:2 = coconet.fused all_reduce {
    // CHECK-NEXT: %[[RS:.*]] = coconet.reduce_scatter sum %[[G]] into 0 on {dp} {coconet.name = "avg.rs"}
    // CHECK-NEXT: %[[A:.*]] = coconet.add %[[M]], %[[RS]] {coconet.name = "step"}
    // CHECK-NEXT: %[[S:.*]] = coconet.shard %[[P]] into 0 on {dp}
    // CHECK-NEXT: %[[B:.*]] = coconet.sub %[[S]], %[[A]] {coconet.name = "step"}
    // CHECK-NEXT: %[[AG:.*]] = coconet.all_gather %[[B]] from 0 on {dp} {coconet.name = "avg.ag"}
    // CHECK-NEXT: coconet.yield %[[A]], %[[AG]]
    // CHECK-NEXT: } {coconet.name = "kernel"}
    // CHECK: coconet.update %[[M]], %[[F]]#0 : tensor<9xf32, #sliced>
    // CHECK: return %[[F]]#1
    %avg = coconet.all_reduce sum %g on {dp} {coconet.name = "avg"} : tensor<9xf32, #partial> -> tensor<9xf32>
    %0 = coconet.add %m, %avg {coconet.name = "step"} : tensor<9xf32>, tensor<9xf32> -> tensor<9xf32>
    %1 = coconet.update %m, %0 : tensor<9xf32>
    %2 = coconet.sub %p, %0 {coconet.name = "step"} : tensor<9xf32>, tensor<9xf32> -> tensor<9xf32>
    return %2 : tensor<9xf32>
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %avg = transform.coconet.match "avg" in %root : (!transform.any_op) -> !transform.any_op
    %step = transform.coconet.match "step" in %root : (!transform.any_op) -> !transform.any_op
    %rs, %ag = transform.coconet.split %avg into rs_ag dim 0 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %sliced, %gathers = transform.coconet.reorder %ag past %step : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.coconet.as_slice ["m"] in %root : !transform.any_op
    %fused = transform.coconet.fuse %rs, %sliced, %gathers as "kernel" : (!transform.any_op, !transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield
  }
}
