//===- Groups.h - groups of ranks and cuts ----------------------*- C++ -*-===//

#ifndef COCONET_IR_GROUPS_H
#define COCONET_IR_GROUPS_H

#include "IR/Layout.h"

namespace coconet {

/// What is wrong with explicit groups, in words that follow "groups"; empty if
/// nothing is: every list is non-empty, its ranks are in the mesh, no rank
/// appears twice, every rank of a bound mesh appears, and sizes are equal where
/// the result depends on them.
std::string findGroupFault(mlir::ArrayAttr groups, MeshAttr mesh,
                           bool equalSizes);

/// Whether two members of one group differ along the axis. The mesh is bound.
bool groupsSpanAxis(mlir::ArrayAttr groups, MeshAttr mesh,
                    mlir::StringAttr axis);

/// What keeps axes from being appended to the cut of `dim` (or of the
/// flattening); empty if nothing does. An axis list is one flat cut, which two
/// successive cuts equal only where the size divides exactly.
std::string findCutFault(const Layout &layout, mlir::RankedTensorType type,
                         std::optional<int64_t> dim,
                         llvm::ArrayRef<mlir::StringAttr> axes);

/// Size of the smallest group.
int64_t smallestGroup(mlir::ArrayAttr groups);

/// Check that `root` is a position in a group of `size` members.
mlir::LogicalResult verifyRoot(mlir::Operation *op, int64_t root, int64_t size);

AxisList concatAxes(llvm::ArrayRef<mlir::StringAttr> major,
                    llvm::ArrayRef<mlir::StringAttr> minor);

/// `type` with a dimension divided by, or multiplied by, the size of a group.
/// A static size that does not divide, or overflows, is an error at `op`.
mlir::FailureOr<mlir::RankedTensorType> divideDim(mlir::Operation *op,
                                                  mlir::RankedTensorType type,
                                                  int64_t dim, int64_t parts);
mlir::FailureOr<mlir::RankedTensorType> multiplyDim(mlir::Operation *op,
                                                    mlir::RankedTensorType type,
                                                    int64_t dim, int64_t parts);

} // namespace coconet

#endif // COCONET_IR_GROUPS_H
