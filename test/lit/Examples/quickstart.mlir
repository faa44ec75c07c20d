// RUN: %python %examples/quickstart.py | FileCheck %s

// CHECK: coconet.fused all_reduce {
// CHECK: } {coconet.name = "step"}
// CHECK: equivalent on 4 ranks
// The first step of Adam moves every parameter by the learning rate.
// CHECK: [ 0.00099999  0.00099999 -0.00099999  0.00099999]
