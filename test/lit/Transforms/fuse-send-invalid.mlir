// RUN: coconet-opt %s --split-input-file --verify-diagnostics "--coconet-fuse-ops=names=c"

func.func @outside(%x: tensor<4xf32>) {
  %0 = coconet.neg %x {coconet.name = "c"} : tensor<4xf32> -> tensor<4xf32>
  // expected-error@+2 {{cannot fuse send 'c': what it sends is computed outside of the set}}
  // expected-note@+1 {{add the op that computes it}}
  coconet.send %x to "a" {coconet.name = "c"} : tensor<4xf32>
  return
}

// -----

func.func @two(%x: tensor<4xf32>) {
  %0 = coconet.neg %x {coconet.name = "c"} : tensor<4xf32> -> tensor<4xf32>
  // expected-note@+1 {{the other send is here}}
  coconet.send %0 to "a" {coconet.name = "c"} : tensor<4xf32>
  // expected-error@+2 {{cannot fuse send 'c' and send 'c'}}
  // expected-note@+1 {{fuse each send with what computes its operand}}
  coconet.send %0 to "b" {coconet.name = "c"} : tensor<4xf32>
  return
}

// -----

func.func @product(%x: tensor<4x4xf32>) {
  // expected-error@+2 {{cannot fuse matmul 'c' with a send}}
  // expected-note@+1 {{only pointwise ops are fused with a send}}
  %0 = coconet.matmul %x, %x {coconet.name = "c"} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  coconet.send %0 to "a" {coconet.name = "c"} : tensor<4x4xf32>
  return
}

// -----

func.func @shapes(%x: tensor<4xf32>, %b: tensor<f32>) {
  // expected-error@+2 {{cannot fuse neg 'c' and send 'c': what is computed is not shaped as what is sent}}
  // expected-note@+1 {{leave it out}}
  %0 = coconet.neg %b {coconet.name = "c"} : tensor<f32> -> tensor<f32>
  %1 = coconet.mul %x, %0 {coconet.name = "c"} : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  // expected-note@+1 {{the send is here}}
  coconet.send %1 to "a" {coconet.name = "c"} : tensor<4xf32>
  return
}

// -----

func.func @order(%x: tensor<4xf32>) {
  %0 = coconet.neg %x {coconet.name = "c"} : tensor<4xf32> -> tensor<4xf32>
  // expected-error@+2 {{cannot fuse: send 'first' would come after send 'c'}}
  // expected-note@+1 {{both sides of a program send and receive in one order; fuse what comes before it by itself}}
  coconet.send %0 to "b" {coconet.name = "first"} : tensor<4xf32>
  // expected-note@+1 {{the send of the set is here}}
  coconet.send %0 to "a" {coconet.name = "c"} : tensor<4xf32>
  return
}
