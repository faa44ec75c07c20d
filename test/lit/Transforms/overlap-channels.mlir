// A send is overlapped with its recv, and what is named of that function.
// RUN: coconet-opt %s --split-input-file "--coconet-overlap-ops=names=o chunks=2 dim=0 result=ol" | FileCheck %s
// RUN: coconet-opt %s --split-input-file "--coconet-overlap-ops=names=o chunks=2 dim=0 result=ol" --coconet-check-channels -o /dev/null

// The recv, which nobody names, and the product behind a transpose, along its
// dimension 1.
// CHECK-LABEL: func.func @f
// CHECK: coconet.overlap chunks 2 along 0 attributes {coconet.name = "ol"} {
// CHECK: coconet.exp
// CHECK: coconet.send
// CHECK: coconet.yield
// CHECK-LABEL: func.func @g
// CHECK: coconet.neg
// CHECK: %[[ALL:.*]] = coconet.overlap chunks 2 along 1 attributes {coconet.name = "ol"} {
// CHECK: coconet.recv
// CHECK: %[[T:.*]] = coconet.transpose
// CHECK: coconet.yield %[[T]]
// CHECK: return %[[ALL]]
func.func @f(%x: tensor<4x6xf32>) attributes {coconet.stage = 0 : i64} {
  %0 = coconet.exp %x {coconet.name = "o"} : tensor<4x6xf32> -> tensor<4x6xf32>
  coconet.send %0 to "a" {coconet.name = "o"} : tensor<4x6xf32>
  return
}
func.func @g(%y: tensor<4x6xf32>) -> (tensor<6x4xf32>, tensor<4x6xf32>) attributes {coconet.stage = 1 : i64} {
  %0 = coconet.recv from "a" : tensor<4x6xf32>
  %1 = coconet.neg %y : tensor<4x6xf32> -> tensor<4x6xf32>
  %2 = coconet.transpose %0 by [1, 0] {coconet.name = "o"} : tensor<4x6xf32> -> tensor<6x4xf32>
  return %2, %1 : tensor<6x4xf32>, tensor<4x6xf32>
}

// -----

// The receiver names the dimension; what is sent comes from outside.
// CHECK-LABEL: func.func @f
// CHECK: %[[E:.*]] = coconet.exp
// CHECK: coconet.overlap chunks 2 along 0
// CHECK-NEXT: coconet.send %[[E]]
// CHECK-LABEL: func.func @g
// CHECK: coconet.overlap chunks 2 along 0
// CHECK-NEXT: coconet.recv
// CHECK-NEXT: coconet.matmul
func.func @f(%x: tensor<4x6xf32>) attributes {coconet.stage = 0 : i64} {
  %0 = coconet.exp %x : tensor<4x6xf32> -> tensor<4x6xf32>
  coconet.send %0 to "a" : tensor<4x6xf32>
  return
}
func.func @g(%w: tensor<6x2xf32>) -> tensor<4x2xf32> attributes {coconet.stage = 1 : i64} {
  %0 = coconet.recv from "a" {coconet.name = "o"} : tensor<4x6xf32>
  %1 = coconet.matmul %0, %w {coconet.name = "o"} : tensor<4x6xf32>, tensor<6x2xf32> -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// -----

// A chain of three functions.
// CHECK-LABEL: func.func @f
// CHECK: coconet.overlap chunks 2 along 0
// CHECK-LABEL: func.func @g
// CHECK: coconet.overlap chunks 2 along 0
// CHECK-NEXT: coconet.recv from "a"
// CHECK-NEXT: coconet.neg
// CHECK-NEXT: coconet.send {{.*}} to "b"
// CHECK-LABEL: func.func @h
// CHECK: coconet.overlap chunks 2 along 0
// CHECK-NEXT: coconet.recv from "b"
func.func @f(%x: tensor<4x6xf32>) attributes {coconet.stage = 0 : i64} {
  %0 = coconet.exp %x {coconet.name = "o"} : tensor<4x6xf32> -> tensor<4x6xf32>
  coconet.send %0 to "a" {coconet.name = "o"} : tensor<4x6xf32>
  return
}
func.func @g() attributes {coconet.stage = 1 : i64} {
  %0 = coconet.recv from "a" : tensor<4x6xf32>
  %1 = coconet.neg %0 {coconet.name = "o"} : tensor<4x6xf32> -> tensor<4x6xf32>
  coconet.send %1 to "b" {coconet.name = "o"} : tensor<4x6xf32>
  return
}
func.func @h() -> tensor<4x6xf32> attributes {coconet.stage = 2 : i64} {
  %0 = coconet.recv from "b" : tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
