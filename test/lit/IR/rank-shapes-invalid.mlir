// RUN: coconet-opt %s --split-input-file --verify-diagnostics

func.func @reshape_type(%x: tensor<4xf32>) {
  // expected-error@+1 {{changes the element type from 'f32' to 'f16'; use cast}}
  %0 = coconet.rank.reshape %x sizes() : tensor<4xf32> -> tensor<4xf16>
  return
}

// -----

func.func @reshape_count(%x: tensor<4xf32>) {
  // expected-error@+1 {{changes the number of elements from 4 to 6}}
  %0 = coconet.rank.reshape %x sizes() : tensor<4xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @reshape_sizes(%x: tensor<?xf32>, %n: index) {
  // expected-error@+1 {{has 1 sizes for 2 dynamic dimensions of the result}}
  %0 = coconet.rank.reshape %x sizes(%n) : tensor<?xf32> -> tensor<?x?xf32>
  return
}

// -----

func.func @dropout_offsets(%x: tensor<4x4xf32>, %step: tensor<i64>, %n: index) {
  // expected-error@+1 {{needs one offset and one stride for each of the 2 dimensions of the operand}}
  %0 = coconet.rank.dropout %x step %step at(%n) by(%n, %n) coordinate %n {rate = 0.5 : f64, seed = 0 : i64, stream = 0 : i64} : tensor<4x4xf32>, tensor<i64>
  return
}

// -----

func.func @dropout_rate(%x: tensor<f32>, %step: tensor<i64>, %n: index) {
  // expected-error@+1 {{is no probability; it is at least 0 and below 1}}
  %0 = coconet.rank.dropout %x step %step at() by() coordinate %n {rate = 0x7FF8000000000000 : f64, seed = 0 : i64, stream = 0 : i64} : tensor<f32>, tensor<i64>
  return
}

// -----

func.func @dropout_stream(%x: tensor<f32>, %step: tensor<i64>, %n: index) {
  // expected-error@+1 {{stream -9223372036854775808 is out of range; it is at least 0 and below 65536}}
  %0 = coconet.rank.dropout %x step %step at() by() coordinate %n {rate = 0.5 : f64, seed = 0 : i64, stream = -9223372036854775808 : i64} : tensor<f32>, tensor<i64>
  return
}
