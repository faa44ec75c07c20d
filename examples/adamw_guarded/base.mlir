#mesh = #coconet.mesh<dp = ?>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
module {
  func.func @adamw_guarded(%arg0: tensor<?x?xf32, #partial> {coconet.arg_name = "g_w", coconet.dims = ["k", "n"]}, %arg1: tensor<?x?xf32> {coconet.arg_name = "w", coconet.dims = ["k", "n"], coconet.state}, %arg2: tensor<?x?xf32> {coconet.arg_name = "m_w", coconet.dims = ["k", "n"], coconet.state}, %arg3: tensor<?x?xf32> {coconet.arg_name = "v_w", coconet.dims = ["k", "n"], coconet.state}, %arg4: tensor<i32> {coconet.arg_name = "t_w", coconet.state}, %arg5: tensor<?xf32, #partial> {coconet.arg_name = "g_b", coconet.dims = ["n"]}, %arg6: tensor<?xf32> {coconet.arg_name = "b", coconet.dims = ["n"], coconet.state}, %arg7: tensor<?xf32> {coconet.arg_name = "m_b", coconet.dims = ["n"], coconet.state}, %arg8: tensor<?xf32> {coconet.arg_name = "v_b", coconet.dims = ["n"], coconet.state}, %arg9: tensor<i32> {coconet.arg_name = "t_b", coconet.state}, %arg10: tensor<f32> {coconet.arg_name = "scale"}) -> (tensor<i1> {coconet.result_name = "found_inf"}) {
    %0 = coconet.all_reduce sum %arg0 on {dp} {coconet.name = "g_w"} : tensor<?x?xf32, #partial> -> tensor<?x?xf32>
    %1 = coconet.all_reduce sum %arg5 on {dp} {coconet.name = "g_b"} : tensor<?xf32, #partial> -> tensor<?xf32>
    %2 = coconet.div %0, %arg10 {coconet.name = "stats_w"} : tensor<?x?xf32>, tensor<f32> -> tensor<?x?xf32>
    %3 = coconet.div %1, %arg10 {coconet.name = "stats_b"} : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
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
    %25 = coconet.constant dense<1> : tensor<i32>
    %26 = coconet.add %arg4, %25 : tensor<i32>, tensor<i32> -> tensor<i32>
    %27 = coconet.cast %26 to f32 : tensor<i32> -> tensor<f32>
    %28 = coconet.select %15, %arg4, %26 : tensor<i1>, tensor<i32>, tensor<i32> -> tensor<i32>
    %29 = coconet.update %arg4, %28 : tensor<i32>
    %30 = coconet.constant dense<0.899999976> : tensor<f32>
    %31 = coconet.pow %30, %27 : tensor<f32>, tensor<f32> -> tensor<f32>
    %32 = coconet.sub %6, %31 : tensor<f32>, tensor<f32> -> tensor<f32>
    %33 = coconet.constant dense<9.990000e-01> : tensor<f32>
    %34 = coconet.pow %33, %27 : tensor<f32>, tensor<f32> -> tensor<f32>
    %35 = coconet.sub %6, %34 : tensor<f32>, tensor<f32> -> tensor<f32>
    %36 = coconet.mul %30, %arg2 {coconet.name = "opt_w"} : tensor<f32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %37 = coconet.constant dense<1.000000e-01> : tensor<f32>
    %38 = coconet.mul %37, %24 {coconet.name = "opt_w"} : tensor<f32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %39 = coconet.add %36, %38 {coconet.name = "opt_w"} : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %40 = coconet.mul %33, %arg3 {coconet.name = "opt_w"} : tensor<f32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %41 = coconet.mul %24, %24 {coconet.name = "opt_w"} : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %42 = coconet.constant dense<1.000000e-03> : tensor<f32>
    %43 = coconet.mul %42, %41 {coconet.name = "opt_w"} : tensor<f32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %44 = coconet.add %40, %43 {coconet.name = "opt_w"} : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %45 = coconet.div %39, %32 {coconet.name = "opt_w"} : tensor<?x?xf32>, tensor<f32> -> tensor<?x?xf32>
    %46 = coconet.div %44, %35 {coconet.name = "opt_w"} : tensor<?x?xf32>, tensor<f32> -> tensor<?x?xf32>
    %47 = coconet.sqrt %46 {coconet.name = "opt_w"} : tensor<?x?xf32> -> tensor<?x?xf32>
    %48 = coconet.constant dense<9.99999993E-9> : tensor<f32>
    %49 = coconet.add %47, %48 {coconet.name = "opt_w"} : tensor<?x?xf32>, tensor<f32> -> tensor<?x?xf32>
    %50 = coconet.div %45, %49 {coconet.name = "opt_w"} : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %51 = coconet.constant dense<0.00999999977> : tensor<f32>
    %52 = coconet.mul %51, %arg1 {coconet.name = "opt_w"} : tensor<f32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %53 = coconet.add %50, %52 {coconet.name = "opt_w"} : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %54 = coconet.constant dense<1.000000e-03> : tensor<f32>
    %55 = coconet.mul %54, %53 {coconet.name = "opt_w"} : tensor<f32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %56 = coconet.sub %arg1, %55 {coconet.name = "opt_w"} : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %57 = coconet.select %15, %arg1, %56 {coconet.name = "opt_w"} : tensor<i1>, tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %58 = coconet.update %arg1, %57 : tensor<?x?xf32>
    %59 = coconet.select %15, %arg2, %39 {coconet.name = "opt_w"} : tensor<i1>, tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %60 = coconet.update %arg2, %59 : tensor<?x?xf32>
    %61 = coconet.select %15, %arg3, %44 {coconet.name = "opt_w"} : tensor<i1>, tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %62 = coconet.update %arg3, %61 : tensor<?x?xf32>
    %63 = coconet.mul %3, %23 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
    %64 = coconet.add %arg9, %25 : tensor<i32>, tensor<i32> -> tensor<i32>
    %65 = coconet.cast %64 to f32 : tensor<i32> -> tensor<f32>
    %66 = coconet.select %15, %arg9, %64 : tensor<i1>, tensor<i32>, tensor<i32> -> tensor<i32>
    %67 = coconet.update %arg9, %66 : tensor<i32>
    %68 = coconet.pow %30, %65 : tensor<f32>, tensor<f32> -> tensor<f32>
    %69 = coconet.sub %6, %68 : tensor<f32>, tensor<f32> -> tensor<f32>
    %70 = coconet.pow %33, %65 : tensor<f32>, tensor<f32> -> tensor<f32>
    %71 = coconet.sub %6, %70 : tensor<f32>, tensor<f32> -> tensor<f32>
    %72 = coconet.mul %30, %arg7 {coconet.name = "opt_b"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %73 = coconet.mul %37, %63 {coconet.name = "opt_b"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %74 = coconet.add %72, %73 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %75 = coconet.mul %33, %arg8 {coconet.name = "opt_b"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %76 = coconet.mul %63, %63 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %77 = coconet.mul %42, %76 {coconet.name = "opt_b"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %78 = coconet.add %75, %77 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %79 = coconet.div %74, %69 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
    %80 = coconet.div %78, %71 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
    %81 = coconet.sqrt %80 {coconet.name = "opt_b"} : tensor<?xf32> -> tensor<?xf32>
    %82 = coconet.add %81, %48 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
    %83 = coconet.div %79, %82 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %84 = coconet.mul %51, %arg6 {coconet.name = "opt_b"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %85 = coconet.add %83, %84 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %86 = coconet.mul %54, %85 {coconet.name = "opt_b"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %87 = coconet.sub %arg6, %86 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %88 = coconet.select %15, %arg6, %87 {coconet.name = "opt_b"} : tensor<i1>, tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %89 = coconet.update %arg6, %88 : tensor<?xf32>
    %90 = coconet.select %15, %arg7, %74 {coconet.name = "opt_b"} : tensor<i1>, tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %91 = coconet.update %arg7, %90 : tensor<?xf32>
    %92 = coconet.select %15, %arg8, %78 {coconet.name = "opt_b"} : tensor<i1>, tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %93 = coconet.update %arg8, %92 : tensor<?xf32>
    return %15 : tensor<i1>
  }
}
