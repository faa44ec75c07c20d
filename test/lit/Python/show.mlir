// RUN: coconet show %s | FileCheck %s

#mesh = #coconet.mesh<dp = 2, tp = 4>
#weight = #coconet.layout<#mesh, [{tp}, {}]>
#input = #coconet.layout<#mesh, [{dp}, {tp}]>
#pending = #coconet.layout<#mesh, [{dp}, {}], partial = {tp : sum}>
#rows = #coconet.layout<#mesh, [{dp}, {}]>

// CHECK: @layer on mesh dp = 2, tp = 4
// CHECK-NEXT: arguments
// CHECK-NEXT: x            64x512xbf16   dimension 0 cut by dp, dimension 1 cut by tp
// CHECK-NEXT: argument 1   512x256xbf16  dimension 0 cut by tp
// CHECK-NEXT: results
// CHECK-NEXT: result 0     64x256xbf16   dimension 0 cut by dp
// CHECK-NEXT: communication
// CHECK-NEXT: op          name   group  members  sent by a rank
// CHECK-NEXT: all_reduce  total  {tp}   4        24,576 B
func.func @layer(%x: tensor<64x512xbf16, #input> {coconet.arg_name = "x"},
                 %w: tensor<512x256xbf16, #weight>) -> tensor<64x256xbf16, #rows> {
  %0 = coconet.matmul %x, %w : tensor<64x512xbf16, #input>, tensor<512x256xbf16, #weight> -> tensor<64x256xbf16, #pending>
  %1 = coconet.all_reduce sum %0 on {tp} {coconet.name = "total"} : tensor<64x256xbf16, #pending> -> tensor<64x256xbf16, #rows>
  return %1 : tensor<64x256xbf16, #rows>
}

// CHECK: @alone, without mesh
// CHECK-NEXT: arguments
// CHECK-NEXT: argument 0  ?xi32  replicated
// CHECK-NEXT: communication: none
func.func @alone(%a: tensor<?xi32>) {
  return
}
