// RUN: coconet-opt %s | coconet-opt | FileCheck %s

// CHECK-LABEL: func.func @neg
// CHECK: coconet.neg %{{.*}} : tensor<4xf32> -> tensor<4xf32>
func.func @neg(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = coconet.neg %arg0 : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
