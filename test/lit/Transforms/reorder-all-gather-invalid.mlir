// RUN: coconet-opt %s --split-input-file --verify-diagnostics "--coconet-reorder-all-gather=name=ag past=c"

#mesh = #coconet.mesh<dp = 4>
#sliced = #coconet.layout<#mesh, [{dp}]>

// The path add -> exp -> mul leaves the set and enters it again.
func.func @not_convex(%x: tensor<8xf32, #sliced>) -> tensor<8xf32> {
  %g = coconet.all_gather %x from 0 on {dp} {coconet.name = "ag"} : tensor<8xf32, #sliced> -> tensor<8xf32>
  %0 = coconet.add %g, %g {coconet.name = "c"} : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  // expected-note@+1 {{the path leaves the set here}}
  %1 = coconet.exp %0 : tensor<8xf32> -> tensor<8xf32>
  // expected-error@+2 {{cannot reorder all_gather 'ag': mul 'c' depends on exp, which is outside of the set and depends on it}}
  // expected-note@+1 {{add exp, or leave mul 'c' out}}
  %2 = coconet.mul %0, %1 {coconet.name = "c"} : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

#mesh = #coconet.mesh<dp = 4>
#sliced = #coconet.layout<#mesh, [{dp}]>
func.func @update(%x: tensor<8xf32, #sliced>, %m: tensor<8xf32> {coconet.state}) {
  // expected-note@+1 {{the all_gather is here}}
  %g = coconet.all_gather %x from 0 on {dp} {coconet.name = "ag"} : tensor<8xf32, #sliced> -> tensor<8xf32>
  // expected-error@+2 {{cannot reorder all_gather 'ag' past update 'c': it updates state}}
  // expected-note@+1 {{only computations are reordered; leave it out}}
  %0 = coconet.update %m, %g {coconet.name = "c"} : tensor<8xf32>
  return
}

// -----

#mesh = #coconet.mesh<dp = 4>
#sliced = #coconet.layout<#mesh, [{dp}]>
func.func @independent(%x: tensor<8xf32, #sliced>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // expected-note@+1 {{the all_gather is here}}
  %g = coconet.all_gather %x from 0 on {dp} {coconet.name = "ag"} : tensor<8xf32, #sliced> -> tensor<8xf32>
  // expected-error@+2 {{cannot reorder all_gather 'ag' past exp 'c': it does not depend on the gathered value}}
  // expected-note@+1 {{leave it out of the set}}
  %0 = coconet.exp %y {coconet.name = "c"} : tensor<8xf32> -> tensor<8xf32>
  return %g, %0 : tensor<8xf32>, tensor<8xf32>
}

// -----

#mesh = #coconet.mesh<dp = 4>
#sliced = #coconet.layout<#mesh, [{dp}]>
func.func @does_not_type(%x: tensor<8xf32, #sliced>) -> tensor<4xf32> {
  // expected-note@+1 {{the all_gather is here}}
  %g = coconet.all_gather %x from 0 on {dp} {coconet.name = "ag"} : tensor<8xf32, #sliced> -> tensor<8xf32>
  // expected-error@+2 {{cannot reorder all_gather 'ag' past slice 'c': it does not type on slices: 'coconet.slice' op slices dimension 0, which is cut by {dp}}}
  // expected-note@+1 {{all_gather it first}}
  %0 = coconet.slice %g [0] [4] [1] {coconet.name = "c"} : tensor<8xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

#mesh = #coconet.mesh<dp = 4>
#local = #coconet.layout<#mesh, local = {dp}>
func.func @groups(%x: tensor<8xf32, #local>) -> tensor<16xf32, #local> {
  // expected-error@+2 {{cannot reorder all_gather 'ag': its group is given as lists}}
  // expected-note@+1 {{name the axes of the mesh, so that the cut is part of the type}}
  %g = coconet.all_gather %x from 0 on groups [[0, 1], [2, 3]] {coconet.name = "ag"} : tensor<8xf32, #local> -> tensor<16xf32, #local>
  %0 = coconet.exp %g {coconet.name = "c"} : tensor<16xf32, #local> -> tensor<16xf32, #local>
  return %0 : tensor<16xf32, #local>
}
