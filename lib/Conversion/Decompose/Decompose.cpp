//===- Decompose.cpp - expand composite ops ---------------------------------===//

#include "Conversion/Decompose/DecomposeNeural.h"
#include "IR/Layout.h"
#include "Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace coconet {
#define GEN_PASS_DEF_DECOMPOSE
#include "CoCoNetPasses.h.inc"
} // namespace coconet

using namespace mlir;
using namespace coconet;

Value coconet::reduceAcross(OpBuilder &builder, Location loc, ReduceKind kind,
                            Value operand, ArrayRef<int64_t> dims,
                            bool keepDims) {
  Layout layout = Layout::of(operand);
  Value reduced = ReduceOp::create(builder, loc, kind, operand, dims, keepDims);
  AxisList axes;
  for (int64_t dim : dims)
    llvm::append_range(axes, layout.dims[dim]);
  if (axes.empty())
    return reduced;
  auto type = cast<RankedTensorType>(reduced.getType());
  SmallVector<Attribute> names(axes.begin(), axes.end());
  Reduction reduction =
      kind == ReduceKind::max ? Reduction::max : Reduction::sum;
  return AllReduceOp::create(
      builder, loc, withoutAxes(Layout::of(type), axes).apply(type), reduction,
      reduced, builder.getArrayAttr(names), ArrayAttr());
}

namespace {
struct ExpandSoftmax : OpRewritePattern<SoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SoftmaxOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t dim = op.getDim();
    Type element = op.getOperand().getType().getElementType();
    bool narrow = element.getIntOrFloatBitWidth() < 32;
    Value operand = op.getOperand();
    if (narrow)
      operand = CastOp::create(rewriter, loc, operand, rewriter.getF32Type());
    Value largest = reduceAcross(rewriter, loc, ReduceKind::max, operand, dim);
    Value shifted = SubOp::create(rewriter, loc, operand, largest);
    Value power = ExpOp::create(rewriter, loc, shifted);
    Value sum = reduceAcross(rewriter, loc, ReduceKind::sum, power, dim);
    Value result = DivOp::create(rewriter, loc, power, sum);
    if (narrow)
      result = CastOp::create(rewriter, loc, result, element);
    result.getDefiningOp()->setDiscardableAttrs(
        op->getDiscardableAttrDictionary());
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct Decompose : coconet::impl::DecomposeBase<Decompose> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandSoftmax>(&getContext());
    addNeuralPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
