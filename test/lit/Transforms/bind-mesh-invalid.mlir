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

// -----

#mesh = #coconet.mesh<dp = ?, tp = ?>
#local = #coconet.layout<#mesh, local = {dp}>
func.func @pairs(%x: tensor<8xf32, #local>) {
  // expected-error@+2 {{names position 2 in a group of 2}}
  // expected-note@+1 {{pairs are positions in the group, from 0}}
  %0 = coconet.permute %x pairs [[0, 2]] on {dp} : tensor<8xf32, #local> -> tensor<8xf32, #local>
  return
}

// -----

#mesh = #coconet.mesh<dp = ?, tp = ?>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>
#rooted = #coconet.layout<#mesh, rooted = {tp : 3}>
func.func @kept(%x: tensor<8xf32, #partial>) {
  %0 = coconet.reduce_to_root sum %x root 3 on {tp} : tensor<8xf32, #partial> -> tensor<8xf32, #rooted>
  return
}
