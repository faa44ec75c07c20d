// Sets that an all_gather does not move past.
// RUN: coconet-opt %s --split-input-file --verify-diagnostics "--coconet-reorder-all-gather=name=ag past=c"

#sliced = #coconet.layout<#coconet.mesh<dp = 4>, [{dp}]>
func.func @other_dialect(%x: tensor<8xf32, #sliced>, %i: index) -> f32 {
  // expected-note@+1 {{the all_gather is here}}
  %0 = coconet.all_gather %x from 0 on {dp} {coconet.name = "ag"} : tensor<8xf32, #sliced> -> tensor<8xf32>
  // expected-error@+2 {{cannot reorder all_gather 'ag' past extract 'c': it is no computation}}
  // expected-note@+1 {{only computations are reordered; leave it out}}
  %1 = tensor.extract %0[%i] {coconet.name = "c"} : tensor<8xf32>
  return %1 : f32
}

// -----

#mesh = #coconet.mesh<dp = 4, tp = 2>
#sliced = #coconet.layout<#mesh, [{dp}]>
#other = #coconet.layout<#mesh, [{tp}]>
func.func @no_rule(%x: tensor<8xf32, #sliced>) -> tensor<8xf32, #other> {
  // expected-note@+1 {{the all_gather is here}}
  %0 = coconet.all_gather %x from 0 on {dp} {coconet.name = "ag"} : tensor<8xf32, #sliced> -> tensor<8xf32>
  // expected-error@+2 {{cannot reorder all_gather 'ag' past shard 'c': it does not type on slices: 'coconet.shard' op has no layout rule}}
  // expected-note@+1 {{leave it as it is}}
  %1 = coconet.shard %0 into 0 on {tp} {coconet.name = "c"} : tensor<8xf32> -> tensor<8xf32, #other>
  return %1 : tensor<8xf32, #other>
}

// -----

#sliced = #coconet.layout<#coconet.mesh<dp = 4>, [{dp}]>
func.func @two_gathers(%x: tensor<8xf32, #sliced>, %y: tensor<8xf32, #sliced>) -> tensor<8xf32> {
  %0 = coconet.all_gather %x from 0 on {dp} {coconet.name = "ag"} : tensor<8xf32, #sliced> -> tensor<8xf32>
  // expected-error@+1 {{2 ops are named 'ag'; reorder moves one all_gather}}
  %1 = coconet.all_gather %y from 0 on {dp} {coconet.name = "ag"} : tensor<8xf32, #sliced> -> tensor<8xf32>
  %2 = coconet.add %0, %1 {coconet.name = "c"} : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

#mesh = #coconet.mesh<dp = 2>
#sliced = #coconet.layout<#mesh, [{dp}]>
func.func @nothing_gathered(%x: tensor<4xf32, #sliced>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+2 {{cannot reorder all_gather 'ag': no computation of the set depends on it}}
  // expected-note@+1 {{name the computations that use the gathered value}}
  %0 = coconet.all_gather %x from 0 on {dp} {coconet.name = "ag"} : tensor<4xf32, #sliced> -> tensor<4xf32>
  %1 = coconet.abs %y {coconet.name = "c"} : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
