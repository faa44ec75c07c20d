//===- ListKernels.cpp - kernels over lists ---------------------------------===//

#include "Conversion/ToKernels/ExpandLists.h"
#include "IR/NeuralOps.h"
#include "IR/RankOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace coconet;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// What becomes a kernel
//===----------------------------------------------------------------------===//

/// Travels in another type, or in another way, than kernels over lists know.
static bool isSpecial(Operation *inner) {
  return inner->hasAttr(wireTypeAttr) || inner->hasAttr(algorithmAttr);
}

/// Evaluated from the elements of one place alone.
static bool isPointwise(Operation *inner) {
  auto iterated = dyn_cast<IterationOpInterface>(inner);
  return iterated && iterated.isPointwise() && !isa<PadOp>(inner) &&
         typeOf(inner->getResult(0)).getRank() <= 1;
}

/// Elements of a chunk: computed from what the region communicates or slices.
static bool isCommunicated(Value value, Block *block) {
  Operation *inner = value.getDefiningOp();
  if (!inner || inner->getBlock() != block || typeOf(value).getRank() == 0)
    return false;
  return isa<RankReduceScatterOp, RankAllGatherOp, RankShardOp>(inner) ||
         llvm::any_of(inner->getOperands(), [&](Value operand) {
           return isCommunicated(operand, block);
         });
}

/// A reduction of a whole flattening to one element.
static bool isFold(Operation *inner) {
  auto reduce = dyn_cast<ReduceOp>(inner);
  return reduce && reduce.getKind() != ReduceKind::mean &&
         reduce.getType().getRank() == 0 &&
         typeOf(reduce.getOperand()).getRank() == 1;
}

/// A pointwise op whose value only reductions to one element want: it is
/// computed on the way in their kernels.
static bool feedsFolds(Operation *inner) {
  return isPointwise(inner) && typeOf(inner->getResult(0)).getRank() == 1 &&
         !inner->use_empty() &&
         llvm::all_of(inner->getUsers(), [&](Operation *user) {
           return user->getBlock() == inner->getBlock() &&
                  (isFold(user) || feedsFolds(user));
         });
}

/// Takes no kernel of its own: it says which elements of a tensor are meant.
static bool isView(Operation *inner) {
  return isa<RankShardOp, ConstantOp>(inner);
}

std::optional<FusedPhases> ListExpander::findPhases(FusedOp fused) {
  if (isSpecial(fused))
    return std::nullopt;
  FusedPhases phases;
  Operation *chain = nullptr;
  for (Operation &inner : fused.getBody().front().without_terminator()) {
    bool reducesScalar = isa<RankAllReduceOp>(inner) &&
                         typeOf(inner.getResult(0)).getRank() == 0;
    bool cuts = isa<RankReduceScatterOp, RankAllGatherOp, RankShardOp>(inner);
    if (isSpecial(&inner) || (!reducesScalar && !cuts && !isView(&inner) &&
                              !isFold(&inner) && !isPointwise(&inner)))
      return std::nullopt;
    if (cuts && (!chain || isa<RankReduceScatterOp>(inner)))
      chain = &inner;
    unsigned phase = 0;
    for (Value operand : inner.getOperands())
      if (Operation *producer = operand.getDefiningOp();
          producer && producer->getBlock() == inner.getBlock()) {
        // What is folded, or computed to be reduced, is there in the next phase.
        bool isNext = isFold(producer) ||
                      (reducesScalar && !isa<RankAllReduceOp>(producer));
        phase = std::max(phase, phases.of[producer] + isNext);
      }
    phases.of[&inner] = phase;
    phases.count = std::max(phases.count, phase + 1);
  }
  if (!chain)
    return phases;
  phases.group = Group{chain->getAttrOfType<MeshAttr>("mesh"),
                       chain->getAttrOfType<ArrayAttr>("axes"),
                       chain->getAttrOfType<ArrayAttr>("groups")};
  if (phases.group->groups)
    return std::nullopt;
  return phases;
}

std::optional<ListUnit> ListExpander::findUnit(Operation *inner) {
  if (isSpecial(inner) || inner->getNumResults() != 1)
    return std::nullopt;
  ListUnit unit{
      inner, {inner}, {inner->getResult(0)}, {inner->getResult(0)}, {}};
  if (isFold(inner)) {
    unit.ops.clear();
    for (Operation &other : *inner->getBlock())
      if (&other == inner || feedsFolds(&other))
        unit.ops.push_back(&other);
    return unit;
  }
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
// Kernels
//===----------------------------------------------------------------------===//

OpFoldResult ListExpander::partSize(const ListUnit &unit, ArrayRef<Leaf> leaves,
                                    int64_t position) {
  for (const Leaf &leaf : leaves)
    if (leaf.map.getNumResults() && isa<AffineDimExpr>(leaf.map.getResult(0)) &&
        (!unit.group || leaf.access == Access::chunk))
      return m.product(m.dims(listOf(leaf.tensor)[position]));
  OpFoldResult whole = wholeSize(position);
  return unit.group ? chunkOf(builder, op.getLoc(), *unit.group, whole).length
                    : whole;
}

SmallVector<Value>
ListExpander::makeInits(Value result,
                        function_ref<OpFoldResult(int64_t)> sizeAt) {
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
    if (!type.hasStaticShape())
      sizes = {sizeAt(position)};
    if (target && findDestination(target)) {
      inits.push_back(makeInit(builder, target, sizes));
      continue;
    }
    // Results of several dimensions get their sizes in the end.
    if (type.getRank() > 1 && !type.hasStaticShape())
      type = flattenedType(type);
    SmallVector<Value> open;
    for (OpFoldResult size : sizes)
      open.push_back(m.value(size));
    inits.push_back(tensor::EmptyOp::create(builder, op.getLoc(), type, open));
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
void ListExpander::finishKernel(ListKernelOp kernel, ArrayRef<Value> results) {
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
    bool outside =
        !op.getBody().isAncestor(Value(leaf.tensor).getParentRegion()) ||
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
    if (auto reduce = output.getDefiningOp<ReduceOp>()) {
      inits.append(makeInits(result, {}));
      accesses.push_back(AccessAttr::get(context, Access::fold));
      reductions.push_back(
          ReductionAttr::get(context, *reduce.getIteration().combining));
      continue;
    }
    bool whole = isa_and_nonnull<RankAllGatherOp>(output.getDefiningOp());
    inits.append(makeInits(result, [&](int64_t position) {
      return whole ? wholeSize(position)
                   : partSize(unit, group.leaves, position);
    }));
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
  finishKernel(kernel, unit.results);
  return success();
}

//===----------------------------------------------------------------------===//
// Fused regions
//===----------------------------------------------------------------------===//

/// The kernels of one phase: of the chunks, of whole tensors, and of scalars.
LogicalResult ListExpander::buildPhase(FusedOp fused, FusedPhases &phases,
                                       unsigned phase) {
  Block &block = fused.getBody().front();
  Operation *end = block.getTerminator();
  ListUnit chunks{fused, {}, {}, {}, phases.group};
  ListUnit whole{fused, {}, {}, {}, {}}, single = whole;
  SmallVector<Operation *> ops;
  for (Operation &inner : block.without_terminator()) {
    Value value = inner.getResult(0);
    bool scalar = typeOf(value).getRank() == 0;
    bool own = phases.of[&inner] == phase && !isa<RankAllReduceOp>(inner);
    // Slices are taken, and scalars computed, anew in later phases.
    if (own || (phases.of[&inner] < phase && !isa<RankAllReduceOp>(inner) &&
                !isFold(&inner) && (scalar || isView(&inner))))
      ops.push_back(&inner);
    auto yielded = llvm::find(end->getOperands(), value);
    bool isYielded = yielded != end->getOperands().end();
    bool isLater = !isa<RankAllGatherOp>(inner) &&
                   llvm::any_of(inner.getUsers(), [&](Operation *user) {
                     return user != end && phases.of[user] > phase &&
                            (!scalar || isa<RankAllReduceOp>(user));
                   });
    if (!own || isView(&inner) || !(isFold(&inner) || isYielded || isLater))
      continue;
    bool ofChunk =
        isCommunicated(isFold(&inner) ? inner.getOperand(0) : value, &block);
    ListUnit &unit = ofChunk                     ? chunks
                     : scalar && !isFold(&inner) ? single
                                                 : whole;
    unit.outputs.push_back(value);
    unit.results.push_back(
        isYielded ? fused.getResult(yielded - end->operand_begin()) : value);
  }
  for (ListUnit *unit : {&chunks, &whole, &single}) {
    if (unit->outputs.empty())
      continue;
    unit->ops = ops;
    if (failed(buildKernel(*unit)))
      return failure();
    for (auto [output, result] : llvm::zip(unit->outputs, unit->results))
      lists[output] = SmallVector<Value>(lists[result]);
  }
  return success();
}

LogicalResult ListExpander::buildPhases(FusedOp fused, FusedPhases &phases) {
  Block &block = fused.getBody().front();
  for (unsigned phase = 0; phase < phases.count; ++phase) {
    for (Operation &inner : block)
      if (isa<RankAllReduceOp>(inner) && phases.of[&inner] == phase)
        buildCollective(&inner);
    if (failed(buildPhase(fused, phases, phase)))
      return failure();
  }
  for (auto [result, operand] :
       llvm::zip(fused.getResults(), block.getTerminator()->getOperands()))
    if (!lists.contains(result))
      lists[result] = listOf(operand);
  return success();
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

bool ListExpander::isDeferred(Operation *inner) {
  return isa<RankShardOp>(inner) || feedsFolds(inner);
}

bool ListExpander::isCollective(Operation *inner) {
  return isa<RankAllReduceOp, RankBroadcastOp>(inner) && !isSpecial(inner) &&
         typeOf(inner->getResult(0)).getRank() <= 1;
}

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
  SmallVector<Value> inputs = listOf(inner->getOperand(0));
  SmallVector<Value> inits = makeInits(result, [&](int64_t position) {
    return m.product(m.dims(inputs[position]));
  });
  ListKernelOp kernel = createKernel(inner, listOf(inner->getOperand(0)), {},
                                     inits, accesses, reductions, group, root);
  Block &block = kernel.getBody().front();
  OpBuilder body = OpBuilder::atBlockEnd(&block);
  YieldOp::create(body, inner->getLoc(), block.getArgument(0));
  finishKernel(kernel, result);
}
