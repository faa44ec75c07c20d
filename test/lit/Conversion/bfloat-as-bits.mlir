// RUN: coconet-opt %s --coconet-bfloat-as-bits | FileCheck %s

// CHECK-LABEL: llvm.func @move
// CHECK: %[[V:.*]] = llvm.load %arg0 {alignment = 2 : i64} : !llvm.ptr -> vector<8xi16>
// CHECK: %[[F:.*]] = llvm.bitcast %[[V]] : vector<8xi16> to vector<8xbf16>
// CHECK: %[[B:.*]] = llvm.bitcast %[[F]] : vector<8xbf16> to vector<8xi16>
// CHECK: llvm.store %[[B]], %arg1 {alignment = 2 : i64} : vector<8xi16>, !llvm.ptr
// CHECK: llvm.load %arg0 : !llvm.ptr -> i16
// CHECK: llvm.store %{{.*}}, %arg1 : i16, !llvm.ptr
// CHECK: llvm.load %arg0 : !llvm.ptr -> f16
llvm.func @move(%from: !llvm.ptr, %to: !llvm.ptr) {
  %0 = llvm.load %from {alignment = 2 : i64} : !llvm.ptr -> vector<8xbf16>
  llvm.store %0, %to {alignment = 2 : i64} : vector<8xbf16>, !llvm.ptr
  %1 = llvm.load %from : !llvm.ptr -> bf16
  llvm.store %1, %to : bf16, !llvm.ptr
  %2 = llvm.load %from : !llvm.ptr -> f16
  llvm.store %2, %to : f16, !llvm.ptr
  llvm.return
}
