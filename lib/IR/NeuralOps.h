//===- NeuralOps.h - layers of neural networks ------------------*- C++ -*-===//

#ifndef COCONET_IR_NEURALOPS_H
#define COCONET_IR_NEURALOPS_H

#include "IR/CoCoNet.h"

#define GET_OP_CLASSES
#include "CoCoNetNeuralOps.h.inc"

namespace coconet {

/// Where windows lie along one dimension.
struct Window {
  int64_t size, stride, padding, dilation;
  /// Elements from the first to the last that one window reads.
  int64_t span() const { return dilation * (size - 1) + 1; }
  /// Number of windows over `extent` elements; open where that is.
  int64_t count(int64_t extent) const;
};

/// The windows along height and width of conv2d, of its gradients or of pool2d.
std::array<Window, 2> windowsOf(mlir::Operation *op);

} // namespace coconet

#endif // COCONET_IR_NEURALOPS_H
