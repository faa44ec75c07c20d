// RUN: coconet-opt %s --coconet-watch-nonfinite | FileCheck %s
// RUN: coconet-opt %s --coconet-watch-nonfinite --coconet-rank-to-cpu | FileCheck %s --check-prefix=CPU

#mesh = #coconet.mesh<dp = 2>

// Every argument and every float that is computed, those of a fused region too;
// not integers, and not what only moves elements.
// CHECK-LABEL: func.func @step
// CHECK-SAME: (%[[G:.*]]: tensor<8xf32> {{{.*}}}, %[[I:.*]]: tensor<8xi32>, %[[N:.*]]: index)
// CHECK: coconet.rank.check_finite "argument 'g'" %[[G]]
// CHECK-NOT: coconet.fused
// CHECK: %[[S:.*]] = coconet.rank.reduce_scatter sum %[[G]]
// CHECK-NEXT: coconet.rank.check_finite "the result of rank.reduce_scatter" %[[S]] {coconet.name = "avg"}
// CHECK-NEXT: %[[E:.*]] = coconet.exp %[[S]]
// CHECK-NEXT: coconet.rank.check_finite "the result of exp" %[[E]]
// CHECK-NEXT: %[[A:.*]] = coconet.rank.all_gather %[[E]]
// CHECK-NEXT: coconet.rank.check_finite "the result of rank.all_gather" %[[A]]
// CHECK-NEXT: coconet.neg %[[I]]
// CHECK-NEXT: %[[R:.*]] = coconet.rank.reshape %[[A]]
// CHECK-NEXT: return %[[R]]
// CPU-LABEL: llvm.func @_mlir__mlir_ciface_step(
// CPU: llvm.call @coconet_rt_check_finite
func.func @step(%g: tensor<8xf32> {coconet.arg_name = "g"}, %i: tensor<8xi32>, %n: index) -> tensor<2x4xf32> {
  %0 = coconet.fused all_reduce {
    %s = coconet.rank.reduce_scatter sum %g into 0 on {dp} of #mesh {coconet.name = "avg"} : tensor<8xf32> -> tensor<4xf32>
    %e = coconet.exp %s : tensor<4xf32> -> tensor<4xf32>
    %a = coconet.rank.all_gather %e size %n from 0 on {dp} of #mesh : tensor<4xf32> -> tensor<8xf32>
    coconet.yield %a : tensor<8xf32>
  } : tensor<8xf32>
  %1 = coconet.neg %i : tensor<8xi32> -> tensor<8xi32>
  %2 = coconet.rank.reshape %0 sizes () : tensor<8xf32> -> tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}

// Communication under way is watched where it is waited for, an argument
// without name by its number, and loops inside.
// CHECK-LABEL: func.func @started
// CHECK: coconet.rank.check_finite "argument 0"
// CHECK: coconet.rank.start {
// CHECK-NEXT: coconet.rank.all_reduce
// CHECK-NEXT: coconet.yield
// CHECK: %[[W:.*]] = coconet.rank.wait
// CHECK-NEXT: coconet.rank.check_finite "the result of rank.wait" %[[W]]
// CHECK: scf.for
// CHECK: %[[N:.*]] = coconet.neg
// CHECK-NEXT: coconet.rank.check_finite "the result of neg" %[[N]]
// CHECK-NEXT: scf.yield
func.func @started(%g: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = coconet.rank.start {
    %r = coconet.rank.all_reduce sum %g on {dp} of #mesh : tensor<8xf32> -> tensor<8xf32>
    coconet.yield %r : tensor<8xf32>
  } : !coconet.future<tensor<8xf32>>
  %0 = coconet.rank.wait %f : !coconet.future<tensor<8xf32>> -> tensor<8xf32>
  %1 = scf.for %i = %c0 to %c1 step %c1 iter_args(%x = %0) -> tensor<8xf32> {
    %2 = coconet.neg %x : tensor<8xf32> -> tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  }
  return %1 : tensor<8xf32>
}
