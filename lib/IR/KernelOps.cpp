//===- KernelOps.cpp - kernels of one rank ----------------------------------===//

#include "IR/KernelOps.h"
#include "IR/Assembly.h"
#include "IR/Groups.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace coconet;

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// Buffers among the inputs are read, those among the inits written. Kernels
/// over tensors have no effects; that ranks meet in them is kept by their order
/// in the program, which is the same on all ranks.
static void addEffects(DestinationStyleOpInterface op, Effects &effects) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    if (op.isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand,
                           SideEffects::DefaultResource::get());
    else
      effects.emplace_back(MemoryEffects::Read::get(), &operand,
                           SideEffects::DefaultResource::get());
  }
}

#define EFFECTS(OP)                                                            \
  void OP::getEffects(Effects &effects) { addEffects(*this, effects); }
EFFECTS(SymmetricKernelOp)
EFFECTS(SymmetricBroadcastOp)
EFFECTS(SymmetricAllToAllOp)
EFFECTS(GemmOp)
#undef EFFECTS

LogicalResult SymmetricKernelOp::verify() {
  size_t operands = getInputs().size() + getInits().size();
  if (getAccesses().size() != operands || getMaps().size() != operands)
    return emitOpError() << "has " << getAccesses().size() << " accesses and "
                         << getMaps().size() << " maps for " << operands
                         << " operands";
  int64_t reduced = 0;
  for (unsigned i = 0; i < operands; ++i) {
    bool output = i >= getInputs().size();
    Access access = accessOf(i);
    reduced += access == Access::reduce;
    if (output ? access != Access::gather && access != Access::chunk
               : access == Access::gather)
      return emitOpError() << "uses " << (output ? "init " : "input ")
                           << (output ? i - getInputs().size() : i) << " as "
                           << stringifyAccess(access)
                           << (output ? "; an init is a chunk or a gather"
                                      : "; an input is no gather");
    if (mapOf(i).getNumDims() != mapOf(0).getNumDims())
      return emitOpError() << "has maps of " << mapOf(0).getNumDims()
                           << " and of " << mapOf(i).getNumDims()
                           << " dimensions";
  }
  if (int64_t(getReductions().size()) != reduced)
    return emitOpError() << "has " << getReductions().size()
                         << " reductions for " << reduced
                         << " inputs that are reduced";
  Block &block = getBody().front();
  auto matches = [](TypeRange scalars, ValueRange shaped) {
    return llvm::equal(scalars, shaped, [](Type scalar, Value value) {
      return scalar == getElementTypeOrSelf(value);
    });
  };
  if (!matches(block.getArgumentTypes(), getInputs()) ||
      !isa<YieldOp>(block.back()) ||
      !matches(block.back().getOperandTypes(), getInits()))
    return emitOpError() << "has a body that does not take one element an "
                            "input and yield one an init";
  return success();
}

#define GET_OP_CLASSES
#include "CoCoNetKernelOps.cpp.inc"

void CoCoNetDialect::addKernelOps() {
  addOperations<
#define GET_OP_LIST
#include "CoCoNetKernelOps.cpp.inc"
      >();
}
