//===- NamedOps.cpp - ops by coconet.name -----------------------------------===//

#include "Transforms/NamedOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace coconet;

SmallVector<Operation *> coconet::findNamed(Operation *root, StringRef name) {
  SmallVector<Operation *> ops;
  if (name.empty()) // That is the name of ops without one.
    return ops;
  // A region of that name stands for the ops in it that have it too.
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (getName(op) != name)
      return WalkResult::advance();
    ops.push_back(op);
    return WalkResult::skip();
  });
  return ops;
}

std::string coconet::listNames(Operation *root) {
  llvm::SmallSetVector<StringRef, 8> names;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (StringRef name = getName(op); !name.empty())
      names.insert(name);
  });
  if (names.empty())
    return "no op has a name; give it one with the attribute coconet.name";
  return "the names are " + llvm::join(names, ", ");
}

FailureOr<SmallVector<Operation *>>
coconet::findAllNamed(Operation *root, ArrayRef<std::string> names) {
  SmallVector<Operation *> ops;
  if (names.empty())
    return root->emitError() << "no op is named; give names in the options";
  for (const std::string &name : names) {
    SmallVector<Operation *> found = findNamed(root, name);
    if (found.empty()) {
      InFlightDiagnostic diag = emitError(root->getLoc())
                                << "no op is named '" << name << "'";
      diag.attachNote() << listNames(root);
      return diag;
    }
    ops.append(found);
  }
  return ops;
}
