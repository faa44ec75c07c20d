// RUN: coconet-opt %s --coconet-bind-mesh=ranks=4 | FileCheck %s
// RUN: coconet-opt %s --coconet-bind-mesh=axes=dp=3 | FileCheck %s --check-prefix=NAMED
// RUN: not coconet-opt %s --coconet-bind-mesh 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: not coconet-opt %s --coconet-bind-mesh=axes=tp=2 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not coconet-opt %s --coconet-bind-mesh=axes=dp=x 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not coconet-opt %s --coconet-bind-mesh=ranks=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not coconet-opt %s --coconet-bind-mesh=ranks=9999999999 2>&1 | FileCheck %s --check-prefix=HUGE

// CHECK: #mesh = #coconet.mesh<dp = 4>
// NAMED: #mesh = #coconet.mesh<dp = 3>
// OPEN: error: axis 'dp' has no size; give it by its name, or, of a mesh of one axis, the number of ranks
// UNKNOWN: error: unknown axis 'tp'; the mesh is <dp = ?>
// SIZE: error: 'dp=x' is no axis size; write dp=2
// NEGATIVE: error: -1 ranks; there is at least 1
// HUGE: error: a mesh has at most 2^31 ranks
#mesh = #coconet.mesh<dp = ?>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>

func.func @f(%x: tensor<8xf32, #partial>) -> tensor<8xf32> {
  %0 = coconet.all_reduce sum %x on {dp} : tensor<8xf32, #partial> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
