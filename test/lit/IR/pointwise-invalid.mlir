// RUN: coconet-opt %s --split-input-file --verify-diagnostics

#mesh = #coconet.mesh<dp = 2, tp = 2>
#a = #coconet.layout<#mesh, [{tp, dp}]>
#b = #coconet.layout<#mesh, [{dp, tp}]>

func.func @order_of_cuts(%a: tensor<4xf32, #a>, %b: tensor<4xf32, #b>) {
  // expected-error@+3 {{operands 0 and 1 are cut by {tp, dp} and {dp, tp} along the same dimension}}
  // expected-note@+2 {{make the cuts equal: all_gather one of them, or all_to_all it to another dimension}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.add %a, %b : tensor<4xf32, #a>, tensor<4xf32, #b> -> tensor<4xf32, #a>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#rows = #coconet.layout<#mesh, [{dp}, {}]>
#columns = #coconet.layout<#mesh, [{}, {dp}]>

func.func @different_dimensions(%a: tensor<4x4xf32, #rows>, %b: tensor<4x4xf32, #columns>) {
  // expected-error@+3 {{operands 0 and 1 are cut along different dimensions by axis 'dp'}}
  // expected-note@+2 {{all_to_all one of them to the other's dimension}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.add %a, %b : tensor<4x4xf32, #rows>, tensor<4x4xf32, #columns> -> tensor<4x4xf32, #rows>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#flat = #coconet.layout<#mesh, flat = {dp}>

func.func @broadcast_against_flat(%a: tensor<4x4xf32, #flat>, %b: tensor<4xf32>) {
  // expected-error@+3 {{operand 1 is broadcast against a flat slice}}
  // expected-note@+2 {{cut along a dimension instead, or broadcast_to the whole shape first}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.add %a, %b : tensor<4x4xf32, #flat>, tensor<4xf32> -> tensor<4x4xf32, #flat>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#local = #coconet.layout<#mesh, local = {dp}>
#sliced = #coconet.layout<#mesh, [{dp}]>

func.func @local_and_sliced(%a: tensor<4xf32, #local>, %b: tensor<4xf32, #sliced>) {
  // expected-error@+3 {{operand 0 is local and operand 1 is cut along dimension 0 by {dp} along axis 'dp'}}
  // expected-note@+2 {{bring the operands to one layout}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.add %a, %b : tensor<4xf32, #local>, tensor<4xf32, #sliced> -> tensor<4xf32, #local>
  return
}

// -----

func.func @shapes(%a: tensor<4xf32>, %b: tensor<3xf32>) {
  // expected-error@+2 {{shapes [4] and [3] do not broadcast; aligned on the right, sizes are equal or statically 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.add %a, %b : tensor<4xf32>, tensor<3xf32> -> tensor<4xf32>
  return
}

// -----

func.func @element_types(%a: tensor<4xf32>, %b: tensor<4xbf16>) {
  // expected-error@+2 {{element types 'f32' and 'bf16' differ; cast one to the other}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.add %a, %b : tensor<4xf32>, tensor<4xbf16> -> tensor<4xf32>
  return
}

// -----

func.func @rate(%a: tensor<4xf32>, %step: tensor<i64>) {
  // expected-error@+1 {{rate 1.000000e+00 is no probability; it is at least 0 and below 1}}
  %0 = coconet.dropout %a step %step rate 1.0 : tensor<4xf32>, tensor<i64> -> tensor<4xf32>
  return
}

// -----

func.func @stream(%a: tensor<4xf32>, %step: tensor<i64>) {
  // expected-error@+1 {{stream 65536 is out of range; it is at least 0 and below 65536}}
  %0 = coconet.dropout %a step %step rate 0.5 {stream = 65536 : i64} : tensor<4xf32>, tensor<i64> -> tensor<4xf32>
  return
}

// -----

func.func @step(%a: tensor<4xf32>, %step: tensor<2xi64>) {
  // expected-error@+2 {{the step is a tensor of rank 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.dropout %a step %step rate 0.5 : tensor<4xf32>, tensor<2xi64> -> tensor<4xf32>
  return
}

// -----

#two = #coconet.layout<#coconet.mesh<dp = 2>, [{dp}]>
#four = #coconet.layout<#coconet.mesh<dp = 4>, [{dp}]>

func.func @meshes(%a: tensor<4xf32, #two>, %b: tensor<4xf32, #four>) {
  // expected-error@+3 {{operands lie on different meshes, <dp = 2> and <dp = 4>}}
  // expected-note@+2 {{use one mesh}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.add %a, %b : tensor<4xf32, #two>, tensor<4xf32, #four> -> tensor<4xf32, #two>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#local = #coconet.layout<#mesh, local = {dp}>
func.func @local_step(%x: tensor<4xf32, #local>, %step: tensor<i32, #local>) {
  // expected-error@+3 {{has a step that differs from rank to rank}}
  // expected-error@+2 {{failed to infer returned types}}
  // expected-note@+1 {{the step is replicated; all_gather or all_reduce it first}}
  %0 = coconet.dropout %x step %step rate 0.5 : tensor<4xf32, #local>, tensor<i32, #local> -> tensor<4xf32, #local>
  return
}
