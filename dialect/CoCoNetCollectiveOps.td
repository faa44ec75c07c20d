//===- CoCoNetCollectiveOps.td - collectives of distributed programs --------===//

#ifndef COCONET_COLLECTIVE_OPS_TD
#define COCONET_COLLECTIVE_OPS_TD

include "CoCoNetCollectiveBase.td"

def CoCoNet_AllReduceOp : CoCoNet_CollectiveOp<"all_reduce"> {
  let summary = "reduce over a group, result on every member";
  let description = [{
    A value pending on the axes with the same reduction becomes replicated; so
    does a local one, with any reduction (`avg` divides by the group size).
    f16 and bf16 accumulate in f32 in rank order and round once.
  }];
  let arguments = (ins CoCoNet_ReductionAttr:$reduction, CoCoNet_Tensor:$operand,
    OptionalAttr<StrArrayAttr>:$axes, OptionalAttr<ArrayAttr>:$groups);
  let results = (outs CoCoNet_Tensor:$result);
  let assemblyFormat = !strconcat([{ `` $reduction $operand }],
    CoCoNet_GroupFormat, CoCoNet_TypeFormat);
}

def CoCoNet_ReduceScatterOp : CoCoNet_CollectiveOp<"reduce_scatter"> {
  let summary = "reduce over a group, each member keeps its chunk";
  let description = [{
    A pending or local value becomes cut along `dim` (or along the flattening,
    `into flat`): the axes are appended to the dimension's list.
  }];
  let arguments = (ins CoCoNet_ReductionAttr:$reduction, CoCoNet_Tensor:$operand,
    OptionalAttr<I64Attr>:$dim,
    OptionalAttr<StrArrayAttr>:$axes, OptionalAttr<ArrayAttr>:$groups);
  let results = (outs CoCoNet_Tensor:$result);
  let assemblyFormat = !strconcat([{ `` $reduction $operand `into` custom<CutDim>($dim) }],
    CoCoNet_GroupFormat, CoCoNet_TypeFormat);
}

def CoCoNet_AllGatherOp : CoCoNet_CollectiveOp<"all_gather"> {
  let summary = "concatenate the chunks of a group on every member";
  let description = [{
    The axes, a suffix of the list that cuts `dim` (or the flattening, `from
    flat`), are removed from it.
  }];
  let arguments = (ins CoCoNet_Tensor:$operand, OptionalAttr<I64Attr>:$dim,
    OptionalAttr<StrArrayAttr>:$axes, OptionalAttr<ArrayAttr>:$groups);
  let results = (outs CoCoNet_Tensor:$result);
  let assemblyFormat = !strconcat([{ $operand `from` custom<CutDim>($dim) }],
    CoCoNet_GroupFormat, CoCoNet_TypeFormat);
}

def CoCoNet_AllToAllOp : CoCoNet_CollectiveOp<"all_to_all"> {
  let summary = "move a cut from one dimension to another";
  let description = [{
    The axes, a suffix of the list that cuts `from_dim`, are removed there and
    appended to the list of `into_dim`. With explicit groups, a local operand is
    split along `into_dim` and the blocks received are concatenated along
    `from_dim`, in order of the senders' positions.
  }];
  let arguments = (ins CoCoNet_Tensor:$operand, I64Attr:$from_dim, I64Attr:$into_dim,
    OptionalAttr<StrArrayAttr>:$axes, OptionalAttr<ArrayAttr>:$groups);
  let results = (outs CoCoNet_Tensor:$result);
  let assemblyFormat = !strconcat([{ $operand `from` $from_dim `into` $into_dim }],
    CoCoNet_GroupFormat, CoCoNet_TypeFormat);
}

def CoCoNet_BroadcastOp : CoCoNet_CollectiveOp<"broadcast"> {
  let summary = "the value of one member on every member";
  let description = "A local value, or one rooted at `root`, becomes replicated along the axes.";
  let arguments = (ins CoCoNet_Tensor:$operand, I64Attr:$root,
    OptionalAttr<StrArrayAttr>:$axes, OptionalAttr<ArrayAttr>:$groups);
  let results = (outs CoCoNet_Tensor:$result);
  let assemblyFormat = !strconcat([{ $operand `root` $root }],
    CoCoNet_GroupFormat, CoCoNet_TypeFormat);
}

def CoCoNet_ShardOp : CoCoNet_Op<"shard", [Pure]> {
  let summary = "keep one's chunk of a replicated value, without communication";
  let description = [{
    The axes, along which the operand is replicated, are appended to the list
    that cuts `dim` (or the flattening, `into flat`). The mesh is the result's.
  }];
  let arguments = (ins CoCoNet_Tensor:$operand, OptionalAttr<I64Attr>:$dim,
                       StrArrayAttr:$axes);
  let results = (outs CoCoNet_Tensor:$result);
  let assemblyFormat = [{
    $operand `into` custom<CutDim>($dim) `on` custom<Axes>($axes) attr-dict `:`
    type($operand) `->` type($result)
  }];
  // The result type that follows from the operand and the result's mesh; null,
  // with an error, where the operand is not acceptable.
  let extraClassDeclaration = [{
    ::mlir::FailureOr<::mlir::RankedTensorType> inferType();
  }];
  let hasVerifier = 1;
}

#endif // COCONET_COLLECTIVE_OPS_TD
