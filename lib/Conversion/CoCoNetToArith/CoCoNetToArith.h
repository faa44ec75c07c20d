//===- CoCoNetToArith.h - Element-wise ops as arith -------------*- C++ -*-===//

#ifndef COCONET_CONVERSION_COCONETTOARITH_COCONETTOARITH_H
#define COCONET_CONVERSION_COCONETTOARITH_COCONETTOARITH_H

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace coconet {

/// Patterns from element-wise ops to arith.
void populateCoCoNetToArithPatterns(mlir::RewritePatternSet &patterns);

} // namespace coconet

#endif // COCONET_CONVERSION_COCONETTOARITH_COCONETTOARITH_H
