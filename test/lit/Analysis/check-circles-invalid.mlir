// RUN: coconet-opt %s --coconet-check-communication --split-input-file --verify-diagnostics

// D02: overlapping groups in an order that no common one fits.
#world = #coconet.mesh<r = 3>
func.func @zero(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 0>} {
  // expected-error@+2 {{ranks wait in a circle: rank 0 at rank.all_reduce 'a' for rank 1, rank 1 at rank.all_reduce 'b' for rank 2, rank 2 at rank.all_reduce 'c' for rank 0}}
  // expected-note@+1 {{start communication in one order on all ranks that share it; of two that exchange, one sends first}}
  %a = coconet.rank.all_reduce sum %x on groups [[0, 1], [2]] of #world {coconet.name = "a"} : tensor<4xf32> -> tensor<4xf32>
  %c = coconet.rank.all_reduce sum %x on groups [[0, 2], [1]] of #world {coconet.name = "c"} : tensor<4xf32> -> tensor<4xf32>
  return
}
func.func @one(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 1>} {
  // expected-note@+1 {{rank 1 waits here}}
  %b = coconet.rank.all_reduce sum %x on groups [[0], [1, 2]] of #world {coconet.name = "b"} : tensor<4xf32> -> tensor<4xf32>
  %a = coconet.rank.all_reduce sum %x on groups [[0, 1], [2]] of #world {coconet.name = "a"} : tensor<4xf32> -> tensor<4xf32>
  return
}
func.func @two(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 2>} {
  // expected-note@+1 {{rank 2 waits here}}
  %c = coconet.rank.all_reduce sum %x on groups [[0, 2], [1]] of #world {coconet.name = "c"} : tensor<4xf32> -> tensor<4xf32>
  %b = coconet.rank.all_reduce sum %x on groups [[0], [1, 2]] of #world {coconet.name = "b"} : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// Start order counts although nobody waits in between.
#world = #coconet.mesh<r = 3>
func.func @zero(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 0>} {
  // expected-error@+3 {{ranks wait in a circle: rank 0 at rank.all_reduce 'a' for rank 1, rank 1 at rank.all_reduce 'b' for rank 2, rank 2 at rank.all_reduce 'c' for rank 0}}
  // expected-note@+2 {{start communication in one order on all ranks that share it}}
  %f = coconet.rank.start {
    %a = coconet.rank.all_reduce sum %x on groups [[0, 1], [2]] of #world {coconet.name = "a"} : tensor<4xf32> -> tensor<4xf32>
    coconet.yield %a : tensor<4xf32>
  } : !coconet.future<tensor<4xf32>>
  %c = coconet.rank.all_reduce sum %x on groups [[0, 2], [1]] of #world {coconet.name = "c"} : tensor<4xf32> -> tensor<4xf32>
  %0 = coconet.rank.wait %f : !coconet.future<tensor<4xf32>> -> tensor<4xf32>
  return
}
func.func @one(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 1>} {
  %f = coconet.rank.start {
    // expected-note@+1 {{rank 1 waits here}}
    %b = coconet.rank.all_reduce sum %x on groups [[0], [1, 2]] of #world {coconet.name = "b"} : tensor<4xf32> -> tensor<4xf32>
    coconet.yield %b : tensor<4xf32>
  } : !coconet.future<tensor<4xf32>>
  %a = coconet.rank.all_reduce sum %x on groups [[0, 1], [2]] of #world {coconet.name = "a"} : tensor<4xf32> -> tensor<4xf32>
  %0 = coconet.rank.wait %f : !coconet.future<tensor<4xf32>> -> tensor<4xf32>
  return
}
func.func @two(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 2>} {
  %f = coconet.rank.start {
    // expected-note@+1 {{rank 2 waits here}}
    %c = coconet.rank.all_reduce sum %x on groups [[0, 2], [1]] of #world {coconet.name = "c"} : tensor<4xf32> -> tensor<4xf32>
    coconet.yield %c : tensor<4xf32>
  } : !coconet.future<tensor<4xf32>>
  %b = coconet.rank.all_reduce sum %x on groups [[0], [1, 2]] of #world {coconet.name = "b"} : tensor<4xf32> -> tensor<4xf32>
  %0 = coconet.rank.wait %f : !coconet.future<tensor<4xf32>> -> tensor<4xf32>
  return
}

// -----

// D01: both send first.
func.func @zero(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 0>} {
  // expected-error@+2 {{ranks wait in a circle: rank 0 at rank.send for rank 1, rank 1 at rank.send for rank 0}}
  // expected-note@+1 {{of two that exchange, one sends first}}
  coconet.rank.send %x to "a" between [0] and [1] : tensor<4xf32>
  %0 = coconet.rank.recv from "b" between [1] and [0] sizes () : tensor<4xf32>
  return
}
func.func @one(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 1>} {
  // expected-note@+1 {{rank 1 waits here}}
  coconet.rank.send %x to "b" between [1] and [0] : tensor<4xf32>
  %0 = coconet.rank.recv from "a" between [0] and [1] sizes () : tensor<4xf32>
  return
}

// -----

// A send against a collective.
#world = #coconet.mesh<r = 2>
func.func @zero(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 0>} {
  // expected-error@+2 {{rank 0 at rank.send for rank 1, rank 1 at rank.all_reduce for rank 0}}
  // expected-note@+1 {{of two that exchange, one sends first}}
  coconet.rank.send %x to "a" between [0] and [1] : tensor<4xf32>
  %0 = coconet.rank.all_reduce sum %x on {r} of #world : tensor<4xf32> -> tensor<4xf32>
  return
}
func.func @one(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 1>} {
  // expected-note@+1 {{rank 1 waits here}}
  %0 = coconet.rank.all_reduce sum %x on {r} of #world : tensor<4xf32> -> tensor<4xf32>
  %1 = coconet.rank.recv from "a" between [0] and [1] sizes () : tensor<4xf32>
  return
}

// -----

// A send without receive, and the reverse.
func.func @zero(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 0>} {
  // expected-error@+2 {{rank 0 sends to rank 1 by rank.send 's', and rank 1 does not receive it}}
  // expected-note@+1 {{every rank that is waited for does its part, as often as it is waited for}}
  coconet.rank.send %x to "a" between [0] and [1] {coconet.name = "s"} : tensor<4xf32>
  return
}
func.func @one() attributes {coconet.ranks = array<i64: 1>} {
  // expected-note@+1 {{rank 1 ends here}}
  return
}

// -----

func.func @one() attributes {coconet.ranks = array<i64: 1>} {
  // expected-error@+3 {{rank 1 receives from rank 0 by rank.recv, and rank 0 does not send it}}
  // expected-note@+2 {{no function is run by rank 0}}
  // expected-note@+1 {{every rank that is waited for does its part}}
  %0 = coconet.rank.recv from "a" between [0] and [1] sizes () : tensor<4xf32>
  return
}

// -----

// A rank that has ended is waited for.
#world = #coconet.mesh<r = 2>
func.func @zero(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 0>} {
  %0 = coconet.rank.all_reduce sum %x on {r} of #world {coconet.name = "a"} : tensor<4xf32> -> tensor<4xf32>
  // expected-error@+2 {{rank 0 waits for rank 1 at rank.all_reduce 'b', and rank 1 does not come there}}
  // expected-note@+1 {{every rank that is waited for does its part}}
  %1 = coconet.rank.all_reduce sum %0 on {r} of #world {coconet.name = "b"} : tensor<4xf32> -> tensor<4xf32>
  return
}
func.func @one(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 1>} {
  %0 = coconet.rank.all_reduce sum %x on {r} of #world {coconet.name = "a"} : tensor<4xf32> -> tensor<4xf32>
  // expected-note@+1 {{rank 1 ends here}}
  return
}

// -----

// Who runs what.
// expected-note@+1 {{the other function is here}}
func.func @zero() attributes {coconet.ranks = array<i64: 0, 1>} {
  return
}
// expected-error@+2 {{rank 1 runs @one and @zero}}
// expected-note@+1 {{a rank runs one function}}
func.func @one() attributes {coconet.ranks = array<i64: 1>} {
  return
}

// -----

// expected-error@+2 {{'func.func' op has a mesh of 4 ranks, and 2 ranks run it}}
// expected-note@+1 {{'coconet.ranks' names one rank for each place of the mesh}}
func.func @zero() attributes {coconet.ranks = array<i64: 0, 1>, coconet.mesh = #coconet.mesh<dp = 4>} {
  return
}

// -----

#other = #coconet.mesh<r = 3>
func.func @zero(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 0>} {
  // expected-error@+2 {{'coconet.rank.all_reduce' op lies on a mesh of 3 ranks, but its function has 1 and the program 2}}
  // expected-note@+1 {{number the ranks of the function, or those of the program}}
  %0 = coconet.rank.all_reduce sum %x on {r} of #other : tensor<4xf32> -> tensor<4xf32>
  return
}
func.func @one() attributes {coconet.ranks = array<i64: 1>} {
  return
}

// -----

func.func @zero(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 0, 1>} {
  // expected-error@+2 {{'coconet.rank.send' op is run by rank 1, which is not an end of channel 'a'}}
  // expected-note@+1 {{the senders are the ranks of the function that sends, the receivers those of the one that receives}}
  coconet.rank.send %x to "a" between [0] and [2] : tensor<4xf32>
  return
}
