// broadcast_to, constant and iota.
// RUN: coconet-opt %s --split-input-file --verify-diagnostics

func.func @broadcast_size(%x: tensor<3xf32>) {
  // expected-error@+1 {{size 3 does not broadcast to size 4 of dimension 0}}
  %0 = coconet.broadcast_to %x : tensor<3xf32> -> tensor<4xf32>
  return
}

// -----

func.func @dynamic_iota() {
  // expected-error@+1 {{has result type 'tensor<?xi32>'; it is static and replicated, shard it after}}
  %0 = coconet.iota 0 : tensor<?xi32>
  return
}

// -----

func.func @broadcast_type(%x: tensor<1xf32>) {
  // expected-error@+1 {{changes the element type from 'f32' to 'f16'; use cast}}
  %0 = coconet.broadcast_to %x : tensor<1xf32> -> tensor<8xf16>
  return
}

// -----

func.func @broadcast_rank(%x: tensor<1x1xf32>) {
  // expected-error@+1 {{result of rank 1 is smaller than the operand of rank 2}}
  %0 = coconet.broadcast_to %x : tensor<1x1xf32> -> tensor<8xf32>
  return
}

// -----

func.func @broadcast_dynamic(%x: tensor<1xf32>) {
  // expected-error@+1 {{dimension 0 is dynamic in the result and not in the operand}}
  %0 = coconet.broadcast_to %x : tensor<1xf32> -> tensor<?xf32>
  return
}

// -----

func.func @broadcast_open(%x: tensor<?xf32>) {
  // expected-error@+1 {{size ? does not broadcast to size 4 of dimension 0}}
  %0 = coconet.broadcast_to %x : tensor<?xf32> -> tensor<4xf32>
  return
}

// -----

#rows = #coconet.layout<#coconet.mesh<dp = 4>, [{dp}]>
func.func @broadcast_cut(%x: tensor<1xf32, #rows>) {
  // expected-error@+2 {{repeats dimension 0, which is cut by {dp}}}
  // expected-note@+1 {{all_gather it first}}
  %0 = coconet.broadcast_to %x : tensor<1xf32, #rows> -> tensor<4xf32, #rows>
  return
}

// -----

func.func @constant() {
  // expected-error@+2 {{a constant is a replicated tensor, got type 'vector<2xf32>'; shard it after}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "coconet.constant"() <{value = dense<1.0> : vector<2xf32>}> : () -> tensor<2xf32>
  return
}

// -----

#rows = #coconet.layout<#coconet.mesh<dp = 4>, [{dp}]>
func.func @iota_layout() {
  // expected-error@+1 {{it is static and replicated, shard it after}}
  %0 = coconet.iota 0 : tensor<8xi32, #rows>
  return
}

// -----

func.func @iota_dimension() {
  // expected-error@+1 {{dimension 9223372036854775807 is out of range for a result of rank 1}}
  %0 = coconet.iota 9223372036854775807 : tensor<8xi32>
  return
}
