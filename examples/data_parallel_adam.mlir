#mesh = #coconet.mesh<dp = ?>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
module {
  func.func @adam(%arg0: tensor<?xf32, #partial> {coconet.arg_name = "g", coconet.dims = ["n"]}, %arg1: tensor<?xf32> {coconet.arg_name = "p", coconet.dims = ["n"], coconet.state}, %arg2: tensor<?xf32> {coconet.arg_name = "m", coconet.dims = ["n"], coconet.state}, %arg3: tensor<?xf32> {coconet.arg_name = "v", coconet.dims = ["n"], coconet.state}, %arg4: tensor<i32> {coconet.arg_name = "t", coconet.state}) {
    %0 = coconet.constant dense<1> : tensor<i32>
    %1 = coconet.add %arg4, %0 : tensor<i32>, tensor<i32> -> tensor<i32>
    %2 = coconet.update %arg4, %1 : tensor<i32>
    %3 = coconet.cast %2 to f32 : tensor<i32> -> tensor<f32>
    %4 = coconet.constant dense<0.899999976> : tensor<f32>
    %5 = coconet.pow %4, %3 : tensor<f32>, tensor<f32> -> tensor<f32>
    %6 = coconet.constant dense<1.000000e+00> : tensor<f32>
    %7 = coconet.sub %6, %5 : tensor<f32>, tensor<f32> -> tensor<f32>
    %8 = coconet.constant dense<9.990000e-01> : tensor<f32>
    %9 = coconet.pow %8, %3 : tensor<f32>, tensor<f32> -> tensor<f32>
    %10 = coconet.sub %6, %9 : tensor<f32>, tensor<f32> -> tensor<f32>
    %11 = coconet.all_reduce sum %arg0 on {dp} {coconet.name = "avg"} : tensor<?xf32, #partial> -> tensor<?xf32>
    %12 = coconet.mul %4, %arg2 {coconet.name = "opt"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %13 = coconet.constant dense<1.000000e-01> : tensor<f32>
    %14 = coconet.mul %13, %11 {coconet.name = "opt"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %15 = coconet.add %12, %14 {coconet.name = "opt"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %16 = coconet.mul %8, %arg3 {coconet.name = "opt"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %17 = coconet.constant dense<1.000000e-03> : tensor<f32>
    %18 = coconet.mul %17, %11 {coconet.name = "opt"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %19 = coconet.mul %18, %11 {coconet.name = "opt"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %20 = coconet.add %16, %19 {coconet.name = "opt"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %21 = coconet.div %20, %10 {coconet.name = "opt"} : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
    %22 = coconet.sqrt %21 {coconet.name = "opt"} : tensor<?xf32> -> tensor<?xf32>
    %23 = coconet.constant dense<9.99999993E-9> : tensor<f32>
    %24 = coconet.add %22, %23 {coconet.name = "opt"} : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
    %25 = coconet.div %15, %7 {coconet.name = "opt"} : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
    %26 = coconet.constant dense<1.000000e-03> : tensor<f32>
    %27 = coconet.mul %26, %25 {coconet.name = "opt"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %28 = coconet.div %27, %24 {coconet.name = "opt"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %29 = coconet.sub %arg1, %28 {coconet.name = "opt"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %30 = coconet.update %arg2, %15 : tensor<?xf32>
    %31 = coconet.update %arg3, %20 : tensor<?xf32>
    %32 = coconet.update %arg1, %29 : tensor<?xf32>
    return
  }
}
