// Buckets that are refused; the first ones are case L03.
// RUN: coconet-opt %s --split-input-file --verify-diagnostics "--coconet-bucket-collectives=names=a,b"

#mesh = #coconet.mesh<dp = 2>
#pending = #coconet.layout<#mesh, partial = {dp : sum}>
#flat = #coconet.layout<#mesh, flat = {dp}>
func.func @kind(%x: tensor<4xf32, #pending>) -> (tensor<4xf32>, tensor<4xf32, #flat>) {
  // expected-note@+1 {{the other one is here}}
  %a = coconet.all_reduce sum %x on {dp} {coconet.name = "a"} : tensor<4xf32, #pending> -> tensor<4xf32>
  // expected-error@+2 {{cannot put all_reduce 'a' and reduce_scatter 'b' into one bucket: they differ in kind}}
  // expected-note@+1 {{make a bucket of each kind}}
  %b = coconet.reduce_scatter sum %x into flat on {dp} {coconet.name = "b"} : tensor<4xf32, #pending> -> tensor<4xf32, #flat>
  return %a, %b : tensor<4xf32>, tensor<4xf32, #flat>
}

// -----

#mesh = #coconet.mesh<dp = 2>
#local = #coconet.layout<#mesh, local = {dp}>
func.func @reduction(%x: tensor<4xf32, #local>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-note@+1 {{the other one is here}}
  %a = coconet.all_reduce sum %x on {dp} {coconet.name = "a"} : tensor<4xf32, #local> -> tensor<4xf32>
  // expected-error@+2 {{they differ in reduction}}
  // expected-note@+1 {{make a bucket of each kind}}
  %b = coconet.all_reduce max %x on {dp} {coconet.name = "b"} : tensor<4xf32, #local> -> tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// -----

#mesh = #coconet.mesh<dp = 2>
#pending = #coconet.layout<#mesh, partial = {dp : sum}>
func.func @element_type(%x: tensor<4xf32, #pending>, %y: tensor<4xbf16, #pending>) -> (tensor<4xf32>, tensor<4xbf16>) {
  // expected-note@+1 {{the other one is here}}
  %a = coconet.all_reduce sum %x on {dp} {coconet.name = "a"} : tensor<4xf32, #pending> -> tensor<4xf32>
  // expected-error@+2 {{they differ in element type}}
  // expected-note@+1 {{make a bucket of each kind}}
  %b = coconet.all_reduce sum %y on {dp} {coconet.name = "b"} : tensor<4xbf16, #pending> -> tensor<4xbf16>
  return %a, %b : tensor<4xf32>, tensor<4xbf16>
}

// -----

#mesh = #coconet.mesh<dp = 4>
#local = #coconet.layout<#mesh, local = {dp}>
func.func @group(%x: tensor<4xf32, #local>) -> (tensor<4xf32, #local>, tensor<4xf32, #local>) {
  // expected-note@+1 {{the other one is here}}
  %a = coconet.all_reduce sum %x on groups [[0, 1], [2, 3]] {coconet.name = "a"} : tensor<4xf32, #local> -> tensor<4xf32, #local>
  // expected-error@+2 {{they differ in group}}
  // expected-note@+1 {{make a bucket of each kind}}
  %b = coconet.all_reduce sum %x on groups [[0, 2], [1, 3]] {coconet.name = "b"} : tensor<4xf32, #local> -> tensor<4xf32, #local>
  return %a, %b : tensor<4xf32, #local>, tensor<4xf32, #local>
}

// -----

#mesh = #coconet.mesh<dp = 2>
#local = #coconet.layout<#mesh, local = {dp}>
func.func @root(%x: tensor<4xf32, #local>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-note@+1 {{the other one is here}}
  %a = coconet.broadcast %x root 0 on {dp} {coconet.name = "a"} : tensor<4xf32, #local> -> tensor<4xf32>
  // expected-error@+2 {{they differ in root}}
  // expected-note@+1 {{make a bucket of each kind}}
  %b = coconet.broadcast %x root 1 on {dp} {coconet.name = "b"} : tensor<4xf32, #local> -> tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// -----

#mesh = #coconet.mesh<dp = 4>
#local = #coconet.layout<#mesh, local = {dp}>
func.func @path(%x: tensor<4xf32, #local>) -> tensor<4xf32, #local> {
  // expected-note@+1 {{the first is here}}
  %a = coconet.all_reduce sum %x on groups [[0, 1], [2, 3]] {coconet.name = "a"} : tensor<4xf32, #local> -> tensor<4xf32, #local>
  %n = coconet.neg %a : tensor<4xf32, #local> -> tensor<4xf32, #local>
  // expected-error@+2 {{cannot put all_reduce 'a' and all_reduce 'b' into one bucket: the second depends on the first}}
  // expected-note@+1 {{leave one of them out}}
  %b = coconet.all_reduce sum %n on groups [[0, 1], [2, 3]] {coconet.name = "b"} : tensor<4xf32, #local> -> tensor<4xf32, #local>
  return %b : tensor<4xf32, #local>
}

// -----

#mesh = #coconet.mesh<dp = 2, tp = 2>
#pending = #coconet.layout<#mesh, partial = {dp : sum}>
#both = #coconet.layout<#mesh, partial = {dp : sum}, local = {tp}>
#local = #coconet.layout<#mesh, local = {tp}>
func.func @layout(%x: tensor<4xf32, #pending>, %y: tensor<4xf32, #both>) -> (tensor<4xf32>, tensor<4xf32, #local>) {
  // expected-note@+1 {{the other one is here}}
  %a = coconet.all_reduce sum %x on {dp} {coconet.name = "a"} : tensor<4xf32, #pending> -> tensor<4xf32>
  // expected-error@+2 {{they differ in layout}}
  // expected-note@+1 {{make a bucket of each kind}}
  %b = coconet.all_reduce sum %y on {dp} {coconet.name = "b"} : tensor<4xf32, #both> -> tensor<4xf32, #local>
  return %a, %b : tensor<4xf32>, tensor<4xf32, #local>
}

// -----

#mesh = #coconet.mesh<dp = 2>
#pending = #coconet.layout<#mesh, partial = {dp : sum}>
func.func @attributes(%x: tensor<4xf32, #pending>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-note@+1 {{the other one is here}}
  %a = coconet.all_reduce sum %x on {dp} {coconet.name = "a", coconet.wire_type = f16} : tensor<4xf32, #pending> -> tensor<4xf32>
  // expected-error@+2 {{they differ in attributes}}
  // expected-note@+1 {{make a bucket of each kind}}
  %b = coconet.all_reduce sum %x on {dp} {coconet.name = "b"} : tensor<4xf32, #pending> -> tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// -----

#mesh = #coconet.mesh<dp = 2>
#pending = #coconet.layout<#mesh, partial = {dp : sum}>
#cut = #coconet.layout<#mesh, [{dp}]>
func.func @cut(%x: tensor<4xf32, #pending>) -> (tensor<4xf32, #cut>, tensor<4xf32, #cut>) {
  // expected-error@+2 {{cannot put reduce_scatter 'a' into a bucket: it cuts a dimension}}
  // expected-note@+1 {{cut the flattening, `flat`}}
  %a = coconet.reduce_scatter sum %x into 0 on {dp} {coconet.name = "a"} : tensor<4xf32, #pending> -> tensor<4xf32, #cut>
  %b = coconet.reduce_scatter sum %x into 0 on {dp} {coconet.name = "b"} : tensor<4xf32, #pending> -> tensor<4xf32, #cut>
  return %a, %b : tensor<4xf32, #cut>, tensor<4xf32, #cut>
}

// -----

#mesh = #coconet.mesh<dp = 2, tp = 2>
#pending = #coconet.layout<#mesh, [{tp}], partial = {dp : sum}>
#cut = #coconet.layout<#mesh, [{tp}]>
func.func @cut_tensors(%x: tensor<4xf32, #pending>) -> (tensor<4xf32, #cut>, tensor<4xf32, #cut>) {
  // expected-error@+2 {{cannot put all_reduce 'a' into a bucket: its tensors are cut along a dimension}}
  // expected-note@+1 {{a list holds flattenings; cut them flat}}
  %a = coconet.all_reduce sum %x on {dp} {coconet.name = "a"} : tensor<4xf32, #pending> -> tensor<4xf32, #cut>
  %b = coconet.all_reduce sum %x on {dp} {coconet.name = "b"} : tensor<4xf32, #pending> -> tensor<4xf32, #cut>
  return %a, %b : tensor<4xf32, #cut>, tensor<4xf32, #cut>
}

// -----

func.func @no_collective(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-error@+2 {{cannot put neg 'a' into a bucket}}
  // expected-note@+1 {{a bucket takes all_reduce, broadcast, and flat reduce_scatter and all_gather}}
  %a = coconet.neg %x {coconet.name = "a"} : tensor<4xf32> -> tensor<4xf32>
  %b = coconet.neg %x {coconet.name = "b"} : tensor<4xf32> -> tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// -----

#mesh = #coconet.mesh<dp = 2>
#partial = #coconet.layout<#mesh, partial = {dp : sum}>
func.func @overlapped(%x: tensor<4xf32, #partial>, %y: tensor<4xf32, #partial>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0:3 = coconet.overlap chunks 1 along 0 attributes {coconet.name = "ol"} {
    // expected-error@+2 {{cannot put all_reduce 'a' into a bucket: it lies in overlap 'ol'}}
    // expected-note@+1 {{communication that is started is of single tensors}}
    %1 = coconet.all_reduce sum %x on {dp} {coconet.name = "a"} : tensor<4xf32, #partial> -> tensor<4xf32>
    %2 = coconet.all_reduce sum %y on {dp} {coconet.name = "b"} : tensor<4xf32, #partial> -> tensor<4xf32>
    %3 = coconet.neg %b : tensor<4xf32> -> tensor<4xf32>
    coconet.yield %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  } : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  return %0#0, %0#1, %0#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
