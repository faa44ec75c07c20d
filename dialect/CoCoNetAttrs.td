//===- CoCoNetAttrs.td - mesh and layout ------------------------------------===//

#ifndef COCONET_ATTRS_TD
#define COCONET_ATTRS_TD

include "CoCoNetDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/TensorEncoding.td"

class CoCoNet_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<CoCoNet_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def CoCoNet_MeshAttr : CoCoNet_Attr<"Mesh", "mesh"> {
  let summary = "named axes of ranks";
  let description = [{
    Ranks are numbered row-major over the axes. A size `?` is bound when the
    program is compiled.

    ```mlir
    #coconet.mesh<dp = 2, tp = 4>
    #coconet.mesh<dp = ?>
    ```
  }];
  // A size of ShapedType::kDynamic is written `?`.
  let parameters = (ins
    ArrayRefParameter<"::mlir::StringAttr", "axis names">:$axes,
    ArrayRefParameter<"int64_t", "axis sizes">:$sizes);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Position of the axis in the mesh, or -1.
    int64_t indexOf(::llvm::StringRef axis) const;
    bool hasAxis(::llvm::StringRef axis) const { return indexOf(axis) >= 0; }
    /// Size of a known axis; ShapedType::kDynamic where it is open.
    int64_t sizeOf(::llvm::StringRef axis) const;
    /// Distance in rank numbers between neighbours along the axis. The sizes
    /// must be bound.
    int64_t strideOf(::llvm::StringRef axis) const;
    /// Product of the sizes of `axes`; ShapedType::kDynamic where one is open.
    int64_t sizeOf(::llvm::ArrayRef<::mlir::StringAttr> axes) const;
    /// Number of ranks; ShapedType::kDynamic where a size is open.
    int64_t getNumRanks() const { return sizeOf(getAxes()); }
  }];
}

def CoCoNet_LayoutAttr : CoCoNet_Attr<"Layout", "layout", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "how the logical value of a tensor lies on a mesh";
  let description = [{
    The encoding of a builtin tensor. No encoding means replicated, and is the
    only spelling of it.

    - A list per dimension, such as `{tp, dp}`: the axes that cut it, major to
      minor. With k the product of their sizes and c = ceil(n / k), position i holds
      elements i c to min(i c + c, n); trailing chunks may be short or empty.
    - `flat = {dp}`: the row-major flattening is cut the same way.
    - `partial = {dp : sum}`: the logical value is that reduction of what the
      ranks along the axis hold (sum, max or min).
    - `local = {dp}`: ranks along the axis hold unrelated values. The shape in
      the type is then that of one rank; otherwise it is the logical shape.
    - `rooted = {dp : 0}`: only the rank at that position holds the value.

    Every axis is used at most once; unused axes are replicated.

  }] # "\n    ```mlir\n    tensor<8x4xf32, #coconet.layout<#coconet.mesh<dp = 2, tp = 2>, [{dp}, {"#"}], partial = {tp : sum}>>\n    ```\n";
  let parameters = (ins
    "MeshAttr":$mesh,
    // One array of axis names per dimension; empty where no dimension is cut.
    "::mlir::ArrayAttr":$dims,
    "::mlir::ArrayAttr":$flat,
    "::mlir::DictionaryAttr":$partial,  // axis -> ReductionAttr
    "::mlir::ArrayAttr":$local,
    "::mlir::DictionaryAttr":$rooted);  // axis -> IntegerAttr (i64)
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // COCONET_ATTRS_TD
