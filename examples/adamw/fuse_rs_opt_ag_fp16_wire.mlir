// fuse(RS-Opt-AG), fp16 wire
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%arg0: !transform.any_op) {
    %0 = transform.coconet.match "g_p" in %arg0 : (!transform.any_op) -> !transform.any_op
    %1:2 = transform.coconet.split %0 into rs_ag dim 0 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %2 = transform.coconet.match "opt_p" in %arg0 : (!transform.any_op) -> !transform.any_op
    %3 = transform.coconet.match "g_p.ag" in %arg0 : (!transform.any_op) -> !transform.any_op
    %sliced, %gathers = transform.coconet.reorder %3 past %2 : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    %4 = transform.coconet.match "g_p.rs" in %arg0 : (!transform.any_op) -> !transform.any_op
    %5 = transform.coconet.match "opt_p" in %arg0 : (!transform.any_op) -> !transform.any_op
    %6 = transform.coconet.match "g_p.ag" in %arg0 : (!transform.any_op) -> !transform.any_op
    %7 = transform.coconet.fuse %4, %5, %6 as "step_p" : (!transform.any_op, !transform.any_op, !transform.any_op) -> !transform.any_op
    %8 = transform.coconet.match "g_p.rs" in %arg0 : (!transform.any_op) -> !transform.any_op
    transform.coconet.wire_type %8 f16 : !transform.any_op
    transform.yield 
  }
}
