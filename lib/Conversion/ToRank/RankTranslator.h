//===- RankTranslator.h - from a distributed to a rank program --*- C++ -*-===//

#ifndef COCONET_CONVERSION_TORANK_RANKTRANSLATOR_H
#define COCONET_CONVERSION_TORANK_RANKTRANSLATOR_H

#include "Conversion/ToRank/IndexMath.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::scf {
class ForOp;
class IfOp;
} // namespace mlir::scf

namespace coconet {

class OverlapOp;
class PermuteOp;
class RecvOp;
class SendOp;

/// What one rank holds of a distributed value, and the sizes of the logical
/// one (of a local value: of this rank's).
struct RankValue {
  mlir::Value value;
  llvm::SmallVector<mlir::OpFoldResult> sizes;
  /// `value` is the row-major flattening of what the type says: a flat slice
  /// gathered inside of a fused region, where nothing can be reshaped.
  bool flattened = false;
};

/// Where a chunk of a value lies in the whole: elements from `start` on of
/// dimension `dim`, which has `size` logical elements.
struct ChunkPlace {
  int64_t dim;
  mlir::OpFoldResult start, size;
  /// The chunk is a part of each of several slices, so it has no one start.
  bool scattered = false;
};

/// A chunk of what a channel carries: its number, and the logical size of the
/// chunk of dimension `dim`.
struct ChannelChunk {
  int64_t number;
  int64_t dim;
  mlir::OpFoldResult size;
};

/// How a collective that cuts or joins a dimension looks on one rank.
struct CutPlan {
  mlir::Value operand;
  mlir::RankedTensorType type; ///< of the rank op's result
  int64_t dim;
  /// Elements of the dimension on all members together (joins only).
  mlir::OpFoldResult size;
  /// Logical sizes of the result.
  llvm::SmallVector<mlir::OpFoldResult> sizes;
  /// The result is the flattening of a whole tensor.
  bool flattened = false;
};

/// The ranks at both ends of a channel, counterparts at one position, and where
/// its ops are.
struct ChannelRanks {
  mlir::DenseI64ArrayAttr senders, receivers;
  mlir::LocationAttr location;
};
using ChannelPlan = llvm::DenseMap<mlir::StringAttr, ChannelRanks>;

/// The channels of a module whose functions know their ranks.
mlir::FailureOr<ChannelPlan> planChannels(mlir::ModuleOp module);

/// Writes the rank function of one distributed function. Sharding is explicit.
class RankTranslator {
public:
  RankTranslator(mlir::func::FuncOp source, mlir::func::FuncOp target,
                 const ChannelPlan &channels)
      : source(source), target(target), channels(channels),
        context(source.getContext()), outer(context), inner(context) {}

  /// Types of the rank function, its argument attributes, and its body.
  mlir::LogicalResult translate();

private:
  friend class OverlapExpansion;

  //===-- Function boundary (RankTranslator.cpp) --------------------------===//
  void addArguments();
  mlir::LogicalResult unifyNamedDims();
  mlir::LogicalResult finish(mlir::func::ReturnOp op);
  mlir::LogicalResult translateOp(mlir::Operation *op);
  mlir::LogicalResult translateBody(mlir::Block &block, mlir::Region &region);
  mlir::LogicalResult translateFused(FusedOp op);
  mlir::LogicalResult translateStart(RankStartOp op);
  mlir::LogicalResult copyForeign(mlir::Operation *op);
  /// Chunk by chunk, with started communication (TranslateOverlap.cpp).
  mlir::LogicalResult translateOverlap(OverlapOp op);

  //===-- Computation (TranslateCompute.cpp) ------------------------------===//
  mlir::LogicalResult translateIteration(IterationOpInterface op);
  mlir::LogicalResult translateMean(ReduceOp op);
  mlir::LogicalResult translateNorm(NormOp op);
  mlir::LogicalResult translateDropout(DropoutOp op);
  mlir::LogicalResult translateReshape(ReshapeOp op);
  mlir::LogicalResult translateInferred(mlir::Operation *op);
  mlir::LogicalResult translateUpdate(UpdateOp op);
  /// Ops of IR/NeuralOps.h (TranslateNeural.cpp).
  mlir::LogicalResult translateNeural(IterationOpInterface op);
  /// Indices into what this rank has of a dimension that is cut.
  mlir::Value localIndices(mlir::Value indices, mlir::Value indexed,
                           int64_t dim, mlir::Location loc);
  /// Logical sizes of the result of an iterated op; sizes that must agree and
  /// may not are checked at run time.
  mlir::FailureOr<llvm::SmallVector<mlir::OpFoldResult>>
  iteratedSizes(IterationOpInterface op);
  /// A tensor of rank 0 that holds the product of sizes as a float.
  mlir::Value countTensor(llvm::ArrayRef<mlir::OpFoldResult> sizes,
                          mlir::FloatType type, mlir::Location loc);

  //===-- Communication (TranslateCollectives.cpp) ------------------------===//
  mlir::LogicalResult translateCollective(CollectiveOpInterface op);
  mlir::LogicalResult translateReduceScatter(ReduceScatterOp op);
  mlir::LogicalResult translateAllGather(AllGatherOp op);
  mlir::LogicalResult translateAllToAll(AllToAllOp op);
  /// Ops of IR/RootedOps.h (TranslateRooted.cpp).
  mlir::LogicalResult translateRooted(CollectiveOpInterface op);
  mlir::LogicalResult translatePermute(PermuteOp op);
  /// Between functions (TranslateChannels.cpp).
  mlir::LogicalResult translateSend(SendOp op);
  mlir::LogicalResult translateRecv(RecvOp op);
  /// Logical sizes of what is received.
  mlir::FailureOr<llvm::SmallVector<mlir::OpFoldResult>> recvSizes(RecvOp op);
  /// The name of the channel, or of the chunk that the op is an end of.
  mlir::StringAttr channelName(mlir::Operation *end);
  /// Of ops with attributes `dim`, `axes` and `groups`.
  mlir::FailureOr<CutPlan> planScatter(CollectiveOpInterface op);
  CutPlan planGather(CollectiveOpInterface op);
  void setGathered(mlir::Operation *op, mlir::Value gathered,
                   const CutPlan &plan);
  mlir::LogicalResult translateShard(ShardOp op);
  /// The operand as it is cut: as it lies, or flattened.
  mlir::FailureOr<mlir::Value> cutOperand(mlir::Operation *op,
                                          std::optional<int64_t> dim);
  /// With open sizes, a second cut is checked to divide exactly at run time.
  void checkExactCut(mlir::Operation *op, mlir::OpFoldResult size,
                     llvm::ArrayRef<mlir::StringAttr> before,
                     llvm::ArrayRef<mlir::StringAttr> added, MeshAttr mesh);

  //===-- Lists (TranslateLists.cpp) --------------------------------------===//
  mlir::LogicalResult translateForEach(ForEachOp op);
  mlir::FailureOr<std::unique_ptr<mlir::Region>> translateList(ForEachOp op);
  /// Number of elements of the logical tensors at each position; sizes that
  /// must agree and may not are checked at run time.
  mlir::FailureOr<llvm::SmallVector<mlir::OpFoldResult>>
  listElements(ForEachOp op);

  //===-- Control flow (TranslateControl.cpp) -----------------------------===//
  mlir::LogicalResult translateFor(mlir::scf::ForOp op);
  mlir::LogicalResult translateIf(mlir::scf::IfOp op);
  /// Translate a block to the end of another one; `finish` is given its
  /// terminator.
  mlir::LogicalResult translateBlock(
      mlir::Block &from, mlir::Block *to,
      llvm::function_ref<mlir::LogicalResult(mlir::Operation *)> finish);
  /// This rank's part, of the type in which blocks hand it on.
  mlir::Value carried(mlir::Value value, mlir::Location loc);

  //===-- Shared ----------------------------------------------------------===//
  /// Whether the part is a value of a fused region that is being written.
  bool isFused(mlir::Value local) {
    return local.getParentBlock() != outer.getInsertionBlock() &&
           !local.getParentRegion()->getParentOp();
  }
  RankValue &operator[](mlir::Value value) { return values[value]; }
  IndexMath math(mlir::Location loc) { return IndexMath(outer, loc); }
  void set(mlir::Value value, mlir::Value local,
           llvm::ArrayRef<mlir::OpFoldResult> sizes, bool flattened = false) {
    values[value] = {local, llvm::to_vector(sizes), flattened};
  }
  /// Sizes of this rank's part of a distributed value.
  llvm::SmallVector<mlir::OpFoldResult> localSizes(mlir::Value value,
                                                   mlir::Location loc);
  /// Chunk of one cut of `size` elements by the axes.
  Chunk chunkOf(mlir::OpFoldResult size, llvm::ArrayRef<mlir::StringAttr> axes,
                MeshAttr mesh, mlir::Location loc);
  mlir::Value reshape(mlir::Value value, mlir::RankedTensorType type,
                      llvm::ArrayRef<mlir::OpFoldResult> sizes,
                      mlir::Location loc);
  /// The same size by either name from here on; differing ones fail the run.
  mlir::LogicalResult unify(mlir::Operation *op, mlir::OpFoldResult &a,
                            mlir::OpFoldResult b);
  mlir::OpFoldResult representative(mlir::OpFoldResult size);
  void check(mlir::OpFoldResult expected, mlir::OpFoldResult actual,
             const llvm::Twine &what, mlir::Location loc);
  /// Rebuild the op on rank values, with inferred result types.
  mlir::FailureOr<mlir::Operation *> rebuild(mlir::Operation *op,
                                             mlir::ValueRange operands);

  mlir::func::FuncOp source, target;
  const ChannelPlan &channels;
  mlir::MLIRContext *context;
  /// Index arithmetic and what cannot be in a fused region: end of the body.
  mlir::OpBuilder outer;
  /// Tensor ops: as `outer`, or the end of the fused region.
  mlir::OpBuilder inner;
  llvm::DenseMap<mlir::Value, RankValue> values;
  /// Of values that are chunks of larger ones.
  llvm::DenseMap<mlir::Value, ChunkPlace> places;
  /// Of sends and receives of chunks.
  llvm::DenseMap<mlir::Operation *, ChannelChunk> channelChunks;
  llvm::DenseMap<mlir::Value, mlir::OpFoldResult> known;
  /// Sizes by their name in the arguments (coconet.dims).
  llvm::StringMap<mlir::OpFoldResult> namedSizes;
};

} // namespace coconet

#endif // COCONET_CONVERSION_TORANK_RANKTRANSLATOR_H
