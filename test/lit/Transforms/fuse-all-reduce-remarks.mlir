// What --fuse-allreduce leaves alone, and why.
// RUN: coconet-opt %s --fuse-allreduce --split-input-file --verify-diagnostics | FileCheck %s

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
// CHECK-LABEL: func.func @scalar
func.func @scalar(%x: tensor<f32, #partial>) -> tensor<f32> {
  // CHECK: coconet.all_reduce
  // expected-remark@+2 {{all_reduce 'loss' is left alone: it reduces one element, so there is nothing to cut}}
  // expected-note@+1 {{it is best left as it is}}
  %0 = coconet.all_reduce sum %x on {dp} {coconet.name = "loss"} : tensor<f32, #partial> -> tensor<f32>
  %1 = coconet.neg %0 : tensor<f32> -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
// CHECK-LABEL: func.func @nothing_follows
func.func @nothing_follows(%x: tensor<8xf32, #partial>) -> tensor<8xf32> {
  // CHECK: coconet.all_reduce
  // expected-remark@+2 {{all_reduce is left alone: no computation follows it}}
  // expected-note@+1 {{fusion needs pointwise computation on its result}}
  %0 = coconet.all_reduce sum %x on {dp} : tensor<8xf32, #partial> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
// CHECK-LABEL: func.func @norm_follows
func.func @norm_follows(%x: tensor<8xf32, #partial>) -> tensor<f32> {
  // The norm of the slices needs no whole value.
  // CHECK: coconet.fused reduce_scatter
  // CHECK-NEXT: coconet.reduce_scatter
  // CHECK-NEXT: coconet.norm
  %0 = coconet.all_reduce sum %x on {dp} : tensor<8xf32, #partial> -> tensor<8xf32>
  %1 = coconet.norm %0 : tensor<8xf32> -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
// CHECK-LABEL: func.func @softmax_follows
func.func @softmax_follows(%x: tensor<8xf32, #partial>) -> tensor<8xf32> {
  // CHECK: coconet.all_reduce
  // expected-remark@+1 {{all_reduce is left alone: softmax is no pointwise op of the same shape}}
  %0 = coconet.all_reduce sum %x on {dp} : tensor<8xf32, #partial> -> tensor<8xf32>
  // expected-note@+1 {{only pointwise computation on the whole value is fused}}
  %1 = coconet.softmax %0 over 0 : tensor<8xf32> -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
// CHECK-LABEL: func.func @chunks
func.func @chunks(%x: tensor<8xf32, #partial>) -> tensor<8xf32> {
  %0 = coconet.overlap chunks 2 along 0 attributes {coconet.name = "ol"} {
    // CHECK: coconet.all_reduce
    // expected-remark@+2 {{all_reduce 'g' is left alone: it runs in chunks in overlap 'ol'}}
    // expected-note@+1 {{overlap after all other transformations}}
    %1 = coconet.all_reduce sum %x on {dp} {coconet.name = "g"} : tensor<8xf32, #partial> -> tensor<8xf32>
    %2 = coconet.neg %1 : tensor<8xf32> -> tensor<8xf32>
    coconet.yield %2 : tensor<8xf32>
  } : tensor<8xf32>
  return %0 : tensor<8xf32>
}
