#mesh = #coconet.mesh<ep = ?>
#sliced = #coconet.layout<#mesh, [{ep}, {}, {}]>
#sliced1 = #coconet.layout<#mesh, [{ep}, {}, {}, {}]>
#sliced2 = #coconet.layout<#mesh, [{}, {ep}, {}, {}]>
module {
  func.func @moe(%arg0: tensor<?x?x16xf32, #sliced> {coconet.arg_name = "x", coconet.dims = ["g", "t", ""]}, %arg1: tensor<?x32x?xf32, #sliced> {coconet.arg_name = "places", coconet.dims = ["g", "", "t"]}, %arg2: tensor<?x?x32xf32, #sliced> {coconet.arg_name = "gates", coconet.dims = ["g", "t", ""]}, %arg3: tensor<8x16x32xf32, #sliced> {coconet.arg_name = "w1"}, %arg4: tensor<8x32x16xf32, #sliced> {coconet.arg_name = "w2"}) -> (tensor<?x?x16xf32, #sliced> {coconet.result_name = "y"}) {
    %0 = coconet.matmul %arg1, %arg0 : tensor<?x32x?xf32, #sliced>, tensor<?x?x16xf32, #sliced> -> tensor<?x32x16xf32, #sliced>
    %1 = coconet.reshape %0 : tensor<?x32x16xf32, #sliced> -> tensor<?x8x4x16xf32, #sliced1>
    %2 = coconet.all_to_all %1 from 0 into 1 on {ep} {coconet.name = "dispatch"} : tensor<?x8x4x16xf32, #sliced1> -> tensor<?x8x4x16xf32, #sliced2>
    %3 = coconet.transpose %2 by [1, 0, 2, 3] {coconet.name = "experts"} : tensor<?x8x4x16xf32, #sliced2> -> tensor<8x?x4x16xf32, #sliced1>
    %4 = coconet.reshape %3 {coconet.name = "experts"} : tensor<8x?x4x16xf32, #sliced1> -> tensor<8x?x16xf32, #sliced>
    %5 = coconet.matmul %4, %arg3 {coconet.name = "experts"} : tensor<8x?x16xf32, #sliced>, tensor<8x16x32xf32, #sliced> -> tensor<8x?x32xf32, #sliced>
    %6 = coconet.silu %5 {coconet.name = "experts"} : tensor<8x?x32xf32, #sliced> -> tensor<8x?x32xf32, #sliced>
    %7 = coconet.matmul %6, %arg4 {coconet.name = "experts"} : tensor<8x?x32xf32, #sliced>, tensor<8x32x16xf32, #sliced> -> tensor<8x?x16xf32, #sliced>
    %8 = coconet.reshape %7 {coconet.name = "experts"} : tensor<8x?x16xf32, #sliced> -> tensor<8x?x4x16xf32, #sliced1>
    %9 = coconet.transpose %8 by [1, 0, 2, 3] {coconet.name = "experts"} : tensor<8x?x4x16xf32, #sliced1> -> tensor<?x8x4x16xf32, #sliced2>
    %10 = coconet.all_to_all %9 from 1 into 0 on {ep} {coconet.name = "combine"} : tensor<?x8x4x16xf32, #sliced2> -> tensor<?x8x4x16xf32, #sliced1>
    %11 = coconet.reshape %10 : tensor<?x8x4x16xf32, #sliced1> -> tensor<?x32x16xf32, #sliced>
    %12 = coconet.matmul %arg2, %11 : tensor<?x?x32xf32, #sliced>, tensor<?x32x16xf32, #sliced> -> tensor<?x?x16xf32, #sliced>
    return %12 : tensor<?x?x16xf32, #sliced>
  }
}
