//===- Legality.h - why a transformation is refused -------------*- C++ -*-===//
//
// Questions that transformations ask before they change anything.
//
//===----------------------------------------------------------------------===//

#ifndef COCONET_ANALYSIS_LEGALITY_H
#define COCONET_ANALYSIS_LEGALITY_H

#include "IR/CoCoNet.h"
#include "llvm/ADT/SetVector.h"

namespace coconet {

/// Why a transformation does not apply: a message about an op, notes where the
/// facts lie, and a remedy.
struct Refusal {
  std::optional<mlir::Location> location;
  std::string message;
  llvm::SmallVector<std::pair<mlir::Location, std::string>> notes;

  /// Fill in anew and return failure, to be used in `return refusal.set(...)`.
  mlir::LogicalResult set(mlir::Operation *op, const llvm::Twine &message,
                          const llvm::Twine &remedy);
  Refusal &addNote(mlir::Location location, const llvm::Twine &note);
  /// Report as an error or a remark.
  void report(mlir::DiagnosticSeverity severity) const;
};

/// The `coconet.name` of an op; empty where it has none.
llvm::StringRef getName(mlir::Operation *op);
void setName(mlir::Operation *op, const llvm::Twine &name);

/// `all_reduce 'avg'`: what messages call an op.
std::string describe(mlir::Operation *op);

/// Refuse what is to be done to an op, `cannot split` or the like, within a region
/// that runs chunk by chunk: the chunks were followed through it as it is.
mlir::LogicalResult checkUnchunked(mlir::Operation *op, const llvm::Twine &what,
                                   Refusal &refusal);

/// A set of ops of one block, in block order.
using OpSet = llvm::SetVector<mlir::Operation *>;

/// The ops sorted by their place in the block they share; refused where they
/// lie in several blocks, or in a region without order.
mlir::FailureOr<OpSet> sortInBlock(llvm::ArrayRef<mlir::Operation *> ops,
                                   Refusal &refusal);

/// Ops outside of the set that depend on it and stand before its last op, in
/// block order.
OpSet findDependentsWithin(const OpSet &ops);

/// The op of the set whose result `op`, nested regions included, uses; null
/// where there is none.
mlir::Operation *findProducer(mlir::Operation *op, const OpSet &producers);

/// Those on which nothing depends that has an effect or is returned: they are gone
/// after a cleaning.
OpSet findUnneeded(llvm::ArrayRef<mlir::Operation *> ops);

/// Succeeds if no path leaves the set and enters it again.
mlir::LogicalResult checkConvex(const OpSet &ops, Refusal &refusal);

/// Results of ops of the set that are used outside of it, in order.
llvm::SmallVector<mlir::Value> findLiveOuts(const OpSet &ops);

} // namespace coconet

#endif // COCONET_ANALYSIS_LEGALITY_H
