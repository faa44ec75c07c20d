// RUN: coconet-opt %s --coconet-drop-state-results | FileCheck %s

// What lies elsewhere is copied to its state.
// CHECK-LABEL: func.func @elsewhere
// CHECK-SAME: (%[[P:.*]]: memref<8xf32> {coconet.state}) {
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: memref.copy %[[A]], %[[P]]
func.func @elsewhere(%p: memref<8xf32> {coconet.state}) -> memref<8xf32> attributes {coconet.states = 1 : i64} {
  %0 = memref.alloc() : memref<8xf32>
  return %0 : memref<8xf32>
}

// States that are exchanged are read before they are written.
// CHECK-LABEL: func.func @exchanged
// CHECK-SAME: (%[[P:.*]]: memref<8xf32> {coconet.state}, %[[Q:.*]]: memref<8xf32> {coconet.state}) {
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: memref.copy %[[Q]], %[[A]]
// CHECK: %[[B:.*]] = memref.alloc
// CHECK: memref.copy %[[P]], %[[B]]
// CHECK: memref.copy %[[A]], %[[P]]
// CHECK: memref.copy %[[B]], %[[Q]]
func.func @exchanged(%p: memref<8xf32> {coconet.state}, %q: memref<8xf32> {coconet.state}) -> (memref<8xf32>, memref<8xf32>) attributes {coconet.states = 2 : i64} {
  return %q, %p : memref<8xf32>, memref<8xf32>
}

// A loop and a branch that give the state's own buffer.
// CHECK-LABEL: func.func @control
// CHECK-NOT: memref.copy
// CHECK: return
func.func @control(%p: memref<8xf32> {coconet.state}, %c: i1, %n: index) -> memref<8xf32> attributes {coconet.states = 1 : i64} {
  %0 = scf.for %i = %n to %n step %n iter_args(%q = %p) -> memref<8xf32> {
    %1 = scf.if %c -> memref<8xf32> {
      scf.yield %q : memref<8xf32>
    } else {
      memref.copy %q, %q : memref<8xf32> to memref<8xf32>
      scf.yield %q : memref<8xf32>
    }
    scf.yield %1 : memref<8xf32>
  }
  return %0 : memref<8xf32>
}
