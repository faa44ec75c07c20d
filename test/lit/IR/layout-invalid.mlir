// RUN: coconet-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{mesh axis 'dp' appears twice}}
#mesh = #coconet.mesh<dp = 2, dp = 4>

// -----

// expected-error@+1 {{mesh axis 'dp' has size 0; sizes are at least 1, or ? to be bound}}
#mesh = #coconet.mesh<dp = 0>

// -----

// expected-error@+1 {{a mesh has at least one axis}}
#mesh = #coconet.mesh<>

// -----

// expected-error@+1 {{a mesh axis needs a name}}
#mesh = #coconet.mesh<"" = 2>

// -----

// expected-error@+1 {{a mesh has at most 2^31 ranks}}
#mesh = #coconet.mesh<dp = 9223372036854775807>

// -----

// expected-error@+1 {{a mesh has at most 2^31 ranks}}
#mesh = #coconet.mesh<dp = 65536, tp = 65536>

// -----

#mesh = #coconet.mesh<dp = 2>
// expected-error@+1 {{unknown axis 'tp'; the mesh has {dp}}}
#layout = #coconet.layout<#mesh, [{tp}]>

// -----

#mesh = #coconet.mesh<dp = 2>
// expected-error@+1 {{axis 'dp' is used twice; a layout uses an axis once}}
#layout = #coconet.layout<#mesh, [{dp}, {dp}]>

// -----

#mesh = #coconet.mesh<dp = 2>
// expected-error@+1 {{axis 'dp' is used twice; a layout uses an axis once}}
#layout = #coconet.layout<#mesh, [{dp}], partial = {dp : sum}>

// -----

#mesh = #coconet.mesh<dp = 2>
// expected-error@+1 {{no dimension is cut; leave the dimension lists away}}
#layout = #coconet.layout<#mesh, [{}, {}], partial = {dp : sum}>

// -----

#mesh = #coconet.mesh<dp = 2>
// expected-error@+1 {{the layout is replicated; leave the encoding away}}
#layout = #coconet.layout<#mesh>

// -----

#mesh = #coconet.mesh<dp = 2, tp = 2>
// expected-error@+1 {{a tensor is cut along dimensions or flat, not both}}
#layout = #coconet.layout<#mesh, [{dp}], flat = {tp}>

// -----

#mesh = #coconet.mesh<dp = 2>
// expected-error@+1 {{a value is pending as sum, max or min, got #coconet<reduction avg> along axis 'dp'}}
#layout = #coconet.layout<#mesh, partial = {dp : avg}>

// -----

#mesh = #coconet.mesh<dp = 2>
// expected-error@+1 {{unknown reduction 'mul'; a value is pending as sum, max or min}}
#layout = #coconet.layout<#mesh, partial = {dp : mul}>

// -----

#mesh = #coconet.mesh<dp = 2>
// expected-error@+1 {{root 2 is no position along axis 'dp' of size 2}}
#layout = #coconet.layout<#mesh, rooted = {dp : 2}>

// -----

#mesh = #coconet.mesh<dp = ?>
// expected-error@+1 {{root -9223372036854775808 is no position along axis 'dp' of size ?}}
#layout = #coconet.layout<#mesh, rooted = {dp : -9223372036854775808}>

// -----

#mesh = #coconet.mesh<dp = 2>
// expected-error@+1 {{axis 'dp' appears twice}}
#layout = #coconet.layout<#mesh, partial = {dp : sum, dp : max}>

// -----

#mesh = #coconet.mesh<dp = 2>
// expected-error@+1 {{unknown part 'sliced' of a layout; known are flat, partial, local, rooted}}
#layout = #coconet.layout<#mesh, sliced = {dp}>

// -----

#mesh = #coconet.mesh<dp = 2, tp = 2>
// expected-error@+1 {{local axes are listed in the order of the mesh, {dp, tp}}}
#layout = #coconet.layout<#mesh, local = {tp, dp}>

// -----

#mesh = #coconet.mesh<dp = 2>
#layout = #coconet.layout<#mesh, [{dp}]>
// expected-error@+1 {{the layout has 1 dimension lists for a tensor of rank 2}}
func.func private @rank(tensor<4x4xf32, #layout>)
