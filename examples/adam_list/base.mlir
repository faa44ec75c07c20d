#mesh = #coconet.mesh<dp = ?>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
module {
  func.func @adam_list(%arg0: tensor<?x?xf32, #partial> {coconet.arg_name = "g_p.0", coconet.dims = ["k", "n"]}, %arg1: tensor<?xf32, #partial> {coconet.arg_name = "g_p.1", coconet.dims = ["n"]}, %arg2: tensor<?x?xf32> {coconet.arg_name = "p.0", coconet.dims = ["k", "n"], coconet.state}, %arg3: tensor<?xf32> {coconet.arg_name = "p.1", coconet.dims = ["n"], coconet.state}, %arg4: tensor<?x?xf32> {coconet.arg_name = "m_p.0", coconet.dims = ["k", "n"], coconet.state}, %arg5: tensor<?xf32> {coconet.arg_name = "m_p.1", coconet.dims = ["n"], coconet.state}, %arg6: tensor<?x?xf32> {coconet.arg_name = "v_p.0", coconet.dims = ["k", "n"], coconet.state}, %arg7: tensor<?xf32> {coconet.arg_name = "v_p.1", coconet.dims = ["n"], coconet.state}, %arg8: tensor<i32> {coconet.arg_name = "t_p", coconet.state}) {
    %0 = coconet.constant dense<1> : tensor<i32>
    %1 = coconet.add %arg8, %0 : tensor<i32>, tensor<i32> -> tensor<i32>
    %2 = coconet.cast %1 to f32 : tensor<i32> -> tensor<f32>
    %3 = coconet.update %arg8, %1 : tensor<i32>
    %4:6 = coconet.for_each 2 of(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7 : tensor<?x?xf32, #partial>, tensor<?xf32, #partial>, tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<?xf32>) {
    ^bb0(%arg9: tensor<?xf32, #partial>, %arg10: tensor<?xf32>, %arg11: tensor<?xf32>, %arg12: tensor<?xf32>):
      %11 = coconet.all_reduce sum %arg9 on {dp} {coconet.name = "g_p"} : tensor<?xf32, #partial> -> tensor<?xf32>
      %12 = coconet.constant dense<0.899999976> : tensor<f32>
      %13 = coconet.pow %12, %2 : tensor<f32>, tensor<f32> -> tensor<f32>
      %14 = coconet.constant dense<1.000000e+00> : tensor<f32>
      %15 = coconet.sub %14, %13 : tensor<f32>, tensor<f32> -> tensor<f32>
      %16 = coconet.constant dense<9.990000e-01> : tensor<f32>
      %17 = coconet.pow %16, %2 : tensor<f32>, tensor<f32> -> tensor<f32>
      %18 = coconet.sub %14, %17 : tensor<f32>, tensor<f32> -> tensor<f32>
      %19 = coconet.mul %12, %arg11 {coconet.name = "opt_p"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
      %20 = coconet.constant dense<1.000000e-01> : tensor<f32>
      %21 = coconet.mul %20, %11 {coconet.name = "opt_p"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
      %22 = coconet.add %19, %21 {coconet.name = "opt_p"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
      %23 = coconet.mul %16, %arg12 {coconet.name = "opt_p"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
      %24 = coconet.mul %11, %11 {coconet.name = "opt_p"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
      %25 = coconet.constant dense<1.000000e-03> : tensor<f32>
      %26 = coconet.mul %25, %24 {coconet.name = "opt_p"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
      %27 = coconet.add %23, %26 {coconet.name = "opt_p"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
      %28 = coconet.div %22, %15 {coconet.name = "opt_p"} : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
      %29 = coconet.div %27, %18 {coconet.name = "opt_p"} : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
      %30 = coconet.sqrt %29 {coconet.name = "opt_p"} : tensor<?xf32> -> tensor<?xf32>
      %31 = coconet.constant dense<9.99999993E-9> : tensor<f32>
      %32 = coconet.add %30, %31 {coconet.name = "opt_p"} : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
      %33 = coconet.div %28, %32 {coconet.name = "opt_p"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
      %34 = coconet.constant dense<1.000000e-03> : tensor<f32>
      %35 = coconet.mul %34, %33 {coconet.name = "opt_p"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
      %36 = coconet.sub %arg10, %35 {coconet.name = "opt_p"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
      coconet.yield %36, %22, %27 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
    } -> tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<?xf32>
    %5 = coconet.update %arg2, %4#0 : tensor<?x?xf32>
    %6 = coconet.update %arg3, %4#1 : tensor<?xf32>
    %7 = coconet.update %arg4, %4#2 : tensor<?x?xf32>
    %8 = coconet.update %arg5, %4#3 : tensor<?xf32>
    %9 = coconet.update %arg6, %4#4 : tensor<?x?xf32>
    %10 = coconet.update %arg7, %4#5 : tensor<?xf32>
    return
  }
}
