//===- Legality.cpp - why a transformation is refused -----------------------===//

#include "Analysis/Legality.h"
#include "IR/OverlapOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace coconet;

LogicalResult Refusal::set(Operation *op, const Twine &text,
                           const Twine &remedy) {
  location = op->getLoc();
  message = text.str();
  notes.clear();
  addNote(op->getLoc(), remedy);
  return failure();
}

Refusal &Refusal::addNote(Location location, const Twine &note) {
  notes.emplace_back(location, note.str());
  return *this;
}

void Refusal::report(DiagnosticSeverity severity) const {
  MLIRContext *context = location->getContext();
  InFlightDiagnostic diag = context->getDiagEngine().emit(*location, severity);
  diag << message;
  for (auto &[where, note] : notes)
    diag.attachNote(where) << note;
}

StringRef coconet::getName(Operation *op) {
  auto name = op->getAttrOfType<StringAttr>(nameAttr);
  return name ? name.getValue() : StringRef();
}

void coconet::setName(Operation *op, const Twine &name) {
  op->setAttr(nameAttr, StringAttr::get(op->getContext(), name));
}

std::string coconet::describe(Operation *op) {
  std::string text = op->getName().stripDialect().str();
  if (StringRef name = getName(op); !name.empty())
    text += " '" + name.str() + "'";
  return text;
}

static OpSet sortOps(SmallVector<Operation *> ops) {
  llvm::sort(ops, [](Operation *a, Operation *b) {
    return a != b && a->isBeforeInBlock(b);
  });
  return OpSet(ops.begin(), ops.end());
}

FailureOr<OpSet> coconet::sortInBlock(ArrayRef<Operation *> ops,
                                      Refusal &refusal) {
  for (Operation *op : ops)
    if (!op->getBlock())
      return refusal.set(op, describe(op) + " is the whole program",
                         "name ops of a function body");
  if (!mayHaveSSADominance(*ops.front()->getParentRegion()))
    return refusal.set(ops.front(),
                       describe(ops.front()) +
                           " lies in a region whose ops have no order",
                       "put the program into a function");
  for (Operation *op : ops)
    if (op->getBlock() != ops.front()->getBlock()) {
      refusal.set(op,
                  describe(ops.front()) + " and " + describe(op) +
                      " lie in different regions",
                  "name ops of one function body");
      refusal.addNote(ops.front()->getLoc(), "the other op is here");
      return failure();
    }
  return sortOps(SmallVector<Operation *>(ops));
}

OpSet coconet::findDependentsWithin(const OpSet &ops) {
  Block *block = ops.front()->getBlock();
  llvm::SmallPtrSet<Operation *, 16> found;
  SmallVector<Operation *> worklist(ops.begin(), ops.end());
  while (!worklist.empty())
    for (Operation *user : worklist.pop_back_val()->getUsers()) {
      Operation *op = block->findAncestorOpInBlock(*user);
      if (op && !ops.contains(op) && op->isBeforeInBlock(ops.back()) &&
          found.insert(op).second)
        worklist.push_back(op);
    }
  return sortOps(SmallVector<Operation *>(found.begin(), found.end()));
}

LogicalResult coconet::checkUnchunked(Operation *op, const Twine &what,
                                      Refusal &refusal) {
  auto overlap = op->getParentOfType<OverlapOp>();
  if (!overlap || overlap.getChunks() == 1)
    return success();
  return refusal.set(op,
                     what + " " + describe(op) + ": it runs in chunks in " +
                         describe(overlap),
                     "overlap after all other transformations");
}

Operation *coconet::findProducer(Operation *op, const OpSet &producers) {
  Operation *producer = nullptr;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (Operation *def = operand.getDefiningOp();
          def && producers.contains(def))
        producer = def;
  });
  return producer;
}

static bool isNeeded(Operation *op, llvm::DenseMap<Operation *, bool> &known) {
  if (!wouldOpBeTriviallyDead(op))
    return true;
  auto [entry, fresh] = known.try_emplace(op, false);
  if (!fresh)
    return entry->second;
  bool needed = llvm::any_of(
      op->getUsers(), [&](Operation *user) { return isNeeded(user, known); });
  return known[op] = needed;
}

OpSet coconet::findUnneeded(ArrayRef<Operation *> ops) {
  llvm::DenseMap<Operation *, bool> known;
  OpSet found;
  for (Operation *op : ops)
    if (!isNeeded(op, known))
      found.insert(op);
  return found;
}

LogicalResult coconet::checkConvex(const OpSet &ops, Refusal &refusal) {
  OpSet dependents = findDependentsWithin(ops);
  if (dependents.empty())
    return success();
  for (Operation *op : ops) {
    Operation *producer = findProducer(op, dependents);
    if (!producer)
      continue;
    refusal.set(op,
                describe(op) + " depends on " + describe(producer) +
                    ", which is outside of the set and depends on it",
                "add " + describe(producer) + ", or leave " + describe(op) +
                    " out");
    refusal.addNote(producer->getLoc(), "the path leaves the set here");
    return failure();
  }
  return success();
}

SmallVector<Value> coconet::findLiveOuts(const OpSet &ops) {
  SmallVector<Value> values;
  Block *block = ops.front()->getBlock();
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !ops.contains(block->findAncestorOpInBlock(*user));
          }))
        values.push_back(result);
  return values;
}
