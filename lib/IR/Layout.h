//===- Layout.h - layouts as a value ----------------------------*- C++ -*-===//

#ifndef COCONET_IR_LAYOUT_H
#define COCONET_IR_LAYOUT_H

#include "IR/CoCoNet.h"

namespace coconet {

using AxisList = llvm::SmallVector<mlir::StringAttr, 2>;

/// A LayoutAttr taken apart, to be edited and put together again. Without mesh:
/// replicated.
struct Layout {
  MeshAttr mesh;
  /// One list per dimension of the tensor, major to minor.
  llvm::SmallVector<AxisList, 4> dims;
  AxisList flat;
  llvm::SmallVector<std::pair<mlir::StringAttr, Reduction>, 2> partial;
  AxisList local;
  llvm::SmallVector<std::pair<mlir::StringAttr, int64_t>, 2> rooted;

  /// The layout of a tensor type.
  static Layout of(mlir::RankedTensorType type);
  static Layout of(mlir::Value value);
  /// Replicated, for a tensor of that rank.
  static Layout replicated(int64_t rank, MeshAttr mesh = {});

  /// `type` with this layout in place of its own.
  mlir::RankedTensorType apply(mlir::RankedTensorType type) const;
  /// The encoding; null when replicated.
  mlir::Attribute encoding() const;

  bool isReplicated() const;
  bool isReplicatedAlong(mlir::StringAttr axis) const;
  bool isCut() const;
  /// Dimension that the axis cuts, or -1.
  int64_t dimCutBy(mlir::StringAttr axis) const;
  bool isFlatAlong(mlir::StringAttr axis) const;
  std::optional<Reduction> partialAlong(mlir::StringAttr axis) const;
  bool isLocalAlong(mlir::StringAttr axis) const;
  std::optional<int64_t> rootAlong(mlir::StringAttr axis) const;

  /// What the axis does, in words: "replicated", "cut along dimension 0", ...
  std::string describe(mlir::StringAttr axis) const;
};

/// Whether the type is a tensor of exactly one element.
bool isOneElement(mlir::Type type);

/// A reduction, within a rank or across ranks, whose result is one element; a
/// fused region may hold it, and becomes a kernel of two phases.
bool isScalarReduction(mlir::Operation *op);

/// `{dp, tp}`.
std::string formatAxes(llvm::ArrayRef<mlir::StringAttr> axes);

/// A size as a type prints it: `?` where it is open.
std::string formatSize(int64_t size);

/// `<dp = 2, tp = 4>`.
std::string formatMesh(MeshAttr mesh);

/// Whether `suffix` is the end of `list`.
bool isSuffix(llvm::ArrayRef<mlir::StringAttr> suffix,
              llvm::ArrayRef<mlir::StringAttr> list);

/// Whether a dimension of `size` elements divides exactly by the axes. Open
/// sizes are assumed to; binding the mesh checks again.
bool dividesExactly(int64_t size, llvm::ArrayRef<mlir::StringAttr> axes,
                    MeshAttr mesh);

/// The layout with the axes taken out of its cuts, partial, local and rooted
/// parts.
Layout withoutAxes(Layout layout, llvm::ArrayRef<mlir::StringAttr> axes);

} // namespace coconet

#endif // COCONET_IR_LAYOUT_H
