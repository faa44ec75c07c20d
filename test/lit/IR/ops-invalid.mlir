// RUN: not coconet-opt %s 2>&1 | FileCheck %s

// CHECK: error: 'coconet.neg' op operand #0 must be ranked tensor
func.func @neg(%arg0: f32) {
  "coconet.neg"(%arg0) : (f32) -> f32
  return
}
