//===- StartedKernels.cpp - communication under way -------------------------===//

#include "Analysis/CommunicationEvents.h"
#include "Conversion/ToKernels/KernelBuilder.h"
#include "IR/ChannelOps.h"
#include "IR/KernelOps.h"
#include "IR/ListOps.h"
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

/// Where the kernel is to be: what is started on a rank runs in the order in
/// which it is started, so before other communication at the latest, and before
/// the wait for anything that is started later.
static Operation *findPlace(RankStartOp op) {
  Operation *place = op->getNextNode();
  while (!isa<RankWaitOp, ListKernelOp>(place) &&
         (isa<RankStartOp>(place) || !holdsCommunication(place)))
    place = place->getNextNode();
  return place;
}

/// The kind of the collective that the op does, as its kernel is called when
/// nothing is started.
static StringRef kindOf(Operation *op) {
  if (auto fused = dyn_cast<FusedOp>(op)) {
    Block &body = fused.getBody().front();
    if (!body.getOps<RankReduceScatterOp>().empty() &&
        !body.getOps<RankAllGatherOp>().empty())
      return "all_reduce";
    for (Operation &inner : body)
      if (isCommunication(&inner))
        op = &inner;
  }
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
  for (Operation *op = first; op != end; op = op->getNextNode()) {
    if (isa<SymmetricSendBeginOp, SymmetricRecvOp>(op))
      return op;
    if (isa<SymmetricKernelOp, SymmetricAllToAllOp, SymmetricPermuteOp>(op) &&
        !isAlone(op))
      for (unsigned i = 0; i < op->getNumOperands(); ++i)
        if (isPublished(op, i))
          return op;
  }
  return nullptr;
}

/// Let the counterpart write from here on.
static void publish(SymmetricRecvOp recv) {
  OpBuilder builder(recv);
  auto start = SymmetricRecvStartOp::create(
      builder, recv.getLoc(), recv.getResult().getType(), recv.getInit(),
      recv.getChannelAttr(), recv.getSendersAttr(), recv.getReceiversAttr());
  recv.getInitMutable().assign(start.getResult());
  recv->setAttr(startedAttr, recv.getChannelAttr());
}

/// Publish what the kernel shares, before it, and let it take the results. A
/// sender shares nothing.
static void publish(Operation *kernel, StringRef name) {
  if (isa<SymmetricSendBeginOp>(kernel))
    return;
  if (auto recv = dyn_cast<SymmetricRecvOp>(kernel))
    return publish(recv);
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

/// Move the kernel, and what was made of its results, before `place`.
static void moveKernel(Operation *kernel, Operation *end, Operation *place) {
  llvm::SmallPtrSet<Operation *, 8> moved = {kernel};
  Operation *op = kernel->getNextNode();
  kernel->moveBefore(place);
  while (op != end) {
    Operation *next = op->getNextNode();
    if (llvm::any_of(op->getOperands(), [&](Value value) {
          return moved.contains(value.getDefiningOp());
        })) {
      moved.insert(op);
      op->moveBefore(place);
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
  if (isSend(inner) || isReceive(inner))
    lowerChannelOp(builder, inner);
  else if (failed(fused ? lowerFused(builder, fused)
                        : lowerCollective(builder, inner)))
    return failure();
  Operation *first = before ? before->getNextNode() : &op->getBlock()->front();
  if (Operation *kernel = findKernel(first, op)) {
    publish(kernel, name);
    moveKernel(kernel, op, findPlace(op));
  }
  wait->replaceAllUsesWith(body.getTerminator()->getOperands());
  wait->erase();
  op.erase();
  return success();
}
