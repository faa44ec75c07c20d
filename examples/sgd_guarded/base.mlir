#mesh = #coconet.mesh<dp = ?>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
module {
  func.func @sgd_guarded(%arg0: tensor<?x?xf32, #partial> {coconet.arg_name = "g_w", coconet.dims = ["k", "n"]}, %arg1: tensor<?x?xf32> {coconet.arg_name = "w", coconet.dims = ["k", "n"], coconet.state}, %arg2: tensor<?x?xf32> {coconet.arg_name = "m_w", coconet.dims = ["k", "n"], coconet.state}, %arg3: tensor<?xf32, #partial> {coconet.arg_name = "g_b", coconet.dims = ["n"]}, %arg4: tensor<?xf32> {coconet.arg_name = "b", coconet.dims = ["n"], coconet.state}, %arg5: tensor<?xf32> {coconet.arg_name = "m_b", coconet.dims = ["n"], coconet.state}, %arg6: tensor<f32> {coconet.arg_name = "scale"}) -> (tensor<i1> {coconet.result_name = "found_inf"}) {
    %0 = coconet.all_reduce sum %arg0 on {dp} {coconet.name = "g_w"} : tensor<?x?xf32, #partial> -> tensor<?x?xf32>
    %1 = coconet.all_reduce sum %arg3 on {dp} {coconet.name = "g_b"} : tensor<?xf32, #partial> -> tensor<?xf32>
    %2 = coconet.div %0, %arg6 {coconet.name = "stats_w"} : tensor<?x?xf32>, tensor<f32> -> tensor<?x?xf32>
    %3 = coconet.div %1, %arg6 {coconet.name = "stats_b"} : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
    %4 = coconet.is_finite %2 {coconet.name = "stats_w"} : tensor<?x?xf32> -> tensor<?x?xi1>
    %5 = coconet.cast %4 to f32 {coconet.name = "stats_w"} : tensor<?x?xi1> -> tensor<?x?xf32>
    %6 = coconet.constant dense<1.000000e+00> : tensor<f32>
    %7 = coconet.sub %6, %5 {coconet.name = "stats_w"} : tensor<f32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %8 = coconet.reduce max %7 over [0, 1] {coconet.name = "stats_w"} : tensor<?x?xf32> -> tensor<f32>
    %9 = coconet.is_finite %3 {coconet.name = "stats_b"} : tensor<?xf32> -> tensor<?xi1>
    %10 = coconet.cast %9 to f32 {coconet.name = "stats_b"} : tensor<?xi1> -> tensor<?xf32>
    %11 = coconet.sub %6, %10 {coconet.name = "stats_b"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %12 = coconet.reduce max %11 over [0] {coconet.name = "stats_b"} : tensor<?xf32> -> tensor<f32>
    %13 = coconet.max %8, %12 : tensor<f32>, tensor<f32> -> tensor<f32>
    %14 = coconet.constant dense<0.000000e+00> : tensor<f32>
    %15 = coconet.compare gt %13, %14 : tensor<f32>, tensor<f32> -> tensor<i1>
    %16 = coconet.mul %2, %2 {coconet.name = "stats_w"} : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %17 = coconet.reduce sum %16 over [0, 1] {coconet.name = "stats_w"} : tensor<?x?xf32> -> tensor<f32>
    %18 = coconet.mul %3, %3 {coconet.name = "stats_b"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %19 = coconet.reduce sum %18 over [0] {coconet.name = "stats_b"} : tensor<?xf32> -> tensor<f32>
    %20 = coconet.add %17, %19 : tensor<f32>, tensor<f32> -> tensor<f32>
    %21 = coconet.sqrt %20 : tensor<f32> -> tensor<f32>
    %22 = coconet.max %21, %6 : tensor<f32>, tensor<f32> -> tensor<f32>
    %23 = coconet.div %6, %22 : tensor<f32>, tensor<f32> -> tensor<f32>
    %24 = coconet.mul %2, %23 {coconet.name = "opt_w"} : tensor<?x?xf32>, tensor<f32> -> tensor<?x?xf32>
    %25 = coconet.constant dense<9.99999974E-5> : tensor<f32>
    %26 = coconet.mul %25, %arg1 {coconet.name = "opt_w"} : tensor<f32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %27 = coconet.add %24, %26 {coconet.name = "opt_w"} : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %28 = coconet.constant dense<0.899999976> : tensor<f32>
    %29 = coconet.mul %28, %arg2 {coconet.name = "opt_w"} : tensor<f32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %30 = coconet.add %29, %27 {coconet.name = "opt_w"} : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %31 = coconet.constant dense<0.00999999977> : tensor<f32>
    %32 = coconet.mul %31, %30 {coconet.name = "opt_w"} : tensor<f32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %33 = coconet.sub %arg1, %32 {coconet.name = "opt_w"} : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %34 = coconet.select %15, %arg1, %33 {coconet.name = "opt_w"} : tensor<i1>, tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %35 = coconet.update %arg1, %34 : tensor<?x?xf32>
    %36 = coconet.select %15, %arg2, %30 {coconet.name = "opt_w"} : tensor<i1>, tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %37 = coconet.update %arg2, %36 : tensor<?x?xf32>
    %38 = coconet.mul %3, %23 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
    %39 = coconet.mul %25, %arg4 {coconet.name = "opt_b"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %40 = coconet.add %38, %39 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %41 = coconet.mul %28, %arg5 {coconet.name = "opt_b"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %42 = coconet.add %41, %40 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %43 = coconet.mul %31, %42 {coconet.name = "opt_b"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %44 = coconet.sub %arg4, %43 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %45 = coconet.select %15, %arg4, %44 {coconet.name = "opt_b"} : tensor<i1>, tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %46 = coconet.update %arg4, %45 : tensor<?xf32>
    %47 = coconet.select %15, %arg5, %42 {coconet.name = "opt_b"} : tensor<i1>, tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %48 = coconet.update %arg5, %47 : tensor<?xf32>
    return %15 : tensor<i1>
  }
}
