//===- OverlapOps.cpp - chunk-wise overlap ----------------------------------===//

#include "Transforms/OverlapOps.h"
#include "Analysis/ChunkFlow.h"
#include "Transforms/MoveIntoRegion.h"
#include "Transforms/NamedOps.h"
#include "Transforms/Passes.h"

namespace coconet {
#define GEN_PASS_DEF_OVERLAPOPS
#include "CoCoNetPasses.h.inc"
} // namespace coconet

using namespace mlir;
using namespace coconet;

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

/// Something communicates, and something else can run meanwhile.
static LogicalResult checkPartners(const OpSet &set, Refusal &refusal) {
  auto *collective = llvm::find_if(set, communicates);
  if (collective == set.end())
    return refusal.set(set.front(), "cannot overlap: no op communicates",
                       "add a collective, or a fused region with one");
  if (set.size() == 1)
    return refusal.set(*collective,
                       "cannot overlap " + describe(*collective) +
                           " alone: nothing would run beside it",
                       "add the computation before or after it");
  return success();
}

/// `op` and the ops of the set, which is in block order, that depend on it.
static OpSet findDependents(const OpSet &set, Operation *op) {
  OpSet found;
  found.insert(op);
  for (Operation *other : set) {
    bool depends = other
                       ->walk([&](Operation *inner) {
                         return llvm::any_of(inner->getOperands(),
                                             [&](Value value) {
                                               return found.contains(
                                                   value.getDefiningOp());
                                             })
                                    ? WalkResult::interrupt()
                                    : WalkResult::advance();
                       })
                       .wasInterrupted();
    if (depends)
      found.insert(other);
  }
  return found;
}

/// With one chunk, some op of the set can run between start and wait.
static LogicalResult checkBeside(const OpSet &set, Refusal &refusal) {
  for (Operation *op : set) {
    if (!communicates(op))
      continue;
    OpSet after = findDependents(set, op);
    for (Operation *other : set)
      if (!after.contains(other) && !findDependents(set, other).contains(op))
        return success();
  }
  return refusal.set(set.front(),
                     "cannot overlap in one chunk: every op waits for the "
                     "collectives, or they for it",
                     "give 2 or more chunks, or add an op that does not depend "
                     "on a collective");
}

static LogicalResult checkOverlap(const OpSet &set, int64_t chunks, int64_t dim,
                                  Refusal &refusal) {
  for (Operation *parent = set.front()->getParentOp(); parent;
       parent = parent->getParentOp())
    if (isa<FusedOp, OverlapOp>(parent))
      return refusal.set(set.front(),
                         "cannot overlap " + describe(set.front()) +
                             ": it lies in " + describe(parent) + " already",
                         "name the region, or the ops once");
  if (chunks < 1)
    return refusal.set(set.front(),
                       "cannot overlap in " + Twine(chunks) + " chunks",
                       "give 2 or more, or 1 to run independent ops side by "
                       "side");
  if (failed(checkPartners(set, refusal)))
    return failure();
  if (failed(checkConvex(set, refusal))) {
    refusal.message = "cannot overlap: " + refusal.message;
    return failure();
  }
  SmallVector<Value> liveOuts = findLiveOuts(set);
  if (liveOuts.empty())
    return refusal.set(set.back(), "cannot overlap: no result is used",
                       "overlap ops whose results are used");
  if (chunks == 1)
    return checkBeside(set, refusal);
  auto type = cast<RankedTensorType>(liveOuts.front().getType());
  if (dim < 0 || dim >= type.getRank())
    return refusal.set(liveOuts.front().getDefiningOp(),
                       "cannot overlap along dimension " + Twine(dim) +
                           ": the result has rank " + Twine(type.getRank()),
                       "name a dimension of the first result that is used "
                       "elsewhere");
  return success(
      succeeded(followChunks(set, liveOuts.front(), dim, chunks, refusal)));
}

//===----------------------------------------------------------------------===//
// Rewrite
//===----------------------------------------------------------------------===//

FailureOr<OverlapOp> coconet::overlapOps(RewriterBase &rewriter,
                                         ArrayRef<Operation *> ops,
                                         int64_t chunks, int64_t dim,
                                         StringRef name, Refusal &refusal) {
  assert(!ops.empty() && "nothing to overlap");
  // The ops of a region may be called as the region is.
  SmallVector<Operation *> outermost;
  for (Operation *op : ops)
    if (llvm::none_of(
            ops, [&](Operation *other) { return other->isProperAncestor(op); }))
      outermost.push_back(op);
  FailureOr<OpSet> set = sortInBlock(outermost, refusal);
  if (failed(set) || failed(checkOverlap(*set, chunks, dim, refusal)))
    return failure();
  Operation *overlap =
      moveIntoRegion(rewriter, *set, [&](Location location, TypeRange types) {
        return OverlapOp::create(rewriter, location, types, chunks, dim);
      });
  if (!name.empty())
    setName(overlap, name);
  return cast<OverlapOp>(overlap);
}

namespace {
struct OverlapOps : coconet::impl::OverlapOpsBase<OverlapOps> {
  using OverlapOpsBase::OverlapOpsBase;

  void runOnOperation() override {
    FailureOr<SmallVector<Operation *>> ops =
        findAllNamed(getOperation(), *names);
    if (failed(ops))
      return signalPassFailure();
    Refusal refusal;
    IRRewriter rewriter(&getContext());
    if (succeeded(overlapOps(rewriter, *ops, chunks, dim, result, refusal)))
      return;
    refusal.report(DiagnosticSeverity::Error);
    signalPassFailure();
  }
};
} // namespace
