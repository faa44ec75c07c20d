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
    %48 = coconet.constant dense<9.99999997E-7> : tensor<f32>
    %49 = coconet.add %47, %48 {coconet.name = "opt_w"} : tensor<?x?xf32>, tensor<f32> -> tensor<?x?xf32>
    %50 = coconet.div %45, %49 {coconet.name = "opt_w"} : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %51 = coconet.constant dense<0.00999999977> : tensor<f32>
    %52 = coconet.mul %51, %arg1 {coconet.name = "opt_w"} : tensor<f32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %53 = coconet.add %50, %52 {coconet.name = "opt_w"} : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %54 = coconet.mul %arg1, %arg1 {coconet.name = "trust_w"} : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %55 = coconet.reduce sum %54 over [0, 1] {coconet.name = "trust_w"} : tensor<?x?xf32> -> tensor<f32>
    %56 = coconet.sqrt %55 {coconet.name = "trust_w"} : tensor<f32> -> tensor<f32>
    %57 = coconet.mul %53, %53 {coconet.name = "trust_w"} : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %58 = coconet.reduce sum %57 over [0, 1] {coconet.name = "trust_w"} : tensor<?x?xf32> -> tensor<f32>
    %59 = coconet.sqrt %58 {coconet.name = "trust_w"} : tensor<f32> -> tensor<f32>
    %60 = coconet.compare gt %59, %14 {coconet.name = "trust_w"} : tensor<f32>, tensor<f32> -> tensor<i1>
    %61 = coconet.div %56, %59 {coconet.name = "trust_w"} : tensor<f32>, tensor<f32> -> tensor<f32>
    %62 = coconet.select %60, %61, %6 {coconet.name = "trust_w"} : tensor<i1>, tensor<f32>, tensor<f32> -> tensor<f32>
    %63 = coconet.compare gt %56, %14 {coconet.name = "trust_w"} : tensor<f32>, tensor<f32> -> tensor<i1>
    %64 = coconet.select %63, %62, %6 {coconet.name = "trust_w"} : tensor<i1>, tensor<f32>, tensor<f32> -> tensor<f32>
    %65 = coconet.constant dense<1.000000e-03> : tensor<f32>
    %66 = coconet.mul %65, %64 {coconet.name = "trust_w"} : tensor<f32>, tensor<f32> -> tensor<f32>
    %67 = coconet.mul %66, %53 {coconet.name = "step_w"} : tensor<f32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %68 = coconet.sub %arg1, %67 {coconet.name = "step_w"} : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %69 = coconet.select %15, %arg1, %68 {coconet.name = "step_w"} : tensor<i1>, tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %70 = coconet.update %arg1, %69 : tensor<?x?xf32>
    %71 = coconet.select %15, %arg2, %39 {coconet.name = "opt_w"} : tensor<i1>, tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
    %72 = coconet.update %arg2, %71 : tensor<?x?xf32>
    %73 = coconet.select %15, %arg3, %44 {coconet.name = "opt_w"} : tensor<i1>, tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
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
    %84 = coconet.mul %30, %arg7 {coconet.name = "opt_b"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %85 = coconet.mul %37, %75 {coconet.name = "opt_b"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %86 = coconet.add %84, %85 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %87 = coconet.mul %33, %arg8 {coconet.name = "opt_b"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %88 = coconet.mul %75, %75 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %89 = coconet.mul %42, %88 {coconet.name = "opt_b"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %90 = coconet.add %87, %89 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %91 = coconet.div %86, %81 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
    %92 = coconet.div %90, %83 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
    %93 = coconet.sqrt %92 {coconet.name = "opt_b"} : tensor<?xf32> -> tensor<?xf32>
    %94 = coconet.add %93, %48 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
    %95 = coconet.div %91, %94 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %96 = coconet.mul %51, %arg6 {coconet.name = "opt_b"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %97 = coconet.add %95, %96 {coconet.name = "opt_b"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %98 = coconet.mul %arg6, %arg6 {coconet.name = "trust_b"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %99 = coconet.reduce sum %98 over [0] {coconet.name = "trust_b"} : tensor<?xf32> -> tensor<f32>
    %100 = coconet.sqrt %99 {coconet.name = "trust_b"} : tensor<f32> -> tensor<f32>
    %101 = coconet.mul %97, %97 {coconet.name = "trust_b"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %102 = coconet.reduce sum %101 over [0] {coconet.name = "trust_b"} : tensor<?xf32> -> tensor<f32>
    %103 = coconet.sqrt %102 {coconet.name = "trust_b"} : tensor<f32> -> tensor<f32>
    %104 = coconet.compare gt %103, %14 {coconet.name = "trust_b"} : tensor<f32>, tensor<f32> -> tensor<i1>
    %105 = coconet.div %100, %103 {coconet.name = "trust_b"} : tensor<f32>, tensor<f32> -> tensor<f32>
    %106 = coconet.select %104, %105, %6 {coconet.name = "trust_b"} : tensor<i1>, tensor<f32>, tensor<f32> -> tensor<f32>
    %107 = coconet.compare gt %100, %14 {coconet.name = "trust_b"} : tensor<f32>, tensor<f32> -> tensor<i1>
    %108 = coconet.select %107, %106, %6 {coconet.name = "trust_b"} : tensor<i1>, tensor<f32>, tensor<f32> -> tensor<f32>
    %109 = coconet.mul %65, %108 {coconet.name = "trust_b"} : tensor<f32>, tensor<f32> -> tensor<f32>
    %110 = coconet.mul %109, %97 {coconet.name = "step_b"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %111 = coconet.sub %arg6, %110 {coconet.name = "step_b"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %112 = coconet.select %15, %arg6, %111 {coconet.name = "step_b"} : tensor<i1>, tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %113 = coconet.update %arg6, %112 : tensor<?xf32>
    %114 = coconet.select %15, %arg7, %86 {coconet.name = "opt_b"} : tensor<i1>, tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %115 = coconet.update %arg7, %114 : tensor<?xf32>
    %116 = coconet.select %15, %arg8, %90 {coconet.name = "opt_b"} : tensor<i1>, tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %117 = coconet.update %arg8, %116 : tensor<?xf32>
    return %15 : tensor<i1>
  }
}
