//===- Assembly.h - custom directives of the assembly formats ---*- C++ -*-===//

#ifndef COCONET_IR_ASSEMBLY_H
#define COCONET_IR_ASSEMBLY_H

#include "IR/CoCoNet.h"

namespace coconet {

/// Axes: `{dp, tp}`.
mlir::ParseResult parseAxes(mlir::OpAsmParser &parser, mlir::ArrayAttr &axes);
void printAxes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
               mlir::ArrayAttr axes);

/// Group: `{dp, tp}` or `groups [[0, 1], [2, 3]]`.
mlir::ParseResult parseGroup(mlir::OpAsmParser &parser, mlir::ArrayAttr &axes,
                             mlir::ArrayAttr &groups);
void printGroup(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                mlir::ArrayAttr axes, mlir::ArrayAttr groups);

/// Lists of integers: `[[0, 1], [2, 3]]`; `context` ends messages.
mlir::ParseResult parseIntegerLists(mlir::OpAsmParser &parser,
                                    mlir::ArrayAttr &lists,
                                    llvm::StringRef context);
void printIntegerLists(mlir::OpAsmPrinter &printer, mlir::ArrayAttr lists);

/// CutDim: a dimension, or `flat` for none.
mlir::ParseResult parseCutDim(mlir::OpAsmParser &parser,
                              mlir::IntegerAttr &dim);
void printCutDim(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                 mlir::IntegerAttr dim);

} // namespace coconet

#endif // COCONET_IR_ASSEMBLY_H
