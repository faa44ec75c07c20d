//===- MoveIntoRegion.cpp - ops become the body of one op -------------------===//

#include "Transforms/MoveIntoRegion.h"

using namespace mlir;
using namespace coconet;

/// Move ops between the first and the last of the set that depend on it behind
/// the last. Convexity makes this legal.
static void moveDependentsAfter(RewriterBase &rewriter, const OpSet &set) {
  Operation *point = set.back();
  for (Operation *op : findDependentsWithin(set)) {
    rewriter.moveOpAfter(op, point);
    point = op;
  }
}

Operation *
coconet::moveIntoRegion(RewriterBase &rewriter, const OpSet &set,
                        function_ref<Operation *(Location, TypeRange)> create) {
  SmallVector<Value> liveOuts = findLiveOuts(set);
  moveDependentsAfter(rewriter, set);
  rewriter.setInsertionPointAfter(set.back());
  SmallVector<Location> locations;
  for (Operation *op : set)
    locations.push_back(op->getLoc());
  Operation *parent =
      create(rewriter.getFusedLoc(locations), TypeRange(ValueRange(liveOuts)));
  Block *body = rewriter.createBlock(&parent->getRegion(0));
  for (Operation *op : set)
    rewriter.moveOpBefore(op, body, body->end());
  for (auto [value, result] : llvm::zip(liveOuts, parent->getResults()))
    rewriter.replaceUsesWithIf(value, result, [&](OpOperand &use) {
      return !parent->isProperAncestor(use.getOwner());
    });
  rewriter.setInsertionPointToEnd(body);
  YieldOp::create(rewriter, parent->getLoc(), liveOuts);
  return parent;
}
