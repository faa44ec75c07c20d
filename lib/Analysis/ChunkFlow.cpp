//===- ChunkFlow.cpp - one dimension followed through ops -------------------===//

#include "Analysis/ChunkFlow.h"
#include "IR/OverlapOps.h"
#include "mlir/IR/AffineExpr.h"

using namespace mlir;
using namespace coconet;

namespace {

/// Dimensions of operands and result of one op that run together: equal
/// numbers, which mean nothing else. -1 is a dimension that goes with none.
struct Lanes {
  SmallVector<int64_t> result;
  SmallVector<SmallVector<int64_t>> operands;
};

class Follower {
public:
  Follower(const OpSet &ops, int64_t chunks, Refusal &refusal)
      : chunks(chunks), refusal(refusal) {
    for (Operation *op : ops)
      collect(op);
  }

  FailureOr<ChunkFlow> follow(Value result, int64_t dim);

private:
  void collect(Operation *op);
  LogicalResult setValue(Value value, int64_t dim, Operation *user);
  LogicalResult setLane(Operation *op, int64_t lane);
  FailureOr<Lanes> lanesOf(Operation *op);
  LogicalResult checkLayouts();
  LogicalResult checkDivision();
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
  DenseMap<Operation *, int64_t> laneOf;
  SmallVector<Operation *> worklist;
};

} // namespace

bool coconet::communicates(Operation *op) {
  return op->walk([](CollectiveOpInterface) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

std::optional<int64_t> ChunkFlow::numSlices() const {
  if (slices.empty())
    return 1;
  int64_t count = mesh.sizeOf(slices);
  return ShapedType::isDynamic(count) ? std::nullopt
                                      : std::optional<int64_t>(count);
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

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> lanesOfMap(AffineMap map) {
  SmallVector<int64_t> lanes;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    lanes.push_back(dim ? int64_t(dim.getPosition()) : -1);
  }
  return lanes;
}

/// Leading dimensions that a reshape leaves as they are. Two open sizes are the
/// same only where nothing else could differ.
static Lanes lanesOfReshape(ReshapeOp op) {
  ArrayRef<int64_t> from = op.getOperand().getType().getShape();
  ArrayRef<int64_t> to = op.getResult().getType().getShape();
  Lanes lanes{SmallVector<int64_t>(to.size(), -1),
              {SmallVector<int64_t>(from.size(), -1)}};
  for (size_t dim = 0; dim < std::min(from.size(), to.size()); ++dim) {
    if (from[dim] != to[dim] ||
        (ShapedType::isDynamic(from[dim]) && from != to))
      break;
    lanes.result[dim] = lanes.operands[0][dim] = dim;
  }
  return lanes;
}

FailureOr<Lanes> Follower::lanesOf(Operation *op) {
  if (auto iterated = dyn_cast<IterationOpInterface>(op)) {
    Iteration iteration = iterated.getIteration();
    Lanes lanes{lanesOfMap(iteration.resultMap), {}};
    for (AffineMap map : iteration.operandMaps)
      lanes.operands.push_back(lanesOfMap(map));
    return lanes;
  }
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return lanesOfReshape(reshape);
  bool flat =
      isa<ReduceScatterOp, AllGatherOp, ShardOp>(op) && !op->getAttr("dim");
  if (flat)
    return refuse(op, "it cuts or gathers the flattening",
                  "split along a dimension, which the chunks can follow");
  bool shaped = isa<AllReduceOp, ReduceScatterOp, AllGatherOp, AllToAllOp,
                    BroadcastOp, ShardOp, TransposeOp>(op);
  if (!shaped)
    return refuse(op, "chunks are not followed through it",
                  "overlap pointwise ops, products, reductions, transpose, "
                  "reshape, shard and collectives");
  auto rank = cast<RankedTensorType>(op->getOperand(0).getType()).getRank();
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  Lanes lanes{all, {all}};
  if (auto transpose = dyn_cast<TransposeOp>(op))
    lanes.result.assign(transpose.getPermutation().begin(),
                        transpose.getPermutation().end());
  return lanes;
}

//===----------------------------------------------------------------------===//
// Following
//===----------------------------------------------------------------------===//

LogicalResult Follower::setValue(Value value, int64_t dim, Operation *user) {
  auto [entry, fresh] = flow.dims.try_emplace(value, dim);
  if (!fresh && entry->second != dim)
    return refuse(user,
                  "the chunks reach it along dimensions " +
                      Twine(entry->second) + " and " + Twine(dim) +
                      " of one operand",
                  "chunk another dimension, or leave it out");
  if (!fresh)
    return success();
  Operation *producer = value.getDefiningOp();
  FailureOr<Lanes> lanes = lanesOf(producer);
  if (failed(lanes))
    return failure();
  int64_t lane = lanes->result[dim];
  if (lane < 0)
    return refuse(producer,
                  "dimension " + Twine(dim) +
                      " of its result is none of its operand",
                  "chunk another dimension, or leave it out");
  return setLane(producer, lane);
}

/// What the chunks of one op need of its operands and give to its users.
LogicalResult Follower::setLane(Operation *op, int64_t lane) {
  auto [entry, fresh] = laneOf.try_emplace(op, lane);
  if (fresh)
    worklist.push_back(op);
  if (entry->second == lane)
    return success();
  return refuse(op, "the chunks reach it along two of its dimensions",
                "chunk another dimension, or leave it out");
}

FailureOr<ChunkFlow> Follower::follow(Value result, int64_t dim) {
  Value first = inner(result);
  if (failed(setValue(first, dim, first.getDefiningOp())))
    return failure();
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    FailureOr<Lanes> lanes = lanesOf(op);
    if (failed(lanes))
      return failure();
    int64_t lane = laneOf[op];
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = inner(operand.get());
      ArrayRef<int64_t> along = lanes->operands[operand.getOperandNumber()];
      auto *found = llvm::find(along, lane);
      bool inside = leaves.contains(value.getDefiningOp());
      if (inside && found == along.end())
        return refuse(
            op, "a chunk of it needs all of " + describe(value.getDefiningOp()),
            "chunk another dimension, or leave it out");
      if (found == along.end())
        continue;
      if (!inside)
        flow.outside[&operand] = found - along.begin();
      else if (failed(setValue(value, found - along.begin(), op)))
        return failure();
    }
    auto *found = llvm::find(lanes->result, lane);
    if (found == lanes->result.end())
      return refuse(op, "the chunks would cut a dimension that it sums over",
                    "chunk a dimension that its result has");
    if (failed(setValue(op->getResult(0), found - lanes->result.begin(), op)))
      return failure();
    // Users name the value itself, or the result of its fused region.
    for (Operation *user : leaves) {
      if (laneOf.contains(user))
        continue;
      FailureOr<Lanes> theirs = failure();
      for (OpOperand &operand : user->getOpOperands()) {
        if (inner(operand.get()) != op->getResult(0))
          continue;
        if (failed(theirs))
          theirs = lanesOf(user);
        if (failed(theirs))
          return failure();
        int64_t at = theirs->operands[operand.getOperandNumber()]
                                     [flow.dims[op->getResult(0)]];
        if (at < 0)
          return refuse(user,
                        "dimension " + Twine(flow.dims[op->getResult(0)]) +
                            " of its operand is none of its result",
                        "chunk another dimension, or leave it out");
        if (failed(setLane(user, at)))
          return failure();
      }
    }
  }
  for (Operation *op : leaves)
    if (!laneOf.contains(op))
      return refuse(op, "it shares no value with the other ops",
                    "leave it out, or run it beside them with one chunk");
  if (failed(checkLayouts()) || failed(checkDivision()))
    return failure();
  return flow;
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
  for (Operation *op : leaves)
    if (failed(add(op, op->getResult(0), flow.dims[op->getResult(0)])))
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
            dim && dim.getInt() == laneOf[op])
          return refuse(op, "its groups cut or join the chunks' dimension",
                        "chunk another dimension");
  return success();
}

/// Chunk c of every rank's slice exists where the division is exact. Open sizes
/// are checked when they are known.
LogicalResult Follower::checkDivision() {
  std::optional<int64_t> slices = flow.numSlices();
  if (flow.slices.empty() || !slices)
    return success();
  for (Operation *op : leaves) {
    int64_t dim = flow.dims[op->getResult(0)];
    int64_t size =
        cast<RankedTensorType>(op->getResult(0).getType()).getDimSize(dim);
    int64_t base = flow.mesh.sizeOf(flow.base);
    if (ShapedType::isDynamic(size) || ShapedType::isDynamic(base) ||
        size % (base * *slices * chunks) == 0)
      continue;
    return refuse(op,
                  "dimension " + Twine(dim) + " of " + Twine(size) +
                      " elements, which is cut by " + formatAxes(flow.slices) +
                      ", does not divide into " + Twine(chunks) +
                      " chunks of each of " + Twine(base * *slices) + " slices",
                  "chunk another dimension, or choose a number of chunks that "
                  "divides the slices");
  }
  return success();
}

FailureOr<ChunkFlow> coconet::followChunks(const OpSet &ops, Value result,
                                           int64_t dim, int64_t chunks,
                                           Refusal &refusal) {
  return Follower(ops, chunks, refusal).follow(result, dim);
}
