// What runs in chunks is not transformed further.
// RUN: coconet-opt %s --split-input-file --verify-diagnostics --transform-interpreter

#mesh = #coconet.mesh<tp = 2>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>

module attributes {transform.with_named_sequence} {
  func.func @split(%x: tensor<4x6xf32, #partial>) -> tensor<4x6xf32> {
    %0 = coconet.overlap chunks 2 along 0 attributes {coconet.name = "ol"} {
      // expected-note@+1 {{overlap after all other transformations}}
      %1 = coconet.all_reduce sum %x on {tp} {coconet.name = "o"} : tensor<4x6xf32, #partial> -> tensor<4x6xf32>
      %2 = coconet.neg %1 : tensor<4x6xf32> -> tensor<4x6xf32>
      coconet.yield %2 : tensor<4x6xf32>
    } : tensor<4x6xf32>
    return %0 : tensor<4x6xf32>
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %o = transform.coconet.match "o" in %root : (!transform.any_op) -> !transform.any_op
    // expected-error@+1 {{cannot split all_reduce 'o': it runs in chunks in overlap 'ol'}}
    %s, %g = transform.coconet.split %o into rs_ag dim 1 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

#mesh = #coconet.mesh<tp = 2>
#partial = #coconet.layout<#mesh, partial = {tp : sum}>
#sliced = #coconet.layout<#mesh, [{}, {tp}]>

module attributes {transform.with_named_sequence} {
  func.func @reorder(%x: tensor<4x6xf32, #partial>) -> tensor<4x6xf32> {
    %0 = coconet.overlap chunks 2 along 0 attributes {coconet.name = "ol"} {
      %1 = coconet.reduce_scatter sum %x into 1 on {tp} {coconet.name = "rs"} : tensor<4x6xf32, #partial> -> tensor<4x6xf32, #sliced>
      // expected-note@+1 {{overlap after all other transformations}}
      %2 = coconet.all_gather %1 from 1 on {tp} {coconet.name = "ag"} : tensor<4x6xf32, #sliced> -> tensor<4x6xf32>
      %3 = coconet.neg %2 {coconet.name = "c"} : tensor<4x6xf32> -> tensor<4x6xf32>
      coconet.yield %3 : tensor<4x6xf32>
    } : tensor<4x6xf32>
    return %0 : tensor<4x6xf32>
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %g = transform.coconet.match "ag" in %root : (!transform.any_op) -> !transform.any_op
    %c = transform.coconet.match "c" in %root : (!transform.any_op) -> !transform.any_op
    // expected-error@+1 {{cannot reorder all_gather 'ag': it runs in chunks in overlap 'ol'}}
    %n, %h = transform.coconet.reorder %g past %c : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
