//===- ElementwiseGroup.cpp - pointwise ops over one box --------------------===//

#include "Conversion/ToKernels/KernelBuilder.h"
#include "Conversion/ToKernels/ScalarOps.h"
#include "IR/RankOps.h"
#include "IR/Refusal.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace coconet;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

TypedAttr coconet::splatOf(Value value) {
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return {};
  return cast<TypedAttr>(elements.getSplatValue<Attribute>());
}

/// The values that an output is made of, element by element: of a reduction
/// its operand.
static RankedTensorType boxTypeOf(Value output) {
  auto reduce = output.getDefiningOp<ReduceOp>();
  return typeOf(reduce ? reduce.getOperand() : output);
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Whether the op only says which elements of its operand are meant.
static bool isView(Operation *op) {
  return isa<RankReduceScatterOp, RankAllReduceOp, RankAllGatherOp,
             RankShardOp>(op);
}

/// Whether no dimension of the operand is repeated in the result.
static bool hasSizesOf(Value operand, Value result) {
  auto type = dyn_cast<RankedTensorType>(operand.getType());
  if (!type || type.getRank() != typeOf(result).getRank())
    return false;
  return llvm::none_of(
      llvm::zip(type.getShape(), typeOf(result).getShape()), [](auto sizes) {
        return std::get<0>(sizes) == 1 && std::get<1>(sizes) != 1;
      });
}

EqualSizes::EqualSizes(Block &block) {
  // A chunk and a whole tensor of one static shape are no equals.
  llvm::DenseMap<std::pair<Attribute, int>, Value> known;
  auto add = [&](Value value, bool whole) {
    classes.insert(value);
    if (!typeOf(value).hasStaticShape())
      return;
    auto shape =
        DenseI64ArrayAttr::get(value.getContext(), typeOf(value).getShape());
    auto [entry, fresh] = known.try_emplace({shape, whole}, value);
    if (!fresh)
      classes.unionSets(entry->second, value);
  };
  for (Operation &op : block.without_terminator()) {
    bool gathers = isa<RankAllGatherOp>(op);
    if (!isa<ReduceOp>(op))
      for (Value result : op.getResults())
        add(result, gathers);
    bool views = isView(&op) && !gathers;
    for (Value operand : op.getOperands()) {
      if (!isa<RankedTensorType>(operand.getType()))
        continue;
      add(operand, views);
      // The whole tensors of one chain are as large as each other, too.
      if (op.getNumResults() == 1 && !isa<ReduceOp>(op) &&
          hasSizesOf(operand, op.getResult(0)))
        classes.unionSets(operand, op.getResult(0));
    }
  }
}

Value EqualSizes::of(Value value) const {
  if (auto reduce = value.getDefiningOp<ReduceOp>())
    value = reduce.getOperand();
  auto found = classes.findLeader(value);
  return found == classes.member_end() ? value : *found;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

ElementwiseGroup::ElementwiseGroup(ArrayRef<Operation *> ops,
                                   ValueRange outputs)
    : outputs(outputs) {
  llvm::SmallPtrSet<Operation *, 16> wanted;
  for (Value output : outputs)
    wanted.insert(output.getDefiningOp());
  SmallVector<Operation *> backward;
  for (Operation *op : llvm::reverse(ops)) {
    if (!wanted.contains(op) || isa<ConstantOp>(op))
      continue;
    backward.push_back(op);
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        wanted.insert(producer);
  }
  needed.insert(backward.rbegin(), backward.rend());
  RankedTensorType box = boxTypeOf(outputs.front());
  rank = box.getRank();
  boxShape.assign(box.getShape().begin(), box.getShape().end());
}

LogicalResult ElementwiseGroup::analyze() {
  for (Operation *op : needed)
    if (failed(visit(op)))
      return failure();
  for (Value output : outputs)
    if (!isInside(output) && !splatOf(output))
      addLeaf(output.getDefiningOp(), output, Access::shared);
  return success();
}

LogicalResult ElementwiseGroup::analyze(const Group &of, int64_t along) {
  group = of;
  dim = along;
  // The chunk's size may be open where that of the whole is not.
  boxShape[dim] = ShapedType::kDynamic;
  return analyze();
}

LogicalResult ElementwiseGroup::visit(Operation *op) {
  Value first = op->getNumOperands() ? op->getOperand(0) : Value();
  if (isa<RankReduceScatterOp, RankAllReduceOp, RankShardOp>(op)) {
    if (isInside(first))
      return refuse(op,
                    "reads a value that is computed in the same fused region",
                    "compute it before the region");
    auto reduction = op->getAttrOfType<ReductionAttr>("reduction");
    if (reduction)
      addLeaf(op, first, Access::reduce, reduction.getValue(), wireTypeOf(op));
    else
      addLeaf(op, first, Access::slice);
    return success();
  }
  ValueRange operands = op->getOperands();
  if (isa<RankAllGatherOp>(op))
    operands = operands.take_front(1);
  if (isa<RankDropoutOp>(op))
    operands = operands.take_front(2);
  for (Value operand : operands) {
    if (isInside(operand) || splatOf(operand))
      continue;
    // A slice taken before the kernel is read from the whole tensor, so that
    // the kernel may write there.
    auto shard = operand.getDefiningOp<RankShardOp>();
    if (shard && group && int64_t(shard.getDim()) == dim &&
        Group{shard.getMesh(), shard.getAxesAttr(), {}} == *group &&
        typeOf(operand).getRank() == rank) {
      addLeaf(op, shard.getOperand(), Access::slice);
      unsigned leaf = leafOf[{shard.getOperand(), int(Access::slice)}];
      leafOf[{operand, -1}] = leaf;
      continue;
    }
    addLeaf(op, operand, Access::shared);
  }
  return success();
}

void ElementwiseGroup::addLeaf(Operation *user, Value tensor, Access access,
                               std::optional<Reduction> reduction,
                               FloatType wireType) {
  RankedTensorType type = typeOf(tensor);
  int64_t shift = rank - type.getRank();
  assert(shift >= 0 && "an operand has at most the rank of the result");
  SmallVector<AffineExpr> exprs;
  MLIRContext *context = tensor.getContext();
  bool chunk = false;
  for (auto [d, size] : llvm::enumerate(type.getShape())) {
    bool repeated = size == 1 && boxShape[shift + d] != 1 &&
                    (access == Access::shared || shift + int64_t(d) != dim);
    exprs.push_back(repeated ? getAffineConstantExpr(0, context)
                             : getAffineDimExpr(shift + d, context));
    chunk |= !repeated && shift + int64_t(d) == dim;
  }
  Leaf leaf{tensor, AffineMap::get(rank, 0, exprs, context), access, reduction,
            wireType};
  if (group && access == Access::shared && chunk)
    leaf.access = Access::chunk;
  // Two reductions of one tensor differ in kind or in what travels.
  int key = int(access) + (reduction ? 8 * (1 + int(*reduction)) : 0) +
            (wireType ? wireType.isF16() ? 64 : 128 : 0);
  auto [entry, fresh] = leafOf.try_emplace({tensor, key}, leaves.size());
  unsigned index = entry->second;
  if (fresh)
    leaves.push_back(leaf);
  // How the user refers to it: by the op's result where it is a view.
  if (user && isView(user) && !isa<RankAllGatherOp>(user))
    leafOf[{user->getResult(0), -1}] = index;
  else if (access == Access::shared)
    leafOf[{tensor, -1}] = index;
}

SmallVector<Value>
ElementwiseGroup::evaluate(OpBuilder &builder, ValueRange elements,
                           function_ref<Value(int64_t)> boxIndex) {
  DenseMap<Value, Value> scalars;
  auto lookup = [&](Value value, Location loc) -> Value {
    if (Value scalar = scalars.lookup(value))
      return scalar;
    if (TypedAttr splat = splatOf(value))
      return arith::ConstantOp::create(builder, loc, splat);
    return elements[leafOf.at({value, -1})];
  };
  for (Operation *op : needed) {
    Value result = op->getResult(0);
    if (isView(op) && !isa<RankAllGatherOp>(op)) {
      scalars[result] = elements[leafOf.at({result, -1})];
    } else if (isa<RankAllGatherOp, ReduceOp>(op)) {
      Value element = lookup(op->getOperand(0), op->getLoc());
      scalars[result] = element;
    }
    if (isa<ReduceOp>(op)) // The kernel combines the elements.
      continue;
    if (isView(op)) {
      FloatType wireType = wireTypeOf(op);
      if (wireType && !isa<RankReduceScatterOp>(op))
        scalars[result] =
            roundToWire(builder, op->getLoc(), scalars[result], wireType);
      continue;
    }
    size_t count = isa<RankDropoutOp>(op) ? 2 : op->getNumOperands();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands().take_front(count))
      operands.push_back(lookup(operand, op->getLoc()));
    RankedTensorType type = typeOf(result);
    scalars[result] =
        buildScalar(builder, op, operands, [&](int64_t d) -> Value {
          int64_t at = rank - type.getRank() + d;
          if (type.getDimSize(d) == 1 && boxShape[at] != 1)
            return arith::ConstantIndexOp::create(builder, op->getLoc(), 0);
          return boxIndex(at);
        });
  }
  SmallVector<Value> results;
  for (Value output : outputs)
    results.push_back(lookup(output, output.getLoc()));
  return results;
}

std::optional<OpFoldResult> ElementwiseGroup::boxSize(IndexMath &math,
                                                      int64_t at, bool whole) {
  for (const Leaf &leaf : leaves) {
    bool isWhole =
        leaf.access == Access::reduce || leaf.access == Access::slice;
    if (group && at == dim && isWhole != whole)
      continue;
    for (auto [d, expr] : llvm::enumerate(leaf.map.getResults()))
      if (auto position = dyn_cast<AffineDimExpr>(expr);
          position && int64_t(position.getPosition()) == at)
        return math.dim(leaf.tensor, d);
  }
  return std::nullopt;
}
