// RS-Opt-AG
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%arg0: !transform.any_op) {
    %0 = transform.coconet.match "g_w" in %arg0 : (!transform.any_op) -> !transform.any_op
    %1:2 = transform.coconet.split %0 into rs_ag dim 0 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %2 = transform.coconet.match "stats_w" in %arg0 : (!transform.any_op) -> !transform.any_op
    %3 = transform.coconet.match "g_w.ag" in %arg0 : (!transform.any_op) -> !transform.any_op
    %sliced, %gathers = transform.coconet.reorder %3 past %2 : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    %4 = transform.coconet.match "opt_w" in %arg0 : (!transform.any_op) -> !transform.any_op
    %5 = transform.coconet.match "g_w.ag" in %arg0 : (!transform.any_op) -> !transform.any_op
    %sliced_0, %gathers_1 = transform.coconet.reorder %5 past %4 : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    %6 = transform.coconet.match "g_b" in %arg0 : (!transform.any_op) -> !transform.any_op
    %7:2 = transform.coconet.split %6 into rs_ag dim 0 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %8 = transform.coconet.match "stats_b" in %arg0 : (!transform.any_op) -> !transform.any_op
    %9 = transform.coconet.match "g_b.ag" in %arg0 : (!transform.any_op) -> !transform.any_op
    %sliced_2, %gathers_3 = transform.coconet.reorder %9 past %8 : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    %10 = transform.coconet.match "opt_b" in %arg0 : (!transform.any_op) -> !transform.any_op
    %11 = transform.coconet.match "g_b.ag" in %arg0 : (!transform.any_op) -> !transform.any_op
    %sliced_4, %gathers_5 = transform.coconet.reorder %11 past %10 : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield 
  }
}
