// RUN: coconet-opt %s --split-input-file --verify-diagnostics

func.func @rank(%x: tensor<6x9x9xf32>, %w: tensor<8x6x3x3xf32>) {
  // expected-error@+2 {{; images and weights have four dimensions}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.conv2d %x, %w strides [1, 1] padding [0, 0] dilations [1, 1] groups 1 : tensor<6x9x9xf32>, tensor<8x6x3x3xf32> -> tensor<4x8x7x7xf32>
  return
}

// -----

func.func @types(%x: tensor<4x6x9x9xf32>, %w: tensor<8x6x3x3xf16>) {
  // expected-error@+2 {{element types 'f32' and 'f16' differ; cast one to the other}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.conv2d %x, %w strides [1, 1] padding [0, 0] dilations [1, 1] groups 1 : tensor<4x6x9x9xf32>, tensor<8x6x3x3xf16> -> tensor<4x8x7x7xf32>
  return
}

// -----

func.func @strides(%x: tensor<4x6x9x9xf32>, %w: tensor<8x6x3x3xf32>) {
  // expected-error@+2 {{strides [0, 1]; two numbers, for height and width, of at least 1 and below 2^31}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.conv2d %x, %w strides [0, 1] padding [0, 0] dilations [1, 1] groups 1 : tensor<4x6x9x9xf32>, tensor<8x6x3x3xf32> -> tensor<4x8x7x7xf32>
  return
}

// -----

func.func @padding(%x: tensor<4x6x9x9xf32>, %w: tensor<8x6x3x3xf32>) {
  // expected-error@+2 {{padding [0]; two numbers, for height and width, of at least 0 and below 2^31}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.conv2d %x, %w strides [1, 1] padding [0] dilations [1, 1] groups 1 : tensor<4x6x9x9xf32>, tensor<8x6x3x3xf32> -> tensor<4x8x7x7xf32>
  return
}

// -----

func.func @channels(%x: tensor<4x6x9x9xf32>, %w: tensor<8x5x3x3xf32>) {
  // expected-error@+2 {{has size 5 where the others have 6}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.conv2d %x, %w strides [1, 1] padding [0, 0] dilations [1, 1] groups 1 : tensor<4x6x9x9xf32>, tensor<8x5x3x3xf32> -> tensor<4x8x7x7xf32>
  return
}

// -----

func.func @open_window(%x: tensor<4x6x9x9xf32>, %w: tensor<8x6x?x3xf32>) {
  // expected-error@+2 {{windows have size ?; it is known, at least 1 and below 2^31}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.conv2d %x, %w strides [1, 1] padding [0, 0] dilations [1, 1] groups 1 : tensor<4x6x9x9xf32>, tensor<8x6x?x3xf32> -> tensor<4x8x7x7xf32>
  return
}

// -----

func.func @no_groups(%x: tensor<4x6x9x9xf32>, %w: tensor<8x6x3x3xf32>) {
  // expected-error@+2 {{has 0 groups; their number is at least 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.conv2d %x, %w strides [1, 1] padding [0, 0] dilations [1, 1] groups 0 : tensor<4x6x9x9xf32>, tensor<8x6x3x3xf32> -> tensor<4x8x7x7xf32>
  return
}

// -----

func.func @groups(%x: tensor<4x6x9x9xf32>, %w: tensor<8x6x3x3xf32>) {
  // expected-error@+2 {{divides 6 channels into 2 groups of 6, for 8 results; with groups these are known and match}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.conv2d %x, %w strides [1, 1] padding [0, 0] dilations [1, 1] groups 2 : tensor<4x6x9x9xf32>, tensor<8x6x3x3xf32> -> tensor<4x8x7x7xf32>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#channels = #coconet.layout<#mesh, [{}, {dp}, {}, {}]>
func.func @cut_groups(%x: tensor<4x6x9x9xf32, #channels>, %w: tensor<8x3x3x3xf32>) {
  // expected-error@+3 {{groups are made of dimension 1 of operand 0, which is cut by {dp}}}
  // expected-note@+2 {{all_gather it first, or all_to_all the cut to another dimension}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.conv2d %x, %w strides [1, 1] padding [0, 0] dilations [1, 1] groups 2 : tensor<4x6x9x9xf32, #channels>, tensor<8x3x3x3xf32> -> tensor<4x8x7x7xf32>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#high = #coconet.layout<#mesh, [{}, {}, {dp}, {}]>
func.func @cut_height(%x: tensor<4x6x9x9xf32, #high>, %w: tensor<8x6x3x3xf32>) {
  // expected-error@+3 {{windows read across dimension 2 of operand 0, which is cut by {dp}}}
  // expected-note@+2 {{all_gather it first, or all_to_all the cut to another dimension}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.conv2d %x, %w strides [1, 1] padding [0, 0] dilations [1, 1] groups 1 : tensor<4x6x9x9xf32, #high>, tensor<8x6x3x3xf32> -> tensor<4x8x7x7xf32>
  return
}

// -----

func.func @gradient_sizes(%x: tensor<4x8x5x5xf32>, %w: tensor<8x6x3x3xf32>) {
  // expected-error@+2 {{gradient has 5 elements along dimension 2 where windows have 7 places}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.conv2d_input_gradient %x, %w sizes [9, 9] strides [1, 1] padding [0, 0] dilations [1, 1] groups 1 : tensor<4x8x5x5xf32>, tensor<8x6x3x3xf32> -> tensor<4x6x9x9xf32>
  return
}

// -----

func.func @pool_kind(%x: tensor<4x6x9x9xf32>) {
  // expected-error@+2 {{pools 'f32' by sum; the kinds are max, and mean of floats}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.pool2d sum %x window [2, 2] strides [1, 1] padding [0, 0] : tensor<4x6x9x9xf32> -> tensor<4x6x8x8xf32>
  return
}

// -----

func.func @pool_padding(%x: tensor<4x6x9x9xf32>) {
  // expected-error@+2 {{pads by 2 for a window of 2; padding is smaller than the window}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.pool2d max %x window [2, 2] strides [1, 1] padding [2, 0] : tensor<4x6x9x9xf32> -> tensor<4x6x12x8xf32>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#pending = #coconet.layout<#mesh, partial = {dp : sum}>
func.func @pool_pending(%x: tensor<4x6x9x9xf32, #pending>) {
  // expected-error@+3 {{operand 0 is a pending sum along axis 'dp', and the op does not pass a pending sum}}
  // expected-note@+2 {{all_reduce operand 0 first}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.pool2d max %x window [2, 2] strides [1, 1] padding [0, 0] : tensor<4x6x9x9xf32, #pending> -> tensor<4x6x8x8xf32, #pending>
  return
}

// -----

func.func @pad_lists(%x: tensor<8x6xf32>) {
  // expected-error@+2 {{pads by [1] and [0, 1]; two numbers of at least 0 and below 2^31 for each of 2 dimensions}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.pad %x low [1] high [0, 1] with 0.0 : tensor<8x6xf32> -> tensor<9x7xf32>
  return
}

// -----

func.func @pad_value(%x: tensor<8x6xi8>) {
  // expected-error@+2 {{; it is a value of the type}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.pad %x low [1, 0] high [0, 1] with 0.5 : tensor<8x6xi8> -> tensor<9x7xi8>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#rows = #coconet.layout<#mesh, [{dp}, {}]>
func.func @pad_cut(%x: tensor<8x6xf32, #rows>) {
  // expected-error@+3 {{pads dimension 0 of operand 0, which is cut by {dp}}}
  // expected-note@+2 {{all_gather it first, or all_to_all the cut to another dimension}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.pad %x low [1, 0] high [0, 1] with 0.0 : tensor<8x6xf32, #rows> -> tensor<9x7xf32>
  return
}

// -----

#mesh = #coconet.mesh<dp = 2>
#pending = #coconet.layout<#mesh, partial = {dp : sum}>
func.func @pad_pending(%x: tensor<8x6xf32, #pending>) {
  // expected-error@+3 {{operand 0 is a pending sum along axis 'dp', and the op does not pass a pending sum}}
  // expected-note@+2 {{all_reduce operand 0 first}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.pad %x low [1, 0] high [0, 1] with 1.0 : tensor<8x6xf32, #pending> -> tensor<9x7xf32, #pending>
  return
}

// -----

func.func @pad_huge(%x: tensor<9223372036854775807x0xf32>) {
  // expected-error@+2 {{dimension 0 of the result has more than 2^63 - 1 elements}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = coconet.pad %x low [1, 0] high [0, 1] with 1.0 : tensor<9223372036854775807x0xf32> -> tensor<9x7xf32>
  return
}
