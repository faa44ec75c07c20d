//===- OverlapChunks.cpp - chunks of values, and where they go --------------===//

#include "Conversion/ToRank/OverlapExpansion.h"
#include "IR/ChannelOps.h"
#include "IR/ListOps.h"
#include "IR/RankOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace coconet;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// `type` with another size of dimension `dim`, without layout.
static RankedTensorType withSize(RankedTensorType type, int64_t dim,
                                 int64_t size) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  return RankedTensorType::get(shape, type.getElementType());
}

static int64_t staticOr(OpFoldResult size) {
  return getConstantIntValue(size).value_or(ShapedType::kDynamic);
}

OverlapExpansion::~OverlapExpansion() {
  // Ops that come later may be made at the same addresses.
  scratch->walk([&](Operation *nested) {
    t.channelChunks.erase(nested);
    for (Value result : nested->getResults()) {
      t.values.erase(result);
      t.places.erase(result);
    }
  });
  for (BlockArgument argument : scratch.getBody().getArguments()) {
    t.values.erase(argument);
    t.places.erase(argument);
  }
  scratch->erase();
}

//===----------------------------------------------------------------------===//
// Chunks
//===----------------------------------------------------------------------===//

LogicalResult OverlapExpansion::findSizes() {
  std::optional<OpFoldResult> size;
  auto add = [&](OpFoldResult other) {
    if (size)
      return t.unify(op, *size, other);
    size = t.representative(other);
    return success();
  };
  for (auto [operand, dim] : flow.outside)
    if (failed(add(t.values[operand->get()].sizes[dim])))
      return failure();
  bool hasChannel = false;
  WalkResult walked = op.getBody().walk([&](Operation *nested) -> WalkResult {
    hasChannel |= isa<SendOp, RecvOp>(nested);
    auto recv = dyn_cast<RecvOp>(nested);
    if (!recv)
      return WalkResult::advance();
    FailureOr<SmallVector<OpFoldResult>> sizes = t.recvSizes(recv);
    if (failed(sizes))
      return failure();
    return add((*sizes)[*flow.dimOf(recv.getResult())]);
  });
  if (walked.wasInterrupted())
    return failure();
  // What the ops make out of nothing, or repeat, has a static size.
  for (auto &[value, dim] : flow.dims)
    if (auto type = cast<RankedTensorType>(value.getType());
        !size && dim.merged.empty() && !type.isDynamicDim(dim.dim))
      size = t.math(loc).constant(type.getDimSize(dim.dim));
  assert(size && "chunks come from outside or are of a static size");
  IndexMath m = t.math(loc);
  logicalSize = *size;
  part = {m.constant(0), *size};
  if (!flow.base.empty())
    part = t.chunkOf(*size, flow.base, flow.mesh, loc);
  slices = *flow.numSlices();
  int64_t pieces = slices * chunks;
  auto known = getConstantIntValue(part.length);
  if (!flow.slices.empty() && !known)
    t.check(m.constant(0), m.rem(part.length, m.constant(pieces)),
            "remainder of the size by " + Twine(pieces) + ", for " +
                Twine(chunks) + " chunks of every slice",
            loc);
  // A size of 1 would be taken for a repeated dimension.
  if (known && *known % chunks == 0 && *known / chunks != 1)
    chunkExtent = *known / chunks;
  used = chunks;
  while (!hasChannel && used > 1 && isZeroInteger(pieceOf(used - 1).length))
    --used;
  return success();
}

/// Type of a chunk as a distributed value of its own: axes that cut all values
/// alike have done so already.
RankedTensorType OverlapExpansion::chunkType(Value value, int64_t dim) {
  Layout layout = Layout::of(value);
  layout.dims[dim].erase(layout.dims[dim].begin(),
                         layout.dims[dim].begin() + flow.base.size());
  return layout.apply(withSize(typeOf(value), dim, chunkExtent));
}

Chunk OverlapExpansion::pieceOf(int64_t chunk) {
  IndexMath m = t.math(loc);
  if (!flow.slices.empty()) {
    OpFoldResult each = m.div(part.length, m.constant(slices * chunks));
    return {m.mul(m.constant(chunk), each), each};
  }
  Chunk piece = m.chunk(part.length, chunks, m.constant(chunk));
  // A list's sizes become known later, and a slice of nothing has its place in the
  // tensor too.
  if (op->getParentOfType<ForEachOp>() && !getConstantIntValue(piece.length)) {
    OpFoldResult last = m.max(m.sub(part.length, m.constant(1)), m.constant(0));
    piece.start = m.min(piece.start, last);
  }
  return piece;
}

OpFoldResult OverlapExpansion::logicalPiece(int64_t chunk) {
  IndexMath m = t.math(loc);
  return flow.slices.empty() ? pieceOf(chunk).length
                             : m.div(part.length, m.constant(chunks));
}

void OverlapExpansion::notePlace(Value copy, Value value, int64_t dim,
                                 int64_t chunk, bool merged) {
  if (!llvm::any_of(copy.getUsers(), llvm::IsaPred<DropoutOp>))
    return;
  IndexMath m = t.math(loc);
  ChunkPlace &place = t.places[copy];
  place = {dim, part.start, logicalSize, merged || isScattered(value, dim)};
  if (place.scattered)
    return;
  if (!flow.slices.empty())
    place.start = m.add(
        place.start, t.chunkOf(part.length, flow.slices, flow.mesh, loc).start);
  place.start = m.add(place.start, pieceOf(chunk).start);
}

/// Sizes, offsets and strides of a box of `value`: all of it, but `length`
/// elements from `start` on of dimension `dim`.
static std::tuple<SmallVector<OpFoldResult>, SmallVector<OpFoldResult>,
                  SmallVector<OpFoldResult>>
boxOf(IndexMath &m, Value value, int64_t dim, OpFoldResult start,
      OpFoldResult length) {
  SmallVector<OpFoldResult> sizes = m.dims(value);
  SmallVector<OpFoldResult> offsets(sizes.size(), m.constant(0));
  SmallVector<OpFoldResult> strides(sizes.size(), m.constant(1));
  offsets[dim] = start;
  sizes[dim] = length;
  return {offsets, sizes, strides};
}

static bool hasNoElements(RankedTensorType type) {
  return llvm::is_contained(type.getShape(), 0);
}

/// `value` with dimension `dim` as `slices` rows.
static Value expandSlices(IndexMath &m, Value value, int64_t dim,
                          int64_t slices) {
  SmallVector<OpFoldResult> sizes = m.dims(value);
  OpFoldResult row = m.div(sizes[dim], m.constant(slices));
  SmallVector<int64_t> shape(typeOf(value).getShape());
  shape[dim] = staticOr(row);
  shape.insert(shape.begin() + dim, slices);
  SmallVector<Value> open;
  for (auto [index, extent] : llvm::enumerate(shape))
    if (ShapedType::isDynamic(extent))
      open.push_back(
          m.value(int64_t(index) == dim + 1
                      ? row
                      : sizes[int64_t(index) > dim ? index - 1 : index]));
  auto type = RankedTensorType::get(shape, typeOf(value).getElementType());
  return RankReshapeOp::create(m.builder, m.loc, type, value, open);
}

/// `value` with rows `dim` and `dim + 1` joined, as `type`.
static Value joinSlices(IndexMath &m, Value value, int64_t dim,
                        RankedTensorType type) {
  SmallVector<OpFoldResult> sizes = m.dims(value);
  sizes[dim] = m.mul(sizes[dim], sizes[dim + 1]);
  sizes.erase(sizes.begin() + dim + 1);
  SmallVector<Value> open;
  for (auto [extent, size] : llvm::zip(type.getShape(), sizes))
    if (ShapedType::isDynamic(extent))
      open.push_back(m.value(size));
  return RankReshapeOp::create(m.builder, m.loc, type, value, open);
}

RankValue OverlapExpansion::cut(Value value, int64_t dim, int64_t chunk) {
  IndexMath m = t.math(loc);
  RankValue whole = t.values[value];
  Chunk piece = pieceOf(chunk);
  SmallVector<OpFoldResult> logical = whole.sizes;
  logical[dim] = logicalPiece(chunk);
  int64_t extent = localType(chunkType(value, dim)).getDimSize(dim);
  RankedTensorType type = withSize(typeOf(whole.value), dim, extent);
  bool scattered = isScattered(value, dim);
  Value from =
      scattered ? expandSlices(m, whole.value, dim, slices) : whole.value;
  int64_t along = scattered ? dim + 1 : dim;
  auto [offsets, sizes, strides] =
      boxOf(m, from, along, piece.start, piece.length);
  // A size that is known here is open in the type where it must not be 1.
  RankedTensorType box = withSize(typeOf(from), along, staticOr(piece.length));
  Value slice;
  if (hasNoElements(box)) { // That has no place in the whole.
    SmallVector<Value> open;
    for (auto [extent, size] : llvm::zip(box.getShape(), sizes))
      if (ShapedType::isDynamic(extent))
        open.push_back(m.value(size));
    slice = tensor::EmptyOp::create(t.outer, loc, box.getShape(),
                                    box.getElementType(), open);
  } else {
    slice = tensor::ExtractSliceOp::create(t.outer, loc, box, from, offsets,
                                           sizes, strides);
  }
  if (scattered)
    slice = joinSlices(m, slice, dim, type);
  else if (slice.getType() != type)
    slice = tensor::CastOp::create(t.outer, loc, type, slice);
  return {slice, logical};
}

void OverlapExpansion::setType(Value copy, Value original, int64_t chunk) {
  Value value = original;
  if (auto fused = original.getDefiningOp<FusedOp>())
    value = fused.getBody().front().getTerminator()->getOperand(
        cast<OpResult>(original).getResultNumber());
  auto found = flow.dims.find(value);
  if (found == flow.dims.end()) // A value from outside that a region yields.
    return;
  const ChunkDim &dim = dims[copy] = found->second;
  if (dim.merged.empty())
    copy.setType(chunkType(value, dim.dim));
  else // Not cut; its size follows from the others.
    copy.setType(Layout::of(value).apply(
        withSize(typeOf(value), dim.dim, ShapedType::kDynamic)));
  notePlace(copy, value, dim.dim, chunk, !dim.merged.empty());
}

void OverlapExpansion::makeCopy(int64_t chunk) {
  Copy &copy = copies.emplace_back();
  Block &body = op.getBody().front();
  if (chunks == 1) {
    for (Operation &nested : body.without_terminator())
      copy.ops.push_back(&nested);
    llvm::append_range(copy.yielded, body.getTerminator()->getOperands());
    return;
  }
  IRMapping mapping;
  OpBuilder builder = OpBuilder::atBlockEnd(&scratch.getBody().front());
  for (Operation &nested : body.without_terminator())
    copy.ops.push_back(builder.clone(nested, mapping));
  for (Value value : body.getTerminator()->getOperands())
    copy.yielded.push_back(mapping.lookupOrDefault(value));
  body.walk([&](Operation *nested) {
    for (Value result : nested->getResults())
      setType(mapping.lookup(result), result, chunk);
    if (isa<SendOp, RecvOp>(nested))
      t.channelChunks[mapping.lookup(nested)] = {
          chunk, *flow.dimOf(channelValue(nested)), logicalPiece(chunk)};
  });
  llvm::MapVector<std::pair<Value, int64_t>, Value> cuts;
  for (auto [operand, dim] : flow.outside) {
    Value &argument = cuts[{operand->get(), dim}];
    if (!argument) {
      argument =
          scratch.getBody().addArgument(chunkType(operand->get(), dim), loc);
      t.values[argument] = cut(operand->get(), dim, chunk);
    }
    mapping.lookup(operand->getOwner())
        ->setOperand(operand->getOperandNumber(), argument);
  }
  for (auto &[whole, argument] : cuts)
    notePlace(argument, whole.first, whole.second, chunk);
}

/// Put a chunk of a result where it belongs.
void OverlapExpansion::store(unsigned index, int64_t chunk) {
  Value result = op.getResult(index), yielded = copies[chunk].yielded[index];
  if (chunks == 1) {
    t.set(result, t.values[yielded].value,
          SmallVector<OpFoldResult>(t.values[yielded].sizes));
    return;
  }
  IndexMath m = t.math(loc);
  Value original = op.getBody().front().getTerminator()->getOperand(index);
  if (auto fused = original.getDefiningOp<FusedOp>())
    original = fused.getBody().front().getTerminator()->getOperand(
        cast<OpResult>(original).getResultNumber());
  int64_t dim = flow.dims.lookup(original).dim;
  RankValue value = t.values[yielded];
  bool scattered = isScattered(original, dim);
  Value &target = targets[index];
  if (!target) {
    SmallVector<OpFoldResult> sizes = value.sizes;
    sizes[dim] = logicalSize;
    t.set(result, Value(), sizes);
    SmallVector<OpFoldResult> local = t.localSizes(result, loc);
    SmallVector<int64_t> shape(localType(typeOf(result)).getShape());
    SmallVector<Value> open;
    for (auto [extent, size] : llvm::zip(shape, local))
      if (ShapedType::isDynamic(extent))
        open.push_back(m.value(size));
    target = tensor::EmptyOp::create(t.outer, loc, shape,
                                     typeOf(result).getElementType(), open);
    if (scattered)
      target = expandSlices(m, target, dim, slices);
  }
  Value source = value.value;
  Chunk piece = pieceOf(chunk);
  if (scattered)
    source = expandSlices(m, source, dim, slices);
  int64_t along = scattered ? dim + 1 : dim;
  auto [offsets, sizes, strides] =
      boxOf(m, source, along, piece.start, piece.length);
  auto box = RankedTensorType::get(llvm::map_to_vector(sizes, staticOr),
                                   typeOf(source).getElementType());
  if (source.getType() != box)
    source = tensor::CastOp::create(t.outer, loc, box, source);
  if (!hasNoElements(box))
    target = tensor::InsertSliceOp::create(t.outer, loc, source, target,
                                           offsets, sizes, strides);
  if (chunk + 1 < used)
    return;
  if (scattered)
    target = joinSlices(m, target, dim, localType(typeOf(result)));
  t.values[result].value = target;
}
