// RUN: coconet-opt %s --split-input-file --verify-diagnostics "--coconet-bucket-collectives=names=a,b bytes=64"

#mesh = #coconet.mesh<dp = 2>
#pending = #coconet.layout<#mesh, partial = {dp : sum}>
func.func @open(%x: tensor<?xf32, #pending>) -> (tensor<?xf32>, tensor<?xf32>) {
  // expected-error@+2 {{cannot bound the bytes of a bucket with all_reduce 'a': its size is open}}
  // expected-note@+1 {{give it a size, or do not bound the bytes}}
  %a = coconet.all_reduce sum %x on {dp} {coconet.name = "a"} : tensor<?xf32, #pending> -> tensor<?xf32>
  %b = coconet.all_reduce sum %x on {dp} {coconet.name = "b"} : tensor<?xf32, #pending> -> tensor<?xf32>
  return %a, %b : tensor<?xf32>, tensor<?xf32>
}
