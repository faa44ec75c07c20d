//===- StartedKernels.cpp - communication under way -------------------------===//

#include "Conversion/ToKernels/KernelBuilder.h"
#include "IR/KernelOps.h"
#include "IR/OverlapOps.h"
#include "IR/RankOps.h"
#include "IR/Refusal.h"

using namespace mlir;
using namespace coconet;

/// The one wait for communication that is started, in the same block.
static FailureOr<RankWaitOp> findWait(RankStartOp op) {
  RankWaitOp wait;
  if (op.getFuture().hasOneUse())
    wait = dyn_cast<RankWaitOp>(*op.getFuture().user_begin());
  if (wait && wait->getBlock() == op->getBlock())
    return wait;
  return refuse(op, "is not waited for exactly once",
                "wait for every future once, in the block where it is started");
}

/// The kind of the collective that the op does, for messages.
static StringRef kindOf(Operation *op) {
  if (auto fused = dyn_cast<FusedOp>(op))
    for (Operation &inner : fused.getBody().front())
      if (isa<CollectiveOpInterface>(inner))
        op = &inner;
  StringRef kind = op->getName().stripDialect();
  kind.consume_front("rank.");
  return kind;
}

static bool isAlone(Operation *kernel) {
  auto mesh = kernel->getAttrOfType<MeshAttr>("mesh");
  auto axes = kernel->getAttrOfType<ArrayAttr>("axes");
  return axes && mesh.sizeOf(axisList(axes)) == 1;
}

/// The first op from `first` up to `end` that others take part in.
static Operation *findKernel(Operation *first, Operation *end) {
  for (Operation *op = first; op != end; op = op->getNextNode())
    if (isa<SymmetricKernelOp, SymmetricAllToAllOp, SymmetricPermuteOp>(op) &&
        !isAlone(op))
      for (unsigned i = 0; i < op->getNumOperands(); ++i)
        if (isPublished(op, i))
          return op;
  return nullptr;
}

/// Publish what the kernel shares, before it, and let it take the results.
static void publish(Operation *kernel, StringRef name) {
  OpBuilder builder(kernel);
  auto style = cast<DestinationStyleOpInterface>(kernel);
  SmallVector<OpOperand *> shared;
  SmallVector<Value> inputs, inits;
  for (OpOperand &operand : kernel->getOpOperands()) {
    if (!isPublished(kernel, operand.getOperandNumber()))
      continue;
    shared.push_back(&operand);
    (style.isDpsInit(&operand) ? inits : inputs).push_back(operand.get());
  }
  SmallVector<Value> all(inputs);
  llvm::append_range(all, inits);
  auto start = SymmetricStartOp::create(
      builder, kernel->getLoc(), TypeRange(ValueRange(all)), inputs, inits,
      kernel->getAttrOfType<MeshAttr>("mesh"),
      kernel->getAttrOfType<ArrayAttr>("axes"),
      kernel->getAttrOfType<ArrayAttr>("groups"));
  for (Operation *op : {kernel, start.getOperation()})
    op->setAttr(startedAttr, builder.getStringAttr(name));
  if (Attribute given = kernel->getAttr(nameAttr))
    start->setAttr(nameAttr, given);
  for (auto [operand, result] : llvm::zip(shared, start.getResults()))
    operand->set(result);
}

/// Move the kernel, and what was made of its results, to the wait.
static void moveToWait(Operation *kernel, Operation *end, Operation *wait) {
  llvm::SmallPtrSet<Operation *, 8> moved = {kernel};
  Operation *op = kernel->getNextNode();
  kernel->moveBefore(wait);
  while (op != end) {
    Operation *next = op->getNextNode();
    if (llvm::any_of(op->getOperands(), [&](Value value) {
          return moved.contains(value.getDefiningOp());
        })) {
      moved.insert(op);
      op->moveBefore(wait);
    }
    op = next;
  }
}

LogicalResult coconet::lowerStart(RankStartOp op, unsigned number) {
  FailureOr<RankWaitOp> wait = findWait(op);
  if (failed(wait))
    return failure();
  Block &body = op.getBody().front();
  Operation *inner = &body.front();
  std::string name = (kindOf(inner) + " " + Twine(number)).str();
  Operation *before = op->getPrevNode();
  inner->moveBefore(op);
  OpBuilder builder(inner);
  auto fused = dyn_cast<FusedOp>(inner);
  if (failed(fused ? lowerFused(builder, fused)
                   : lowerCollective(builder, inner)))
    return failure();
  Operation *first = before ? before->getNextNode() : &op->getBlock()->front();
  if (Operation *kernel = findKernel(first, op)) {
    publish(kernel, name);
    moveToWait(kernel, op, *wait);
  }
  wait->replaceAllUsesWith(body.getTerminator()->getOperands());
  wait->erase();
  op.erase();
  return success();
}
