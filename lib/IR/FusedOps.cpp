//===- FusedOps.cpp - fused regions -----------------------------------------===//

#include "IR/ChannelOps.h"
#include "IR/Layout.h"
#include "IR/RankOps.h"
#include "IR/Refusal.h"

using namespace mlir;
using namespace coconet;

bool coconet::isOneElement(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getNumElements() == 1;
}

bool coconet::isScalarReduction(Operation *op) {
  // Of a cut element most ranks hold nothing.
  return isa<NormOp, ReduceOp, AllReduceOp, RankAllReduceOp>(op) &&
         isOneElement(op->getResult(0).getType()) &&
         !Layout::of(op->getResult(0)).isCut();
}

/// Whether the region communicates.
static bool isChain(FusedKind kind) {
  return kind != FusedKind::computation && kind != FusedKind::matmul;
}

/// Whether the op may stand in a fused region of that kind.
static bool mayBeFused(Operation *op, FusedKind kind) {
  if (isa<YieldOp, ConstantOp, RankDropoutOp>(op))
    return true;
  if (auto iterated = dyn_cast<IterationOpInterface>(op);
      iterated && iterated.isPointwise())
    return true;
  if (kind == FusedKind::matmul)
    return isa<MatmulOp>(op);
  if (kind == FusedKind::send)
    return isa<SendOp, RankSendOp>(op);
  if (!isChain(kind))
    return false;
  if (isa<ReduceScatterOp, RankReduceScatterOp>(op))
    return kind != FusedKind::all_gather;
  if (isa<AllGatherOp, RankAllGatherOp>(op))
    return kind == FusedKind::all_reduce || kind == FusedKind::all_gather;
  return isa<ShardOp, RankShardOp>(op) || isScalarReduction(op);
}

static StringRef describeContents(FusedKind kind) {
  switch (kind) {
  case FusedKind::computation:
    return "only pointwise ops are fused as computation";
  case FusedKind::matmul:
    return "only one matmul and pointwise ops are fused as matmul";
  case FusedKind::send:
    return "only pointwise ops and one send of what they compute are fused";
  case FusedKind::all_reduce:
    return "only pointwise ops, shard, reduce_scatter, all_gather and "
           "reductions to one element are fused around a collective";
  default:
    return "only pointwise ops, shard, reductions to one element and the "
           "collective of the kind are fused around it";
  }
}

/// All collectives of the region belong to one chain: same group, same
/// dimension. What nobody uses may have gone, and all of them with it.
static LogicalResult verifyChain(FusedOp op) {
  bool scatters = op.getKind() != FusedKind::all_gather;
  CollectiveOpInterface chain;
  for (Operation &inner : op.getBody().front())
    if (!chain && (scatters ? isa<ReduceScatterOp, RankReduceScatterOp>(inner)
                            : isa<AllGatherOp, RankAllGatherOp>(inner)))
      chain = cast<CollectiveOpInterface>(inner);
  if (!chain)
    return success();
  for (Operation &inner : op.getBody().front()) {
    auto collective = dyn_cast<CollectiveOpInterface>(inner);
    if (!collective || isScalarReduction(&inner) ||
        (collective.getGroupAxes() == chain.getGroupAxes() &&
         collective.getGroupLists() == chain.getGroupLists() &&
         inner.getAttr("dim") == chain->getAttr("dim")))
      continue;
    InFlightDiagnostic diag = op.emitOpError()
                              << "holds collectives of more than one chain";
    diag.attachNote(inner.getLoc())
        << "this one has another group or dimension than the "
        << (scatters ? "reduce_scatter" : "all_gather");
    return diag;
  }
  return success();
}

static LogicalResult verifyMatmul(FusedOp op) {
  auto products = llvm::to_vector(op.getBody().getOps<MatmulOp>());
  if (products.size() <= 1)
    return success();
  return refuse(op,
                "of kind matmul holds " + Twine(products.size()) + " matmuls",
                "fuse each matmul with what follows it");
}

/// One send, of a value of the region; results have its shape.
static LogicalResult verifySend(FusedOp op) {
  SmallVector<Operation *> sends;
  for (Operation &inner : op.getBody().front())
    if (isa<SendOp, RankSendOp>(inner))
      sends.push_back(&inner);
  if (sends.size() != 1)
    return refuse(op, "of kind send holds " + Twine(sends.size()) + " sends",
                  "fuse each send with what computes its operand");
  Value sent = sends.front()->getOperand(0);
  if (sent.getParentRegion() != &op.getBody())
    return refuse(op, "of kind send sends a value from outside",
                  "move the send out, or what computes its operand in");
  auto space = [](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return RankedTensorType::get(tensor.getShape(),
                                 IntegerType::get(type.getContext(), 1),
                                 tensor.getEncoding());
  };
  for (Type type : op.getResultTypes())
    if (space(type) != space(sent.getType()))
      return refuse(op,
                    "of kind send has a result that is not shaped as "
                    "what it sends",
                    "compute values of other shapes outside");
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
      diag.attachNote(inner.getLoc()) << describeContents(getKind());
      return diag;
    }
  switch (getKind()) {
  case FusedKind::matmul:
    return verifyMatmul(*this);
  case FusedKind::send:
    return verifySend(*this);
  case FusedKind::all_reduce:
  case FusedKind::reduce_scatter:
  case FusedKind::all_gather:
    return verifyChain(*this);
  default:
    return success();
  }
}
