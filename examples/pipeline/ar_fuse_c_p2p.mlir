// AR-fuse(C-P2P)
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%arg0: !transform.any_op) {
    %0 = transform.coconet.match "end" in %arg0 : (!transform.any_op) -> !transform.any_op
    %1 = transform.coconet.match "boundary" in %arg0 : (!transform.any_op) -> !transform.any_op
    %2 = transform.coconet.fuse %0, %1 as "end" : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield 
  }
}
