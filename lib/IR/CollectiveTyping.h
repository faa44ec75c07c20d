//===- CollectiveTyping.h - what collectives' typing shares -----*- C++ -*-===//

#ifndef COCONET_IR_COLLECTIVETYPING_H
#define COCONET_IR_COLLECTIVETYPING_H

#include "IR/Groups.h"
#include "IR/Layout.h"
#include "IR/Refusal.h"

namespace coconet {

/// On a cast that does the one rounding of a reduction in levels; comparisons
/// take it for what it stands for.
inline constexpr llvm::StringLiteral roundingAttr = "coconet.rounding";

/// What the typing rules of all collectives share: operand, its layout, and the
/// axes or lists that name the group.
class Collective {
public:
  Collective(CollectiveOpInterface op)
      : op(op), operand(op->getOperand(0)),
        type(llvm::cast<mlir::RankedTensorType>(operand.getType())),
        layout(Layout::of(operand)), axes(op.getGroupAxes()),
        lists(op.getGroupLists()) {}

  mlir::LogicalResult refuse(const llvm::Twine &message,
                             const llvm::Twine &remedy) {
    return coconet::refuse(op, message, remedy);
  }

  /// The group is named by axes of the operand's mesh, once each.
  mlir::LogicalResult verifyAxes();
  /// Every axis does the same to the operand: `is(axis)` holds for all.
  bool all(llvm::function_ref<bool(mlir::StringAttr)> is) {
    return llvm::all_of(axes, is);
  }
  std::string describe() {
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::interleave(
        axes, os,
        [&](mlir::StringAttr axis) {
          os << layout.describe(axis) << " along axis '" << axis.getValue()
             << "'";
        },
        " and ");
    return text;
  }
  /// With explicit groups the operand is local wherever members differ.
  mlir::LogicalResult verifyLists(bool equalSizes);
  int64_t groupSize() {
    return lists ? llvm::cast<mlir::DenseI64ArrayAttr>(lists[0]).size()
                 : layout.mesh.sizeOf(axes);
  }
  /// Check that `dim` is one of the operand's.
  mlir::LogicalResult verifyDim(int64_t dim);
  /// Check that cutting `dim` further is one flat cut, and append the axes.
  mlir::LogicalResult appendCut(Layout &result, std::optional<int64_t> dim);
  /// Check that the axes end the list that cuts `dim`, and remove them.
  mlir::LogicalResult removeCut(Layout &result, std::optional<int64_t> dim);
  /// Check that `root` is a position in every group.
  mlir::LogicalResult verifyRoot(int64_t root);
  /// Position along each axis of the member at `root`, which needs sizes.
  mlir::FailureOr<llvm::SmallVector<int64_t>> rootPositions(int64_t root);
  /// Check that the operand is rooted at `root`; `accepted` is for the remedy.
  mlir::LogicalResult verifyRooted(int64_t root, llvm::StringRef accepted);
  /// Make the value rooted at `root` along the axes.
  mlir::LogicalResult setRoot(Layout &result, int64_t root);

  CollectiveOpInterface op;
  mlir::Value operand;
  mlir::RankedTensorType type;
  Layout layout;
  llvm::SmallVector<mlir::StringAttr> axes;
  mlir::ArrayAttr lists;
};

/// Check a reduction's operand: pending with the same reduction, or local, along
/// all axes of the group.
mlir::LogicalResult verifyReduced(Collective &c, Reduction reduction);

/// Check that the group is named once, and the result type against the one
/// inferred.
mlir::LogicalResult verifyResult(
    mlir::Operation *op,
    llvm::function_ref<mlir::FailureOr<mlir::RankedTensorType>()> infer);

template <typename OpTy> mlir::LogicalResult verifyCollective(OpTy op) {
  return verifyResult(op, [&] { return op.inferType(); });
}

} // namespace coconet

#endif // COCONET_IR_COLLECTIVETYPING_H
