// MM-RS-C-AG
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%arg0: !transform.any_op) {
    %0 = transform.coconet.match "sum" in %arg0 : (!transform.any_op) -> !transform.any_op
    %1:2 = transform.coconet.split %0 into rs_ag dim 1 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %2 = transform.coconet.match "end" in %arg0 : (!transform.any_op) -> !transform.any_op
    %3 = transform.coconet.match "norm" in %arg0 : (!transform.any_op) -> !transform.any_op
    %4 = transform.merge_handles %2, %3 : !transform.any_op
    %5 = transform.coconet.match "sum.ag" in %arg0 : (!transform.any_op) -> !transform.any_op
    %sliced, %gathers = transform.coconet.reorder %5 past %4 : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield 
  }
}
