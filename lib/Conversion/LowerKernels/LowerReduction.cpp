//===- LowerReduction.cpp - reductions of rows to vectorised loops ----------===//

#include "Conversion/LowerKernels/LoopNest.h"
#include "Conversion/LowerKernels/Lowerings.h"
#include "Conversion/ToKernels/ScalarOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace coconet;

/// So many elements accumulate side by side, which hides the latency of adds.
static constexpr int64_t lanes = 64;

namespace {
/// How the body combines, and from what a vector of partial results starts.
struct Combination {
  vector::CombiningKind kind;
  Reduction reduction;
};
} // namespace

static std::optional<Combination> findCombination(linalg::GenericOp op) {
  using Kind = vector::CombiningKind;
  using Found = std::optional<Combination>;
  Operation *combine =
      op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  if (!combine || combine->getNumOperands() != 2 ||
      combine->getOperand(0) != op.getRegionOutputArgs()[0])
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, Found>(combine)
      .Case<arith::AddFOp, arith::AddIOp>(
          [](auto) { return Combination{Kind::ADD, Reduction::sum}; })
      .Case([](arith::MaximumFOp) {
        return Combination{Kind::MAXIMUMF, Reduction::max};
      })
      .Case([](arith::MinimumFOp) {
        return Combination{Kind::MINIMUMF, Reduction::min};
      })
      .Case([](arith::MaxSIOp) {
        return Combination{Kind::MAXSI, Reduction::max};
      })
      .Case([](arith::MinSIOp) {
        return Combination{Kind::MINSI, Reduction::min};
      })
      .Default([](Operation *) { return Found(); });
}

/// One contiguous input, and reduced dimensions behind all others.
static bool isRowReduction(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.hasIndexSemantics())
    return false;
  for (Value buffer : op->getOperands())
    if (!cast<MemRefType>(buffer.getType()).getLayout().isIdentity())
      return false;
  auto kinds = op.getIteratorTypesArray();
  unsigned rows = op.getNumParallelLoops();
  return rows < kinds.size() &&
         llvm::all_of(ArrayRef(kinds).take_front(rows), isParallel) &&
         op.getIndexingMapsArray()[0].isIdentity() &&
         op.getIndexingMapsArray()[1] ==
             AffineMap::getMultiDimIdentityMap(kinds.size(), op.getContext())
                 .getMajorSubMap(rows);
}

namespace {
class RowReduction {
public:
  RowReduction(linalg::GenericOp op, Combination how)
      : op(op), how(how), b(op), m(b, op.getLoc()), calls(b, op) {}

  void build();

private:
  /// `for` over the row from `from` to `to`, accumulating `width` elements.
  Value accumulate(Value start, OpFoldResult from, OpFoldResult to,
                   OpFoldResult offset, int64_t width);
  void reduceRow(OpFoldResult row, OpFoldResult length);

  linalg::GenericOp op;
  Combination how;
  OpBuilder b;
  IndexMath m;
  RuntimeCalls calls;
  Value input, output;
};
} // namespace

static Type elementOf(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getElementType();
}

Value RowReduction::accumulate(Value start, OpFoldResult from, OpFoldResult to,
                               OpFoldResult offset, int64_t width) {
  Location loc = op.getLoc();
  auto loop = scf::ForOp::create(b, loc, m.value(from), m.value(to),
                                 m.value(m.constant(width)), ValueRange{start});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  IRMapping mapping;
  mapping.map(op.getBody()->getArgument(0),
              loadElements(b, op, input, elementOf(op.getInputs()[0]),
                           m.add(offset, loop.getInductionVar()), width));
  mapping.map(op.getBody()->getArgument(1), loop.getRegionIterArg(0));
  cloneForLanes(b, *op.getBody(), mapping, width);
  scf::YieldOp::create(
      b, loc, mapping.lookup(op.getBody()->getTerminator()->getOperand(0)));
  return loop.getResult(0);
}

void RowReduction::reduceRow(OpFoldResult row, OpFoldResult length) {
  Location loc = op.getLoc();
  Type type = elementOf(op.getOutputs()[0]);
  OpFoldResult offset = m.mul(row, length);
  OpFoldResult whole =
      m.mul(m.div(length, m.constant(lanes)), m.constant(lanes));
  Value neutral =
      arith::ConstantOp::create(b, loc, neutralElement(b, how.reduction, type));
  Value partial = accumulate(broadcastLanes(b, loc, neutral, lanes),
                             m.constant(0), whole, offset, lanes);
  Value before = loadElements(b, op, output, type, row, 1);
  Value sum = vector::ReductionOp::create(b, loc, how.kind, partial, before);
  sum = accumulate(sum, whole, length, offset, 1);
  storeElements(b, op, sum, output, type, row, 1);
}

void RowReduction::build() {
  input = calls.pointerTo(op.getInputs()[0]);
  output = calls.pointerTo(op.getOutputs()[0]);
  SmallVector<OpFoldResult> sizes = m.dims(op.getInputs()[0]);
  unsigned parallel = op.getNumParallelLoops();
  OpFoldResult rows = m.product(ArrayRef(sizes).take_front(parallel));
  OpFoldResult length = m.product(ArrayRef(sizes).drop_front(parallel));
  auto loop = scf::ForOp::create(b, op.getLoc(), m.value(m.constant(0)),
                                 m.value(rows), m.value(m.constant(1)));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    reduceRow(loop.getInductionVar(), length);
  }
  op.erase();
}

LogicalResult coconet::lowerReduction(linalg::GenericOp op) {
  if (!isRowReduction(op))
    return failure();
  std::optional<Combination> how = findCombination(op);
  if (!how)
    return failure();
  RowReduction(op, *how).build();
  return success();
}
