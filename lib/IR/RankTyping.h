//===- RankTyping.h - what ops of rank programs check -----------*- C++ -*-===//

#ifndef COCONET_IR_RANKTYPING_H
#define COCONET_IR_RANKTYPING_H

#include "IR/CoCoNet.h"

namespace coconet {

/// Check that axes or groups name members of the mesh. With `bound`, open sizes
/// are refused.
mlir::LogicalResult verifyGroup(mlir::Operation *op, MeshAttr mesh,
                                mlir::ArrayAttr axes, mlir::ArrayAttr groups,
                                bool bound = true);

/// Check that, too, and that no tensor carries a layout.
mlir::LogicalResult verifyMembers(mlir::Operation *op, MeshAttr mesh,
                                  mlir::ArrayAttr axes, mlir::ArrayAttr groups,
                                  bool bound = true);

/// Check that the result has the operand's rank and element type, and its sizes
/// but along `changed` dimensions, which exist.
mlir::LogicalResult verifyRankShape(mlir::Operation *op,
                                    llvm::ArrayRef<int64_t> changed);

/// Check that chunks of a static size are those of a whole of a static size: a
/// size that does not divide is open, since ranks have unlike chunks of it.
mlir::LogicalResult verifyChunks(mlir::Operation *op, int64_t whole,
                                 int64_t chunk);

/// Check members and shapes of a collective of a rank program.
template <typename OpTy>
mlir::LogicalResult verifyRankCollective(OpTy op,
                                         llvm::ArrayRef<int64_t> changed) {
  if (failed(verifyMembers(op, op.getMesh(), op.getAxesAttr(),
                           op.getGroupsAttr())))
    return mlir::failure();
  return verifyRankShape(op, changed);
}

/// Check a collective that cuts dimension `dim`, or else joins its chunks.
template <typename OpTy>
mlir::LogicalResult verifyCut(OpTy op, int64_t dim, bool cuts) {
  if (failed(verifyRankCollective(op, {dim})))
    return mlir::failure();
  auto sizeOf = [&](mlir::Value value) {
    return llvm::cast<mlir::RankedTensorType>(value.getType()).getDimSize(dim);
  };
  int64_t from = sizeOf(op.getOperand()), to = sizeOf(op.getResult());
  return cuts ? verifyChunks(op, from, to) : verifyChunks(op, to, from);
}

} // namespace coconet

#endif // COCONET_IR_RANKTYPING_H
