// RUN: coconet-opt %s --split-input-file --verify-diagnostics "--pass-pipeline=builtin.module(func.func(coconet-slice-state{names=m}))"

func.func @no_state(%x: tensor<3xf32>, %m: tensor<3xf32> {coconet.state, coconet.arg_name = "m.0"}) {
  // expected-error@+2 {{cannot slice argument 0, which is in the same list: it is no state}}
  // expected-note@+1 {{make lists of states alone}}
  %r:2 = coconet.for_each 2 of (%x, %m : tensor<3xf32>, tensor<3xf32>) {
  ^bb0(%a: tensor<?xf32>):
    coconet.yield %a : tensor<?xf32>
  } -> tensor<3xf32>, tensor<3xf32>
  %0 = coconet.update %m, %r#1 : tensor<3xf32>
  return
}

// -----

func.func @no_argument(%m: tensor<3xf32> {coconet.state, coconet.arg_name = "m.0"}) {
  %x = coconet.constant dense<0.0> : tensor<3xf32>
  // expected-error@+2 {{cannot slice a value that is no argument, which is in the same list: it is no state}}
  // expected-note@+1 {{make lists of states alone}}
  %r:2 = coconet.for_each 2 of (%x, %m : tensor<3xf32>, tensor<3xf32>) {
  ^bb0(%a: tensor<?xf32>):
    coconet.yield %a : tensor<?xf32>
  } -> tensor<3xf32>, tensor<3xf32>
  %0 = coconet.update %m, %r#1 : tensor<3xf32>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#flat = #coconet.layout<#mesh, flat = {dp}>
func.func @sliced_before(%m: tensor<3xf32, #flat> {coconet.state, coconet.arg_name = "m.0"}) {
  // expected-error@+2 {{cannot slice state 'm.0': it is not replicated}}
  // expected-note@+1 {{only replicated state is sliced}}
  %r = coconet.for_each 1 of (%m : tensor<3xf32, #flat>) {
  ^bb0(%a: tensor<?xf32, #flat>):
    coconet.yield %a : tensor<?xf32, #flat>
  } -> tensor<3xf32, #flat>
  %0 = coconet.update %m, %r : tensor<3xf32, #flat>
  return
}

// -----

func.func @other_use(%m: tensor<3xf32> {coconet.state, coconet.arg_name = "m.0"}) {
  // expected-error@+2 {{cannot slice state 'm.0': neg uses it whole}}
  // expected-note@+1 {{only one list and an update use it}}
  %n = coconet.neg %m : tensor<3xf32> -> tensor<3xf32>
  %r = coconet.for_each 1 of (%m : tensor<3xf32>) {
  ^bb0(%a: tensor<?xf32>):
    coconet.yield %a : tensor<?xf32>
  } -> tensor<3xf32>
  %0 = coconet.update %m, %r : tensor<3xf32>
  return
}

// -----

func.func @other_value(%m: tensor<3xf32> {coconet.state, coconet.arg_name = "m.0"}, %x: tensor<3xf32>) {
  // expected-error@+2 {{cannot slice state 'm.0': its new value is not made by the list alone}}
  // expected-note@+1 {{update it with a result of the list, used once}}
  %r = coconet.for_each 1 of (%m : tensor<3xf32>) {
  ^bb0(%a: tensor<?xf32>):
    coconet.yield %a : tensor<?xf32>
  } -> tensor<3xf32>
  %0 = coconet.update %m, %x : tensor<3xf32>
  return
}

// -----

func.func @new_value_used(%m: tensor<3xf32> {coconet.state, coconet.arg_name = "m.0"}) -> tensor<3xf32> {
  %r = coconet.for_each 1 of (%m : tensor<3xf32>) {
  ^bb0(%a: tensor<?xf32>):
    coconet.yield %a : tensor<?xf32>
  } -> tensor<3xf32>
  %0 = coconet.update %m, %r : tensor<3xf32>
  // expected-error@+2 {{cannot slice state 'm.0': neg uses its new value whole}}
  // expected-note@+1 {{use the slices instead}}
  %n = coconet.neg %0 : tensor<3xf32> -> tensor<3xf32>
  return %n : tensor<3xf32>
}

// -----

func.func @not_gathered(%m: tensor<3xf32> {coconet.state, coconet.arg_name = "m.0"}) {
  // expected-error@+2 {{cannot slice state 'm.0': its new value is not gathered from slices}}
  // expected-note@+1 {{reorder an all_gather past the computation of the new value first, and slice state before fusing}}
  %r = coconet.for_each 1 of (%m : tensor<3xf32>) {
  ^bb0(%a: tensor<?xf32>):
    %b = coconet.neg %a : tensor<?xf32> -> tensor<?xf32>
    coconet.yield %b : tensor<?xf32>
  } -> tensor<3xf32>
  %0 = coconet.update %m, %r : tensor<3xf32>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#pending = #coconet.layout<#mesh, partial = {dp : sum}>
#flat = #coconet.layout<#mesh, flat = {dp}>
func.func @used_whole(%g: tensor<3xf32, #pending>, %m: tensor<3xf32> {coconet.state, coconet.arg_name = "m.0"}) {
  %r:2 = coconet.for_each 1 of (%g, %m : tensor<3xf32, #pending>, tensor<3xf32>) {
  ^bb0(%a: tensor<?xf32, #pending>, %b: tensor<?xf32>):
    %s = coconet.reduce_scatter sum %a into flat on {dp} : tensor<?xf32, #pending> -> tensor<?xf32, #flat>
    %w = coconet.all_gather %s from flat on {dp} : tensor<?xf32, #flat> -> tensor<?xf32>
    // expected-error@+2 {{cannot slice state 'm.0': norm uses it whole}}
    // expected-note@+1 {{reorder the all_gather past this op first, so that it works on slices}}
    %n = coconet.norm %b : tensor<?xf32> -> tensor<f32>
    coconet.yield %w, %n : tensor<?xf32>, tensor<f32>
  } -> tensor<3xf32>, tensor<f32>
  %0 = coconet.update %m, %r#0 : tensor<3xf32>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#pending = #coconet.layout<#mesh, partial = {dp : sum}>
#flat = #coconet.layout<#mesh, flat = {dp}>
#cut = #coconet.layout<#mesh, [{dp}]>
func.func @two_cuts(%g: tensor<3xf32, #pending>, %m: tensor<3xf32> {coconet.state, coconet.arg_name = "m.0"}) {
  %r:2 = coconet.for_each 1 of (%g, %m : tensor<3xf32, #pending>, tensor<3xf32>) {
  ^bb0(%a: tensor<?xf32, #pending>, %b: tensor<?xf32>):
    %s = coconet.reduce_scatter sum %a into flat on {dp} : tensor<?xf32, #pending> -> tensor<?xf32, #flat>
    // expected-note@+1 {{the other cut is here}}
    %w = coconet.all_gather %s from flat on {dp} : tensor<?xf32, #flat> -> tensor<?xf32>
    // expected-error@+2 {{cannot slice state 'm.0': it is cut in two ways}}
    // expected-note@+1 {{all its uses go through one cut}}
    %c = coconet.shard %b into 0 on {dp} : tensor<?xf32> -> tensor<?xf32, #cut>
    coconet.yield %w, %c : tensor<?xf32>, tensor<?xf32, #cut>
  } -> tensor<3xf32>, tensor<3xf32, #flat>
  %0 = coconet.update %m, %r#0 : tensor<3xf32>
  return
}

// -----

func.func @order(%m: tensor<3xf32> {coconet.state, coconet.arg_name = "m.0"}, %n: tensor<3xf32> {coconet.state, coconet.arg_name = "m.1"}) {
  %r:2 = coconet.for_each 2 of (%m, %n : tensor<3xf32>, tensor<3xf32>) {
  ^bb0(%a: tensor<?xf32>):
    coconet.yield %a : tensor<?xf32>
  } -> tensor<3xf32>, tensor<3xf32>
  // expected-error@+2 {{cannot slice state 'm.0': the list and its new values differ in order}}
  // expected-note@+1 {{update each state with the result at its place}}
  %0 = coconet.update %m, %r#1 : tensor<3xf32>
  %1 = coconet.update %n, %r#0 : tensor<3xf32>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#pending = #coconet.layout<#mesh, partial = {dp : sum}>
#flat = #coconet.layout<#mesh, flat = {dp}>
func.func @without_others(%g: tensor<3xf32, #pending>, %m: tensor<3xf32> {coconet.state, coconet.arg_name = "m.0"}, %n: tensor<3xf32> {coconet.state, coconet.arg_name = "n"}) {
  // expected-error@+2 {{cannot slice state 'm.0' without state 'n', which is in the same list}}
  // expected-note@+1 {{slice all states of the list}}
  %r:2 = coconet.for_each 2 of (%g, %g, %m, %n : tensor<3xf32, #pending>, tensor<3xf32, #pending>, tensor<3xf32>, tensor<3xf32>) {
  ^bb0(%a: tensor<?xf32, #pending>, %b: tensor<?xf32>):
    %s = coconet.reduce_scatter sum %a into flat on {dp} : tensor<?xf32, #pending> -> tensor<?xf32, #flat>
    %w = coconet.all_gather %s from flat on {dp} : tensor<?xf32, #flat> -> tensor<?xf32>
    coconet.yield %w : tensor<?xf32>
  } -> tensor<3xf32>, tensor<3xf32>
  %0 = coconet.update %m, %r#0 : tensor<3xf32>
  %1 = coconet.update %n, %r#1 : tensor<3xf32>
  return
}
