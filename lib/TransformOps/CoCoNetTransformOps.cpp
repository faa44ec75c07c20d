//===- CoCoNetTransformOps.cpp - the schedule language ----------------------===//

#include "TransformOps/CoCoNetTransformOps.h"
#include "TransformOps/Assembly.h"
#include "Transforms/BucketCollectives.h"
#include "Transforms/FuseOps.h"
#include "Transforms/MergeAllReduce.h"
#include "Transforms/NamedOps.h"
#include "Transforms/OverlapOps.h"
#include "Transforms/ReorderAllGather.h"
#include "Transforms/ReorderPastSend.h"
#include "Transforms/SliceState.h"
#include "Transforms/SplitAllReduce.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace coconet;

#define GET_OP_CLASSES
#include "CoCoNetTransformOps.cpp.inc"

namespace {
class CoCoNetTransformOps
    : public transform::TransformDialectExtension<CoCoNetTransformOps> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CoCoNetTransformOps)

  void init() {
    declareGeneratedDialect<CoCoNetDialect>();
    registerTransformOps<
#define GET_OP_LIST
#include "CoCoNetTransformOps.cpp.inc"
        >();
  }
};
} // namespace

void coconet::registerTransformOps(DialectRegistry &registry) {
  registry.addExtensions<CoCoNetTransformOps>();
}

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// The refusal as a silenceable failure: the message at the schedule, the facts
/// as notes at the payload.
static DiagnosedSilenceableFailure fail(Operation *op, const Refusal &refusal) {
  DiagnosedSilenceableFailure diag =
      emitSilenceableFailure(op->getLoc(), refusal.message);
  for (auto &[location, note] : refusal.notes)
    diag.attachNote(location) << note;
  return diag;
}

/// The one op of kind `OpTy` behind a handle.
template <typename OpTy>
static DiagnosedSilenceableFailure getSingle(Operation *op,
                                             transform::TransformState &state,
                                             Value handle, OpTy &single) {
  auto payload = llvm::to_vector(state.getPayloadOps(handle));
  if (payload.size() == 1)
    single = dyn_cast<OpTy>(payload.front());
  if (single)
    return DiagnosedSilenceableFailure::success();
  DiagnosedSilenceableFailure diag = emitSilenceableFailure(op->getLoc())
                                     << "expects a handle to one "
                                     << OpTy::getOperationName() << ", got "
                                     << payload.size() << " ops";
  for (Operation *other : payload) {
    Diagnostic &note = diag.attachNote(other->getLoc());
    note << "the handle leads to " << describe(other);
    // The parts that a split makes of it are named after it.
    if (isa<AllReduceOp>(other) && !std::is_same_v<OpTy, AllReduceOp>)
      note << "; split it first, into '" << getName(other) << ".rs' and '"
           << getName(other) << ".ag'";
  }
  return diag;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

DiagnosedSilenceableFailure MatchOp::apply(transform::TransformRewriter &,
                                           transform::TransformResults &results,
                                           transform::TransformState &state) {
  SmallVector<Operation *> found;
  std::string names = "the handle leads to no op";
  for (Operation *root : state.getPayloadOps(getTarget())) {
    found.append(findNamed(root, getName()));
    names = listNames(root);
  }
  if (found.empty()) {
    DiagnosedSilenceableFailure diag =
        emitSilenceableError() << "no op is named '" << getName() << "'";
    diag.attachNote(getLoc()) << names;
    return diag;
  }
  results.set(cast<OpResult>(getResult()), found);
  return DiagnosedSilenceableFailure::success();
}

/// Split as the options say; the parts in order.
static LogicalResult splitTarget(SplitOp op, RewriterBase &rewriter,
                                 AllReduceOp target,
                                 SmallVectorImpl<Operation *> &parts,
                                 Refusal &refusal) {
  FailureOr<SmallVector<Operation *>> made;
  if (std::optional<int64_t> root = op.getRoot()) {
    made = splitReduceBroadcast(rewriter, target, *root, refusal);
  } else if (ArrayAttr inner = op.getInnerAttr()) {
    made = splitHierarchical(rewriter, target, op.getDim(), axisList(inner),
                             axisList(op.getOuterAttr()), refusal);
  } else {
    FailureOr<SplitCollectives> pair =
        splitAllReduce(rewriter, target, op.getDim(), refusal);
    if (succeeded(pair))
      made = SmallVector<Operation *>{pair->reduceScatter, pair->allGather};
  }
  if (succeeded(made))
    parts = *made;
  return made;
}

DiagnosedSilenceableFailure
coconet::SplitOp::apply(transform::TransformRewriter &rewriter,
                        transform::TransformResults &results,
                        transform::TransformState &state) {
  AllReduceOp target;
  if (auto diag = getSingle(*this, state, getTarget(), target);
      !diag.succeeded())
    return diag;
  Refusal refusal;
  SmallVector<Operation *> parts;
  if (failed(splitTarget(*this, rewriter, target, parts, refusal)))
    return fail(*this, refusal);
  for (auto [result, part] : llvm::zip(getResults(), parts))
    results.set(cast<OpResult>(result), {part});
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure
coconet::MergeOp::apply(transform::TransformRewriter &rewriter,
                        transform::TransformResults &results,
                        transform::TransformState &state) {
  ReduceScatterOp scatter;
  AllGatherOp gather;
  if (auto diag = getSingle(*this, state, getReduceScatter(), scatter);
      !diag.succeeded())
    return diag;
  if (auto diag = getSingle(*this, state, getAllGather(), gather);
      !diag.succeeded())
    return diag;
  Refusal refusal;
  FailureOr<AllReduceOp> merged =
      mergeAllReduce(rewriter, scatter, gather, refusal);
  if (failed(merged))
    return fail(*this, refusal);
  results.set(cast<OpResult>(getAllReduce()), {*merged});
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure
coconet::ReorderOp::apply(transform::TransformRewriter &rewriter,
                          transform::TransformResults &results,
                          transform::TransformState &state) {
  AllGatherOp gather;
  if (auto diag = getSingle(*this, state, getAllGather(), gather);
      !diag.succeeded())
    return diag;
  auto ops = llvm::to_vector(state.getPayloadOps(getComputations()));
  Refusal refusal;
  if (auto send = ops.size() == 1 ? dyn_cast<SendOp>(ops[0]) : SendOp()) {
    FailureOr<AllGatherOp> after =
        reorderPastSend(rewriter, gather, send, refusal);
    if (failed(after))
      return fail(*this, refusal);
    results.set(cast<OpResult>(getSliced()), {send});
    results.set(cast<OpResult>(getGathers()), {*after});
    return DiagnosedSilenceableFailure::success();
  }
  FailureOr<ReorderedOps> reordered =
      reorderAllGather(rewriter, gather, ops, refusal);
  if (failed(reordered))
    return fail(*this, refusal);
  results.set(cast<OpResult>(getSliced()), reordered->computations);
  results.set(cast<OpResult>(getGathers()), reordered->gathers);
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure
coconet::SliceSendOp::apply(transform::TransformRewriter &rewriter,
                            transform::TransformResults &results,
                            transform::TransformState &state) {
  coconet::SendOp send;
  if (auto diag = getSingle(*this, state, getTarget(), send); !diag.succeeded())
    return diag;
  Refusal refusal;
  FailureOr<AllGatherOp> gather =
      sliceSend(rewriter, send, getDim(), axisList(getAxes()), refusal);
  if (failed(gather))
    return fail(*this, refusal);
  results.set(cast<OpResult>(getSend()), {send});
  results.set(cast<OpResult>(getAllGather()), {*gather});
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure
coconet::AsSliceOp::apply(transform::TransformRewriter &rewriter,
                          transform::TransformResults &,
                          transform::TransformState &state) {
  SmallVector<func::FuncOp> functions;
  for (Operation *root : state.getPayloadOps(getTarget()))
    root->walk([&](func::FuncOp function) {
      if (!function.isExternal())
        functions.push_back(function);
    });
  auto names = llvm::to_vector(getStates().getAsValueRange<StringAttr>());
  Refusal refusal;
  refusal.set(*this, "there is no function", "give a handle to one");
  if (functions.empty() ||
      failed(sliceStates(rewriter, functions, names, refusal)))
    return fail(*this, refusal);
  return DiagnosedSilenceableFailure::success();
}

/// The ops that any of the handles leads to.
static OpSet payloadOf(transform::TransformState &state, ValueRange handles) {
  OpSet ops;
  for (Value handle : handles)
    ops.insert_range(state.getPayloadOps(handle));
  return ops;
}

DiagnosedSilenceableFailure
coconet::FuseOp::apply(transform::TransformRewriter &rewriter,
                       transform::TransformResults &results,
                       transform::TransformState &state) {
  OpSet ops = payloadOf(state, getTargets());
  if (ops.empty())
    return emitSilenceableError() << "there is nothing to fuse";
  Refusal refusal;
  FailureOr<FusedOp> fused = fuseOps(rewriter, ops.getArrayRef(),
                                     getName().value_or(StringRef()), refusal);
  if (failed(fused))
    return fail(*this, refusal);
  results.set(cast<OpResult>(getFused()), {*fused});
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure
coconet::BucketOp::apply(transform::TransformRewriter &rewriter,
                         transform::TransformResults &results,
                         transform::TransformState &state) {
  OpSet ops = payloadOf(state, getTargets());
  if (ops.empty())
    return emitSilenceableError() << "there is nothing to put into a bucket";
  Refusal refusal;
  FailureOr<SmallVector<Operation *>> made =
      bucketCollectives(rewriter, ops.getArrayRef(),
                        getName().value_or(StringRef()), getBytes(), refusal);
  if (failed(made))
    return fail(*this, refusal);
  results.set(cast<OpResult>(getCollectives()), *made);
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure
coconet::OverlapStepOp::apply(transform::TransformRewriter &rewriter,
                              transform::TransformResults &results,
                              transform::TransformState &state) {
  OpSet ops = payloadOf(state, getTargets());
  if (ops.empty())
    return emitSilenceableError() << "there is nothing to overlap";
  Refusal refusal;
  FailureOr<SmallVector<OverlapOp>> overlaps =
      overlapOps(rewriter, ops.getArrayRef(), getChunks(), getDim(),
                 getName().value_or(StringRef()), refusal);
  if (failed(overlaps))
    return fail(*this, refusal);
  results.set(cast<OpResult>(getOverlap()), *overlaps);
  return DiagnosedSilenceableFailure::success();
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

#define CONSUMES_AND_PRODUCES(OP)                                              \
  void coconet::OP::getEffects(                                                \
      SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {               \
    transform::consumesHandle(getOperation()->getOpOperands(), effects);       \
    transform::producesHandle(getOperation()->getOpResults(), effects);        \
    transform::modifiesPayload(effects);                                       \
  }
CONSUMES_AND_PRODUCES(SplitOp)
CONSUMES_AND_PRODUCES(MergeOp)
CONSUMES_AND_PRODUCES(ReorderOp)
CONSUMES_AND_PRODUCES(SliceSendOp)
CONSUMES_AND_PRODUCES(FuseOp)
CONSUMES_AND_PRODUCES(OverlapStepOp)
CONSUMES_AND_PRODUCES(BucketOp)
#undef CONSUMES_AND_PRODUCES

void coconet::AsSliceOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::onlyReadsHandle(getTargetMutable(), effects);
  transform::modifiesPayload(effects);
}
