// AR-Opt
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%arg0: !transform.any_op) {
    %0 = transform.coconet.match "opt_p" in %arg0 : (!transform.any_op) -> !transform.any_op
    %1 = transform.coconet.fuse %0 as "opt_p" : (!transform.any_op) -> !transform.any_op
    transform.yield 
  }
}
