// RUN: coconet-opt %s --split-input-file --verify-diagnostics

#mesh = #coconet.mesh<dp = 2>
#columns = #coconet.layout<#mesh, [{}, {dp}]>
#vector = #coconet.layout<#mesh, [{dp}]>
func.func @reshape_moves_cut(%x: tensor<8x6xf32, #columns>) {
  // expected-error@+2 {{moves the boundaries of dimension 1, which is cut by {dp}}}
  // expected-note@+1 {{all_gather it first; a cut dimension stays as it is, or is outermost and divides exactly}}
  %0 = coconet.reshape %x : tensor<8x6xf32, #columns> -> tensor<48xf32, #vector>
  return
}

// -----

#mesh = #coconet.mesh<dp = 4>
#rows = #coconet.layout<#mesh, [{dp}, {}]>
#vector = #coconet.layout<#mesh, [{dp}]>
func.func @reshape_uneven(%x: tensor<9x4xf32, #rows>) {
  // expected-error@+2 {{moves the boundaries of dimension 0, which is cut by {dp}}}
  // expected-note@+1 {{all_gather it first}}
  %0 = coconet.reshape %x : tensor<9x4xf32, #rows> -> tensor<36xf32, #vector>
  return
}

// -----

func.func @reshape_count(%x: tensor<8xf32>) {
  // expected-error@+1 {{changes the number of elements from 8 to 9}}
  %0 = coconet.reshape %x : tensor<8xf32> -> tensor<9xf32>
  return
}

// -----

func.func @reshape_type(%x: tensor<8xf32>) {
  // expected-error@+1 {{changes the element type from 'f32' to 'f16'; use cast}}
  %0 = coconet.reshape %x : tensor<8xf32> -> tensor<8xf16>
  return
}

// -----

func.func @two_open(%x: tensor<?xf32>) {
  // expected-error@+1 {{leaves 2 sizes open; at most one can be computed from the number of elements}}
  %0 = coconet.reshape %x : tensor<?xf32> -> tensor<?x?xf32>
  return
}

// -----

#mesh = #coconet.mesh<dp = 4>
#rows = #coconet.layout<#mesh, [{dp}, {}]>
#vector = #coconet.layout<#mesh, [{dp}]>
// Nine rows of four are cut 3, 3, 3, 0; their 36 elements would be 9, 9, 9, 9.
func.func @open_merged(%x: tensor<?x4xf32, #rows>) {
  // expected-error@+2 {{moves the boundaries of dimension 0, which is cut by {dp}}}
  // expected-note@+1 {{all_gather it first; a cut dimension stays as it is, or is outermost and divides exactly}}
  %0 = coconet.reshape %x : tensor<?x4xf32, #rows> -> tensor<?xf32, #vector>
  return
}

// -----

#mesh = #coconet.mesh<dp = 4>
#columns3 = #coconet.layout<#mesh, [{}, {dp}, {}]>
#columns = #coconet.layout<#mesh, [{}, {dp}]>
func.func @after_open(%x: tensor<?x8x3xf32, #columns3>) {
  // expected-error@+2 {{moves the boundaries of dimension 1, which is cut by {dp}}}
  // expected-note@+1 {{all_gather it first}}
  %0 = coconet.reshape %x : tensor<?x8x3xf32, #columns3> -> tensor<?x8xf32, #columns>
  return
}

// -----

#mesh = #coconet.mesh<dp = 4>
#ones = #coconet.layout<#mesh, [{}, {dp}]>
#vector = #coconet.layout<#mesh, [{dp}]>
func.func @trailing_one(%x: tensor<8x1xf32, #ones>) {
  // expected-error@+2 {{moves the boundaries of dimension 1, which is cut by {dp}}}
  // expected-note@+1 {{all_gather it first}}
  %0 = coconet.reshape %x : tensor<8x1xf32, #ones> -> tensor<8xf32, #vector>
  return
}
