//===- BufferizableModels.cpp - how kernels become buffers ------------------===//

#include "Conversion/ToKernels/BufferizableModels.h"
#include "IR/CoCoNet.h"
#include "IR/KernelOps.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace coconet;

/// Whether the kernel uses the operand at the element it is at.
static bool isElementwise(SymmetricKernelOp op, OpOperand *operand) {
  unsigned index = operand->getOperandNumber();
  return op.accessOf(index) != Access::shared && op.mapOf(index).isIdentity();
}

/// What others read, and what matrix products read, is contiguous.
static bool needsContiguous(Operation *op, OpOperand &operand) {
  auto kernel = dyn_cast<SymmetricKernelOp>(op);
  if (!kernel)
    return true;
  Access access = kernel.accessOf(operand.getOperandNumber());
  return access == Access::reduce || access == Access::gather;
}

static FailureOr<Value> makeContiguous(RewriterBase &rewriter, Location loc,
                                       Value buffer,
                                       const BufferizationOptions &options) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getLayout().isIdentity())
    return buffer;
  SmallVector<Value> open;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      open.push_back(memref::DimOp::create(rewriter, loc, buffer, dim));
  auto compact = MemRefType::get(type.getShape(), type.getElementType());
  FailureOr<Value> copy = options.createAlloc(rewriter, loc, compact, open);
  if (failed(copy) ||
      failed(options.createMemCpy(rewriter, loc, buffer, *copy)))
    return failure();
  return copy;
}

namespace {
template <typename OpTy>
struct KernelModel
    : DstBufferizableOpInterfaceExternalModel<KernelModel<OpTy>, OpTy> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
  }

  bool bufferizesToElementwiseAccess(Operation *op, const AnalysisState &,
                                     ArrayRef<OpOperand *> operands) const {
    auto kernel = dyn_cast<SymmetricKernelOp>(op);
    return kernel && llvm::all_of(operands, [&](OpOperand *operand) {
             return isElementwise(kernel, operand);
           });
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    rewriter.setInsertionPoint(op);
    SmallVector<Value> buffers, results;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<RankedTensorType>(operand.get().getType())) {
        buffers.push_back(operand.get());
        continue;
      }
      FailureOr<Value> buffer =
          getBuffer(rewriter, operand.get(), options, state);
      if (succeeded(buffer) && needsContiguous(op, operand))
        buffer = makeContiguous(rewriter, op->getLoc(), *buffer, options);
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
      if (cast<DestinationStyleOpInterface>(op).isDpsInit(&operand))
        results.push_back(*buffer);
    }
    OperationState built(op->getLoc(), op->getName(), buffers, TypeRange{},
                         llvm::to_vector(op->getDiscardableAttrs()));
    built.propertiesAttr = op->getPropertiesAsAttribute();
    for (Region &region : op->getRegions())
      built.addRegion()->takeBody(region);
    rewriter.create(built);
    replaceOpWithBufferizedValues(rewriter, op, results);
    return success();
  }
};
} // namespace

void coconet::registerBufferizableModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, CoCoNetDialect *) {
    SymmetricKernelOp::attachInterface<KernelModel<SymmetricKernelOp>>(
        *context);
    SymmetricBroadcastOp::attachInterface<KernelModel<SymmetricBroadcastOp>>(
        *context);
    SymmetricAllToAllOp::attachInterface<KernelModel<SymmetricAllToAllOp>>(
        *context);
    GemmOp::attachInterface<KernelModel<GemmOp>>(*context);
  });
}
