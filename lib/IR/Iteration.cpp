//===- Iteration.cpp - shapes of iterated ops -------------------------------===//

#include "IR/Layout.h"
#include "IR/Refusal.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace coconet;

bool Iteration::isPointwise() const {
  return llvm::all_of(iterators, isParallel) && resultMap.isIdentity() &&
         llvm::all_of(operandMaps, [](AffineMap map) {
           // Dimensions appear right-aligned and in order, or are constant.
           unsigned offset = map.getNumDims() - map.getNumResults();
           return llvm::all_of(
               llvm::enumerate(map.getResults()), [&](auto entry) {
                 auto dim = dyn_cast<AffineDimExpr>(entry.value());
                 return !dim || dim.getPosition() == offset + entry.index();
               });
         });
}

static std::string formatShape(RankedTensorType type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "[";
  llvm::interleaveComma(type.getShape(), os,
                        [&](int64_t size) { os << formatSize(size); });
  os << "]";
  return text;
}

/// Merge the size of an operand's dimension into an iterator's extent.
static bool mergeExtent(int64_t &extent, int64_t size) {
  if (ShapedType::isDynamic(extent))
    extent = size;
  return ShapedType::isDynamic(size) || extent == size;
}

FailureOr<Iteration>
coconet::buildPointwiseIteration(ValueRange operands, Type elementType,
                                 std::optional<Location> location) {
  MLIRContext *context = elementType.getContext();
  int64_t rank = 0;
  for (Value operand : operands)
    rank = std::max(rank, cast<RankedTensorType>(operand.getType()).getRank());

  Iteration iteration;
  iteration.elementType = elementType;
  iteration.iterators.assign(rank, utils::IteratorType::parallel);
  iteration.extents.assign(rank, 1);
  iteration.resultMap = AffineMap::getMultiDimIdentityMap(rank, context);
  SmallVector<bool> known(rank, false);
  for (Value operand : operands) {
    auto type = cast<RankedTensorType>(operand.getType());
    SmallVector<AffineExpr> exprs;
    for (auto [dim, size] : llvm::enumerate(type.getShape())) {
      int64_t iterator = rank - type.getRank() + dim;
      if (size == 1) {
        exprs.push_back(getAffineConstantExpr(0, context));
        continue;
      }
      exprs.push_back(getAffineDimExpr(iterator, context));
      if (!known[iterator])
        iteration.extents[iterator] = size;
      else if (!mergeExtent(iteration.extents[iterator], size))
        return emitOptionalError(
            location, "shapes ",
            formatShape(cast<RankedTensorType>(operands[0].getType())), " and ",
            formatShape(type),
            " do not broadcast; aligned on the right, sizes are equal or "
            "statically 1");
      known[iterator] = true;
    }
    iteration.operandMaps.push_back(AffineMap::get(rank, 0, exprs, context));
  }
  // A size of 1 that nobody exceeds is an ordinary dimension: it is repeated
  // for nobody.
  for (auto [operand, map] : llvm::zip(operands, iteration.operandMaps)) {
    auto type = cast<RankedTensorType>(operand.getType());
    SmallVector<AffineExpr> exprs(map.getResults());
    for (auto [dim, size] : llvm::enumerate(type.getShape())) {
      int64_t iterator = rank - type.getRank() + dim;
      if (size == 1 && !known[iterator])
        exprs[dim] = getAffineDimExpr(iterator, context);
    }
    map = AffineMap::get(rank, 0, exprs, context);
  }
  return iteration;
}

//===----------------------------------------------------------------------===//
// Pointwise ops
//===----------------------------------------------------------------------===//

/// Operands from `first` on have one element type, which is the result's.
static FailureOr<Iteration>
buildSameTypeIteration(ValueRange operands, unsigned first,
                       std::optional<Location> location) {
  Type elementType = getElementTypeOrSelf(operands[first].getType());
  for (Value operand : operands.drop_front(first))
    if (Type other = getElementTypeOrSelf(operand.getType());
        other != elementType)
      return emitOptionalError(location, "element types ", elementType, " and ",
                               other, " differ; cast one to the other");
  return buildPointwiseIteration(operands, elementType, location);
}

#define SAME_TYPE(OP)                                                          \
  FailureOr<Iteration> OP::buildIteration(Adaptor adaptor,                     \
                                          std::optional<Location> location) {  \
    return buildSameTypeIteration(adaptor.getOperands(), 0, location);         \
  }
SAME_TYPE(AddOp)
SAME_TYPE(SubOp)
SAME_TYPE(MulOp)
SAME_TYPE(DivOp)
SAME_TYPE(PowOp)
SAME_TYPE(MaxOp)
SAME_TYPE(MinOp)
SAME_TYPE(NegOp)
SAME_TYPE(AbsOp)
SAME_TYPE(SqrtOp)
SAME_TYPE(RsqrtOp)
SAME_TYPE(ExpOp)
SAME_TYPE(LogOp)
SAME_TYPE(TanhOp)
SAME_TYPE(SigmoidOp)
SAME_TYPE(ReluOp)
SAME_TYPE(GeluOp)
SAME_TYPE(SiluOp)
#undef SAME_TYPE

FailureOr<Iteration>
IsFiniteOp::buildIteration(Adaptor adaptor, std::optional<Location> location) {
  Type i1 = IntegerType::get(adaptor.getOperand().getContext(), 1);
  return buildPointwiseIteration(adaptor.getOperands(), i1, location);
}

FailureOr<Iteration>
CompareOp::buildIteration(Adaptor adaptor, std::optional<Location> location) {
  FailureOr<Iteration> iteration =
      buildSameTypeIteration(adaptor.getOperands(), 0, location);
  if (succeeded(iteration))
    iteration->elementType = IntegerType::get(adaptor.getLhs().getContext(), 1);
  return iteration;
}

FailureOr<Iteration>
SelectOp::buildIteration(Adaptor adaptor, std::optional<Location> location) {
  return buildSameTypeIteration(adaptor.getOperands(), 1, location);
}

FailureOr<Iteration> CastOp::buildIteration(Adaptor adaptor,
                                            std::optional<Location> location) {
  if (!adaptor.getElementType().isIntOrFloat())
    return emitOptionalError(location, "casts to ", adaptor.getElementType(),
                             "; elements are floats or integers");
  return buildPointwiseIteration(adaptor.getOperands(),
                                 adaptor.getElementType(), location);
}

FailureOr<Iteration>
DropoutOp::buildIteration(Adaptor adaptor, std::optional<Location> location) {
  if (cast<RankedTensorType>(adaptor.getStep().getType()).getRank() != 0)
    return emitOptionalError(location, "the step is a tensor of rank 0, got ",
                             adaptor.getStep().getType());
  if (cast<RankedTensorType>(adaptor.getStep().getType()).getEncoding())
    return refuse(location, getOperationName(),
                  "has a step that differs from rank to rank",
                  "the step is replicated; all_gather or all_reduce it first");
  return buildPointwiseIteration(
      adaptor.getOperands(),
      getElementTypeOrSelf(adaptor.getOperand().getType()), location);
}

LogicalResult coconet::verifyDropout(Operation *op, const APFloat &rate,
                                     int64_t stream) {
  double probability = rate.convertToDouble();
  if (!(probability >= 0.0 && probability < 1.0))
    return op->emitOpError()
           << "rate " << probability
           << " is no probability; it is at least 0 and below 1";
  if (stream < 0 || stream >= (int64_t(1) << 16))
    return op->emitOpError()
           << "stream " << stream
           << " is out of range; it is at least 0 and below 65536";
  return success();
}

LogicalResult DropoutOp::verify() {
  return verifyDropout(*this, getRate(), getStream());
}

//===----------------------------------------------------------------------===//
// Contractions and reductions
//===----------------------------------------------------------------------===//

static LogicalResult matchExtent(Iteration &iteration, unsigned iterator,
                                 int64_t size, StringRef what,
                                 std::optional<Location> location) {
  int64_t before = iteration.extents[iterator];
  if (mergeExtent(iteration.extents[iterator], size))
    return success();
  return emitOptionalError(location, what, " sizes ", before, " and ", size,
                           " differ");
}

FailureOr<Iteration>
MatmulOp::buildIteration(Adaptor adaptor, std::optional<Location> location) {
  MLIRContext *context = adaptor.getLhs().getContext();
  auto lhs = cast<RankedTensorType>(adaptor.getLhs().getType());
  auto rhs = cast<RankedTensorType>(adaptor.getRhs().getType());
  if (lhs.getElementType() != rhs.getElementType())
    return emitOptionalError(location, "element types ", lhs.getElementType(),
                             " and ", rhs.getElementType(),
                             " differ; cast one to the other");
  if (lhs.getRank() < 2 || rhs.getRank() < 2 ||
      (lhs.getRank() != rhs.getRank() && lhs.getRank() != 2 &&
       rhs.getRank() != 2))
    return emitOptionalError(location, "operands of ranks ", lhs.getRank(),
                             " and ", rhs.getRank(),
                             "; both have rank 2 or more, and equal batch "
                             "dimensions or none on one side");

  // Iterators: batch dimensions, then m, n, k.
  unsigned batch = std::max(lhs.getRank(), rhs.getRank()) - 2;
  unsigned m = batch, n = batch + 1, k = batch + 2;
  Iteration iteration;
  iteration.elementType = lhs.getElementType();
  iteration.iterators.assign(batch + 2, utils::IteratorType::parallel);
  iteration.iterators.push_back(utils::IteratorType::reduction);
  iteration.extents.assign(batch + 3, ShapedType::kDynamic);
  iteration.combining = Reduction::sum;
  auto addOperand = [&](RankedTensorType type, unsigned row,
                        unsigned column) -> LogicalResult {
    SmallVector<unsigned> dims;
    for (unsigned b = 0; b + 2 < type.getRank(); ++b)
      dims.push_back(b);
    dims.append({row, column});
    for (auto [dim, iterator] : llvm::enumerate(dims))
      if (failed(matchExtent(iteration, iterator, type.getDimSize(dim),
                             iterator == k ? "contraction" : "batch",
                             location)))
        return failure();
    iteration.operandMaps.push_back(
        AffineMap::getMultiDimMapWithTargets(batch + 3, dims, context));
    return success();
  };
  bool transposeLhs = adaptor.getTransposeLhs();
  bool transposeRhs = adaptor.getTransposeRhs();
  if (failed(addOperand(lhs, transposeLhs ? k : m, transposeLhs ? m : k)) ||
      failed(addOperand(rhs, transposeRhs ? n : k, transposeRhs ? k : n)))
    return failure();
  auto result = llvm::to_vector(llvm::seq<unsigned>(0, batch + 2));
  iteration.resultMap =
      AffineMap::getMultiDimMapWithTargets(batch + 3, result, context);
  return iteration;
}

static Reduction combiningKind(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::max:
    return Reduction::max;
  case ReduceKind::min:
    return Reduction::min;
  case ReduceKind::sum:
  case ReduceKind::mean:
    return Reduction::sum;
  }
  llvm_unreachable("all kinds are handled");
}

FailureOr<Iteration>
ReduceOp::buildIteration(Adaptor adaptor, std::optional<Location> location) {
  MLIRContext *context = adaptor.getOperand().getContext();
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  int64_t rank = type.getRank();
  if (adaptor.getKind() == ReduceKind::mean &&
      !isa<FloatType>(type.getElementType()))
    return emitOptionalError(location, "mean of ", type.getElementType(),
                             " values; cast to a float type first");
  Iteration iteration;
  iteration.elementType = type.getElementType();
  iteration.iterators.assign(rank, utils::IteratorType::parallel);
  llvm::append_range(iteration.extents, type.getShape());
  iteration.combining = combiningKind(adaptor.getKind());
  for (int64_t dim : adaptor.getDims()) {
    if (dim < 0 || dim >= rank)
      return emitOptionalError(location, "dimension ", dim,
                               " is out of range for an operand of rank ",
                               rank);
    if (!isParallel(iteration.iterators[dim]))
      return emitOptionalError(location, "dimension ", dim,
                               " is reduced twice");
    iteration.iterators[dim] = utils::IteratorType::reduction;
  }
  iteration.operandMaps = {AffineMap::getMultiDimIdentityMap(rank, context)};
  SmallVector<AffineExpr> result;
  for (int64_t dim : llvm::seq<int64_t>(0, rank)) {
    if (isParallel(iteration.iterators[dim]))
      result.push_back(getAffineDimExpr(dim, context));
    else if (adaptor.getKeepDims())
      result.push_back(getAffineConstantExpr(0, context));
  }
  iteration.resultMap = AffineMap::get(rank, 0, result, context);
  return iteration;
}
