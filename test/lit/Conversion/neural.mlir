// RUN: coconet-opt %s --coconet-decompose | FileCheck %s --check-prefix=EXPAND
// RUN: coconet-opt %s --coconet-decompose --coconet-to-rank --cse | FileCheck %s --check-prefix=RANK
// RUN: coconet-opt %s --coconet-decompose --coconet-to-rank --cse --coconet-to-kernels | FileCheck %s --check-prefix=KERNEL
// RUN: coconet-opt %s --coconet-to-cpu | FileCheck %s --check-prefix=CPU

#mesh = #coconet.mesh<dp = 2>
#rows = #coconet.layout<#mesh, [{dp}, {}]>
#columns = #coconet.layout<#mesh, [{}, {dp}]>
#pending = #coconet.layout<#mesh, partial = {dp : sum}>
#images = #coconet.layout<#mesh, [{dp}, {}, {}, {}]>

// Statistics over a cut dimension are reduced across ranks, in f32.
// EXPAND-LABEL: func.func @layer
// EXPAND: %[[X:.*]] = coconet.cast %{{.*}} to f32
// EXPAND: %[[P:.*]] = coconet.reduce mean %[[X]] over [1] keep_dims
// EXPAND: %[[M:.*]] = coconet.all_reduce sum %[[P]] on {dp}
// EXPAND: %[[C:.*]] = coconet.sub %[[X]], %[[M]]
// EXPAND: coconet.mul %[[C]], %[[C]]
// EXPAND: coconet.all_reduce sum
// EXPAND: %[[R:.*]] = coconet.rsqrt
// EXPAND: coconet.mul %[[C]], %[[R]]
// EXPAND: coconet.cast %{{.*}} to f16 {coconet.name = "ln"}
func.func @layer(%x: tensor<4x8xf16, #columns>, %w: tensor<8xf16>, %b: tensor<8xf16>) -> tensor<4x8xf16, #columns> {
  %y = coconet.layer_norm %x scale %w bias %b over [1] eps 1.0e-5 {coconet.name = "ln"} : (tensor<4x8xf16, #columns>, tensor<8xf16>, tensor<8xf16>) -> tensor<4x8xf16, #columns>
  return %y : tensor<4x8xf16, #columns>
}

// A rank picks labels of its own classes.
// EXPAND-LABEL: func.func @loss
// EXPAND: coconet.all_reduce max
// EXPAND: %[[PICK:.*]] = coconet.pick
// EXPAND: coconet.all_reduce sum %[[PICK]] on {dp}
// EXPAND: coconet.log
// RANK-LABEL: func.func @loss
// RANK: %[[I:.*]] = coconet.cast %{{.*}} to i64
// RANK: %[[S:.*]] = tensor.from_elements
// RANK: %[[LOCAL:.*]] = coconet.sub %[[I]], %[[S]]
// RANK: coconet.pick %{{.*}}, %[[LOCAL]] over 1 : (tensor<4x4xf32>, tensor<4xi64>) -> tensor<4xf32>
func.func @loss(%x: tensor<4x8xf32, #columns>, %i: tensor<4xi32>) -> tensor<4xf32> {
  %y = coconet.cross_entropy %x, %i over 1 : (tensor<4x8xf32, #columns>, tensor<4xi32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// RANK-LABEL: func.func @table
// RANK: coconet.take %{{.*}}, %{{.*}} : (tensor<?x3xf32>, tensor<5xi64>) -> tensor<5x3xf32>
// KERNEL-LABEL: func.func @table
// KERNEL: arith.cmpi ult
// KERNEL: scf.if
// KERNEL: tensor.extract
// CPU-LABEL: llvm.func @_mlir__mlir_ciface_table(
func.func @table(%t: tensor<7x3xf32, #rows>, %i: tensor<5xi64>) -> tensor<5x3xf32, #pending> {
  %y = coconet.take %t, %i : (tensor<7x3xf32, #rows>, tensor<5xi64>) -> tensor<5x3xf32, #pending>
  return %y : tensor<5x3xf32, #pending>
}

// Narrow floats add in f32.
// KERNEL-LABEL: func.func @scatter
// KERNEL: linalg.fill
// KERNEL: coconet.scatter_rows ins(%{{.*}}, %{{.*}} : tensor<4x3xf16>, tensor<4xi32>) outs(%{{.*}} : tensor<5x3xf32>)
// KERNEL: arith.truncf
// CPU-LABEL: llvm.func @_mlir__mlir_ciface_scatter(
func.func @scatter(%u: tensor<4x3xf16>, %i: tensor<4xi32>) -> tensor<5x3xf16> {
  %y = coconet.scatter_add %u at %i into 5 : (tensor<4x3xf16>, tensor<4xi32>) -> tensor<5x3xf16>
  return %y : tensor<5x3xf16>
}

// A convolution is a product with patches.
// RANK-LABEL: func.func @conv
// RANK: coconet.conv2d %{{.*}} : tensor<2x2x5x5xf32>, tensor<3x2x3x3xf32> -> tensor<2x3x3x3xf32>
// KERNEL-LABEL: func.func @conv
// KERNEL: linalg.generic
// KERNEL: tensor.extract
// KERNEL: coconet.gemm ins({{.*}} : tensor<1x3x18xf32>, tensor<1x18x18xf32>) outs({{.*}} : tensor<1x3x18xf32>)
// CPU-LABEL: llvm.func @_mlir__mlir_ciface_conv(
// CPU: llvm.call @coconet_rt_matmul
func.func @conv(%x: tensor<4x2x5x5xf32, #images>, %w: tensor<3x2x3x3xf32>) -> tensor<4x3x3x3xf32, #images> {
  %y = coconet.conv2d %x, %w strides [1, 1] padding [0, 0] dilations [1, 1] groups 1 : tensor<4x2x5x5xf32, #images>, tensor<3x2x3x3xf32> -> tensor<4x3x3x3xf32, #images>
  return %y : tensor<4x3x3x3xf32, #images>
}

// With open sizes a gradient's places are checked at run time.
// RANK-LABEL: func.func @gradient
// RANK: coconet.rank.check_size "windows along dimension 2"
func.func @gradient(%g: tensor<2x3x?x3xf32>, %w: tensor<3x2x3x3xf32>) -> tensor<2x2x5x5xf32> {
  %y = coconet.conv2d_input_gradient %g, %w sizes [5, 5] strides [1, 1] padding [0, 0] dilations [1, 1] groups 1 : tensor<2x3x?x3xf32>, tensor<3x2x3x3xf32> -> tensor<2x2x5x5xf32>
  return %y : tensor<2x2x5x5xf32>
}

// KERNEL-LABEL: func.func @pad
// KERNEL: linalg.fill
// KERNEL: tensor.insert_slice
// CPU-LABEL: llvm.func @_mlir__mlir_ciface_pad(
func.func @pad(%x: tensor<4x3xi8>) -> tensor<5x3xi8> {
  %y = coconet.pad %x low [1, 0] high [0, 0] with -1.0 : tensor<4x3xi8> -> tensor<5x3xi8>
  return %y : tensor<5x3xi8>
}

// Nothing is padded: the operand itself.
// RANK-LABEL: func.func @nothing
// RANK-NOT: coconet.pad
// RANK: return
func.func @nothing(%x: tensor<4x3xi8>) -> tensor<4x3xi8> {
  %y = coconet.pad %x low [0, 0] high [0, 0] with 1.0 : tensor<4x3xi8> -> tensor<4x3xi8>
  return %y : tensor<4x3xi8>
}
