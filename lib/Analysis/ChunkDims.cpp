//===- ChunkDims.cpp - one dimension through one op -------------------------===//

#include "Analysis/ChunkDims.h"
#include "IR/CoCoNet.h"
#include "mlir/IR/AffineExpr.h"

using namespace mlir;
using namespace coconet;

namespace {
/// Dimensions of operands and result of one op that run together: equal
/// numbers, which mean nothing else. -1 is a dimension that goes with none.
struct Lanes {
  SmallVector<int64_t> result;
  SmallVector<SmallVector<int64_t>> operands;
};
} // namespace

static SmallVector<int64_t> lanesOfMap(AffineMap map) {
  SmallVector<int64_t> lanes;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    lanes.push_back(dim ? int64_t(dim.getPosition()) : -1);
  }
  return lanes;
}

static Lanes lanesOf(Operation *op) {
  if (auto iterated = dyn_cast<IterationOpInterface>(op)) {
    Iteration iteration = iterated.getIteration();
    Lanes lanes{lanesOfMap(iteration.resultMap), {}};
    for (AffineMap map : iteration.operandMaps)
      lanes.operands.push_back(lanesOfMap(map));
    return lanes;
  }
  auto rank = cast<RankedTensorType>(op->getOperand(0).getType()).getRank();
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  Lanes lanes{all, {all}};
  if (auto transpose = dyn_cast<TransposeOp>(op))
    lanes.result.assign(transpose.getPermutation().begin(),
                        transpose.getPermutation().end());
  return lanes;
}

/// The dimension of shape `to` that holds a dimension of shape `from`, which
/// has the same elements. Outer and inner dimensions of one static size stay;
/// what lies between is one dimension on one of the sides.
static std::optional<ChunkDim>
reshapeDim(ArrayRef<int64_t> from, const ChunkDim &dim, ArrayRef<int64_t> to) {
  if (from == to)
    return dim;
  size_t outer = 0, inner = 0, shorter = std::min(from.size(), to.size());
  while (outer < shorter && from[outer] == to[outer] &&
         !ShapedType::isDynamic(from[outer]))
    ++outer;
  while (outer + inner < shorter &&
         from[from.size() - inner - 1] == to[to.size() - inner - 1] &&
         !ShapedType::isDynamic(from[from.size() - inner - 1]))
    ++inner;
  ChunkDim result = dim;
  if (dim.dim < int64_t(outer))
    return result;
  if (dim.dim >= int64_t(from.size() - inner)) {
    result.dim += int64_t(to.size()) - int64_t(from.size());
    return result;
  }
  ArrayRef<int64_t> before = from.drop_front(outer).drop_back(inner);
  ArrayRef<int64_t> after = to.drop_front(outer).drop_back(inner);
  if (after.size() == 1 && dim.merged.empty())
    return ChunkDim{int64_t(outer), llvm::to_vector<2>(before),
                    dim.dim - int64_t(outer)};
  if (before.size() == 1 && !dim.merged.empty() &&
      ArrayRef<int64_t>(dim.merged) == after)
    return ChunkDim{int64_t(outer) + dim.index, {}, 0};
  return std::nullopt;
}

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

std::optional<ChunkDim> coconet::convertChunkDim(Operation *op,
                                                 unsigned operand,
                                                 const ChunkDim &dim,
                                                 bool toOperand) {
  Value value = op->getOperand(operand), result = op->getResult(0);
  if (isa<ReshapeOp>(op))
    return toOperand ? reshapeDim(shapeOf(result), dim, shapeOf(value))
                     : reshapeDim(shapeOf(value), dim, shapeOf(result));
  Lanes lanes = lanesOf(op);
  ArrayRef<int64_t> from = lanes.result, to = lanes.operands[operand];
  if (!toOperand)
    std::swap(from, to);
  const int64_t *found = llvm::find(to, from[dim.dim]);
  if (from[dim.dim] < 0 || found == to.end())
    return std::nullopt;
  ChunkDim converted = dim;
  converted.dim = found - to.begin();
  return converted;
}
