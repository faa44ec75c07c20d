// RS-Opt-AG
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%arg0: !transform.any_op) {
    %0 = transform.coconet.match "g_w" in %arg0 : (!transform.any_op) -> !transform.any_op
    %1:2 = transform.coconet.split %0 into rs_ag dim 0 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %2 = transform.coconet.match "opt_w" in %arg0 : (!transform.any_op) -> !transform.any_op
    %3 = transform.coconet.match "g_w.ag" in %arg0 : (!transform.any_op) -> !transform.any_op
    %sliced, %gathers = transform.coconet.reorder %3 past %2 : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    %4 = transform.coconet.match "g_b" in %arg0 : (!transform.any_op) -> !transform.any_op
    %5:2 = transform.coconet.split %4 into rs_ag dim 0 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %6 = transform.coconet.match "opt_b" in %arg0 : (!transform.any_op) -> !transform.any_op
    %7 = transform.coconet.match "g_b.ag" in %arg0 : (!transform.any_op) -> !transform.any_op
    %sliced_0, %gathers_1 = transform.coconet.reorder %7 past %6 : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield 
  }
}
