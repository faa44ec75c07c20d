//===- LoopNest.h - vectorised loops over raw pointers ----------*- C++ -*-===//

#ifndef COCONET_CONVERSION_LOWERKERNELS_LOOPNEST_H
#define COCONET_CONVERSION_LOWERKERNELS_LOOPNEST_H

#include "Conversion/LowerKernels/RuntimeCalls.h"
#include "mlir/IR/IRMapping.h"

namespace coconet {

/// Elements of one operand, or of the same operand on all members.
struct Stream {
  /// Where the element at the origin of the box lies: one pointer; or one a
  /// member, whose elements are combined (inputs) or all written (outputs).
  llvm::SmallVector<mlir::Value> bases;
  /// Instead of `bases`: entry `slot` of `count` of each of `members` rows of
  /// the table, then `offset` elements further.
  mlir::Value table;
  int64_t slot = 0, count = 0;
  mlir::OpFoldResult members, offset;
  /// How members' elements combine. Unset: one pointer, or an output.
  std::optional<Reduction> reduction;
  /// An output that is one element, how all elements of the box combine in it.
  std::optional<Reduction> fold;
  /// An input that the loops also write: it is read anew for every element.
  bool accumulates = false;
  /// Element type in memory.
  mlir::Type element;
  /// Elements between neighbours, per loop; 0 repeats.
  llvm::SmallVector<mlir::OpFoldResult> strides;
};

/// A box of elements with a scalar body: one argument an input, one yielded
/// value an output. `index` ops in the body give the position along a loop.
struct LoopNest {
  llvm::SmallVector<mlir::OpFoldResult> sizes;
  llvm::SmallVector<Stream> inputs, outputs;
  mlir::Block *body;
};

/// Elements between neighbours along each dimension of a buffer.
llvm::SmallVector<mlir::OpFoldResult> stridesOf(IndexMath &math,
                                                mlir::Value memref);

/// Clone the ops of a scalar block, but for its terminator and what is mapped
/// already, for `width` elements at once.
void cloneForLanes(mlir::OpBuilder &builder, mlir::Block &block,
                   mlir::IRMapping &mapping, int64_t width);
/// Load or store `width` neighbouring elements, `offset` elements behind the
/// pointer.
mlir::Value loadElements(mlir::OpBuilder &builder, mlir::Operation *source,
                         mlir::Value pointer, mlir::Type element,
                         mlir::OpFoldResult offset, int64_t width);
void storeElements(mlir::OpBuilder &builder, mlir::Operation *source,
                   mlir::Value value, mlir::Value pointer, mlir::Type element,
                   mlir::OpFoldResult offset, int64_t width);
/// `type`, or a vector of `width` of it.
mlir::Type laneType(mlir::Type type, int64_t width);
mlir::Value broadcastLanes(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value value, int64_t width);

/// Build the loops at the builder's place. The innermost one works on vectors
/// of 16 elements, with a scalar tail, where all operands are contiguous or
/// repeated along it and every op of the body works on vectors.
void buildLoopNest(mlir::OpBuilder &builder, mlir::Operation *source,
                   LoopNest &nest);

} // namespace coconet

#endif // COCONET_CONVERSION_LOWERKERNELS_LOOPNEST_H
