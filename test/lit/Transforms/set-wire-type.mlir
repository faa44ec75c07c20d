// RUN: coconet-opt %s --coconet-set-wire-type="name=x type=bf16" --coconet-set-algorithm="name=y algorithm=one_shot channels=2" | FileCheck %s
// RUN: coconet-opt %s --coconet-set-wire-type=name=kernel | FileCheck %s --check-prefix=REGION
// Collectives that differ in it stay apart (L02).
// RUN: coconet-opt %s --coconet-set-wire-type=name=x --cse | FileCheck %s --check-prefix=APART

#mesh = #coconet.mesh<dp = 2>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
#sliced = #coconet.layout<#mesh, [{dp}]>

// CHECK-LABEL: func.func @plain
// CHECK: coconet.all_reduce sum %{{.*}} on {dp} {coconet.name = "x", coconet.wire_type = bf16}
// CHECK: coconet.all_reduce sum %{{.*}} on {dp} {coconet.algorithm = "one_shot", coconet.channels = 2 : i64, coconet.name = "y"}
func.func @plain(%g: tensor<9xf32, #partial>) -> (tensor<9xf32>, tensor<9xf32>) {
  %0 = coconet.all_reduce sum %g on {dp} {coconet.name = "x"} : tensor<9xf32, #partial> -> tensor<9xf32>
  %1 = coconet.all_reduce sum %g on {dp} {coconet.name = "y"} : tensor<9xf32, #partial> -> tensor<9xf32>
  return %0, %1 : tensor<9xf32>, tensor<9xf32>
}

// APART-LABEL: func.func @twice
// APART-COUNT-2: coconet.all_reduce
func.func @twice(%g: tensor<9xf32, #partial>) -> (tensor<9xf32>, tensor<9xf32>) {
  %0 = coconet.all_reduce sum %g on {dp} : tensor<9xf32, #partial> -> tensor<9xf32>
  %1 = coconet.all_reduce sum %g on {dp} {coconet.wire_type = f16} : tensor<9xf32, #partial> -> tensor<9xf32>
  return %0, %1 : tensor<9xf32>, tensor<9xf32>
}

// REGION-LABEL: func.func @region
// REGION: coconet.reduce_scatter {{.*}} {coconet.wire_type = f16}
// REGION: coconet.all_gather {{.*}} {coconet.wire_type = f16}
func.func @region(%g: tensor<9xf32, #partial>) -> tensor<9xf32> {
  %0 = coconet.fused all_reduce {
    %1 = coconet.reduce_scatter sum %g into 0 on {dp} : tensor<9xf32, #partial> -> tensor<9xf32, #sliced>
    %2 = coconet.neg %1 : tensor<9xf32, #sliced> -> tensor<9xf32, #sliced>
    %3 = coconet.all_gather %2 from 0 on {dp} : tensor<9xf32, #sliced> -> tensor<9xf32>
    coconet.yield %3 : tensor<9xf32>
  } {coconet.name = "kernel"} : tensor<9xf32>
  return %0 : tensor<9xf32>
}
