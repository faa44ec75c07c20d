//===- SliceLists.h - lists of state held in slices -------------*- C++ -*-===//

#ifndef COCONET_TRANSFORMS_SLICELISTS_H
#define COCONET_TRANSFORMS_SLICELISTS_H

#include "Analysis/Legality.h"
#include "IR/ListOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace coconet {

/// State arguments that are one list of a `for_each`, which makes their new
/// values too.
struct StateList {
  ForEachOp op;
  unsigned operandList = 0, resultList = 0;
  /// In the region: what cuts the states, and what gathers the new values.
  llvm::SmallVector<ShardOp> shards;
  AllGatherOp gather;
  llvm::SmallVector<UpdateOp> updates;
};

/// The operation on lists that uses the argument, or null.
ForEachOp findListUser(mlir::BlockArgument argument);

/// The list that a state argument is in, if all of it can be held in slices:
/// nothing else uses the states, and the region cuts them in one way.
mlir::FailureOr<StateList> checkSliceList(mlir::func::FuncOp function,
                                          unsigned argument, Refusal &refusal);

/// Hold the states in flat slices. The function's type is then that of its body
/// again after updateFunctionType.
void sliceStateList(mlir::RewriterBase &rewriter, StateList &list);

} // namespace coconet

#endif // COCONET_TRANSFORMS_SLICELISTS_H
