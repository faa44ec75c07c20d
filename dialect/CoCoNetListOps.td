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
    row-major flattenings of unknown size: its argument i stands for the tensors
    of operand list i, its yielded value j for those of result list j.

    - The tensors of a list have one element type and one layout, which is that of
      the argument too: replicated, partial, local and rooted stay, `flat = {dp}`
      stays (or is written as a cut of the argument's only dimension). Tensors
      cut along a dimension are refused, since their slices are not contiguous.
    - Tensors at one position of all lists have the same number of elements. A
      yielded flattening takes the shape that the first list has there; a yielded
      scalar, such as a norm, stays one.
    - Values from outside are used directly, if they are single elements. State is
      updated outside.

    A region of one collective, or of one fused region, is one kernel for the
    whole list, without copies; others become one kernel an op.

    In rank programs a list may be one of sizes (`index`), and the tensors are
    those of one rank, of any size.

    ```mlir
    %s:2 = coconet.for_each 2 of (%g0, %g1 : tensor<8x4xf32, #pending>, tensor<3xf32, #pending>) {
    ^bb0(%g: tensor<?xf32, #pending>):
      %sum = coconet.all_reduce sum %g on {dp} : tensor<?xf32, #pending> -> tensor<?xf32>
      coconet.yield %sum : tensor<?xf32>
    } -> tensor<8x4xf32>, tensor<3xf32>
    ```
  }];
  let arguments = (ins I64Attr:$count,
                       Variadic<AnyTypeOf<[CoCoNet_Tensor, Index]>>:$operands);
  let results = (outs Variadic<CoCoNet_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $count `of` `(` $operands `:` type($operands) `)` attr-dict-with-keyword $body
    `->` type($results)
  }];
  let extraClassDeclaration = [{
    /// The tensors of an operand or result list, in order.
    ::mlir::OperandRange operandsOf(unsigned list) {
      return getOperands().slice(list * getCount(), getCount());
    }
    ::mlir::ResultRange resultsOf(unsigned list) {
      return getResults().slice(list * getCount(), getCount());
    }
    /// What stands for an operand list in the region.
    ::mlir::BlockArgument argumentOf(unsigned list) {
      return getBody().getArgument(list);
    }
    YieldOp getYield() {
      return ::llvm::cast<YieldOp>(getBody().front().getTerminator());
    }
  }];
  let hasRegionVerifier = 1;
}

def CoCoNet_ListKernelOp : CoCoNet_KernelOp<"list_kernel",
    [AttrSizedOperandSegments, SingleBlock]> {
  let summary = "one pass over this rank's chunks of the tensors of lists";
  let description = [{
    `inputs` and `inits` are lists of `count` contiguous tensors, one list after
    the other. The members of the group enter once. For each position each of
    them iterates over its chunk of the flattening of the tensors there: per
    element the body gets one scalar an input list and one for each of `scalars`,
    which are single elements for all positions, and yields one an init list.
    `accesses` says how the tensors of each input list and then of each init list
    are used, as in `symmetric_kernel`; those of a `shared` and of a `fold` list
    are single elements. `reductions` names those of the `reduce` and `fold`
    lists.

    With `root` all inputs are those of the member there, and every member makes
    all elements for itself. Without `mesh` nobody else takes part, and a tensor is
    one chunk.

    An init may be the buffer of an input at the same position.
  }];
  let arguments = (ins I64Attr:$count, Variadic<CoCoNet_Buffer>:$inputs,
    Variadic<CoCoNet_Buffer>:$scalars, Variadic<CoCoNet_Buffer>:$inits,
    TypedArrayAttrBase<CoCoNet_AccessAttr, "accesses">:$accesses,
    TypedArrayAttrBase<CoCoNet_ReductionAttr, "reductions">:$reductions,
    OptionalAttr<I64Attr>:$root, OptionalAttr<CoCoNet_MeshAttr>:$mesh,
    OptionalAttr<StrArrayAttr>:$axes, OptionalAttr<ArrayAttr>:$groups);
  let results = (outs Variadic<CoCoNet_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $count (`root` $root^)? (`on` custom<Group>($axes, $groups) `of` $mesh^)?
    `ins` `(` ($inputs^ `:` type($inputs))? `)`
    (`with` `(` $scalars^ `:` type($scalars) `)`)?
    `outs` `(` $inits `:` type($inits) `)` attr-dict-with-keyword
    $body (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitsMutable(); }
    unsigned getNumInputLists() { return getInputs().size() / getCount(); }
    unsigned getNumInitLists() { return getInits().size() / getCount(); }
    /// Access of an input list, or, counted on, of an init list.
    ::coconet::Access accessOf(unsigned list) {
      return ::llvm::cast<AccessAttr>(getAccesses()[list]).getValue();
    }
    /// List, counted as for `accessOf`, and position of an operand; nullopt for
    /// one of the scalars.
    ::std::optional<::std::pair<unsigned, int64_t>> placeOf(unsigned operand);
  }];
  let hasVerifier = 1;
}

def CoCoNet_AddressTableOp : CoCoNet_Op<"address_table",
    [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a table, on the stack, of the addresses of buffers";
  let description = [{
    A pointer to one address a buffer, of element 0, in order. Runs of arguments of
    the function are filled in by a loop.
  }];
  let arguments = (ins Variadic<CoCoNet_Buffer>:$buffers);
  let results = (outs AnyType:$table);
  let assemblyFormat = "$buffers attr-dict `:` type($buffers) `->` type($table)";
}

#endif // COCONET_LIST_OPS_TD
