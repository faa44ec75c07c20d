//===- StateOps.cpp - state and fused regions -------------------------------===//

#include "IR/Layout.h"
#include "IR/RankOps.h"
#include "IR/Refusal.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace coconet;

LogicalResult UpdateOp::verify() {
  auto argument = dyn_cast<BlockArgument>(getState());
  auto function =
      argument && argument.getOwner()->isEntryBlock()
          ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp())
          : FunctionOpInterface();
  if (!function || !function.getArgAttr(argument.getArgNumber(), stateAttr))
    return refuse(*this, "does not update a state argument",
                  "mark the function argument with 'coconet.state'");
  for (Operation *user : getState().getUsers())
    if (user != getOperation() && isa<UpdateOp>(user) &&
        cast<UpdateOp>(user).getState() == getState()) {
      InFlightDiagnostic diag =
          emitOpError() << "updates argument " << argument.getArgNumber()
                        << ", which is updated elsewhere too";
      diag.attachNote(user->getLoc()) << "a state is updated once";
      return diag;
    }
  return success();
}

//===----------------------------------------------------------------------===//
// fused
//===----------------------------------------------------------------------===//

/// Whether the op may stand in a fused region of that kind.
static bool mayBeFused(Operation *op, FusedKind kind) {
  if (isa<YieldOp, ConstantOp>(op))
    return true;
  if (auto iterated = dyn_cast<IterationOpInterface>(op))
    return iterated.isPointwise();
  if (isa<RankDropoutOp>(op))
    return true;
  return kind == FusedKind::all_reduce &&
         isa<ReduceScatterOp, AllGatherOp, ShardOp, RankReduceScatterOp,
             RankAllGatherOp, RankShardOp>(op);
}

/// All collectives of the region belong to one chain: same group, same
/// dimension, at least one reduce_scatter.
static LogicalResult verifyChain(FusedOp op) {
  CollectiveOpInterface chain;
  for (Operation &inner : op.getBody().front())
    if (!chain && isa<ReduceScatterOp, RankReduceScatterOp>(inner))
      chain = cast<CollectiveOpInterface>(inner);
  if (!chain)
    return refuse(op, "of kind all_reduce holds no reduce_scatter",
                  "use kind computation for pointwise ops alone");
  for (Operation &inner : op.getBody().front()) {
    auto collective = dyn_cast<CollectiveOpInterface>(inner);
    if (!collective || (collective.getGroupAxes() == chain.getGroupAxes() &&
                        collective.getGroupLists() == chain.getGroupLists() &&
                        inner.getAttr("dim") == chain->getAttr("dim")))
      continue;
    InFlightDiagnostic diag = op.emitOpError()
                              << "holds collectives of more than one chain";
    diag.attachNote(inner.getLoc()) << "this one has another group or "
                                       "dimension than the reduce_scatter";
    return diag;
  }
  return success();
}

LogicalResult FusedOp::verifyRegions() {
  if (getBody().getNumArguments() != 0)
    return refuse(*this, "has block arguments",
                  "use values from outside directly");
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield || yield.getOperandTypes() != getResultTypes())
    return refuse(*this, "yields other types than its results",
                  "yield one value per result, of its type");
  for (Operation &inner : getBody().front())
    if (!mayBeFused(&inner, getKind())) {
      InFlightDiagnostic diag = emitOpError()
                                << "of kind " << stringifyFusedKind(getKind())
                                << " holds '" << inner.getName() << "'";
      diag.attachNote(inner.getLoc())
          << (getKind() == FusedKind::computation
                  ? "only pointwise ops are fused as computation"
                  : "only pointwise ops, shard, reduce_scatter and all_gather "
                    "are fused around a collective");
      return diag;
    }
  return getKind() == FusedKind::all_reduce ? verifyChain(*this) : success();
}
