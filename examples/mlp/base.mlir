#mesh = #coconet.mesh<tp = ?>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>
#sliced = #coconet.layout<#mesh, [{}, {tp}]>
#sliced1 = #coconet.layout<#mesh, [{tp}]>
#sliced2 = #coconet.layout<#mesh, [{tp}, {}]>
#sliced3 = #coconet.layout<#mesh, [{}, {}, {tp}]>
module {
  func.func @mlp(%arg0: tensor<?x?x?xf32> {coconet.arg_name = "x", coconet.dims = ["b", "s", "h"]}, %arg1: tensor<?x?xf32, #sliced> {coconet.arg_name = "w1", coconet.dims = ["h", "f"]}, %arg2: tensor<?xf32, #sliced1> {coconet.arg_name = "b1", coconet.dims = ["f"]}, %arg3: tensor<?x?xf32, #sliced2> {coconet.arg_name = "w2", coconet.dims = ["f", "h"]}, %arg4: tensor<?xf32> {coconet.arg_name = "b2", coconet.dims = ["h"]}, %arg5: tensor<i32> {coconet.arg_name = "step"}) -> (tensor<?x?x?xf32> {coconet.result_name = "y"}) {
    %0 = coconet.matmul %arg0, %arg1 {coconet.name = "widen"} : tensor<?x?x?xf32>, tensor<?x?xf32, #sliced> -> tensor<?x?x?xf32, #sliced3>
    %1 = coconet.add %0, %arg2 {coconet.name = "gelu"} : tensor<?x?x?xf32, #sliced3>, tensor<?xf32, #sliced1> -> tensor<?x?x?xf32, #sliced3>
    %2 = coconet.gelu %1 {coconet.name = "gelu"} : tensor<?x?x?xf32, #sliced3> -> tensor<?x?x?xf32, #sliced3>
    %3 = coconet.matmul %2, %arg3 {coconet.name = "product"} : tensor<?x?x?xf32, #sliced3>, tensor<?x?xf32, #sliced2> -> tensor<?x?x?xf32, #partial>
    %4 = coconet.all_reduce sum %3 on {tp} {coconet.name = "sum"} : tensor<?x?x?xf32, #partial> -> tensor<?x?x?xf32>
    %5 = coconet.add %4, %arg4 {coconet.name = "end"} : tensor<?x?x?xf32>, tensor<?xf32> -> tensor<?x?x?xf32>
    %6 = coconet.dropout %5 step %arg5 rate 1.000000e-01 {coconet.name = "end", seed = 1 : i64} : tensor<?x?x?xf32>, tensor<i32> -> tensor<?x?x?xf32>
    %7 = coconet.add %6, %arg0 {coconet.name = "end"} : tensor<?x?x?xf32>, tensor<?x?x?xf32> -> tensor<?x?x?xf32>
    return %7 : tensor<?x?x?xf32>
  }
}
