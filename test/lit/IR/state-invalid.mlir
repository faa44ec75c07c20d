// RUN: coconet-opt %s --split-input-file --verify-diagnostics

func.func @no_state(%m: tensor<4xf32>, %v: tensor<4xf32>) {
  // expected-error@+2 {{does not update a state argument}}
  // expected-note@+1 {{mark the function argument with 'coconet.state'}}
  %0 = coconet.update %m, %v : tensor<4xf32>
  return
}

// -----

func.func @updated_twice(%m: tensor<4xf32> {coconet.state}, %v: tensor<4xf32>) {
  // expected-error@+2 {{updates argument 0, which is updated elsewhere too}}
  // expected-note@+2 {{a state is updated once}}
  %0 = coconet.update %m, %v : tensor<4xf32>
  %1 = coconet.update %m, %v : tensor<4xf32>
  return
}

// -----

func.func @other_block(%x: tensor<4xf32> {coconet.state}) {
  cf.br ^bb1(%x, %x : tensor<4xf32>, tensor<4xf32>)
^bb1(%a: tensor<4xf32>, %b: tensor<4xf32>):
  // expected-error@+2 {{does not update a state argument}}
  // expected-note@+1 {{mark the function argument with 'coconet.state'}}
  %0 = coconet.update %b, %a : tensor<4xf32>
  return
}

// -----

func.func @computed(%x: tensor<4xf32> {coconet.state}) {
  %0 = coconet.neg %x : tensor<4xf32> -> tensor<4xf32>
  // expected-error@+2 {{does not update a state argument}}
  // expected-note@+1 {{mark the function argument with 'coconet.state'}}
  %1 = coconet.update %0, %x : tensor<4xf32>
  return
}

// -----

func.func @in_a_loop(%x: tensor<4xf32> {coconet.state}, %y: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %c1 {
    // expected-error@+2 {{'coconet.update' op is inside of 'scf.for'}}
    // expected-note@+1 {{carry or yield the value, and update the state after it}}
    %0 = coconet.update %x, %y : tensor<4xf32>
  }
  return
}
