// ol(A2A, MM, A2A)
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%arg0: !transform.any_op) {
    %0 = transform.coconet.match "dispatch" in %arg0 : (!transform.any_op) -> !transform.any_op
    %1 = transform.coconet.match "experts" in %arg0 : (!transform.any_op) -> !transform.any_op
    %2 = transform.coconet.match "combine" in %arg0 : (!transform.any_op) -> !transform.any_op
    %3 = transform.coconet.overlap %0, %1, %2 chunks 2 along 2 as "layer" : (!transform.any_op, !transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield 
  }
}
