//===- NeuralOps.cpp - composite layers, and access by index ----------------===//

#include "IR/NeuralOps.h"
#include "IR/Assembly.h"
#include "IR/Layout.h"
#include "IR/Refusal.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace coconet;

#define GET_OP_CLASSES
#include "CoCoNetNeuralOps.cpp.inc"

void CoCoNetDialect::addNeuralOps() {
  addOperations<
#define GET_OP_LIST
#include "CoCoNetNeuralOps.cpp.inc"
      >();
}

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static LogicalResult checkDim(std::optional<Location> location, int64_t dim,
                              Value operand) {
  int64_t rank = typeOf(operand).getRank();
  if (dim >= 0 && dim < rank)
    return success();
  return emitOptionalError(location, "dimension ", dim,
                           " is out of range for an operand of rank ", rank);
}

//===----------------------------------------------------------------------===//
// Normalisation
//===----------------------------------------------------------------------===//

static LogicalResult checkNorm(std::optional<Location> location,
                               ValueRange operands, ArrayRef<int64_t> dims,
                               const APFloat &eps) {
  if (dims.empty())
    return emitOptionalError(location, "normalises over no dimension; name one "
                                       "or several");
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t dim : dims) {
    if (failed(checkDim(location, dim, operands.front())))
      return failure();
    if (!seen.insert(dim).second)
      return emitOptionalError(location, "dimension ", dim,
                               " is normalised twice");
  }
  if (!eps.isFinite() || eps.isNegative())
    return emitOptionalError(location, "eps ", eps.convertToDouble(),
                             " is no small number; it is finite and at least "
                             "0");
  return success();
}

/// Type of a normalised tensor: pointwise in operand, scale and bias, which are
/// no larger than the operand.
static LogicalResult inferNorm(StringRef opName,
                               std::optional<Location> location,
                               ValueRange operands, ArrayRef<int64_t> dims,
                               const APFloat &eps,
                               SmallVectorImpl<Type> &types) {
  if (failed(checkNorm(location, operands, dims, eps)))
    return failure();
  RankedTensorType type = typeOf(operands.front());
  for (Value other : operands.drop_front())
    if (typeOf(other).getElementType() != type.getElementType())
      return emitOptionalError(
          location, "element types ", type.getElementType(), " and ",
          typeOf(other).getElementType(), " differ; cast one to the other");
  if (const AxisList &flat = Layout::of(type).flat; !flat.empty())
    return refuse(location, opName,
                  "operand is cut flat by " + formatAxes(flat),
                  "all_gather it first; only pointwise ops take flat slices");
  FailureOr<Iteration> iteration =
      buildPointwiseIteration(operands, type.getElementType(), location);
  if (failed(iteration))
    return failure();
  bool grows = int64_t(iteration->extents.size()) != type.getRank();
  for (auto [extent, size] : llvm::zip(iteration->extents, type.getShape()))
    grows |= !ShapedType::isDynamic(size) && extent != size;
  if (grows)
    return refuse(
        location, opName, "scale or bias is larger than the operand",
        "they broadcast to the operand's shape, aligned on the right");
  return inferIterationType(opName, *iteration, operands, Linearity::None,
                            /*monotone=*/false, location, types);
}

LogicalResult LayerNormOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  return inferNorm(getOperationName(), location, adaptor.getOperands(),
                   adaptor.getDims(), adaptor.getEps(), types);
}

LogicalResult RmsNormOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  return inferNorm(getOperationName(), location, adaptor.getOperands(),
                   adaptor.getDims(), adaptor.getEps(), types);
}

//===----------------------------------------------------------------------===//
// Access by index
//===----------------------------------------------------------------------===//

/// Iteration over the box of `operand`, of which `indices` and the result lack
/// dimension `dim`.
static FailureOr<Iteration> buildPick(Value operand, Value indices, int64_t dim,
                                      std::optional<Location> location) {
  if (failed(checkDim(location, dim, operand)))
    return failure();
  RankedTensorType type = typeOf(operand), index = typeOf(indices);
  MLIRContext *context = operand.getContext();
  unsigned rank = type.getRank();
  SmallVector<int64_t> rest(type.getShape());
  rest.erase(rest.begin() + dim);
  bool fits = index.getRank() == int64_t(rest.size());
  for (auto [size, given] : llvm::zip(rest, index.getShape()))
    fits &= ShapedType::isDynamic(size) || ShapedType::isDynamic(given) ||
            size == given;
  if (!fits)
    return emitOptionalError(location, "indices of type ", index,
                             " for an operand of type ", type,
                             "; they have its shape without dimension ", dim);
  Iteration iteration;
  iteration.iterators.assign(rank, utils::IteratorType::parallel);
  iteration.iterators[dim] = utils::IteratorType::reduction;
  llvm::append_range(iteration.extents, type.getShape());
  iteration.combining = Reduction::sum;
  iteration.elementType = type.getElementType();
  AffineMap whole = AffineMap::getMultiDimIdentityMap(rank, context);
  AffineMap others = whole.dropResult(dim);
  for (auto [expr, size] : llvm::zip(others.getResults(), index.getShape())) {
    int64_t &extent =
        iteration.extents[cast<AffineDimExpr>(expr).getPosition()];
    if (ShapedType::isDynamic(extent))
      extent = size;
  }
  iteration.operandMaps = {whole, others};
  iteration.resultMap = others;
  return iteration;
}

FailureOr<Iteration> PickOp::buildIteration(Adaptor adaptor,
                                            std::optional<Location> location) {
  return buildPick(adaptor.getOperand(), adaptor.getIndices(), adaptor.getDim(),
                   location);
}

Linearity PickOp::linearityOf(Adaptor) { return Linearity::First; }

LogicalResult CrossEntropyOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> location,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  FailureOr<Iteration> iteration = buildPick(
      adaptor.getLogits(), adaptor.getLabels(), adaptor.getDim(), location);
  if (failed(iteration) ||
      failed(inferIterationType(getOperationName(), *iteration,
                                adaptor.getOperands(), Linearity::None,
                                /*monotone=*/false, location, types)))
    return failure();
  // What is pending over cut classes is reduced inside.
  Layout layout = Layout::of(adaptor.getLogits());
  auto type = cast<RankedTensorType>(types.front());
  types.front() =
      withoutAxes(Layout::of(type), layout.dims[adaptor.getDim()]).apply(type);
  return success();
}

/// Iterators of one kind, one an extent; their numbers.
static SmallVector<unsigned> addIterators(Iteration &iteration,
                                          utils::IteratorType kind,
                                          ArrayRef<int64_t> extents) {
  unsigned first = iteration.extents.size();
  iteration.iterators.append(extents.size(), kind);
  llvm::append_range(iteration.extents, extents);
  return llvm::to_vector(llvm::seq<unsigned>(first, iteration.extents.size()));
}

FailureOr<Iteration> TakeOp::buildIteration(Adaptor adaptor,
                                            std::optional<Location> location) {
  RankedTensorType table = typeOf(adaptor.getTable());
  if (table.getRank() == 0)
    return emitOptionalError(location,
                             "the table has no rows; its rank is 1 or "
                             "more");
  Iteration iteration;
  iteration.combining = Reduction::sum;
  iteration.elementType = table.getElementType();
  using Kind = utils::IteratorType;
  auto places = addIterators(iteration, Kind::parallel,
                             typeOf(adaptor.getIndices()).getShape());
  auto row =
      addIterators(iteration, Kind::parallel, table.getShape().drop_front());
  auto rows =
      addIterators(iteration, Kind::reduction, table.getShape().take_front());
  MLIRContext *context = table.getContext();
  unsigned count = iteration.extents.size();
  auto map = [&](ArrayRef<unsigned> first, ArrayRef<unsigned> second) {
    SmallVector<unsigned> all(first);
    llvm::append_range(all, second);
    return AffineMap::getMultiDimMapWithTargets(count, all, context);
  };
  iteration.operandMaps = {map(rows, row), map(places, {})};
  iteration.resultMap = map(places, row);
  return iteration;
}

Linearity TakeOp::linearityOf(Adaptor) { return Linearity::First; }

FailureOr<Iteration>
ScatterAddOp::buildIteration(Adaptor adaptor,
                             std::optional<Location> location) {
  RankedTensorType updates = typeOf(adaptor.getUpdates());
  RankedTensorType indices = typeOf(adaptor.getIndices());
  int64_t rank = indices.getRank();
  bool fits = updates.getRank() >= rank;
  for (auto [size, given] : llvm::zip(updates.getShape(), indices.getShape()))
    fits &= ShapedType::isDynamic(size) || ShapedType::isDynamic(given) ||
            size == given;
  if (!fits)
    return emitOptionalError(location, "updates of type ", updates,
                             " at indices of type ", indices,
                             "; updates have the shape of the indices followed "
                             "by that of a row");
  int64_t count = adaptor.getRows();
  if (count < 0)
    return emitOptionalError(location, "adds into ", count,
                             " rows; their number is at least 0");
  Iteration iteration;
  iteration.combining = Reduction::sum;
  iteration.elementType = updates.getElementType();
  using Kind = utils::IteratorType;
  auto rows = addIterators(iteration, Kind::parallel, count);
  auto row = addIterators(iteration, Kind::parallel,
                          updates.getShape().drop_front(rank));
  auto places = addIterators(iteration, Kind::reduction, indices.getShape());
  // One place is a walk over places too: the op is never pointwise.
  if (places.empty())
    addIterators(iteration, Kind::reduction, 1);
  MLIRContext *context = updates.getContext();
  unsigned total = iteration.extents.size();
  auto map = [&](ArrayRef<unsigned> first, ArrayRef<unsigned> second) {
    SmallVector<unsigned> all(first);
    llvm::append_range(all, second);
    return AffineMap::getMultiDimMapWithTargets(total, all, context);
  };
  iteration.operandMaps = {map(places, row), map(places, {})};
  iteration.resultMap = map(rows, row);
  return iteration;
}

Linearity ScatterAddOp::linearityOf(Adaptor) { return Linearity::First; }

void ScatterRowsOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    effects.emplace_back(MemoryEffects::Read::get(), &operand,
                         SideEffects::DefaultResource::get());
    if (isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand,
                           SideEffects::DefaultResource::get());
  }
}
