// RUN: coconet-opt %s --coconet-decompose --coconet-to-rank --cse | FileCheck %s

#mesh = #coconet.mesh<dp = 2>
#two = #coconet.mesh<dp = 2, tp = 2>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
#rows = #coconet.layout<#mesh, [{dp}, {}]>
#flat = #coconet.layout<#mesh, flat = {dp}>
#local = #coconet.layout<#mesh, local = {dp}>

// An exact division leaves a static size; a replicated operand is sharded.
// CHECK-LABEL: func.func @even
// CHECK-SAME: (%[[X:.*]]: tensor<8x4xf32> {coconet.layout = {{.*}}}, %[[B:.*]]: tensor<8x1xf32>)
// CHECK-SAME: -> (tensor<4x4xf32> {coconet.layout = #{{.*}}})
// CHECK: %[[S:.*]] = coconet.rank.reduce_scatter sum %[[X]] into 0 on {dp} of #{{.*}} {coconet.name = "avg"} : tensor<8x4xf32> -> tensor<4x4xf32>
// CHECK: %[[C:.*]] = coconet.rank.shard %[[B]] into 0 on {dp} {{.*}} : tensor<8x1xf32> -> tensor<4x1xf32>
// CHECK: coconet.add %[[S]], %[[C]] : tensor<4x4xf32>, tensor<4x1xf32> -> tensor<4x4xf32>
func.func @even(%x: tensor<8x4xf32, #partial>, %b: tensor<8x1xf32>) -> tensor<8x4xf32, #rows> {
  %s = coconet.reduce_scatter sum %x into 0 on {dp} {coconet.name = "avg"} : tensor<8x4xf32, #partial> -> tensor<8x4xf32, #rows>
  %y = coconet.add %s, %b : tensor<8x4xf32, #rows>, tensor<8x1xf32> -> tensor<8x4xf32, #rows>
  return %y : tensor<8x4xf32, #rows>
}

// The logical size of a slice comes in as an argument.
// CHECK-LABEL: func.func @uneven
// CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32> {coconet.layout = {{[^}]*}}}, %[[Y:.*]]: tensor<?x4xf32> {coconet.layout = {{[^}]*}}},
// CHECK-SAME: %[[N:.*]]: index {coconet.size_of = array<i64: 1, 0>})
// CHECK: coconet.rank.all_gather %[[X]] size %c7 from 0
// CHECK: coconet.rank.all_gather %[[Y]] size %[[N]] from 0
func.func @uneven(%x: tensor<7x4xf32, #rows>, %y: tensor<?x4xf32, #rows>) -> (tensor<7x4xf32>, tensor<?x4xf32>) {
  %0 = coconet.all_gather %x from 0 on {dp} : tensor<7x4xf32, #rows> -> tensor<7x4xf32>
  %1 = coconet.all_gather %y from 0 on {dp} : tensor<?x4xf32, #rows> -> tensor<?x4xf32>
  return %0, %1 : tensor<7x4xf32>, tensor<?x4xf32>
}

// CHECK-LABEL: func.func @flat
// CHECK-SAME: (%[[X:.*]]: tensor<3x?xf32>
// CHECK: %[[F:.*]] = coconet.rank.reshape %[[X]] sizes(%[[N:.*]]) : tensor<3x?xf32> -> tensor<?xf32>
// CHECK: %[[S:.*]] = coconet.rank.reduce_scatter sum %[[F]] into 0
// CHECK: %[[G:.*]] = coconet.rank.all_gather %[[S]] size %[[N]] from 0
// CHECK: coconet.rank.reshape %[[G]] sizes(%{{.*}}) : tensor<?xf32> -> tensor<3x?xf32>
func.func @flat(%x: tensor<3x?xf32, #partial>) -> tensor<3x?xf32> {
  %s = coconet.reduce_scatter sum %x into flat on {dp} : tensor<3x?xf32, #partial> -> tensor<3x?xf32, #flat>
  %y = coconet.all_gather %s from flat on {dp} : tensor<3x?xf32, #flat> -> tensor<3x?xf32>
  return %y : tensor<3x?xf32>
}

// A second cut of an open size is exact, or the run fails.
// CHECK-LABEL: func.func @two_axes
// CHECK: %[[R:.*]] = arith.remui %{{.*}}, %c4 : index
// CHECK: coconet.rank.check_size "remainder of a second cut by {dp}" %c0, %[[R]]
// CHECK: coconet.rank.shard %{{.*}} into 0 on {dp}
func.func @two_axes(%x: tensor<?xf32, #coconet.layout<#two, [{tp}]>>) -> tensor<?xf32, #coconet.layout<#two, [{tp, dp}]>> {
  %y = coconet.shard %x into 0 on {dp} : tensor<?xf32, #coconet.layout<#two, [{tp}]>> -> tensor<?xf32, #coconet.layout<#two, [{tp, dp}]>>
  return %y : tensor<?xf32, #coconet.layout<#two, [{tp, dp}]>>
}

// CHECK-LABEL: func.func @groups
// CHECK: coconet.rank.all_gather %{{.*}} size %c8 from 0 on groups {{\[\[}}1, 0]] {{.*}} : tensor<4xf32> -> tensor<8xf32>
func.func @groups(%x: tensor<4xf32, #local>) -> tensor<8xf32, #local> {
  %y = coconet.all_gather %x from 0 on groups [[1, 0]] : tensor<4xf32, #local> -> tensor<8xf32, #local>
  return %y : tensor<8xf32, #local>
}

// A mean divides by the logical count, a norm sums squares over the cut.
// CHECK-LABEL: func.func @counts
// CHECK: coconet.reduce sum %{{.*}} over [0]
// CHECK: coconet.constant dense<7.000000e+00> : tensor<f32>
// CHECK: coconet.rank.all_reduce sum
// CHECK: coconet.sqrt
func.func @counts(%x: tensor<7x4xf32, #rows>) -> (tensor<4xf32, #partial>, tensor<f32>) {
  %m = coconet.reduce mean %x over [0] : tensor<7x4xf32, #rows> -> tensor<4xf32, #partial>
  %n = coconet.norm %x : tensor<7x4xf32, #rows> -> tensor<f32>
  return %m, %n : tensor<4xf32, #partial>, tensor<f32>
}

// Results that are states are not returned; named sizes are checked.
// CHECK-LABEL: func.func @state
// CHECK-SAME: (%[[P:.*]]: tensor<?xf32> {{{.*}}coconet.state}, %[[X:.*]]: tensor<?xf32> {{{.*}}}) attributes
// CHECK: coconet.rank.check_size "arguments"
// CHECK: coconet.update %[[P]], %[[X]]
// CHECK: return{{$}}
func.func @state(%p: tensor<?xf32> {coconet.state, coconet.dims = ["n"]}, %x: tensor<?xf32> {coconet.dims = ["n"]}) -> tensor<?xf32> attributes {coconet.mesh = #mesh} {
  %u = coconet.update %p, %x : tensor<?xf32>
  return %u : tensor<?xf32>
}

// A replicated value of a fused computation is computed on the slice.
// CHECK-LABEL: func.func @fused
// CHECK: %[[S:.*]] = coconet.rank.shard
// CHECK: coconet.fused computation {
// CHECK:   %[[N:.*]] = coconet.neg %[[S]] : tensor<4xf32>
// CHECK:   coconet.add %[[N]], %{{.*}} : tensor<4xf32>, tensor<4xf32>
func.func @fused(%x: tensor<8xf32>, %y: tensor<8xf32, #coconet.layout<#mesh, [{dp}]>>) -> tensor<8xf32, #coconet.layout<#mesh, [{dp}]>> {
  %f = coconet.fused computation {
    %n = coconet.neg %x : tensor<8xf32> -> tensor<8xf32>
    %a = coconet.add %n, %y : tensor<8xf32>, tensor<8xf32, #coconet.layout<#mesh, [{dp}]>> -> tensor<8xf32, #coconet.layout<#mesh, [{dp}]>>
    coconet.yield %a : tensor<8xf32, #coconet.layout<#mesh, [{dp}]>>
  } : tensor<8xf32, #coconet.layout<#mesh, [{dp}]>>
  return %f : tensor<8xf32, #coconet.layout<#mesh, [{dp}]>>
}
