// RUN: coconet-opt %s --coconet-to-rank --split-input-file | FileCheck %s

#mesh = #coconet.mesh<tp = 2>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>

// What folding leaves: a result that is a value from outside.
// CHECK-LABEL: func.func @outside
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>
func.func @outside(%x: tensor<4xf32, #partial>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0:2 = coconet.overlap chunks 1 along 0 {
    %1 = coconet.all_reduce sum %x on {tp} : tensor<4xf32, #partial> -> tensor<4xf32>
    coconet.yield %y, %1 : tensor<4xf32>, tensor<4xf32>
  } : tensor<4xf32>, tensor<4xf32>
  // CHECK-COUNT-2: coconet.rank.start
  %2:2 = coconet.overlap chunks 2 along 0 {
    %1 = coconet.all_reduce sum %x on {tp} : tensor<4xf32, #partial> -> tensor<4xf32>
    %3 = coconet.neg %1 : tensor<4xf32> -> tensor<4xf32>
    coconet.yield %y, %3 : tensor<4xf32>, tensor<4xf32>
  } : tensor<4xf32>, tensor<4xf32>
  %4 = coconet.overlap chunks 2 along 0 {
    coconet.yield %y : tensor<4xf32>
  } : tensor<4xf32>
  %5 = coconet.add %0#0, %2#0 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  // CHECK: %[[SUM:.*]] = coconet.add %arg1, %arg1
  // CHECK: return %[[SUM]], %{{.*}}, %arg1
  return %5, %2#1, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
