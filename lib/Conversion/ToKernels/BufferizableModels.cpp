//===- BufferizableModels.cpp - how kernels become buffers ------------------===//

#include "Conversion/ToKernels/BufferizableModels.h"
#include "IR/ChannelOps.h"
#include "IR/CoCoNet.h"
#include "IR/KernelOps.h"
#include "IR/ListOps.h"
#include "IR/NeuralOps.h"
#include "IR/OverlapOps.h"
#include "IR/RankOps.h"
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
  // Elements that others read while their owner is at another place.
  if ((op.isOneShot() && op.accessOf(index) == Access::reduce) ||
      (op.getRoot() && op.accessOf(index) == Access::slice))
    return false;
  return op.accessOf(index) != Access::shared && op.mapOf(index).isIdentity();
}

/// Whether the kernel uses all operands at one element of one tensor of a list.
static bool areElementwise(ListKernelOp op, ArrayRef<OpOperand *> operands) {
  std::optional<int64_t> position;
  for (OpOperand *operand : operands) {
    auto place = op.placeOf(operand->getOperandNumber());
    if (!place || op.accessOf(place->first) == Access::shared ||
        (position && *position != place->second))
      return false;
    position = place->second;
  }
  return true;
}

/// Whether the buffer holds matrices, or a batch of them, whose rows lie apart.
static bool hasRows(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  return (type.getRank() == 2 || type.getRank() == 3) &&
         succeeded(type.getStridesAndOffset(strides, offset)) &&
         strides.back() == 1;
}

/// What others read is contiguous, and so are rows of matrices.
static bool needsContiguous(Operation *op, OpOperand &operand,
                            MemRefType type) {
  if (auto gemm = dyn_cast<GemmOp>(op))
    return !hasRows(type) || gemm.isDpsInit(&operand);
  auto kernel = dyn_cast<SymmetricKernelOp>(op);
  if (!kernel)
    return true;
  Access access = kernel.accessOf(operand.getOperandNumber());
  return access == Access::reduce || access == Access::gather ||
         (access == Access::slice && kernel.getRoot());
}

bool coconet::isContiguous(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  return type.getLayout().isIdentity() ||
         (succeeded(type.getStridesAndOffset(strides, offset)) &&
          ArrayRef(strides) == ArrayRef<int64_t>{1});
}

static FailureOr<Value> makeContiguous(RewriterBase &rewriter, Location loc,
                                       Value buffer,
                                       const BufferizationOptions &options) {
  auto type = cast<MemRefType>(buffer.getType());
  if (isContiguous(type))
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
    // Updates add to what is there. What was published is others' to write from
    // the start on, so that nothing else has its buffer until the kernel is done.
    return isa<ScatterRowsOp>(op) || op->hasAttr(startedAttr) ||
           !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
  }

  // The default asks every operand, of which a kernel over lists has many.
  AliasingOpOperandList getAliasingOpOperands(Operation *op, Value value,
                                              const AnalysisState &) const {
    OpOperand *init = cast<DestinationStyleOpInterface>(op).getTiedOpOperand(
        cast<OpResult>(value));
    return {{init, BufferRelation::Equivalent}};
  }

  bool bufferizesToElementwiseAccess(Operation *op, const AnalysisState &,
                                     ArrayRef<OpOperand *> operands) const {
    if (auto list = dyn_cast<ListKernelOp>(op))
      return areElementwise(list, operands);
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
      if (succeeded(buffer) &&
          needsContiguous(op, operand, cast<MemRefType>(buffer->getType())))
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

/// An op that reads all of its tensor and has no result.
template <typename OpTy>
struct ReadModel
    : BufferizableOpInterface::ExternalModel<ReadModel<OpTy>, OpTy> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const AnalysisState &) const {
    return true;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const AnalysisState &) const {
    return false;
  }
  AliasingValueList getAliasingValues(Operation *, OpOperand &,
                                      const AnalysisState &) const {
    return {};
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    rewriter.setInsertionPoint(op);
    FailureOr<Value> buffer =
        getBuffer(rewriter, op->getOperand(0), options, state);
    if (succeeded(buffer))
      buffer = makeContiguous(rewriter, op->getLoc(), *buffer, options);
    if (failed(buffer))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op->setOperand(0, *buffer); });
    return success();
  }
};

/// The buffer of another rank, whose contents nobody reads.
struct SendBeginModel
    : BufferizableOpInterface::ExternalModel<SendBeginModel,
                                             SymmetricSendBeginOp> {
  bool resultBufferizesToMemoryWrite(Operation *, OpResult,
                                     const AnalysisState &) const {
    return false;
  }

  FailureOr<BufferLikeType> getBufferType(Operation *, Value value,
                                          const BufferizationOptions &,
                                          const BufferizationState &,
                                          SmallVector<Value> &) const {
    auto type = cast<RankedTensorType>(value.getType());
    return cast<BufferLikeType>(
        MemRefType::get(type.getShape(), type.getElementType()));
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &,
                          BufferizationState &) const {
    rewriter.setInsertionPoint(op);
    auto begin = cast<SymmetricSendBeginOp>(op);
    auto type = cast<RankedTensorType>(begin.getResult().getType());
    auto made = SymmetricSendBeginOp::create(
        rewriter, op->getLoc(),
        MemRefType::get(type.getShape(), type.getElementType()),
        begin.getSizes(), begin.getChannelAttr(), begin.getSendersAttr(),
        begin.getReceiversAttr());
    replaceOpWithBufferizedValues(rewriter, op, made.getResult());
    return success();
  }
};
/// What is published: results are the operands' buffers. Inputs are read, inits
/// are written by others, from here on.
struct StartModel
    : BufferizableOpInterface::ExternalModel<StartModel, SymmetricStartOp> {
  static bool isInit(Operation *op, OpOperand &operand) {
    return operand.getOperandNumber() >=
           cast<SymmetricStartOp>(op).getInputs().size();
  }
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return !isInit(op, operand);
  }
  bool bufferizesToMemoryWrite(Operation *op, OpOperand &operand,
                               const AnalysisState &) const {
    return isInit(op, operand);
  }
  /// A copy of an input after it has been published would leave the original,
  /// which others read, to be overwritten.
  bool mustBufferizeInPlace(Operation *op, OpOperand &operand,
                            const AnalysisState &) const {
    return !isInit(op, operand);
  }
  AliasingValueList getAliasingValues(Operation *op, OpOperand &operand,
                                      const AnalysisState &) const {
    return {{op->getResult(operand.getOperandNumber()),
             BufferRelation::Equivalent}};
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    rewriter.setInsertionPoint(op);
    SmallVector<Value> buffers;
    for (Value operand : op->getOperands()) {
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
      if (succeeded(buffer))
        buffer = makeContiguous(rewriter, op->getLoc(), *buffer, options);
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
    }
    OperationState built(op->getLoc(), op->getName(), buffers, TypeRange{},
                         llvm::to_vector(op->getDiscardableAttrs()));
    built.propertiesAttr = op->getPropertiesAsAttribute();
    rewriter.create(built);
    replaceOpWithBufferizedValues(rewriter, op, buffers);
    return success();
  }
};
} // namespace

void coconet::registerBufferizableModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, CoCoNetDialect *) {
    SymmetricKernelOp::attachInterface<KernelModel<SymmetricKernelOp>>(
        *context);
    SymmetricPermuteOp::attachInterface<KernelModel<SymmetricPermuteOp>>(
        *context);
    SymmetricAllToAllOp::attachInterface<KernelModel<SymmetricAllToAllOp>>(
        *context);
    GemmOp::attachInterface<KernelModel<GemmOp>>(*context);
    SymmetricStartOp::attachInterface<StartModel>(*context);
    ScatterRowsOp::attachInterface<KernelModel<ScatterRowsOp>>(*context);
    ListKernelOp::attachInterface<KernelModel<ListKernelOp>>(*context);
    RankCheckFiniteOp::attachInterface<ReadModel<RankCheckFiniteOp>>(*context);
    SymmetricRecvStartOp::attachInterface<KernelModel<SymmetricRecvStartOp>>(
        *context);
    SymmetricRecvOp::attachInterface<KernelModel<SymmetricRecvOp>>(*context);
    SymmetricSendBeginOp::attachInterface<SendBeginModel>(*context);
    SymmetricSendEndOp::attachInterface<ReadModel<SymmetricSendEndOp>>(
        *context);
  });
}
