//===- Futures.cpp - what is under way ------------------------------------===//

#include "Analysis/Futures.h"
#include "Analysis/Legality.h"
#include "IR/OverlapOps.h"
#include "IR/RankOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace coconet;

/// The collective or fused region that is started.
static Operation *startedOp(RankStartOp start) {
  Block &block = start.getBody().front();
  return block.without_terminator().empty() ? start.getOperation()
                                            : &block.front();
}

//===----------------------------------------------------------------------===//
// Waited for once
//===----------------------------------------------------------------------===//

static std::string describeFuture(Value future) {
  if (auto start = future.getDefiningOp<RankStartOp>())
    return describe(startedOp(start));
  Operation *carrier = future.getDefiningOp();
  if (!carrier)
    carrier = future.getParentBlock()->getParentOp();
  return "communication that '" + carrier->getName().getStringRef().str() +
         "' carries";
}

static InFlightDiagnostic report(Value future, const Twine &fault) {
  InFlightDiagnostic diag = emitError(future.getLoc());
  diag << describeFuture(future) << " is started and " << fault;
  return diag;
}

static void addRemedy(InFlightDiagnostic &diag) {
  diag.attachNote() << "wait for it by coconet.rank.wait, once on every path";
}

/// How often the future is waited for, or handed on, on each path through the
/// block; failure, with a report, where paths differ.
static FailureOr<unsigned> countWaits(Value future, Block *block,
                                      ArrayRef<OpOperand *> uses) {
  llvm::MapVector<Operation *, SmallVector<OpOperand *>> places;
  for (OpOperand *use : uses)
    places[block->findAncestorOpInBlock(*use->getOwner())].push_back(use);
  unsigned count = 0;
  for (auto &[place, nested] : places) {
    if (nested.front()->getOwner() == place) {
      count += nested.size();
      continue;
    }
    auto branch = dyn_cast<scf::IfOp>(place);
    if (!branch) {
      InFlightDiagnostic diag = report(
          future, "waited for in a region that it is started outside of");
      diag.attachNote(nested.front()->getOwner()->getLoc()) << "here";
      addRemedy(diag);
      return failure();
    }
    unsigned counts[2] = {0, 0};
    for (unsigned i : {0, 1}) {
      Region &region = branch->getRegion(i);
      auto inside =
          llvm::to_vector(llvm::make_filter_range(nested, [&](OpOperand *use) {
            return region.isAncestor(use->getOwner()->getParentRegion());
          }));
      if (inside.empty())
        continue;
      FailureOr<unsigned> found = countWaits(future, &region.front(), inside);
      if (failed(found))
        return failure();
      counts[i] = *found;
    }
    if (counts[0] != counts[1]) {
      InFlightDiagnostic diag =
          report(future, "waited for in one branch and not in the other");
      diag.attachNote(branch.getLoc()) << "the branches are here";
      addRemedy(diag);
      return failure();
    }
    count += counts[0];
  }
  return count;
}

static LogicalResult checkFuture(Value future) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : future.getUses()) {
    Operation *user = use.getOwner();
    uses.push_back(&use);
    if (isa<RankWaitOp, scf::YieldOp, scf::ForOp>(user))
      continue;
    InFlightDiagnostic diag =
        report(future, "used by '" + user->getName().getStringRef() + "'");
    diag.attachNote(user->getLoc()) << "here";
    addRemedy(diag);
    return diag;
  }
  FailureOr<unsigned> count = countWaits(future, future.getParentBlock(), uses);
  if (failed(count))
    return failure();
  if (*count == 1)
    return success();
  InFlightDiagnostic diag =
      report(future, *count ? "waited for more than once" : "not waited for");
  for (OpOperand *use : llvm::reverse(uses))
    diag.attachNote(use->getOwner()->getLoc()) << "it is waited for here";
  addRemedy(diag);
  return diag;
}

//===----------------------------------------------------------------------===//
// Writes meanwhile
//===----------------------------------------------------------------------===//

/// The tensor whose elements a change of shape or a part of it shares.
static Value sharedTensor(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
             tensor::ExtractSliceOp, RankReshapeOp, RankShardOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

namespace {
/// Walks a function in the order in which it runs.
class FlightWalker {
public:
  LogicalResult visit(Block &block);

private:
  using Flights = llvm::MapVector<Value, llvm::SmallSetVector<Operation *, 2>>;

  LogicalResult visit(Operation *op);
  LogicalResult visitFor(scf::ForOp op);
  LogicalResult visitIf(scf::IfOp op);
  void start(RankStartOp op);
  void land(Value future, llvm::SmallPtrSetImpl<Value> &seen);
  LogicalResult checkWrite(Operation *op, Value tensor);

  /// Tensors that are read, and what reads them.
  Flights reading;
  /// What each start reads.
  DenseMap<Operation *, SmallVector<Value>> reads;
  llvm::DenseSet<std::pair<Operation *, Operation *>> reported;
};
} // namespace

void FlightWalker::start(RankStartOp op) {
  SmallVector<Value> &tensors = reads[op];
  op.getBody().walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (isa<RankedTensorType>(operand.getType()) &&
          !op.getBody().isAncestor(operand.getParentRegion()))
        tensors.push_back(sharedTensor(operand));
  });
  for (Value tensor : tensors)
    reading[tensor].insert(op);
}

/// End the flights that the future may stand for.
void FlightWalker::land(Value future, llvm::SmallPtrSetImpl<Value> &seen) {
  if (!seen.insert(future).second)
    return;
  if (auto start = future.getDefiningOp<RankStartOp>()) {
    for (Value tensor : reads[start]) {
      auto found = reading.find(tensor);
      if (found != reading.end())
        found->second.remove(start);
    }
    return;
  }
  auto result = dyn_cast<OpResult>(future);
  if (auto branch = future.getDefiningOp<scf::IfOp>()) {
    for (scf::YieldOp yield : {branch.thenYield(), branch.elseYield()})
      land(yield.getOperand(result.getResultNumber()), seen);
    return;
  }
  auto loop = result
                  ? dyn_cast<scf::ForOp>(result.getOwner())
                  : dyn_cast<scf::ForOp>(
                        cast<BlockArgument>(future).getOwner()->getParentOp());
  if (!loop)
    return;
  unsigned index = result ? result.getResultNumber()
                          : cast<BlockArgument>(future).getArgNumber() -
                                loop.getNumInductionVars();
  land(loop.getInitArgs()[index], seen);
  land(loop.getYieldedValues()[index], seen);
}

LogicalResult FlightWalker::checkWrite(Operation *op, Value tensor) {
  auto found = reading.find(sharedTensor(tensor));
  if (found == reading.end() || found->second.empty())
    return success();
  auto start = cast<RankStartOp>(found->second.front());
  if (!reported.insert({op, start}).second)
    return failure();
  InFlightDiagnostic diag = op->emitError()
                            << describe(op) << " writes a tensor that "
                            << describe(startedOp(start))
                            << " reads, which is under way";
  diag.attachNote(start.getLoc()) << "it is started here";
  diag.attachNote() << "write after coconet.rank.wait, or let it read a copy";
  return diag;
}

LogicalResult FlightWalker::visitFor(scf::ForOp op) {
  size_t before = reads.size();
  LogicalResult result = visit(*op.getBody());
  // What one turn starts may be under way in the next.
  if (reads.size() != before)
    result = success(succeeded(visit(*op.getBody())) && succeeded(result));
  return result;
}

LogicalResult FlightWalker::visitIf(scf::IfOp op) {
  Flights before = reading;
  bool valid = succeeded(visit(*op.thenBlock()));
  Flights after = std::move(reading);
  reading = std::move(before);
  if (op.elseBlock())
    valid &= succeeded(visit(*op.elseBlock()));
  for (auto &[tensor, starts] : after)
    reading[tensor].insert_range(starts);
  return success(valid);
}

LogicalResult FlightWalker::visit(Operation *op) {
  if (auto begin = dyn_cast<RankStartOp>(op))
    return start(begin), success();
  if (auto wait = dyn_cast<RankWaitOp>(op)) {
    llvm::SmallPtrSet<Value, 4> seen;
    return land(wait.getFuture(), seen), success();
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return visitFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return visitIf(branch);
  bool valid = true;
  if (auto update = dyn_cast<UpdateOp>(op))
    valid = succeeded(checkWrite(op, update.getState()));
  else if (auto writer = dyn_cast<DestinationStyleOpInterface>(op))
    for (Value init : writer.getDpsInits())
      valid &= succeeded(checkWrite(op, init));
  for (Region &region : op->getRegions())
    for (Block &block : region)
      valid &= succeeded(visit(block));
  return success(valid);
}

LogicalResult FlightWalker::visit(Block &block) {
  bool valid = true;
  for (Operation &op : block)
    valid &= succeeded(visit(&op));
  return success(valid);
}

LogicalResult coconet::checkFutures(FunctionOpInterface function) {
  SmallVector<Value> futures;
  function->walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (isa<FutureType>(result.getType()))
        futures.push_back(result);
    if (isa<scf::ForOp>(op))
      for (Value argument : op->getRegion(0).getArguments())
        if (isa<FutureType>(argument.getType()))
          futures.push_back(argument);
  });
  if (futures.empty())
    return success();
  bool valid = true;
  for (Value future : futures)
    valid &= succeeded(checkFuture(future));
  if (!valid)
    return failure();
  for (Block &block : function.getFunctionBody())
    valid &= succeeded(FlightWalker().visit(block));
  return success(valid);
}
