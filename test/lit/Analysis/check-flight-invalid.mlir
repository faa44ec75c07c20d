// RUN: coconet-opt %s --coconet-check-communication --split-input-file --verify-diagnostics

// L01: a state is written while an all_reduce reads it.
#mesh = #coconet.mesh<dp = 2>
func.func @update(%m: tensor<4xf32> {coconet.state}, %x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note@+1 {{it is started here}}
  %f = coconet.rank.start {
    %r = coconet.rank.all_reduce sum %m on {dp} of #mesh {coconet.name = "s"} : tensor<4xf32> -> tensor<4xf32>
    coconet.yield %r : tensor<4xf32>
  } : !coconet.future<tensor<4xf32>>
  // expected-error@+2 {{update writes a tensor that rank.all_reduce 's' reads, which is under way}}
  // expected-note@+1 {{write after coconet.rank.wait, or let it read a copy}}
  %u = coconet.update %m, %x : tensor<4xf32>
  %0 = coconet.rank.wait %f : !coconet.future<tensor<4xf32>> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A change of shape and a chunk share elements; so does what a fused region
// reads besides the operand of its collective.
#mesh = #coconet.mesh<dp = 2>
func.func @shapes(%m: tensor<2x2xf32> {coconet.state}, %v: tensor<2xf32> {coconet.state}, %x: tensor<2x2xf32>, %g: tensor<4xf32>, %y: tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  %flat = coconet.rank.reshape %m sizes () : tensor<2x2xf32> -> tensor<4xf32>
  // expected-note@+1 {{it is started here}}
  %f = coconet.rank.start {
    %r = coconet.rank.all_reduce sum %flat on {dp} of #mesh : tensor<4xf32> -> tensor<4xf32>
    coconet.yield %r : tensor<4xf32>
  } : !coconet.future<tensor<4xf32>>
  // expected-note@+1 {{it is started here}}
  %h = coconet.rank.start {
    %q = coconet.fused all_reduce {
      %r = coconet.rank.reduce_scatter sum %g into 0 on {dp} of #mesh : tensor<4xf32> -> tensor<2xf32>
      %a = coconet.add %r, %v : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
      coconet.yield %a : tensor<2xf32>
    } : tensor<2xf32>
    coconet.yield %q : tensor<2xf32>
  } : !coconet.future<tensor<2xf32>>
  // expected-error@+2 {{update writes a tensor that rank.all_reduce reads}}
  // expected-note@+1 {{write after}}
  %u = coconet.update %m, %x : tensor<2x2xf32>
  // expected-error@+2 {{update writes a tensor that fused reads}}
  // expected-note@+1 {{write after}}
  %w = coconet.update %v, %y : tensor<2xf32>
  %0 = coconet.rank.wait %f : !coconet.future<tensor<4xf32>> -> tensor<4xf32>
  %1 = coconet.rank.wait %h : !coconet.future<tensor<2xf32>> -> tensor<2xf32>
  return %0, %1 : tensor<4xf32>, tensor<2xf32>
}

// -----

// A destination, in the turn after the start, before the wait.
#mesh = #coconet.mesh<dp = 2>
func.func @turns(%x: tensor<4xf32>, %n: index, %one: tensor<1xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = coconet.rank.start {
    %r = coconet.rank.all_reduce sum %x on {dp} of #mesh {coconet.name = "first"} : tensor<4xf32> -> tensor<4xf32>
    coconet.yield %r : tensor<4xf32>
  } : !coconet.future<tensor<4xf32>>
  %k = coconet.rank.wait %f : !coconet.future<tensor<4xf32>> -> tensor<4xf32>
  // expected-note@+1 {{it is started here}}
  %g = coconet.rank.start {
    %r = coconet.rank.all_reduce sum %k on {dp} of #mesh {coconet.name = "second"} : tensor<4xf32> -> tensor<4xf32>
    coconet.yield %r : tensor<4xf32>
  } : !coconet.future<tensor<4xf32>>
  %h = scf.for %i = %c0 to %n step %c1 iter_args(%last = %g) -> !coconet.future<tensor<4xf32>> {
    // expected-error@+2 {{insert_slice writes a tensor that rank.all_reduce 'second' reads}}
    // expected-note@+1 {{write after}}
    %w = tensor.insert_slice %one into %k[0] [1] [1] : tensor<1xf32> into tensor<4xf32>
    %v = coconet.rank.wait %last : !coconet.future<tensor<4xf32>> -> tensor<4xf32>
    %next = coconet.rank.start {
      %r = coconet.rank.all_reduce sum %w on {dp} of #mesh : tensor<4xf32> -> tensor<4xf32>
      coconet.yield %r : tensor<4xf32>
    } : !coconet.future<tensor<4xf32>>
    scf.yield %next : !coconet.future<tensor<4xf32>>
  }
  %2 = coconet.rank.wait %h : !coconet.future<tensor<4xf32>> -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// One branch waits before the write, the other does not write.
#mesh = #coconet.mesh<dp = 2>
func.func @branch(%m: tensor<4xf32>, %x: tensor<1xf32>, %p: i1) -> tensor<4xf32> {
  // expected-note@+1 {{it is started here}}
  %f = coconet.rank.start {
    %r = coconet.rank.all_reduce sum %m on {dp} of #mesh : tensor<4xf32> -> tensor<4xf32>
    coconet.yield %r : tensor<4xf32>
  } : !coconet.future<tensor<4xf32>>
  %0 = scf.if %p -> tensor<4xf32> {
    %1 = coconet.rank.wait %f : !coconet.future<tensor<4xf32>> -> tensor<4xf32>
    %w = tensor.insert_slice %x into %m[0] [1] [1] : tensor<1xf32> into tensor<4xf32>
    scf.yield %w : tensor<4xf32>
  } else {
    // expected-error@+2 {{insert_slice writes a tensor that rank.all_reduce reads}}
    // expected-note@+1 {{write after}}
    %w = tensor.insert_slice %x into %m[0] [1] [1] : tensor<1xf32> into tensor<4xf32>
    %1 = coconet.rank.wait %f : !coconet.future<tensor<4xf32>> -> tensor<4xf32>
    scf.yield %w : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

#mesh = #coconet.mesh<dp = 2>
func.func @never(%x: tensor<4xf32>) {
  // expected-error@+2 {{rank.all_reduce 'a' is started and not waited for}}
  // expected-note@+1 {{wait for it by coconet.rank.wait, once on every path}}
  %f = coconet.rank.start {
    %r = coconet.rank.all_reduce sum %x on {dp} of #mesh {coconet.name = "a"} : tensor<4xf32> -> tensor<4xf32>
    coconet.yield %r : tensor<4xf32>
  } : !coconet.future<tensor<4xf32>>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
func.func @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+2 {{rank.all_reduce is started and waited for more than once}}
  // expected-note@+1 {{wait for it by coconet.rank.wait, once on every path}}
  %f = coconet.rank.start {
    %r = coconet.rank.all_reduce sum %x on {dp} of #mesh : tensor<4xf32> -> tensor<4xf32>
    coconet.yield %r : tensor<4xf32>
  } : !coconet.future<tensor<4xf32>>
  // expected-note@+1 {{it is waited for here}}
  %0 = coconet.rank.wait %f : !coconet.future<tensor<4xf32>> -> tensor<4xf32>
  // expected-note@+1 {{it is waited for here}}
  %1 = coconet.rank.wait %f : !coconet.future<tensor<4xf32>> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

#mesh = #coconet.mesh<dp = 2>
func.func @one_path(%x: tensor<4xf32>, %p: i1) -> tensor<4xf32> {
  // expected-error@+2 {{rank.all_reduce is started and waited for in one branch and not in the other}}
  // expected-note@+1 {{wait for it by coconet.rank.wait, once on every path}}
  %f = coconet.rank.start {
    %r = coconet.rank.all_reduce sum %x on {dp} of #mesh : tensor<4xf32> -> tensor<4xf32>
    coconet.yield %r : tensor<4xf32>
  } : !coconet.future<tensor<4xf32>>
  // expected-note@+1 {{the branches are here}}
  %0 = scf.if %p -> tensor<4xf32> {
    %1 = coconet.rank.wait %f : !coconet.future<tensor<4xf32>> -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

#mesh = #coconet.mesh<dp = 2>
func.func @each_turn(%x: tensor<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+2 {{rank.all_reduce is started and waited for in a region that it is started outside of}}
  // expected-note@+1 {{wait for it by coconet.rank.wait, once on every path}}
  %f = coconet.rank.start {
    %r = coconet.rank.all_reduce sum %x on {dp} of #mesh : tensor<4xf32> -> tensor<4xf32>
    coconet.yield %r : tensor<4xf32>
  } : !coconet.future<tensor<4xf32>>
  scf.for %i = %c0 to %n step %c1 {
    // expected-note@+1 {{here}}
    %0 = coconet.rank.wait %f : !coconet.future<tensor<4xf32>> -> tensor<4xf32>
  }
  return
}

// -----

// What a loop carries is dropped in its next turn.
#mesh = #coconet.mesh<dp = 2>
func.func @dropped(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = coconet.rank.start {
    %r = coconet.rank.all_reduce sum %x on {dp} of #mesh : tensor<4xf32> -> tensor<4xf32>
    coconet.yield %r : tensor<4xf32>
  } : !coconet.future<tensor<4xf32>>
  // expected-error@+2 {{communication that 'scf.for' carries is started and not waited for}}
  // expected-note@+1 {{wait for it by coconet.rank.wait, once on every path}}
  %h = scf.for %i = %c0 to %n step %c1 iter_args(%last = %f) -> !coconet.future<tensor<4xf32>> {
    %next = coconet.rank.start {
      %r = coconet.rank.all_reduce sum %x on {dp} of #mesh : tensor<4xf32> -> tensor<4xf32>
      coconet.yield %r : tensor<4xf32>
    } : !coconet.future<tensor<4xf32>>
    scf.yield %next : !coconet.future<tensor<4xf32>>
  }
  %2 = coconet.rank.wait %h : !coconet.future<tensor<4xf32>> -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

#mesh = #coconet.mesh<dp = 2>
func.func private @elsewhere(!coconet.future<tensor<4xf32>>)
func.func @handed(%x: tensor<4xf32>) {
  // expected-error@+2 {{rank.all_reduce is started and used by 'func.call'}}
  // expected-note@+1 {{wait for it by coconet.rank.wait, once on every path}}
  %f = coconet.rank.start {
    %r = coconet.rank.all_reduce sum %x on {dp} of #mesh : tensor<4xf32> -> tensor<4xf32>
    coconet.yield %r : tensor<4xf32>
  } : !coconet.future<tensor<4xf32>>
  // expected-note@+1 {{here}}
  call @elsewhere(%f) : (!coconet.future<tensor<4xf32>>) -> ()
  return
}
