// RUN: coconet-opt %s --coconet-lower-kernels | FileCheck %s

#mesh = #coconet.mesh<dp = 2>
#wide = #coconet.mesh<dp = 9>
#id = affine_map<(d0) -> (d0)>
#zero = affine_map<(d0) -> ()>

// The text names the op in messages.
// CHECK-DAG: llvm.mlir.global internal constant @{{.*}}("all_reduce\0Aavg\0A{{.*}}lower-kernels.mlir:{{[0-9:]+}}\0Aaxes 2:1\00")

// Peers' pointers are read once; both members' elements are added in order; a
// vector loop has a scalar tail.
// CHECK-LABEL: func.func @reduce
// CHECK-SAME: (%[[RANK:.*]]: !llvm.ptr, %{{.*}}: memref<?xf32>, %{{.*}}: memref<?xf32>) attributes {llvm.emit_c_interface}
// CHECK: %[[TABLE:.*]] = llvm.call @coconet_rt_enter(%[[RANK]],
// CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// CHECK: scf.for
// CHECK:   llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK:   llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK:   arith.addf %{{.*}} : vector<16xf32>
// CHECK:   llvm.store %{{.*}} {alignment = 4 : i64} : vector<16xf32>
// CHECK:   llvm.store %{{.*}} {alignment = 4 : i64} : vector<16xf32>
// CHECK: scf.for
// CHECK:   arith.addf %{{.*}} : f32
// CHECK: llvm.call @coconet_rt_leave(%[[RANK]],
func.func @reduce(%x: memref<?xf32>, %y: memref<?xf32>) {
  coconet.symmetric_kernel flat on {dp} of #mesh ins(%x : memref<?xf32>) outs(%y : memref<?xf32>)
    attributes {coconet.name = "avg", maps = [#id, #id], accesses = [#coconet<access reduce>, #coconet<access gather>], reductions = [#coconet<reduction sum>]} {
  ^bb0(%e: f32):
    coconet.yield %e : f32
  }
  return
}

// Many members are a loop; half floats add in f32 and round once.
// CHECK-LABEL: func.func @many
// CHECK: scf.for
// CHECK:   arith.extf %{{.*}} : vector<16xf16> to vector<16xf32>
// CHECK:   scf.for {{.*}} iter_args
// CHECK:     arith.extf %{{.*}} : vector<16xf16> to vector<16xf32>
// CHECK:     arith.addf %{{.*}} : vector<16xf32>
// CHECK:   arith.divf %{{.*}} : vector<16xf32>
// CHECK:   arith.truncf %{{.*}} : vector<16xf32> to vector<16xf16>
// CHECK:   scf.for
// CHECK:     llvm.store %{{.*}} : vector<16xf16>
func.func @many(%x: memref<?xf16>, %y: memref<?xf16>) {
  coconet.symmetric_kernel flat on {dp} of #wide ins(%x : memref<?xf16>) outs(%y : memref<?xf16>)
    attributes {maps = [#id, #id], accesses = [#coconet<access reduce>, #coconet<access gather>], reductions = [#coconet<reduction avg>]} {
  ^bb0(%e: f16):
    coconet.yield %e : f16
  }
  return
}

// Scalars are loaded, and what depends on them alone is computed, before the
// loop.
// CHECK-LABEL: func.func @scalars
// CHECK: %[[S:.*]] = llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK: math.sqrt %[[S]] : f32
// CHECK: scf.for
// CHECK-NOT: math.sqrt
// CHECK: arith.mulf %{{.*}} : vector<16xf32>
func.func @scalars(%x: memref<?xf32>, %s: memref<f32>) {
  linalg.generic {indexing_maps = [#id, #zero, #id], iterator_types = ["parallel"]} ins(%x, %s : memref<?xf32>, memref<f32>) outs(%x : memref<?xf32>) {
  ^bb0(%e: f32, %a: f32, %o: f32):
    %r = math.sqrt %a : f32
    %m = arith.mulf %e, %r : f32
    linalg.yield %m : f32
  }
  return
}

// Booleans take a byte.
// CHECK-LABEL: func.func @booleans
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> vector<16xi8>
// CHECK: arith.extui %{{.*}} : vector<16xi1> to vector<16xi8>
func.func @booleans(%x: memref<64xi1>, %y: memref<64xi1>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<64xi1>) outs(%y : memref<64xi1>) {
  ^bb0(%e: i1, %o: i1):
    linalg.yield %e : i1
  }
  return
}

// Rows accumulate in vectors.
// CHECK-LABEL: func.func @rows
// CHECK: scf.for {{.*}} iter_args(%{{.*}}) -> (vector<64xf32>)
// CHECK: vector.reduction <add>, %{{.*}} : vector<64xf32> into f32
func.func @rows(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%e: f32, %o: f32):
    %a = arith.addf %o, %e : f32
    linalg.yield %a : f32
  }
  return
}
