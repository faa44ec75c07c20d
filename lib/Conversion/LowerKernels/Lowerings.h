//===- Lowerings.h - kernels to loops and calls -----------------*- C++ -*-===//

#ifndef COCONET_CONVERSION_LOWERKERNELS_LOWERINGS_H
#define COCONET_CONVERSION_LOWERKERNELS_LOWERINGS_H

#include "IR/ChannelOps.h"
#include "IR/CoCoNet.h"
#include "IR/KernelOps.h"
#include "IR/ListOps.h"
#include "IR/NeuralOps.h"
#include "IR/OverlapOps.h"
#include "IR/RankOps.h"
#include "IR/RootedOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace coconet {

/// Each replaces one op over buffers; the op is erased.
mlir::LogicalResult lowerSymmetricKernel(SymmetricKernelOp op,
                                         mlir::SymbolTable &symbols);
void lowerSymmetricPermute(SymmetricPermuteOp op, mlir::SymbolTable &symbols);
void lowerBarrier(RankBarrierOp op, mlir::SymbolTable &symbols);
mlir::LogicalResult lowerSymmetricAllToAll(SymmetricAllToAllOp op,
                                           mlir::SymbolTable &symbols);
void lowerListKernel(ListKernelOp op, mlir::SymbolTable &symbols);
void lowerSymmetricStart(SymmetricStartOp op, mlir::SymbolTable &symbols);
mlir::LogicalResult lowerGemm(GemmOp op, mlir::SymbolTable &symbols);
void lowerScatterRows(ScatterRowsOp op);
void lowerSendBegin(SymmetricSendBeginOp op, mlir::SymbolTable &symbols);
void lowerSendEnd(SymmetricSendEndOp op, mlir::SymbolTable &symbols);
void lowerRecvStart(SymmetricRecvStartOp op, mlir::SymbolTable &symbols);
void lowerRecv(SymmetricRecvOp op, mlir::SymbolTable &symbols);
void lowerCheckSize(RankCheckSizeOp op, mlir::SymbolTable &symbols);
void lowerCheckFinite(RankCheckFiniteOp op, mlir::SymbolTable &symbols);
void lowerCoordinate(RankCoordinateOp op, mlir::SymbolTable &symbols);

/// Ops whose maps name dimensions and zeros only become loops; others are left
/// as they are.
void lowerGeneric(mlir::linalg::GenericOp op);

/// Another shape of one contiguous block; upstream's lowering takes at most one
/// open size.
void lowerExpandShape(mlir::memref::ExpandShapeOp op);

/// Reductions over trailing dimensions of one contiguous tensor become loops
/// that accumulate in vectors; failure, without change, for other ops.
mlir::LogicalResult lowerReduction(mlir::linalg::GenericOp op);

/// Copies between buffers that are not contiguous become loops.
void lowerCopy(mlir::memref::CopyOp op);

/// Upstream's lowering wants elements of whole bytes; an i1 takes one.
void lowerLoad(mlir::memref::LoadOp op);
void lowerStore(mlir::memref::StoreOp op);

/// Take memory of static size on the stack once, not in each turn of a loop,
/// whose blocks would not give it back.
void hoistStackMemory(mlir::func::FuncOp function);

/// The rank as first argument, and a C interface.
mlir::LogicalResult convertBoundary(mlir::func::FuncOp function,
                                    mlir::SymbolTable &symbols);

} // namespace coconet

#endif // COCONET_CONVERSION_LOWERKERNELS_LOWERINGS_H
