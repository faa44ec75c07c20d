//===- CoCoNetToArith.cpp - Element-wise ops as arith ---------------------===//

#include "Conversion/CoCoNetToArith/CoCoNetToArith.h"
#include "IR/CoCoNetDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace {
struct LowerNeg : OpRewritePattern<coconet::NegOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(coconet::NegOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<arith::NegFOp>(op, op.getInput());
    return success();
  }
};
} // namespace

void coconet::populateCoCoNetToArithPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerNeg>(patterns.getContext());
}
