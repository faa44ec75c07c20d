// RUN: coconet-opt %s --coconet-drop-state-results --verify-diagnostics

// expected-error@+2 {{'func.func' op returns 1 states and has 0}}
// expected-note@+1 {{keep the attribute coconet.state of arguments}}
func.func @unmarked(%p: memref<8xf32>) -> memref<8xf32> attributes {coconet.states = 1 : i64} {
  return %p : memref<8xf32>
}
