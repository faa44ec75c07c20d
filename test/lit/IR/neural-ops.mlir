// RUN: coconet-opt %s -o %t.1 && FileCheck %s < %t.1
// RUN: coconet-opt %t.1 --mlir-print-op-generic | coconet-opt -o %t.2 && diff %t.1 %t.2
// RUN: coconet-opt %t.1 --emit-bytecode | coconet-opt -o %t.3 && diff %t.1 %t.3

#mesh = #coconet.mesh<dp = 2, tp = 2>
#rows = #coconet.layout<#mesh, [{dp}, {}]>
#columns = #coconet.layout<#mesh, [{}, {tp}]>
#both = #coconet.layout<#mesh, [{dp}, {tp}]>
#vector = #coconet.layout<#mesh, [{dp}]>
#wide = #coconet.layout<#mesh, [{tp}]>
#pending = #coconet.layout<#mesh, partial = {dp : sum}>
#largest = #coconet.layout<#mesh, partial = {dp : max}>
#images = #coconet.layout<#mesh, [{dp}, {}, {}, {}]>
#channels = #coconet.layout<#mesh, [{}, {tp}, {}, {}]>
#results = #coconet.layout<#mesh, [{tp}, {}, {}, {}]>
#image_channels = #coconet.layout<#mesh, [{dp}, {tp}, {}, {}]>
#images_pending = #coconet.layout<#mesh, [{dp}, {}, {}, {}], partial = {tp : sum}>
#results_pending = #coconet.layout<#mesh, [{tp}, {}, {}, {}], partial = {dp : sum}>
#images_three = #coconet.layout<#mesh, [{dp}, {}, {}]>

// CHECK-LABEL: func.func @norms
func.func @norms(%x: tensor<8x6xf32, #both>, %w: tensor<6xf32>, %b: tensor<6xf32, #wide>) {
  // CHECK: coconet.layer_norm %{{.*}} scale %{{.*}} bias %{{.*}} over [1] eps 1.000000e-05 : (
  %0 = coconet.layer_norm %x scale %w bias %b over [1] eps 1.0e-5 : (tensor<8x6xf32, #both>, tensor<6xf32>, tensor<6xf32, #wide>) -> tensor<8x6xf32, #both>
  // CHECK: coconet.layer_norm %{{.*}} bias %{{.*}} over [0, 1]
  %1 = coconet.layer_norm %x bias %w over [0, 1] eps 0.0 : (tensor<8x6xf32, #both>, tensor<6xf32>) -> tensor<8x6xf32, #both>
  // CHECK: coconet.rms_norm %{{.*}} over [1]
  %2 = coconet.rms_norm %x over [1] eps 1.0e-5 : (tensor<8x6xf32, #both>) -> tensor<8x6xf32, #both>
  %3 = coconet.rms_norm %x scale %w over [1] eps 1.0e-5 : (tensor<8x6xf32, #both>, tensor<6xf32>) -> tensor<8x6xf32, #both>
  return
}

// A cut class dimension leaves a replicated loss, picked elements are pending.
// CHECK-LABEL: func.func @losses
func.func @losses(%x: tensor<8x6xf32, #both>, %i: tensor<8xi32>) {
  // CHECK: coconet.cross_entropy %{{.*}}, %{{.*}} over 1 : (
  %0 = coconet.cross_entropy %x, %i over 1 : (tensor<8x6xf32, #both>, tensor<8xi32>) -> tensor<8xf32, #vector>
  // CHECK: coconet.pick %{{.*}}, %{{.*}} over 1 : (
  %1 = coconet.pick %x, %i over 1 : (tensor<8x6xf32, #both>, tensor<8xi32>) -> tensor<8xf32, #coconet.layout<#mesh, [{dp}], partial = {tp : sum}>>
  return
}

// CHECK-LABEL: func.func @rows
func.func @rows(%t: tensor<10x6xf32>, %cut: tensor<10x6xf32, #rows>, %wide: tensor<10x6xf32, #columns>, %p: tensor<10x6xf32, #pending>, %i: tensor<8x3xi64>, %ic: tensor<8x3xi64, #rows>, %u: tensor<8x3x6xf32, #images_three>) {
  // CHECK: coconet.take %{{.*}}, %{{.*}} : (
  %0 = coconet.take %t, %ic : (tensor<10x6xf32>, tensor<8x3xi64, #rows>) -> tensor<8x3x6xf32, #images_three>
  %1 = coconet.take %cut, %i : (tensor<10x6xf32, #rows>, tensor<8x3xi64>) -> tensor<8x3x6xf32, #pending>
  %2 = coconet.take %wide, %i : (tensor<10x6xf32, #columns>, tensor<8x3xi64>) -> tensor<8x3x6xf32, #coconet.layout<#mesh, [{}, {}, {tp}]>>
  %3 = coconet.take %p, %i : (tensor<10x6xf32, #pending>, tensor<8x3xi64>) -> tensor<8x3x6xf32, #pending>
  // CHECK: coconet.scatter_add %{{.*}} at %{{.*}} into 10 : (
  %4 = coconet.scatter_add %u at %ic into 10 : (tensor<8x3x6xf32, #images_three>, tensor<8x3xi64, #rows>) -> tensor<10x6xf32, #pending>
  %5 = coconet.scatter_add %2 at %i into 10 : (tensor<8x3x6xf32, #coconet.layout<#mesh, [{}, {}, {tp}]>>, tensor<8x3xi64>) -> tensor<10x6xf32, #columns>
  %6 = coconet.scatter_add %3 at %i into 10 : (tensor<8x3x6xf32, #pending>, tensor<8x3xi64>) -> tensor<10x6xf32, #pending>
  return
}

// Images stay cut; channels cut on both sides, or images of a weight's gradient,
// give pending sums.
// CHECK-LABEL: func.func @convolutions
func.func @convolutions(%x: tensor<4x6x9x9xf32, #images>, %xc: tensor<4x6x9x9xf32, #image_channels>, %w: tensor<8x6x3x3xf32>, %wo: tensor<8x6x3x3xf32, #results>, %wc: tensor<8x6x3x3xf32, #channels>, %g: tensor<4x8x5x5xf32, #images>, %gc: tensor<4x8x5x5xf32, #image_channels>) {
  // CHECK: coconet.conv2d %{{.*}}, %{{.*}} strides [2, 2] padding [1, 1] dilations [1, 1] groups 1 :
  %0 = coconet.conv2d %x, %w strides [2, 2] padding [1, 1] dilations [1, 1] groups 1 : tensor<4x6x9x9xf32, #images>, tensor<8x6x3x3xf32> -> tensor<4x8x5x5xf32, #images>
  %1 = coconet.conv2d %x, %wo strides [2, 2] padding [1, 1] dilations [1, 1] groups 1 : tensor<4x6x9x9xf32, #images>, tensor<8x6x3x3xf32, #results> -> tensor<4x8x5x5xf32, #image_channels>
  %2 = coconet.conv2d %xc, %wc strides [2, 2] padding [1, 1] dilations [1, 1] groups 1 : tensor<4x6x9x9xf32, #image_channels>, tensor<8x6x3x3xf32, #channels> -> tensor<4x8x5x5xf32, #images_pending>
  // CHECK: coconet.conv2d_input_gradient %{{.*}}, %{{.*}} sizes [9, 9] strides
  %3 = coconet.conv2d_input_gradient %g, %wc sizes [9, 9] strides [2, 2] padding [1, 1] dilations [1, 1] groups 1 : tensor<4x8x5x5xf32, #images>, tensor<8x6x3x3xf32, #channels> -> tensor<4x6x9x9xf32, #image_channels>
  %4 = coconet.conv2d_input_gradient %gc, %wo sizes [9, 9] strides [2, 2] padding [1, 1] dilations [1, 1] groups 1 : tensor<4x8x5x5xf32, #image_channels>, tensor<8x6x3x3xf32, #results> -> tensor<4x6x9x9xf32, #images_pending>
  // CHECK: coconet.conv2d_weight_gradient %{{.*}}, %{{.*}} sizes [3, 3] strides
  %5 = coconet.conv2d_weight_gradient %x, %gc sizes [3, 3] strides [2, 2] padding [1, 1] dilations [1, 1] groups 1 : tensor<4x6x9x9xf32, #images>, tensor<4x8x5x5xf32, #image_channels> -> tensor<8x6x3x3xf32, #results_pending>
  return
}

// CHECK-LABEL: func.func @pools
func.func @pools(%x: tensor<4x6x9x9xf32, #image_channels>, %p: tensor<4x6x9x9xf32, #pending>, %m: tensor<4x6x9x9xf32, #largest>, %y: tensor<8x6xf32, #rows>, %z: tensor<8x6xf32, #pending>) {
  // CHECK: coconet.pool2d max %{{.*}} window [3, 3] strides [2, 2] padding [1, 1] :
  %0 = coconet.pool2d max %x window [3, 3] strides [2, 2] padding [1, 1] : tensor<4x6x9x9xf32, #image_channels> -> tensor<4x6x5x5xf32, #image_channels>
  %1 = coconet.pool2d mean %p window [2, 2] strides [2, 2] padding [0, 0] : tensor<4x6x9x9xf32, #pending> -> tensor<4x6x4x4xf32, #pending>
  %2 = coconet.pool2d max %m window [2, 2] strides [2, 2] padding [0, 0] : tensor<4x6x9x9xf32, #largest> -> tensor<4x6x4x4xf32, #largest>
  // CHECK: coconet.pad %{{.*}} low [0, 1] high [0, 2] with 1.000000e+00 :
  %3 = coconet.pad %y low [0, 1] high [0, 2] with 1.0 : tensor<8x6xf32, #rows> -> tensor<8x9xf32, #rows>
  %4 = coconet.pad %z low [1, 1] high [0, 2] with 0.0 : tensor<8x6xf32, #pending> -> tensor<9x9xf32, #pending>
  return
}

// CHECK-LABEL: func.func @kernel
func.func @kernel(%u: tensor<3x4xf16>, %i: tensor<3xi32>, %t: tensor<5x4xf32>) -> tensor<5x4xf32> {
  // CHECK: coconet.scatter_rows ins(%{{.*}}, %{{.*}} : tensor<3x4xf16>, tensor<3xi32>) outs(%{{.*}} : tensor<5x4xf32>) -> tensor<5x4xf32>
  %0 = coconet.scatter_rows ins(%u, %i : tensor<3x4xf16>, tensor<3xi32>) outs(%t : tensor<5x4xf32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}
