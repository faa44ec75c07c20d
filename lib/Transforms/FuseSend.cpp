//===- FuseSend.cpp - computation with the send of its result ---------------===//

#include "Transforms/FuseSend.h"
#include "IR/ChannelOps.h"

using namespace mlir;
using namespace coconet;

/// Shape and cut.
static Type spaceOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return RankedTensorType::get(type.getShape(),
                               IntegerType::get(type.getContext(), 1),
                               type.getEncoding());
}

static LogicalResult checkMember(Operation *op, SendOp send, Refusal &refusal) {
  if (op == send)
    return success();
  if (isa<SendOp>(op)) {
    refusal.set(op, "cannot fuse " + describe(send) + " and " + describe(op),
                "fuse each send with what computes its operand");
    refusal.addNote(send.getLoc(), "the other send is here");
    return failure();
  }
  auto iterated = dyn_cast<IterationOpInterface>(op);
  if (!iterated || !iterated.isPointwise())
    return refusal.set(op, "cannot fuse " + describe(op) + " with a send",
                       "only pointwise ops are fused with a send");
  if (spaceOf(op->getResult(0)) == spaceOf(send.getOperand()))
    return success();
  refusal.set(op,
              "cannot fuse " + describe(op) + " and " + describe(send) +
                  ": what is computed is not shaped as what is sent",
              "leave it out");
  refusal.addNote(send.getLoc(), "the send is here");
  return failure();
}

LogicalResult coconet::checkSend(const OpSet &set, Refusal &refusal) {
  auto send = cast<SendOp>(*llvm::find_if(set, llvm::IsaPred<SendOp>));
  for (Operation *op : set)
    if (failed(checkMember(op, send, refusal)))
      return failure();
  Operation *producer = send.getOperand().getDefiningOp();
  if (!producer || !set.contains(producer))
    return refusal.set(send,
                       "cannot fuse " + describe(send) +
                           ": what it sends is computed outside of the set",
                       "add the op that computes it");
  if (failed(checkConvex(set, refusal))) {
    refusal.message = "cannot fuse: " + refusal.message;
    return failure();
  }
  // What depends on the set moves behind it.
  for (Operation *op : findDependentsWithin(set)) {
    if (!isa<SendOp>(op))
      continue;
    refusal.set(op,
                "cannot fuse: " + describe(op) + " would come after " +
                    describe(send),
                "both sides of a program send and receive in one order; fuse "
                "what comes before it by itself");
    refusal.addNote(send.getLoc(), "the send of the set is here");
    return failure();
  }
  return success();
}
