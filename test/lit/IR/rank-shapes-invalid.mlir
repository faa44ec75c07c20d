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

// -----

func.func @uneven_chunk(%x: tensor<12xf32>) {
  // expected-error@+2 {{has chunks of 2 of 12 elements in a group of 5}}
  // expected-note@+1 {{a static size is divided exactly; leave the size of chunks open where it is not}}
  %0 = coconet.rank.scatter_from_root %x into 0 root 4 on {dp} of <dp = 5> : tensor<12xf32> -> tensor<2xf32>
  return
}

// -----

func.func @uneven_groups(%x: tensor<6xf32>, %n: index) {
  // expected-error@+2 {{has chunks of 6 of 12 elements in a group of 1}}
  // expected-note@+1 {{leave the size of chunks open}}
  %0 = coconet.rank.all_gather %x size %n from 0 on groups [[0, 2], [1]] of <dp = 3> : tensor<6xf32> -> tensor<12xf32>
  return
}

// -----

func.func @exchanged(%x: tensor<4x6xf32>, %n: index) {
  // expected-error@+2 {{has chunks of 2 of 6 elements in a group of 2}}
  // expected-note@+1 {{leave the size of chunks open}}
  %0 = coconet.rank.all_to_all %x size %n from 0 into 1 on {dp} of <dp = 2> : tensor<4x6xf32> -> tensor<8x2xf32>
  return
}

// -----

func.func @shard(%x: tensor<4xf32>) {
  // expected-error@+2 {{has chunks of 1 of 4 elements in a group of 2}}
  // expected-note@+1 {{leave the size of chunks open}}
  %0 = coconet.rank.shard %x into 0 on {dp} of <dp = 2> : tensor<4xf32> -> tensor<1xf32>
  return
}

// -----

func.func @unequal(%x: tensor<4x4xf32>, %n: index) {
  // expected-error@+2 {{acts on groups of unequal sizes}}
  // expected-note@+1 {{its members take and give equal parts; list equal groups}}
  %0 = coconet.rank.all_to_all %x size %n from 1 into 0 on groups [[1, 2], [0]] of <r = 3> : tensor<4x4xf32> -> tensor<?x?xf32>
  return
}
