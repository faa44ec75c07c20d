// RUN: split-file %s %t
// RUN: coconet-opt %t/kind.mlir --verify-diagnostics --coconet-set-wire-type=name=x
// RUN: coconet-opt %t/narrow.mlir --verify-diagnostics --coconet-set-wire-type=name=x
// RUN: coconet-opt %t/type.mlir --verify-diagnostics --coconet-set-wire-type="name=x type=f32"
// RUN: coconet-opt %t/region.mlir --verify-diagnostics --coconet-set-wire-type=name=x
// RUN: coconet-opt %t/merge.mlir --verify-diagnostics --coconet-merge-all-reduce=name=x.rs
// RUN: coconet-opt %t/reorder.mlir --verify-diagnostics --coconet-reorder-all-gather="name=x past=y"
// RUN: coconet-opt %t/fuse.mlir --verify-diagnostics --coconet-fuse-all-reduce

//--- kind.mlir
func.func @kind(%x: tensor<9xf32>) -> tensor<9xf32> {
  // expected-error@+2 {{cannot give neg 'x' a wire type}}
  // expected-note@+1 {{all_reduce, reduce_scatter, all_gather, all_to_all, broadcast and reduce_to_root have one}}
  %0 = coconet.neg %x {coconet.name = "x"} : tensor<9xf32> -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

//--- narrow.mlir
#mesh = #coconet.mesh<dp = 2>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
func.func @narrow(%x: tensor<9xf16, #partial>) -> tensor<9xf16> {
  // expected-error@+2 {{cannot let all_reduce 'x' of f16 values travel in another type}}
  // expected-note@+1 {{only f32 and f64 values are narrowed}}
  %0 = coconet.all_reduce sum %x on {dp} {coconet.name = "x"} : tensor<9xf16, #partial> -> tensor<9xf16>
  return %0 : tensor<9xf16>
}

//--- type.mlir
#mesh = #coconet.mesh<dp = 2>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
func.func @type(%x: tensor<9xf32, #partial>) -> tensor<9xf32> {
  // expected-error@+2 {{the wire type is neither f16 nor bf16}}
  // expected-note@+1 {{choose one of them}}
  %0 = coconet.all_reduce sum %x on {dp} {coconet.name = "x"} : tensor<9xf32, #partial> -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

//--- region.mlir
func.func @region(%x: tensor<9xf32>) -> tensor<9xf32> {
  // expected-error@+2 {{fused 'x' has no collective}}
  // expected-note@+1 {{name a collective, or a region around some}}
  %0 = coconet.fused computation {
    %1 = coconet.neg %x : tensor<9xf32> -> tensor<9xf32>
    coconet.yield %1 : tensor<9xf32>
  } {coconet.name = "x"} : tensor<9xf32>
  return %0 : tensor<9xf32>
}

//--- merge.mlir
#mesh = #coconet.mesh<dp = 2>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
#sliced = #coconet.layout<#mesh, [{dp}]>
func.func @merge(%x: tensor<9xf32, #partial>) -> tensor<9xf32> {
  %0 = coconet.reduce_scatter sum %x into 0 on {dp} {coconet.name = "x.rs", coconet.wire_type = f16} : tensor<9xf32, #partial> -> tensor<9xf32, #sliced>
  // expected-error@+2 {{cannot merge reduce_scatter 'x.rs' and all_gather 'x.ag': they differ in coconet.wire_type}}
  // expected-note@+1 {{give both the same, or none}}
  %1 = coconet.all_gather %0 from 0 on {dp} {coconet.name = "x.ag"} : tensor<9xf32, #sliced> -> tensor<9xf32>
  return %1 : tensor<9xf32>
}

//--- reorder.mlir
#mesh = #coconet.mesh<dp = 2>
#sliced = #coconet.layout<#mesh, [{dp}]>
func.func @reorder(%x: tensor<9xf32, #sliced>) -> tensor<9xf32> {
  // expected-error@+2 {{cannot reorder all_gather 'x': other values would take its coconet.wire_type}}
  // expected-note@+1 {{set it after reordering, on the all_gathers that are to have it}}
  %0 = coconet.all_gather %x from 0 on {dp} {coconet.name = "x", coconet.wire_type = f16} : tensor<9xf32, #sliced> -> tensor<9xf32>
  %1 = coconet.neg %0 {coconet.name = "y"} : tensor<9xf32> -> tensor<9xf32>
  return %1 : tensor<9xf32>
}

//--- fuse.mlir
#mesh = #coconet.mesh<dp = 2>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
func.func @fuse(%x: tensor<9xf32, #partial>) -> tensor<9xf32> {
  // expected-remark@+2 {{all_reduce 'x' is left alone: other values would take its coconet.wire_type}}
  // expected-note@+1 {{set it after fusing, on the collectives or the region that are to have it}}
  %0 = coconet.all_reduce sum %x on {dp} {coconet.name = "x", coconet.wire_type = f16} : tensor<9xf32, #partial> -> tensor<9xf32>
  %1 = coconet.neg %0 : tensor<9xf32> -> tensor<9xf32>
  return %1 : tensor<9xf32>
}
