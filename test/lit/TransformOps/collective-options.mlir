// Forms of split, wire types and algorithms, as a schedule.
// RUN: coconet-opt %s --transform-interpreter | FileCheck %s
// RUN: coconet-opt %s -o %t.1 && coconet-opt %t.1 --mlir-print-op-generic | coconet-opt -o %t.2 && diff %t.1 %t.2

#mesh = #coconet.mesh<dp = 2, tp = 2>
#partial = #coconet.layout<#mesh, partial = {dp : sum, tp : sum}>

module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: func.func @program
  // CHECK: coconet.reduce_to_root sum %{{.*}} root 3 on {dp, tp} {coconet.name = "a.reduce"}
  // CHECK: coconet.broadcast %{{.*}} root 3 on {dp, tp} {coconet.name = "a.bc", coconet.wire_type = bf16}
  // CHECK: coconet.reduce_scatter sum %{{.*}} into flat on {tp} {coconet.name = "b.rs"}
  // CHECK: coconet.all_reduce sum %{{.*}} on {dp} {coconet.algorithm = "one_shot", coconet.channels = 2 : i64, coconet.name = "b.ar"}
  // CHECK: coconet.all_gather %{{.*}} from flat on {tp} {coconet.name = "b.ag"}
  func.func @program(%g: tensor<9xf32, #partial>) -> (tensor<9xf32>, tensor<9xf32>) {
    %a = coconet.all_reduce sum %g on {dp, tp} {coconet.name = "a"} : tensor<9xf32, #partial> -> tensor<9xf32>
    %b = coconet.all_reduce sum %g on {dp, tp} {coconet.name = "b"} : tensor<9xf32, #partial> -> tensor<9xf32>
    return %a, %b : tensor<9xf32>, tensor<9xf32>
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %a = transform.coconet.match "a" in %root : (!transform.any_op) -> !transform.any_op
    %b = transform.coconet.match "b" in %root : (!transform.any_op) -> !transform.any_op
    %reduce, %bc = transform.coconet.split %a into reduce_broadcast root 3 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %rs, %ar, %ag = transform.coconet.split %b into hierarchical flat inner {tp} outer {dp} : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.coconet.wire_type %bc bf16 : !transform.any_op
    transform.coconet.algorithm %ar one_shot channels 2 : !transform.any_op
    transform.yield
  }
}
