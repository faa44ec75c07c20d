//===- LowerKernels.cpp - from kernels over buffers to loops and calls ------===//

#include "Conversion/LowerKernels/Lowerings.h"
#include "Conversion/LowerKernels/RuntimeCalls.h"
#include "IR/KernelOps.h"
#include "IR/ListOps.h"
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

/// Ranks of the whole program: of all functions, where each has its own.
static int64_t countRanks(func::FuncOp function, MeshAttr mesh) {
  if (!function->hasAttr(ranksAttr))
    return mesh.getNumRanks();
  int64_t count = 0;
  for (auto other :
       function->getParentOfType<ModuleOp>().getOps<func::FuncOp>())
    if (auto ranks = other->getAttrOfType<DenseI64ArrayAttr>(ranksAttr))
      count += ranks.size();
  return count;
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
  if (mesh || function->hasAttr(ranksAttr)) {
    OpBuilder start = OpBuilder::atBlockBegin(&function.getBody().front());
    RuntimeCalls calls(start, &function.getBody().front().back(), &symbols);
    calls.call("coconet_rt_check_ranks", Type(),
               {calls.rank(),
                calls.i64(start.getIndexAttr(countRanks(function, mesh)))});
  }
  return success();
}

static LogicalResult lowerOp(Operation *op, SymbolTable &symbols) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case(
          [&](SymmetricKernelOp o) { return lowerSymmetricKernel(o, symbols); })
      .Case([&](SymmetricPermuteOp o) {
        return lowerSymmetricPermute(o, symbols), success();
      })
      .Case(
          [&](RankBarrierOp o) { return lowerBarrier(o, symbols), success(); })
      .Case([&](SymmetricAllToAllOp o) {
        return lowerSymmetricAllToAll(o, symbols);
      })
      .Case([&](ListKernelOp o) {
        return lowerListKernel(o, symbols), success();
      })
      .Case([&](SymmetricStartOp o) {
        return lowerSymmetricStart(o, symbols), success();
      })
      .Case([&](GemmOp o) { return lowerGemm(o, symbols); })
      .Case([&](ScatterRowsOp o) { return lowerScatterRows(o), success(); })
      .Case([&](SymmetricSendBeginOp o) {
        return lowerSendBegin(o, symbols), success();
      })
      .Case([&](SymmetricSendEndOp o) {
        return lowerSendEnd(o, symbols), success();
      })
      .Case([&](SymmetricRecvStartOp o) {
        return lowerRecvStart(o, symbols), success();
      })
      .Case([&](SymmetricRecvOp o) { return lowerRecv(o, symbols), success(); })
      .Case([&](RankCheckSizeOp o) {
        return lowerCheckSize(o, symbols), success();
      })
      .Case([&](RankCheckFiniteOp o) {
        return lowerCheckFinite(o, symbols), success();
      })
      .Case([&](RankCoordinateOp o) {
        return lowerCoordinate(o, symbols), success();
      })
      .Case([](linalg::GenericOp o) { return lowerGeneric(o), success(); })
      .Case([](memref::ExpandShapeOp o) {
        return lowerExpandShape(o), success();
      })
      .Case([](memref::CopyOp o) { return lowerCopy(o), success(); })
      .Case([](memref::LoadOp o) { return lowerLoad(o), success(); })
      .Case([](memref::StoreOp o) { return lowerStore(o), success(); })
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
        llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TensorType>) ||
        (isa<SymmetricSendBeginOp>(op) &&
         isa<TensorType>(op->getResult(0).getType()));
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
      // Upstream's helper for deallocation is called without a rank.
      bool isHelper =
          function.isPrivate() && function.getName() == "dealloc_helper";
      if (function.isExternal())
        continue;
      if (failed(checkFunction(function)) ||
          (!isHelper && failed(convertBoundary(function, symbols))))
        return signalPassFailure();
      SmallVector<Operation *> ops;
      function.walk([&](Operation *op) {
        if (!isa<YieldOp, KernelIndexOp>(op) &&
            !op->getParentOfType<SymmetricKernelOp>() &&
            !op->getParentOfType<ListKernelOp>())
          ops.push_back(op);
      });
      for (Operation *op : ops)
        if (failed(lowerOp(op, symbols)))
          return signalPassFailure();
      hoistStackMemory(function);
    }
    // Until here lowering asks for the ranks of all functions.
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      function->removeAttr(stageAttr);
      function->removeAttr(ranksAttr);
    }
  }
};
} // namespace
