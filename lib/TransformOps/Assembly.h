//===- Assembly.h - custom directives of the schedule language --*- C++ -*-===//

#ifndef COCONET_TRANSFORMOPS_ASSEMBLY_H
#define COCONET_TRANSFORMOPS_ASSEMBLY_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"

namespace coconet {

/// SplitForm: `rs_ag dim 0`, `rs_ag flat`, `reduce_broadcast root 0`, or
/// `hierarchical dim 0 inner {tp} outer {dp}`.
mlir::ParseResult parseSplitForm(mlir::OpAsmParser &parser,
                                 mlir::IntegerAttr &dim,
                                 mlir::IntegerAttr &root,
                                 mlir::ArrayAttr &inner,
                                 mlir::ArrayAttr &outer);
void printSplitForm(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                    mlir::IntegerAttr dim, mlir::IntegerAttr root,
                    mlir::ArrayAttr inner, mlir::ArrayAttr outer);

/// Keyword: a string that is written without quotes.
mlir::ParseResult parseKeyword(mlir::OpAsmParser &parser,
                               mlir::StringAttr &keyword);
void printKeyword(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                  mlir::StringAttr keyword);

} // namespace coconet

#endif // COCONET_TRANSFORMOPS_ASSEMBLY_H
