//===- SliceState.h - state held in slices ----------------------*- C++ -*-===//

#ifndef COCONET_TRANSFORMS_SLICESTATE_H
#define COCONET_TRANSFORMS_SLICESTATE_H

#include "Analysis/Legality.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace coconet {

/// Replicated state becomes cut state and its all_gather goes (CoCoNet's
/// asSlice; the memory of ZeRO stage 1). Every use of the argument goes through
/// one cut. Changes the function's type.
mlir::LogicalResult sliceState(mlir::RewriterBase &rewriter,
                               mlir::func::FuncOp function, unsigned argument,
                               Refusal &refusal);

/// Whether sliceState would succeed; nothing changes.
mlir::LogicalResult checkSliceState(mlir::func::FuncOp function,
                                    unsigned argument, Refusal &refusal);

/// The argument of a function called `name` by `coconet.arg_name`, or nullopt
/// with the names there are in `refusal`.
std::optional<unsigned> findArgument(mlir::func::FuncOp function,
                                     llvm::StringRef name, Refusal &refusal);

} // namespace coconet

#endif // COCONET_TRANSFORMS_SLICESTATE_H
