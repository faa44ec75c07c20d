// RUN: coconet-opt %s "--coconet-fuse-ops=names=f result=kernel" | FileCheck %s

#mesh = #coconet.mesh<dp = 4>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
#sliced = #coconet.layout<#mesh, [{dp}]>

// The shard comes along; the update between the fused ops moves behind them.
// CHECK-LABEL: func.func @chain
func.func @chain(%g: tensor<8xf32, #partial>, %m: tensor<8xf32> {coconet.state}, %p: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[F:.*]]:2 = coconet.fused all_reduce {
  // CHECK-NEXT: coconet.reduce_scatter
  // CHECK-NEXT: coconet.all_gather
  // CHECK-NEXT: coconet.shard
  // CHECK-NEXT: coconet.add
  // CHECK-NEXT: coconet.all_gather
  // CHECK-NEXT: coconet.yield
  // CHECK-NEXT: } {coconet.name = "kernel"}
  // CHECK-NEXT: coconet.update %{{.*}}, %[[F]]#0
  // CHECK-NEXT: return %[[F]]#1
  %0 = coconet.reduce_scatter sum %g into 0 on {dp} {coconet.name = "f"} : tensor<8xf32, #partial> -> tensor<8xf32, #sliced>
  %1 = coconet.all_gather %0 from 0 on {dp} {coconet.name = "f"} : tensor<8xf32, #sliced> -> tensor<8xf32>
  %2 = coconet.update %m, %1 : tensor<8xf32>
  %3 = coconet.shard %p into 0 on {dp} : tensor<8xf32> -> tensor<8xf32, #sliced>
  %4 = coconet.add %0, %3 {coconet.name = "f"} : tensor<8xf32, #sliced>, tensor<8xf32, #sliced> -> tensor<8xf32, #sliced>
  %5 = coconet.all_gather %4 from 0 on {dp} {coconet.name = "f"} : tensor<8xf32, #sliced> -> tensor<8xf32>
  return %5 : tensor<8xf32>
}

