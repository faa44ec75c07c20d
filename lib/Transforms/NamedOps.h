//===- NamedOps.h - ops by coconet.name -------------------------*- C++ -*-===//

#ifndef COCONET_TRANSFORMS_NAMEDOPS_H
#define COCONET_TRANSFORMS_NAMEDOPS_H

#include "Analysis/Legality.h"

namespace coconet {

/// Ops below `root` that carry the name, in order; none inside of another one.
llvm::SmallVector<mlir::Operation *> findNamed(mlir::Operation *root,
                                               llvm::StringRef name);

/// The text that follows "no op is named ...": the names there are.
std::string listNames(mlir::Operation *root);

/// Ops of any kind with one of the names; an error at `root` where a name is
/// carried by none.
mlir::FailureOr<llvm::SmallVector<mlir::Operation *>>
findAllNamed(mlir::Operation *root, llvm::ArrayRef<std::string> names);

/// Ops of kind `OpTy` with the name; an error at `root` where there is none, or
/// at an op of another kind.
template <typename OpTy>
mlir::FailureOr<llvm::SmallVector<OpTy>> findNamed(mlir::Operation *root,
                                                   const std::string &name) {
  mlir::FailureOr<llvm::SmallVector<mlir::Operation *>> ops =
      findAllNamed(root, name);
  if (failed(ops))
    return mlir::failure();
  llvm::SmallVector<OpTy> typed;
  for (mlir::Operation *op : *ops) {
    if (!llvm::isa<OpTy>(op))
      return op->emitError()
             << describe(op) << " is no " << OpTy::getOperationName();
    typed.push_back(llvm::cast<OpTy>(op));
  }
  return typed;
}

} // namespace coconet

#endif // COCONET_TRANSFORMS_NAMEDOPS_H
