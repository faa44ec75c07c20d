// RUN: coconet-opt %s --coconet-check-communication --split-input-file --verify-diagnostics

#mesh = #coconet.mesh<dp = 2, tp = 2>
func.func @branch(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %i = coconet.rank.coordinate {dp, tp} of #mesh
  %b = arith.cmpi eq, %i, %c0 : index
  // expected-note@+1 {{the condition differs along {tp}}}
  %0 = scf.if %b -> tensor<4xf32> {
    // expected-error@+2 {{rank.all_reduce 'a' is in a branch that ranks along {tp} do not take alike}}
    // expected-note@+1 {{decide by a value that is equal along {tp}: all_reduce or broadcast it first}}
    %1 = coconet.rank.all_reduce sum %x on {tp} of #mesh {coconet.name = "a"} : tensor<4xf32> -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// What a slice holds decides how often the loop runs.
#mesh = #coconet.mesh<dp = 2>
func.func @loop(%x: tensor<4xf32> {coconet.layout = #coconet.layout<#mesh, [{dp}]>}, %k: tensor<?xf32> {coconet.layout = #coconet.layout<#mesh, [{dp}]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %k, %c0 : tensor<?xf32>
  // expected-note@+1 {{the bounds of the loop differ along {dp}}}
  scf.for %i = %c0 to %n step %c1 {
    // expected-error@+2 {{rank.all_reduce is in a loop that ranks along {dp} do not run equally often}}
    // expected-note@+1 {{decide by a value that is equal along {dp}}}
    %0 = coconet.rank.all_reduce sum %x on {dp} of #mesh : tensor<4xf32> -> tensor<4xf32>
  }
  return
}

// -----

// A condition that the loop carries differs from the second turn on.
#mesh = #coconet.mesh<dp = 2>
func.func @carried(%x: tensor<4xf32>, %y: tensor<i1> {coconet.layout = #coconet.layout<#mesh, local = {dp}>}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %later = tensor.extract %y[] : tensor<i1>
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%b = %true) -> i1 {
    // expected-note@+1 {{the condition differs along {dp}}}
    scf.if %b {
      // expected-error@+2 {{rank.all_reduce is in a branch that ranks along {dp} do not take alike}}
      // expected-note@+1 {{decide by a value that is equal along {dp}}}
      %1 = coconet.rank.all_reduce sum %x on {dp} of #mesh : tensor<4xf32> -> tensor<4xf32>
    }
    scf.yield %later : i1
  }
  return
}

// -----

// Groups of ranks span both axes.
#mesh = #coconet.mesh<dp = 2, tp = 2>
func.func @groups(%x: tensor<4xf32>, %y: tensor<i1> {coconet.layout = #coconet.layout<#mesh, rooted = {dp : 0}>}) {
  %b = tensor.extract %y[] : tensor<i1>
  // expected-note@+1 {{the condition differs along {dp}}}
  scf.if %b {
    %0 = coconet.rank.all_reduce sum %x on groups [[0, 1], [2, 3]] of #mesh : tensor<4xf32> -> tensor<4xf32>
    // expected-error@+2 {{rank.all_reduce is in a branch that ranks along {dp} do not take alike}}
    // expected-note@+1 {{decide by a value that is equal along {dp}}}
    %1 = coconet.rank.all_reduce sum %x on groups [[0, 3], [1, 2]] of #mesh : tensor<4xf32> -> tensor<4xf32>
  }
  return
}

// -----

// A reduce_scatter leaves a part that differs; so does a branch.
#mesh = #coconet.mesh<dp = 2>
func.func @scattered(%x: tensor<2xi1>, %v: tensor<4xi32>, %zero: tensor<2xi32>) {
  %c0 = arith.constant 0 : index
  %s = coconet.rank.reduce_scatter sum %v into 0 on {dp} of #mesh : tensor<4xi32> -> tensor<2xi32>
  %c = coconet.compare gt %s, %zero : tensor<2xi32>, tensor<2xi32> -> tensor<2xi1>
  %b = tensor.extract %c[%c0] : tensor<2xi1>
  %d = scf.if %b -> i1 {
    %true = arith.constant true
    scf.yield %true : i1
  } else {
    %false = arith.constant false
    scf.yield %false : i1
  }
  // expected-note@+1 {{the condition differs along {dp}}}
  scf.if %d {
    // expected-error@+2 {{rank.all_reduce is in a branch that ranks along {dp} do not take alike}}
    // expected-note@+1 {{decide by a value that is equal along {dp}}}
    %0 = coconet.rank.all_reduce sum %v on {dp} of #mesh : tensor<4xi32> -> tensor<4xi32>
  }
  return
}

// -----

// Two functions that nothing makes decide alike.
func.func @zero(%x: tensor<4xf32>, %n: index {coconet.arg_name = "n"}) attributes {coconet.ranks = array<i64: 0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note@+1 {{rank 0 decides here}}
  scf.for %i = %c0 to %n step %c1 {
    coconet.rank.send %x to "a" between [0] and [1] : tensor<4xf32>
  }
  return
}
func.func @one(%m: index {coconet.arg_name = "m"}) attributes {coconet.ranks = array<i64: 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note@+1 {{rank 1 decides here}}
  scf.for %i = %c0 to %m step %c1 {
    // expected-error@+2 {{rank.recv of rank 1 meets rank.send of rank 0, and they may not be run equally often}}
    // expected-note@+1 {{decide alike: by the same constants, or by arguments of the same coconet.arg_name}}
    %0 = coconet.rank.recv from "a" between [0] and [1] sizes () : tensor<4xf32>
  }
  return
}

// -----

// One turn more than the other takes.
func.func @zero(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    // expected-error@+2 {{rank 0 sends to rank 1 by rank.send, and rank 1 does not receive it}}
    // expected-note@+1 {{every rank that is waited for does its part}}
    coconet.rank.send %x to "a" between [0] and [1] : tensor<4xf32>
  }
  return
}
func.func @one() attributes {coconet.ranks = array<i64: 1>} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c2 {
    %0 = coconet.rank.recv from "a" between [0] and [1] sizes () : tensor<4xf32>
  }
  // expected-note@+1 {{rank 1 ends here}}
  return
}

// -----

// A branch that one function decides alone.
func.func @zero(%x: tensor<4xf32>, %p: i1) attributes {coconet.ranks = array<i64: 0>} {
  // expected-note@+1 {{rank 0 decides here}}
  scf.if %p {
    coconet.rank.send %x to "a" between [0] and [1] : tensor<4xf32>
  }
  return
}
func.func @one() attributes {coconet.ranks = array<i64: 1>} {
  // expected-error@+2 {{rank.recv of rank 1 meets rank.send of rank 0, and they may not be run equally often}}
  // expected-note@+1 {{decide alike}}
  %0 = coconet.rank.recv from "a" between [0] and [1] sizes () : tensor<4xf32>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
func.func @while(%x: tensor<4xf32>, %p: i1) {
  // expected-error@+2 {{'scf.while' op has communication in it that cannot be followed}}
  // expected-note@+1 {{control flow around communication is scf.for or scf.if}}
  scf.while : () -> () {
    scf.condition(%p)
  } do {
    %0 = coconet.rank.all_reduce sum %x on {dp} of #mesh : tensor<4xf32> -> tensor<4xf32>
    scf.yield
  }
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
// expected-error@+2 {{'func.func' op communicates and has several blocks}}
// expected-note@+1 {{control flow around communication is scf.for or scf.if}}
func.func @blocks(%x: tensor<4xf32>, %p: i1) {
  cf.cond_br %p, ^a, ^b
^a:
  %0 = coconet.rank.all_reduce sum %x on {dp} of #mesh : tensor<4xf32> -> tensor<4xf32>
  return
^b:
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
func.func private @callee(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = coconet.rank.all_reduce sum %x on {dp} of #mesh : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @caller(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = coconet.rank.all_reduce sum %x on {dp} of #mesh : tensor<4xf32> -> tensor<4xf32>
  // expected-error@+2 {{'func.call' op calls a function that communicates}}
  // expected-note@+1 {{inline it before communication is checked}}
  %1 = call @callee(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
