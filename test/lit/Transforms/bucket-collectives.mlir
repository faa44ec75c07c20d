// RUN: coconet-opt %s --split-input-file "--coconet-bucket-collectives=names=a,b,c" | FileCheck %s
// RUN: coconet-opt %s --split-input-file "--coconet-bucket-collectives=names=a,b,c bytes=150 result=all" | FileCheck %s --check-prefix=BYTES

#mesh = #coconet.mesh<dp = ?>
#pending = #coconet.layout<#mesh, partial = {dp : sum}>

// What depends on a member moves behind the list.
// CHECK-LABEL: func.func @all_reduce(
// CHECK-SAME: %[[X:.*]]: tensor<8x4xf32, #partial>, %[[Y:.*]]: tensor<5xf32, #partial>, %[[Z:.*]]: tensor<f32, #partial>)
// BYTES-LABEL: func.func @all_reduce(
func.func @all_reduce(%x: tensor<8x4xf32, #pending>, %y: tensor<5xf32, #pending>, %z: tensor<f32, #pending>) -> (tensor<8x4xf32>, tensor<5xf32>, tensor<f32>) {
  // CHECK: %[[R:.*]]:3 = coconet.for_each 3 of(%[[X]], %[[Y]], %[[Z]] : tensor<8x4xf32, #partial>, tensor<5xf32, #partial>, tensor<f32, #partial>) {
  // CHECK-NEXT: ^bb0(%[[E:.*]]: tensor<?xf32, #partial>):
  // CHECK-NEXT: %[[S:.*]] = coconet.all_reduce sum %[[E]] on {dp} {coconet.name = "a"} : tensor<?xf32, #partial> -> tensor<?xf32>
  // CHECK-NEXT: coconet.yield %[[S]] : tensor<?xf32>
  // CHECK-NEXT: } -> tensor<8x4xf32>, tensor<5xf32>, tensor<f32>
  // CHECK-NEXT: %[[U:.*]] = coconet.neg %[[R]]#0
  // CHECK-NEXT: return %[[U]], %[[R]]#1, %[[R]]#2
  // BYTES: coconet.for_each 2 of({{.*}}: tensor<8x4xf32, #partial>, tensor<5xf32, #partial>)
  // BYTES: coconet.all_reduce {{.*}}coconet.name = "all.0"
  // BYTES: coconet.all_reduce {{.*}}coconet.name = "all.1"} : tensor<f32, #partial> -> tensor<f32>
  %a = coconet.all_reduce sum %x on {dp} {coconet.name = "a"} : tensor<8x4xf32, #pending> -> tensor<8x4xf32>
  %u = coconet.neg %a : tensor<8x4xf32> -> tensor<8x4xf32>
  %b = coconet.all_reduce sum %y on {dp} {coconet.name = "b"} : tensor<5xf32, #pending> -> tensor<5xf32>
  %c = coconet.all_reduce sum %z on {dp} {coconet.name = "c"} : tensor<f32, #pending> -> tensor<f32>
  return %u, %b, %c : tensor<8x4xf32>, tensor<5xf32>, tensor<f32>
}

// -----

#mesh = #coconet.mesh<dp = 2, tp = 2>
#local = #coconet.layout<#mesh, local = {dp}>

// CHECK-LABEL: func.func @broadcast
func.func @broadcast(%x: tensor<4xf32, #local>, %y: tensor<2x3xf32, #local>) -> (tensor<4xf32>, tensor<2x3xf32>, tensor<4xf32>) {
  // CHECK: coconet.for_each 3 of
  // CHECK: coconet.broadcast {{.*}} root 1 on {dp} {coconet.algorithm = "two_shot", coconet.name = "a"} : tensor<?xf32, #{{.*}}> -> tensor<?xf32>
  %a = coconet.broadcast %x root 1 on {dp} {coconet.name = "a", coconet.algorithm = "two_shot"} : tensor<4xf32, #local> -> tensor<4xf32>
  %b = coconet.broadcast %y root 1 on {dp} {coconet.name = "b", coconet.algorithm = "two_shot"} : tensor<2x3xf32, #local> -> tensor<2x3xf32>
  %c = coconet.broadcast %x root 1 on {dp} {coconet.name = "c", coconet.algorithm = "two_shot"} : tensor<4xf32, #local> -> tensor<4xf32>
  return %a, %b, %c : tensor<4xf32>, tensor<2x3xf32>, tensor<4xf32>
}

// -----

#mesh = #coconet.mesh<dp = 2>
#pending = #coconet.layout<#mesh, partial = {dp : max}>
#flat = #coconet.layout<#mesh, flat = {dp}>

// CHECK-LABEL: func.func @reduce_scatter
func.func @reduce_scatter(%x: tensor<4xf32, #pending>, %y: tensor<2x3xf32, #pending>) -> (tensor<4xf32, #flat>, tensor<2x3xf32, #flat>, tensor<4xf32, #flat>) {
  // CHECK: coconet.for_each 3 of
  // CHECK: coconet.reduce_scatter max {{.*}} into flat on {dp} {coconet.name = "a"} : tensor<?xf32, #{{.*}}> -> tensor<?xf32, #{{.*}}>
  %a = coconet.reduce_scatter max %x into flat on {dp} {coconet.name = "a"} : tensor<4xf32, #pending> -> tensor<4xf32, #flat>
  %b = coconet.reduce_scatter max %y into flat on {dp} {coconet.name = "b"} : tensor<2x3xf32, #pending> -> tensor<2x3xf32, #flat>
  %c = coconet.reduce_scatter max %x into flat on {dp} {coconet.name = "c"} : tensor<4xf32, #pending> -> tensor<4xf32, #flat>
  return %a, %b, %c : tensor<4xf32, #flat>, tensor<2x3xf32, #flat>, tensor<4xf32, #flat>
}

// -----

#mesh = #coconet.mesh<dp = 2>
#flat = #coconet.layout<#mesh, flat = {dp}>

// CHECK-LABEL: func.func @all_gather
func.func @all_gather(%x: tensor<4xf32, #flat>, %y: tensor<2x3xf32, #flat>) -> (tensor<4xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  // CHECK: coconet.for_each 3 of
  // CHECK: coconet.all_gather {{.*}} from flat on {dp} {coconet.name = "a"} : tensor<?xf32, #{{.*}}> -> tensor<?xf32>
  %a = coconet.all_gather %x from flat on {dp} {coconet.name = "a"} : tensor<4xf32, #flat> -> tensor<4xf32>
  %b = coconet.all_gather %y from flat on {dp} {coconet.name = "b"} : tensor<2x3xf32, #flat> -> tensor<2x3xf32>
  %c = coconet.all_gather %y from flat on {dp} {coconet.name = "c"} : tensor<2x3xf32, #flat> -> tensor<2x3xf32>
  return %a, %b, %c : tensor<4xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}
