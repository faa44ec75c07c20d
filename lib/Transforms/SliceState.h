//===- SliceState.h - state held in slices ----------------------*- C++ -*-===//

#ifndef COCONET_TRANSFORMS_SLICESTATE_H
#define COCONET_TRANSFORMS_SLICESTATE_H

#include "Analysis/Legality.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace coconet {

/// Replicated state becomes cut state and its all_gather goes (CoCoNet's
/// asSlice; the memory of ZeRO stage 1). Every use of the argument goes through
/// one cut. Changes the functions' types.
///
/// `names` are names of state arguments; each is in one of the functions or
/// more. Nothing changes where one of them is refused.
mlir::LogicalResult sliceStates(mlir::RewriterBase &rewriter,
                                llvm::ArrayRef<mlir::func::FuncOp> functions,
                                llvm::ArrayRef<llvm::StringRef> names,
                                Refusal &refusal);

/// Whether the function's type may change: it has one block and no callers.
mlir::LogicalResult checkChangesType(mlir::func::FuncOp function,
                                     Refusal &refusal);

/// Whether the state of a function of one block can be held in slices.
mlir::LogicalResult checkSliceState(mlir::func::FuncOp function,
                                    unsigned argument, Refusal &refusal);

/// Hold one state in slices, which checkSliceState allows. The function's type
/// is then that of its body again after updateFunctionType.
void sliceState(mlir::RewriterBase &rewriter, mlir::func::FuncOp function,
                unsigned argument);
void updateFunctionType(mlir::RewriterBase &rewriter,
                        mlir::func::FuncOp function);

/// The argument of a function called `name` by `coconet.arg_name`, or those
/// called `name.0`, `name.1` and so on; none, with the names there are in
/// `refusal`, where there is no such argument.
llvm::SmallVector<unsigned> findArguments(mlir::func::FuncOp function,
                                          llvm::StringRef name,
                                          Refusal &refusal);

} // namespace coconet

#endif // COCONET_TRANSFORMS_SLICESTATE_H
