//===- MoveIntoRegion.h - ops become the body of one op ---------*- C++ -*-===//

#ifndef COCONET_TRANSFORMS_MOVEINTOREGION_H
#define COCONET_TRANSFORMS_MOVEINTOREGION_H

#include "Analysis/Legality.h"
#include "mlir/IR/PatternMatch.h"

namespace coconet {

/// Move a convex set of ops of one block into the region of a new op, which
/// yields what is used elsewhere. `create` builds that op, with an empty
/// region, at the rewriter's place, given the types of its results.
mlir::Operation *moveIntoRegion(
    mlir::RewriterBase &rewriter, const OpSet &set,
    llvm::function_ref<mlir::Operation *(mlir::Location, mlir::TypeRange)>
        create);

} // namespace coconet

#endif // COCONET_TRANSFORMS_MOVEINTOREGION_H
