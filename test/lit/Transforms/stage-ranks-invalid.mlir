// RUN: coconet-opt %s --split-input-file --verify-diagnostics --coconet-bind-mesh

// expected-note@+1 {{the other one is here; stages have different numbers}}
func.func @f() attributes {coconet.stage = 1 : i64, coconet.mesh = #coconet.mesh<tp = 2>} {
  return
}
// expected-error@+1 {{@g has coconet.stage 1, as another function has}}
func.func @g() attributes {coconet.stage = 1 : i64, coconet.mesh = #coconet.mesh<tp = 2>} {
  return
}

// -----

// expected-error@+2 {{@f has a coconet.stage and no mesh, so the number of its ranks is not known}}
// expected-note@+1 {{give it coconet.mesh}}
func.func @f() attributes {coconet.stage = 1 : i64} {
  return
}

// -----

// expected-error@+2 {{@f has 1 ranks and the mesh <tp = 2>}}
// expected-note@+1 {{list one rank for each of the mesh in coconet.ranks}}
func.func @f() attributes {coconet.ranks = array<i64: 0>, coconet.mesh = #coconet.mesh<tp = 2>} {
  return
}

// -----

// expected-note@+1 {{the other one is here; a rank runs one function}}
func.func @f() attributes {coconet.ranks = array<i64: 0, 1>} {
  return
}
// expected-error@+1 {{rank 1 runs @g and another function}}
func.func @g() attributes {coconet.ranks = array<i64: 2, 1>} {
  return
}

// -----

// expected-error@+2 {{and the other functions leave rank 1 out of 3}}
// expected-note@+1 {{number the ranks of all functions from 0, without a gap}}
func.func @f() attributes {coconet.ranks = array<i64: 0, 3>} {
  return
}
func.func @g() attributes {coconet.ranks = array<i64: 2>} {
  return
}
