// Stages take consecutive ranks in their order, whatever the order in the text.
// RUN: coconet-opt %s --coconet-bind-mesh=axes=tp=3,dp=2 | FileCheck %s

#tp = #coconet.mesh<tp = ?>
#both = #coconet.mesh<dp = ?, tp = ?>

// CHECK-LABEL: func.func @last
// CHECK-SAME: coconet.ranks = array<i64: 6, 7, 8>
func.func @last() attributes {coconet.stage = 7 : i64, coconet.mesh = #tp} {
  return
}

// CHECK-LABEL: func.func @first
// CHECK-SAME: coconet.ranks = array<i64: 0, 1, 2, 3, 4, 5>
func.func @first() attributes {coconet.stage = 0 : i64, coconet.mesh = #both} {
  return
}
