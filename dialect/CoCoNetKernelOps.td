//===- CoCoNetKernelOps.td - kernels of one rank ----------------------------===//
//
// What `--coconet-to-kernels` makes of communication and matrix products:
// destination-style ops over tensors, later over buffers. `mesh` is bound.
//
//===----------------------------------------------------------------------===//

#ifndef COCONET_KERNEL_OPS_TD
#define COCONET_KERNEL_OPS_TD

include "CoCoNetKernelBase.td"

def CoCoNet_SymmetricKernelOp : CoCoNet_KernelOp<"symmetric_kernel",
    [AttrSizedOperandSegments, SingleBlock]> {
  let summary = "one pass over this rank's chunk of tensors that all members hold";
  let description = [{
    The members of the group enter together. Each iterates over its chunk of
    dimension `dim` of a box (or, without `dim`, of the flattening): per element
    the body gets one scalar an input and yields one an init. `accesses` says
    how each input and then each init is used, `maps` at which element of the
    box; a constant 0 in a map repeats a dimension of size 1. `reductions` names
    those of the `reduce` inputs, which combine in rank order, and then those of
    the `fold` inits, which combine the elements of the chunk. f16 and bf16 add in
    f32 and round once, or not at all where the body takes a wider element.

    Element e of all members' tensors is read and written by one rank alone, so
    an init may be the buffer of an input with the same access pattern.

    With `root`, `slice` reads the tensor of the member at that position, and
    `gather` writes its tensor alone; that of other members becomes zero. With
    `coconet.algorithm = "one_shot"` each member iterates over the whole box and
    `gather` writes its own tensor; then no reduced input is an init's buffer.
  }];
  let arguments = (ins Variadic<CoCoNet_Buffer>:$inputs,
    Variadic<CoCoNet_Buffer>:$inits, AffineMapArrayAttr:$maps,
    TypedArrayAttrBase<CoCoNet_AccessAttr, "accesses">:$accesses,
    TypedArrayAttrBase<CoCoNet_ReductionAttr, "reductions">:$reductions,
    OptionalAttr<I64Attr>:$dim, CoCoNet_MeshAttr:$mesh,
    OptionalAttr<StrArrayAttr>:$axes, OptionalAttr<ArrayAttr>:$groups,
    OptionalAttr<I64Attr>:$root);
  let results = (outs Variadic<CoCoNet_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    custom<CutDim>($dim) (`root` $root^)? `on` custom<Group>($axes, $groups) `of` $mesh
    `ins` `(` ($inputs^ `:` type($inputs))? `)`
    `outs` `(` $inits `:` type($inits) `)` attr-dict-with-keyword
    $body (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitsMutable(); }
    ::coconet::Access accessOf(unsigned operand) {
      return ::llvm::cast<AccessAttr>(getAccesses()[operand]).getValue();
    }
    ::mlir::AffineMap mapOf(unsigned operand) {
      return ::llvm::cast<::mlir::AffineMapAttr>(getMaps()[operand]).getValue();
    }
    /// Of an input that is reduced, or an init that is folded.
    ::coconet::Reduction reductionOf(unsigned operand);
    /// Every member does all the work for itself.
    bool isOneShot() {
      auto name = (*this)->getAttrOfType<::mlir::StringAttr>(algorithmAttr);
      return name && name.getValue() == "one_shot";
    }
  }];
  let hasVerifier = 1;
}

def CoCoNet_KernelIndexOp : CoCoNet_Op<"kernel_index", [Pure,
    HasParent<"SymmetricKernelOp">]> {
  let summary = "index along a dimension of the chunk in the body of a kernel";
  let arguments = (ins I64Attr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$dim attr-dict";
  let hasVerifier = 1;
}

def CoCoNet_SymmetricPermuteOp : CoCoNet_SingleInitKernelOp<"symmetric_permute"> {
  let summary = "copy the tensor of one member, or zeros";
  let description = [{
    `sources` has for each position in the group that of the member whose tensor
    is copied, or -1 for zeros. Positions behind its end do not occur.
  }];
  let arguments = (ins CoCoNet_Buffer:$input, CoCoNet_Buffer:$init, DenseI64ArrayAttr:$sources,
    CoCoNet_MeshAttr:$mesh, OptionalAttr<StrArrayAttr>:$axes, OptionalAttr<ArrayAttr>:$groups);
  let assemblyFormat = [{
    `from` $sources `on` custom<Group>($axes, $groups) `of` $mesh
    `ins` `(` $input `:` type($input) `)` `outs` `(` $init `:` type($init) `)`
    attr-dict (`->` type($result)^)?
  }];
  let hasVerifier = 1;
}

def CoCoNet_SymmetricAllToAllOp : CoCoNet_SingleInitKernelOp<"symmetric_all_to_all"> {
  let summary = "copy one's chunk of `into_dim` from every member, one after another along `from_dim`";
  let arguments = (ins CoCoNet_Buffer:$input, CoCoNet_Buffer:$init, I64Attr:$from_dim, I64Attr:$into_dim,
    CoCoNet_MeshAttr:$mesh, OptionalAttr<StrArrayAttr>:$axes, OptionalAttr<ArrayAttr>:$groups);
  let assemblyFormat = [{
    `from` $from_dim `into` $into_dim `on` custom<Group>($axes, $groups) `of` $mesh
    `ins` `(` $input `:` type($input) `)` `outs` `(` $init `:` type($init) `)`
    attr-dict (`->` type($result)^)?
  }];
  let hasVerifier = 1;
}

def CoCoNet_GemmOp : CoCoNet_SingleInitKernelOp<"gemm"> {
  let summary = "matrix product of f32, f64 or integer matrices, by the run-time library";
  let description = "As `coconet.matmul`; writes all of `init`.";
  let arguments = (ins CoCoNet_Buffer:$lhs, CoCoNet_Buffer:$rhs, CoCoNet_Buffer:$init,
                       UnitAttr:$transpose_lhs, UnitAttr:$transpose_rhs);
  let assemblyFormat = [{
    `ins` `(` (`transpose_lhs` $transpose_lhs^)? $lhs `,`
    (`transpose_rhs` $transpose_rhs^)? $rhs `:` type($lhs) `,` type($rhs) `)`
    `outs` `(` $init `:` type($init) `)` attr-dict (`->` type($result)^)?
  }];
  let hasVerifier = 1;
}

#endif // COCONET_KERNEL_OPS_TD
