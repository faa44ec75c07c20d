//===- InitAll.h - What tool and Python package register --------*- C++ -*-===//

#ifndef COCONET_INITALL_H
#define COCONET_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace coconet {

/// Registers every dialect and every interface implementation that programs,
/// schedules and their lowerings use. The one place for both coconet-opt and
/// the Python package.
void registerAll(mlir::DialectRegistry &registry);

/// Registers every pass and pipeline, upstream's that the lowerings use
/// included. May be called more than once.
void registerAllPasses();

} // namespace coconet

#endif // COCONET_INITALL_H
