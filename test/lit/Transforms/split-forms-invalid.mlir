// RUN: split-file %s %t
// RUN: coconet-opt %t/root.mlir --verify-diagnostics --coconet-split-all-reduce="name=x into=reduce_broadcast root=8"
// RUN: coconet-opt %t/levels.mlir --verify-diagnostics --coconet-split-all-reduce="name=x into=hierarchical inner=tp outer=tp"
// RUN: coconet-opt %t/lists.mlir --verify-diagnostics --coconet-split-all-reduce="name=x into=hierarchical inner=tp outer=dp"
// RUN: coconet-opt %t/cut.mlir --verify-diagnostics --coconet-split-all-reduce="name=x into=hierarchical dim=1 inner=tp outer=dp"
// RUN: coconet-opt %t/algorithm.mlir --verify-diagnostics --coconet-split-all-reduce=name=x
// RUN: coconet-opt %t/form.mlir --verify-diagnostics --coconet-split-all-reduce="name=x into=thirds"

//--- root.mlir
#mesh = #coconet.mesh<dp = 2, tp = 4>
#one = #coconet.layout<#mesh, partial = {dp : sum, tp : sum}>
func.func @root(%x: tensor<9xf32, #one>) -> tensor<9xf32> {
  // expected-error@+2 {{cannot split all_reduce 'x' into reduce_to_root and broadcast: 'coconet.reduce_to_root' op root 8 is no position in a group of 8}}
  // expected-note@+1 {{a root is a position in the group, from 0}}
  %0 = coconet.all_reduce sum %x on {dp, tp} {coconet.name = "x"} : tensor<9xf32, #one> -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

//--- levels.mlir
#mesh = #coconet.mesh<dp = 2, tp = 4>
#one = #coconet.layout<#mesh, partial = {dp : sum, tp : sum}>
func.func @levels(%x: tensor<9xf32, #one>) -> tensor<9xf32> {
  // expected-error@+2 {{cannot split all_reduce 'x' into inner axes {tp} and outer axes {tp}: they do not make up {dp, tp}}}
  // expected-note@+1 {{name each axis of the group once, at least one a level}}
  %0 = coconet.all_reduce sum %x on {dp, tp} {coconet.name = "x"} : tensor<9xf32, #one> -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

//--- lists.mlir
#mesh = #coconet.mesh<dp = 2>
#local = #coconet.layout<#mesh, local = {dp}>
func.func @lists(%x: tensor<9xf32, #local>) -> tensor<9xf32, #local> {
  // expected-error@+2 {{cannot split all_reduce 'x' into levels: its group is given as lists}}
  // expected-note@+1 {{name the axes of the mesh}}
  %0 = coconet.all_reduce sum %x on groups [[0, 1]] {coconet.name = "x"} : tensor<9xf32, #local> -> tensor<9xf32, #local>
  return %0 : tensor<9xf32, #local>
}

//--- cut.mlir
#mesh = #coconet.mesh<dp = 2, tp = 4>
#one = #coconet.layout<#mesh, partial = {dp : sum, tp : sum}>
func.func @cut(%x: tensor<9xf32, #one>) -> tensor<9xf32> {
  // expected-error@+2 {{cannot split all_reduce 'x' into levels: 'coconet.reduce_scatter' op dimension 1 is out of range for an operand of rank 1}}
  // expected-note@+1 {{dimensions are 0 to 0}}
  %0 = coconet.all_reduce sum %x on {dp, tp} {coconet.name = "x"} : tensor<9xf32, #one> -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

//--- algorithm.mlir
#mesh = #coconet.mesh<dp = 2>
#one = #coconet.layout<#mesh, partial = {dp : sum}>
func.func @algorithm(%x: tensor<9xf32, #one>) -> tensor<9xf32> {
  // expected-error@+2 {{cannot split all_reduce 'x': an algorithm was chosen for it}}
  // expected-note@+1 {{choose algorithms after splitting}}
  %0 = coconet.all_reduce sum %x on {dp} {coconet.name = "x", coconet.algorithm = "one_shot"} : tensor<9xf32, #one> -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

//--- form.mlir
#mesh = #coconet.mesh<dp = 2>
#one = #coconet.layout<#mesh, partial = {dp : sum}>
// expected-error@below {{an all_reduce is not split into 'thirds'; into is rs_ag, reduce_broadcast or hierarchical}}
module {
func.func @form(%x: tensor<9xf32, #one>) -> tensor<9xf32> {
  %0 = coconet.all_reduce sum %x on {dp} {coconet.name = "x"} : tensor<9xf32, #one> -> tensor<9xf32>
  return %0 : tensor<9xf32>
}
}
