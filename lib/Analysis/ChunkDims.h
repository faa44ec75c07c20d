//===- ChunkDims.h - one dimension through one op ---------------*- C++ -*-===//

#ifndef COCONET_ANALYSIS_CHUNKDIMS_H
#define COCONET_ANALYSIS_CHUNKDIMS_H

#include "mlir/IR/Operation.h"
#include <optional>

namespace coconet {

/// The dimension of a value that the chunks are parts of.
struct ChunkDim {
  int64_t dim = 0;
  /// Where a reshape has merged it with others: their sizes, and which it is.
  /// Its chunks are then no slices of the value.
  llvm::SmallVector<int64_t, 2> merged;
  int64_t index = 0;

  bool operator==(const ChunkDim &other) const {
    return dim == other.dim && merged == other.merged && index == other.index;
  }
};

/// Where the chunks of a result lie in an operand, or the other way round; unset
/// where they are no part of one of its dimensions.
std::optional<ChunkDim> convertChunkDim(mlir::Operation *op, unsigned operand,
                                        const ChunkDim &dim, bool toOperand);

} // namespace coconet

#endif // COCONET_ANALYSIS_CHUNKDIMS_H
