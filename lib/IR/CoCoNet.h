//===- CoCoNet.h - the coconet dialect --------------------------*- C++ -*-===//

#ifndef COCONET_IR_COCONET_H
#define COCONET_IR_COCONET_H

#include "IR/Iteration.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace coconet {

/// Whether 64 bits hold the number of elements, where the shape is static.
bool isCountable(mlir::ShapedType type);

/// The names in an optional array of strings.
llvm::SmallVector<mlir::StringAttr> axisList(mlir::ArrayAttr axes);

/// Attribute names with a meaning outside of one op (see the dialect's prose).
inline constexpr llvm::StringLiteral nameAttr = "coconet.name";
inline constexpr llvm::StringLiteral stateAttr = "coconet.state";
inline constexpr llvm::StringLiteral dimsAttr = "coconet.dims";
inline constexpr llvm::StringLiteral argNameAttr = "coconet.arg_name";
inline constexpr llvm::StringLiteral resultNameAttr = "coconet.result_name";
inline constexpr llvm::StringLiteral meshAttr = "coconet.mesh";
inline constexpr llvm::StringLiteral layoutAttr = "coconet.layout";
inline constexpr llvm::StringLiteral statesAttr = "coconet.states";
inline constexpr llvm::StringLiteral sizeOfAttr = "coconet.size_of";
inline constexpr llvm::StringLiteral stageAttr = "coconet.stage";
inline constexpr llvm::StringLiteral ranksAttr = "coconet.ranks";
inline constexpr llvm::StringLiteral wireTypeAttr = "coconet.wire_type";
inline constexpr llvm::StringLiteral algorithmAttr = "coconet.algorithm";
inline constexpr llvm::StringLiteral channelsAttr = "coconet.channels";

// Parents of `yield` that have headers of their own.
class ForEachOp;
class ListKernelOp;
class OverlapOp;
class RankStartOp;
class SymmetricKernelOp;

} // namespace coconet

#include "CoCoNetDialect.h.inc"
#include "CoCoNetEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "CoCoNetAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "CoCoNetTypes.h.inc"

#include "CoCoNetInterfaces.h.inc"

#define GET_OP_CLASSES
#include "CoCoNetOps.h.inc"

#endif // COCONET_IR_COCONET_H
