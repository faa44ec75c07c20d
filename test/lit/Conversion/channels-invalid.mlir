// RUN: coconet-opt %s --split-input-file --verify-diagnostics --coconet-to-rank

func.func @f(%x: tensor<4xf32>) attributes {coconet.stage = 0 : i64} {
  // expected-error@+2 {{is in @f, whose ranks are not known}}
  // expected-note@+1 {{run --coconet-bind-mesh before --coconet-to-rank}}
  coconet.send %x to "a" : tensor<4xf32>
  return
}
func.func @g() attributes {coconet.ranks = array<i64: 1>} {
  %0 = coconet.recv from "a" : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<?xf32>) attributes {coconet.ranks = array<i64: 0>} {
  coconet.send %x to "a" : tensor<?xf32>
  return
}
func.func @g() attributes {coconet.ranks = array<i64: 1>} {
  // expected-error@+2 {{has a dimension 'n', which no argument of @g has}}
  // expected-note@+1 {{name a dimension of an argument (coconet.dims), or make the type static}}
  %0 = coconet.recv from "a" dims ["n"] : tensor<?xf32>
  return
}
