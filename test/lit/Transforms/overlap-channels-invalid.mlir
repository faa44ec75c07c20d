// RUN: coconet-opt %s --split-input-file --verify-diagnostics "--coconet-overlap-ops=names=o chunks=3 dim=1"

// A send alone: its recv would be in chunks, and nothing beside.
func.func @f(%x: tensor<4x6xf32>) attributes {coconet.stage = 0 : i64} {
  // expected-error@+2 {{cannot overlap send 'o' alone: nothing would run beside it}}
  // expected-note@+1 {{add the computation before or after it}}
  coconet.send %x to "a" {coconet.name = "o"} : tensor<4x6xf32>
  return
}
func.func @g() attributes {coconet.stage = 1 : i64} {
  %0 = coconet.recv from "a" : tensor<4x6xf32>
  return
}

// -----

func.func @f(%x: tensor<4x6xf32>) attributes {coconet.stage = 0 : i64} {
  %0 = coconet.exp %x {coconet.name = "o"} : tensor<4x6xf32> -> tensor<4x6xf32>
  // expected-error@+2 {{cannot overlap send 'o': channel 'a' has no one other end of the same shape}}
  // expected-note@+1 {{send and receive once, in two functions of a module}}
  coconet.send %0 to "a" {coconet.name = "o"} : tensor<4x6xf32>
  return
}

// -----

// What is sent is computed elsewhere: nothing says along which dimension.
func.func @f(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>) -> tensor<4x6xf32> attributes {coconet.stage = 0 : i64} {
  // expected-error@+2 {{cannot overlap send 'o': it shares no value with the other ops}}
  // expected-note@+1 {{leave it out, or run it beside them with one chunk}}
  coconet.send %x to "a" {coconet.name = "o"} : tensor<4x6xf32>
  %0 = coconet.exp %y {coconet.name = "o"} : tensor<4x6xf32> -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
func.func @g() attributes {coconet.stage = 1 : i64} {
  %0 = coconet.recv from "a" : tensor<4x6xf32>
  return
}

// -----

func.func @f(%x: tensor<4x6xf32>) attributes {coconet.stage = 0 : i64} {
  // expected-note@+1 {{the other one is here}}
  coconet.send %x to "a" {coconet.name = "o"} : tensor<4x6xf32>
  // expected-error@+2 {{cannot overlap: send 'between' would change places with send 'o'}}
  // expected-note@+1 {{both sides of a program send and receive in one order; add it, or overlap what comes before it by itself}}
  coconet.send %x to "b" {coconet.name = "between"} : tensor<4x6xf32>
  %0 = coconet.exp %x {coconet.name = "o"} : tensor<4x6xf32> -> tensor<4x6xf32>
  coconet.send %0 to "c" {coconet.name = "o"} : tensor<4x6xf32>
  return
}
func.func @g() attributes {coconet.stage = 1 : i64} {
  %0 = coconet.recv from "a" : tensor<4x6xf32>
  %1 = coconet.recv from "b" : tensor<4x6xf32>
  %2 = coconet.recv from "c" : tensor<4x6xf32>
  return
}

// -----

// What depends on the set would come after it.
func.func @f(%x: tensor<4x6xf32>) attributes {coconet.stage = 0 : i64} {
  %0 = coconet.exp %x {coconet.name = "o"} : tensor<4x6xf32> -> tensor<4x6xf32>
  // expected-error@+2 {{cannot overlap: send 'first' would change places with send 'o'}}
  // expected-note@+1 {{both sides of a program send and receive in one order; add it, or overlap what comes before it by itself}}
  coconet.send %0 to "a" {coconet.name = "first"} : tensor<4x6xf32>
  // expected-note@+1 {{the other one is here}}
  coconet.send %0 to "b" {coconet.name = "o"} : tensor<4x6xf32>
  return
}
func.func @g() attributes {coconet.stage = 1 : i64} {
  %0 = coconet.recv from "a" : tensor<4x6xf32>
  %1 = coconet.recv from "b" : tensor<4x6xf32>
  return
}

// -----

func.func @f(%x: tensor<4x6xf32>) attributes {coconet.stage = 0 : i64} {
  %0 = coconet.exp %x {coconet.name = "o"} : tensor<4x6xf32> -> tensor<4x6xf32>
  coconet.send %0 to "a" {coconet.name = "o"} : tensor<4x6xf32>
  return
}
func.func @g() attributes {coconet.stage = 1 : i64} {
  %0 = coconet.recv from "a" : tensor<4x6xf32>
  return
}
func.func @h(%y: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error@+2 {{cannot overlap exp 'o': it lies in another function, and no channel joins the two}}
  // expected-note@+1 {{name ops of one function body, or a send and what uses it}}
  %0 = coconet.exp %y {coconet.name = "o"} : tensor<4x6xf32> -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

// The receiver's chunks do not run through what is named there.
func.func @f(%x: tensor<4x6xf32>) attributes {coconet.stage = 0 : i64} {
  %0 = coconet.exp %x {coconet.name = "o"} : tensor<4x6xf32> -> tensor<4x6xf32>
  coconet.send %0 to "a" {coconet.name = "o"} : tensor<4x6xf32>
  return
}
func.func @g(%w: tensor<6x2xf32>) -> tensor<4x2xf32> attributes {coconet.stage = 1 : i64} {
  %0 = coconet.recv from "a" : tensor<4x6xf32>
  // expected-error@+2 {{cannot overlap matmul 'o': dimension 1 of its operand is none of its result}}
  // expected-note@+1 {{chunk another dimension, or leave it out}}
  %1 = coconet.matmul %0, %w {coconet.name = "o"} : tensor<4x6xf32>, tensor<6x2xf32> -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// -----

// Two channels whose ends are chunked differently.
func.func @f(%x: tensor<6x6xf32>) attributes {coconet.stage = 0 : i64} {
  %0 = coconet.exp %x {coconet.name = "o"} : tensor<6x6xf32> -> tensor<6x6xf32>
  coconet.send %0 to "a" {coconet.name = "o"} : tensor<6x6xf32>
  %1 = coconet.transpose %0 by [1, 0] {coconet.name = "o"} : tensor<6x6xf32> -> tensor<6x6xf32>
  coconet.send %1 to "b" {coconet.name = "o"} : tensor<6x6xf32>
  return
}
func.func @g() -> tensor<6x6xf32> attributes {coconet.stage = 1 : i64} {
  %0 = coconet.recv from "a" : tensor<6x6xf32>
  %1 = coconet.recv from "b" : tensor<6x6xf32>
  // expected-error@+2 {{cannot overlap add 'o': the chunks reach recv along two of its dimensions}}
  // expected-note@+1 {{chunk another dimension, or leave it out}}
  %2 = coconet.add %0, %1 {coconet.name = "o"} : tensor<6x6xf32>, tensor<6x6xf32> -> tensor<6x6xf32>
  return %2 : tensor<6x6xf32>
}

// -----

func.func @f(%x: tensor<4x6xf32>) attributes {coconet.stage = 0 : i64} {
  %0 = coconet.exp %x {coconet.name = "o"} : tensor<4x6xf32> -> tensor<4x6xf32>
  // expected-error@+2 {{cannot overlap send 'o': channel 'a' has no one other end of the same shape}}
  // expected-note@+1 {{send and receive once, in two functions of a module}}
  coconet.send %0 to "a" {coconet.name = "o"} : tensor<4x6xf32>
  return
}
func.func @g() attributes {coconet.stage = 1 : i64} {
  %0 = coconet.recv from "a" : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<6x6xf32>) -> tensor<6x6xf32> attributes {coconet.stage = 0 : i64} {
  %0 = coconet.exp %x {coconet.name = "o"} : tensor<6x6xf32> -> tensor<6x6xf32>
  coconet.send %0 to "a" {coconet.name = "o"} : tensor<6x6xf32>
  // expected-error@+2 {{cannot overlap recv 'o': its chunks come back to the function that sends them}}
  // expected-note@+1 {{overlap what goes there and what comes back in two regions}}
  %1 = coconet.recv from "b" {coconet.name = "o"} : tensor<6x6xf32>
  %2 = coconet.add %1, %0 {coconet.name = "o"} : tensor<6x6xf32>, tensor<6x6xf32> -> tensor<6x6xf32>
  return %2 : tensor<6x6xf32>
}
func.func @g() attributes {coconet.stage = 1 : i64} {
  %0 = coconet.recv from "a" : tensor<6x6xf32>
  %1 = coconet.neg %0 {coconet.name = "o"} : tensor<6x6xf32> -> tensor<6x6xf32>
  coconet.send %1 to "b" {coconet.name = "o"} : tensor<6x6xf32>
  return
}
