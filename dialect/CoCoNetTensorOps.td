//===- CoCoNetTensorOps.td - contractions, reductions, shape, state ---------===//

#ifndef COCONET_TENSOR_OPS_TD
#define COCONET_TENSOR_OPS_TD

include "CoCoNetOpBase.td"

//===----------------------------------------------------------------------===//
// Contractions and reductions
//===----------------------------------------------------------------------===//

def CoCoNet_MatmulOp : CoCoNet_IterationOp<"matmul", "Product"> {
  let summary = "matrix product, batched over leading dimensions";
  let description = [{
    The last two dimensions are matrices; leading dimensions are equal, or one
    operand has none and is shared. f16 and bf16 accumulate in f32 and round
    once. A contraction dimension cut on both sides gives a pending sum.
  }];
  let arguments = (ins CoCoNet_NumberTensor:$lhs, CoCoNet_NumberTensor:$rhs,
                       UnitAttr:$transpose_lhs, UnitAttr:$transpose_rhs);
  let results = (outs CoCoNet_NumberTensor:$result);
  let assemblyFormat = [{
    (`transpose_lhs` $transpose_lhs^)? $lhs `,`
    (`transpose_rhs` $transpose_rhs^)? $rhs attr-dict `:`
    type($lhs) `,` type($rhs) `->` type($result)
  }];
}

def CoCoNet_ReduceOp : CoCoNet_IterationOp<"reduce", "Reduce"> {
  let summary = "sum, max, min or mean over dimensions";
  let description = [{
    Over a cut dimension the result is partial; `mean` divides by the logical
    count. f16 and bf16 accumulate in f32 and round once. An empty sum is 0, an
    empty max the smallest value, an empty min the largest.
  }];
  let arguments = (ins CoCoNet_ReduceKindAttr:$kind, CoCoNet_NumberTensor:$operand,
                       DenseI64ArrayAttr:$dims, UnitAttr:$keep_dims);
  let results = (outs CoCoNet_NumberTensor:$result);
  let assemblyFormat = [{
    `` $kind $operand `over` $dims (`keep_dims` $keep_dims^)? attr-dict `:`
    type($operand) `->` type($result)
  }];
}

def CoCoNet_NormOp : CoCoNet_InferredOp<"norm", [Pure]> {
  let summary = "Euclidean norm over all elements";
  let description = [{
    The square root of the sum of squares, a tensor of rank 0. Over cut
    dimensions the squares are summed across ranks, so the result is replicated
    along those axes.
  }];
  let arguments = (ins CoCoNet_FloatTensor:$operand);
  let results = (outs CoCoNet_FloatTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}

def CoCoNet_SoftmaxOp : CoCoNet_InferredOp<"softmax", [Pure]> {
  let summary = "exp(x - max) / sum(exp(x - max)) over one dimension";
  let description = "Over a cut dimension maximum and sum are taken across ranks.";
  let arguments = (ins CoCoNet_FloatTensor:$operand, I64Attr:$dim);
  let results = (outs CoCoNet_FloatTensor:$result);
  let assemblyFormat = [{
    $operand `over` $dim attr-dict `:` type($operand) `->` type($result)
  }];
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

def CoCoNet_ReshapeOp : CoCoNet_Op<"reshape", [Pure]> {
  let summary = "the same elements in row-major order under another shape";
  let description = [{
    Keeps cuts whose boundaries do not move: the cut dimension stays, or is the
    outermost of the dimensions it is merged with or split into and divides
    exactly. Other cuts are refused.
  }];
  let arguments = (ins CoCoNet_Tensor:$operand);
  let results = (outs CoCoNet_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  // The result type that follows from the operand and the result's shape; null,
  // with an error, where the two do not fit.
  let extraClassDeclaration = [{
    ::mlir::FailureOr<::mlir::RankedTensorType> inferType();
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def CoCoNet_TransposeOp : CoCoNet_InferredOp<"transpose", [Pure]> {
  let summary = "permuted dimensions";
  let description = "Dimension i of the result is dimension permutation[i] of the operand.";
  let arguments = (ins CoCoNet_Tensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs CoCoNet_Tensor:$result);
  let assemblyFormat = [{
    $operand `by` $permutation attr-dict `:` type($operand) `->` type($result)
  }];
}

def CoCoNet_SliceOp : CoCoNet_InferredOp<"slice", [Pure]> {
  let summary = "a strided box of a tensor";
  let description = [{
    Per dimension `sizes` elements from `offsets` in steps of `strides`. Size -1
    with offset 0 and stride 1 takes the whole dimension, which may be dynamic or
    cut; a cut dimension is not sliced otherwise.
  }];
  let arguments = (ins CoCoNet_Tensor:$operand, DenseI64ArrayAttr:$offsets,
                       DenseI64ArrayAttr:$sizes, DenseI64ArrayAttr:$strides);
  let results = (outs CoCoNet_Tensor:$result);
  let assemblyFormat = [{
    $operand $offsets $sizes $strides attr-dict `:` type($operand) `->` type($result)
  }];
}

def CoCoNet_ConcatOp : CoCoNet_InferredOp<"concat", [Pure]> {
  let summary = "tensors one after another along a dimension";
  let description = "The dimension is not cut; the other dimensions agree.";
  let arguments = (ins Variadic<CoCoNet_Tensor>:$operands, I64Attr:$dim);
  let results = (outs CoCoNet_Tensor:$result);
  let assemblyFormat = [{
    $operands `along` $dim attr-dict `:` type($operands) `->` type($result)
  }];
}

def CoCoNet_BroadcastToOp : CoCoNet_Op<"broadcast_to", [Pure]> {
  let summary = "a tensor repeated to a larger shape, as numpy broadcasts";
  let description = [{
    A dynamic dimension of the result is a dynamic dimension of the operand.
    Communicates nothing; `broadcast` is the collective.
  }];
  let arguments = (ins CoCoNet_Tensor:$operand);
  let results = (outs CoCoNet_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  // The result type that follows from the operand and the result's shape; null,
  // with an error, where the two do not fit.
  let extraClassDeclaration = [{
    ::mlir::FailureOr<::mlir::RankedTensorType> inferType();
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def CoCoNet_ConstantOp : CoCoNet_InferredOp<"constant", [Pure, ConstantLike]> {
  let summary = "a replicated constant";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs CoCoNet_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def CoCoNet_IotaOp : CoCoNet_Op<"iota", [Pure]> {
  let summary = "the index along one dimension";
  let description = "Element (i_0, i_1, ...) is i_dim. The shape is static and the result replicated.";
  let arguments = (ins I64Attr:$dim);
  let results = (outs CoCoNet_NumberTensor:$result);
  let assemblyFormat = "$dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// State and regions
//===----------------------------------------------------------------------===//

def CoCoNet_UpdateOp : CoCoNet_Op<"update", [AllTypesMatch<["state", "value", "result"]>]> {
  let summary = "the new value of a state tensor";
  let description = [{
    `state` is a function argument marked `coconet.state`; its buffer holds
    `value` afterwards. A state is updated once. The result is the new value;
    the argument itself still means the old one.
  }];
  let arguments = (ins CoCoNet_Tensor:$state, CoCoNet_Tensor:$value);
  let results = (outs CoCoNet_Tensor:$result);
  let assemblyFormat = "$state `,` $value attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def CoCoNet_YieldOp : CoCoNet_Op<"yield", [Pure, Terminator, ReturnLike,
    ParentOneOf<["FusedOp", "SymmetricKernelOp", "ForEachOp", "OverlapOp",
                 "RankStartOp", "ListKernelOp"]>]> {
  let summary = "results of a region";
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

def CoCoNet_FusedOp : CoCoNet_Op<"fused", [SingleBlock,
    RecursiveMemoryEffects]> {
  let summary = "ops that run as one kernel";
  let description = [{
    `computation` holds pointwise ops; `matmul` holds one matmul and pointwise
    ops on its result. `all_reduce` holds one chain: a reduce_scatter, pointwise
    ops on the slices, and an all_gather for each value that is wanted whole; it
    becomes one pass over memory in which every rank reads all ranks' operands of
    its slice and writes results to all ranks (CoCoNet section 3.3).
    `reduce_scatter` is the chain without its end, `all_gather` the one without
    its beginning; `send` ends in a send.

    Reductions of slices to one element (norms) may stand in a chain: the kernel
    then has a phase before and one after each exchange of partial results.
    Values from outside are used directly.
  }];
  let arguments = (ins CoCoNet_FusedKindAttr:$kind);
  let results = (outs Variadic<CoCoNet_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`` $kind $body attr-dict (`:` type($results)^)?";
  // After the ops of the region, which it asks for their iterations.
  let hasRegionVerifier = 1;
}

#endif // COCONET_TENSOR_OPS_TD
