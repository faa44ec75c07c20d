#mesh = #coconet.mesh<tp = ?>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>
#sliced = #coconet.layout<#mesh, [{}, {}, {tp}]>
#sliced1 = #coconet.layout<#mesh, [{tp}, {}]>
#sliced2 = #coconet.layout<#mesh, [{}, {tp}]>
module {
  func.func @head(%arg0: tensor<?x?x?xf32, #sliced> {coconet.arg_name = "x", coconet.dims = ["b", "s", "h"]}, %arg1: tensor<?x?xf32, #sliced1> {coconet.arg_name = "w", coconet.dims = ["h", "h"]}, %arg2: tensor<?xf32> {coconet.arg_name = "bias", coconet.dims = ["h"]}, %arg3: tensor<?x?x?xf32> {coconet.arg_name = "residual", coconet.dims = ["b", "s", "h"]}, %arg4: tensor<i32> {coconet.arg_name = "step"}) attributes {coconet.mesh = #mesh, coconet.stage = 0 : i64} {
    %0 = coconet.matmul %arg0, %arg1 {coconet.name = "product"} : tensor<?x?x?xf32, #sliced>, tensor<?x?xf32, #sliced1> -> tensor<?x?x?xf32, #partial>
    %1 = coconet.all_reduce sum %0 on {tp} {coconet.name = "sum"} : tensor<?x?x?xf32, #partial> -> tensor<?x?x?xf32>
    %2 = coconet.add %1, %arg2 {coconet.name = "end"} : tensor<?x?x?xf32>, tensor<?xf32> -> tensor<?x?x?xf32>
    %3 = coconet.dropout %2 step %arg4 rate 1.000000e-01 {coconet.name = "end", seed = 1 : i64} : tensor<?x?x?xf32>, tensor<i32> -> tensor<?x?x?xf32>
    %4 = coconet.add %3, %arg3 {coconet.name = "end"} : tensor<?x?x?xf32>, tensor<?x?x?xf32> -> tensor<?x?x?xf32>
    coconet.send %4 to "boundary" {coconet.name = "boundary"} : tensor<?x?x?xf32>
    return
  }
  func.func @tail(%arg0: tensor<?x?x?xf32> {coconet.arg_name = "skip", coconet.dims = ["b", "s", "h"]}, %arg1: tensor<?x?xf32, #sliced2> {coconet.arg_name = "w1", coconet.dims = ["h", "f"]}) -> (tensor<?x?x?xf32, #sliced> {coconet.result_name = "z"}) attributes {coconet.mesh = #mesh, coconet.stage = 1 : i64} {
    %0 = coconet.recv from "boundary" dims ["b", "s", "h"] : tensor<?x?x?xf32>
    %1 = coconet.add %0, %arg0 {coconet.name = "begin"} : tensor<?x?x?xf32>, tensor<?x?x?xf32> -> tensor<?x?x?xf32>
    %2 = coconet.gelu %1 {coconet.name = "begin"} : tensor<?x?x?xf32> -> tensor<?x?x?xf32>
    %3 = coconet.matmul %2, %arg1 {coconet.name = "widen"} : tensor<?x?x?xf32>, tensor<?x?xf32, #sliced2> -> tensor<?x?x?xf32, #sliced>
    return %3 : tensor<?x?x?xf32, #sliced>
  }
}
