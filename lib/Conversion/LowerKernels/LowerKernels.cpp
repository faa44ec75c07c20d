//===- LowerKernels.cpp - from kernels over buffers to loops and calls ------===//

#include "Conversion/LowerKernels/Lowerings.h"
#include "Conversion/LowerKernels/RuntimeCalls.h"
#include "IR/KernelOps.h"
#include "IR/RankOps.h"
#include "IR/Refusal.h"
#include "Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace coconet {
#define GEN_PASS_DEF_LOWERKERNELS
#include "CoCoNetPasses.h.inc"
} // namespace coconet

using namespace mlir;
using namespace coconet;

/// Drop attributes that speak of tensors.
static void dropAttributes(func::FuncOp function) {
  auto keep = [](DictionaryAttr attrs) {
    NamedAttrList list;
    if (attrs)
      for (NamedAttribute attr : attrs)
        if (!attr.getName().strref().starts_with("coconet.") &&
            !attr.getName().strref().starts_with("bufferization."))
          list.push_back(attr);
    return list;
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    function.setArgAttrs(i, keep(function.getArgAttrDict(i)));
  function.removeResAttrsAttr();
  function->removeAttr(statesAttr);
}

LogicalResult coconet::convertBoundary(func::FuncOp function,
                                       SymbolTable &symbols) {
  MLIRContext *context = function.getContext();
  auto mesh = function->getAttrOfType<MeshAttr>(meshAttr);
  dropAttributes(function);
  function->removeAttr(meshAttr);
  auto pointer = LLVM::LLVMPointerType::get(context);
  Location loc = function.getLoc();
  if (failed(function.insertArgument(0, pointer, {}, loc)))
    return failure();
  function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                    UnitAttr::get(context));
  if (mesh) {
    OpBuilder start = OpBuilder::atBlockBegin(&function.getBody().front());
    RuntimeCalls calls(start, &function.getBody().front().back(), &symbols);
    calls.call(
        "coconet_rt_check_ranks", Type(),
        {calls.rank(), calls.i64(start.getIndexAttr(mesh.getNumRanks()))});
  }
  return success();
}

static LogicalResult lowerOp(Operation *op, SymbolTable &symbols) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case(
          [&](SymmetricKernelOp o) { return lowerSymmetricKernel(o, symbols); })
      .Case([&](SymmetricBroadcastOp o) {
        return lowerSymmetricBroadcast(o, symbols);
      })
      .Case([&](SymmetricAllToAllOp o) {
        return lowerSymmetricAllToAll(o, symbols);
      })
      .Case([&](GemmOp o) { return lowerGemm(o, symbols); })
      .Case([&](RankCheckSizeOp o) {
        return lowerCheckSize(o, symbols), success();
      })
      .Case([&](RankCoordinateOp o) {
        return lowerCoordinate(o, symbols), success();
      })
      .Case([](linalg::GenericOp o) { return lowerGeneric(o), success(); })
      .Case([](memref::ExpandShapeOp o) {
        return lowerExpandShape(o), success();
      })
      .Case([](memref::CopyOp o) { return lowerCopy(o), success(); })
      .Default([](Operation *o) -> LogicalResult {
        if (!isa_and_nonnull<CoCoNetDialect>(o->getDialect()))
          return success();
        return refuse(o, "is no kernel over buffers",
                      "run --coconet-to-kernels and bufferize first");
      });
}

/// Kernels work on buffers, and a function's results are returned at one place.
static LogicalResult checkFunction(func::FuncOp function) {
  WalkResult result = function.walk([](Operation *op) {
    bool tensors =
        llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TensorType>);
    if (!tensors || !isa_and_nonnull<CoCoNetDialect>(op->getDialect()))
      return WalkResult::advance();
    refuse(op, "works on tensors", "bufferize before --coconet-lower-kernels");
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return failure();
  if (!isa<func::ReturnOp>(function.getBody().back().getTerminator()) ||
      !function.getBody().hasOneBlock())
    return refuse(function, "has several blocks",
                  "a rank function is one block");
  return success();
}

namespace {
struct LowerKernels : coconet::impl::LowerKernelsBase<LowerKernels> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (func::FuncOp function :
         llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      if (function.isExternal())
        continue;
      if (failed(checkFunction(function)) ||
          failed(convertBoundary(function, symbols)))
        return signalPassFailure();
      SmallVector<Operation *> ops;
      function.walk([&](Operation *op) {
        if (!isa<YieldOp, KernelIndexOp>(op) &&
            !op->getParentOfType<SymmetricKernelOp>())
          ops.push_back(op);
      });
      for (Operation *op : ops)
        if (failed(lowerOp(op, symbols)))
          return signalPassFailure();
    }
  }
};
} // namespace
