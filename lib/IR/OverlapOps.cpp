//===- OverlapOps.cpp - overlap, start and wait ----------------------------===//

#include "IR/OverlapOps.h"
#include "IR/Assembly.h"
#include "IR/ChannelOps.h"
#include "IR/KernelOps.h"
#include "IR/RankTyping.h"
#include "IR/Refusal.h"

using namespace mlir;
using namespace coconet;

static LogicalResult verifyYield(Operation *op, Region &body, TypeRange types) {
  if (body.getNumArguments() != 0)
    return refuse(op, "has block arguments",
                  "use values from outside directly");
  auto yield = dyn_cast<YieldOp>(body.front().getTerminator());
  if (!yield || yield.getOperandTypes() != types)
    return refuse(op, "yields other types than its results",
                  "yield one value per result, of its type");
  return success();
}

LogicalResult OverlapOp::verifyRegions() {
  int64_t chunks = getChunks(), dim = getDim();
  if (chunks < 1)
    return refuse(*this, "has " + Twine(chunks) + " chunks",
                  "give 2 or more, or 1 to run independent ops side by side");
  if (dim < 0)
    return refuse(*this, "lies along dimension " + Twine(dim),
                  "name a dimension of the first result, from 0");
  if (failed(verifyYield(*this, getBody(), getResultTypes())))
    return failure();
  OperandRange yielded = getBody().front().getTerminator()->getOperands();
  bool hasChannel = getBody()
                        .walk([](Operation *op) {
                          return isa<SendOp, RecvOp>(op)
                                     ? WalkResult::interrupt()
                                     : WalkResult::advance();
                        })
                        .wasInterrupted();
  // Values from outside are what folding leaves of ops that do nothing.
  if (yielded.empty() && !hasChannel)
    return refuse(*this, "yields no value", "it yields what its ops compute");
  return success();
}

static bool isCommunication(Operation &op) {
  return isa<CollectiveOpInterface, RankSendOp, RankRecvOp>(op);
}

LogicalResult RankStartOp::verifyRegions() {
  Block &block = getBody().front();
  auto communicates = [](Operation &op) {
    auto fused = dyn_cast<FusedOp>(op);
    return fused ? llvm::any_of(fused.getBody().front(), isCommunication)
                 : isCommunication(op);
  };
  if (!llvm::hasSingleElement(block.without_terminator()) ||
      !communicates(block.front()))
    return refuse(*this, "does not hold one op that communicates",
                  "its region holds one collective, send or recv, or one fused "
                  "region with one");
  return verifyYield(*this, getBody(), getFuture().getType().getTypes());
}

LogicalResult RankWaitOp::verify() {
  if (getFuture().getType().getTypes() ==
      ArrayRef(llvm::to_vector(getResultTypes())))
    return success();
  return refuse(*this, "has other results than the future delivers",
                "the results are those of the future, in order");
}

//===----------------------------------------------------------------------===//
// Publishing
//===----------------------------------------------------------------------===//

bool coconet::isPublished(Operation *kernel, unsigned operand) {
  auto symmetric = dyn_cast<SymmetricKernelOp>(kernel);
  if (!symmetric) // One input, which others read.
    return operand == 0;
  Access access = symmetric.accessOf(operand);
  return access == Access::reduce ||
         (access == Access::gather && !symmetric.isOneShot()) ||
         (access == Access::slice && symmetric.getRoot());
}

void SymmetricStartOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (!llvm::any_of(getOperandTypes(), llvm::IsaPred<MemRefType>))
    return;
  // That the buffers are known to others is an effect of its own.
  effects.emplace_back(MemoryEffects::Write::get(),
                       SideEffects::DefaultResource::get());
  for (OpOperand &operand : getInputsMutable())
    if (isa<MemRefType>(operand.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &operand,
                           SideEffects::DefaultResource::get());
  for (OpOperand &operand : getInitsMutable())
    if (isa<MemRefType>(operand.get().getType()))
      effects.emplace_back(MemoryEffects::Write::get(), &operand,
                           SideEffects::DefaultResource::get());
}

LogicalResult SymmetricStartOp::verify() {
  if (failed(verifyGroup(*this, getMesh(), getAxesAttr(), getGroupsAttr())))
    return failure();
  if (!(*this)->hasAttr(startedAttr))
    return refuse(*this, "does not say what it starts",
                  "give it and the kernel that waits for it the same '" +
                      startedAttr + "'");
  bool tensors = llvm::all_of(getOperandTypes(), llvm::IsaPred<TensorType>);
  if (tensors ? getResultTypes() == getOperandTypes() : getResults().empty())
    return success();
  return refuse(*this, "has results of other types than its operands",
                "tensors are results too, in order; buffers are not");
}

#define GET_OP_CLASSES
#include "CoCoNetOverlapOps.cpp.inc"

void CoCoNetDialect::addOverlapOps() {
  addOperations<
#define GET_OP_LIST
#include "CoCoNetOverlapOps.cpp.inc"
      >();
}
