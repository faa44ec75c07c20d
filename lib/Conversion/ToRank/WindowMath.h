//===- WindowMath.h - windows over open sizes -------------------*- C++ -*-===//

#ifndef COCONET_CONVERSION_TORANK_WINDOWMATH_H
#define COCONET_CONVERSION_TORANK_WINDOWMATH_H

#include "Conversion/ToRank/IndexMath.h"
#include "IR/NeuralOps.h"

namespace coconet {

/// Number of windows over `extent` elements, as `Window::count`.
inline mlir::OpFoldResult countWindows(IndexMath &m, mlir::OpFoldResult extent,
                                       Window window) {
  // One stride more, so that what is too small for a window is not negative.
  int64_t added = 2 * window.padding + window.stride - window.span();
  mlir::OpFoldResult room =
      m.max(m.add(extent, m.constant(added)), m.constant(0));
  return m.div(room, m.constant(window.stride));
}

} // namespace coconet

#endif // COCONET_CONVERSION_TORANK_WINDOWMATH_H
