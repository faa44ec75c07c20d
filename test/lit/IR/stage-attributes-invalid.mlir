// Attributes that say which ranks run a function.
// RUN: coconet-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{carries 'coconet.stage', which belongs on a function}}
module attributes {coconet.stage = 0} {
}

// -----

// expected-error@+1 {{'coconet.stage' is an integer from 0}}
func.func @negative() attributes {coconet.stage = -1} {
  return
}

// -----

// expected-error@+1 {{'coconet.ranks' lists distinct ranks from 0 to 2147483647, at least one}}
func.func @twice() attributes {coconet.ranks = array<i64: 1, 1>} {
  return
}

// -----

// expected-error@+1 {{'coconet.ranks' lists distinct ranks from 0 to 2147483647, at least one}}
func.func @none() attributes {coconet.ranks = array<i64>} {
  return
}

// -----

// The largest number is a number like any other.
// expected-error@+1 {{'coconet.ranks' lists distinct ranks from 0 to 2147483647, at least one}}
func.func @largest() attributes {coconet.ranks = array<i64: 9223372036854775807, 9223372036854775807>} {
  return
}
