#mesh = #coconet.mesh<tp = ?>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>
#sliced = #coconet.layout<#mesh, [{}, {tp}, {}]>
#sliced1 = #coconet.layout<#mesh, [{}, {tp}]>
#sliced2 = #coconet.layout<#mesh, [{tp}]>
#sliced3 = #coconet.layout<#mesh, [{tp}, {}]>
#sliced4 = #coconet.layout<#mesh, [{}, {}, {tp}]>
module {
  func.func @sequence_parallel(%arg0: tensor<?x?x?xf32, #sliced> {coconet.arg_name = "x", coconet.dims = ["b", "s", "h"]}, %arg1: tensor<?x?xf32, #sliced1> {coconet.arg_name = "w1", coconet.dims = ["h", "f"]}, %arg2: tensor<?xf32, #sliced2> {coconet.arg_name = "b1", coconet.dims = ["f"]}, %arg3: tensor<?x?xf32, #sliced3> {coconet.arg_name = "w2", coconet.dims = ["f", "h"]}, %arg4: tensor<?xf32> {coconet.arg_name = "b2", coconet.dims = ["h"]}, %arg5: tensor<i32> {coconet.arg_name = "step"}) -> (tensor<?x?x?xf32, #sliced> {coconet.result_name = "y"}) {
    %0 = coconet.all_gather %arg0 from 1 on {tp} {coconet.name = "whole"} : tensor<?x?x?xf32, #sliced> -> tensor<?x?x?xf32>
    %1 = coconet.matmul %0, %arg1 {coconet.name = "widen"} : tensor<?x?x?xf32>, tensor<?x?xf32, #sliced1> -> tensor<?x?x?xf32, #sliced4>
    %2 = coconet.add %1, %arg2 {coconet.name = "gelu"} : tensor<?x?x?xf32, #sliced4>, tensor<?xf32, #sliced2> -> tensor<?x?x?xf32, #sliced4>
    %3 = coconet.gelu %2 {coconet.name = "gelu"} : tensor<?x?x?xf32, #sliced4> -> tensor<?x?x?xf32, #sliced4>
    %4 = coconet.matmul %3, %arg3 {coconet.name = "product"} : tensor<?x?x?xf32, #sliced4>, tensor<?x?xf32, #sliced3> -> tensor<?x?x?xf32, #partial>
    %5 = coconet.reduce_scatter sum %4 into 1 on {tp} {coconet.name = "part"} : tensor<?x?x?xf32, #partial> -> tensor<?x?x?xf32, #sliced>
    %6 = coconet.add %5, %arg4 {coconet.name = "end"} : tensor<?x?x?xf32, #sliced>, tensor<?xf32> -> tensor<?x?x?xf32, #sliced>
    %7 = coconet.dropout %6 step %arg5 rate 1.000000e-01 {coconet.name = "end", seed = 1 : i64} : tensor<?x?x?xf32, #sliced>, tensor<i32> -> tensor<?x?x?xf32, #sliced>
    %8 = coconet.add %7, %arg0 {coconet.name = "end"} : tensor<?x?x?xf32, #sliced>, tensor<?x?x?xf32, #sliced> -> tensor<?x?x?xf32, #sliced>
    return %8 : tensor<?x?x?xf32, #sliced>
  }
}
