#mesh = #coconet.mesh<dp = ?>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
module {
  func.func @lamb(%arg0: tensor<?xf32, #partial> {coconet.arg_name = "g_p", coconet.dims = ["n"]}, %arg1: tensor<?xf32> {coconet.arg_name = "p", coconet.dims = ["n"], coconet.state}, %arg2: tensor<?xf32> {coconet.arg_name = "m_p", coconet.dims = ["n"], coconet.state}, %arg3: tensor<?xf32> {coconet.arg_name = "v_p", coconet.dims = ["n"], coconet.state}, %arg4: tensor<i32> {coconet.arg_name = "t_p", coconet.state}) {
    %0 = coconet.all_reduce sum %arg0 on {dp} {coconet.name = "g_p"} : tensor<?xf32, #partial> -> tensor<?xf32>
    %1 = coconet.constant dense<1> : tensor<i32>
    %2 = coconet.add %arg4, %1 : tensor<i32>, tensor<i32> -> tensor<i32>
    %3 = coconet.cast %2 to f32 : tensor<i32> -> tensor<f32>
    %4 = coconet.update %arg4, %2 : tensor<i32>
    %5 = coconet.constant dense<0.899999976> : tensor<f32>
    %6 = coconet.pow %5, %3 : tensor<f32>, tensor<f32> -> tensor<f32>
    %7 = coconet.constant dense<1.000000e+00> : tensor<f32>
    %8 = coconet.sub %7, %6 : tensor<f32>, tensor<f32> -> tensor<f32>
    %9 = coconet.constant dense<9.990000e-01> : tensor<f32>
    %10 = coconet.pow %9, %3 : tensor<f32>, tensor<f32> -> tensor<f32>
    %11 = coconet.sub %7, %10 : tensor<f32>, tensor<f32> -> tensor<f32>
    %12 = coconet.mul %5, %arg2 {coconet.name = "opt_p"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %13 = coconet.constant dense<1.000000e-01> : tensor<f32>
    %14 = coconet.mul %13, %0 {coconet.name = "opt_p"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %15 = coconet.add %12, %14 {coconet.name = "opt_p"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %16 = coconet.mul %9, %arg3 {coconet.name = "opt_p"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %17 = coconet.mul %0, %0 {coconet.name = "opt_p"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %18 = coconet.constant dense<1.000000e-03> : tensor<f32>
    %19 = coconet.mul %18, %17 {coconet.name = "opt_p"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %20 = coconet.add %16, %19 {coconet.name = "opt_p"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %21 = coconet.div %15, %8 {coconet.name = "opt_p"} : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
    %22 = coconet.div %20, %11 {coconet.name = "opt_p"} : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
    %23 = coconet.sqrt %22 {coconet.name = "opt_p"} : tensor<?xf32> -> tensor<?xf32>
    %24 = coconet.constant dense<9.99999997E-7> : tensor<f32>
    %25 = coconet.add %23, %24 {coconet.name = "opt_p"} : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
    %26 = coconet.div %21, %25 {coconet.name = "opt_p"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %27 = coconet.constant dense<0.00999999977> : tensor<f32>
    %28 = coconet.mul %27, %arg1 {coconet.name = "opt_p"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %29 = coconet.add %26, %28 {coconet.name = "opt_p"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %30 = coconet.mul %arg1, %arg1 {coconet.name = "trust_p"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %31 = coconet.reduce sum %30 over [0] {coconet.name = "trust_p"} : tensor<?xf32> -> tensor<f32>
    %32 = coconet.sqrt %31 {coconet.name = "trust_p"} : tensor<f32> -> tensor<f32>
    %33 = coconet.mul %29, %29 {coconet.name = "trust_p"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %34 = coconet.reduce sum %33 over [0] {coconet.name = "trust_p"} : tensor<?xf32> -> tensor<f32>
    %35 = coconet.sqrt %34 {coconet.name = "trust_p"} : tensor<f32> -> tensor<f32>
    %36 = coconet.constant dense<0.000000e+00> : tensor<f32>
    %37 = coconet.compare gt %35, %36 {coconet.name = "trust_p"} : tensor<f32>, tensor<f32> -> tensor<i1>
    %38 = coconet.div %32, %35 {coconet.name = "trust_p"} : tensor<f32>, tensor<f32> -> tensor<f32>
    %39 = coconet.select %37, %38, %7 {coconet.name = "trust_p"} : tensor<i1>, tensor<f32>, tensor<f32> -> tensor<f32>
    %40 = coconet.compare gt %32, %36 {coconet.name = "trust_p"} : tensor<f32>, tensor<f32> -> tensor<i1>
    %41 = coconet.select %40, %39, %7 {coconet.name = "trust_p"} : tensor<i1>, tensor<f32>, tensor<f32> -> tensor<f32>
    %42 = coconet.constant dense<1.000000e-03> : tensor<f32>
    %43 = coconet.mul %42, %41 {coconet.name = "trust_p"} : tensor<f32>, tensor<f32> -> tensor<f32>
    %44 = coconet.mul %43, %29 {coconet.name = "step_p"} : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %45 = coconet.sub %arg1, %44 {coconet.name = "step_p"} : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    %46 = coconet.update %arg1, %45 : tensor<?xf32>
    %47 = coconet.update %arg2, %15 : tensor<?xf32>
    %48 = coconet.update %arg3, %20 : tensor<?xf32>
    return
  }
}
