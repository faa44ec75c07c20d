// RUN: coconet-opt %s --split-input-file --verify-diagnostics

func.func @no_name(%x: tensor<4xf32>) {
  // expected-error@+2 {{names no channel}}
  // expected-note@+1 {{a channel has a name of one line, as in "boundary"}}
  coconet.send %x to "" : tensor<4xf32>
  return
}

// -----

func.func @unknown_size() {
  // expected-error@+2 {{does not know the size of dimension 0}}
  // expected-note@+1 {{name it as a dimension of an argument, as in dims ["b", "h"], or make the type static}}
  %y = coconet.recv from "a" : tensor<?xf32>
  return
}

// -----

func.func @names() {
  // expected-error@+2 {{has 2 names for 1 dimensions}}
  // expected-note@+1 {{give one name a dimension; static ones may be ""}}
  %y = coconet.recv from "a" dims ["b", "c"] : tensor<?xf32>
  return
}

// -----

func.func @ranks(%x: tensor<4xf32>) {
  // expected-error@+2 {{joins 2 senders and 1 receivers}}
  // expected-note@+1 {{list distinct ranks, as many senders as receivers}}
  coconet.rank.send %x to "a" between [0, 1] and [2] : tensor<4xf32>
  return
}

// -----

func.func @to_itself(%x: tensor<4xf32>) {
  // expected-error@+2 {{joins 2 senders and 2 receivers}}
  // expected-note@+1 {{list distinct ranks}}
  coconet.rank.send %x to "a" between [0, 1] and [1, 2] : tensor<4xf32>
  return
}

// -----

#sliced = #coconet.layout<#coconet.mesh<tp = 2>, [{tp}]>
func.func @layout(%x: tensor<4xf32, #sliced>) {
  // expected-error@+2 {{has a tensor that carries a layout}}
  // expected-note@+1 {{rank programs have plain tensors}}
  coconet.rank.send %x to "a" between [0, 1] and [2, 3] : tensor<4xf32, #sliced>
  return
}

// -----

func.func @sizes() {
  // expected-error@+2 {{has 0 sizes for 1 dynamic dimensions}}
  // expected-note@+1 {{give the size of each dynamic dimension, in order}}
  %y = coconet.rank.recv from "a" between [0] and [1] sizes() : tensor<?xf32>
  return
}

// -----

func.func @no_send(%x: tensor<4xf32>) {
  // expected-error@+2 {{of kind send holds 0 sends}}
  // expected-note@+1 {{fuse each send with what computes its operand}}
  %0 = coconet.fused send {
    %1 = coconet.neg %x : tensor<4xf32> -> tensor<4xf32>
    coconet.yield %1 : tensor<4xf32>
  } : tensor<4xf32>
  return
}

// -----

func.func @sent_from_outside(%x: tensor<4xf32>) {
  // expected-error@+2 {{of kind send sends a value from outside}}
  // expected-note@+1 {{move the send out, or what computes its operand in}}
  coconet.fused send {
    coconet.send %x to "a" : tensor<4xf32>
    coconet.yield
  }
  return
}

// -----

func.func @other_shape(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+2 {{of kind send has a result that is not shaped as what it sends}}
  // expected-note@+1 {{compute values of other shapes outside}}
  %0 = coconet.fused send {
    %1 = coconet.neg %s : tensor<f32> -> tensor<f32>
    %2 = coconet.mul %x, %1 : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
    coconet.send %2 to "a" : tensor<4xf32>
    coconet.yield %1 : tensor<f32>
  } : tensor<f32>
  return
}

// -----

func.func @matmul(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{of kind send holds 'coconet.matmul'}}
  coconet.fused send {
    // expected-note@+1 {{only pointwise ops and one send of what they compute are fused}}
    %1 = coconet.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    coconet.send %1 to "a" : tensor<4x4xf32>
    coconet.yield
  }
  return
}

// -----

// expected-error@+2 {{lies in no function}}
// expected-note@+1 {{the function that holds it says which ranks run it}}
%0 = coconet.recv from "a" : tensor<4x6xf32>
