// fuse(RS-Opt-AG), fp16 wire
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%arg0: !transform.any_op) {
    %0 = transform.coconet.match "g_p" in %arg0 : (!transform.any_op) -> !transform.any_op
    %1:2 = transform.coconet.split %0 into rs_ag dim 0 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %2 = transform.coconet.match "opt_p" in %arg0 : (!transform.any_op) -> !transform.any_op
    %3 = transform.coconet.match "trust_p" in %arg0 : (!transform.any_op) -> !transform.any_op
    %4 = transform.coconet.match "step_p" in %arg0 : (!transform.any_op) -> !transform.any_op
    %5 = transform.merge_handles %2, %3, %4 : !transform.any_op
    %6 = transform.coconet.match "g_p.ag" in %arg0 : (!transform.any_op) -> !transform.any_op
    %sliced, %gathers = transform.coconet.reorder %6 past %5 : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    %7 = transform.coconet.match "g_p.rs" in %arg0 : (!transform.any_op) -> !transform.any_op
    %8 = transform.coconet.match "opt_p" in %arg0 : (!transform.any_op) -> !transform.any_op
    %9 = transform.coconet.match "trust_p" in %arg0 : (!transform.any_op) -> !transform.any_op
    %10 = transform.coconet.match "trust_p.ar" in %arg0 : (!transform.any_op) -> !transform.any_op
    %11 = transform.coconet.match "step_p" in %arg0 : (!transform.any_op) -> !transform.any_op
    %12 = transform.coconet.match "g_p.ag" in %arg0 : (!transform.any_op) -> !transform.any_op
    %13 = transform.coconet.fuse %7, %8, %9, %10, %11, %12 as "step_p" : (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op) -> !transform.any_op
    %14 = transform.coconet.match "g_p.rs" in %arg0 : (!transform.any_op) -> !transform.any_op
    transform.coconet.wire_type %14 f16 : !transform.any_op
    transform.yield 
  }
}
