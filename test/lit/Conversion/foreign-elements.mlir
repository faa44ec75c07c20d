// Elements that are no numbers of the dialect are left to upstream's loops.
// RUN: coconet-opt %s --coconet-rank-to-cpu | FileCheck %s

// CHECK-LABEL: llvm.func @_mlir__mlir_ciface_complex(
// CHECK: llvm.load %{{.*}} -> !llvm.struct<(f32, f32)>
// CHECK: llvm.store %{{.*}} : !llvm.struct<(f32, f32)>
#map = affine_map<(d0) -> (d0)>
func.func @complex(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = tensor.empty() : tensor<4xcomplex<f32>>
  %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<4xcomplex<f32>>) outs(%0 : tensor<4xcomplex<f32>>) {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    linalg.yield %a : complex<f32>
  } -> tensor<4xcomplex<f32>>
  return %1 : tensor<4xcomplex<f32>>
}
