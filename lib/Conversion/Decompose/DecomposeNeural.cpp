//===- DecomposeNeural.cpp - expand layers of neural networks ---------------===//

#include "Conversion/Decompose/DecomposeNeural.h"
#include "IR/Layout.h"
#include "IR/NeuralOps.h"

using namespace mlir;
using namespace coconet;

namespace {

/// Builds the expansion of one op in f32, or in f64 where its operands are.
class Expansion {
public:
  Expansion(PatternRewriter &rewriter, Operation *op)
      : rewriter(rewriter), op(op), loc(op->getLoc()),
        element(cast<RankedTensorType>(op->getOperand(0).getType())
                    .getElementType()) {}

  Value widen(Value value) {
    if (element.getIntOrFloatBitWidth() >= 32)
      return value;
    return make<CastOp>(value, rewriter.getF32Type());
  }
  template <typename OpTy, typename... Args> Value make(Args &&...args) {
    return OpTy::create(rewriter, loc, std::forward<Args>(args)...);
  }
  Value reduce(ReduceKind kind, Value operand, ArrayRef<int64_t> dims,
               bool keepDims = true) {
    return reduceAcross(rewriter, loc, kind, operand, dims, keepDims);
  }
  /// 1 / sqrt(mean of squares + eps).
  Value inverseRoot(Value centred, ArrayRef<int64_t> dims, const APFloat &eps) {
    Value square = make<MulOp>(centred, centred);
    Value mean = reduce(ReduceKind::mean, square, dims);
    auto type = RankedTensorType::get(
        {}, cast<RankedTensorType>(mean.getType()).getElementType());
    auto number =
        rewriter.getFloatAttr(type.getElementType(), eps.convertToDouble());
    Value shift = make<ConstantOp>(DenseElementsAttr::get(type, number));
    return make<RsqrtOp>(make<AddOp>(mean, shift));
  }
  void finish(Value result) {
    if (element.getIntOrFloatBitWidth() < 32)
      result = make<CastOp>(result, element);
    result.getDefiningOp()->setDiscardableAttrs(
        op->getDiscardableAttrDictionary());
    rewriter.replaceOp(op, result);
  }

private:
  PatternRewriter &rewriter;
  Operation *op;
  Location loc;
  Type element;
};

struct ExpandLayerNorm : OpRewritePattern<LayerNormOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LayerNormOp op,
                                PatternRewriter &rewriter) const override {
    Expansion build(rewriter, op);
    Value operand = build.widen(op.getOperand());
    Value mean = build.reduce(ReduceKind::mean, operand, op.getDims());
    Value centred = build.make<SubOp>(operand, mean);
    Value root = build.inverseRoot(centred, op.getDims(), op.getEps());
    Value result = build.make<MulOp>(centred, root);
    if (Value scale = op.getScale())
      result = build.make<MulOp>(result, build.widen(scale));
    if (Value bias = op.getBias())
      result = build.make<AddOp>(result, build.widen(bias));
    return build.finish(result), success();
  }
};

struct ExpandRmsNorm : OpRewritePattern<RmsNormOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RmsNormOp op,
                                PatternRewriter &rewriter) const override {
    Expansion build(rewriter, op);
    Value operand = build.widen(op.getOperand());
    Value root = build.inverseRoot(operand, op.getDims(), op.getEps());
    Value result = build.make<MulOp>(operand, root);
    if (Value scale = op.getScale())
      result = build.make<MulOp>(result, build.widen(scale));
    return build.finish(result), success();
  }
};

/// With a cut dimension each rank picks the labels it has; the sum over ranks
/// is the label's logit.
struct ExpandCrossEntropy : OpRewritePattern<CrossEntropyOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CrossEntropyOp op,
                                PatternRewriter &rewriter) const override {
    Expansion build(rewriter, op);
    int64_t dim = op.getDim();
    Value logits = build.widen(op.getLogits());
    Value largest = build.reduce(ReduceKind::max, logits, dim);
    Value shifted = build.make<SubOp>(logits, largest);
    Value total = build.reduce(ReduceKind::sum, build.make<ExpOp>(shifted), dim,
                               /*keepDims=*/false);
    Value picked = build.make<PickOp>(shifted, op.getLabels(), dim);
    const AxisList &axes = Layout::of(logits).dims[dim];
    if (!axes.empty()) {
      auto type = cast<RankedTensorType>(picked.getType());
      SmallVector<Attribute> names(axes.begin(), axes.end());
      picked = build.make<AllReduceOp>(
          withoutAxes(Layout::of(type), axes).apply(type), Reduction::sum,
          picked, rewriter.getArrayAttr(names), ArrayAttr());
    }
    build.finish(build.make<SubOp>(build.make<LogOp>(total), picked));
    return success();
  }
};
} // namespace

void coconet::addNeuralPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandLayerNorm, ExpandRmsNorm, ExpandCrossEntropy>(
      patterns.getContext());
}
