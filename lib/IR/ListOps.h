//===- ListOps.h - lists of tensors ------------------------*- C++ -*-===//

#ifndef COCONET_IR_LISTOPS_H
#define COCONET_IR_LISTOPS_H

#include "IR/CoCoNet.h"

#define GET_OP_CLASSES
#include "CoCoNetListOps.h.inc"

namespace coconet {

/// The row-major flattening of a tensor of a list, as the region of `for_each`
/// sees it: of open size, and of the same layout. Null where the tensor is cut
/// along a dimension.
mlir::RankedTensorType flattenedType(mlir::RankedTensorType type);

/// The same type with a cut of the only dimension of a flattening written as a
/// flat one.
mlir::RankedTensorType withFlatCut(mlir::RankedTensorType type);

} // namespace coconet

#endif // COCONET_IR_LISTOPS_H
