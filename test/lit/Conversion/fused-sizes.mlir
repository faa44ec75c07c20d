// One kernel for each size of what a fused region computes: sizes are equal where
// an op or static shapes say so.
// RUN: coconet-opt %s --coconet-to-kernels --cse | FileCheck %s

#mesh = #coconet.mesh<dp = 2>

// Nothing says that the two are equally large.
// CHECK-LABEL: func.func @two_sizes
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<?xf32>)
// CHECK: linalg.generic {{.*}} ins(%arg1 : tensor<?xf32>)
func.func @two_sizes(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0:2 = coconet.fused computation {
    %1 = coconet.exp %x : tensor<?xf32> -> tensor<?xf32>
    %2 = coconet.neg %y : tensor<?xf32> -> tensor<?xf32>
    coconet.yield %1, %2 : tensor<?xf32>, tensor<?xf32>
  } : tensor<?xf32>, tensor<?xf32>
  return %0#0, %0#1 : tensor<?xf32>, tensor<?xf32>
}

// A third op says so.
// CHECK-LABEL: func.func @one_size
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<?xf32>, tensor<?xf32>)
// CHECK-NOT: linalg.generic
func.func @one_size(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %0:3 = coconet.fused computation {
    %1 = coconet.exp %x : tensor<?xf32> -> tensor<?xf32>
    %2 = coconet.neg %y : tensor<?xf32> -> tensor<?xf32>
    %3 = coconet.add %1, %2 : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    coconet.yield %1, %2, %3 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
  } : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
  return %0#0, %0#1, %0#2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @known_sizes
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<4xf32>, tensor<4xf32>)
// CHECK-NOT: linalg.generic
func.func @known_sizes(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = coconet.fused computation {
    %1 = coconet.exp %x : tensor<4xf32> -> tensor<4xf32>
    %2 = coconet.neg %y : tensor<4xf32> -> tensor<4xf32>
    coconet.yield %1, %2 : tensor<4xf32>, tensor<4xf32>
  } : tensor<4xf32>, tensor<4xf32>
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// Two chains, hence two kernels.
// CHECK-LABEL: func.func @two_chains
// CHECK: coconet.symmetric_kernel 0 {{.*}} ins(%arg0 : tensor<?xf32>)
// CHECK: coconet.symmetric_kernel 0 {{.*}} ins(%arg1 : tensor<?xf32>)
func.func @two_chains(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0:2 = coconet.fused reduce_scatter {
    %1 = coconet.rank.reduce_scatter sum %x into 0 on {dp} of #mesh : tensor<?xf32> -> tensor<?xf32>
    %2 = coconet.rank.reduce_scatter sum %y into 0 on {dp} of #mesh : tensor<?xf32> -> tensor<?xf32>
    coconet.yield %1, %2 : tensor<?xf32>, tensor<?xf32>
  } : tensor<?xf32>, tensor<?xf32>
  return %0#0, %0#1 : tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @two_chains_of_known_size
// CHECK: coconet.symmetric_kernel 0 {{.*}} ins(%arg0, %arg1 : tensor<8xf32>, tensor<8xf32>)
func.func @two_chains_of_known_size(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = coconet.fused reduce_scatter {
    %1 = coconet.rank.reduce_scatter sum %x into 0 on {dp} of #mesh : tensor<8xf32> -> tensor<4xf32>
    %2 = coconet.rank.reduce_scatter sum %y into 0 on {dp} of #mesh : tensor<8xf32> -> tensor<4xf32>
    coconet.yield %1, %2 : tensor<4xf32>, tensor<4xf32>
  } : tensor<4xf32>, tensor<4xf32>
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// A result of another rank reduces anew.
// CHECK-LABEL: func.func @ranks
// CHECK: coconet.symmetric_kernel 0 {{.*}} ins(%arg0 : tensor<8xf32>) outs(%{{.*}} : tensor<4xf32>)
// CHECK: coconet.symmetric_kernel 1 {{.*}} ins(%arg0, %arg1 : tensor<8xf32>, tensor<3x1xf32>) outs(%{{.*}} : tensor<3x4xf32>)
func.func @ranks(%x: tensor<8xf32>, %y: tensor<3x1xf32>) -> (tensor<4xf32>, tensor<3x4xf32>) {
  %f:2 = coconet.fused reduce_scatter {
    %s = coconet.rank.reduce_scatter sum %x into 0 on {dp} of #mesh : tensor<8xf32> -> tensor<4xf32>
    %a = coconet.add %s, %y : tensor<4xf32>, tensor<3x1xf32> -> tensor<3x4xf32>
    coconet.yield %s, %a : tensor<4xf32>, tensor<3x4xf32>
  } : tensor<4xf32>, tensor<3x4xf32>
  return %f#0, %f#1 : tensor<4xf32>, tensor<3x4xf32>
}

// What is sent, and what is not.
// CHECK-LABEL: func.func @send
// CHECK: linalg.generic {{.*}} ins(%arg1 : tensor<?xf32>)
// CHECK: %[[INTO:.*]] = coconet.symmetric_send_begin
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<?xf32>) outs(%[[INTO]] : tensor<?xf32>)
func.func @send(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = coconet.fused send {
    %1 = coconet.exp %x : tensor<?xf32> -> tensor<?xf32>
    coconet.rank.send %1 to "a" between [0] and [1] : tensor<?xf32>
    %2 = coconet.neg %y : tensor<?xf32> -> tensor<?xf32>
    coconet.yield %2 : tensor<?xf32>
  } : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// What a phase folds is a result as it is.
// CHECK-LABEL: func.func @partial_fold
// CHECK: %[[FOLD:.*]] = coconet.symmetric_kernel {{.*}}access fold
// CHECK: return %[[FOLD]] : tensor<1x1xf32>
func.func @partial_fold(%x: tensor<?x?xf32>) -> tensor<1x1xf32> {
  %0 = coconet.fused reduce_scatter {
    %1 = coconet.rank.reduce_scatter sum %x into 1 on {dp} of #mesh : tensor<?x?xf32> -> tensor<?x?xf32>
    %2 = coconet.reduce max %1 over [0, 1] keep_dims : tensor<?x?xf32> -> tensor<1x1xf32>
    coconet.yield %2 : tensor<1x1xf32>
  } : tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}

// A reduction of what is computed from no slice is done before the chain.
// CHECK-LABEL: func.func @reduces_what_is_no_slice
// CHECK: linalg.generic {{.*}} ins(%arg1 : tensor<8xf32>)
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction"]
// CHECK: coconet.symmetric_kernel
func.func @reduces_what_is_no_slice(%g: tensor<8xf32>, %x: tensor<8xf32>) -> tensor<8xf32> {
  %c8 = arith.constant 8 : index
  %0 = coconet.fused all_reduce {
    %1 = coconet.rank.reduce_scatter sum %g into 0 on {dp} of #mesh : tensor<8xf32> -> tensor<4xf32>
    %2 = coconet.exp %x : tensor<8xf32> -> tensor<8xf32>
    %3 = coconet.reduce sum %2 over [0] : tensor<8xf32> -> tensor<f32>
    %4 = coconet.mul %1, %3 : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
    %5 = coconet.rank.all_gather %4 size %c8 from 0 on {dp} of #mesh : tensor<4xf32> -> tensor<8xf32>
    coconet.yield %5 : tensor<8xf32>
  } : tensor<8xf32>
  return %0 : tensor<8xf32>
}
