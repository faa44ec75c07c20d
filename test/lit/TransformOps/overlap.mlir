// RUN: coconet-opt %s --transform-interpreter | FileCheck %s

#mesh = #coconet.mesh<tp = ?>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>

// Case F01: the product does not depend on the sum, and nobody has to name it.
// CHECK-LABEL: func.func @beside
// CHECK: coconet.overlap chunks 1 along 0 attributes {coconet.name = "ol"} {
// CHECK-NEXT: coconet.all_reduce
// CHECK-NEXT: coconet.matmul
// CHECK-NEXT: coconet.yield
// CHECK: coconet.add
func.func @beside(%a: tensor<4x4xf32, #partial>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %y = coconet.all_reduce sum %a on {tp} {coconet.name = "sum"} : tensor<4x4xf32, #partial> -> tensor<4x4xf32>
  %z = coconet.matmul %b, %b {coconet.name = "product"} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %w = coconet.add %y, %z {coconet.name = "end"} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %w : tensor<4x4xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %s = transform.coconet.match "sum" in %root : (!transform.any_op) -> !transform.any_op
    %ol = transform.coconet.overlap %s chunks 1 along 0 as "ol" : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
