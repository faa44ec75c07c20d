// What was assumed of open sizes is checked when they are bound.
// RUN: coconet-opt %s --split-input-file --verify-diagnostics --coconet-bind-mesh=axes=dp=2,tp=4

#mesh = #coconet.mesh<dp = ?, tp = ?>
#rows = #coconet.layout<#mesh, [{dp}], partial = {tp : sum}>
#both = #coconet.layout<#mesh, [{dp, tp}]>
func.func @successive_cuts(%x: tensor<6xf32, #rows>) {
  // expected-error@+2 {{cuts 6 elements by {tp} after {dp}, which is one flat cut only if it divides exactly}}
  // expected-note@+1 {{cut another dimension, or choose sizes that divide exactly}}
  %0 = coconet.reduce_scatter sum %x into 0 on {tp} : tensor<6xf32, #rows> -> tensor<6xf32, #both>
  return
}

// -----

#mesh = #coconet.mesh<dp = ?, tp = 2>
#rooted = #coconet.layout<#mesh, rooted = {dp : 5}>
// expected-error@below {{root 5 is no position along axis 'dp' of size 2}}
module {
  func.func private @root(tensor<8xf32, #rooted>)
}
