// RUN: coconet-opt %s --split-input-file --verify-diagnostics "--coconet-reorder-all-gather=name=ag past=next"

#sliced = #coconet.layout<#coconet.mesh<tp = 2>, [{tp}]>
func.func @f(%x: tensor<4xf32, #sliced>) attributes {coconet.stage = 0 : i64} {
  %g = coconet.all_gather %x from 0 on {tp} {coconet.name = "ag"} : tensor<4xf32, #sliced> -> tensor<4xf32>
  // expected-error@+2 {{cannot reorder all_gather 'ag' past send 'next': the receiver's mesh has no axis 'tp' of size 2}}
  // expected-note@+1 {{name the axis in the mesh of the function that receives}}
  coconet.send %g to "b" {coconet.name = "next"} : tensor<4xf32>
  return
}
func.func @g() attributes {coconet.stage = 1 : i64, coconet.mesh = #coconet.mesh<tp = 1, dp = 2>} {
  // expected-note@+1 {{it receives on <tp = 1, dp = 2>}}
  %y = coconet.recv from "b" : tensor<4xf32>
  return
}

// -----

#sliced = #coconet.layout<#coconet.mesh<tp = 2>, [{tp}]>
func.func @f(%x: tensor<4xf32, #sliced>) attributes {coconet.stage = 0 : i64} {
  %g = coconet.all_gather %x from 0 on {tp} {coconet.name = "ag"} : tensor<4xf32, #sliced> -> tensor<4xf32>
  // expected-error@+2 {{the receiver's mesh has no axis 'tp' of size 2}}
  // expected-note@+1 {{name the axis in the mesh of the function that receives}}
  coconet.send %g to "b" {coconet.name = "next"} : tensor<4xf32>
  return
}
func.func @g() attributes {coconet.stage = 1 : i64} {
  // expected-note@+1 {{the function that receives has no mesh}}
  %y = coconet.recv from "b" : tensor<4xf32>
  return
}

// -----

#sliced = #coconet.layout<#coconet.mesh<tp = 2>, [{tp}]>
func.func @f(%x: tensor<4xf32, #sliced>) attributes {coconet.stage = 0 : i64} {
  %g = coconet.all_gather %x from 0 on {tp} {coconet.name = "ag"} : tensor<4xf32, #sliced> -> tensor<4xf32>
  %n = coconet.neg %g : tensor<4xf32> -> tensor<4xf32>
  // expected-error@+2 {{cannot reorder all_gather 'ag' past send 'next': it does not send what is gathered}}
  // expected-note@+1 {{reorder the all_gather past the computations between the two first}}
  coconet.send %n to "b" {coconet.name = "next"} : tensor<4xf32>
  return
}

// -----

#sliced = #coconet.layout<#coconet.mesh<tp = 2>, [{tp}]>
func.func @f(%x: tensor<4xf32, #sliced>) attributes {coconet.stage = 0 : i64} {
  %g = coconet.all_gather %x from 0 on {tp} {coconet.name = "ag"} : tensor<4xf32, #sliced> -> tensor<4xf32>
  // expected-error@+2 {{cannot reorder all_gather 'ag' past send 'next': channel 'b' has no one recv of the same shape}}
  // expected-note@+1 {{receive in another function of the module what is sent}}
  coconet.send %g to "b" {coconet.name = "next"} : tensor<4xf32>
  return
}

// -----

#local = #coconet.layout<#coconet.mesh<tp = 2>, local = {tp}>
func.func @f(%x: tensor<4xf32, #local>) attributes {coconet.stage = 0 : i64} {
  // expected-error@+2 {{cannot reorder all_gather 'ag' past send 'next': its group is given as lists}}
  // expected-note@+1 {{name the axes of the mesh, so that the cut is part of the type}}
  %g = coconet.all_gather %x from 0 on groups [[0, 1]] {coconet.name = "ag"} : tensor<4xf32, #local> -> tensor<8xf32, #local>
  coconet.send %g to "b" {coconet.name = "next"} : tensor<8xf32, #local>
  return
}
