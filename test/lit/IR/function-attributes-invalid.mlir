// RUN: coconet-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{argument 0 has unknown attribute 'coconet.stat'}}
func.func @unknown_attribute(%m: tensor<4xf32> {coconet.stat}) {
  return
}

// -----

// expected-error@+1 {{'coconet.dims' must be an array of one string per dimension}}
func.func @dims(%m: tensor<4xf32> {coconet.dims = ["n", "m"]}) {
  return
}

// -----

func.func @name(%x: tensor<4xf32>) {
  // expected-error@+1 {{attribute 'coconet.name' must be a string}}
  %0 = coconet.neg %x {coconet.name = 3 : i32} : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// expected-error@+1 {{argument 0: 'coconet.state' must be a unit attribute of a tensor}}
func.func @state_value(%m: tensor<4xf32> {coconet.state = 1 : i64}) {
  return
}

// -----

// expected-error@+1 {{argument 0: 'coconet.state' must be a unit attribute of a tensor}}
func.func @state_type(%m: index {coconet.state}) {
  return
}

// -----

// expected-error@+1 {{argument 0: 'coconet.layout' must be a #coconet.layout}}
func.func @layout(%m: tensor<4xf32> {coconet.layout = "rows"}) {
  return
}

// -----

// expected-error@+1 {{argument 0: 'coconet.arg_name' must be a string}}
func.func @arg_name(%m: tensor<4xf32> {coconet.arg_name = 3 : i64}) {
  return
}

// -----

// expected-error@+1 {{result 0: 'coconet.result_name' must be a string}}
func.func private @result_name() -> (tensor<4xf32> {coconet.result_name})

// -----

// expected-error@+1 {{result 0 has unknown attribute 'coconet.state'; known are 'coconet.result_name'}}
func.func private @result_state() -> (tensor<4xf32> {coconet.state})

// -----

// expected-error@+1 {{argument 0: 'coconet.dims' must be an array of one string per dimension}}
func.func private @dims(tensor<4xf32> {coconet.dims = [3]})

// -----

// expected-error@+1 {{attribute 'coconet.mesh' must be a #coconet.mesh}}
module attributes {coconet.mesh = "dp"} {
}

// -----

// expected-error@+1 {{has unknown attribute 'coconet.nam'; known are 'coconet.name' and 'coconet.mesh'}}
func.func private @unknown() attributes {coconet.nam = "f"}

// -----

// expected-error@+1 {{attribute 'coconet.states' must be an integer}}
func.func private @states() attributes {coconet.states = "two"}

// -----

// expected-error@+1 {{argument 0: 'coconet.size_of' must be an argument number and a dimension, on an index}}
func.func private @size(tensor<4xf32> {coconet.size_of = array<i64: 0, 0>})
