// ol(RS, fuse(C-P2P), AG)
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%arg0: !transform.any_op) {
    %0 = transform.coconet.match "sum" in %arg0 : (!transform.any_op) -> !transform.any_op
    %1:2 = transform.coconet.split %0 into rs_ag dim 1 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %2 = transform.coconet.match "end" in %arg0 : (!transform.any_op) -> !transform.any_op
    %3 = transform.coconet.match "sum.ag" in %arg0 : (!transform.any_op) -> !transform.any_op
    %sliced, %gathers = transform.coconet.reorder %3 past %2 : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    %4 = transform.coconet.match "boundary" in %arg0 : (!transform.any_op) -> !transform.any_op
    %5 = transform.coconet.match "sum.ag" in %arg0 : (!transform.any_op) -> !transform.any_op
    %sliced_0, %gathers_1 = transform.coconet.reorder %5 past %4 : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    %6 = transform.coconet.match "end" in %arg0 : (!transform.any_op) -> !transform.any_op
    %7 = transform.coconet.match "boundary" in %arg0 : (!transform.any_op) -> !transform.any_op
    %8 = transform.coconet.fuse %6, %7 as "end" : (!transform.any_op, !transform.any_op) -> !transform.any_op
    %9 = transform.coconet.match "sum.rs" in %arg0 : (!transform.any_op) -> !transform.any_op
    %10 = transform.coconet.match "end" in %arg0 : (!transform.any_op) -> !transform.any_op
    %11 = transform.coconet.match "sum.ag" in %arg0 : (!transform.any_op) -> !transform.any_op
    %12 = transform.coconet.overlap %9, %10, %11 chunks 2 along 0 as "boundary" : (!transform.any_op, !transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield 
  }
}
