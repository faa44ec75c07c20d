#mesh = #coconet.mesh<dp = ?>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
module {
  func.func @lamb_guarded(%arg0: tensor<?x?xf32, #partial> {coconet.arg_name = "g_w", coconet.dims = ["k", "n"]}, %arg1: tensor<?x?xf32> {coconet.arg_name = "w", coconet.dims = ["k", "n"], coconet.state}, %arg2: tensor<?x?xf32> {coconet.arg_name = "m_w", coconet.dims = ["k", "n"], coconet.state}, %arg3: tensor<?x?xf32> {coconet.arg_name = "v_w", coconet.dims = ["k", "n"], coconet.state}, %arg4: tensor<i32> {coconet.arg_name = "t_w", coconet.state}, %arg5: tensor<?xf32, #partial> {coconet.arg_name = "g_b", coconet.dims = ["n"]}, %arg6: tensor<?xf32> {coconet.arg_name = "b", coconet.dims = ["n"], coconet.state}, %arg7: tensor<?xf32> {coconet.arg_name = "m_b", coconet.dims = ["n"], coconet.state}, %arg8: tensor<?xf32> {coconet.arg_name = "v_b", coconet.dims = ["n"], coconet.state}, %arg9: tensor<i32> {coconet.arg_name = "t_b", coconet.state}, %arg10: tensor<f32> {coconet.arg_name = "scale"}) -> (tensor<i1> {coconet.result_name = "found_inf"}) {
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
    %36 = coconet.mul %arg1, %arg1 : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %37 = coconet.reduce sum %36 over [0, 1] : tensor<?x?xf32> -> tensor<f32>
    %38 = coconet.sqrt %37 : tensor<f32> -> tensor<f32>
    %39 = coconet.mul %30, %arg2 {coconet.name = "opt_w"} : tensor<f32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %40 = coconet.constant dense<1.000000e-01> : tensor<f32>
    %41 = coconet.mul %40, %24 {coconet.name = "opt_w"} : tensor<f32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %42 = coconet.add %39, %41 {coconet.name = "opt_w"} : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %43 = coconet.mul %33, %arg3 {coconet.name = "opt_w"} : tensor<f32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %44 = coconet.mul %24, %24 {coconet.name = "opt_w"} : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %45 = coconet.constant dense<1.000000e-03> : tensor<f32>
    %46 = coconet.mul %45, %44 {coconet.name = "opt_w"} : tensor<f32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %47 = coconet.add %43, %46 {coconet.name = "opt_w"} : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %48 = coconet.div %42, %32 {coconet.name = "opt_w"} : tensor<?x?xf32>, tensor<f32> -> tensor<?x?xf32>
    %49 = coconet.div %47, %35 {coconet.name = "opt_w"} : tensor<?x?xf32>, tensor<f32> -> tensor<?x?xf32>
    %50 = coconet.sqrt %49 {coconet.name = "opt_w"} : tensor<?x?xf32> -> tensor<?x?xf32>
    %51 = coconet.constant dense<9.99999997E-7> : tensor<f32>
    %52 = coconet.add %50, %51 {coconet.name = "opt_w"} : tensor<?x?xf32>, tensor<f32> -> tensor<?x?xf32>
    %53 = coconet.div %48, %52 {coconet.name = "opt_w"} : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %54 = coconet.constant dense<0.00999999977> : tensor<f32>
    %55 = coconet.mul %54, %arg1 {coconet.name = "opt_w"} : tensor<f32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %56 = coconet.add %53, %55 {coconet.name = "opt_w"} : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %57 = coconet.mul %56, %56 {coconet.name = "trust_w"} : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %58 = coconet.reduce sum %57 over [0, 1] {coconet.name = "trust_w"} : tensor<?x?xf32> -> tensor<f32>
    %59 = coconet.sqrt %58 {coconet.name = "trust_w"} : tensor<f32> -> tensor<f32>
    %60 = coconet.compare gt %59, %14 {coconet.name = "trust_w"} : tensor<f32>, tensor<f32> -> tensor<i1>
    %61 = coconet.div %38, %59 {coconet.name = "trust_w"} : tensor<f32>, tensor<f32> -> tensor<f32>
    %62 = coconet.select %60, %61, %6 {coconet.name = "trust_w"} : tensor<i1>, tensor<f32>, tensor<f32> -> tensor<f32>
    %63 = coconet.compare gt %38, %14 {coconet.name = "trust_w"} : tensor<f32>, tensor<f32> -> tensor<i1>
    %64 = coconet.select %63, %62, %6 {coconet.name = "trust_w"} : tensor<i1>, tensor<f32>, tensor<f32> -> tensor<f32>
    %65 = coconet.constant dense<1.000000e-03> : tensor<f32>
    %66 = coconet.mul %65, %64 {coconet.name = "trust_w"} : tensor<f32>, tensor<f32> -> tensor<f32>
    %67 = coconet.mul %66, %56 {coconet.name = "step_w"} : tensor<f32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %68 = coconet.sub %arg1, %67 {coconet.name = "step_w"} : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %69 = coconet.select %15, %arg1, %68 {coconet.name = "step_w"} : tensor<i1>, tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %70 = coconet.update %arg1, %69 : tensor<?x?xf32>
    %71 = coconet.select %15, %arg2, %42 {coconet.name = "opt_w"} : tensor<i1>, tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %72 = coconet.update %arg2, %71 : tensor<?x?xf32>
    %73 = coconet.select %15, %arg3, %47 {coconet.name = "opt_w"} : tensor<i1>, tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %74 = coconet.update %arg3, %73 : tensor<?x?xf32>
    %75 = coconet.mul %3, %23 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
    %76 = coconet.add %arg9, %25 : tensor<i32>, tensor<i32> -> tensor<i32>
    %77 = coconet.cast %76 to f32 : tensor<i32> -> tensor<f32>
    %78 = coconet.select %15, %arg9, %76 : tensor<i1>, tensor<i32>, tensor<i32> -> tensor<i32>
    %79 = coconet.update %arg9, %78 : tensor<i32>
    %80 = coconet.pow %30, %77 : tensor<f32>, tensor<f32> -> tensor<f32>
    %81 = coconet.sub %6, %80 : tensor<f32>, tensor<f32> -> tensor<f32>
    %82 = coconet.pow %33, %77 : tensor<f32>, tensor<f32> -> tensor<f32>
    %83 = coconet.sub %6, %82 : tensor<f32>, tensor<f32> -> tensor<f32>
    %84 = coconet.mul %arg6, %arg6 : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %85 = coconet.reduce sum %84 over [0] : tensor<?xf32> -> tensor<f32>
    %86 = coconet.sqrt %85 : tensor<f32> -> tensor<f32>
    %87 = coconet.mul %30, %arg7 {coconet.name = "opt_b"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %88 = coconet.mul %40, %75 {coconet.name = "opt_b"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %89 = coconet.add %87, %88 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %90 = coconet.mul %33, %arg8 {coconet.name = "opt_b"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %91 = coconet.mul %75, %75 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %92 = coconet.mul %45, %91 {coconet.name = "opt_b"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %93 = coconet.add %90, %92 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %94 = coconet.div %89, %81 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
    %95 = coconet.div %93, %83 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
    %96 = coconet.sqrt %95 {coconet.name = "opt_b"} : tensor<?xf32> -> tensor<?xf32>
    %97 = coconet.add %96, %51 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
    %98 = coconet.div %94, %97 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %99 = coconet.mul %54, %arg6 {coconet.name = "opt_b"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %100 = coconet.add %98, %99 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %101 = coconet.mul %100, %100 {coconet.name = "trust_b"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %102 = coconet.reduce sum %101 over [0] {coconet.name = "trust_b"} : tensor<?xf32> -> tensor<f32>
    %103 = coconet.sqrt %102 {coconet.name = "trust_b"} : tensor<f32> -> tensor<f32>
    %104 = coconet.compare gt %103, %14 {coconet.name = "trust_b"} : tensor<f32>, tensor<f32> -> tensor<i1>
    %105 = coconet.div %86, %103 {coconet.name = "trust_b"} : tensor<f32>, tensor<f32> -> tensor<f32>
    %106 = coconet.select %104, %105, %6 {coconet.name = "trust_b"} : tensor<i1>, tensor<f32>, tensor<f32> -> tensor<f32>
    %107 = coconet.compare gt %86, %14 {coconet.name = "trust_b"} : tensor<f32>, tensor<f32> -> tensor<i1>
    %108 = coconet.select %107, %106, %6 {coconet.name = "trust_b"} : tensor<i1>, tensor<f32>, tensor<f32> -> tensor<f32>
    %109 = coconet.mul %65, %108 {coconet.name = "trust_b"} : tensor<f32>, tensor<f32> -> tensor<f32>
    %110 = coconet.mul %109, %100 {coconet.name = "step_b"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %111 = coconet.sub %arg6, %110 {coconet.name = "step_b"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %112 = coconet.select %15, %arg6, %111 {coconet.name = "step_b"} : tensor<i1>, tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %113 = coconet.update %arg6, %112 : tensor<?xf32>
    %114 = coconet.select %15, %arg7, %89 {coconet.name = "opt_b"} : tensor<i1>, tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %115 = coconet.update %arg7, %114 : tensor<?xf32>
    %116 = coconet.select %15, %arg8, %93 {coconet.name = "opt_b"} : tensor<i1>, tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %117 = coconet.update %arg8, %116 : tensor<?xf32>
    return %15 : tensor<i1>
  }
}
