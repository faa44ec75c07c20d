//===- LoopNest.cpp - vectorised loops over raw pointers --------------------===//

#include "Conversion/LowerKernels/LoopNest.h"
#include "Conversion/ToKernels/ScalarOps.h"
#include "IR/KernelOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace coconet;

static constexpr int64_t lanes = 16;

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

Type coconet::laneType(Type type, int64_t width) {
  return width == 1 ? type : VectorType::get({width}, type);
}

Value coconet::broadcastLanes(OpBuilder &builder, Location loc, Value value,
                              int64_t width) {
  if (width == 1 || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(builder, loc,
                                     laneType(value.getType(), width), value);
}

void coconet::cloneForLanes(OpBuilder &builder, Block &block,
                            IRMapping &mapping, int64_t width) {
  for (Operation &op : block.without_terminator()) {
    if (llvm::all_of(op.getResults(),
                     [&](Value v) { return mapping.contains(v); }))
      continue;
    SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(broadcastLanes(
          builder, op.getLoc(), mapping.lookupOrDefault(operand), width));
    if (op.hasTrait<OpTrait::ConstantLike>()) {
      builder.clone(op, mapping);
      continue;
    }
    OperationState state(op.getLoc(), op.getName());
    state.addOperands(operands);
    for (Type type : op.getResultTypes())
      state.addTypes(laneType(type, width));
    state.addAttributes(llvm::to_vector(op.getDiscardableAttrs()));
    state.propertiesAttr = op.getPropertiesAsAttribute();
    mapping.map(op.getResults(), builder.create(state)->getResults());
  }
}

static unsigned alignmentOf(Type element) {
  return std::max(1u, element.getIntOrFloatBitWidth() / 8);
}

Value coconet::loadElements(OpBuilder &b, Operation *source, Value pointer,
                            Type element, OpFoldResult offset, int64_t width) {
  Location loc = source->getLoc();
  Value address = RuntimeCalls(b, source).advance(pointer, element, offset);
  Type memory = memoryType(element);
  Value value = LLVM::LoadOp::create(b, loc, laneType(memory, width), address,
                                     alignmentOf(memory));
  if (memory == element)
    return value;
  Value zero =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(value.getType()));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value, zero);
}

void coconet::storeElements(OpBuilder &b, Operation *source, Value value,
                            Value pointer, Type element, OpFoldResult offset,
                            int64_t width) {
  Location loc = source->getLoc();
  Type memory = memoryType(element);
  if (memory != element)
    value = arith::ExtUIOp::create(b, loc, laneType(memory, width), value);
  Value address = RuntimeCalls(b, source).advance(pointer, element, offset);
  LLVM::StoreOp::create(b, loc, value, address, alignmentOf(memory));
}

namespace {

class LoopBuilder {
public:
  LoopBuilder(OpBuilder &builder, Operation *source, LoopNest &nest)
      : b(builder), source(source), loc(source->getLoc()), nest(nest),
        scratch(std::make_unique<Block>()) {}

  void build();

private:
  void prepareBody();
  void expandReduction(OpBuilder &at, Stream &stream, BlockArgument argument);
  void buildLoop(unsigned depth, SmallVector<OpFoldResult> offsets);
  void buildInnermost(ArrayRef<OpFoldResult> offsets);
  /// Combines what is folded into `totals`, of `width` lanes.
  void emitElement(ArrayRef<OpFoldResult> offsets, Value iv, int64_t width,
                   const IRMapping &invariant);
  /// A loop whose body is built by `emit`, with `totals` carried along it.
  void emitLoop(OpFoldResult from, OpFoldResult to, int64_t step,
                function_ref<void(Value)> emit);
  void startFolds();
  void finishFolds();
  Value load(Value pointer, Type element, OpFoldResult offset, int64_t width) {
    return loadElements(b, source, pointer, element, offset, width);
  }
  void store(Value value, Value pointer, Type element, OpFoldResult offset,
             int64_t width) {
    storeElements(b, source, value, pointer, element, offset, width);
  }
  Value loadMembers(const Stream &stream, Block &combine, OpFoldResult offset,
                    int64_t width);
  void storeMembers(const Stream &stream, Value value, OpFoldResult offset,
                    int64_t width);

  bool canVectorize();
  bool isFixed(const Stream &stream) {
    return nest.sizes.empty() || isZeroInteger(stream.strides.back());
  }
  Value broadcast(Value value, int64_t width) {
    return broadcastLanes(b, loc, value, width);
  }
  OpFoldResult at(OpFoldResult offset, OpFoldResult stride, Value iv) {
    IndexMath m(b, loc);
    return m.add(offset, m.mul(stride, iv));
  }

  OpBuilder &b;
  Operation *source;
  Location loc;
  LoopNest &nest;
  /// The body with reductions over few members written out.
  std::unique_ptr<Block> scratch;
  /// Arguments of `scratch` for each input: one a base.
  SmallVector<SmallVector<Value>> arguments;
  /// For inputs of many members: how two elements combine.
  SmallVector<std::unique_ptr<Block>> combiners;
  SmallVector<Value> loopVariables;
  /// What outputs that are folded have come to so far, in their order.
  SmallVector<Value> totals;
};

} // namespace

static std::optional<int64_t> indexDim(Operation &op) {
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return index.getDim();
  if (auto index = dyn_cast<KernelIndexOp>(op))
    return index.getDim();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Body
//===----------------------------------------------------------------------===//

/// Replace an argument that stands for all members' elements by arguments for
/// each, or by their combination in the compute type, and round once.
void LoopBuilder::expandReduction(OpBuilder &at, Stream &stream,
                                  BlockArgument argument) {
  Type wide = computeType(stream.element);
  Value combined;
  std::unique_ptr<Block> combiner;
  SmallVector<Value> members;
  if (stream.table) {
    combined = scratch->addArgument(wide, loc);
    members.push_back(combined);
    combiner = std::make_unique<Block>();
    combiner->addArguments({wide, stream.element}, {loc, loc});
    OpBuilder inner(loc.getContext());
    inner.setInsertionPointToEnd(combiner.get());
    Value next = castScalar(inner, loc, combiner->getArgument(1), wide);
    Value sum = combineScalars(inner, loc, *stream.reduction,
                               combiner->getArgument(0), next);
    YieldOp::create(inner, loc, sum);
  }
  for (size_t i = 0; i < stream.bases.size(); ++i) {
    Value member = scratch->addArgument(stream.element, loc);
    members.push_back(member);
    Value next = castScalar(at, loc, member, wide);
    combined = combined
                   ? combineScalars(at, loc, *stream.reduction, combined, next)
                   : next;
  }
  if (*stream.reduction == Reduction::avg) {
    Value count;
    if (auto known = getConstantIntValue(stream.members))
      count = arith::ConstantOp::create(at, loc,
                                        at.getFloatAttr(wide, double(*known)));
    else
      count = arith::SIToFPOp::create(
          at, loc, wide,
          arith::IndexCastOp::create(at, loc, at.getI64Type(),
                                     cast<Value>(stream.members)));
    combined = arith::DivFOp::create(at, loc, combined, count);
  }
  argument.replaceAllUsesWith(
      castScalar(at, loc, combined, argument.getType()));
  arguments.push_back(members);
  combiners.push_back(std::move(combiner));
}

void LoopBuilder::prepareBody() {
  IRMapping mapping;
  for (BlockArgument argument : nest.body->getArguments())
    mapping.map(argument, scratch->addArgument(argument.getType(), loc));
  // The block is in no region, which OpBuilder::atBlockEnd would ask.
  OpBuilder at(loc.getContext());
  at.setInsertionPointToEnd(scratch.get());
  for (Operation &op : *nest.body)
    at.clone(op, mapping);
  at.setInsertionPointToStart(scratch.get());
  for (unsigned i = 0; i < nest.inputs.size(); ++i) {
    BlockArgument argument = scratch->getArgument(i);
    if (nest.inputs[i].reduction) {
      expandReduction(at, nest.inputs[i], argument);
      continue;
    }
    arguments.push_back({argument});
    combiners.push_back(nullptr);
  }
}

bool LoopBuilder::canVectorize() {
  if (nest.sizes.empty())
    return false;
  auto isContiguous = [&](const Stream &stream) {
    OpFoldResult stride = stream.strides.back();
    return isZeroInteger(stride) || isOneInteger(stride);
  };
  if (!llvm::all_of(nest.inputs, isContiguous) ||
      !llvm::all_of(nest.outputs, [](const Stream &stream) {
        return stream.fold || isOneInteger(stream.strides.back());
      }))
    return false;
  return llvm::all_of(scratch->without_terminator(), [](Operation &op) {
    return indexDim(op) || op.hasTrait<OpTrait::ConstantLike>() ||
           OpTrait::hasElementwiseMappableTraits(&op);
  });
}

/// Combine the elements of all rows of the table in order of position.
Value LoopBuilder::loadMembers(const Stream &stream, Block &combine,
                               OpFoldResult offset, int64_t width) {
  RuntimeCalls calls(b, source);
  IndexMath m(b, loc);
  OpFoldResult place = m.add(offset, stream.offset);
  auto loadFrom = [&](OpFoldResult position) {
    Value base = calls.peer(stream.table, position, stream.count, stream.slot);
    return load(base, stream.element, place, width);
  };
  Value first = loadFrom(m.constant(0));
  Type wide = combine.getArgument(0).getType();
  if (wide != stream.element)
    first = arith::ExtFOp::create(b, loc, laneType(wide, width), first);
  auto loop = scf::ForOp::create(b, loc, m.value(m.constant(1)),
                                 m.value(stream.members),
                                 m.value(m.constant(1)), ValueRange{first});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  IRMapping mapping;
  mapping.map(combine.getArgument(0), loop.getRegionIterArg(0));
  mapping.map(combine.getArgument(1), loadFrom(loop.getInductionVar()));
  cloneForLanes(b, combine, mapping, width);
  scf::YieldOp::create(b, loc,
                       mapping.lookup(combine.getTerminator()->getOperand(0)));
  return loop.getResult(0);
}

void LoopBuilder::storeMembers(const Stream &stream, Value value,
                               OpFoldResult offset, int64_t width) {
  IndexMath m(b, loc);
  OpFoldResult place = m.add(offset, stream.offset);
  auto loop =
      scf::ForOp::create(b, loc, m.value(m.constant(0)),
                         m.value(stream.members), m.value(m.constant(1)));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value base = RuntimeCalls(b, source).peer(
      stream.table, loop.getInductionVar(), stream.count, stream.slot);
  store(value, base, stream.element, place, width);
}

//===----------------------------------------------------------------------===//
// Folds
//===----------------------------------------------------------------------===//

static vector::CombiningKind combiningKind(Reduction reduction, Type type) {
  using Kind = vector::CombiningKind;
  bool real = isa<FloatType>(type);
  switch (reduction) {
  case Reduction::max:
    return real ? Kind::MAXIMUMF : Kind::MAXSI;
  case Reduction::min:
    return real ? Kind::MINIMUMF : Kind::MINSI;
  default:
    return Kind::ADD;
  }
}

void LoopBuilder::startFolds() {
  for (const Stream &stream : nest.outputs)
    if (stream.fold)
      totals.push_back(arith::ConstantOp::create(
          b, loc,
          neutralElement(b, *stream.fold, computeType(stream.element))));
}

void LoopBuilder::finishFolds() {
  unsigned next = 0;
  for (const Stream &stream : nest.outputs)
    if (stream.fold)
      store(castScalar(b, loc, totals[next++], stream.element),
            stream.bases.front(), stream.element, b.getIndexAttr(0), 1);
}

void LoopBuilder::emitLoop(OpFoldResult from, OpFoldResult to, int64_t step,
                           function_ref<void(Value)> emit) {
  IndexMath m(b, loc);
  SmallVector<Value> scalars = totals;
  // Lanes start from the neutral element and join the total at the end.
  if (step > 1) {
    totals.clear();
    startFolds();
    for (Value &total : totals)
      total = broadcast(total, step);
  }
  auto loop = scf::ForOp::create(b, loc, m.value(from), m.value(to),
                                 m.value(m.constant(step)), totals);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    totals.assign(loop.getRegionIterArgs().begin(),
                  loop.getRegionIterArgs().end());
    emit(loop.getInductionVar());
    if (!totals.empty())
      scf::YieldOp::create(b, loc, totals);
  }
  totals.assign(loop.getResults().begin(), loop.getResults().end());
  if (step == 1)
    return;
  unsigned next = 0;
  for (const Stream &stream : nest.outputs) {
    if (!stream.fold)
      continue;
    totals[next] = vector::ReductionOp::create(
        b, loc, combiningKind(*stream.fold, scalars[next].getType()),
        totals[next], scalars[next]);
    ++next;
  }
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void LoopBuilder::emitElement(ArrayRef<OpFoldResult> offsets, Value iv,
                              int64_t width, const IRMapping &invariant) {
  IRMapping mapping = invariant;
  auto place = [&](const Stream &stream, unsigned index) {
    return iv ? at(offsets[index], stream.strides.back(), iv) : offsets[index];
  };
  for (auto [i, stream] : llvm::enumerate(nest.inputs)) {
    if (mapping.contains(arguments[i].front()))
      continue;
    if (stream.table) {
      mapping.map(arguments[i].front(),
                  loadMembers(stream, *combiners[i], place(stream, i), width));
      continue;
    }
    for (auto [argument, base] : llvm::zip(arguments[i], stream.bases))
      mapping.map(argument,
                  load(base, stream.element, place(stream, i), width));
  }
  for (Operation &op : *scratch) {
    auto dim = indexDim(op);
    if (!dim || mapping.contains(op.getResult(0)))
      continue;
    Value position = iv;
    if (width > 1) {
      SmallVector<int64_t> steps =
          llvm::to_vector(llvm::seq<int64_t>(0, width));
      Value step = arith::ConstantOp::create(
          b, loc,
          DenseIntElementsAttr::get(
              cast<VectorType>(laneType(b.getIndexType(), width)), steps));
      position = arith::AddIOp::create(b, loc, broadcast(iv, width), step);
    }
    mapping.map(op.getResult(0), position);
  }
  cloneForLanes(b, *scratch, mapping, width);
  unsigned next = 0;
  for (auto [i, stream] : llvm::enumerate(nest.outputs)) {
    Value value =
        mapping.lookupOrDefault(scratch->getTerminator()->getOperand(i));
    value = broadcast(value, width);
    if (stream.fold) {
      Type wide = laneType(computeType(stream.element), width);
      if (value.getType() != wide)
        value = arith::ExtFOp::create(b, loc, wide, value);
      totals[next] = combineScalars(b, loc, *stream.fold, totals[next], value);
      ++next;
      continue;
    }
    OpFoldResult offset = place(stream, nest.inputs.size() + i);
    if (stream.table)
      storeMembers(stream, value, offset, width);
    for (Value base : stream.bases)
      store(value, base, stream.element, offset, width);
  }
}

void LoopBuilder::buildInnermost(ArrayRef<OpFoldResult> offsets) {
  // What does not change along the innermost loop is computed before it.
  IRMapping invariant;
  for (auto [i, stream] : llvm::enumerate(nest.inputs))
    if (isFixed(stream) && !stream.table && !stream.accumulates)
      for (auto [argument, base] : llvm::zip(arguments[i], stream.bases))
        invariant.map(argument, load(base, stream.element, offsets[i], 1));
  int64_t inner = int64_t(nest.sizes.size()) - 1;
  for (Operation &op : scratch->without_terminator()) {
    if (auto dim = indexDim(op)) {
      if (int64_t(*dim) < inner)
        invariant.map(op.getResult(0), loopVariables[*dim]);
      continue;
    }
    bool fixed = llvm::all_of(op.getOperands(), [&](Value operand) {
      return operand.getParentBlock() != scratch.get() ||
             invariant.contains(operand);
    });
    if (fixed)
      b.clone(op, invariant);
  }
  if (nest.sizes.empty())
    return emitElement(offsets, Value(), 1, invariant);

  IndexMath m(b, loc);
  OpFoldResult size = nest.sizes.back();
  OpFoldResult whole = m.constant(0);
  auto buildFrom = [&](OpFoldResult from, OpFoldResult to, int64_t width) {
    if (isEqualConstantIntOrValue(from, to))
      return;
    emitLoop(from, to, width,
             [&](Value iv) { emitElement(offsets, iv, width, invariant); });
  };
  if (canVectorize()) {
    whole = m.mul(m.div(size, m.constant(lanes)), m.constant(lanes));
    buildFrom(m.constant(0), whole, lanes);
  }
  buildFrom(whole, size, 1);
}

void LoopBuilder::buildLoop(unsigned depth, SmallVector<OpFoldResult> offsets) {
  if (depth + 1 >= nest.sizes.size())
    return buildInnermost(offsets);
  emitLoop(b.getIndexAttr(0), nest.sizes[depth], 1, [&](Value iv) {
    loopVariables.push_back(iv);
    SmallVector<OpFoldResult> moved = offsets;
    unsigned index = 0;
    for (auto *streams : {&nest.inputs, &nest.outputs})
      for (Stream &stream : *streams) {
        moved[index] = at(moved[index], stream.strides[depth], iv);
        ++index;
      }
    buildLoop(depth + 1, moved);
    loopVariables.pop_back();
  });
}

void LoopBuilder::build() {
  prepareBody();
  SmallVector<OpFoldResult> offsets(nest.inputs.size() + nest.outputs.size(),
                                    b.getIndexAttr(0));
  startFolds();
  buildLoop(0, offsets);
  finishFolds();
}

SmallVector<OpFoldResult> coconet::stridesOf(IndexMath &math, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.getLayout().isIdentity())
    return memref::ExtractStridedMetadataOp::create(math.builder, math.loc,
                                                    memref)
        .getConstifiedMixedStrides();
  SmallVector<OpFoldResult> sizes = math.dims(memref), strides;
  for (unsigned dim = 0; dim < sizes.size(); ++dim)
    strides.push_back(math.product(ArrayRef(sizes).drop_front(dim + 1)));
  return strides;
}

void coconet::buildLoopNest(OpBuilder &builder, Operation *source,
                            LoopNest &nest) {
  LoopBuilder(builder, source, nest).build();
}
