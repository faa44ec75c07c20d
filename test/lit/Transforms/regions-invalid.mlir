// Ops of other regions and dialects are left where they are.
// RUN: coconet-opt %s --split-input-file --verify-diagnostics "--coconet-fuse-ops=names=f"

func.func @different_regions(%x: tensor<8xf32>, %c: i1) -> tensor<8xf32> {
  // expected-note@+1 {{the other op is here}}
  %0 = coconet.exp %x {coconet.name = "f"} : tensor<8xf32> -> tensor<8xf32>
  %1 = scf.if %c -> tensor<8xf32> {
    // expected-error@+2 {{exp 'f' and neg 'f' lie in different regions}}
    // expected-note@+1 {{name ops of one function body}}
    %2 = coconet.neg %0 {coconet.name = "f"} : tensor<8xf32> -> tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  } else {
    scf.yield %0 : tensor<8xf32>
  }
  return %1 : tensor<8xf32>
}

// -----

func.func @one(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-note@+1 {{the other op is here}}
  %0 = coconet.exp %x {coconet.name = "f"} : tensor<8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @two(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+2 {{exp 'f' and exp 'f' lie in different regions}}
  // expected-note@+1 {{name ops of one function body}}
  %0 = coconet.exp %x {coconet.name = "f"} : tensor<8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @fused_before(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = coconet.fused computation {
    // expected-error@+2 {{cannot fuse exp 'f': it lies in fused 'kernel' already}}
    // expected-note@+1 {{name the ops once, with all that belong together}}
    %1 = coconet.exp %x {coconet.name = "f"} : tensor<8xf32> -> tensor<8xf32>
    coconet.yield %1 : tensor<8xf32>
  } {coconet.name = "kernel"} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @other_dialect(%x: f32) -> f32 {
  // expected-error@+2 {{cannot fuse addf 'f'}}
  // expected-note@+1 {{only pointwise ops, shard, reduce_scatter and all_gather are fused}}
  %0 = arith.addf %x, %x {coconet.name = "f"} : f32
  return %0 : f32
}

// -----

#sliced = #coconet.layout<#coconet.mesh<dp = 4>, [{dp}]>
func.func @shard_alone(%x: tensor<8xf32>) -> tensor<8xf32, #sliced> {
  // expected-error@+2 {{cannot fuse shard 'f' as computation}}
  // expected-note@+1 {{leave it out, or add the reduce_scatter}}
  %0 = coconet.shard %x into 0 on {dp} {coconet.name = "f"} : tensor<8xf32> -> tensor<8xf32, #sliced>
  %1 = coconet.exp %0 {coconet.name = "f"} : tensor<8xf32, #sliced> -> tensor<8xf32, #sliced>
  return %1 : tensor<8xf32, #sliced>
}

// -----

module {
  // expected-error@+2 {{exp 'f' lies in a region whose ops have no order}}
  // expected-note@+1 {{put the program into a function}}
  %0 = coconet.exp %1 {coconet.name = "f"} : tensor<8xf32> -> tensor<8xf32>
  %1 = coconet.neg %0 {coconet.name = "f"} : tensor<8xf32> -> tensor<8xf32>
}
