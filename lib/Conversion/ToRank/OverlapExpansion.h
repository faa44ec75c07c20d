//===- OverlapExpansion.h - an overlap on one rank --------------*- C++ -*-===//

#ifndef COCONET_CONVERSION_TORANK_OVERLAPEXPANSION_H
#define COCONET_CONVERSION_TORANK_OVERLAPEXPANSION_H

#include "Analysis/ChunkFlow.h"
#include "Conversion/ToRank/RankTranslator.h"
#include "IR/OverlapOps.h"
#include "llvm/ADT/SmallBitVector.h"

namespace coconet {

/// Writes the ops of an overlap once a chunk.
class OverlapExpansion {
public:
  OverlapExpansion(RankTranslator &translator, OverlapOp op)
      : t(translator), op(op), loc(op.getLoc()), chunks(op.getChunks()),
        scratch(llvm::cast<OverlapOp>(op->cloneWithoutRegions())) {
    scratch.getBody().emplaceBlock();
  }
  ~OverlapExpansion();

  mlir::LogicalResult expand();

private:
  /// Dimensions that a reshape has merged: their static and logical sizes.
  struct MergedSizes {
    llvm::SmallVector<int64_t, 2> shape;
    llvm::SmallVector<mlir::OpFoldResult, 2> sizes;
  };
  /// The ops of one chunk, and what they yield.
  struct Copy {
    llvm::SmallVector<mlir::Operation *> ops;
    llvm::SmallVector<mlir::Value> yielded;
    /// Communication under way, by the op that is started.
    llvm::DenseMap<mlir::Operation *, RankStartOp> started;
    std::vector<MergedSizes> merged;
  };

  //===-- Chunks ----------------------------------------------------------===//
  mlir::LogicalResult findSizes();
  mlir::RankedTensorType chunkType(mlir::Value value, int64_t dim);
  void makeCopy(int64_t chunk);
  void setType(mlir::Value copy, mlir::Value original, int64_t chunk);
  /// One rank's part of chunk `chunk` of a value from outside.
  RankValue cut(mlir::Value value, int64_t dim, int64_t chunk);
  /// Where the chunk lies in each slice that a rank holds.
  Chunk pieceOf(int64_t chunk);
  /// Size of the chunk of a logical value.
  mlir::OpFoldResult logicalPiece(int64_t chunk);
  /// Remember where the copy of a value lies, if something asks for it.
  void notePlace(mlir::Value copy, mlir::Value value, int64_t dim,
                 int64_t chunk, bool merged = false);
  void store(unsigned result, int64_t chunk);
  /// Give results that are values from outside, which folding leaves.
  void handOn();
  bool isScattered(mlir::Value value, int64_t dim) {
    return slices > 1 && !flow.isSliced(value, dim);
  }

  //===-- Stages ----------------------------------------------------------===//
  void findStages();
  /// Op numbers of a stage: what communicates, and before it what it needs;
  /// then the others.
  llvm::SmallVector<unsigned> order(unsigned stage);
  mlir::LogicalResult emitStage(unsigned stage, int64_t chunk);
  mlir::LogicalResult emit(Copy &copy, mlir::Operation *op);
  mlir::LogicalResult start(Copy &copy, mlir::Operation *op);
  mlir::LogicalResult emitReshape(Copy &copy, ReshapeOp op);
  /// Wait for the op, if it is under way.
  void wait(Copy &copy, mlir::Operation *op);

  RankTranslator &t;
  OverlapOp op;
  mlir::Location loc;
  int64_t chunks;
  /// Those of them that are not known to be empty, and the first; all where the
  /// other end of a channel may know less.
  int64_t used = 1;
  ChunkFlow flow;
  /// What chunks are parts of: the elements that one rank holds where no axis
  /// of `slices` cuts the dimension, and where those begin in the logical one.
  Chunk part;
  mlir::OpFoldResult logicalSize;
  int64_t slices = 1;
  /// Static number of elements of a chunk over all slices, or open.
  int64_t chunkExtent = mlir::ShapedType::kDynamic;

  /// Holds the copies, outside of the program.
  OverlapOp scratch;
  llvm::SmallVector<Copy> copies;
  /// Where the chunks lie in copies of values.
  llvm::DenseMap<mlir::Value, ChunkDim> dims;
  llvm::SmallVector<unsigned> stages;
  unsigned numStages = 0;
  /// Of each result: the tensor that chunks are stored into.
  llvm::SmallVector<mlir::Value> targets;
  llvm::SmallBitVector handedOn;
};

} // namespace coconet

#endif // COCONET_CONVERSION_TORANK_OVERLAPEXPANSION_H
