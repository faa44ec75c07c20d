// RUN: coconet-opt %s --coconet-check-communication --split-input-file | FileCheck %s

// What all ranks do alike, along overlapping axes.
#mesh = #coconet.mesh<dp = 2, tp = 2>
// CHECK-LABEL: func.func @alike
func.func @alike(%x: tensor<8xf32>, %n: index) -> tensor<4xf32> {
  %0 = coconet.rank.all_reduce sum %x on {dp} of #mesh : tensor<8xf32> -> tensor<8xf32>
  %1 = coconet.rank.all_reduce sum %0 on {tp} of #mesh : tensor<8xf32> -> tensor<8xf32>
  %2 = coconet.rank.broadcast %1 root 1 on groups [[0, 3], [2, 1]] of #mesh : tensor<8xf32> -> tensor<8xf32>
  %3 = coconet.fused all_reduce {
    %r = coconet.rank.reduce_scatter sum %2 into 0 on {dp, tp} of #mesh : tensor<8xf32> -> tensor<2xf32>
    %e = coconet.exp %r : tensor<2xf32> -> tensor<2xf32>
    %g = coconet.rank.all_gather %e size %n from 0 on {dp, tp} of #mesh : tensor<2xf32> -> tensor<8xf32>
    coconet.yield %g : tensor<8xf32>
  } : tensor<8xf32>
  %4 = coconet.rank.reduce_scatter sum %3 into 0 on {tp} of #mesh : tensor<8xf32> -> tensor<4xf32>
  return %4 : tensor<4xf32>
}

// -----

// D02: three groups of two in one order that all ranks fit.
#world = #coconet.mesh<r = 3>
// CHECK-LABEL: func.func @zero
func.func @zero(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 0>} {
  %a = coconet.rank.all_reduce sum %x on groups [[0, 1], [2]] of #world {coconet.name = "a"} : tensor<4xf32> -> tensor<4xf32>
  %c = coconet.rank.all_reduce sum %x on groups [[0, 2], [1]] of #world {coconet.name = "c"} : tensor<4xf32> -> tensor<4xf32>
  return
}
func.func @one(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 1>} {
  %a = coconet.rank.all_reduce sum %x on groups [[0, 1], [2]] of #world {coconet.name = "a"} : tensor<4xf32> -> tensor<4xf32>
  %b = coconet.rank.all_reduce sum %x on groups [[0], [1, 2]] of #world {coconet.name = "b"} : tensor<4xf32> -> tensor<4xf32>
  return
}
func.func @two(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 2>} {
  %b = coconet.rank.all_reduce sum %x on groups [[0], [1, 2]] of #world {coconet.name = "b"} : tensor<4xf32> -> tensor<4xf32>
  %c = coconet.rank.all_reduce sum %x on groups [[0, 2], [1]] of #world {coconet.name = "c"} : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// D01: of two that exchange, one sends first; one number of channels is enough.
// CHECK-LABEL: func.func @sends
func.func @sends(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 0, 1>} {
  coconet.rank.send %x to "there" between [0, 1] and [2, 3] : tensor<4xf32>
  %0 = coconet.rank.recv from "back" between [2, 3] and [0, 1] sizes () : tensor<4xf32>
  return
}
func.func @receives() attributes {coconet.ranks = array<i64: 2, 3>} {
  %0 = coconet.rank.recv from "there" between [0, 1] and [2, 3] sizes () : tensor<4xf32>
  coconet.rank.send %0 to "back" between [2, 3] and [0, 1] : tensor<4xf32>
  return
}

// -----

// Two messages between one pair are told apart by their channels.
// CHECK-LABEL: func.func @left
func.func @left(%x: tensor<4xf32>, %y: tensor<8xf32>) attributes {coconet.ranks = array<i64: 0>} {
  coconet.rank.send %x to "next" between [0] and [1] : tensor<4xf32>
  coconet.rank.send %y to "previous" between [0] and [1] : tensor<8xf32>
  return
}
func.func @right() attributes {coconet.ranks = array<i64: 1>} {
  %0 = coconet.rank.recv from "next" between [0] and [1] sizes () : tensor<4xf32>
  %1 = coconet.rank.recv from "previous" between [0] and [1] sizes () : tensor<8xf32>
  return
}

// -----

// A loop of a constant number of turns equals what it is unrolled to.
#one = #coconet.mesh<r = 1>
// CHECK-LABEL: func.func @loop
func.func @loop(%x: tensor<4xf32>) attributes {coconet.ranks = array<i64: 0>, coconet.mesh = #one} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    coconet.rank.send %x to "c" between [0] and [1] : tensor<4xf32>
  }
  return
}
func.func @unrolled() attributes {coconet.ranks = array<i64: 1>, coconet.mesh = #one} {
  %0 = coconet.rank.recv from "c" between [0] and [1] sizes () : tensor<4xf32>
  %1 = coconet.rank.recv from "c" between [0] and [1] sizes () : tensor<4xf32>
  %2 = coconet.rank.recv from "c" between [0] and [1] sizes () : tensor<4xf32>
  return
}

// -----

// Loops and branches that arguments of one name decide are run alike.
// CHECK-LABEL: func.func @gives
func.func @gives(%x: tensor<4xf32>, %n: index {coconet.arg_name = "steps"}, %p: tensor<i1> {coconet.arg_name = "flag"}) attributes {coconet.ranks = array<i64: 0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.extract %p[] : tensor<i1>
  scf.for %i = %c0 to %n step %c1 {
    scf.if %b {
      coconet.rank.send %x to "c" between [0] and [1] : tensor<4xf32>
    } else {
      coconet.rank.send %x to "d" between [0] and [1] : tensor<4xf32>
    }
  }
  return
}
func.func @takes(%p: tensor<i1> {coconet.arg_name = "flag"}, %n: index {coconet.arg_name = "steps"}) attributes {coconet.ranks = array<i64: 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.extract %p[] : tensor<i1>
  scf.for %i = %c0 to %n step %c1 {
    scf.if %b {
      %0 = coconet.rank.recv from "c" between [0] and [1] sizes () : tensor<4xf32>
    } else {
      %0 = coconet.rank.recv from "d" between [0] and [1] sizes () : tensor<4xf32>
    }
  }
  return
}

// -----

// A condition that differs along dp alone decides about communication along tp.
#mesh = #coconet.mesh<dp = 2, tp = 2>
// CHECK-LABEL: func.func @partly
func.func @partly(%x: tensor<4xf32>, %p: tensor<i1> {coconet.layout = #coconet.layout<#mesh, local = {dp}>}) -> tensor<4xf32> {
  %b = tensor.extract %p[] : tensor<i1>
  %0 = scf.if %b -> tensor<4xf32> {
    %1 = coconet.rank.all_reduce sum %x on {tp} of #mesh : tensor<4xf32> -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// An all_reduce makes the condition equal.
#mesh = #coconet.mesh<dp = 2>
// CHECK-LABEL: func.func @agreed
func.func @agreed(%x: tensor<4xf32>, %p: tensor<i32> {coconet.layout = #coconet.layout<#mesh, local = {dp}>}, %zero: tensor<i32>) -> tensor<4xf32> {
  %m = coconet.rank.all_reduce max %p on {dp} of #mesh : tensor<i32> -> tensor<i32>
  %c = coconet.compare gt %m, %zero : tensor<i32>, tensor<i32> -> tensor<i1>
  %b = tensor.extract %c[] : tensor<i1>
  %0 = scf.if %b -> tensor<4xf32> {
    %1 = coconet.rank.all_reduce sum %x on {dp} of #mesh : tensor<4xf32> -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// Two under way at once, waited for in another order; one is carried by a loop.
#mesh = #coconet.mesh<dp = 2>
// CHECK-LABEL: func.func @flights
func.func @flights(%x: tensor<4xf32>, %y: tensor<4xf32>, %n: index, %m: tensor<4xf32> {coconet.state}) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = coconet.rank.start {
    %r = coconet.rank.all_reduce sum %x on {dp} of #mesh : tensor<4xf32> -> tensor<4xf32>
    coconet.yield %r : tensor<4xf32>
  } : !coconet.future<tensor<4xf32>>
  %g = coconet.rank.start {
    %r = coconet.rank.all_reduce sum %m on {dp} of #mesh : tensor<4xf32> -> tensor<4xf32>
    coconet.yield %r : tensor<4xf32>
  } : !coconet.future<tensor<4xf32>>
  %1 = coconet.rank.wait %g : !coconet.future<tensor<4xf32>> -> tensor<4xf32>
  %u = coconet.update %m, %1 : tensor<4xf32>
  %h = scf.for %i = %c0 to %n step %c1 iter_args(%last = %f) -> !coconet.future<tensor<4xf32>> {
    %v = coconet.rank.wait %last : !coconet.future<tensor<4xf32>> -> tensor<4xf32>
    %next = coconet.rank.start {
      %r = coconet.rank.all_reduce sum %v on {dp} of #mesh : tensor<4xf32> -> tensor<4xf32>
      coconet.yield %r : tensor<4xf32>
    } : !coconet.future<tensor<4xf32>>
    scf.yield %next : !coconet.future<tensor<4xf32>>
  }
  %2 = coconet.rank.wait %h : !coconet.future<tensor<4xf32>> -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// Each branch waits once.
#mesh = #coconet.mesh<dp = 2>
// CHECK-LABEL: func.func @branches
func.func @branches(%x: tensor<4xf32>, %p: i1) -> tensor<4xf32> {
  %f = coconet.rank.start {
    %r = coconet.rank.all_reduce sum %x on {dp} of #mesh : tensor<4xf32> -> tensor<4xf32>
    coconet.yield %r : tensor<4xf32>
  } : !coconet.future<tensor<4xf32>>
  %0 = scf.if %p -> tensor<4xf32> {
    %1 = coconet.rank.wait %f : !coconet.future<tensor<4xf32>> -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    %1 = coconet.rank.wait %f : !coconet.future<tensor<4xf32>> -> tensor<4xf32>
    %2 = coconet.neg %1 : tensor<4xf32> -> tensor<4xf32>
    scf.yield %2 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// Loops over communication along an axis whose ranks run it alike: the bound
// differs along dp, in a nest that carries what is reduced along tp.
#mesh = #coconet.mesh<dp = 2, tp = 2>
// CHECK-LABEL: func.func @nest
func.func @nest(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = coconet.rank.coordinate {dp} of #mesh
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %1 = scf.for %j = %c0 to %i step %c1 iter_args(%b = %a) -> tensor<4xf32> {
      %2 = coconet.rank.all_reduce sum %b on {tp} of #mesh : tensor<4xf32> -> tensor<4xf32>
      scf.yield %2 : tensor<4xf32>
    }
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
