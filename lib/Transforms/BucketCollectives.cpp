//===- BucketCollectives.cpp - many collectives as one ----------------------===//

#include "Transforms/BucketCollectives.h"
#include "IR/Layout.h"
#include "IR/ListOps.h"
#include "IR/OverlapOps.h"
#include "Transforms/NamedOps.h"
#include "Transforms/Passes.h"

namespace coconet {
#define GEN_PASS_DEF_BUCKETCOLLECTIVES
#include "CoCoNetPasses.h.inc"
} // namespace coconet

using namespace mlir;
using namespace coconet;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

/// The op has a form over lists: what it does with a flattening is what it does
/// with the tensor.
static LogicalResult checkKind(Operation *op, Refusal &refusal) {
  std::string what = "cannot put " + describe(op) + " into a bucket";
  if (!isa<AllReduceOp, BroadcastOp, ReduceScatterOp, AllGatherOp>(op))
    return refusal.set(op, what,
                       "a bucket takes all_reduce, broadcast, and flat "
                       "reduce_scatter and all_gather");
  if (auto overlap = op->getParentOfType<OverlapOp>())
    return refusal.set(op, what + ": it lies in " + describe(overlap),
                       "communication that is started is of single tensors");
  if (op->getAttr("dim"))
    return refusal.set(op, what + ": it cuts a dimension",
                       "cut the flattening, `flat`");
  if (!flattenedType(typeOf(op->getOperand(0))) ||
      !flattenedType(typeOf(op->getResult(0))))
    return refusal.set(op, what + ": its tensors are cut along a dimension",
                       "a list holds flattenings; cut them flat");
  return success();
}

/// In what two collectives differ, in words; empty if a bucket holds both.
static std::string findDifference(Operation *a, Operation *b) {
  if (a->getName() != b->getName())
    return "kind";
  auto differ = [&](StringRef name) {
    return a->getAttr(name) != b->getAttr(name);
  };
  if (differ("reduction"))
    return "reduction";
  if (differ("root"))
    return "root";
  if (differ("axes") || differ("groups"))
    return "group";
  RankedTensorType first = typeOf(a->getOperand(0));
  RankedTensorType second = typeOf(b->getOperand(0));
  if (first.getElementType() != second.getElementType())
    return "element type";
  if (flattenedType(first) != flattenedType(second))
    return "layout";
  auto attributes = [](Operation *op) {
    NamedAttrList list(llvm::to_vector(op->getDiscardableAttrs()));
    list.erase(nameAttr);
    return list.getDictionary(op->getContext());
  };
  return attributes(a) == attributes(b) ? "" : "attributes";
}

/// No member depends on another one.
static LogicalResult checkIndependent(const OpSet &set, Refusal &refusal) {
  Block *block = set.front()->getBlock();
  llvm::DenseMap<Operation *, Operation *> source;
  SmallVector<Operation *> worklist;
  for (Operation *op : set) {
    source[op] = op;
    worklist.push_back(op);
  }
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    for (Operation *user : op->getUsers()) {
      Operation *next = block->findAncestorOpInBlock(*user);
      if (!next)
        continue;
      if (set.contains(next)) {
        Operation *origin = source[op];
        refusal.set(next,
                    "cannot put " + describe(origin) + " and " +
                        describe(next) +
                        " into one bucket: the second depends on the first",
                    "leave one of them out");
        refusal.addNote(origin->getLoc(), "the first is here");
        return failure();
      }
      if (source.try_emplace(next, source[op]).second)
        worklist.push_back(next);
    }
  }
  return success();
}

static std::optional<int64_t> bytesOf(Operation *op) {
  RankedTensorType type = typeOf(op->getOperand(0));
  if (!type.hasStaticShape())
    return std::nullopt;
  int64_t bits = type.getElementTypeBitWidth();
  return type.getNumElements() * std::max<int64_t>(1, bits / 8);
}

static LogicalResult checkSet(const OpSet &set, std::optional<int64_t> bytes,
                              Refusal &refusal) {
  Operation *first = set.front();
  for (Operation *op : set) {
    if (failed(checkKind(op, refusal)))
      return failure();
    std::string difference = findDifference(first, op);
    if (!difference.empty()) {
      refusal.set(op,
                  "cannot put " + describe(first) + " and " + describe(op) +
                      " into one bucket: they differ in " + difference,
                  "make a bucket of each kind");
      refusal.addNote(first->getLoc(), "the other one is here");
      return failure();
    }
    if (bytes && !bytesOf(op))
      return refusal.set(op,
                         "cannot bound the bytes of a bucket with " +
                             describe(op) + ": its size is open",
                         "give it a size, or do not bound the bytes");
  }
  if (bytes && *bytes < 1)
    return refusal.set(first,
                       "a bucket of " + Twine(*bytes) + " bytes holds nothing",
                       "give a positive number of bytes");
  return checkIndependent(set, refusal);
}

//===----------------------------------------------------------------------===//
// Rewrite
//===----------------------------------------------------------------------===//

/// As many collectives as fit, in order.
static SmallVector<SmallVector<Operation *>>
fillBuckets(const OpSet &set, std::optional<int64_t> bytes) {
  SmallVector<SmallVector<Operation *>> buckets;
  int64_t room = 0;
  for (Operation *op : set) {
    int64_t size = bytes ? *bytesOf(op) : 0;
    if (buckets.empty() || (bytes && size > room)) {
      buckets.emplace_back();
      room = bytes.value_or(0);
    }
    room -= size;
    buckets.back().push_back(op);
  }
  return buckets;
}

/// Move what depends on members and stands before the last one behind it.
static void moveDependents(RewriterBase &rewriter,
                           ArrayRef<Operation *> bucket) {
  Operation *point = bucket.back();
  for (Operation *op :
       findDependentsWithin(OpSet(bucket.begin(), bucket.end()))) {
    rewriter.moveOpAfter(op, point);
    point = op;
  }
}

/// One list instead of the collectives; the collective in it.
static Operation *buildList(RewriterBase &rewriter,
                            ArrayRef<Operation *> bucket) {
  moveDependents(rewriter, bucket);
  Operation *last = bucket.back();
  SmallVector<Value> operands;
  SmallVector<Type> types;
  SmallVector<Location> locations;
  for (Operation *op : bucket) {
    operands.push_back(op->getOperand(0));
    types.push_back(op->getResult(0).getType());
    locations.push_back(op->getLoc());
  }
  rewriter.setInsertionPointAfter(last);
  auto list = ForEachOp::create(rewriter, rewriter.getFusedLoc(locations),
                                types, bucket.size(), operands);
  Block *body = rewriter.createBlock(&list.getBody());
  Value argument = body->addArgument(flattenedType(typeOf(operands.front())),
                                     last->getLoc());
  Operation *inner = rewriter.clone(*bucket.front());
  inner->setOperand(0, argument);
  inner->getResult(0).setType(
      flattenedType(cast<RankedTensorType>(types.front())));
  YieldOp::create(rewriter, list.getLoc(), inner->getResults());
  for (auto [op, result] : llvm::zip(bucket, list.getResults()))
    rewriter.replaceOp(op, result);
  return inner;
}

FailureOr<SmallVector<Operation *>>
coconet::bucketCollectives(RewriterBase &rewriter, ArrayRef<Operation *> ops,
                           StringRef name, std::optional<int64_t> bytes,
                           Refusal &refusal) {
  assert(!ops.empty() && "nothing to put into a bucket");
  FailureOr<OpSet> set = sortInBlock(ops, refusal);
  if (failed(set) || failed(checkSet(*set, bytes, refusal)))
    return failure();
  std::string title = name.empty() ? getName(set->front()).str() : name.str();
  auto buckets = fillBuckets(*set, bytes);
  SmallVector<Operation *> made;
  for (auto [index, bucket] : llvm::enumerate(buckets)) {
    Operation *op =
        bucket.size() == 1 ? bucket.front() : buildList(rewriter, bucket);
    std::string own = title;
    if (buckets.size() > 1)
      own += "." + std::to_string(index);
    if (!title.empty())
      setName(op, own);
    made.push_back(op);
  }
  return made;
}

namespace {
struct BucketCollectives
    : coconet::impl::BucketCollectivesBase<BucketCollectives> {
  using BucketCollectivesBase::BucketCollectivesBase;

  void runOnOperation() override {
    FailureOr<SmallVector<Operation *>> ops =
        findAllNamed(getOperation(), *names);
    if (failed(ops))
      return signalPassFailure();
    Refusal refusal;
    IRRewriter rewriter(&getContext());
    std::optional<int64_t> most;
    if (bytes)
      most = bytes;
    if (succeeded(bucketCollectives(rewriter, *ops, result, most, refusal)))
      return;
    refusal.report(DiagnosticSeverity::Error);
    signalPassFailure();
  }
};
} // namespace
