#mesh = #coconet.mesh<dp = ?>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
module {
  func.func @adamw_layer(%arg0: tensor<?x?xf32, #partial> {coconet.arg_name = "g_w", coconet.dims = ["k", "n"]}, %arg1: tensor<?x?xf32> {coconet.arg_name = "w", coconet.dims = ["k", "n"], coconet.state}, %arg2: tensor<?x?xf32> {coconet.arg_name = "m_w", coconet.dims = ["k", "n"], coconet.state}, %arg3: tensor<?x?xf32> {coconet.arg_name = "v_w", coconet.dims = ["k", "n"], coconet.state}, %arg4: tensor<i32> {coconet.arg_name = "t_w", coconet.state}, %arg5: tensor<?xf32, #partial> {coconet.arg_name = "g_b", coconet.dims = ["n"]}, %arg6: tensor<?xf32> {coconet.arg_name = "b", coconet.dims = ["n"], coconet.state}, %arg7: tensor<?xf32> {coconet.arg_name = "m_b", coconet.dims = ["n"], coconet.state}, %arg8: tensor<?xf32> {coconet.arg_name = "v_b", coconet.dims = ["n"], coconet.state}, %arg9: tensor<i32> {coconet.arg_name = "t_b", coconet.state}) {
    %0 = coconet.all_reduce sum %arg0 on {dp} {coconet.name = "g_w"} : tensor<?x?xf32, #partial> -> tensor<?x?xf32>
    %1 = coconet.all_reduce sum %arg5 on {dp} {coconet.name = "g_b"} : tensor<?xf32, #partial> -> tensor<?xf32>
    %2 = coconet.constant dense<1> : tensor<i32>
    %3 = coconet.add %arg4, %2 : tensor<i32>, tensor<i32> -> tensor<i32>
    %4 = coconet.cast %3 to f32 : tensor<i32> -> tensor<f32>
    %5 = coconet.update %arg4, %3 : tensor<i32>
    %6 = coconet.constant dense<0.899999976> : tensor<f32>
    %7 = coconet.pow %6, %4 : tensor<f32>, tensor<f32> -> tensor<f32>
    %8 = coconet.constant dense<1.000000e+00> : tensor<f32>
    %9 = coconet.sub %8, %7 : tensor<f32>, tensor<f32> -> tensor<f32>
    %10 = coconet.constant dense<9.990000e-01> : tensor<f32>
    %11 = coconet.pow %10, %4 : tensor<f32>, tensor<f32> -> tensor<f32>
    %12 = coconet.sub %8, %11 : tensor<f32>, tensor<f32> -> tensor<f32>
    %13 = coconet.mul %6, %arg2 {coconet.name = "opt_w"} : tensor<f32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %14 = coconet.constant dense<1.000000e-01> : tensor<f32>
    %15 = coconet.mul %14, %0 {coconet.name = "opt_w"} : tensor<f32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %16 = coconet.add %13, %15 {coconet.name = "opt_w"} : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %17 = coconet.mul %10, %arg3 {coconet.name = "opt_w"} : tensor<f32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %18 = coconet.mul %0, %0 {coconet.name = "opt_w"} : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %19 = coconet.constant dense<1.000000e-03> : tensor<f32>
    %20 = coconet.mul %19, %18 {coconet.name = "opt_w"} : tensor<f32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %21 = coconet.add %17, %20 {coconet.name = "opt_w"} : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %22 = coconet.div %16, %9 {coconet.name = "opt_w"} : tensor<?x?xf32>, tensor<f32> -> tensor<?x?xf32>
    %23 = coconet.div %21, %12 {coconet.name = "opt_w"} : tensor<?x?xf32>, tensor<f32> -> tensor<?x?xf32>
    %24 = coconet.sqrt %23 {coconet.name = "opt_w"} : tensor<?x?xf32> -> tensor<?x?xf32>
    %25 = coconet.constant dense<9.99999993E-9> : tensor<f32>
    %26 = coconet.add %24, %25 {coconet.name = "opt_w"} : tensor<?x?xf32>, tensor<f32> -> tensor<?x?xf32>
    %27 = coconet.div %22, %26 {coconet.name = "opt_w"} : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %28 = coconet.constant dense<0.00999999977> : tensor<f32>
    %29 = coconet.mul %28, %arg1 {coconet.name = "opt_w"} : tensor<f32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %30 = coconet.add %27, %29 {coconet.name = "opt_w"} : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %31 = coconet.constant dense<1.000000e-03> : tensor<f32>
    %32 = coconet.mul %31, %30 {coconet.name = "opt_w"} : tensor<f32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %33 = coconet.sub %arg1, %32 {coconet.name = "opt_w"} : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %34 = coconet.update %arg1, %33 : tensor<?x?xf32>
    %35 = coconet.update %arg2, %16 : tensor<?x?xf32>
    %36 = coconet.update %arg3, %21 : tensor<?x?xf32>
    %37 = coconet.add %arg9, %2 : tensor<i32>, tensor<i32> -> tensor<i32>
    %38 = coconet.cast %37 to f32 : tensor<i32> -> tensor<f32>
    %39 = coconet.update %arg9, %37 : tensor<i32>
    %40 = coconet.pow %6, %38 : tensor<f32>, tensor<f32> -> tensor<f32>
    %41 = coconet.sub %8, %40 : tensor<f32>, tensor<f32> -> tensor<f32>
    %42 = coconet.pow %10, %38 : tensor<f32>, tensor<f32> -> tensor<f32>
    %43 = coconet.sub %8, %42 : tensor<f32>, tensor<f32> -> tensor<f32>
    %44 = coconet.mul %6, %arg7 {coconet.name = "opt_b"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %45 = coconet.mul %14, %1 {coconet.name = "opt_b"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %46 = coconet.add %44, %45 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %47 = coconet.mul %10, %arg8 {coconet.name = "opt_b"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %48 = coconet.mul %1, %1 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %49 = coconet.mul %19, %48 {coconet.name = "opt_b"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %50 = coconet.add %47, %49 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %51 = coconet.div %46, %41 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
    %52 = coconet.div %50, %43 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
    %53 = coconet.sqrt %52 {coconet.name = "opt_b"} : tensor<?xf32> -> tensor<?xf32>
    %54 = coconet.add %53, %25 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
    %55 = coconet.div %51, %54 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %56 = coconet.mul %28, %arg6 {coconet.name = "opt_b"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %57 = coconet.add %55, %56 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %58 = coconet.mul %31, %57 {coconet.name = "opt_b"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %59 = coconet.sub %arg6, %58 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %60 = coconet.update %arg6, %59 : tensor<?xf32>
    %61 = coconet.update %arg7, %46 : tensor<?xf32>
    %62 = coconet.update %arg8, %50 : tensor<?xf32>
    return
  }
}
