// RUN: coconet-opt %s --coconet-drop-state-results --verify-diagnostics

// expected-error@+2 {{'func.func' op writes a state to a buffer that is not its own}}
// expected-note@+1 {{bufferize with function boundaries and identity layouts}}
func.func @elsewhere(%p: memref<8xf32>) -> memref<8xf32> attributes {coconet.states = 1 : i64} {
  %0 = memref.alloc() : memref<8xf32>
  return %0 : memref<8xf32>
}
