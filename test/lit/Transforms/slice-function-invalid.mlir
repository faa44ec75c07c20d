// Functions whose type stays, and state that is cut already.
// RUN: coconet-opt %s --split-input-file --verify-diagnostics "--pass-pipeline=builtin.module(func.func(coconet-slice-state{names=m}))"

// expected-error@+2 {{cannot slice state of a function without a body}}
// expected-note@+1 {{state is sliced in functions of one block}}
func.func private @declared(tensor<8xf32> {coconet.state, coconet.arg_name = "m"})

// -----

#sliced = #coconet.layout<#coconet.mesh<dp = 4>, [{dp}]>
// expected-error@+2 {{cannot slice state of a function of several blocks}}
// expected-note@+1 {{state is sliced in functions of one block}}
func.func @blocks(%m: tensor<8xf32> {coconet.state, coconet.arg_name = "m"}, %g: tensor<8xf32, #sliced>) {
  %0 = coconet.all_gather %g from 0 on {dp} : tensor<8xf32, #sliced> -> tensor<8xf32>
  %1 = coconet.update %m, %0 : tensor<8xf32>
  cf.br ^bb1
^bb1:
  return
}

// -----

#mesh = #coconet.mesh<dp = 2, tp = 2>
#tp = #coconet.layout<#mesh, [{tp}]>
#both = #coconet.layout<#mesh, [{tp, dp}]>
// expected-error@+2 {{cannot slice state 'm': it is not replicated}}
// expected-note@+1 {{only replicated state is sliced}}
func.func @cut(%m: tensor<8xf32, #tp> {coconet.state, coconet.arg_name = "m"}, %g: tensor<8xf32, #both>) {
  %0 = coconet.all_gather %g from 0 on {dp} : tensor<8xf32, #both> -> tensor<8xf32, #tp>
  %1 = coconet.update %m, %0 : tensor<8xf32, #tp>
  return
}
