//===- Legality.cpp - why a transformation is refused -----------------------===//

#include "Analysis/Legality.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace coconet;

LogicalResult Refusal::set(Operation *op, const Twine &text,
                           const Twine &remedy) {
  location = op->getLoc();
  message = text.str();
  addNote(op->getLoc(), remedy);
  return failure();
}

Refusal &Refusal::addNote(Location location, const Twine &note) {
  notes.emplace_back(location, note.str());
  return *this;
}

void Refusal::report(DiagnosticSeverity severity) const {
  MLIRContext *context = location->getContext();
  InFlightDiagnostic diag =
      context->getDiagEngine().emit(*location, severity);
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

FailureOr<OpSet> coconet::sortInBlock(ArrayRef<Operation *> ops,
                                      Refusal &refusal) {
  SmallVector<Operation *> sorted(ops);
  for (Operation *op : ops)
    if (op->getBlock() != ops.front()->getBlock()) {
      refusal.set(op,
                  describe(ops.front()) + " and " + describe(op) +
                      " lie in different regions",
                  "name ops of one function body");
      refusal.addNote(ops.front()->getLoc(), "the other op is here");
      return failure();
    }
  llvm::sort(sorted, [](Operation *a, Operation *b) {
    return a != b && a->isBeforeInBlock(b);
  });
  return OpSet(sorted.begin(), sorted.end());
}

/// Ops of the block whose operands, nested regions included, are given.
static bool usesAnyOf(Operation *op,
                      const llvm::SmallPtrSetImpl<Operation *> &producers,
                      Operation *&producer) {
  bool found = false;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (Operation *def = operand.getDefiningOp(); producers.contains(def)) {
        producer = def;
        found = true;
      }
  });
  return found;
}

LogicalResult coconet::checkConvex(const OpSet &ops, Refusal &refusal) {
  // Ops outside of the set that depend on it.
  llvm::SmallPtrSet<Operation *, 16> members(ops.begin(), ops.end());
  llvm::SmallPtrSet<Operation *, 16> dependent;
  for (Operation *op = ops.front(); op != ops.back()->getNextNode();
       op = op->getNextNode()) {
    Operation *producer = nullptr;
    if (ops.contains(op)) {
      if (!usesAnyOf(op, dependent, producer))
        continue;
      refusal.set(op,
                  describe(op) + " depends on " + describe(producer) +
                      ", which is outside of the set and depends on it",
                  "add " + describe(producer) + ", or leave " + describe(op) +
                      " out");
      refusal.addNote(producer->getLoc(), "the path leaves the set here");
      return failure();
    }
    if (usesAnyOf(op, members, producer) || usesAnyOf(op, dependent, producer))
      dependent.insert(op);
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
