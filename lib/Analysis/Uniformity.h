//===- Uniformity.h - axes along which values differ ------------*- C++ -*-===//

#ifndef COCONET_ANALYSIS_UNIFORMITY_H
#define COCONET_ANALYSIS_UNIFORMITY_H

#include "IR/CoCoNet.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"

namespace coconet {

/// For each value of a rank program the axes of the mesh along which ranks may
/// hold different ones. A set of axes is a set of bits.
class Uniformity {
public:
  /// A function that `ranks` ranks run, over this mesh.
  Uniformity(mlir::FunctionOpInterface function, MeshAttr mesh, int64_t ranks);

  uint64_t of(mlir::Value value) const { return varying.lookup(value); }
  /// Axes along which members of one group of a collective differ.
  uint64_t spannedBy(mlir::Operation *collective) const;
  /// `{dp, tp}`.
  std::string format(uint64_t axes) const;

private:
  void visit(mlir::Operation *op);
  void visitBlock(mlir::Block &block);
  void visitFor(mlir::Operation *op);
  void visitRegions(mlir::Operation *op, uint64_t incoming);
  uint64_t collectiveResult(mlir::Operation *op, uint64_t incoming) const;
  uint64_t axesOf(MeshAttr mesh, mlir::ArrayAttr names) const;
  uint64_t unionOf(mlir::ValueRange values) const;
  void raise(mlir::Value value, uint64_t axes);

  MeshAttr mesh;
  uint64_t all = 0;
  llvm::DenseMap<mlir::Value, uint64_t> varying;
  bool changed = false;
};

} // namespace coconet

#endif // COCONET_ANALYSIS_UNIFORMITY_H
