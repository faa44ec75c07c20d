//===- LowerGeneric.cpp - parallel linalg.generic to vectorised loops -------===//

#include "Conversion/LowerKernels/LoopNest.h"
#include "Conversion/LowerKernels/Lowerings.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace coconet;

static bool isFixed(AffineMap map) {
  return llvm::none_of(map.getResults(), llvm::IsaPred<AffineDimExpr>);
}

/// Dimensions and zeros only.
static bool isSimple(AffineMap map) {
  return llvm::all_of(map.getResults(), [](AffineExpr expr) {
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    return isa<AffineDimExpr>(expr) || (constant && constant.getValue() == 0);
  });
}

static OpFoldResult boxSize(IndexMath &m, linalg::GenericOp op, unsigned dim) {
  for (OpOperand &operand : op->getOpOperands())
    for (auto [d, expr] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto position = dyn_cast<AffineDimExpr>(expr);
          position && position.getPosition() == dim)
        return m.dim(operand.get(), d);
  return m.constant(1);
}

void coconet::lowerGeneric(linalg::GenericOp op) {
  if (!op.hasPureBufferSemantics() ||
      !llvm::all_of(op.getIndexingMapsArray(), isSimple))
    return;
  // What reads elements at its own places is left to upstream's loops, and so
  // are elements that are no numbers of ours.
  if (llvm::any_of(
          *op.getBody(),
          [](Operation &inner) { return inner.getNumRegions() > 0; }) ||
      !llvm::all_of(op->getOperandTypes(), [](Type type) {
        return getElementTypeOrSelf(type).isIntOrFloat();
      }))
    return;
  if (succeeded(lowerReduction(op)))
    return;
  OpBuilder builder(op);
  IndexMath m(builder, op.getLoc());
  RuntimeCalls calls(builder, op);
  bool collapse =
      !op.hasIndexSemantics() && op.getNumParallelLoops() == op.getNumLoops();
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type)
      return;
    collapse &=
        isFixed(map) || (map.isIdentity() && type.getLayout().isIdentity());
  }
  LoopNest nest;
  for (unsigned dim = 0; dim < op.getNumLoops(); ++dim)
    nest.sizes.push_back(boxSize(m, op, dim));
  if (collapse && nest.sizes.size() > 1)
    nest.sizes = {m.product(nest.sizes)};
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    Stream stream;
    stream.element = cast<MemRefType>(operand.get().getType()).getElementType();
    stream.bases = {calls.pointerTo(operand.get())};
    stream.strides.assign(nest.sizes.size(), m.constant(0));
    if (collapse) {
      if (!isFixed(map))
        stream.strides.front() = m.constant(1);
    } else {
      SmallVector<OpFoldResult> strides = stridesOf(m, operand.get());
      for (auto [d, expr] : llvm::enumerate(map.getResults()))
        if (auto position = dyn_cast<AffineDimExpr>(expr))
          stream.strides[position.getPosition()] = strides[d];
    }
    (op.isDpsInit(&operand) ? nest.outputs : nest.inputs).push_back(stream);
  }
  // What accumulates in its output reads it.
  if (llvm::any_of(op.getRegionOutputArgs(), [](BlockArgument argument) {
        return !argument.use_empty();
      }))
    for (Stream stream : nest.outputs) {
      stream.accumulates = true;
      nest.inputs.push_back(stream);
    }
  nest.body = op.getBody();
  buildLoopNest(builder, op, nest);
  op.erase();
}

void coconet::lowerCopy(memref::CopyOp op) {
  auto isIdentity = [](Value buffer) {
    return cast<MemRefType>(buffer.getType()).getLayout().isIdentity();
  };
  if (isIdentity(op.getSource()) && isIdentity(op.getTarget()))
    return; // One block of memory.
  auto element = cast<MemRefType>(op.getSource().getType()).getElementType();
  if (!element.isIntOrFloat())
    return;
  OpBuilder builder(op);
  IndexMath m(builder, op.getLoc());
  RuntimeCalls calls(builder, op);
  LoopNest nest;
  nest.sizes = m.dims(op.getSource());
  for (Value buffer : {op.getSource(), op.getTarget()}) {
    Stream stream;
    stream.element = element;
    stream.bases = {calls.pointerTo(buffer)};
    stream.strides = stridesOf(m, buffer);
    (buffer == op.getSource() ? nest.inputs : nest.outputs).push_back(stream);
  }
  Block body;
  body.addArgument(element, op.getLoc());
  OpBuilder inner(op.getContext());
  inner.setInsertionPointToEnd(&body);
  YieldOp::create(inner, op.getLoc(), body.getArgument(0));
  nest.body = &body;
  buildLoopNest(builder, op, nest);
  op.erase();
}

void coconet::lowerExpandShape(memref::ExpandShapeOp op) {
  if (!op.getSrcType().getLayout().isIdentity())
    return;
  OpBuilder builder(op);
  IndexMath m(builder, op.getLoc());
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape(), strides;
  for (unsigned dim = 0; dim < sizes.size(); ++dim)
    strides.push_back(m.product(ArrayRef(sizes).drop_front(dim + 1)));
  Value cast = memref::ReinterpretCastOp::create(
      builder, op.getLoc(), op.getResultType(), op.getSrc(), m.constant(0),
      sizes, strides);
  op.replaceAllUsesWith(cast);
  op.erase();
}
