// RUN: coconet-opt %s --coconet-check-communication --split-input-file --verify-diagnostics

// V03: members give another kind, element type, count, reduction, root or group.
#world = #coconet.mesh<r = 2>
func.func @zero(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 0>} {
  // expected-note@+1 {{rank 0 is here}}
  %0 = coconet.rank.all_reduce sum %x on {r} of #world {coconet.name = "a"} : tensor<4xf32> -> tensor<4xf32>
  return
}
func.func @one(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 1>} {
  // expected-error@+2 {{rank 1 is at rank.broadcast 'b' where rank 0 is at rank.all_reduce 'a'}}
  // expected-note@+1 {{ranks of one group start the same communication in the same order}}
  %0 = coconet.rank.broadcast %x root 0 on {r} of #world {coconet.name = "b"} : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

#world = #coconet.mesh<r = 2>
func.func @zero(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 0>} {
  // expected-note@+1 {{rank 0 is here}}
  %0 = coconet.rank.all_reduce sum %x on {r} of #world {coconet.name = "a"} : tensor<4xf32> -> tensor<4xf32>
  return
}
func.func @one(%x: tensor<4xbf16>) attributes {coconet.ranks = array<i64: 1>} {
  // expected-error@+2 {{rank.all_reduce 'b' of rank 1 meets rank.all_reduce 'a' of rank 0, and their element types differ: bf16 and f32}}
  // expected-note@+1 {{ranks that meet give the same element types}}
  %0 = coconet.rank.all_reduce sum %x on {r} of #world {coconet.name = "b"} : tensor<4xbf16> -> tensor<4xbf16>
  return
}

// -----

#world = #coconet.mesh<r = 2>
func.func @zero(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 0>} {
  // expected-note@+1 {{rank 0 is here}}
  %0 = coconet.rank.all_reduce sum %x on {r} of #world : tensor<4xf32> -> tensor<4xf32>
  return
}
func.func @one(%x: tensor<8xf32>) attributes {coconet.ranks = array<i64: 1>} {
  // expected-error@+2 {{their numbers of elements differ: 8 and 4}}
  // expected-note@+1 {{ranks that meet give the same numbers of elements}}
  %0 = coconet.rank.all_reduce sum %x on {r} of #world : tensor<8xf32> -> tensor<8xf32>
  return
}

// -----

#world = #coconet.mesh<r = 2>
func.func @zero(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 0>} {
  // expected-note@+1 {{rank 0 is here}}
  %0 = coconet.rank.all_reduce sum %x on {r} of #world : tensor<4xf32> -> tensor<4xf32>
  return
}
func.func @one(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 1>} {
  // expected-error@+2 {{their reductions differ: max and sum}}
  // expected-note@+1 {{ranks that meet give the same reductions}}
  %0 = coconet.rank.all_reduce max %x on {r} of #world : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

#world = #coconet.mesh<r = 2>
func.func @zero(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 0>} {
  // expected-note@+1 {{rank 0 is here}}
  %0 = coconet.rank.broadcast %x root 0 on {r} of #world : tensor<4xf32> -> tensor<4xf32>
  return
}
func.func @one(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 1>} {
  // expected-error@+2 {{, and their roots differ: 1 and 0}}
  // expected-note@+1 {{ranks that meet give the same roots}}
  %0 = coconet.rank.broadcast %x root 1 on {r} of #world : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// The same ranks in another order have other positions.
#world = #coconet.mesh<r = 2>
func.func @zero(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 0>} {
  // expected-note@+1 {{rank 0 is here}}
  %0 = coconet.rank.broadcast %x root 0 on groups [[0, 1]] of #world : tensor<4xf32> -> tensor<4xf32>
  return
}
func.func @one(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 1>} {
  // expected-error@+2 {{their groups differ: [1, 0] and [0, 1]}}
  // expected-note@+1 {{ranks that meet give the same groups}}
  %0 = coconet.rank.broadcast %x root 0 on groups [[1, 0]] of #world : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// Chunks of another dimension, and of another shape.
#world = #coconet.mesh<r = 2>
func.func @zero(%x: tensor<4x4xf32>) attributes {coconet.ranks = array<i64: 0>} {
  // expected-note@+1 {{rank 0 is here}}
  %0 = coconet.rank.reduce_scatter sum %x into 0 on {r} of #world : tensor<4x4xf32> -> tensor<2x4xf32>
  return
}
func.func @one(%x: tensor<4x4xf32>) attributes {coconet.ranks = array<i64: 1>} {
  // expected-error@+2 {{their dimensions differ: 1 and 0}}
  // expected-note@+1 {{ranks that meet give the same dimensions}}
  %0 = coconet.rank.reduce_scatter sum %x into 1 on {r} of #world : tensor<4x4xf32> -> tensor<4x2xf32>
  return
}

// -----

#world = #coconet.mesh<r = 2>
func.func @zero(%x: tensor<4x4xf32>) attributes {coconet.ranks = array<i64: 0>} {
  // expected-note@+1 {{rank 0 is here}}
  %0 = coconet.rank.reduce_scatter sum %x into 0 on {r} of #world : tensor<4x4xf32> -> tensor<2x4xf32>
  return
}
func.func @one(%x: tensor<2x8xf32>) attributes {coconet.ranks = array<i64: 1>} {
  // expected-error@+2 {{, and their shapes differ: tensor<2x8xf32> and tensor<4x4xf32>}}
  // expected-note@+1 {{ranks that meet give the same shapes}}
  %0 = coconet.rank.reduce_scatter sum %x into 0 on {r} of #world : tensor<2x8xf32> -> tensor<1x8xf32>
  return
}

// -----

// A fused region against a collective alone, and against one of another wire
// type.
#world = #coconet.mesh<r = 2>
func.func @zero(%x: tensor<4xf32>, %n: index) attributes {coconet.ranks = array<i64: 0>} {
  // expected-note@+1 {{rank 0 is here}}
  %0 = coconet.fused all_reduce {
    %r = coconet.rank.reduce_scatter sum %x into 0 on {r} of #world : tensor<4xf32> -> tensor<2xf32>
    coconet.yield %r : tensor<2xf32>
  } {coconet.name = "f"} : tensor<2xf32>
  return
}
func.func @one(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 1>} {
  // expected-error@+2 {{rank 1 is at rank.reduce_scatter 'b' where rank 0 is at fused 'f'}}
  // expected-note@+1 {{ranks of one group start the same communication in the same order}}
  %0 = coconet.rank.reduce_scatter sum %x into 0 on {r} of #world {coconet.name = "b"} : tensor<4xf32> -> tensor<2xf32>
  return
}

// -----

#world = #coconet.mesh<r = 2>
func.func @zero(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 0>} {
  // expected-note@+1 {{rank 0 is here}}
  %0 = coconet.rank.all_reduce sum %x on {r} of #world {coconet.wire_type = f16} : tensor<4xf32> -> tensor<4xf32>
  return
}
func.func @one(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 1>} {
  // expected-error@+2 {{their wire types differ: none and f16}}
  // expected-note@+1 {{ranks that meet give the same wire types}}
  %0 = coconet.rank.all_reduce sum %x on {r} of #world : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// Both ends of a channel speak of one tensor.
func.func @zero(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 0>} {
  // expected-note@+1 {{rank 0 is here}}
  coconet.rank.send %x to "c" between [0] and [1] : tensor<4xf32>
  return
}
func.func @one() attributes {coconet.ranks = array<i64: 1>} {
  // expected-error@+2 {{rank.recv of rank 1 meets rank.send of rank 0, and their numbers of elements differ: 8 and 4}}
  // expected-note@+1 {{ranks that meet give the same numbers of elements}}
  %0 = coconet.rank.recv from "c" between [0] and [1] sizes () : tensor<8xf32>
  return
}
