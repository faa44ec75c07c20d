//===- OverlapOps.cpp - chunk-wise overlap ----------------------------------===//

#include "Transforms/OverlapOps.h"
#include "Analysis/ChunkFlow.h"
#include "IR/ChannelOps.h"
#include "Transforms/IndependentOps.h"
#include "Transforms/MoveIntoRegion.h"
#include "Transforms/NamedOps.h"
#include "Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"

namespace coconet {
#define GEN_PASS_DEF_OVERLAPOPS
#include "CoCoNetPasses.h.inc"
} // namespace coconet

using namespace mlir;
using namespace coconet;

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

namespace {
/// Ops of one function body, and where the chunks lie in what they make.
struct OverlapSet {
  OpSet ops;
  SmallVector<ChunkRoot> roots;
  ChunkFlow flow;
  /// Of the value that names the dimension of the region.
  int64_t dim = 0;
};
using OverlapSets = SmallVector<OverlapSet, 1>;
} // namespace

static bool holdsChannelEnd(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<SendOp, RecvOp>(inner) ? WalkResult::interrupt()
                                          : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Something communicates, and something else can run meanwhile.
static LogicalResult checkPartners(ArrayRef<Operation *> ops,
                                   Refusal &refusal) {
  auto *collective = llvm::find_if(ops, communicates);
  if (collective == ops.end())
    return refusal.set(ops.front(),
                       "cannot overlap " + describe(ops.front()) +
                           ": no op communicates",
                       "add a collective, or a fused region with one");
  if (ops.size() == 1)
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
  for (Operation *other : set)
    if (findProducer(other, found))
      found.insert(other);
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
                     "cannot overlap " + describe(set.front()) +
                         " in one chunk: every op waits for the collectives, "
                         "or they for it",
                     "give 2 or more chunks, or add an op that does not depend "
                     "on a collective");
}

/// The region takes what is in it past nothing that both ends of a channel do in
/// one order.
static LogicalResult checkChannelOrder(const OpSet &set, Refusal &refusal) {
  auto *first = llvm::find_if(set, holdsChannelEnd);
  if (first == set.end())
    return success();
  auto refuse = [&](Operation *op) {
    refusal.set(op,
                "cannot overlap: " + describe(op) +
                    " would change places with " + describe(*first),
                "both sides of a program send and receive in one order; add "
                "it, or overlap what comes before it by itself");
    refusal.addNote((*first)->getLoc(), "the other one is here");
    return failure();
  };
  for (Operation *op = *first; op != set.back(); op = op->getNextNode())
    if (!set.contains(op) && holdsChannelEnd(op))
      return refuse(op);
  for (Operation *op : findDependentsWithin(set))
    if (holdsChannelEnd(op))
      return refuse(op);
  return success();
}

static LogicalResult checkPlace(Operation *op, Refusal &refusal) {
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp())
    if (isa<FusedOp, OverlapOp>(parent))
      return refusal.set(op,
                         "cannot overlap " + describe(op) + ": it lies in " +
                             describe(parent) + " already",
                         "name the region, or the ops once");
  return success();
}

static LogicalResult checkNeeded(const OpSet &set, Refusal &refusal) {
  OpSet unneeded = findUnneeded(set.getArrayRef());
  if (unneeded.empty())
    return success();
  return refusal.set(unneeded.front(),
                     "cannot overlap " + describe(unneeded.front()) +
                         ": its result is not used",
                     "leave out what nobody needs; it is not computed");
}

static LogicalResult checkSet(const OpSet &set, Refusal &refusal) {
  for (Operation *op : set)
    if (op->getNumRegions() && !isa<FusedOp>(op) && communicates(op))
      return refusal.set(op,
                         "cannot overlap " + describe(op) +
                             ": what its region communicates is not started "
                             "as one",
                         "overlap within the region, or leave it out");
  if (failed(checkPlace(set.front(), refusal)))
    return failure();
  if (failed(checkConvex(set, refusal))) {
    refusal.message = "cannot overlap: " + refusal.message;
    return failure();
  }
  if (failed(checkNeeded(set, refusal)))
    return failure();
  return checkChannelOrder(set, refusal);
}

/// The op of a function body that is or holds the other end of a channel;
/// refused where there is not exactly one.
static FailureOr<Operation *> findOtherEnd(Operation *end, Refusal &refusal) {
  SmallVector<Operation *> found;
  StringAttr channel = end->getAttrOfType<StringAttr>("channel");
  if (auto module = end->getParentOfType<ModuleOp>())
    module.walk([&](Operation *op) {
      if (isa<SendOp, RecvOp>(op) && op->getName() != end->getName() &&
          op->getAttr("channel") == channel)
        found.push_back(op);
    });
  auto shapeOf = [](Operation *op) {
    return cast<RankedTensorType>(channelValue(op).getType()).getShape();
  };
  if (found.size() == 1 && shapeOf(found.front()) == shapeOf(end))
    return found.front();
  return refusal.set(end,
                     "cannot overlap " + describe(end) + ": channel '" +
                         channel.getValue() +
                         "' has no one other end of the same shape",
                     "send and receive once, in two functions of a module");
}

static Operation *outermostOf(Operation *op) {
  while (isa<FusedOp>(op->getParentOp()))
    op = op->getParentOp();
  return op;
}

/// The ops by their blocks, each with the other ends of its channels.
static FailureOr<OverlapSets> collectSets(ArrayRef<Operation *> ops,
                                          int64_t chunks, Refusal &refusal) {
  SetVector<Operation *> all(ops.begin(), ops.end());
  for (size_t i = 0; chunks > 1 && i < all.size(); ++i)
    for (Operation *end : findChannelEnds(OpSet(&all[i], &all[i] + 1))) {
      FailureOr<Operation *> other = findOtherEnd(end, refusal);
      if (failed(other))
        return failure();
      all.insert(outermostOf(*other));
    }
  // Several blocks are refused unless channels join them.
  bool joined = chunks > 1 && llvm::any_of(all, holdsChannelEnd);
  llvm::MapVector<Block *, SmallVector<Operation *>> byBlock;
  for (Operation *op : all)
    byBlock[joined ? op->getBlock() : nullptr].push_back(op);
  OverlapSets sets;
  for (auto &[block, members] : byBlock) {
    FailureOr<OpSet> sorted = sortInBlock(members, refusal);
    if (failed(sorted) || failed(checkSet(*sorted, refusal)))
      return failure();
    sets.push_back({*sorted, {}, {}, 0});
  }
  return sets;
}

/// Chunks pass through the functions one after the other: the set that is given
/// them back would wait for itself.
static LogicalResult checkDirections(const OverlapSets &sets,
                                     Refusal &refusal) {
  SmallVector<const OverlapSet *> left;
  for (const OverlapSet &set : sets)
    left.push_back(&set);
  auto receivesFrom = [&](const OverlapSet &set) -> Operation * {
    for (Operation *end : findChannelEnds(set.ops)) {
      Refusal ignored;
      Operation *send = outermostOf(*findOtherEnd(end, ignored));
      if (isa<RecvOp>(end) && llvm::any_of(left, [&](const OverlapSet *other) {
            return other->ops.contains(send);
          }))
        return end;
    }
    return nullptr;
  };
  while (!left.empty()) {
    auto *next = llvm::find_if(
        left, [&](const OverlapSet *set) { return !receivesFrom(*set); });
    if (next == left.end()) {
      Operation *recv = receivesFrom(*left.front());
      return refusal.set(recv,
                         "cannot overlap " + describe(recv) +
                             ": its chunks come back to the function that "
                             "sends them",
                         "overlap what goes there and what comes back in two "
                         "regions");
    }
    left.erase(next);
  }
  return success();
}

/// Follow the chunks through one set, and name them at the other ends of its
/// channels.
static LogicalResult followSet(OverlapSets &sets, OverlapSet &set,
                               int64_t chunks, Refusal &refusal) {
  FailureOr<ChunkFlow> flow = followChunks(set.ops, set.roots, chunks, refusal);
  if (failed(flow))
    return failure();
  set.flow = *flow;
  set.dim = *flow->dimOf(findChunked(set.ops));
  for (Operation *end : findChannelEnds(set.ops)) {
    Operation *other = *findOtherEnd(end, refusal);
    int64_t dim = *flow->dimOf(channelValue(end));
    for (OverlapSet &theirs : sets)
      if (theirs.ops.contains(outermostOf(other)) && theirs.flow.isEmpty())
        theirs.roots.emplace_back(channelValue(other), dim);
  }
  return success();
}

static LogicalResult followSets(OverlapSets &sets, int64_t chunks, int64_t dim,
                                Refusal &refusal) {
  Value first = findChunked(sets.front().ops);
  auto type = dyn_cast<RankedTensorType>(first.getType());
  if (!type)
    return refusal.set(first.getDefiningOp(),
                       "cannot overlap " + describe(first.getDefiningOp()) +
                           ": its result is no tensor",
                       "leave it out");
  if (dim < 0 || dim >= type.getRank())
    return refusal.set(sets.front().ops.back(),
                       "cannot overlap along dimension " + Twine(dim) +
                           ": the result of " +
                           describe(first.getDefiningOp()) + " has rank " +
                           Twine(type.getRank()),
                       "name a dimension of the first result that is used "
                       "elsewhere");
  sets.front().roots.emplace_back(first, dim);
  for (size_t done = 0; done < sets.size(); ++done) {
    auto *next = llvm::find_if(sets, [](const OverlapSet &set) {
      return set.flow.isEmpty() && !set.roots.empty();
    });
    if (next == sets.end()) {
      next = llvm::find_if(
          sets, [](const OverlapSet &set) { return set.flow.isEmpty(); });
      return refusal.set(next->ops.front(),
                         "cannot overlap " + describe(next->ops.front()) +
                             ": it lies in another function, and no channel "
                             "joins the two",
                         "name ops of one function body, or a send and what "
                         "uses it");
    }
    if (failed(followSet(sets, *next, chunks, refusal)))
      return failure();
  }
  return success();
}

static FailureOr<OverlapSets> planOverlap(ArrayRef<Operation *> ops,
                                          int64_t chunks, int64_t dim,
                                          Refusal &refusal) {
  if (chunks < 1)
    return refusal.set(ops.front(),
                       "cannot overlap in " + Twine(chunks) + " chunks",
                       "give 2 or more, or 1 to run independent ops side by "
                       "side");
  if (failed(checkPartners(ops, refusal)))
    return failure();
  FailureOr<OverlapSets> sets = collectSets(ops, chunks, refusal);
  if (failed(sets) || (chunks > 1 && failed(checkDirections(*sets, refusal))))
    return failure();
  if (chunks > 1 ? failed(followSets(*sets, chunks, dim, refusal))
                 : failed(checkBeside(sets->front().ops, refusal)))
    return failure();
  return sets;
}

//===----------------------------------------------------------------------===//
// Rewrite
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<OverlapOp>>
coconet::overlapOps(RewriterBase &rewriter, ArrayRef<Operation *> ops,
                    int64_t chunks, int64_t dim, StringRef name,
                    Refusal &refusal) {
  assert(!ops.empty() && "nothing to overlap");
  // The ops of a region may be called as the region is.
  SmallVector<Operation *> outermost;
  for (Operation *op : ops)
    if (llvm::none_of(
            ops, [&](Operation *other) { return other->isProperAncestor(op); }))
      outermost.push_back(op);
  if (failed(checkPlace(outermost.front(), refusal)))
    return failure();
  if (chunks == 1)
    outermost = addIndependent(outermost);
  FailureOr<OverlapSets> sets = planOverlap(outermost, chunks, dim, refusal);
  if (failed(sets))
    return failure();
  SmallVector<OverlapOp> made;
  for (const OverlapSet &set : *sets) {
    Operation *overlap = moveIntoRegion(
        rewriter, set.ops, [&](Location location, TypeRange types) {
          return OverlapOp::create(rewriter, location, types, chunks,
                                   chunks > 1 ? set.dim : dim);
        });
    if (!name.empty())
      setName(overlap, name);
    made.push_back(cast<OverlapOp>(overlap));
  }
  return made;
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
