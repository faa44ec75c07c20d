// RUN: coconet-opt %s --split-input-file --verify-diagnostics

func.func @no_tensors(%x: tensor<4xf32>) {
  // expected-error@+2 {{is over 0 tensors}}
  // expected-note@+1 {{a list has at least one tensor}}
  %r = "coconet.for_each"(%x) <{count = 0 : i64}> ({
  ^bb0(%a: tensor<?xf32>):
    "coconet.yield"(%a) : (tensor<?xf32>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @uneven_lists(%x: tensor<4xf32>) {
  // expected-error@+2 {{has 3 operands for 1 lists of 2}}
  // expected-note@+1 {{give every list of the region as many tensors as `count`}}
  %r:2 = coconet.for_each 2 of (%x, %x, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<?xf32>):
    coconet.yield %a : tensor<?xf32>
  } -> tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @uneven_results(%x: tensor<4xf32>) {
  // expected-error@+2 {{has 1 results, which are not 2 for each yielded value}}
  // expected-note@+1 {{yield one value per list of results}}
  %r = coconet.for_each 2 of (%x, %x : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<?xf32>):
    coconet.yield %a : tensor<?xf32>
  } -> tensor<4xf32>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#cut = #coconet.layout<#mesh, [{dp}, {}]>
func.func @cut_along_a_dimension(%x: tensor<4x4xf32, #cut>) {
  // expected-error@+2 {{takes a tensor cut along a dimension}}
  // expected-note@+1 {{cut it flat, or all_gather it first: a list holds flattenings}}
  %r = coconet.for_each 1 of (%x : tensor<4x4xf32, #cut>) {
  ^bb0(%a: tensor<?xf32>):
    coconet.yield %a : tensor<?xf32>
  } -> tensor<4x4xf32>
  return
}

// -----

func.func @element_types(%x: tensor<4xf32>, %y: tensor<4xf16>) {
  // expected-error@+2 {{has block argument 0 of type 'tensor<?xf32>' for a list with 'tensor<4xf16>'}}
  // expected-note@+1 {{it is of type 'tensor<?xf16>' for all tensors of the list}}
  %r:2 = coconet.for_each 2 of (%x, %y : tensor<4xf32>, tensor<4xf16>) {
  ^bb0(%a: tensor<?xf32>):
    coconet.yield %a : tensor<?xf32>
  } -> tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @unlike_positions(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error@+2 {{has tensors of 4 and of 5 elements at position 0}}
  // expected-note@+1 {{sort all lists alike; a single element for all tensors is used from outside}}
  %r:2 = coconet.for_each 2 of (%x, %y, %y, %x : tensor<4xf32>, tensor<5xf32>, tensor<5xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<?xf32>, %b: tensor<?xf32>):
    coconet.yield %a : tensor<?xf32>
  } -> tensor<4xf32>, tensor<5xf32>
  return
}

// -----

func.func @from_outside(%x: tensor<4xf32>, %y: tensor<?xf32>) {
  // expected-error@+1 {{uses 'tensor<?xf32>' from outside, which is no single element}}
  %r = coconet.for_each 1 of (%x : tensor<4xf32>) {
  ^bb0(%a: tensor<?xf32>):
    // expected-note@+1 {{make it a list of the operation}}
    %b = coconet.add %a, %y : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    coconet.yield %b : tensor<?xf32>
  } -> tensor<4xf32>
  return
}

// -----

func.func @update(%x: tensor<4xf32>, %t: tensor<f32> {coconet.state}) {
  // expected-error@+1 {{holds 'coconet.update'}}
  %r = coconet.for_each 1 of (%x : tensor<4xf32>) {
  ^bb0(%a: tensor<?xf32>):
    // expected-note@+1 {{yield the new value, and update each state after the list}}
    %u = coconet.update %t, %t : tensor<f32>
    coconet.yield %a : tensor<?xf32>
  } -> tensor<4xf32>
  return
}

// -----

func.func @nested(%x: tensor<4xf32>) {
  // expected-error@+1 {{holds 'coconet.for_each'}}
  %r = coconet.for_each 1 of (%x : tensor<4xf32>) {
  ^bb0(%a: tensor<?xf32>):
    // expected-note@+1 {{make one list of all tensors}}
    %s = coconet.for_each 1 of (%a : tensor<?xf32>) {
    ^bb0(%b: tensor<?xf32>):
      coconet.yield %b : tensor<?xf32>
    } -> tensor<?xf32>
    coconet.yield %s : tensor<?xf32>
  } -> tensor<4xf32>
  return
}

// -----

func.func @yielded(%x: tensor<4xf32>) {
  // expected-error@+2 {{yields }}
  // expected-note@+1 {{yield flattenings, which are of open size, or scalars}}
  %r = coconet.for_each 1 of (%x : tensor<4xf32>) {
  ^bb0(%a: tensor<?xf32>):
    %b = coconet.constant dense<0.0> : tensor<3xf32>
    coconet.yield %b : tensor<3xf32>
  } -> tensor<3xf32>
  return
}

// -----

func.func @result(%x: tensor<4x2xf32>) {
  // expected-error@+2 {{has a result of type 'tensor<8xf32>' in list 0}}
  // expected-note@+1 {{it is of type 'tensor<4x2xf32>'}}
  %r = coconet.for_each 1 of (%x : tensor<4x2xf32>) {
  ^bb0(%a: tensor<?xf32>):
    coconet.yield %a : tensor<?xf32>
  } -> tensor<8xf32>
  return
}
