// Send(AG(x)) -> AG(Send(x)): the slice crosses, and the receivers gather.
// RUN: coconet-opt %s "--coconet-reorder-all-gather=name=ag past=next" | FileCheck %s

#mesh = #coconet.mesh<tp = ?>
#other = #coconet.mesh<tp = ?, one = 1>
#sliced = #coconet.layout<#mesh, [{}, {tp}]>

// CHECK-LABEL: func.func @first
// CHECK-SAME: %[[X:.*]]: tensor<?x4xf32, #sliced>
func.func @first(%x: tensor<?x4xf32, #sliced>) attributes {coconet.stage = 0 : i64} {
  // CHECK-NOT: all_gather
  // CHECK: coconet.send %[[X]] to "b" {coconet.name = "next"} : tensor<?x4xf32, #sliced>
  %g = coconet.all_gather %x from 1 on {tp} {coconet.name = "ag"} : tensor<?x4xf32, #sliced> -> tensor<?x4xf32>
  coconet.send %g to "b" {coconet.name = "next"} : tensor<?x4xf32>
  return
}

// CHECK-LABEL: func.func @second
func.func @second(%b: tensor<?xf32> {coconet.dims = ["n"]}) -> tensor<?x4xf32> attributes {coconet.stage = 1 : i64, coconet.mesh = #other} {
  // CHECK: %[[PART:.*]] = coconet.recv from "b" dims ["n", ""] : tensor<?x4xf32, #sliced1>
  // CHECK-NEXT: %[[WHOLE:.*]] = coconet.all_gather %[[PART]] from 1 on {tp} {coconet.name = "ag"} : tensor<?x4xf32, #sliced1> -> tensor<?x4xf32>
  // CHECK-NEXT: coconet.neg %[[WHOLE]]
  %y = coconet.recv from "b" dims ["n", ""] : tensor<?x4xf32>
  %z = coconet.neg %y : tensor<?x4xf32> -> tensor<?x4xf32>
  return %z : tensor<?x4xf32>
}
