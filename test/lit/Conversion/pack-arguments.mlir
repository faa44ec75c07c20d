// Arguments are taken from a table of addresses of variables; results are stored
// behind the address that comes first.
// RUN: coconet-opt %s --coconet-pack-arguments | FileCheck %s

// CHECK-LABEL: func.func @_mlir__mlir_ciface_none(
// CHECK-SAME: %[[TABLE:.*]]: !llvm.ptr) {
// CHECK-NOT: llvm.getelementptr %[[TABLE]][0]
// CHECK: llvm.getelementptr %[[TABLE]][1]
// CHECK: %[[VARIABLE:.*]] = llvm.load
// CHECK: %[[POINTER:.*]] = llvm.load %[[VARIABLE]] : !llvm.ptr -> !llvm.ptr
// CHECK: %[[DESCRIPTOR:.*]] = llvm.load %[[POINTER]] : !llvm.ptr -> !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
// CHECK: %[[BUFFER:.*]] = builtin.unrealized_conversion_cast %[[DESCRIPTOR]]
// CHECK: llvm.getelementptr %[[TABLE]][2]
// CHECK: %[[SIZE:.*]] = arith.index_cast %{{.*}} : i64 to index
// CHECK: memref.store %{{.*}}, %[[BUFFER]][%[[SIZE]]]
// CHECK: return
func.func @none(%rank: !llvm.ptr, %x: memref<4xf32>, %n: index) attributes {llvm.emit_c_interface} {
  %c = arith.constant 0.0 : f32
  memref.store %c, %x[%n] : memref<4xf32>
  return
}

// CHECK-LABEL: func.func @_mlir__mlir_ciface_two(
// CHECK-SAME: %[[TABLE:.*]]: !llvm.ptr) {
// CHECK: llvm.getelementptr %[[TABLE]][0]
// CHECK: %[[VARIABLE:.*]] = llvm.load
// CHECK: %[[RESULTS:.*]] = llvm.load %[[VARIABLE]]
// CHECK: llvm.getelementptr %[[TABLE]][2]
// CHECK: %[[FIRST:.*]] = llvm.getelementptr %[[RESULTS]][0, 0]
// CHECK: llvm.store %{{.*}}, %[[FIRST]]
// CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[RESULTS]][0, 1]
// CHECK: llvm.store %{{.*}}, %[[SECOND]]
func.func @two(%rank: !llvm.ptr, %x: memref<4xf32>) -> (memref<4xf32>, memref<4xf32>) attributes {llvm.emit_c_interface} {
  return %x, %x : memref<4xf32>, memref<4xf32>
}

// CHECK-LABEL: func.func @_mlir__mlir_ciface_one(
// CHECK: %[[VARIABLE:.*]] = llvm.load
// CHECK: %[[RESULT:.*]] = llvm.load %[[VARIABLE]]
// CHECK: llvm.store %{{.*}}, %[[RESULT]] : !llvm.struct<
func.func @one(%rank: !llvm.ptr, %x: memref<4xf32>) -> memref<4xf32> attributes {llvm.emit_c_interface} {
  return %x : memref<4xf32>
}

// Arguments that follow each other are a loop over the table.
// CHECK-LABEL: func.func @_mlir__mlir_ciface_addresses(
// CHECK-SAME: %[[TABLE:.*]]: !llvm.ptr) {
// CHECK: %[[MADE:.*]] = llvm.alloca
// CHECK: scf.for %[[I:.*]] = %c0{{.*}} to %c2{{.*}} step
// CHECK: llvm.getelementptr %[[TABLE]]
// CHECK-COUNT-3: llvm.load
// CHECK: llvm.store
// CHECK: }
// CHECK: memref.extract_aligned_pointer_as_index
// CHECK: llvm.call @take(%[[MADE]])
llvm.func @take(!llvm.ptr)
func.func @addresses(%rank: !llvm.ptr, %x: memref<4xf32>, %y: memref<?x3xf32>, %z: memref<4xf32, strided<[1], offset: ?>>) attributes {llvm.emit_c_interface} {
  %t = coconet.address_table %x, %y, %z : memref<4xf32>, memref<?x3xf32>, memref<4xf32, strided<[1], offset: ?>> -> !llvm.ptr
  llvm.call @take(%t) : (!llvm.ptr) -> ()
  return
}

// CHECK-LABEL: func.func @inner(
// CHECK-SAME: memref<4xf32>
func.func @inner(%x: memref<4xf32>) {
  return
}
