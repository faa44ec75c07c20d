// Momentum SGD, data-parallel: the gradient is a pending sum over dp. Below it what
// coconet-opt --fuse-allreduce=slice-state makes of it.

#mesh = #coconet.mesh<dp = ?>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
func.func @momentum(%g: tensor<?xf32, #partial> {coconet.arg_name = "g"}, %p: tensor<?xf32> {coconet.arg_name = "p", coconet.state}, %m: tensor<?xf32> {coconet.arg_name = "m", coconet.state}) -> tensor<?xf32> {
  %decay = coconet.constant dense<0.9> : tensor<f32>
  %sum = coconet.all_reduce sum %g on {dp} {coconet.name = "sum"} : tensor<?xf32, #partial> -> tensor<?xf32>
  %0 = coconet.mul %m, %decay : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  %1 = coconet.add %0, %sum : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
  %2 = coconet.sub %p, %1 : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
  %3 = coconet.update %m, %1 : tensor<?xf32>
  %4 = coconet.update %p, %2 : tensor<?xf32>
  return %4 : tensor<?xf32>
}

// CHECK: func.func @momentum(%arg0: tensor<?xf32, #partial> {coconet.arg_name = "g"}, %arg1: tensor<?xf32> {coconet.arg_name = "p", coconet.state}, %arg2: tensor<?xf32, #sliced> {coconet.arg_name = "m", coconet.state}) -> tensor<?xf32> {
// CHECK-NEXT:   %0 = coconet.constant dense<0.899999976> : tensor<f32>
// CHECK-NEXT:   %1:2 = coconet.fused all_reduce {
// CHECK-NEXT:     %4 = coconet.reduce_scatter sum %arg0 into 0 on {dp} {coconet.name = "sum.rs"} : tensor<?xf32, #partial> -> tensor<?xf32, #sliced>
// CHECK-NEXT:     %5 = coconet.mul %arg2, %0 : tensor<?xf32, #sliced>, tensor<f32> -> tensor<?xf32, #sliced>
// CHECK-NEXT:     %6 = coconet.add %5, %4 : tensor<?xf32, #sliced>, tensor<?xf32, #sliced> -> tensor<?xf32, #sliced>
// CHECK-NEXT:     %7 = coconet.shard %arg1 into 0 on {dp} : tensor<?xf32> -> tensor<?xf32, #sliced>
// CHECK-NEXT:     %8 = coconet.sub %7, %6 : tensor<?xf32, #sliced>, tensor<?xf32, #sliced> -> tensor<?xf32, #sliced>
// CHECK-NEXT:     %9 = coconet.all_gather %8 from 0 on {dp} {coconet.name = "sum.ag"} : tensor<?xf32, #sliced> -> tensor<?xf32>
// CHECK-NEXT:     coconet.yield %6, %9 : tensor<?xf32, #sliced>, tensor<?xf32>
// CHECK-NEXT:   } {coconet.name = "sum"} : tensor<?xf32, #sliced>, tensor<?xf32>
// CHECK-NEXT:   %2 = coconet.update %arg2, %1#0 : tensor<?xf32, #sliced>
// CHECK-NEXT:   %3 = coconet.update %arg1, %1#1 : tensor<?xf32>
// CHECK-NEXT:   return %3 : tensor<?xf32>
// CHECK-NEXT: }
