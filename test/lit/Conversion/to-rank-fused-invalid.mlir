// RUN: coconet-opt %s --coconet-to-rank --split-input-file --verify-diagnostics

#mesh = #coconet.mesh<dp = 2>
#flat = #coconet.layout<#mesh, flat = {dp}>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
func.func @flattens_inside(%x: tensor<2x2xf32, #partial>, %y: tensor<2x2xf32>) -> tensor<2x2xf32, #flat> {
  %f = coconet.fused all_reduce {
    %s = coconet.reduce_scatter sum %x into flat on {dp} : tensor<2x2xf32, #partial> -> tensor<2x2xf32, #flat>
    %n = coconet.neg %y : tensor<2x2xf32> -> tensor<2x2xf32>
    // expected-error@+2 {{'coconet.shard' op flattens a value of the same fused region}}
    // expected-note@+1 {{compute it outside of the region}}
    %h = coconet.shard %n into flat on {dp} : tensor<2x2xf32> -> tensor<2x2xf32, #flat>
    %a = coconet.add %s, %h : tensor<2x2xf32, #flat>, tensor<2x2xf32, #flat> -> tensor<2x2xf32, #flat>
    coconet.yield %a : tensor<2x2xf32, #flat>
  } : tensor<2x2xf32, #flat>
  return %f : tensor<2x2xf32, #flat>
}

// -----

#mesh = #coconet.mesh<dp = 2>
#flat = #coconet.layout<#mesh, flat = {dp}>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
func.func @one_element(%x: tensor<2x2xf32, #partial>, %y: tensor<1x1xf32>) -> tensor<2x2xf32, #flat> {
  %f = coconet.fused all_reduce {
    %s = coconet.reduce_scatter sum %x into flat on {dp} : tensor<2x2xf32, #partial> -> tensor<2x2xf32, #flat>
    %n = coconet.neg %y : tensor<1x1xf32> -> tensor<1x1xf32>
    // expected-error@+2 {{'coconet.add' op combines a flat slice with a tensor of one element and several dimensions}}
    // expected-note@+1 {{reshape it to rank 0 before the region}}
    %a = coconet.add %s, %n : tensor<2x2xf32, #flat>, tensor<1x1xf32> -> tensor<2x2xf32, #flat>
    coconet.yield %a : tensor<2x2xf32, #flat>
  } : tensor<2x2xf32, #flat>
  return %f : tensor<2x2xf32, #flat>
}

// -----

#mesh = #coconet.mesh<dp = 2>
#rows = #coconet.layout<#mesh, [{dp}]>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
func.func @gathered_and_sharded(%x: tensor<8xf32, #partial>) -> tensor<8xf32, #rows> {
  %f = coconet.fused all_reduce {
    %s = coconet.reduce_scatter sum %x into 0 on {dp} : tensor<8xf32, #partial> -> tensor<8xf32, #rows>
    // expected-error@+2 {{'coconet.all_gather' op has a result that is sharded inside of the fused region}}
    // expected-note@+1 {{compute it outside of the region, or shard it there}}
    %g = coconet.all_gather %s from 0 on {dp} : tensor<8xf32, #rows> -> tensor<8xf32>
    %a = coconet.add %s, %g : tensor<8xf32, #rows>, tensor<8xf32> -> tensor<8xf32, #rows>
    coconet.yield %a : tensor<8xf32, #rows>
  } : tensor<8xf32, #rows>
  return %f : tensor<8xf32, #rows>
}
