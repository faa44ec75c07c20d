// Any size is cut: unevenly, with empty chunks, and not at all.
// RUN: coconet-opt %s -o %t.1 && FileCheck %s < %t.1
// RUN: coconet-opt %s --fuse-allreduce | FileCheck %s --check-prefix=FUSED

#four = #coconet.mesh<dp = 4>
#eight = #coconet.mesh<dp = 8>
#one = #coconet.mesh<dp = 1, tp = 1>
#pending4 = #coconet.layout<#four, partial = {dp : sum}>
#pending8 = #coconet.layout<#eight, partial = {dp : sum}>
#rows4 = #coconet.layout<#four, [{dp}, {}]>
#columns4 = #coconet.layout<#four, [{}, {dp}]>
#rows8 = #coconet.layout<#eight, [{dp}, {}]>
#flat8 = #coconet.layout<#eight, flat = {dp}>
#pending1 = #coconet.layout<#one, [{tp}, {}], partial = {dp : sum}>
#both1 = #coconet.layout<#one, [{tp, dp}, {}]>
#tp1 = #coconet.layout<#one, [{tp}, {}]>
#vector1 = #coconet.layout<#one, [{tp, dp}]>
#turned1 = #coconet.layout<#one, [{}, {tp, dp}]>

// Nine rows on four ranks: 3, 3, 3 and 0 of them.
// CHECK-LABEL: func.func @nine_rows
// FUSED-LABEL: func.func @nine_rows
func.func @nine_rows(%x: tensor<9x4xf32, #pending4>) -> tensor<9x4xf32> {
  %0 = coconet.reduce_scatter sum %x into 0 on {dp} : tensor<9x4xf32, #pending4> -> tensor<9x4xf32, #rows4>
  %1 = coconet.all_to_all %0 from 0 into 1 on {dp} : tensor<9x4xf32, #rows4> -> tensor<9x4xf32, #columns4>
  %2 = coconet.all_gather %1 from 1 on {dp} : tensor<9x4xf32, #columns4> -> tensor<9x4xf32>
  return %2 : tensor<9x4xf32>
}

// The outermost dimension that has something to cut.
// CHECK-LABEL: func.func @one_row
// FUSED-LABEL: func.func @one_row
func.func @one_row(%x: tensor<1x4xf32, #pending8>) -> tensor<1x4xf32> {
  // FUSED: coconet.fused all_reduce {
  // FUSED-NEXT: coconet.reduce_scatter sum %{{.*}} into 1 on {dp} : {{.*}} -> tensor<1x4xf32, #
  %0 = coconet.all_reduce sum %x on {dp} : tensor<1x4xf32, #pending8> -> tensor<1x4xf32>
  %1 = coconet.neg %0 : tensor<1x4xf32> -> tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}

// CHECK-LABEL: func.func @nothing
// FUSED-LABEL: func.func @nothing
func.func @nothing(%x: tensor<0x4xf32, #pending8>) -> tensor<0x4xf32> {
  // FUSED: coconet.fused all_reduce {
  %0 = coconet.all_reduce sum %x on {dp} : tensor<0x4xf32, #pending8> -> tensor<0x4xf32>
  %1 = coconet.neg %0 : tensor<0x4xf32> -> tensor<0x4xf32>
  return %1 : tensor<0x4xf32>
}

// CHECK-LABEL: func.func @one_element
func.func @one_element(%x: tensor<f32, #pending8>, %i: tensor<0xi8>) -> tensor<f32> {
  // CHECK: coconet.reduce_scatter sum %{{.*}} into flat on {dp} : tensor<f32, #{{.*}}> -> tensor<f32, #
  %0 = coconet.reduce_scatter sum %x into flat on {dp} : tensor<f32, #pending8> -> tensor<f32, #flat8>
  %1 = coconet.exp %0 : tensor<f32, #flat8> -> tensor<f32, #flat8>
  %2 = coconet.all_gather %1 from flat on {dp} : tensor<f32, #flat8> -> tensor<f32>
  %3 = coconet.shard %i into flat on {dp} : tensor<0xi8> -> tensor<0xi8, #flat8>
  return %2 : tensor<f32>
}

// Axes of size 1 are ordinary: what is cut by them divides exactly.
// CHECK-LABEL: func.func @axes_of_one
func.func @axes_of_one(%x: tensor<9x3xf32, #pending1>) -> tensor<9x3xf32, #tp1> {
  %0 = coconet.reduce_scatter sum %x into 0 on {dp} : tensor<9x3xf32, #pending1> -> tensor<9x3xf32, #both1>
  %1 = coconet.reshape %0 : tensor<9x3xf32, #both1> -> tensor<27xf32, #vector1>
  %2 = coconet.reshape %1 : tensor<27xf32, #vector1> -> tensor<9x3xf32, #both1>
  %3 = coconet.transpose %2 by [1, 0] : tensor<9x3xf32, #both1> -> tensor<3x9xf32, #turned1>
  %4 = coconet.transpose %3 by [1, 0] : tensor<3x9xf32, #turned1> -> tensor<9x3xf32, #both1>
  %5 = coconet.all_gather %4 from 0 on {dp} : tensor<9x3xf32, #both1> -> tensor<9x3xf32, #tp1>
  return %5 : tensor<9x3xf32, #tp1>
}
