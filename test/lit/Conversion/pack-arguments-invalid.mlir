// RUN: coconet-opt %s --verify-diagnostics --coconet-pack-arguments

// expected-error@+2 {{'func.func' op has tensors among arguments and results}}
// expected-note@+1 {{bufferize before --coconet-pack-arguments}}
func.func @tensors(%x: tensor<4xf32>) -> tensor<4xf32> attributes {llvm.emit_c_interface} {
  return %x : tensor<4xf32>
}
