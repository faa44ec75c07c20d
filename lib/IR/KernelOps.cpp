//===- KernelOps.cpp - kernels of one rank ----------------------------------===//

#include "IR/KernelOps.h"
#include "IR/Assembly.h"
#include "IR/Groups.h"
#include "IR/RankTyping.h"
#include "IR/Refusal.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace coconet;

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// Buffers among the inputs are read, those among the inits written. Kernels
/// over tensors have no effects; that ranks meet in them is kept by their order
/// in the program, which is the same on all ranks. Where ranks run other functions,
/// these would not lose or merge the same ones.
static void addEffects(DestinationStyleOpInterface op, Effects &effects) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  if (function && function->hasAttr(ranksAttr) && !isa<GemmOp>(op) &&
      op.hasPureTensorSemantics())
    effects.emplace_back(MemoryEffects::Write::get(),
                         SideEffects::DefaultResource::get());
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    if (op.isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand,
                           SideEffects::DefaultResource::get());
    else
      effects.emplace_back(MemoryEffects::Read::get(), &operand,
                           SideEffects::DefaultResource::get());
  }
}

#define EFFECTS(OP)                                                            \
  void OP::getEffects(Effects &effects) { addEffects(*this, effects); }
EFFECTS(SymmetricKernelOp)
EFFECTS(SymmetricPermuteOp)
EFFECTS(SymmetricAllToAllOp)
EFFECTS(GemmOp)
#undef EFFECTS

/// Number of members; of explicit groups the smallest or largest.
template <typename OpTy> static int64_t membersOf(OpTy op, bool largest) {
  if (!op.getGroupsAttr())
    return op.getMesh().sizeOf(axisList(op.getAxesAttr()));
  int64_t most = 0;
  for (Attribute group : op.getGroupsAttr())
    most = std::max<int64_t>(most, cast<DenseI64ArrayAttr>(group).size());
  return largest ? most : smallestGroup(op.getGroupsAttr());
}

template <typename OpTy> static LogicalResult verifyGroupOf(OpTy op) {
  return verifyGroup(op, op.getMesh(), op.getAxesAttr(), op.getGroupsAttr());
}

static int64_t rankOf(Value value) {
  return cast<ShapedType>(value.getType()).getRank();
}

LogicalResult SymmetricPermuteOp::verify() {
  if (failed(verifyGroupOf(*this)))
    return failure();
  int64_t members = membersOf(*this, /*largest=*/true);
  if (int64_t(getSources().size()) != members)
    return emitOpError() << "has " << getSources().size() << " sources for "
                         << members << " positions";
  for (int64_t source : getSources())
    if (source < -1 || source >= members)
      return emitOpError() << "copies from position " << source
                           << " in a group of " << members;
  return success();
}

LogicalResult SymmetricAllToAllOp::verify() {
  if (failed(verifyGroupOf(*this)))
    return failure();
  int64_t rank = rankOf(getInput());
  if (rankOf(getInit()) != rank ||
      getElementTypeOrSelf(getInput()) != getElementTypeOrSelf(getInit()))
    return refuse(*this, "writes a tensor of another rank or element type",
                  "input and init differ in the sizes of two dimensions");
  for (uint64_t dim : {getFromDim(), getIntoDim()})
    if (dim >= uint64_t(rank))
      return refuse(*this,
                    "names dimension " + Twine(int64_t(dim)) +
                        " of tensors of rank " + Twine(rank),
                    "dimensions are counted from 0");
  return success();
}

LogicalResult GemmOp::verify() {
  Type element = getElementTypeOrSelf(getInit());
  int64_t rank = rankOf(getInit());
  bool same = llvm::all_of(ValueRange{getLhs(), getRhs()}, [&](Value factor) {
    return getElementTypeOrSelf(factor) == element &&
           llvm::is_contained({int64_t(2), rank}, rankOf(factor));
  });
  if (rank >= 2 && same && !element.isF16() && !element.isBF16())
    return success();
  return refuse(
      *this, "has factors that the run-time library does not take",
      "factors are matrices, or batches of them like the init, of its "
      "element type, which is f32, f64 or an integer");
}

static bool combines(Access access) {
  return access == Access::reduce || access == Access::fold;
}

Reduction SymmetricKernelOp::reductionOf(unsigned operand) {
  unsigned index = 0;
  for (unsigned i = 0; i < operand; ++i)
    index += combines(accessOf(i));
  return cast<ReductionAttr>(getReductions()[index]).getValue();
}

LogicalResult SymmetricKernelOp::verify() {
  if (failed(verifyGroupOf(*this)))
    return failure();
  if (getRoot() && failed(verifyRoot(*this, *getRoot(),
                                     membersOf(*this, /*largest=*/false))))
    return failure();
  size_t operands = getInputs().size() + getInits().size();
  if (getAccesses().size() != operands || getMaps().size() != operands)
    return emitOpError() << "has " << getAccesses().size() << " accesses and "
                         << getMaps().size() << " maps for " << operands
                         << " operands";
  int64_t reduced = 0;
  for (unsigned i = 0; i < operands; ++i) {
    bool output = i >= getInputs().size();
    Access access = accessOf(i);
    reduced += combines(access);
    if (output ? access != Access::gather && access != Access::chunk &&
                     access != Access::fold
               : access == Access::gather || access == Access::fold)
      return emitOpError() << "uses " << (output ? "init " : "input ")
                           << (output ? i - getInputs().size() : i) << " as "
                           << stringifyAccess(access)
                           << (output
                                   ? "; an init is a chunk, a gather or a fold"
                                   : "; an input is no gather or fold");
    if (mapOf(i).getNumDims() != mapOf(0).getNumDims())
      return emitOpError() << "has maps of " << mapOf(0).getNumDims()
                           << " and of " << mapOf(i).getNumDims()
                           << " dimensions";
    // A flattening has one dimension.
    int64_t rank = getDim() ? rankOf(getOperand(i)) : 1;
    if (mapOf(i).getNumResults() != rank || mapOf(i).getNumSymbols())
      return emitOpError() << "has a map of " << mapOf(i).getNumResults()
                           << " results and " << mapOf(i).getNumSymbols()
                           << " symbols for operand " << i << ", which has "
                           << rank << " dimensions in the box";
  }
  if (getDim() && *getDim() >= uint64_t(mapOf(0).getNumDims()))
    return emitOpError() << "cuts dimension " << int64_t(*getDim())
                         << " of a box of " << mapOf(0).getNumDims()
                         << " dimensions";
  if (int64_t(getReductions().size()) != reduced)
    return emitOpError() << "has " << getReductions().size()
                         << " reductions for " << reduced
                         << " operands that are reduced or folded";
  Block &block = getBody().front();
  auto matches = [](TypeRange scalars, ValueRange shaped) {
    return llvm::equal(scalars, shaped, [](Type scalar, Value value) {
      return scalar == getElementTypeOrSelf(value);
    });
  };
  // What is reduced may stay as wide as it is added.
  SmallVector<Type> elements;
  for (auto [i, argument] : llvm::enumerate(block.getArgumentTypes())) {
    Type narrow = i < getInputs().size() ? getElementTypeOrSelf(getInputs()[i])
                                         : argument;
    bool widened =
        i < getInputs().size() && accessOf(i) == Access::reduce &&
        isa<FloatType>(narrow) && isa<FloatType>(argument) &&
        argument.getIntOrFloatBitWidth() > narrow.getIntOrFloatBitWidth();
    elements.push_back(widened ? narrow : argument);
  }
  if (!matches(elements, getInputs()) || !isa<YieldOp>(block.back()) ||
      !matches(block.back().getOperandTypes(), getInits()))
    return emitOpError() << "has a body that does not take one element an "
                            "input and yield one an init";
  return success();
}

LogicalResult KernelIndexOp::verify() {
  auto kernel = cast<SymmetricKernelOp>((*this)->getParentOp());
  // The kernel's own verifier says what is wrong with its maps.
  if (kernel.getMaps().empty() ||
      getDim() < uint64_t(kernel.mapOf(0).getNumDims()))
    return success();
  return emitOpError() << "names dimension " << int64_t(getDim())
                       << " of a box of " << kernel.mapOf(0).getNumDims()
                       << " dimensions";
}

#define GET_OP_CLASSES
#include "CoCoNetKernelOps.cpp.inc"

void CoCoNetDialect::addKernelOps() {
  addOperations<
#define GET_OP_LIST
#include "CoCoNetKernelOps.cpp.inc"
      >();
}
