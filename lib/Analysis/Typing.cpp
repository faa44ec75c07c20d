//===- Typing.cpp - types an op would have ----------------------------------===//

#include "Analysis/Typing.h"
#include "IR/Layout.h"
#include "IR/Refusal.h"
#include "IR/RootedOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace coconet;

/// Run `infer` and keep what it reports.
static FailureOr<RankedTensorType>
captureRefusal(Operation *op, Refusal &refusal,
               llvm::function_ref<FailureOr<RankedTensorType>()> infer) {
  Refusal captured;
  // A handler sees what all threads of the context report.
  uint64_t thread = llvm::get_threadid();
  ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &diag) {
    if (llvm::get_threadid() != thread)
      return failure();
    if (!captured.location) {
      captured.location = diag.getLocation();
      captured.message = diag.str();
      for (Diagnostic &note : diag.getNotes())
        captured.addNote(note.getLocation(), note.str());
    }
    return success();
  });
  FailureOr<RankedTensorType> type = infer();
  if (failed(type)) {
    assert(captured.location && "inference says why it fails");
    refusal = captured;
  }
  return type;
}

static FailureOr<RankedTensorType> inferType(Operation *op) {
  if (auto inferred = dyn_cast<InferTypeOpInterface>(op)) {
    SmallVector<Type> types;
    if (failed(inferred.inferReturnTypes(
            op->getContext(), op->getLoc(), op->getOperands(),
            op->getAttrDictionary(), op->getPropertiesStorage(),
            op->getRegions(), types)))
      return failure();
    return cast<RankedTensorType>(types.front());
  }
  return llvm::TypeSwitch<Operation *, FailureOr<RankedTensorType>>(op)
      .Case<AllReduceOp, ReduceScatterOp, AllGatherOp, AllToAllOp, BroadcastOp,
            ReduceToRootOp, GatherToRootOp, ScatterFromRootOp, PermuteOp,
            ReshapeOp, BroadcastToOp>(
          [](auto typed) { return typed.inferType(); })
      .Default([](Operation *op) -> FailureOr<RankedTensorType> {
        return refuse(op, "has no layout rule", "leave it as it is");
      });
}

FailureOr<RankedTensorType> coconet::typeOfDetached(Operation *op,
                                                    Refusal &refusal) {
  return captureRefusal(op, refusal, [&] { return inferType(op); });
}

FailureOr<RankedTensorType> coconet::typeWithOperands(Operation *op,
                                                      TypeRange operandTypes,
                                                      Refusal &refusal) {
  // Values of the wanted types that belong to nothing.
  OpBuilder builder(op->getContext());
  auto source = UnrealizedConversionCastOp::create(builder, op->getLoc(),
                                                   operandTypes, ValueRange());
  Operation *clone = op->cloneWithoutRegions();
  clone->setOperands(source.getResults());
  FailureOr<RankedTensorType> type = typeOfDetached(clone, refusal);
  clone->erase();
  source.erase();
  return type;
}
