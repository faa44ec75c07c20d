// RUN: coconet-opt %s --verify-diagnostics --coconet-bind-mesh=ranks=4

#mesh = #coconet.mesh<dp = ?, tp = 2>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
// expected-error@below {{the number of ranks, 4, binds a mesh of one axis, and <dp = ?, tp = 2> has 2; give the size of each axis by its name}}
module {
  func.func private @f(tensor<8xf32, #partial>)
}
