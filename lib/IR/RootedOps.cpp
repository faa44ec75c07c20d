//===- RootedOps.cpp - collectives with a root, permute, barrier ------------===//

#include "IR/RootedOps.h"
#include "IR/Assembly.h"
#include "IR/CollectiveTyping.h"
#include "IR/RankTyping.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace coconet;

//===----------------------------------------------------------------------===//
// Pairs: `[[0, 1], [1, 0]]`
//===----------------------------------------------------------------------===//

static ParseResult parsePairs(OpAsmParser &parser, ArrayAttr &pairs) {
  return parseIntegerLists(parser, pairs, " in pairs");
}

static void printPairs(OpAsmPrinter &printer, Operation *, ArrayAttr pairs) {
  printIntegerLists(printer, pairs);
}

/// Check that pairs name positions in a group of `size`, each once a side.
static LogicalResult verifyPairs(Operation *op, ArrayAttr pairs, int64_t size) {
  llvm::SmallSet<int64_t, 8> sources, targets;
  for (Attribute attr : pairs) {
    auto pair = dyn_cast<DenseI64ArrayAttr>(attr);
    if (!pair || pair.size() != 2)
      return refuse(op, "has a pair that is no source and target",
                    "write `pairs [[0, 1], [1, 0]]`");
    for (int64_t position : pair.asArrayRef())
      if (position < 0 || (!ShapedType::isDynamic(size) && position >= size))
        return refuse(op,
                      "names position " + Twine(position) + " in a group of " +
                          formatSize(size),
                      "pairs are positions in the group, from 0");
    if (!sources.insert(pair[0]).second)
      return refuse(op, "sends from position " + Twine(pair[0]) + " twice",
                    "a member sends to one other; broadcast, or permute again");
    if (!targets.insert(pair[1]).second)
      return refuse(op, "sends to position " + Twine(pair[1]) + " twice",
                    "a member receives from one other");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Distributed programs
//===----------------------------------------------------------------------===//

FailureOr<RankedTensorType> ReduceToRootOp::inferType() {
  Collective c(*this);
  if (failed(verifyReduced(c, getReduction())) ||
      failed(c.verifyRoot(getRoot())))
    return failure();
  if (c.lists)
    return c.type;
  Layout result = withoutAxes(c.layout, c.axes);
  if (failed(c.setRoot(result, getRoot())))
    return failure();
  return result.apply(c.type);
}

FailureOr<RankedTensorType> GatherToRootOp::inferType() {
  Collective c(*this);
  if (c.lists) {
    if (!getDim())
      return c.refuse("gathers flat slices with explicit groups",
                      "name a dimension, or axes of the mesh");
    if (failed(c.verifyLists(/*equalSizes=*/true)) ||
        failed(c.verifyRoot(getRoot())) || failed(c.verifyDim(*getDim())))
      return failure();
    return multiplyDim(c.op, c.type, *getDim(), c.groupSize());
  }
  Layout result = c.layout;
  if (failed(c.verifyAxes()) || failed(c.verifyRoot(getRoot())) ||
      failed(c.removeCut(result, getDim())) ||
      failed(c.setRoot(result, getRoot())))
    return failure();
  return result.apply(c.type);
}

FailureOr<RankedTensorType> ScatterFromRootOp::inferType() {
  Collective c(*this);
  if (c.lists) {
    if (!getDim())
      return c.refuse("is cut flat with explicit groups",
                      "name a dimension, or axes of the mesh");
    if (failed(c.verifyLists(/*equalSizes=*/true)) ||
        failed(c.verifyRoot(getRoot())) || failed(c.verifyDim(*getDim())))
      return failure();
    return divideDim(c.op, c.type, *getDim(), c.groupSize());
  }
  if (failed(c.verifyAxes()) || failed(c.verifyRoot(getRoot())) ||
      failed(c.verifyRooted(getRoot(), "rooted")))
    return failure();
  Layout result = withoutAxes(c.layout, c.axes);
  if (failed(c.appendCut(result, getDim())))
    return failure();
  return result.apply(c.type);
}

/// Type of one rank's chunk of the cut by the axes, as a local value.
static FailureOr<RankedTensorType> typeOfChunk(Collective &c, int64_t dim) {
  Layout result = c.layout;
  if (failed(c.removeCut(result, dim)))
    return failure();
  int64_t parts = c.groupSize(), size = c.type.getDimSize(dim);
  if (ShapedType::isDynamic(parts) && !ShapedType::isDynamic(size))
    return c.refuse("takes chunks of " + Twine(size) +
                        " elements on a mesh with open sizes " +
                        formatMesh(c.layout.mesh),
                    "give the mesh axis a size, or leave the dimension open");
  if (!dividesExactly(size, concatAxes(result.dims[dim], c.axes),
                      c.layout.mesh))
    return c.refuse("takes chunks of " + Twine(size) + " elements cut by " +
                        formatAxes(c.layout.dims[dim]) +
                        ", which have different sizes",
                    "choose sizes that divide exactly, or all_gather first");
  llvm::append_range(result.local, c.axes);
  SmallVector<int64_t> shape(c.type.getShape());
  if (!ShapedType::isDynamic(size))
    shape[dim] = size / parts;
  return result.apply(RankedTensorType::get(shape, c.type.getElementType()));
}

FailureOr<RankedTensorType> PermuteOp::inferType() {
  Collective c(*this);
  if (failed(c.lists ? c.verifyLists(/*equalSizes=*/true) : c.verifyAxes()) ||
      failed(verifyPairs(*this, getPairs(), c.groupSize())))
    return failure();
  if (c.lists ||
      c.all([&](StringAttr axis) { return c.layout.isLocalAlong(axis); }))
    return c.type;
  int64_t dim = c.layout.dimCutBy(c.axes.front());
  if (dim < 0)
    return c.refuse("operand is " + c.describe(),
                    "it takes an operand that is local, or cut along a "
                    "dimension, along the axes of the group");
  return typeOfChunk(c, dim);
}

LogicalResult ReduceToRootOp::verify() { return verifyCollective(*this); }
LogicalResult GatherToRootOp::verify() { return verifyCollective(*this); }
LogicalResult ScatterFromRootOp::verify() { return verifyCollective(*this); }
LogicalResult PermuteOp::verify() { return verifyCollective(*this); }

LogicalResult BarrierOp::verify() {
  // Axes of an open mesh are members like any; explicit ranks need numbers.
  return verifyMembers(*this, getMesh(), getAxesAttr(), getGroupsAttr(),
                       /*bound=*/false);
}

//===----------------------------------------------------------------------===//
// Rank programs
//===----------------------------------------------------------------------===//

template <typename OpTy> static int64_t smallestOf(OpTy op) {
  return op.getGroupsAttr() ? smallestGroup(op.getGroupsAttr())
                            : op.getMesh().sizeOf(op.getGroupAxes());
}

LogicalResult RankReduceToRootOp::verify() {
  if (failed(verifyRankCollective(*this, {})))
    return failure();
  return verifyRoot(*this, getRoot(), smallestOf(*this));
}

LogicalResult RankGatherToRootOp::verify() {
  if (failed(verifyCut(*this, getDim(), /*cuts=*/false)))
    return failure();
  return verifyRoot(*this, getRoot(), smallestOf(*this));
}

LogicalResult RankScatterFromRootOp::verify() {
  if (failed(verifyCut(*this, getDim(), /*cuts=*/true)))
    return failure();
  return verifyRoot(*this, getRoot(), smallestOf(*this));
}

LogicalResult RankPermuteOp::verify() {
  if (failed(verifyRankCollective(*this, {})))
    return failure();
  return verifyPairs(*this, getPairs(), smallestOf(*this));
}

LogicalResult RankBarrierOp::verify() {
  return verifyMembers(*this, getMesh(), getAxesAttr(), getGroupsAttr());
}

#define GET_OP_CLASSES
#include "CoCoNetRootedOps.cpp.inc"

void CoCoNetDialect::addRootedOps() {
  addOperations<
#define GET_OP_LIST
#include "CoCoNetRootedOps.cpp.inc"
      >();
}
