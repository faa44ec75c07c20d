//===- ChunkFlow.cpp - one dimension followed through ops -------------------===//

#include "Analysis/ChunkFlow.h"
#include "IR/ChannelOps.h"
#include "IR/ListOps.h"
#include "IR/OverlapOps.h"

using namespace mlir;
using namespace coconet;

namespace {

class Follower {
public:
  Follower(const OpSet &ops, int64_t chunks, Refusal &refusal)
      : chunks(chunks), refusal(refusal) {
    for (Operation *op : ops)
      collect(op);
  }

  FailureOr<ChunkFlow> follow(ArrayRef<ChunkRoot> roots);

private:
  void collect(Operation *op);
  LogicalResult checkKinds();
  LogicalResult begin(Value value, int64_t dim);
  LogicalResult set(Value value, const ChunkDim &dim, Operation *user);
  LogicalResult visitOperands(Operation *op);
  LogicalResult visitUsers(Value value);
  bool isReached(Operation *op);
  bool isUsedOutside(Value value);
  LogicalResult checkMerged();
  LogicalResult checkLayouts();
  LogicalResult checkDivision();
  /// The ops that have a result: all but sends.
  auto makers() {
    return llvm::make_filter_range(
        leaves, [](Operation *op) { return op->getNumResults() == 1; });
  }
  /// The value of an inner op that a fused region gives.
  Value inner(Value value) { return aliases.lookup_or(value, value); }
  LogicalResult refuse(Operation *op, const Twine &message,
                       const Twine &remedy) {
    return refusal.set(op, "cannot overlap " + describe(op) + ": " + message,
                       remedy);
  }

  int64_t chunks;
  Refusal &refusal;
  ChunkFlow flow;
  /// The ops that compute, in order; those of fused regions among them.
  SetVector<Operation *> leaves;
  DenseMap<Value, Value> aliases;
  SmallVector<Value> worklist;
};

} // namespace

bool coconet::communicates(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<CollectiveOpInterface, SendOp, RecvOp>(inner)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

Value coconet::channelValue(Operation *end) {
  if (auto send = dyn_cast<SendOp>(end))
    return send.getOperand();
  return cast<RecvOp>(end).getResult();
}

SmallVector<Operation *> coconet::findChannelEnds(const OpSet &ops) {
  SmallVector<Operation *> ends;
  for (Operation *op : ops)
    op->walk([&](Operation *inner) {
      if (isa<SendOp, RecvOp>(inner))
        ends.push_back(inner);
    });
  return ends;
}

/// The value of an inner op that a fused region gives.
Value coconet::innermost(Value value) {
  while (auto fused = value.getDefiningOp<FusedOp>())
    value = fused.getBody().front().getTerminator()->getOperand(
        cast<OpResult>(value).getResultNumber());
  return value;
}

/// The first value that an op of the set makes, and none that a region of it
/// only hands on; else what is sent first.
static Value findChunked(const OpSet &ops, ValueRange values) {
  Block *block = ops.front()->getBlock();
  for (Value value : values)
    if (Operation *maker = innermost(value).getDefiningOp();
        maker && ops.contains(block->findAncestorOpInBlock(*maker)))
      return value;
  SmallVector<Operation *> ends = findChannelEnds(ops);
  return ends.empty() ? Value() : channelValue(ends.front());
}

Value coconet::findChunked(const OpSet &ops) {
  return ::findChunked(ops, findLiveOuts(ops));
}

std::optional<int64_t> ChunkFlow::numSlices() const {
  if (slices.empty())
    return 1;
  int64_t count = mesh.sizeOf(slices);
  return ShapedType::isDynamic(count) ? std::nullopt
                                      : std::optional<int64_t>(count);
}

std::optional<int64_t> ChunkFlow::dimOf(Value value) const {
  if (auto found = dims.find(innermost(value)); found != dims.end())
    return found->second.dim;
  for (auto [operand, dim] : outside)
    if (operand->get() == value)
      return dim;
  return std::nullopt;
}

bool ChunkFlow::isSliced(Value value, int64_t dim) const {
  return !slices.empty() &&
         Layout::of(value).dims[dim].size() == base.size() + slices.size();
}

void Follower::collect(Operation *op) {
  auto fused = dyn_cast<FusedOp>(op);
  if (!fused) {
    leaves.insert(op);
    return;
  }
  Block &body = fused.getBody().front();
  for (Operation &nested : body.without_terminator())
    leaves.insert(&nested);
  for (auto [result, yielded] :
       llvm::zip(fused.getResults(), body.getTerminator()->getOperands()))
    aliases[result] = yielded;
}

LogicalResult Follower::checkKinds() {
  for (Operation *op : leaves) {
    if (isa<ReduceScatterOp, AllGatherOp, ShardOp>(op) && !op->getAttr("dim"))
      return refuse(op, "it cuts or gathers the flattening",
                    "split along a dimension, which the chunks can follow");
    if (!isa<IterationOpInterface, AllReduceOp, ReduceScatterOp, AllGatherOp,
             AllToAllOp, BroadcastOp, ShardOp, TransposeOp, ReshapeOp, SendOp,
             RecvOp>(op))
      return refuse(op, "chunks are not followed through it",
                    "overlap pointwise ops, products, reductions, transpose, "
                    "reshape, shard, collectives, sends and receives");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Following
//===----------------------------------------------------------------------===//

/// Chunks of a value that one of the ops makes, or that some of them send.
LogicalResult Follower::begin(Value value, int64_t dim) {
  if (Operation *producer = value.getDefiningOp();
      producer && leaves.contains(producer))
    return set(value, ChunkDim{dim, {}, 0}, producer);
  for (Operation *op : leaves)
    if (isa<SendOp>(op) && op->getOperand(0) == value)
      flow.outside[&op->getOpOperand(0)] = dim;
  return success();
}

LogicalResult Follower::set(Value value, const ChunkDim &dim, Operation *user) {
  auto [entry, fresh] = flow.dims.try_emplace(value, dim);
  if (fresh)
    worklist.push_back(value);
  if (entry->second == dim)
    return success();
  return refuse(user,
                "the chunks reach " + describe(value.getDefiningOp()) +
                    " along two of its dimensions",
                "chunk another dimension, or leave it out");
}

/// What a chunk of the op's result needs of its operands.
LogicalResult Follower::visitOperands(Operation *op) {
  ChunkDim dim = flow.dims[op->getResult(0)];
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = inner(operand.get());
    std::optional<ChunkDim> theirs = convertChunkDim(
        op, operand.getOperandNumber(), dim, /*toOperand=*/true);
    if (leaves.contains(value.getDefiningOp())) {
      if (!theirs)
        return refuse(
            op, "a chunk of it needs all of " + describe(value.getDefiningOp()),
            "chunk another dimension, or leave it out");
      if (failed(set(value, *theirs, op)))
        return failure();
    } else if (theirs) {
      flow.outside[&operand] = theirs->dim;
      if (!theirs->merged.empty())
        return refuse(op,
                      "the chunks are no slices of its operand, whose "
                      "dimension a reshape has merged",
                      "chunk another dimension, or leave it out");
    } else if (isa<ReshapeOp>(op)) {
      return refuse(op, "the chunks are no slices of its operand",
                    "chunk another dimension, or leave it out");
    }
  }
  return success();
}

/// What the chunks of a value give to the ops that use it.
LogicalResult Follower::visitUsers(Value value) {
  for (Operation *user : leaves)
    for (OpOperand &operand : user->getOpOperands()) {
      if (inner(operand.get()) != value || isa<SendOp>(user))
        continue;
      std::optional<ChunkDim> theirs =
          convertChunkDim(user, operand.getOperandNumber(), flow.dims[value],
                          /*toOperand=*/false);
      if (!theirs)
        return refuse(user,
                      "dimension " + Twine(flow.dims[value].dim) +
                          " of its operand is none of its result",
                      "chunk another dimension, or leave it out");
      if (failed(set(user->getResult(0), *theirs, user)))
        return failure();
    }
  return success();
}

bool Follower::isReached(Operation *op) {
  if (!isa<SendOp>(op))
    return flow.dims.contains(op->getResult(0));
  OpOperand &sent = op->getOpOperand(0);
  return flow.dims.contains(inner(sent.get())) || flow.outside.contains(&sent);
}

FailureOr<ChunkFlow> Follower::follow(ArrayRef<ChunkRoot> roots) {
  if (failed(checkKinds()))
    return failure();
  for (auto [value, dim] : roots)
    if (failed(begin(inner(value), dim)))
      return failure();
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (failed(visitOperands(value.getDefiningOp())) ||
        failed(visitUsers(value)))
      return failure();
  }
  for (Operation *op : leaves)
    if (!isReached(op))
      return refuse(op, "it shares no value with the other ops",
                    "leave it out, or run it beside them with one chunk");
  if (failed(checkMerged()) || failed(checkLayouts()) ||
      failed(checkDivision()))
    return failure();
  return flow;
}

/// Whether something else than the ops uses the value, or the result that a
/// fused region makes of it.
bool Follower::isUsedOutside(Value value) {
  return llvm::any_of(value.getUses(), [&](OpOperand &use) {
    if (isa<SendOp>(use.getOwner()))
      return true;
    auto fused = dyn_cast<FusedOp>(use.getOwner()->getParentOp());
    if (fused && isa<YieldOp>(use.getOwner()))
      return isUsedOutside(fused.getResult(use.getOperandNumber()));
    return !leaves.contains(use.getOwner());
  });
}

/// Values with a merged dimension stay inside, and are not cut.
LogicalResult Follower::checkMerged() {
  for (Operation *op : makers()) {
    Value value = op->getResult(0);
    const ChunkDim &dim = flow.dims[value];
    if (dim.merged.empty())
      continue;
    if (isUsedOutside(value) || !Layout::of(value).dims[dim.dim].empty())
      return refuse(op,
                    "the chunks are no slices of its result, whose dimension a "
                    "reshape has merged",
                    "add the reshape that splits it, or leave it out");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Cuts
//===----------------------------------------------------------------------===//

/// Find the cuts that stay and the one that comes or goes.
LogicalResult Follower::checkLayouts() {
  SmallVector<std::pair<Operation *, AxisList>> cuts;
  auto add = [&](Operation *op, Value value, int64_t dim) {
    Layout layout = Layout::of(value);
    if (layout.mesh)
      flow.mesh = layout.mesh;
    if (!layout.flat.empty())
      return refuse(op, "it has a value that is cut flat",
                    "cut along a dimension, which the chunks can follow");
    cuts.emplace_back(op, layout.dims[dim]);
    return success();
  };
  for (Operation *op : makers())
    if (const ChunkDim &dim = flow.dims[op->getResult(0)]; dim.merged.empty())
      if (failed(add(op, op->getResult(0), dim.dim)))
        return failure();
  for (auto [operand, dim] : flow.outside)
    if (failed(add(operand->getOwner(), operand->get(), dim)))
      return failure();
  flow.base = cuts.front().second;
  for (auto &[op, axes] : cuts) {
    size_t common = 0;
    while (common < std::min(flow.base.size(), axes.size()) &&
           flow.base[common] == axes[common])
      ++common;
    flow.base.truncate(common);
  }
  for (auto &[op, axes] : cuts) {
    AxisList rest(ArrayRef<StringAttr>(axes).drop_front(flow.base.size()));
    if (flow.slices.empty())
      flow.slices = rest;
    if (!rest.empty() && rest != flow.slices)
      return refuse(op,
                    "the chunks' dimension is cut by " +
                        formatAxes(flow.slices) + " and by " + formatAxes(rest),
                    "chunk another dimension");
  }
  for (Operation *op : leaves)
    if (auto collective = dyn_cast<CollectiveOpInterface>(op);
        collective && collective.getGroupLists() && !isa<AllReduceOp>(op) &&
        !isa<BroadcastOp>(op))
      for (StringRef name : {"dim", "from_dim", "into_dim"})
        if (auto dim = op->getAttrOfType<IntegerAttr>(name);
            dim && dim.getInt() == flow.dims[op->getResult(0)].dim)
          return refuse(op, "its groups cut or join the chunks' dimension",
                        "chunk another dimension");
  return success();
}

/// The sizes that dimension `dim` of what the op makes has: one, or one for each
/// tensor of a list.
static SmallVector<int64_t> sizesOf(Operation *op, int64_t dim) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto list = op->getParentOfType<ForEachOp>();
  if (!list || !type.isDynamicDim(dim))
    return {type.getDimSize(dim)};
  SmallVector<int64_t> sizes;
  for (Value tensor : list.operandsOf(0))
    if (auto whole = dyn_cast<RankedTensorType>(tensor.getType());
        whole && whole.hasStaticShape())
      sizes.push_back(whole.getNumElements());
  return sizes;
}

/// Chunk c of every rank's slice exists where the division is exact. Open sizes
/// are checked when they are known.
LogicalResult Follower::checkDivision() {
  std::optional<int64_t> slices = flow.numSlices();
  if (flow.slices.empty() || !slices)
    return success();
  for (Operation *op : makers()) {
    if (!flow.dims[op->getResult(0)].merged.empty())
      continue;
    int64_t dim = flow.dims[op->getResult(0)].dim;
    int64_t base = flow.mesh.sizeOf(flow.base);
    SmallVector<int64_t> sizes = sizesOf(op, dim);
    auto *wrong = llvm::find_if(sizes, [&](int64_t size) {
      return !ShapedType::isDynamic(size) && !ShapedType::isDynamic(base) &&
             size % (base * *slices * chunks) != 0;
    });
    if (wrong == sizes.end())
      continue;
    return refuse(op,
                  "dimension " + Twine(dim) + " of " + Twine(*wrong) +
                      " elements, which is cut by " + formatAxes(flow.slices) +
                      ", does not divide into " + Twine(chunks) +
                      " chunks of each of " + Twine(base * *slices) + " slices",
                  "chunk another dimension, or choose a number of chunks that "
                  "divides the slices");
  }
  return success();
}

FailureOr<ChunkFlow> coconet::followChunks(const OpSet &ops,
                                           ArrayRef<ChunkRoot> roots,
                                           int64_t chunks, Refusal &refusal) {
  return Follower(ops, chunks, refusal).follow(roots);
}

FailureOr<ChunkFlow> coconet::followChunks(OverlapOp overlap,
                                           Refusal &refusal) {
  Block &body = overlap.getBody().front();
  OpSet ops;
  for (Operation &op : body.without_terminator())
    ops.insert(&op);
  Value first = ::findChunked(ops, body.getTerminator()->getOperands());
  if (!first)
    return refusal.set(overlap,
                       describe(overlap) + " gives values from outside only",
                       "let it yield what its ops compute");
  int64_t rank = cast<RankedTensorType>(first.getType()).getRank();
  if (int64_t(overlap.getDim()) >= rank)
    return refusal.set(overlap,
                       describe(overlap) + " lies along dimension " +
                           Twine(overlap.getDim()) + " of a value of rank " +
                           Twine(rank),
                       "name a dimension of the first result");
  return followChunks(ops, ChunkRoot(first, overlap.getDim()),
                      overlap.getChunks(), refusal);
}
