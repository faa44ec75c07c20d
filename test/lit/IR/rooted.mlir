// RUN: coconet-opt %s | coconet-opt | FileCheck %s
// RUN: coconet-opt %s --mlir-print-op-generic | coconet-opt | FileCheck %s

#mesh = #coconet.mesh<dp = 2, tp = 3>
#open = #coconet.mesh<dp = ?>
#pending = #coconet.layout<#open, partial = {dp : sum}>
#at3 = #coconet.layout<#open, rooted = {dp : 3}>
#both = #coconet.layout<#mesh, partial = {dp : sum, tp : sum}>
#corner = #coconet.layout<#mesh, rooted = {dp : 1, tp : 2}>
#rows = #coconet.layout<#mesh, [{dp, tp}, {}]>
#flat = #coconet.layout<#mesh, flat = {tp}>
#flatroot = #coconet.layout<#mesh, rooted = {tp : 0}>
#local = #coconet.layout<#mesh, local = {dp, tp}>
#some = #coconet.layout<#mesh, [{dp}, {}], local = {tp}>

// Of one axis the size may be open.
// CHECK-LABEL: func.func @open
func.func @open(%x: tensor<?xf32, #pending>) -> tensor<?xf32> {
  // CHECK: coconet.barrier on {dp} of #mesh{{[0-9]*}}
  coconet.barrier on {dp} of #open
  // CHECK: coconet.reduce_to_root sum %{{.*}} root 3 on {dp}
  %0 = coconet.reduce_to_root sum %x root 3 on {dp} : tensor<?xf32, #pending> -> tensor<?xf32, #at3>
  %1 = coconet.neg %0 : tensor<?xf32, #at3> -> tensor<?xf32, #at3>
  %2 = coconet.broadcast %1 root 3 on {dp} : tensor<?xf32, #at3> -> tensor<?xf32>
  return %2 : tensor<?xf32>
}

// The root along two axes is row-major: 5 = 1 * 3 + 2.
// CHECK-LABEL: func.func @corner
func.func @corner(%x: tensor<4xf32, #both>, %r: tensor<12x2xf32, #rows>) -> (tensor<4xf32>, tensor<12x2xf32, #rows>) {
  // CHECK: coconet.reduce_to_root sum %{{.*}} root 5 on {dp, tp} : tensor<4xf32, #{{.*}}> -> tensor<4xf32, #[[ROOTED:.*]]>
  %0 = coconet.reduce_to_root sum %x root 5 on {dp, tp} : tensor<4xf32, #both> -> tensor<4xf32, #corner>
  // CHECK: coconet.broadcast %{{.*}} root 5 on {dp, tp} : tensor<4xf32, #[[ROOTED]]> -> tensor<4xf32>
  %1 = coconet.broadcast %0 root 5 on {dp, tp} : tensor<4xf32, #corner> -> tensor<4xf32>
  // CHECK: coconet.gather_to_root %{{.*}} from 0 root 5 on {dp, tp}
  %2 = coconet.gather_to_root %r from 0 root 5 on {dp, tp} : tensor<12x2xf32, #rows> -> tensor<12x2xf32, #corner>
  // CHECK: coconet.scatter_from_root %{{.*}} into 0 root 5 on {dp, tp}
  %3 = coconet.scatter_from_root %2 into 0 root 5 on {dp, tp} : tensor<12x2xf32, #corner> -> tensor<12x2xf32, #rows>
  return %1, %3 : tensor<4xf32>, tensor<12x2xf32, #rows>
}

// CHECK-LABEL: func.func @flat
func.func @flat(%x: tensor<7xf32, #flat>) -> tensor<7xf32, #flat> {
  // CHECK: coconet.gather_to_root %{{.*}} from flat root 0 on {tp}
  %0 = coconet.gather_to_root %x from flat root 0 on {tp} : tensor<7xf32, #flat> -> tensor<7xf32, #flatroot>
  // CHECK: coconet.scatter_from_root %{{.*}} into flat root 0 on {tp}
  %1 = coconet.scatter_from_root %0 into flat root 0 on {tp} : tensor<7xf32, #flatroot> -> tensor<7xf32, #flat>
  return %1 : tensor<7xf32, #flat>
}

// CHECK-LABEL: func.func @permuted
func.func @permuted(%x: tensor<4xf32, #local>, %r: tensor<12x2xf32, #rows>) {
  // CHECK: coconet.permute %{{.*}} pairs {{\[\[}}0, 1], [1, 2]] on {tp}
  %0 = coconet.permute %x pairs [[0, 1], [1, 2]] on {tp} : tensor<4xf32, #local> -> tensor<4xf32, #local>
  // Chunks of one axis are values of their own; the other still cuts them.
  // CHECK: coconet.permute %{{.*}} pairs [] on {tp} : tensor<12x2xf32, #{{.*}}> -> tensor<4x2xf32
  %1 = coconet.permute %r pairs [] on {tp} : tensor<12x2xf32, #rows> -> tensor<4x2xf32, #some>
  // CHECK: coconet.permute %{{.*}} pairs {{\[\[}}0, 2], [2, 0]] on groups {{\[\[}}0, 1, 2], [3, 4, 5]]
  %2 = coconet.permute %x pairs [[0, 2], [2, 0]] on groups [[0, 1, 2], [3, 4, 5]] : tensor<4xf32, #local> -> tensor<4xf32, #local>
  return
}

// With explicit groups everything is local.
// CHECK-LABEL: func.func @groups
func.func @groups(%x: tensor<4xf32, #local>) {
  coconet.barrier on groups [[0, 1], [2, 3, 4, 5]] of #mesh
  %0 = coconet.reduce_to_root max %x root 1 on groups [[0, 1], [2, 3, 4, 5]] : tensor<4xf32, #local> -> tensor<4xf32, #local>
  %1 = coconet.gather_to_root %x from 0 root 1 on groups [[0, 1], [2, 3], [4, 5]] : tensor<4xf32, #local> -> tensor<8xf32, #local>
  %2 = coconet.scatter_from_root %x into 0 root 0 on groups [[0, 1], [2, 3], [4, 5]] : tensor<4xf32, #local> -> tensor<2xf32, #local>
  return
}

// CHECK-LABEL: func.func @rank
func.func @rank(%x: tensor<4xf32>, %n: index) {
  // CHECK: coconet.rank.barrier on {dp, tp} of
  coconet.rank.barrier on {dp, tp} of #mesh
  // CHECK: coconet.rank.reduce_to_root sum %{{.*}} root 1 on {dp} of
  %0 = coconet.rank.reduce_to_root sum %x root 1 on {dp} of #mesh : tensor<4xf32> -> tensor<4xf32>
  // CHECK: coconet.rank.gather_to_root %{{.*}} size %{{.*}} from 0 root 2 on {tp} of
  %1 = coconet.rank.gather_to_root %x size %n from 0 root 2 on {tp} of #mesh : tensor<4xf32> -> tensor<?xf32>
  // CHECK: coconet.rank.scatter_from_root %{{.*}} into 0 root 2 on {tp} of
  %2 = coconet.rank.scatter_from_root %x into 0 root 2 on {tp} of #mesh : tensor<4xf32> -> tensor<?xf32>
  // CHECK: coconet.rank.permute %{{.*}} pairs {{\[\[}}0, 1]] on {dp} of
  %3 = coconet.rank.permute %x pairs [[0, 1]] on {dp} of #mesh : tensor<4xf32> -> tensor<4xf32>
  return
}
