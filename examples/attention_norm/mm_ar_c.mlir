// MM-AR-C
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%arg0: !transform.any_op) {
    %0 = transform.coconet.match "end" in %arg0 : (!transform.any_op) -> !transform.any_op
    %1 = transform.coconet.fuse %0 as "end" : (!transform.any_op) -> !transform.any_op
    transform.yield 
  }
}
