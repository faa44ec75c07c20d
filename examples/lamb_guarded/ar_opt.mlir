// AR-Opt
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%arg0: !transform.any_op) {
    %0 = transform.coconet.match "opt_w" in %arg0 : (!transform.any_op) -> !transform.any_op
    %1 = transform.coconet.fuse %0 as "opt_w" : (!transform.any_op) -> !transform.any_op
    %2 = transform.coconet.match "step_w" in %arg0 : (!transform.any_op) -> !transform.any_op
    %3 = transform.coconet.fuse %2 as "step_w" : (!transform.any_op) -> !transform.any_op
    %4 = transform.coconet.match "opt_b" in %arg0 : (!transform.any_op) -> !transform.any_op
    %5 = transform.coconet.fuse %4 as "opt_b" : (!transform.any_op) -> !transform.any_op
    %6 = transform.coconet.match "step_b" in %arg0 : (!transform.any_op) -> !transform.any_op
    %7 = transform.coconet.fuse %6 as "step_b" : (!transform.any_op) -> !transform.any_op
    transform.yield 
  }
}
