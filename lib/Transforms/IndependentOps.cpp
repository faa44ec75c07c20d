//===- IndependentOps.cpp - what can run beside communication ---------------===//

#include "Transforms/IndependentOps.h"
#include "Analysis/ChunkFlow.h"
#include "Analysis/Legality.h"
#include "IR/Refusal.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace coconet;

/// Ops of the block between the communication before the set and that behind it;
/// none if there is other communication within the set.
static SmallVector<Operation *> findNeighbors(const OpSet &set) {
  SmallVector<Operation *> found;
  bool within = false;
  for (Operation &op : *set.front()->getBlock()) {
    within |= &op == set.front();
    if (set.contains(&op))
      continue;
    if (!communicates(&op)) {
      found.push_back(&op);
      continue;
    }
    if (within)
      return set.back()->isBeforeInBlock(&op) ? found
                                              : SmallVector<Operation *>();
    found.clear();
  }
  return found;
}

/// Takes time and has no effect, so that it may change its place.
static bool isComputation(Operation *op) {
  return isMemoryEffectFree(op) && !op->hasTrait<OpTrait::ConstantLike>() &&
         !op->hasTrait<OpTrait::IsTerminator>() &&
         llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
}

SmallVector<Operation *> coconet::addIndependent(ArrayRef<Operation *> ops) {
  SmallVector<Operation *> all(ops);
  Refusal ignored;
  FailureOr<OpSet> set = sortInBlock(ops, ignored);
  if (failed(set) || !llvm::all_of(ops, communicates))
    return all;
  SmallVector<Operation *> neighbors = findNeighbors(*set);
  OpSet after = *set, before = *set;
  for (Operation *op : neighbors)
    if (findProducer(op, after))
      after.insert(op);
  Block *block = set->front()->getBlock();
  for (Operation *op : llvm::reverse(neighbors))
    if (llvm::any_of(op->getUsers(), [&](Operation *user) {
          return before.contains(block->findAncestorOpInBlock(*user));
        }))
      before.insert(op);
  OpSet unneeded = findUnneeded(neighbors);
  for (Operation *op : neighbors)
    if (!after.contains(op) && !before.contains(op) && isComputation(op) &&
        !unneeded.contains(op))
      set->insert(op);
  // What other ops need first, or make, stays where it is.
  for (bool changed = true; changed;) {
    *set = *sortInBlock(set->getArrayRef(), ignored);
    OpSet outside = findDependentsWithin(*set);
    changed = set->remove_if([&](Operation *op) {
      return !llvm::is_contained(ops, op) && findProducer(op, outside);
    });
  }
  return llvm::to_vector(*set);
}
