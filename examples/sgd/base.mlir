#mesh = #coconet.mesh<dp = ?>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
module {
  func.func @sgd(%arg0: tensor<?xf32, #partial> {coconet.arg_name = "g_p", coconet.dims = ["n"]}, %arg1: tensor<?xf32> {coconet.arg_name = "p", coconet.dims = ["n"], coconet.state}, %arg2: tensor<?xf32> {coconet.arg_name = "m_p", coconet.dims = ["n"], coconet.state}) {
    %0 = coconet.all_reduce sum %arg0 on {dp} {coconet.name = "g_p"} : tensor<?xf32, #partial> -> tensor<?xf32>
    %1 = coconet.constant dense<9.99999974E-5> : tensor<f32>
    %2 = coconet.mul %1, %arg1 {coconet.name = "opt_p"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %3 = coconet.add %0, %2 {coconet.name = "opt_p"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %4 = coconet.constant dense<0.899999976> : tensor<f32>
    %5 = coconet.mul %4, %arg2 {coconet.name = "opt_p"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %6 = coconet.add %5, %3 {coconet.name = "opt_p"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %7 = coconet.constant dense<0.00999999977> : tensor<f32>
    %8 = coconet.mul %7, %6 {coconet.name = "opt_p"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %9 = coconet.sub %arg1, %8 {coconet.name = "opt_p"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %10 = coconet.update %arg1, %9 : tensor<?xf32>
    %11 = coconet.update %arg2, %6 : tensor<?xf32>
    return
  }
}
