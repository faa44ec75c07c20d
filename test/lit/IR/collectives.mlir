// RUN: coconet-opt %s -o %t.1 && FileCheck %s < %t.1
// RUN: coconet-opt %t.1 --mlir-print-op-generic | coconet-opt -o %t.2 && diff %t.1 %t.2
// RUN: coconet-opt %t.1 --emit-bytecode | coconet-opt -o %t.3 && diff %t.1 %t.3

#mesh = #coconet.mesh<dp = 2, tp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
#rows = #coconet.layout<#mesh, [{dp}, {}]>
#columns = #coconet.layout<#mesh, [{}, {dp}]>
#two = #coconet.layout<#mesh, [{tp, dp}, {}]>
#outer = #coconet.layout<#mesh, [{tp}, {}]>
#outer_pending = #coconet.layout<#mesh, [{tp}, {}], partial = {dp : sum}>
#flat = #coconet.layout<#mesh, flat = {dp}>
#local = #coconet.layout<#mesh, local = {dp, tp}>
#local_dp = #coconet.layout<#mesh, local = {dp}>
#rooted = #coconet.layout<#mesh, rooted = {dp : 1}>

// CHECK-LABEL: func.func @axes
func.func @axes(%p: tensor<9x4xf32, #partial>, %l: tensor<9x4xf32, #local_dp>, %o: tensor<16x4xf32, #outer_pending>, %r: tensor<9x4xf32, #rooted>) {
  // CHECK: coconet.all_reduce sum %{{.*}} on {dp} : tensor<9x4xf32, #partial> -> tensor<9x4xf32>
  %0 = coconet.all_reduce sum %p on {dp} : tensor<9x4xf32, #partial> -> tensor<9x4xf32>
  %1 = coconet.all_reduce avg %l on {dp} : tensor<9x4xf32, #local_dp> -> tensor<9x4xf32>
  // CHECK: coconet.reduce_scatter sum %{{.*}} into 0 on {dp}
  %2 = coconet.reduce_scatter sum %p into 0 on {dp} : tensor<9x4xf32, #partial> -> tensor<9x4xf32, #rows>
  %3 = coconet.all_to_all %2 from 0 into 1 on {dp} : tensor<9x4xf32, #rows> -> tensor<9x4xf32, #columns>
  %4 = coconet.all_gather %3 from 1 on {dp} : tensor<9x4xf32, #columns> -> tensor<9x4xf32>
  // CHECK: coconet.shard %{{.*}} into flat on {dp}
  %5 = coconet.shard %4 into flat on {dp} : tensor<9x4xf32> -> tensor<9x4xf32, #flat>
  %6 = coconet.all_gather %5 from flat on {dp} : tensor<9x4xf32, #flat> -> tensor<9x4xf32>
  %7 = coconet.reduce_scatter sum %o into 0 on {dp} : tensor<16x4xf32, #outer_pending> -> tensor<16x4xf32, #two>
  %8 = coconet.all_gather %7 from 0 on {dp} : tensor<16x4xf32, #two> -> tensor<16x4xf32, #outer>
  // CHECK: coconet.broadcast %{{.*}} root 1 on {dp}
  %9 = coconet.broadcast %r root 1 on {dp} : tensor<9x4xf32, #rooted> -> tensor<9x4xf32>
  %10 = coconet.broadcast %l root 0 on {dp} : tensor<9x4xf32, #local_dp> -> tensor<9x4xf32>
  return
}

// Groups of ranks: operand and result are local, and the position in the list
// counts.
// CHECK-LABEL: func.func @groups
func.func @groups(%l: tensor<4x4xf32, #local>) {
  // CHECK: coconet.all_reduce max %{{.*}} on groups {{\[}}[0, 2], [1, 3], [4, 5, 6, 7]]
  %0 = coconet.all_reduce max %l on groups [[0, 2], [1, 3], [4, 5, 6, 7]] : tensor<4x4xf32, #local> -> tensor<4x4xf32, #local>
  %1 = coconet.all_gather %l from 0 on groups [[3, 2, 1, 0], [4, 5, 6, 7]] : tensor<4x4xf32, #local> -> tensor<16x4xf32, #local>
  %2 = coconet.reduce_scatter sum %l into 0 on groups [[0, 1], [2, 3], [4, 5], [6, 7]] : tensor<4x4xf32, #local> -> tensor<2x4xf32, #local>
  %3 = coconet.all_to_all %l from 1 into 0 on groups [[0, 1], [2, 3], [4, 5], [6, 7]] : tensor<4x4xf32, #local> -> tensor<2x8xf32, #local>
  %4 = coconet.broadcast %l root 1 on groups [[0, 1], [2, 3], [4, 5], [6, 7]] : tensor<4x4xf32, #local> -> tensor<4x4xf32, #local>
  return
}
