// Case D01: halves of channels that do not match, with both places.
// RUN: coconet-opt %s --split-input-file --verify-diagnostics --coconet-check-channels

func.func @f(%x: tensor<4xf32>) attributes {coconet.stage = 0 : i64} {
  // expected-error@+2 {{to channel 'a' has no recv}}
  // expected-note@+1 {{receive from the channel in another function}}
  coconet.send %x to "a" : tensor<4xf32>
  return
}

// -----

func.func @f() attributes {coconet.stage = 0 : i64} {
  // expected-error@+2 {{of channel 'a' has no send}}
  // expected-note@+1 {{send to the channel in another function}}
  %0 = coconet.recv from "a" : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) attributes {coconet.stage = 0 : i64} {
  // expected-note@+1 {{the first one is here; give each pair of send and recv a channel of its own}}
  coconet.send %x to "a" : tensor<4xf32>
  // expected-error@+1 {{uses channel 'a' a second time}}
  coconet.send %x to "a" : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) attributes {coconet.stage = 0 : i64} {
  // expected-note@+1 {{the send is here}}
  coconet.send %x to "a" : tensor<4xf32>
  // expected-error@+2 {{of channel 'a' is in the function that sends}}
  // expected-note@+1 {{a channel joins two functions; between ranks of one function use permute}}
  %0 = coconet.recv from "a" : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) attributes {coconet.stage = 0 : i64} {
  coconet.send %x to "a" : tensor<4xf32>
  return
}
func.func @g() {
  // expected-error@+2 {{is in @g, which has no ranks of its own}}
  // expected-note@+1 {{give the function coconet.stage, or coconet.ranks}}
  %0 = coconet.recv from "a" : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) attributes {coconet.stage = 0 : i64} {
  // expected-note@+1 {{this is sent: 'tensor<4xf32>'}}
  coconet.send %x to "a" : tensor<4xf32>
  return
}
func.func @g() attributes {coconet.stage = 1 : i64} {
  // expected-error@+2 {{takes 'tensor<4xf16>' from channel 'a'}}
  // expected-note@+1 {{both types are equal up to the mesh, and axes of the layout have equal sizes}}
  %0 = coconet.recv from "a" : tensor<4xf16>
  return
}

// -----

#two = #coconet.layout<#coconet.mesh<tp = 2, dp = 2>, [{tp}]>
#four = #coconet.layout<#coconet.mesh<tp = 4>, [{tp}]>
func.func @f(%x: tensor<8xf32, #two>) attributes {coconet.stage = 0 : i64} {
  // expected-note@+1 {{this is sent}}
  coconet.send %x to "a" : tensor<8xf32, #two>
  return
}
func.func @g() attributes {coconet.stage = 1 : i64} {
  // expected-error@+2 {{from channel 'a'}}
  // expected-note@+1 {{both types are equal up to the mesh}}
  %0 = coconet.recv from "a" : tensor<8xf32, #four>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) attributes {coconet.stage = 0 : i64, coconet.mesh = #coconet.mesh<tp = 2>} {
  // expected-note@+1 {{the send is run by 2 ranks}}
  coconet.send %x to "a" : tensor<8xf32>
  return
}
func.func @g() attributes {coconet.stage = 1 : i64, coconet.mesh = #coconet.mesh<tp = 4>} {
  // expected-error@+2 {{of channel 'a' is run by 4 ranks}}
  // expected-note@+1 {{each rank sends to one rank; give both functions as many}}
  %0 = coconet.recv from "a" : tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x6xf32>) attributes {coconet.stage = 0 : i64} {
  coconet.overlap chunks 2 along 0 {
    %0 = coconet.exp %x : tensor<4x6xf32> -> tensor<4x6xf32>
    // expected-note@+1 {{it is sent in 2 chunks of dimension 0}}
    coconet.send %0 to "a" : tensor<4x6xf32>
    coconet.yield
  }
  return
}
func.func @g() attributes {coconet.stage = 1 : i64} {
  // expected-error@+2 {{takes what channel 'a' carries whole}}
  // expected-note@+1 {{put both ends into regions of as many chunks of one dimension}}
  %0 = coconet.recv from "a" : tensor<4x6xf32>
  return
}

// -----

// Of the same number of chunks, but other ones.
func.func @f(%x: tensor<4x6xf32>) attributes {coconet.stage = 0 : i64} {
  coconet.overlap chunks 2 along 0 {
    %0 = coconet.exp %x : tensor<4x6xf32> -> tensor<4x6xf32>
    // expected-note@+1 {{it is sent in 2 chunks of dimension 0}}
    coconet.send %0 to "a" : tensor<4x6xf32>
    coconet.yield
  }
  return
}
func.func @g() -> tensor<4x6xf32> attributes {coconet.stage = 1 : i64} {
  %0 = coconet.overlap chunks 2 along 1 {
    // expected-error@+2 {{takes what channel 'a' carries in 2 chunks of dimension 1}}
    // expected-note@+1 {{put both ends into regions of as many chunks of one dimension}}
    %1 = coconet.recv from "a" : tensor<4x6xf32>
    coconet.yield %1 : tensor<4x6xf32>
  } : tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @f(%x: tensor<4x6xf32>) attributes {coconet.stage = 0 : i64} {
  // expected-error@+2 {{overlap lies along dimension 3 of a value of rank 2}}
  // expected-note@+1 {{name a dimension of the first result}}
  coconet.overlap chunks 2 along 3 {
    %0 = coconet.exp %x : tensor<4x6xf32> -> tensor<4x6xf32>
    coconet.send %0 to "a" : tensor<4x6xf32>
    coconet.yield
  }
  return
}
func.func @g() attributes {coconet.stage = 1 : i64} {
  %0 = coconet.recv from "a" : tensor<4x6xf32>
  return
}
