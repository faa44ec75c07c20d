//===- SetWireType.cpp - narrow values on the wire --------------------------===//

#include "Transforms/SetWireType.h"
#include "IR/RootedOps.h"
#include "Transforms/NamedOps.h"
#include "Transforms/Passes.h"

namespace coconet {
#define GEN_PASS_DEF_SETWIRETYPE
#include "CoCoNetPasses.h.inc"
} // namespace coconet

using namespace mlir;
using namespace coconet;

static LogicalResult checkCollective(Operation *op, Type type,
                                     Refusal &refusal) {
  if (!isa<AllReduceOp, ReduceScatterOp, AllGatherOp, AllToAllOp, BroadcastOp,
           ReduceToRootOp>(op))
    return refusal.set(op, "cannot give " + describe(op) + " a wire type",
                       "all_reduce, reduce_scatter, all_gather, all_to_all, "
                       "broadcast and reduce_to_root have one");
  Type element =
      cast<RankedTensorType>(op->getOperand(0).getType()).getElementType();
  if (element.isF32() || element.isF64())
    return success();
  std::string text;
  llvm::raw_string_ostream(text) << element;
  return refusal.set(op,
                     "cannot let " + describe(op) + " of " + text +
                         " values travel in another type",
                     "only f32 and f64 values are narrowed");
}

LogicalResult coconet::setWireType(Operation *op, Type type, Refusal &refusal) {
  if (!type.isF16() && !type.isBF16())
    return refusal.set(op, "the wire type is neither f16 nor bf16",
                       "choose one of them");
  SmallVector<Operation *> collectives = {op};
  if (auto fused = dyn_cast<FusedOp>(op)) {
    collectives.clear();
    for (Operation &inner : fused.getBody().front())
      if (isa<CollectiveOpInterface>(inner))
        collectives.push_back(&inner);
    if (collectives.empty())
      return refusal.set(op, describe(op) + " has no collective",
                         "name a collective, or a region around some");
  }
  for (Operation *collective : collectives)
    if (failed(checkCollective(collective, type, refusal)))
      return failure();
  for (Operation *collective : collectives)
    collective->setAttr(wireTypeAttr, TypeAttr::get(type));
  return success();
}

namespace {
struct SetWireType : coconet::impl::SetWireTypeBase<SetWireType> {
  using SetWireTypeBase::SetWireTypeBase;

  void runOnOperation() override {
    FailureOr<SmallVector<Operation *>> ops =
        findAllNamed(getOperation(), name);
    if (failed(ops))
      return signalPassFailure();
    Builder builder(&getContext());
    Type wire = type == "f16"    ? Type(builder.getF16Type())
                : type == "bf16" ? Type(builder.getBF16Type())
                                 : Type(builder.getNoneType());
    for (Operation *op : *ops) {
      Refusal refusal;
      if (succeeded(setWireType(op, wire, refusal)))
        continue;
      refusal.report(DiagnosticSeverity::Error);
      return signalPassFailure();
    }
  }
};
} // namespace
