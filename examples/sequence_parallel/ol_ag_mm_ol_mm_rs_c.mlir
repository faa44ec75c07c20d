// ol(AG, MM)-ol(MM, RS)-C
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%arg0: !transform.any_op) {
    %0 = transform.coconet.match "whole" in %arg0 : (!transform.any_op) -> !transform.any_op
    %1 = transform.coconet.match "widen" in %arg0 : (!transform.any_op) -> !transform.any_op
    %2 = transform.coconet.overlap %0, %1 chunks 2 along 0 as "begin" : (!transform.any_op, !transform.any_op) -> !transform.any_op
    %3 = transform.coconet.match "end" in %arg0 : (!transform.any_op) -> !transform.any_op
    %4 = transform.coconet.fuse %3 as "end" : (!transform.any_op) -> !transform.any_op
    %5 = transform.coconet.match "product" in %arg0 : (!transform.any_op) -> !transform.any_op
    %6 = transform.coconet.match "part" in %arg0 : (!transform.any_op) -> !transform.any_op
    %7 = transform.coconet.overlap %5, %6 chunks 2 along 0 as "layer" : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield 
  }
}
