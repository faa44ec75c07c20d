//===- ToKernels.cpp - from the rank program to kernels ---------------------===//

#include "Conversion/ToKernels/KernelBuilder.h"
#include "IR/ChannelOps.h"
#include "IR/ListOps.h"
#include "IR/NeuralOps.h"
#include "IR/OverlapOps.h"
#include "IR/RankOps.h"
#include "IR/Refusal.h"
#include "Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace coconet {
#define GEN_PASS_DEF_TOKERNELS
#include "CoCoNetPasses.h.inc"
} // namespace coconet

using namespace mlir;
using namespace coconet;

static bool isElementwise(Operation *op) {
  if (isa<RankDropoutOp, BroadcastToOp, IotaOp>(op))
    return true;
  auto iterated = dyn_cast<IterationOpInterface>(op);
  return iterated && iterated.isPointwise() && !isa<PadOp>(op);
}

/// Lower one op of the body; ops of other dialects, sizes and positions stay.
static LogicalResult lowerOp(Operation *op) {
  OpBuilder builder(op);
  if (!isa<CoCoNetDialect>(op->getDialect()) ||
      isa<ListKernelOp, RankCoordinateOp, RankCheckFiniteOp, RankCheckSizeOp,
          UpdateOp>(op))
    return success();
  for (Value value : llvm::concat<Value>(SmallVector<Value>(op->getOperands()),
                                         SmallVector<Value>(op->getResults())))
    if (auto tensor = dyn_cast<RankedTensorType>(value.getType());
        tensor && tensor.getEncoding())
      return refuse(op, "uses a tensor with a layout",
                    "run --coconet-to-rank first");
  if (isa<DropoutOp>(op))
    return refuse(op, "is no op of a rank program",
                  "run --coconet-to-rank first");
  if (auto fused = dyn_cast<FusedOp>(op)) {
    for (Operation &inner : fused.getBody().front())
      if (llvm::any_of(inner.getOperandTypes(), [](Type type) {
            auto tensor = dyn_cast<RankedTensorType>(type);
            return tensor && tensor.getEncoding();
          }))
        return refuse(&inner, "uses a tensor with a layout",
                      "run --coconet-to-rank first");
    return lowerFused(builder, fused);
  }
  if (isa<RankSendOp, RankRecvOp>(op))
    return lowerChannelOp(builder, op), success();
  if (isa<CollectiveOpInterface>(op))
    return lowerCollective(builder, op);
  if (!isElementwise(op))
    return lowerTensorOp(builder, op);
  auto values = buildGeneric(builder, {op}, op->getResults(), op->getResults());
  if (failed(values))
    return failure();
  op->replaceAllUsesWith(*values);
  op->erase();
  return success();
}

//===----------------------------------------------------------------------===//
// State and results
//===----------------------------------------------------------------------===//

/// The tensor of which `value` is a view that no op computes.
static Value underlying(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp,
             tensor::ExtractSliceOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// A new buffer with the same contents.
static Value copyOf(OpBuilder &builder, Location loc, Value value) {
  IndexMath m(builder, loc);
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<Value> open;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      open.push_back(tensor::DimOp::create(builder, loc, value, dim));
  Value empty = tensor::EmptyOp::create(builder, loc, type, open);
  AffineMap map = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, TypeRange{type}, ValueRange{value},
             ValueRange{empty}, ArrayRef<AffineMap>{map, map}, iterators,
             [](OpBuilder &b, Location inner, ValueRange elements) {
               linalg::YieldOp::create(b, inner, elements[0]);
             })
      .getResult(0);
}

/// A branch, or a choice, that hands on another state than the one that becomes
/// its value hands on a copy: states may be exchanged, and each is written in
/// place.
static void copyExchanged(UpdateOp update, OpOperand &operand) {
  Value value = operand.get();
  if (auto branch = value.getDefiningOp<scf::IfOp>()) {
    unsigned index = cast<OpResult>(value).getResultNumber();
    for (scf::YieldOp yield : {branch.thenYield(), branch.elseYield()})
      copyExchanged(update, yield->getOpOperand(index));
    return;
  }
  if (auto choice = value.getDefiningOp<arith::SelectOp>()) {
    copyExchanged(update, choice.getTrueValueMutable());
    copyExchanged(update, choice.getFalseValueMutable());
    return;
  }
  Value base = underlying(value);
  if (!isa<BlockArgument>(base) || base == update.getState() ||
      operand.getOwner() == update)
    return;
  OpBuilder builder(operand.getOwner());
  operand.set(copyOf(builder, update.getLoc(), value));
}

/// Move updates behind all reads of the old states, as writes of state
/// arguments that the function returns.
static void finishStates(func::FuncOp function) {
  auto end = cast<func::ReturnOp>(function.getBody().front().getTerminator());
  OpBuilder builder(end);
  auto updates = llvm::to_vector(function.getOps<UpdateOp>());
  llvm::SmallPtrSet<Value, 8> taken;
  SmallVector<Value> results;
  for (UpdateOp update : updates) {
    copyExchanged(update, update.getValueMutable());
    update.getResult().replaceAllUsesWith(update.getValue());
    taken.insert(underlying(update.getValue()));
  }
  // Results own their buffers: none is a state's, an argument's or another's.
  for (Value result : end.getOperands()) {
    Value base = underlying(result);
    bool view = result.getDefiningOp() && base != result;
    bool fresh = isa<OpResult>(base) && !view && taken.insert(base).second;
    results.push_back(fresh || !isa<RankedTensorType>(result.getType())
                          ? result
                          : copyOf(builder, end.getLoc(), result));
  }
  // States may be exchanged: read all old ones before the first write.
  llvm::SmallPtrSet<Value, 8> written;
  llvm::DenseMap<Value, Value> news;
  for (UpdateOp update : updates) {
    Value value = update.getValue(), base = underlying(value);
    bool first = written.insert(base).second;
    news[update.getState()] = isa<BlockArgument>(base) || !first
                                  ? copyOf(builder, update.getLoc(), value)
                                  : value;
  }
  // All states in order, those that stay too: the last results say by their
  // place whose new value they are.
  unsigned numStates = 0;
  for (BlockArgument state : function.getArguments()) {
    if (updates.empty() ||
        !function.getArgAttr(state.getArgNumber(), stateAttr))
      continue;
    ++numStates;
    Value value = news.lookup(state);
    // Bufferization cannot know yet that what a loop or branch gives lies in
    // the state's buffer. Where it does not, it is copied there later.
    Operation *source = value ? underlying(value).getDefiningOp() : nullptr;
    if (value && !isa_and_nonnull<scf::ForOp, scf::IfOp>(source))
      value =
          bufferization::MaterializeInDestinationOp::create(
              builder, value.getLoc(), TypeRange{state.getType()}, value, state)
              ->getResult(0);
    results.push_back(value ? value : state);
  }
  llvm::SmallDenseSet<unsigned> writable;
  for (UpdateOp update : updates) {
    writable.insert(cast<BlockArgument>(update.getState()).getArgNumber());
    update.erase();
  }
  end.getOperandsMutable().assign(results);

  MLIRContext *context = function.getContext();
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (isa<TensorType>(function.getArgumentTypes()[i]))
      function.setArgAttr(
          i, bufferization::BufferizationDialect::kWritableAttrName,
          BoolAttr::get(context, writable.contains(i)));
  SmallVector<Attribute> attributes;
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    DictionaryAttr attrs = function.getResultAttrDict(i);
    attributes.push_back(attrs ? attrs : DictionaryAttr::get(context));
  }
  attributes.resize(results.size(), DictionaryAttr::get(context));
  function.setFunctionType(FunctionType::get(
      context, function.getArgumentTypes(), TypeRange(ValueRange(results))));
  function.setResAttrsAttr(ArrayAttr::get(context, attributes));
  if (!updates.empty())
    function->setAttr(statesAttr,
                      Builder(context).getI64IntegerAttr(numStates));
}

/// Lower the ops of a block and of loops and branches in it.
static LogicalResult lowerBlock(Block &block, unsigned &started) {
  // A start replaces its wait too, which may be the next op.
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    if (!isa<RankWaitOp>(op))
      ops.push_back(&op);
  for (Operation *op : ops) {
    if (isa<scf::ForOp, scf::IfOp>(op)) {
      for (Region &region : op->getRegions())
        if (!region.empty() && failed(lowerBlock(region.front(), started)))
          return failure();
      continue;
    }
    auto start = dyn_cast<RankStartOp>(op);
    if (failed(start ? lowerStart(start, started++) : lowerOp(op)))
      return failure();
  }
  return success();
}

static LogicalResult convert(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return refuse(function, "has several blocks",
                  "control flow of a rank program is scf.for and scf.if");
  unsigned started = 0;
  if (failed(expandLists(function)) ||
      failed(lowerBlock(function.getBody().front(), started)))
    return failure();
  finishStates(function);
  return success();
}

namespace {
struct ToKernels : coconet::impl::ToKernelsBase<ToKernels> {
  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && failed(convert(function)))
        return signalPassFailure();
  }
};
} // namespace
