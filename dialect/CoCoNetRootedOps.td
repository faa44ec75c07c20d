//===- CoCoNetRootedOps.td - collectives to and from a root, permute, barrier ===//

#ifndef COCONET_ROOTED_OPS_TD
#define COCONET_ROOTED_OPS_TD

include "CoCoNetCollectiveBase.td"
include "CoCoNetRankBase.td"
include "CoCoNetKernelBase.td"

//===----------------------------------------------------------------------===//
// Distributed programs
//===----------------------------------------------------------------------===//

def CoCoNet_ReduceToRootOp : CoCoNet_CollectiveOp<"reduce_to_root"> {
  let summary = "reduce over a group, result on the member at position `root`";
  let description = [{
    A pending or local value becomes rooted along the axes: along several, each
    axis gets its part of the row-major position `root`. With explicit groups the
    result is local, and members other than the root get zeros. f16 and bf16
    accumulate in f32 in rank order and round once.
  }];
  let arguments = (ins CoCoNet_ReductionAttr:$reduction, CoCoNet_Tensor:$operand,
    I64Attr:$root, OptionalAttr<StrArrayAttr>:$axes, OptionalAttr<ArrayAttr>:$groups);
  let results = (outs CoCoNet_Tensor:$result);
  let assemblyFormat = !strconcat([{ `` $reduction $operand `root` $root }],
    CoCoNet_GroupFormat, CoCoNet_TypeFormat);
}

def CoCoNet_GatherToRootOp : CoCoNet_CollectiveOp<"gather_to_root"> {
  let summary = "concatenate the chunks of a group on the member at position `root`";
  let description = [{
    The axes, a suffix of the list that cuts `dim` (or the flattening, `from
    flat`), are removed from it, and the value is rooted along them. With explicit
    groups, members other than the root get zeros.
  }];
  let arguments = (ins CoCoNet_Tensor:$operand, OptionalAttr<I64Attr>:$dim, I64Attr:$root,
    OptionalAttr<StrArrayAttr>:$axes, OptionalAttr<ArrayAttr>:$groups);
  let results = (outs CoCoNet_Tensor:$result);
  let assemblyFormat = !strconcat([{ $operand `from` custom<CutDim>($dim) `root` $root }],
    CoCoNet_GroupFormat, CoCoNet_TypeFormat);
}

def CoCoNet_ScatterFromRootOp : CoCoNet_CollectiveOp<"scatter_from_root"> {
  let summary = "every member gets its chunk of what the member at position `root` holds";
  let description = [{
    A value rooted at `root` becomes cut along `dim` (or along the flattening,
    `into flat`): the axes are appended to the dimension's list.
  }];
  let arguments = (ins CoCoNet_Tensor:$operand, OptionalAttr<I64Attr>:$dim, I64Attr:$root,
    OptionalAttr<StrArrayAttr>:$axes, OptionalAttr<ArrayAttr>:$groups);
  let results = (outs CoCoNet_Tensor:$result);
  let assemblyFormat = !strconcat([{ $operand `into` custom<CutDim>($dim) `root` $root }],
    CoCoNet_GroupFormat, CoCoNet_TypeFormat);
}

def CoCoNet_PermuteOp : CoCoNet_CollectiveOp<"permute"> {
  let summary = "members pass their values on to others";
  let description = [{
    Each pair `[source, target]` of positions in the group sends one member's
    value to another; sources are distinct, and so are targets. A member that is
    no target gets zeros. The result is local along the axes. A value that they
    cut is taken chunk by chunk, which needs an exact division.
  }];
  let arguments = (ins CoCoNet_Tensor:$operand, ArrayAttr:$pairs,
    OptionalAttr<StrArrayAttr>:$axes, OptionalAttr<ArrayAttr>:$groups);
  let results = (outs CoCoNet_Tensor:$result);
  let assemblyFormat = !strconcat([{ $operand `pairs` custom<Pairs>($pairs) }],
    CoCoNet_GroupFormat, CoCoNet_TypeFormat);
}

def CoCoNet_BarrierOp : CoCoNet_Op<"barrier", [MemoryEffects<[MemWrite]>,
    DeclareOpInterfaceMethods<CoCoNet_CollectiveOpInterface>]> {
  let summary = "no member of a group goes on before all have come here";
  let arguments = (ins CoCoNet_MeshAttr:$mesh, OptionalAttr<StrArrayAttr>:$axes,
                       OptionalAttr<ArrayAttr>:$groups);
  let assemblyFormat = "`on` custom<Group>($axes, $groups) `of` $mesh attr-dict";
  let extraClassDefinition = [{
    ::llvm::SmallVector<::mlir::StringAttr> $cppClass::getGroupAxes() {
      return ::coconet::axisList(getAxesAttr());
    }
    ::mlir::ArrayAttr $cppClass::getGroupLists() { return getGroupsAttr(); }
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Rank programs
//===----------------------------------------------------------------------===//

def CoCoNet_RankReduceToRootOp : CoCoNet_RankCollectiveOp<"reduce_to_root"> {
  let summary = "reduce the members' tensors for the member at position `root`";
  let description = "The other members get zeros.";
  let arguments = (ins CoCoNet_ReductionAttr:$reduction, CoCoNet_Tensor:$operand, I64Attr:$root,
    CoCoNet_MeshAttr:$mesh, OptionalAttr<StrArrayAttr>:$axes, OptionalAttr<ArrayAttr>:$groups);
  let assemblyFormat = !strconcat([{ `` $reduction $operand `root` $root }],
    CoCoNet_RankGroupFormat, CoCoNet_TypeFormat);
}

def CoCoNet_RankGatherToRootOp : CoCoNet_RankCollectiveOp<"gather_to_root"> {
  let summary = "concatenate the members' chunks of a dimension of `size` elements at `root`";
  let description = "The other members get zeros.";
  let arguments = (ins CoCoNet_Tensor:$operand, Index:$size, I64Attr:$dim, I64Attr:$root,
    CoCoNet_MeshAttr:$mesh, OptionalAttr<StrArrayAttr>:$axes, OptionalAttr<ArrayAttr>:$groups);
  let assemblyFormat = !strconcat([{ $operand `size` $size `from` $dim `root` $root }],
    CoCoNet_RankGroupFormat, CoCoNet_TypeFormat);
}

def CoCoNet_RankScatterFromRootOp : CoCoNet_RankCollectiveOp<"scatter_from_root"> {
  let summary = "one's chunk of a dimension of the tensor of the member at position `root`";
  let arguments = (ins CoCoNet_Tensor:$operand, I64Attr:$dim, I64Attr:$root,
    CoCoNet_MeshAttr:$mesh, OptionalAttr<StrArrayAttr>:$axes, OptionalAttr<ArrayAttr>:$groups);
  let assemblyFormat = !strconcat([{ $operand `into` $dim `root` $root }],
    CoCoNet_RankGroupFormat, CoCoNet_TypeFormat);
}

def CoCoNet_RankPermuteOp : CoCoNet_RankCollectiveOp<"permute"> {
  let summary = "the tensor of the member that sends to this one, else zeros";
  let arguments = (ins CoCoNet_Tensor:$operand, ArrayAttr:$pairs,
    CoCoNet_MeshAttr:$mesh, OptionalAttr<StrArrayAttr>:$axes, OptionalAttr<ArrayAttr>:$groups);
  let assemblyFormat = !strconcat([{ $operand `pairs` custom<Pairs>($pairs) }],
    CoCoNet_RankGroupFormat, CoCoNet_TypeFormat);
}

def CoCoNet_RankBarrierOp : CoCoNet_Op<"rank.barrier", [MemoryEffects<[MemWrite]>,
    DeclareOpInterfaceMethods<CoCoNet_CollectiveOpInterface>]> {
  let summary = "wait for all members";
  let description = "Stays until `--coconet-lower-kernels`.";
  let arguments = (ins CoCoNet_MeshAttr:$mesh, OptionalAttr<StrArrayAttr>:$axes,
                       OptionalAttr<ArrayAttr>:$groups);
  let assemblyFormat = "`on` custom<Group>($axes, $groups) `of` $mesh attr-dict";
  let extraClassDefinition = [{
    ::llvm::SmallVector<::mlir::StringAttr> $cppClass::getGroupAxes() {
      return ::coconet::axisList(getAxesAttr());
    }
    ::mlir::ArrayAttr $cppClass::getGroupLists() { return getGroupsAttr(); }
  }];
  let hasVerifier = 1;
}

#endif // COCONET_ROOTED_OPS_TD
