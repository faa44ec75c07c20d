//===- ExplicitShards.h - free sharding as ops ------------------*- C++ -*-===//

#ifndef COCONET_CONVERSION_TORANK_EXPLICITSHARDS_H
#define COCONET_CONVERSION_TORANK_EXPLICITSHARDS_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace coconet {

/// Replicated operands of ops whose other operands are cut are sharded for
/// free; make that sharding `coconet.shard`. A value computed inside of a fused
/// region is computed a second time from sharded operands, so that a region
/// shards values from outside only; those of a computation are sharded before
/// it. Constants leave fused regions.
mlir::LogicalResult makeShardsExplicit(mlir::FunctionOpInterface function);

} // namespace coconet

#endif // COCONET_CONVERSION_TORANK_EXPLICITSHARDS_H
