// RUN: coconet-opt %s --coconet-split-all-reduce="name=bc into=reduce_broadcast root=2" | FileCheck %s --check-prefix=BC
// RUN: coconet-opt %s --coconet-split-all-reduce="name=h into=hierarchical inner=tp outer=dp" | FileCheck %s --check-prefix=LEVELS
// RUN: coconet-opt %s --coconet-split-all-reduce="name=h into=hierarchical inner=tp outer=dp" --coconet-to-rank | FileCheck %s --check-prefix=RANK

#mesh = #coconet.mesh<dp = 2, tp = 4>
#one = #coconet.layout<#mesh, partial = {dp : sum, tp : sum}>
#local = #coconet.layout<#mesh, local = {dp, tp}>
#max = #coconet.layout<#mesh, partial = {dp : max, tp : max}>

// Position 2 of eight is position 0 of dp and 2 of tp.
// BC-LABEL: func.func @reduce_broadcast
// BC: %[[R:.*]] = coconet.reduce_to_root sum %{{.*}} root 2 on {dp, tp} {coconet.name = "bc.reduce", coconet.wire_type = f16} : tensor<9xf32, #{{.*}}> -> tensor<9xf32, #[[ROOTED:.*]]>
// BC: coconet.broadcast %[[R]] root 2 on {dp, tp} {coconet.name = "bc.bc", coconet.wire_type = f16} : tensor<9xf32, #[[ROOTED]]> -> tensor<9xf32>
func.func @reduce_broadcast(%x: tensor<9xf32, #one>) -> tensor<9xf32> {
  %0 = coconet.all_reduce sum %x on {dp, tp} {coconet.name = "bc", coconet.wire_type = f16} : tensor<9xf32, #one> -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

// A sum of bf16 stays wide between the levels and rounds once.
// LEVELS-LABEL: func.func @levels
// LEVELS: %[[W:.*]] = coconet.cast %{{.*}} to f32 : tensor<9xbf16, #{{.*}}> -> tensor<9xf32, #{{.*}}>
// LEVELS: %[[RS:.*]] = coconet.reduce_scatter sum %[[W]] into 0 on {tp} {coconet.name = "h.rs"}
// LEVELS: %[[AR:.*]] = coconet.all_reduce sum %[[RS]] on {dp} {coconet.name = "h.ar"}
// LEVELS: %[[AG:.*]] = coconet.all_gather %[[AR]] from 0 on {tp} {coconet.name = "h.ag"}
// LEVELS: coconet.cast %[[AG]] to bf16 {coconet.rounding} : tensor<9xf32> -> tensor<9xbf16>
// RANK-LABEL: func.func @levels
// RANK: coconet.rank.reduce_scatter
// RANK: coconet.rank.all_reduce
// RANK: coconet.rank.all_gather
func.func @levels(%x: tensor<9xbf16, #one>) -> tensor<9xbf16> {
  %0 = coconet.all_reduce sum %x on {dp, tp} {coconet.name = "h"} : tensor<9xbf16, #one> -> tensor<9xbf16>
  return %0 : tensor<9xbf16>
}

// Both levels of an average divide, each by its own size.
// LEVELS-LABEL: func.func @average
// LEVELS: coconet.reduce_scatter avg
// LEVELS: coconet.all_reduce avg
func.func @average(%x: tensor<9xf32, #local>) -> tensor<9xf32> {
  %0 = coconet.all_reduce avg %x on {dp, tp} {coconet.name = "h"} : tensor<9xf32, #local> -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

// A maximum does not round.
// LEVELS-LABEL: func.func @maximum
// LEVELS-NEXT: coconet.reduce_scatter max
// LEVELS-NEXT: coconet.all_reduce max
// LEVELS-NEXT: coconet.all_gather
// LEVELS-NEXT: return
func.func @maximum(%x: tensor<9xf16, #max>) -> tensor<9xf16> {
  %0 = coconet.all_reduce max %x on {dp, tp} {coconet.name = "h"} : tensor<9xf16, #max> -> tensor<9xf16>
  return %0 : tensor<9xf16>
}
