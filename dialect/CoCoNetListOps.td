//===- CoCoNetListOps.td - lists of tensors -----------------------------===//

#ifndef COCONET_LIST_OPS_TD
#define COCONET_LIST_OPS_TD

include "CoCoNetOpBase.td"
include "CoCoNetRankBase.td"
include "CoCoNetKernelBase.td"

def CoCoNet_ForEachOp : CoCoNet_Op<"for_each", [SingleBlock,
    RecursiveMemoryEffects]> {
  let summary = "the same computation for every tensor of a list";
  let description = [{
    `operands` are lists of `count` tensors, one list after the other; so are
    the results. The region is the computation for one tensor of each list, on
    flattenings of unknown size: its argument i stands for the tensors of operand
    list i, its yielded value j for those of result list j. Values from outside
    are used directly.
  }];
  let arguments = (ins I64Attr:$count, Variadic<CoCoNet_Tensor>:$operands);
  let results = (outs Variadic<CoCoNet_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $count `of` `(` $operands `:` type($operands) `)` attr-dict-with-keyword $body
    `->` type($results)
  }];
  let hasRegionVerifier = 1;
}

#endif // COCONET_LIST_OPS_TD
