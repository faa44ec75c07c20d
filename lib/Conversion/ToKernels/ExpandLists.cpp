//===- ExpandLists.cpp - operations on lists as kernels over lists ----------===//
//
// A region over lists becomes one kernel for each of its ops (a fused region
// counts as one), over all tensors at once. Ops without such a kernel are
// written once for each tensor.
//
//===----------------------------------------------------------------------===//

#include "Conversion/ToKernels/KernelBuilder.h"
#include "IR/ListOps.h"
#include "IR/RankOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace coconet;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

namespace {

/// Ops that one kernel carries out for each tensor of the lists.
struct ListUnit {
  Operation *source;
  SmallVector<Operation *> ops;
  /// What is computed, and the values of the region that it is.
  SmallVector<Value> outputs, results;
  std::optional<Group> group;
};

class ListExpander {
public:
  explicit ListExpander(ForEachOp op)
      : op(op), builder(op), m(builder, op.getLoc()), count(op.getCount()) {}

  LogicalResult expand();

private:
  bool isCommon(Operation *inner);
  std::optional<ListUnit> findUnit(Operation *inner);
  LogicalResult buildKernel(const ListUnit &unit);
  void buildCollective(Operation *inner);
  void unroll(Operation *inner);

  /// The tensors that a value of the region stands for, one a position.
  SmallVector<Value> listOf(Value value);
  /// The same as values of the region's type.
  Value valueAt(Value value, int64_t position);
  Value convert(Value value, RankedTensorType type);
  /// Tensors that a kernel writes: those of the states that they become.
  SmallVector<Value> makeInits(Value result, const std::optional<Group> &group,
                               bool whole);
  void finishKernel(Operation *source, ListKernelOp kernel,
                    ArrayRef<Value> results);
  ListKernelOp createKernel(Operation *source, ArrayRef<Value> inputs,
                            ArrayRef<Value> scalars, ArrayRef<Value> inits,
                            ArrayRef<Attribute> accesses,
                            ArrayRef<Attribute> reductions,
                            const std::optional<Group> &group,
                            IntegerAttr root = {});

  ForEachOp op;
  OpBuilder builder;
  IndexMath m;
  int64_t count;
  llvm::DenseMap<Value, SmallVector<Value>> lists;
  /// Values of the region that are the same at all positions.
  IRMapping common;
};

} // namespace

//===----------------------------------------------------------------------===//
// What becomes a kernel
//===----------------------------------------------------------------------===//

/// Nothing in the op depends on the position.
bool ListExpander::isCommon(Operation *inner) {
  return inner->getNumRegions() == 0 &&
         llvm::all_of(inner->getOperands(), [&](Value operand) {
           return !op.getBody().isAncestor(operand.getParentRegion()) ||
                  common.contains(operand);
         });
}

/// Travels in another type, or in another way, than kernels over lists know.
static bool isSpecial(Operation *inner) {
  return inner->hasAttr(wireTypeAttr) || inner->hasAttr(algorithmAttr);
}

/// Evaluated from the elements of one place alone.
static bool isPointwise(Operation *inner) {
  auto iterated = dyn_cast<IterationOpInterface>(inner);
  return iterated && iterated.isPointwise() &&
         typeOf(inner->getResult(0)).getRank() <= 1;
}

/// Computed from what the region communicates or slices.
static bool isCommunicated(Value value, Block *block) {
  Operation *inner = value.getDefiningOp();
  if (!inner || inner->getBlock() != block)
    return false;
  return isa<RankReduceScatterOp, RankAllGatherOp, RankShardOp>(inner) ||
         llvm::any_of(inner->getOperands(), [&](Value operand) {
           return isCommunicated(operand, block);
         });
}

static std::optional<ListUnit> unitOf(FusedOp fused) {
  Block &block = fused.getBody().front();
  ListUnit unit{
      fused, {}, {}, llvm::to_vector_of<Value>(fused.getResults()), {}};
  unit.outputs = llvm::to_vector(block.getTerminator()->getOperands());
  for (Operation &inner : block.without_terminator()) {
    if (isSpecial(&inner))
      return std::nullopt;
    unit.ops.push_back(&inner);
    if (isa<RankReduceScatterOp, RankAllGatherOp>(inner)) {
      unit.group = groupOf(cast<CollectiveOpInterface>(inner));
      continue;
    }
    if (!isPointwise(&inner) && !isa<RankShardOp, ConstantOp>(inner))
      return std::nullopt;
  }
  if (unit.outputs.empty() || isSpecial(fused) ||
      (unit.group && unit.group->groups))
    return std::nullopt;
  for (Value output : unit.outputs)
    if ((unit.group && !isCommunicated(output, &block)) ||
        typeOf(output).getRank() != typeOf(unit.outputs.front()).getRank())
      return std::nullopt;
  return unit;
}

std::optional<ListUnit> ListExpander::findUnit(Operation *inner) {
  if (auto fused = dyn_cast<FusedOp>(inner))
    return unitOf(fused);
  if (isSpecial(inner) || inner->getNumResults() != 1)
    return std::nullopt;
  ListUnit unit{
      inner, {inner}, {inner->getResult(0)}, {inner->getResult(0)}, {}};
  if (isPointwise(inner))
    return unit;
  if (isa<RankReduceScatterOp, RankAllGatherOp>(inner)) {
    unit.group = groupOf(cast<CollectiveOpInterface>(inner));
    if (!unit.group->groups && typeOf(inner->getResult(0)).getRank() == 1)
      return unit;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value ListExpander::convert(Value value, RankedTensorType type) {
  if (value.getType() == type)
    return value;
  Location loc = value.getLoc();
  if (typeOf(value).getRank() == 1 && type.getRank() == 1)
    return tensor::CastOp::create(builder, loc, type, value);
  SmallVector<Value> sizes;
  if (!type.hasStaticShape())
    sizes.push_back(m.value(m.product(m.dims(value))));
  return RankReshapeOp::create(builder, loc, type, value, sizes);
}

SmallVector<Value> ListExpander::listOf(Value value) {
  if (auto found = lists.find(value); found != lists.end())
    return found->second;
  // A slice that no kernel has taken from the whole tensor itself.
  if (auto shard = value.getDefiningOp<RankShardOp>();
      shard && op.getBody().isAncestor(value.getParentRegion()) &&
      !common.contains(value)) {
    unroll(shard);
    return lists[value];
  }
  return SmallVector<Value>(count, common.lookupOrDefault(value));
}

Value ListExpander::valueAt(Value value, int64_t position) {
  Value found = listOf(value)[position];
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? convert(found, type) : found;
}

/// One copy of the op for each position.
void ListExpander::unroll(Operation *inner) {
  llvm::SetVector<Value> used;
  inner->walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (op.getBody().isAncestor(operand.getParentRegion()) &&
          !inner->isAncestor(operand.getParentBlock()->getParentOp()) &&
          !common.contains(operand))
        used.insert(operand);
  });
  for (Value value : used)
    listOf(value);
  SmallVector<SmallVector<Value>> made(inner->getNumResults());
  for (int64_t position = 0; position < count; ++position) {
    IRMapping mapping = common;
    for (Value value : used)
      mapping.map(value, valueAt(value, position));
    Operation *copy = builder.clone(*inner, mapping);
    for (auto [list, result] : llvm::zip(made, copy->getResults()))
      list.push_back(result);
  }
  for (auto [result, list] : llvm::zip(inner->getResults(), made))
    lists[result] = list;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

SmallVector<Value> ListExpander::makeInits(Value result,
                                           const std::optional<Group> &group,
                                           bool whole) {
  Location loc = op.getLoc();
  YieldOp yield = op.getYield();
  auto found = llvm::find(yield.getOperands(), result);
  bool yielded = found != yield.getOperands().end();
  SmallVector<Value> inits;
  for (int64_t position = 0; position < count; ++position) {
    RankedTensorType type = typeOf(result);
    Value target;
    if (yielded) {
      target = op.resultsOf(found - yield.getOperands().begin())[position];
      type = typeOf(target);
    }
    SmallVector<OpFoldResult> sizes;
    if (!type.hasStaticShape()) {
      OpFoldResult size = getAsOpFoldResult(op.operandsOf(0)[position]);
      sizes = {whole || !group ? size
                               : chunkOf(builder, loc, *group, size).length};
    }
    if (target) {
      inits.push_back(makeInit(builder, target, sizes));
      continue;
    }
    SmallVector<Value> open;
    for (OpFoldResult size : sizes)
      open.push_back(m.value(size));
    inits.push_back(tensor::EmptyOp::create(builder, loc, type, open));
  }
  return inits;
}

ListKernelOp ListExpander::createKernel(
    Operation *source, ArrayRef<Value> inputs, ArrayRef<Value> scalars,
    ArrayRef<Value> inits, ArrayRef<Attribute> accesses,
    ArrayRef<Attribute> reductions, const std::optional<Group> &group,
    IntegerAttr root) {
  auto kernel = ListKernelOp::create(
      builder, source->getLoc(), TypeRange(ValueRange(inits)), count, inputs,
      scalars, inits, builder.getArrayAttr(accesses),
      builder.getArrayAttr(reductions), root, group ? group->mesh : MeshAttr(),
      group ? group->axes : ArrayAttr(), group ? group->groups : ArrayAttr());
  kernel->setDiscardableAttrs(source->getDiscardableAttrDictionary());
  Block &block = kernel.getBody().emplaceBlock();
  for (size_t i = 0; i < inputs.size(); i += count)
    block.addArgument(typeOf(inputs[i]).getElementType(), source->getLoc());
  for (Value scalar : scalars)
    block.addArgument(typeOf(scalar).getElementType(), source->getLoc());
  return kernel;
}

/// The region's values are the kernel's results, list by list.
void ListExpander::finishKernel(Operation *, ListKernelOp kernel,
                                ArrayRef<Value> results) {
  for (auto [index, result] : llvm::enumerate(results))
    lists[result] = llvm::to_vector_of<Value>(
        kernel.getResults().slice(index * count, count));
}

LogicalResult ListExpander::buildKernel(const ListUnit &unit) {
  ElementwiseGroup group(unit.ops, unit.outputs);
  if (failed(unit.group ? group.analyze(*unit.group, 0) : group.analyze()))
    return failure();
  MLIRContext *context = builder.getContext();
  SmallVector<Value> inputs, scalars, inits;
  SmallVector<Attribute> accesses, reductions;
  // Of each leaf, the place among the lists or among the scalars.
  SmallVector<std::pair<bool, unsigned>> places;
  for (const Leaf &leaf : group.leaves) {
    bool fixed =
        llvm::none_of(leaf.map.getResults(), llvm::IsaPred<AffineDimExpr>);
    bool outside = !op.getBody().isAncestor(Value(leaf.tensor).getParentRegion()) ||
                   common.contains(leaf.tensor);
    places.push_back({outside, outside ? scalars.size() : accesses.size()});
    if (outside) {
      scalars.push_back(common.lookupOrDefault(leaf.tensor));
      continue;
    }
    inputs.append(listOf(leaf.tensor));
    Access access = fixed                           ? Access::shared
                    : leaf.access == Access::shared ? Access::chunk
                                                    : leaf.access;
    accesses.push_back(AccessAttr::get(context, access));
    if (leaf.reduction)
      reductions.push_back(ReductionAttr::get(context, *leaf.reduction));
  }
  unsigned numLists = accesses.size();
  for (auto [output, result] : llvm::zip(unit.outputs, unit.results)) {
    bool whole = isa_and_nonnull<RankAllGatherOp>(output.getDefiningOp());
    inits.append(makeInits(result, unit.group, whole));
    accesses.push_back(
        AccessAttr::get(context, whole ? Access::gather : Access::chunk));
  }
  ListKernelOp kernel = createKernel(unit.source, inputs, scalars, inits,
                                     accesses, reductions, unit.group);
  Block &block = kernel.getBody().front();
  SmallVector<Value> elements;
  for (auto [outside, place] : places)
    elements.push_back(block.getArgument(outside ? numLists + place : place));
  OpBuilder body = OpBuilder::atBlockEnd(&block);
  auto noIndex = [](int64_t) -> Value {
    llvm_unreachable("ops of a unit do not ask where they are");
  };
  YieldOp::create(body, unit.source->getLoc(),
                  group.evaluate(body, elements, noIndex));
  finishKernel(unit.source, kernel, unit.results);
  return success();
}

/// all_reduce and broadcast, of scalars too.
void ListExpander::buildCollective(Operation *inner) {
  MLIRContext *context = builder.getContext();
  Value result = inner->getResult(0);
  Group group = groupOf(cast<CollectiveOpInterface>(inner));
  SmallVector<Attribute> accesses, reductions;
  IntegerAttr root;
  if (auto reduce = dyn_cast<RankAllReduceOp>(inner)) {
    accesses = {AccessAttr::get(context, Access::reduce),
                AccessAttr::get(context, Access::gather)};
    reductions = {reduce.getReductionAttr()};
  } else {
    accesses.assign(2, AccessAttr::get(context, Access::chunk));
    root = cast<RankBroadcastOp>(inner).getRootAttr();
  }
  SmallVector<Value> inits = makeInits(result, group, /*whole=*/true);
  ListKernelOp kernel = createKernel(inner, listOf(inner->getOperand(0)), {},
                                     inits, accesses, reductions, group, root);
  Block &block = kernel.getBody().front();
  OpBuilder body = OpBuilder::atBlockEnd(&block);
  YieldOp::create(body, inner->getLoc(), block.getArgument(0));
  finishKernel(inner, kernel, result);
}

LogicalResult ListExpander::expand() {
  for (unsigned list = 0; list < op.getBody().getNumArguments(); ++list)
    lists[op.argumentOf(list)] = llvm::to_vector(op.operandsOf(list));
  for (Operation &inner : op.getBody().front().without_terminator()) {
    if (isCommon(&inner)) {
      builder.clone(inner, common);
    } else if (isa<RankAllReduceOp, RankBroadcastOp>(inner) &&
               !isSpecial(&inner) &&
               typeOf(inner.getResult(0)).getRank() <= 1) {
      buildCollective(&inner);
    } else if (std::optional<ListUnit> unit = findUnit(&inner)) {
      if (failed(buildKernel(*unit)))
        return failure();
    } else if (!isa<RankShardOp>(inner)) { // Those are taken where needed.
      unroll(&inner);
    }
  }
  for (auto [list, value] : llvm::enumerate(op.getYield().getOperands())) {
    SmallVector<Value> values = listOf(value);
    for (auto [result, made] : llvm::zip(op.resultsOf(list), values))
      result.replaceAllUsesWith(convert(made, typeOf(result)));
  }
  op.erase();
  return success();
}

LogicalResult coconet::expandLists(func::FuncOp function) {
  for (ForEachOp op : llvm::to_vector(function.getBody().getOps<ForEachOp>()))
    if (failed(ListExpander(op).expand()))
      return failure();
  return success();
}
