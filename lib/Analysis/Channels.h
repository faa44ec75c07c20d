//===- Channels.h - programs of unlike ranks --------------------*- C++ -*-===//

#ifndef COCONET_ANALYSIS_CHANNELS_H
#define COCONET_ANALYSIS_CHANNELS_H

#include "IR/ChannelOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"

namespace coconet {

/// The mesh that a function's types, or an attribute of it or its module, name;
/// null where none does.
MeshAttr findMesh(mlir::FunctionOpInterface function);

/// The ranks that run a function, by their number in its mesh (coconet.ranks);
/// empty where nothing says so.
llvm::ArrayRef<int64_t> ranksOf(mlir::Operation *function);

/// Functions of a module that are run by ranks of their own (coconet.stage or
/// coconet.ranks), in order.
llvm::SmallVector<mlir::FunctionOpInterface> findStages(mlir::ModuleOp module);

/// Two ends.
struct Channel {
  SendOp send;
  RecvOp recv;
};

/// By name, in order.
using Channels = llvm::MapVector<mlir::StringAttr, Channel>;

/// The channels of a module. Each joins one send to one recv of another function
/// that is run by ranks of its own; types are equal up to the mesh. Anything else
/// is an error that says where both ends are.
mlir::FailureOr<Channels> findChannels(mlir::ModuleOp module);

} // namespace coconet

#endif // COCONET_ANALYSIS_CHANNELS_H
