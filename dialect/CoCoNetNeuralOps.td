//===- CoCoNetNeuralOps.td - layers of neural networks ----------------------===//

#ifndef COCONET_NEURAL_OPS_TD
#define COCONET_NEURAL_OPS_TD

include "CoCoNetOpBase.td"
include "CoCoNetKernelBase.td"

// An index; what lies outside of the indexed dimension is allowed and defined.
def CoCoNet_IndexTensor : CoCoNet_TensorOf<[I32, I64]>;

// Like CoCoNet_IterationOp, with a linearity that may depend on attributes.
class CoCoNet_NeuralOp<string mnemonic> : CoCoNet_InferredOp<mnemonic, [Pure,
    DeclareOpInterfaceMethods<CoCoNet_IterationOpInterface>]> {
  let extraClassDeclaration = [{
    /// The iteration of an op with these operands and attributes; failure, with
    /// a message at `location` if there is one, where they do not fit.
    static ::mlir::FailureOr<::coconet::Iteration>
    buildIteration(Adaptor adaptor, ::std::optional<::mlir::Location> location);
    static ::coconet::Linearity linearityOf(Adaptor adaptor);
  }];
  let extraClassDefinition = [{
    ::mlir::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, ::std::optional<::mlir::Location> location,
        $cppClass::Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      auto iteration = buildIteration(adaptor, location);
      if (::mlir::failed(iteration))
        return ::mlir::failure();
      return ::coconet::inferIterationType(getOperationName(), *iteration,
                                           adaptor.getOperands(), linearityOf(adaptor),
                                           /*monotone=*/false, location, types);
    }
    ::coconet::Iteration $cppClass::getIteration() {
      return *buildIteration(Adaptor(*this), ::std::nullopt);
    }
    bool $cppClass::isLinearIn(const ::llvm::SmallBitVector &operands) {
      return ::coconet::isLinearIn(linearityOf(Adaptor(*this)), operands,
                                   (*this)->getOperandTypes(),
                                   (*this)->getResult(0).getType());
    }
  }];
}

//===----------------------------------------------------------------------===//
// Composites: --coconet-decompose expands them
//===----------------------------------------------------------------------===//

def CoCoNet_LayerNormOp : CoCoNet_InferredOp<"layer_norm", [Pure,
    AttrSizedOperandSegments]> {
  let summary = "(x - mean) / sqrt(variance + eps), scaled and shifted";
  let description = [{
    Mean and variance (divided by the count) are taken over `dims`, across ranks
    where one of them is cut. `scale` and `bias` broadcast to the operand as in
    numpy, and are replicated or cut like the dimension. f16 and bf16 are
    computed in f32 and round once.
  }];
  let arguments = (ins CoCoNet_FloatTensor:$operand,
    Optional<CoCoNet_FloatTensor>:$scale, Optional<CoCoNet_FloatTensor>:$bias,
    DenseI64ArrayAttr:$dims, F64Attr:$eps);
  let results = (outs CoCoNet_FloatTensor:$result);
  let assemblyFormat = [{
    $operand (`scale` $scale^)? (`bias` $bias^)? `over` $dims `eps` $eps attr-dict
    `:` functional-type(operands, results)
  }];
}

def CoCoNet_RmsNormOp : CoCoNet_InferredOp<"rms_norm", [Pure]> {
  let summary = "x / sqrt(mean of x^2 + eps), scaled";
  let description = "As `layer_norm`, without mean and bias.";
  let arguments = (ins CoCoNet_FloatTensor:$operand,
    Optional<CoCoNet_FloatTensor>:$scale, DenseI64ArrayAttr:$dims, F64Attr:$eps);
  let results = (outs CoCoNet_FloatTensor:$result);
  let assemblyFormat = [{
    $operand (`scale` $scale^)? `over` $dims `eps` $eps attr-dict
    `:` functional-type(operands, results)
  }];
}

def CoCoNet_CrossEntropyOp : CoCoNet_InferredOp<"cross_entropy", [Pure]> {
  let summary = "-log softmax(logits)[label], one loss an example";
  let description = [{
    `labels` and the losses have the shape of `logits` without `dim`. Over a cut
    `dim` maximum, sum and the label's logit are taken across ranks, so that the
    loss is replicated along those axes. A label out of range picks nothing: its
    loss is log(sum(exp(x - max x))). f16 and bf16 are computed in f32 and round
    once.
  }];
  let arguments = (ins CoCoNet_FloatTensor:$logits, CoCoNet_IndexTensor:$labels,
                       I64Attr:$dim);
  let results = (outs CoCoNet_FloatTensor:$result);
  let assemblyFormat = [{
    $logits `,` $labels `over` $dim attr-dict `:` functional-type(operands, results)
  }];
}

//===----------------------------------------------------------------------===//
// By index
//===----------------------------------------------------------------------===//

def CoCoNet_PickOp : CoCoNet_NeuralOp<"pick"> {
  let summary = "one element along a dimension, by index";
  let description = [{
    `indices` and the result have the shape of the operand without `dim`. An
    index outside of the dimension, a negative one too, gives 0. A cut `dim`
    gives a pending sum: each rank picks what it has.
  }];
  let arguments = (ins CoCoNet_NumberTensor:$operand, CoCoNet_IndexTensor:$indices,
                       I64Attr:$dim);
  let results = (outs CoCoNet_NumberTensor:$result);
  let assemblyFormat = [{
    $operand `,` $indices `over` $dim attr-dict `:` functional-type(operands, results)
  }];
}

def CoCoNet_TakeOp : CoCoNet_NeuralOp<"take"> {
  let summary = "rows of a table, by index";
  let description = [{
    The result has the shape of `indices` followed by that of a row. An index
    outside of the table, a negative one too, gives zeros. With rows cut the
    result is a pending sum: each rank gives the rows it has. Linear in the
    table.
  }];
  let arguments = (ins CoCoNet_NumberTensor:$table, CoCoNet_IndexTensor:$indices);
  let results = (outs CoCoNet_NumberTensor:$result);
  let assemblyFormat = [{
    $table `,` $indices attr-dict `:` functional-type(operands, results)
  }];
}

def CoCoNet_ScatterAddOp : CoCoNet_NeuralOp<"scatter_add"> {
  let summary = "zeros with updates added to rows, by index";
  let description = [{
    `updates` has the shape of `indices` followed by that of a row; the result
    has `rows` rows. Updates of one row add in the order of the indices, f16 and
    bf16 in f32, rounded once. An index outside of the rows, a negative one too,
    adds nothing. Where updates and indices are cut alike the result is a
    pending sum. Linear in the updates; the gradient of `take`.
  }];
  let arguments = (ins CoCoNet_NumberTensor:$updates, CoCoNet_IndexTensor:$indices,
                       I64Attr:$rows);
  let results = (outs CoCoNet_NumberTensor:$result);
  let assemblyFormat = [{
    $updates `at` $indices `into` $rows attr-dict `:` functional-type(operands, results)
  }];
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

def CoCoNet_PadOp : CoCoNet_NeuralOp<"pad"> {
  let summary = "a tensor with a value around it";
  let description = [{
    `low` and `high` elements before and behind each dimension; a padded
    dimension is not cut. Linear where the value is 0.
  }];
  let arguments = (ins CoCoNet_NumberTensor:$operand, DenseI64ArrayAttr:$low,
                       DenseI64ArrayAttr:$high, F64Attr:$value);
  let results = (outs CoCoNet_NumberTensor:$result);
  let assemblyFormat = [{
    $operand `low` $low `high` $high `with` $value attr-dict `:`
    type($operand) `->` type($result)
  }];
}

def CoCoNet_Conv2dOp : CoCoNet_NeuralOp<"conv2d"> {
  let summary = "two-dimensional convolution (cross-correlation) of images";
  let description = [{
    Input [N, C, H, W], weight [O, C / groups, KH, KW], result [N, O, OH, OW] with
    OH = (H + 2 padding - dilation (KH - 1) - 1) / stride + 1; padding is with
    zeros. Cut images stay cut, cut result channels too; input channels cut on
    both sides give a pending sum; H, W, KH, KW are not cut, and with groups no
    channels are. f16 and bf16 accumulate in f32 and round once.
  }];
  let arguments = (ins CoCoNet_NumberTensor:$input, CoCoNet_NumberTensor:$weight,
    DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$padding,
    DenseI64ArrayAttr:$dilations, I64Attr:$groups);
  let results = (outs CoCoNet_NumberTensor:$result);
  let assemblyFormat = [{
    $input `,` $weight `strides` $strides `padding` $padding `dilations` $dilations
    `groups` $groups attr-dict `:` type($input) `,` type($weight) `->` type($result)
  }];
}

def CoCoNet_Conv2dInputGradientOp : CoCoNet_NeuralOp<"conv2d_input_gradient"> {
  let summary = "gradient of conv2d by its input";
  let description = [{
    `sizes` is [H, W] of the input. Cut images stay cut, cut input channels too;
    result channels of the convolution cut on both sides give a pending sum.
  }];
  let arguments = (ins CoCoNet_NumberTensor:$gradient, CoCoNet_NumberTensor:$weight,
    DenseI64ArrayAttr:$sizes, DenseI64ArrayAttr:$strides,
    DenseI64ArrayAttr:$padding, DenseI64ArrayAttr:$dilations, I64Attr:$groups);
  let results = (outs CoCoNet_NumberTensor:$result);
  let assemblyFormat = [{
    $gradient `,` $weight `sizes` $sizes `strides` $strides `padding` $padding
    `dilations` $dilations `groups` $groups attr-dict `:`
    type($gradient) `,` type($weight) `->` type($result)
  }];
}

def CoCoNet_Conv2dWeightGradientOp : CoCoNet_NeuralOp<"conv2d_weight_gradient"> {
  let summary = "gradient of conv2d by its weight";
  let description = [{
    `sizes` is [KH, KW] of the weight. Images cut on both sides give a pending
    sum; cut channels of either side stay cut.
  }];
  let arguments = (ins CoCoNet_NumberTensor:$input, CoCoNet_NumberTensor:$gradient,
    DenseI64ArrayAttr:$sizes, DenseI64ArrayAttr:$strides,
    DenseI64ArrayAttr:$padding, DenseI64ArrayAttr:$dilations, I64Attr:$groups);
  let results = (outs CoCoNet_NumberTensor:$result);
  let assemblyFormat = [{
    $input `,` $gradient `sizes` $sizes `strides` $strides `padding` $padding
    `dilations` $dilations `groups` $groups attr-dict `:`
    type($input) `,` type($gradient) `->` type($result)
  }];
}

def CoCoNet_Pool2dOp : CoCoNet_NeuralOp<"pool2d"> {
  let summary = "maximum or mean over windows of images";
  let description = [{
    Input [N, C, H, W]; sizes follow as for `conv2d`. Padding is smaller than the
    window. `max` ignores it; `mean` counts it as zeros and divides by the size
    of the window. H and W are not cut. `max` passes a pending max, `mean` a
    pending sum. f16 and bf16 accumulate in f32 and round once.
  }];
  let arguments = (ins CoCoNet_ReduceKindAttr:$kind, CoCoNet_NumberTensor:$input,
    DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides,
    DenseI64ArrayAttr:$padding);
  let results = (outs CoCoNet_NumberTensor:$result);
  let assemblyFormat = [{
    `` $kind $input `window` $window `strides` $strides `padding` $padding attr-dict
    `:` type($input) `->` type($result)
  }];
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

def CoCoNet_ScatterRowsOp : CoCoNet_SingleInitKernelOp<"scatter_rows"> {
  let summary = "add updates to rows of `init`, in the order of the indices";
  let description = [{
    As `coconet.scatter_add`, on top of what `init` holds; its element type may be
    wider than that of the updates.
  }];
  let arguments = (ins CoCoNet_Buffer:$updates, CoCoNet_Buffer:$indices,
                       CoCoNet_Buffer:$init);
  let assemblyFormat = [{
    `ins` `(` $updates `,` $indices `:` type($updates) `,` type($indices) `)`
    `outs` `(` $init `:` type($init) `)` attr-dict (`->` type($result)^)?
  }];
}

#endif // COCONET_NEURAL_OPS_TD
