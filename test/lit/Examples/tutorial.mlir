// RUN: %python %examples/tutorial.py | FileCheck %s

// CHECK: // ----- The program.
// CHECK: coconet.all_reduce
// CHECK: // ----- Split the all_reduce.
// CHECK: coconet.reduce_scatter {{.*}} into 1
// CHECK-NEXT: coconet.all_gather {{.*}} from 1
// CHECK-NEXT: coconet.add
// CHECK: // ----- Compute on slices, gather after.
// CHECK: coconet.reduce_scatter
// CHECK: coconet.dropout
// CHECK: coconet.all_gather
// CHECK: // ----- Fuse communication and computation.
// CHECK: coconet.fused all_reduce {
// CHECK: // ----- Overlap it with the matrix product.
// CHECK: coconet.overlap chunks 4 along 0
// CHECK-NEXT: coconet.matmul
// CHECK-NEXT: coconet.fused all_reduce {
// CHECK: equivalent on 3 ranks
// CHECK: 90% of the elements are kept
