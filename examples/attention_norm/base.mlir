#mesh = #coconet.mesh<tp = ?>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>
#sliced = #coconet.layout<#mesh, [{}, {}, {tp}]>
#sliced1 = #coconet.layout<#mesh, [{tp}, {}]>
module {
  func.func @attention_norm(%arg0: tensor<?x?x?xf32, #sliced> {coconet.arg_name = "x", coconet.dims = ["b", "s", "h"]}, %arg1: tensor<?x?xf32, #sliced1> {coconet.arg_name = "w", coconet.dims = ["h", "h"]}, %arg2: tensor<?xf32> {coconet.arg_name = "bias", coconet.dims = ["h"]}, %arg3: tensor<?x?x?xf32> {coconet.arg_name = "residual", coconet.dims = ["b", "s", "h"]}, %arg4: tensor<?xf32> {coconet.arg_name = "scale", coconet.dims = ["h"]}, %arg5: tensor<?xf32> {coconet.arg_name = "shift", coconet.dims = ["h"]}, %arg6: tensor<i32> {coconet.arg_name = "step"}) -> (tensor<?x?x?xf32> {coconet.result_name = "y"}) {
    %0 = coconet.matmul %arg0, %arg1 {coconet.name = "product"} : tensor<?x?x?xf32, #sliced>, tensor<?x?xf32, #sliced1> -> tensor<?x?x?xf32, #partial>
    %1 = coconet.all_reduce sum %0 on {tp} {coconet.name = "sum"} : tensor<?x?x?xf32, #partial> -> tensor<?x?x?xf32>
    %2 = coconet.add %1, %arg2 {coconet.name = "end"} : tensor<?x?x?xf32>, tensor<?xf32> -> tensor<?x?x?xf32>
    %3 = coconet.dropout %2 step %arg6 rate 1.000000e-01 {coconet.name = "end", seed = 1 : i64} : tensor<?x?x?xf32>, tensor<i32> -> tensor<?x?x?xf32>
    %4 = coconet.add %3, %arg3 {coconet.name = "end"} : tensor<?x?x?xf32>, tensor<?x?x?xf32> -> tensor<?x?x?xf32>
    %5 = coconet.layer_norm %4 scale %arg4 bias %arg5 over [2] eps 1.000000e-05 {coconet.name = "norm"} : (tensor<?x?x?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?x?x?xf32>
    return %5 : tensor<?x?x?xf32>
  }
}
