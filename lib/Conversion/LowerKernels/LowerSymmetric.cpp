//===- LowerSymmetric.cpp - symmetric kernels to loops on peers' buffers ----===//

#include "Conversion/LowerKernels/LoopNest.h"
#include "Conversion/LowerKernels/Lowerings.h"
#include "Conversion/ToKernels/BufferizableModels.h"
#include "IR/KernelOps.h"
#include "IR/OverlapOps.h"
#include "IR/Refusal.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace coconet;

/// Up to so many members, loops over them are written out.
static constexpr int64_t maxUnrolled = 8;

namespace {

class SymmetricLowering {
public:
  SymmetricLowering(SymmetricKernelOp op, SymbolTable &symbols)
      : op(op), builder(op), m(builder, op.getLoc()),
        calls(builder, op, &symbols), members(Members::of(op)) {}

  LogicalResult lower();

private:
  bool isWhole(unsigned operand) {
    Access access = op.accessOf(operand);
    return access == Access::reduce || access == Access::slice ||
           access == Access::gather;
  }
  bool isPublished(unsigned operand) {
    return coconet::isPublished(op, operand);
  }
  /// No operand changes from element to element of the box.
  bool isFixed(unsigned operand) {
    AffineMap map = op.mapOf(operand);
    return llvm::none_of(map.getResults(), llvm::IsaPred<AffineDimExpr>);
  }
  Value operand(unsigned index) { return op->getOperand(index); }

  void enterGroup();
  void clearOthers();
  LogicalResult findSizes();
  bool canCollapse();
  void setCollapsed();
  void setNested();
  OpFoldResult boxSize(unsigned dim);
  /// The members' or this rank's pointers of an operand, `offset` elements
  /// behind their start.
  void setBases(Stream &stream, unsigned index, OpFoldResult offset);
  std::string kind();

  SymmetricKernelOp op;
  OpBuilder builder;
  IndexMath m;
  RuntimeCalls calls;
  Members members;

  Value site, table;
  /// What is in the table: each buffer once, or one for each operand, and where
  /// operands are in it.
  SmallVector<Value> published;
  llvm::SmallDenseMap<unsigned, int64_t> slots;
  OpFoldResult count;
  OpFoldResult whole; ///< size of the dimension that is cut
  Chunk chunk;        ///< this rank's part of it
  LoopNest nest;
  SmallVector<Stream> streams;
};

} // namespace

/// The collective that the kernel does, for messages.
std::string SymmetricLowering::kind() {
  bool reduces = false, gathers = false;
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    reduces |= op.accessOf(i) == Access::reduce;
    gathers |= op.accessOf(i) == Access::gather;
  }
  if (op.getRoot())
    return reduces   ? "reduce_to_root"
           : gathers ? "gather_to_root"
                     : "scatter_from_root";
  return !reduces ? "all_gather" : gathers ? "all_reduce" : "reduce_scatter";
}

void SymmetricLowering::enterGroup() {
  site = calls.site(kind(), members);
  count = calls.size(members, site);
  bool shared = calls.isShared(members);
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    if (!isPublished(i))
      continue;
    auto *known = shared ? published.end() : llvm::find(published, operand(i));
    slots[i] = known - published.begin();
    if (known == published.end())
      published.push_back(operand(i));
  }
  // Slices and chunks of one's own need no meeting.
  if (isOneInteger(count) || published.empty())
    return;
  SmallVector<Value> pointers;
  for (Value buffer : published)
    pointers.push_back(calls.pointerTo(buffer));
  table = calls.enter(site, pointers);
}

LogicalResult SymmetricLowering::findSizes() {
  std::optional<OpFoldResult> size;
  for (unsigned i = 0; i < op->getNumOperands() && !size; ++i)
    if (isWhole(i))
      size =
          op.getDim() ? boxSize(*op.getDim()) : m.product(m.dims(operand(i)));
  if (!size) {
    // All operands are chunks: their place in the whole does not matter.
    for (unsigned i = 0; i < op->getNumOperands() && !size; ++i) {
      if (op.accessOf(i) != Access::chunk)
        continue;
      if (!op.getDim())
        size = m.product(m.dims(operand(i)));
      for (auto [d, expr] : llvm::enumerate(op.mapOf(i).getResults()))
        if (auto position = dyn_cast<AffineDimExpr>(expr);
            position && op.getDim() && position.getPosition() == *op.getDim())
          size = m.dim(operand(i), d);
    }
    if (!size)
      return refuse(op, "has no operand with the dimension that is cut",
                    "an input or init is whole, or a chunk");
    whole = *size;
    chunk = {m.constant(0), *size};
    return success();
  }
  whole = *size;
  if (isOneInteger(count) || op.isOneShot()) {
    chunk = {m.constant(0), whole};
    return success();
  }
  Value position = calls.position(members, site);
  auto parts = getConstantIntValue(count);
  chunk = parts ? m.chunk(whole, *parts, position)
                : m.chunk(whole, count, position);
  return success();
}

/// Size of a box dimension; of the one that is cut, as a whole.
OpFoldResult SymmetricLowering::boxSize(unsigned dim) {
  bool cut = op.getDim() && dim == *op.getDim();
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    if (cut && !isWhole(i))
      continue;
    for (auto [d, expr] : llvm::enumerate(op.mapOf(i).getResults()))
      if (auto position = dyn_cast<AffineDimExpr>(expr);
          position && position.getPosition() == dim)
        return m.dim(operand(i), d);
  }
  return m.constant(1);
}

bool SymmetricLowering::canCollapse() {
  for (Operation &inner : op.getBody().front())
    if (isa<KernelIndexOp>(inner))
      return !op.getDim();
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    auto type = cast<MemRefType>(operand(i).getType());
    if (!isFixed(i) && (!op.mapOf(i).isIdentity() || !isContiguous(type)))
      return false;
  }
  return true;
}

void SymmetricLowering::setBases(Stream &stream, unsigned index,
                                 OpFoldResult offset) {
  stream.element = cast<MemRefType>(operand(index).getType()).getElementType();
  if (op.accessOf(index) == Access::reduce)
    stream.reduction = op.reductionOf(index);
  if (op.accessOf(index) == Access::fold)
    stream.fold = op.reductionOf(index);
  stream.members = count;
  if (!isPublished(index) || !table) {
    stream.bases = {
        calls.advance(calls.pointerTo(operand(index)), stream.element, offset)};
    return;
  }
  int64_t slot = slots.lookup(index);
  if (op.getRoot() && op.accessOf(index) != Access::reduce) {
    Value base =
        calls.peer(table, m.constant(*op.getRoot()), published.size(), slot);
    stream.bases = {calls.advance(base, stream.element, offset)};
    return;
  }
  auto known = getConstantIntValue(count);
  if (!known || *known > maxUnrolled) {
    stream.table = table;
    stream.slot = slot;
    stream.count = published.size();
    stream.offset = offset;
    return;
  }
  for (int64_t position = 0; position < *known; ++position) {
    Value base =
        calls.peer(table, m.constant(position), published.size(), slot);
    stream.bases.push_back(calls.advance(base, stream.element, offset));
  }
}

/// Two loops at most: over what lies outside of the cut dimension, and over a
/// contiguous run of elements.
void SymmetricLowering::setCollapsed() {
  OpFoldResult outer = m.constant(1), inner = m.constant(1);
  if (op.getDim())
    for (unsigned dim = 0; dim < op.mapOf(0).getNumDims(); ++dim) {
      if (dim < *op.getDim())
        outer = m.mul(outer, boxSize(dim));
      else if (dim > *op.getDim())
        inner = m.mul(inner, boxSize(dim));
    }
  OpFoldResult run = m.mul(chunk.length, inner);
  bool single = isOneInteger(outer);
  nest.sizes = single ? SmallVector<OpFoldResult>{run}
                      : SmallVector<OpFoldResult>{outer, run};
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    bool cutWhole = isWhole(i) && !isFixed(i);
    Stream &stream = streams[i];
    setBases(stream, i, cutWhole ? m.mul(chunk.start, inner) : m.constant(0));
    OpFoldResult zero = m.constant(0);
    if (!single)
      stream.strides.push_back(isFixed(i) ? zero
                               : cutWhole ? m.mul(whole, inner)
                                          : run);
    stream.strides.push_back(isFixed(i) ? zero : m.constant(1));
  }
}

/// One loop a dimension of the box.
void SymmetricLowering::setNested() {
  unsigned rank = op.mapOf(0).getNumDims();
  for (unsigned dim = 0; dim < rank; ++dim)
    nest.sizes.push_back(dim == *op.getDim() ? chunk.length : boxSize(dim));
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    Stream &stream = streams[i];
    stream.strides.assign(rank, m.constant(0));
    SmallVector<OpFoldResult> strides = stridesOf(m, operand(i));
    OpFoldResult offset = m.constant(0);
    for (auto [d, expr] : llvm::enumerate(op.mapOf(i).getResults())) {
      auto position = dyn_cast<AffineDimExpr>(expr);
      if (!position)
        continue;
      stream.strides[position.getPosition()] = strides[d];
      if (isWhole(i) && position.getPosition() == *op.getDim())
        offset = m.mul(chunk.start, strides[d]);
    }
    setBases(stream, i, offset);
  }
}

LogicalResult SymmetricLowering::lower() {
  enterGroup();
  if (failed(findSizes()))
    return failure();
  streams.resize(op->getNumOperands());
  bool collapses = canCollapse();
  if (!collapses && !op.getDim())
    return refuse(op, "iterates over the flattening of a buffer with gaps",
                  "copy the buffer to a contiguous one first");
  if (collapses)
    setCollapsed();
  else
    setNested();
  auto middle = streams.begin() + op.getInputs().size();
  nest.inputs.assign(streams.begin(), middle);
  nest.outputs.assign(middle, streams.end());
  nest.body = &op.getBody().front();
  buildLoopNest(builder, op, nest);
  if (table)
    calls.leave(site);
  clearOthers();
  op.erase();
  return success();
}

/// What the root alone gets is zero elsewhere. Others may have read the buffer
/// as an input until now.
void SymmetricLowering::clearOthers() {
  bool gathers = llvm::any_of(
      llvm::seq<unsigned>(0, op->getNumOperands()),
      [&](unsigned i) { return op.accessOf(i) == Access::gather; });
  if (!op.getRoot() || !table || !gathers)
    return;
  Location loc = op.getLoc();
  Value isOther = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                        calls.position(members, site),
                                        m.value(m.constant(*op.getRoot())));
  auto choice = scf::IfOp::create(builder, loc, isOther,
                                  /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(choice.thenBlock());
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    if (op.accessOf(i) == Access::gather)
      calls.clear(calls.pointerTo(operand(i)),
                  cast<MemRefType>(operand(i).getType()).getElementType(),
                  m.product(m.dims(operand(i))));
}

LogicalResult coconet::lowerSymmetricKernel(SymmetricKernelOp op,
                                            SymbolTable &symbols) {
  return SymmetricLowering(op, symbols).lower();
}
