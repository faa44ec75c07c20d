//===- CoCoNetRankOps.td - one rank's view ----------------------------------===//
//
// After `--coconet-to-rank` a function is what one rank runs: tensors are plain
// and hold that rank's data. Computation is the same coconet ops on plain
// tensors; communication is the ops of this file.
//
//===----------------------------------------------------------------------===//

#ifndef COCONET_RANK_OPS_TD
#define COCONET_RANK_OPS_TD

include "CoCoNetKernelBase.td"
include "CoCoNetRankBase.td"

def CoCoNet_RankCoordinateOp : CoCoNet_Op<"rank.coordinate", [Pure]> {
  let summary = "this rank's composed position along axes";
  let arguments = (ins CoCoNet_MeshAttr:$mesh, StrArrayAttr:$axes);
  let results = (outs Index:$result);
  let assemblyFormat = "custom<Axes>($axes) `of` $mesh attr-dict";
  let hasVerifier = 1;
}

def CoCoNet_RankAllReduceOp : CoCoNet_RankCollectiveOp<"all_reduce"> {
  let summary = "all_reduce of the members' tensors";
  let arguments = (ins CoCoNet_ReductionAttr:$reduction, CoCoNet_Tensor:$operand,
    CoCoNet_MeshAttr:$mesh, OptionalAttr<StrArrayAttr>:$axes, OptionalAttr<ArrayAttr>:$groups);
  let assemblyFormat = !strconcat([{ `` $reduction $operand }],
    CoCoNet_RankGroupFormat, CoCoNet_TypeFormat);
}

def CoCoNet_RankReduceScatterOp : CoCoNet_RankCollectiveOp<"reduce_scatter"> {
  let summary = "reduce the members' tensors, keep one's chunk of a dimension";
  let arguments = (ins CoCoNet_ReductionAttr:$reduction, CoCoNet_Tensor:$operand, I64Attr:$dim,
    CoCoNet_MeshAttr:$mesh, OptionalAttr<StrArrayAttr>:$axes, OptionalAttr<ArrayAttr>:$groups);
  let assemblyFormat = !strconcat([{ `` $reduction $operand `into` $dim }],
    CoCoNet_RankGroupFormat, CoCoNet_TypeFormat);
}

def CoCoNet_RankAllGatherOp : CoCoNet_RankCollectiveOp<"all_gather"> {
  let summary = "concatenate the members' chunks of a dimension of `size` elements";
  let arguments = (ins CoCoNet_Tensor:$operand, Index:$size, I64Attr:$dim,
    CoCoNet_MeshAttr:$mesh, OptionalAttr<StrArrayAttr>:$axes, OptionalAttr<ArrayAttr>:$groups);
  let assemblyFormat = !strconcat([{ $operand `size` $size `from` $dim }],
    CoCoNet_RankGroupFormat, CoCoNet_TypeFormat);
}

def CoCoNet_RankAllToAllOp : CoCoNet_RankCollectiveOp<"all_to_all"> {
  let summary = "exchange chunks of `into_dim` for chunks of `from_dim`";
  let description = "`size` is the number of elements of `from_dim` over all members.";
  let arguments = (ins CoCoNet_Tensor:$operand, Index:$size, I64Attr:$from_dim, I64Attr:$into_dim,
    CoCoNet_MeshAttr:$mesh, OptionalAttr<StrArrayAttr>:$axes, OptionalAttr<ArrayAttr>:$groups);
  let assemblyFormat = !strconcat([{ $operand `size` $size `from` $from_dim `into` $into_dim }],
    CoCoNet_RankGroupFormat, CoCoNet_TypeFormat);
}

def CoCoNet_RankBroadcastOp : CoCoNet_RankCollectiveOp<"broadcast"> {
  let summary = "the tensor of the member at position `root`";
  let arguments = (ins CoCoNet_Tensor:$operand, I64Attr:$root,
    CoCoNet_MeshAttr:$mesh, OptionalAttr<StrArrayAttr>:$axes, OptionalAttr<ArrayAttr>:$groups);
  let assemblyFormat = !strconcat([{ $operand `root` $root }],
    CoCoNet_RankGroupFormat, CoCoNet_TypeFormat);
}

def CoCoNet_RankShardOp : CoCoNet_RankOp<"shard", [Pure]> {
  let summary = "one's chunk of a dimension of one's own tensor";
  let arguments = (ins CoCoNet_Tensor:$operand, I64Attr:$dim, CoCoNet_MeshAttr:$mesh,
                       StrArrayAttr:$axes);
  let assemblyFormat = [{
    $operand `into` $dim `on` custom<Axes>($axes) `of` $mesh attr-dict `:`
    type($operand) `->` type($result)
  }];
  let hasVerifier = 1;
}

def CoCoNet_RankReshapeOp : CoCoNet_RankOp<"reshape", [Pure]> {
  let summary = "one's elements in row-major order under another shape";
  let description = "`sizes` are those of the dynamic dimensions of the result, in order.";
  let arguments = (ins CoCoNet_Tensor:$operand, Variadic<Index>:$sizes);
  let assemblyFormat = [{
    $operand `sizes` `(` $sizes `)` attr-dict `:` type($operand) `->` type($result)
  }];
  let hasVerifier = 1;
}

def CoCoNet_RankDropoutOp : CoCoNet_RankOp<"dropout", [Pure, AttrSizedOperandSegments,
    AllTypesMatch<["operand", "result"]>]> {
  let summary = "dropout of one's slice of a larger tensor";
  let description = [{
    The element at local index (i_0, ...) has global row-major index
    sum_d (offsets[d] + i_d) * strides[d]; `coordinate` joins the key as in
    `coconet.dropout`.
  }];
  let arguments = (ins CoCoNet_FloatTensor:$operand, CoCoNet_StepTensor:$step,
    Variadic<Index>:$offsets, Variadic<Index>:$strides, Index:$coordinate,
    F64Attr:$rate, I64Attr:$seed, I64Attr:$stream);
  let assemblyFormat = [{
    $operand `step` $step `at` `(` $offsets `)` `by` `(` $strides `)`
    `coordinate` $coordinate attr-dict `:` type($operand) `,` type($step)
  }];
  let hasVerifier = 1;
}

def CoCoNet_RankCheckSizeOp : CoCoNet_Op<"rank.check_size",
    [MemoryEffects<[MemWrite]>]> {
  let summary = "fail the run unless two sizes agree";
  let description = "`what` says in the message which sizes these are.";
  let arguments = (ins Index:$expected, Index:$actual, StrAttr:$what);
  let assemblyFormat = "$what $expected `,` $actual attr-dict";
}

def CoCoNet_RankCheckFiniteOp : CoCoNet_Op<"rank.check_finite",
    [MemoryEffects<[MemWrite]>]> {
  let summary = "fail the run if an element is infinite or not a number";
  let description = [{
    `what` says in the message whose value it is. Inserted by
    `--coconet-watch-nonfinite`.
  }];
  let arguments = (ins CoCoNet_FloatBuffer:$operand, StrAttr:$what);
  let assemblyFormat = "$what $operand attr-dict `:` type($operand)";
}

#endif // COCONET_RANK_OPS_TD
