//===- ChannelOps.cpp - send and receive --------------------------------===//

#include "IR/ChannelOps.h"
#include "IR/Assembly.h"
#include "IR/Layout.h"
#include "IR/Refusal.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace coconet;

static LogicalResult verifyChannel(Operation *op, StringRef channel) {
  if (!op->getParentOfType<FunctionOpInterface>())
    return refuse(op, "lies in no function",
                  "the function that holds it says which ranks run it");
  if (!channel.empty() && !channel.contains('\n'))
    return success();
  return refuse(op, "names no channel",
                "a channel has a name of one line, as in \"boundary\"");
}

/// Each sender has one receiver, and no rank is both or appears twice.
static LogicalResult verifyRanks(Operation *op, ArrayRef<int64_t> senders,
                                 ArrayRef<int64_t> receivers) {
  // A set cannot hold every number.
  SmallVector<int64_t> all(senders);
  llvm::append_range(all, receivers);
  llvm::sort(all);
  if (!senders.empty() && senders.size() == receivers.size() &&
      all.front() >= 0 &&
      std::adjacent_find(all.begin(), all.end()) == all.end())
    return success();
  return refuse(op,
                "joins " + Twine(senders.size()) + " senders and " +
                    Twine(receivers.size()) + " receivers",
                "list distinct ranks, as many senders as receivers");
}

static LogicalResult verifyPlainType(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.getEncoding())
    return success();
  return refuse(op, "has a tensor that carries a layout",
                "rank programs have plain tensors");
}

static LogicalResult verifySizes(Operation *op, Type type, size_t given) {
  auto shaped = cast<ShapedType>(type);
  size_t open = llvm::count_if(shaped.getShape(), ShapedType::isDynamic);
  if (open == given)
    return success();
  return refuse(op,
                "has " + Twine(given) + " sizes for " + Twine(open) +
                    " dynamic dimensions",
                "give the size of each dynamic dimension, in order");
}

/// What all ops of rank programs and kernels have in common.
template <typename OpTy> static LogicalResult verifyEnd(OpTy op, Type type) {
  if (failed(verifyChannel(op, op.getChannel())) ||
      failed(verifyRanks(op, op.getSenders(), op.getReceivers())))
    return failure();
  return verifyPlainType(op, type);
}

LogicalResult SendOp::verify() { return verifyChannel(*this, getChannel()); }

LogicalResult RecvOp::verify() {
  if (failed(verifyChannel(*this, getChannel())))
    return failure();
  auto type = cast<RankedTensorType>(getResult().getType());
  size_t given = getDims() ? getDims()->size() : 0;
  if (getDims() && int64_t(given) != type.getRank())
    return refuse(*this,
                  "has " + Twine(given) + " names for " +
                      Twine(type.getRank()) + " dimensions",
                  "give one name a dimension; static ones may be \"\"");
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim) &&
        (!given || cast<StringAttr>((*getDims())[dim]).empty()))
      return refuse(*this, "does not know the size of dimension " + Twine(dim),
                    "name it as a dimension of an argument, as in dims "
                    "[\"b\", \"h\"], or make the type static");
  return success();
}

LogicalResult RankSendOp::verify() {
  return verifyEnd(*this, getOperand().getType());
}

LogicalResult RankRecvOp::verify() {
  if (failed(verifyEnd(*this, getResult().getType())))
    return failure();
  return verifySizes(*this, getResult().getType(), getSizes().size());
}

LogicalResult SymmetricSendBeginOp::verify() {
  if (failed(verifyEnd(*this, getResult().getType())))
    return failure();
  return verifySizes(*this, getResult().getType(), getSizes().size());
}

LogicalResult SymmetricSendEndOp::verify() {
  return verifyEnd(*this, getWritten().getType());
}

LogicalResult SymmetricRecvStartOp::verify() {
  return verifyEnd(*this, getInit().getType());
}

LogicalResult SymmetricRecvOp::verify() {
  return verifyEnd(*this, getInit().getType());
}

#define GET_OP_CLASSES
#include "CoCoNetChannelOps.cpp.inc"

void CoCoNetDialect::addChannelOps() {
  addOperations<
#define GET_OP_LIST
#include "CoCoNetChannelOps.cpp.inc"
      >();
}
