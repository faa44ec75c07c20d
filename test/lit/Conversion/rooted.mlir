// RUN: coconet-opt %s --coconet-to-rank | FileCheck %s --check-prefix=RANK
// RUN: coconet-opt %s --coconet-to-rank --cse --coconet-to-kernels | FileCheck %s --check-prefix=KERNEL
// RUN: coconet-opt %s --coconet-to-rank --cse --coconet-to-kernels --coconet-bufferize --coconet-lower-kernels | FileCheck %s --check-prefix=LOOPS

#mesh = #coconet.mesh<dp = 3>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
#rooted = #coconet.layout<#mesh, rooted = {dp : 1}>
#rows = #coconet.layout<#mesh, [{dp}, {}]>
#local = #coconet.layout<#mesh, local = {dp}>

// Members write the root's buffer, and clear their own once all have read it.
// RANK-LABEL: func.func @reduce
// RANK: coconet.rank.reduce_to_root sum %{{.*}} root 1 on {dp}
// KERNEL-LABEL: func.func @reduce
// KERNEL: coconet.symmetric_kernel flat root 1 on {dp}
// LOOPS-LABEL: func.func @reduce
// LOOPS: call @coconet_rt_enter
// LOOPS: call @coconet_rt_leave
// LOOPS: scf.if
// LOOPS: llvm.intr.memset
func.func @reduce(%x: tensor<9xf32, #partial>) -> tensor<9xf32, #rooted> {
  %0 = coconet.reduce_to_root sum %x root 1 on {dp} : tensor<9xf32, #partial> -> tensor<9xf32, #rooted>
  return %0 : tensor<9xf32, #rooted>
}

// RANK-LABEL: func.func @gather_and_scatter
// RANK: %[[G:.*]] = coconet.rank.gather_to_root %{{.*}} size %c7 from 0 root 1 on {dp} {{.*}} : tensor<?x4xf32> -> tensor<7x4xf32>
// RANK: coconet.rank.scatter_from_root %[[G]] into 0 root 1 on {dp} {{.*}} : tensor<7x4xf32> -> tensor<?x4xf32>
// KERNEL-LABEL: func.func @gather_and_scatter
// KERNEL: coconet.symmetric_kernel 0 root 1 on {dp}
// KERNEL-SAME: accesses = [#coconet<access chunk>, #coconet<access gather>]
// KERNEL: coconet.symmetric_kernel 0 root 1 on {dp}
// KERNEL-SAME: accesses = [#coconet<access slice>, #coconet<access chunk>]
func.func @gather_and_scatter(%x: tensor<7x4xf32, #rows>) -> tensor<7x4xf32, #rows> {
  %0 = coconet.gather_to_root %x from 0 root 1 on {dp} : tensor<7x4xf32, #rows> -> tensor<7x4xf32, #rooted>
  %1 = coconet.scatter_from_root %0 into 0 root 1 on {dp} : tensor<7x4xf32, #rooted> -> tensor<7x4xf32, #rows>
  return %1 : tensor<7x4xf32, #rows>
}

// KERNEL-LABEL: func.func @permute
// KERNEL: coconet.symmetric_permute from [2, -1, 0] on {dp}
// KERNEL: coconet.rank.barrier on {dp}
// KERNEL: coconet.symmetric_permute from [1, 1, 1] on {dp}
// LOOPS-LABEL: func.func @permute
// LOOPS: llvm.mlir.addressof @coconet_table_2_x_0
func.func @permute(%x: tensor<4xf32, #local>) -> (tensor<4xf32, #local>, tensor<4xf32>) {
  %0 = coconet.permute %x pairs [[2, 0], [0, 2]] on {dp} : tensor<4xf32, #local> -> tensor<4xf32, #local>
  coconet.barrier on {dp} of #mesh
  %1 = coconet.broadcast %x root 1 on {dp} : tensor<4xf32, #local> -> tensor<4xf32>
  return %0, %1 : tensor<4xf32, #local>, tensor<4xf32>
}

// Members write narrow copies once; what is added stays wide.
// KERNEL-LABEL: func.func @wire
// KERNEL: %[[N:.*]] = linalg.generic
// KERNEL: arith.truncf %{{.*}} : f32 to f16
// KERNEL: coconet.symmetric_kernel 0 on {dp} of #{{.*}} ins(%{{.*}} : tensor<9xf16>)
// KERNEL: ^bb0(%[[A:.*]]: f32):
// KERNEL-NEXT: coconet.yield %[[A]]
// KERNEL: coconet.symmetric_kernel flat on {dp} of #{{.*}} ins(%{{.*}} : tensor<9xf16>)
// KERNEL: arith.truncf
// KERNEL: arith.extf
func.func @wire(%x: tensor<9xf32, #partial>) -> (tensor<9xf32, #coconet.layout<#mesh, [{dp}]>>, tensor<9xf32>) {
  %0 = coconet.reduce_scatter sum %x into 0 on {dp} {coconet.wire_type = f16} : tensor<9xf32, #partial> -> tensor<9xf32, #coconet.layout<#mesh, [{dp}]>>
  %1 = coconet.all_reduce sum %x on {dp} {coconet.wire_type = f16} : tensor<9xf32, #partial> -> tensor<9xf32>
  return %0, %1 : tensor<9xf32, #coconet.layout<#mesh, [{dp}]>>, tensor<9xf32>
}
