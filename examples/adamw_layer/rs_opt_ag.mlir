// RS-Opt-AG
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%arg0: !transform.any_op) {
    %0 = transform.coconet.match "g_w" in %arg0 : (!transform.any_op) -> !transform.any_op
    %reduce_scatter, %all_gather = transform.coconet.split %0 into rs_ag dim 0 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %1 = transform.coconet.match "opt_w" in %arg0 : (!transform.any_op) -> !transform.any_op
    %2 = transform.coconet.match "g_w.ag" in %arg0 : (!transform.any_op) -> !transform.any_op
    %sliced, %gathers = transform.coconet.reorder %2 past %1 : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    %3 = transform.coconet.match "g_b" in %arg0 : (!transform.any_op) -> !transform.any_op
    %reduce_scatter_0, %all_gather_1 = transform.coconet.split %3 into rs_ag dim 0 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %4 = transform.coconet.match "opt_b" in %arg0 : (!transform.any_op) -> !transform.any_op
    %5 = transform.coconet.match "g_b.ag" in %arg0 : (!transform.any_op) -> !transform.any_op
    %sliced_2, %gathers_3 = transform.coconet.reorder %5 past %4 : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield 
  }
}
