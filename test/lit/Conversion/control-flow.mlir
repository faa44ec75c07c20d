// RUN: coconet-opt %s --coconet-validate-layouts --coconet-to-rank | FileCheck %s
// RUN: coconet-opt %s --coconet-lower-to-rank --coconet-to-kernels --coconet-bufferize | FileCheck %s --check-prefix=BUFFER
// RUN: coconet-opt %s --coconet-to-cpu | FileCheck %s --check-prefix=CPU

#mesh = #coconet.mesh<dp = 2>
#rows = #coconet.layout<#mesh, [{dp}, {}]>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>

// What a loop carries keeps its sizes; those of its last turn are those of the
// first.
// CHECK-LABEL: func.func @loop
// CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32> {{{.*}}}, %{{.*}}: tensor<i64>, %[[N:.*]]: index {{{.*}}})
// CHECK: %[[R:.*]] = scf.for %{{.*}} = %c0 to %{{.*}} step %c1 iter_args(%[[Y:.*]] = %[[X]]) -> (tensor<?x4xf32>)
// CHECK: %[[Z:.*]] = coconet.mul %[[Y]]
// CHECK: scf.yield %[[Z]] : tensor<?x4xf32>
// CHECK: coconet.rank.all_gather %[[R]] size %[[N]] from 0
// CPU-LABEL: llvm.func @_mlir__mlir_ciface_loop(
func.func @loop(%x: tensor<?x4xf32, #rows>, %k: tensor<i64>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.extract %k[] : tensor<i64>
  %n = arith.index_cast %e : i64 to index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> tensor<?x4xf32, #rows> {
    %1 = coconet.mul %y, %y : tensor<?x4xf32, #rows>, tensor<?x4xf32, #rows> -> tensor<?x4xf32, #rows>
    scf.yield %1 : tensor<?x4xf32, #rows>
  }
  %2 = coconet.all_gather %0 from 0 on {dp} : tensor<?x4xf32, #rows> -> tensor<?x4xf32>
  return %2 : tensor<?x4xf32>
}

// A state that a loop carries is written in place, and the sum in one buffer.
// BUFFER-LABEL: func.func @state
// BUFFER-SAME: (%[[P:.*]]: memref<8xf32> {coconet.state}, %[[G:.*]]: memref<8xf32>
// BUFFER: scf.for
// BUFFER-NOT: memref.copy
// BUFFER: coconet.symmetric_kernel
// BUFFER-NOT: memref.copy
// BUFFER: linalg.generic {{.*}} outs(%[[P]] : memref<8xf32>)
// BUFFER-NOT: memref.copy
// BUFFER: return
func.func @state(%p: tensor<8xf32> {coconet.state}, %g: tensor<8xf32, #partial>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %0 = scf.for %i = %c0 to %c5 step %c1 iter_args(%q = %p) -> tensor<8xf32> {
    %1 = coconet.all_reduce sum %g on {dp} : tensor<8xf32, #partial> -> tensor<8xf32>
    %2 = coconet.sub %q, %1 : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  }
  %u = coconet.update %p, %0 : tensor<8xf32>
  return
}

// A branch that leaves the state alone copies nothing.
// BUFFER-LABEL: func.func @skip
// BUFFER-SAME: (%[[P:.*]]: memref<8xf32> {coconet.state},
// BUFFER: scf.if
// BUFFER: linalg.generic {{.*}} outs(%[[P]] : memref<8xf32>)
// BUFFER-NOT: memref.copy
// BUFFER: return
func.func @skip(%p: tensor<8xf32> {coconet.state}, %g: tensor<8xf32>, %c: tensor<i1>) {
  %b = tensor.extract %c[] : tensor<i1>
  %0 = scf.if %b -> tensor<8xf32> {
    %2 = coconet.sub %p, %g : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  } else {
    scf.yield %p : tensor<8xf32>
  }
  %u = coconet.update %p, %0 : tensor<8xf32>
  return
}

// Sizes that one branch alone knows are yielded with its values.
// CHECK-LABEL: func.func @sizes
// CHECK: %[[R:.*]]:2 = scf.if %{{.*}} -> (tensor<?xf32>, index)
// CHECK: scf.yield %{{.*}}, %{{.*}} : tensor<?xf32>, index
// CHECK: scf.yield %{{.*}}, %{{.*}} : tensor<?xf32>, index
// CHECK: return %[[R]]#0
func.func @sizes(%x: tensor<?xf32>, %y: tensor<?xf32>, %c: tensor<i1>) -> tensor<?xf32> {
  %b = tensor.extract %c[] : tensor<i1>
  %0 = scf.if %b -> tensor<?xf32> {
    scf.yield %x : tensor<?xf32>
  } else {
    %1 = coconet.concat %x, %y along 0 : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    scf.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// Of one size, nothing is.
// CHECK-LABEL: func.func @same
// CHECK: scf.if %{{.*}} -> (tensor<?xf32>) {
func.func @same(%x: tensor<?xf32>, %c: tensor<i1>) -> tensor<?xf32> {
  %b = tensor.extract %c[] : tensor<i1>
  %0 = scf.if %b -> tensor<?xf32> {
    %1 = coconet.neg %x : tensor<?xf32> -> tensor<?xf32>
    scf.yield %1 : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}
