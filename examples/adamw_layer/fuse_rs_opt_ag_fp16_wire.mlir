// fuse(RS-Opt-AG), fp16 wire
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%arg0: !transform.any_op) {
    %0 = transform.coconet.match "g_w" in %arg0 : (!transform.any_op) -> !transform.any_op
    %1:2 = transform.coconet.split %0 into rs_ag dim 0 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %2 = transform.coconet.match "opt_w" in %arg0 : (!transform.any_op) -> !transform.any_op
    %3 = transform.coconet.match "g_w.ag" in %arg0 : (!transform.any_op) -> !transform.any_op
    %sliced, %gathers = transform.coconet.reorder %3 past %2 : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    %4 = transform.coconet.match "g_w.rs" in %arg0 : (!transform.any_op) -> !transform.any_op
    %5 = transform.coconet.match "opt_w" in %arg0 : (!transform.any_op) -> !transform.any_op
    %6 = transform.coconet.match "g_w.ag" in %arg0 : (!transform.any_op) -> !transform.any_op
    %7 = transform.coconet.fuse %4, %5, %6 as "step_w" : (!transform.any_op, !transform.any_op, !transform.any_op) -> !transform.any_op
    %8 = transform.coconet.match "g_w.rs" in %arg0 : (!transform.any_op) -> !transform.any_op
    transform.coconet.wire_type %8 f16 : !transform.any_op
    %9 = transform.coconet.match "g_b" in %arg0 : (!transform.any_op) -> !transform.any_op
    %10:2 = transform.coconet.split %9 into rs_ag dim 0 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %11 = transform.coconet.match "opt_b" in %arg0 : (!transform.any_op) -> !transform.any_op
    %12 = transform.coconet.match "g_b.ag" in %arg0 : (!transform.any_op) -> !transform.any_op
    %sliced_0, %gathers_1 = transform.coconet.reorder %12 past %11 : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    %13 = transform.coconet.match "g_b.rs" in %arg0 : (!transform.any_op) -> !transform.any_op
    %14 = transform.coconet.match "opt_b" in %arg0 : (!transform.any_op) -> !transform.any_op
    %15 = transform.coconet.match "g_b.ag" in %arg0 : (!transform.any_op) -> !transform.any_op
    %16 = transform.coconet.fuse %13, %14, %15 as "step_b" : (!transform.any_op, !transform.any_op, !transform.any_op) -> !transform.any_op
    %17 = transform.coconet.match "g_b.rs" in %arg0 : (!transform.any_op) -> !transform.any_op
    transform.coconet.wire_type %17 f16 : !transform.any_op
    transform.yield 
  }
}
