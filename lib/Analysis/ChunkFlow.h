//===- ChunkFlow.h - one dimension followed through ops ---------*- C++ -*-===//
//
// Ops that run chunk by chunk cut one dimension of what they make; which
// dimension that is of every value follows from one of them.
//
//===----------------------------------------------------------------------===//

#ifndef COCONET_ANALYSIS_CHUNKFLOW_H
#define COCONET_ANALYSIS_CHUNKFLOW_H

#include "Analysis/ChunkDims.h"
#include "Analysis/Legality.h"
#include "IR/Layout.h"
#include "llvm/ADT/MapVector.h"

namespace coconet {

class OverlapOp;

/// Where the chunks lie in the values of a set of ops.
struct ChunkFlow {
  /// Dimension that is cut into chunks, of every value that the ops make.
  llvm::DenseMap<mlir::Value, ChunkDim> dims;
  /// The same of operands from outside; others are used whole by every chunk.
  llvm::MapVector<mlir::OpOperand *, int64_t> outside;
  /// The axes that cut the dimension in all of the values.
  AxisList base;
  /// The axes that cut it, behind those, in some of them: chunk c is the c-th
  /// part of every slice. Empty where the cut is the same everywhere.
  AxisList slices;
  MeshAttr mesh;

  bool isEmpty() const { return dims.empty() && outside.empty(); }
  /// The dimension of a value of the ops that chunks are parts of, or of one
  /// that they send; unset for others.
  std::optional<int64_t> dimOf(mlir::Value value) const;
  /// Number of slices: 1 where there are none, unset while the mesh is open.
  std::optional<int64_t> numSlices() const;
  /// Whether a value of the set, or one used like it, is cut by `slices`.
  bool isSliced(mlir::Value value, int64_t dim) const;
};

/// A dimension of a value that one of the ops makes or sends.
using ChunkRoot = std::pair<mlir::Value, int64_t>;

/// Whether the op communicates, or holds one that does.
bool communicates(mlir::Operation *op);

/// Follow dimensions of some values through all of the ops. Refused where an op
/// has no such dimension, needs several chunks at once, or is not reached. `ops`
/// are in block order.
mlir::FailureOr<ChunkFlow> followChunks(const OpSet &ops,
                                        llvm::ArrayRef<ChunkRoot> roots,
                                        int64_t chunks, Refusal &refusal);

/// The same of the ops of a region, along the dimension that it names.
mlir::FailureOr<ChunkFlow> followChunks(OverlapOp overlap, Refusal &refusal);

/// What fused regions hand on as the value, or the value itself.
mlir::Value innermost(mlir::Value value);

/// The value whose dimension an overlap of the ops names: the first that they make
/// and that is used elsewhere, else what is sent first; null where there is none.
mlir::Value findChunked(const OpSet &ops);

/// Sends and receives among the ops and in fused regions of theirs, in order.
llvm::SmallVector<mlir::Operation *> findChannelEnds(const OpSet &ops);

/// What is sent, or received.
mlir::Value channelValue(mlir::Operation *end);

} // namespace coconet

#endif // COCONET_ANALYSIS_CHUNKFLOW_H
