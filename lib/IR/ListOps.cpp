//===- ListOps.cpp - lists of tensors --------------------------------------===//

#include "IR/ListOps.h"
#include "IR/Assembly.h"
#include "IR/Layout.h"
#include "IR/RankTyping.h"
#include "IR/Refusal.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace coconet;

static std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << "'" << type << "'";
  return text;
}

RankedTensorType coconet::flattenedType(RankedTensorType type) {
  Layout layout = Layout::of(type);
  if (llvm::any_of(layout.dims,
                   [](const AxisList &list) { return !list.empty(); }))
    return {};
  layout.dims.assign(1, {});
  return layout.apply(
      RankedTensorType::get({ShapedType::kDynamic}, type.getElementType()));
}

RankedTensorType coconet::withFlatCut(RankedTensorType type) {
  Layout layout = Layout::of(type);
  if (type.getRank() != 1 || layout.dims.front().empty())
    return type;
  layout.flat = std::exchange(layout.dims.front(), {});
  return layout.apply(type);
}

//===----------------------------------------------------------------------===//
// for_each
//===----------------------------------------------------------------------===//

/// Operands and results come in lists of `count`.
static LogicalResult verifyCounts(ForEachOp op, YieldOp yield) {
  int64_t count = op.getCount();
  if (count < 1)
    return refuse(op, "is over " + Twine(count) + " tensors",
                  "a list has at least one tensor");
  if (op.getBody().getNumArguments() == 0 ||
      int64_t(op.getOperands().size()) !=
          count * op.getBody().getNumArguments())
    return refuse(op,
                  "has " + Twine(op.getOperands().size()) + " operands for " +
                      Twine(op.getBody().getNumArguments()) + " lists of " +
                      Twine(count),
                  "give every list of the region as many tensors as `count`");
  if (!yield ||
      int64_t(op.getResults().size()) != count * yield.getNumOperands())
    return refuse(op,
                  "has " + Twine(op.getResults().size()) +
                      " results, which are not " + Twine(count) +
                      " for each yielded value",
                  "yield one value per list of results");
  return success();
}

/// The block argument stands for each tensor of its list.
static LogicalResult verifyList(ForEachOp op, unsigned list) {
  Type argument = op.argumentOf(list).getType();
  for (Value operand : op.operandsOf(list)) {
    if (isa<IndexType>(operand.getType()) && operand.getType() == argument)
      continue;
    auto tensor = dyn_cast<RankedTensorType>(operand.getType());
    auto flat = dyn_cast<RankedTensorType>(argument);
    RankedTensorType wanted = tensor ? flattenedType(tensor) : flat;
    if (tensor && !wanted)
      return refuse(op,
                    "takes a tensor cut along a dimension, " + textOf(tensor),
                    "cut it flat, or all_gather it first: a list holds "
                    "flattenings");
    if (!tensor || !flat || wanted != withFlatCut(flat))
      return refuse(op,
                    "has block argument " + Twine(list) + " of type " +
                        textOf(argument) + " for a list with " +
                        textOf(operand.getType()),
                    "it is of type " + textOf(wanted ? wanted : argument) +
                        " for all tensors of the list");
  }
  return success();
}

/// Tensors at one position have one number of elements, but in rank programs.
static LogicalResult verifySizes(ForEachOp op) {
  unsigned lists = op.getBody().getNumArguments();
  for (unsigned list = 0; list < lists; ++list)
    if (isa<IndexType>(op.argumentOf(list).getType()))
      return success();
  for (int64_t position = 0; position < int64_t(op.getCount()); ++position) {
    std::optional<int64_t> known;
    for (unsigned list = 0; list < lists; ++list) {
      auto type =
          cast<RankedTensorType>(op.operandsOf(list)[position].getType());
      if (!type.hasStaticShape())
        continue;
      if (known && *known != type.getNumElements())
        return refuse(op,
                      "has tensors of " + Twine(*known) + " and of " +
                          Twine(type.getNumElements()) +
                          " elements at position " + Twine(position),
                      "sort all lists alike; a single element for all tensors "
                      "is used from outside");
      known = type.getNumElements();
    }
  }
  return success();
}

/// What may stand in the region, and be used there.
static LogicalResult verifyContents(ForEachOp op) {
  Region &body = op.getBody();
  WalkResult result = body.walk([&](Operation *inner) {
    if (isa<UpdateOp, ForEachOp>(inner)) {
      InFlightDiagnostic diag = op.emitOpError()
                                << "holds '" << inner->getName() << "'";
      diag.attachNote(inner->getLoc())
          << (isa<UpdateOp>(inner)
                  ? "yield the new value, and update each state after the list"
                  : "make one list of all tensors");
      return WalkResult::interrupt();
    }
    for (Value operand : inner->getOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.getType());
      if (!type || body.isAncestor(operand.getParentRegion()) ||
          isOneElement(type))
        continue;
      InFlightDiagnostic diag = op.emitOpError()
                                << "uses " << textOf(type)
                                << " from outside, which is no single element";
      diag.attachNote(inner->getLoc()) << "make it a list of the operation";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// A yielded flattening takes the shapes of the first list, a scalar stays one.
static LogicalResult verifyResults(ForEachOp op) {
  bool isRank = isa<IndexType>(op.getOperands().front().getType());
  for (auto [list, value] : llvm::enumerate(op.getYield().getOperands())) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || type.getRank() > 1 ||
        (type.getRank() == 1 && !type.isDynamicDim(0)))
      return refuse(op, "yields " + textOf(value.getType()),
                    "yield flattenings, which are of open size, or scalars");
    for (auto [operand, result] :
         llvm::zip(op.operandsOf(0), op.resultsOf(list))) {
      auto found = cast<RankedTensorType>(result.getType());
      RankedTensorType wanted = type;
      if (type.getRank() == 1) {
        RankedTensorType flat = flattenedType(found);
        auto like = isRank ? found : cast<RankedTensorType>(operand.getType());
        if (flat == withFlatCut(type) &&
            (isRank || like.getShape() == found.getShape()))
          continue;
        Layout layout = Layout::of(withFlatCut(type));
        layout.dims.assign(like.getRank(), {});
        wanted = layout.apply(
            RankedTensorType::get(like.getShape(), type.getElementType()));
      }
      if (found != wanted)
        return refuse(op,
                      "has a result of type " + textOf(found) + " in list " +
                          Twine(list),
                      "it is of type " + textOf(wanted));
    }
  }
  return success();
}

LogicalResult ForEachOp::verifyRegions() {
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (failed(verifyCounts(*this, yield)))
    return failure();
  for (unsigned list = 0; list < getBody().getNumArguments(); ++list)
    if (failed(verifyList(*this, list)))
      return failure();
  if (failed(verifySizes(*this)) || failed(verifyContents(*this)))
    return failure();
  return verifyResults(*this);
}

//===----------------------------------------------------------------------===//
// list_kernel
//===----------------------------------------------------------------------===//

std::optional<std::pair<unsigned, int64_t>>
ListKernelOp::placeOf(unsigned operand) {
  int64_t count = getCount();
  unsigned inputs = getInputs().size(), scalars = getScalars().size();
  if (operand >= inputs && operand < inputs + scalars)
    return std::nullopt;
  if (operand >= inputs)
    operand -= scalars;
  return std::pair(unsigned(operand / count), int64_t(operand % count));
}

void ListKernelOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  // Passes ask once an operand.
  unsigned inits = getInputs().size() + getScalars().size();
  auto *resource = SideEffects::DefaultResource::get();
  auto *read = MemoryEffects::Read::get();
  auto *write = MemoryEffects::Write::get();
  effects.reserve(effects.size() + (*this)->getNumOperands());
  for (OpOperand &operand : (*this)->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    if (operand.getOperandNumber() < inits)
      effects.emplace_back(read, &operand, resource);
    else
      effects.emplace_back(write, &operand, resource);
  }
}

/// Every list is used in a way that kernels have.
static LogicalResult verifyAccesses(ListKernelOp op) {
  unsigned inputs = op.getNumInputLists();
  int64_t reduced = 0;
  for (unsigned list = 0; list < op.getAccesses().size(); ++list) {
    Access access = op.accessOf(list);
    reduced += access == Access::reduce || access == Access::fold;
    bool output = list >= inputs;
    bool known = output ? access == Access::gather || access == Access::chunk ||
                              access == Access::fold
                        : access != Access::gather && access != Access::fold;
    if (!known)
      return op.emitOpError()
             << "uses " << (output ? "init list " : "input list ")
             << (output ? list - inputs : list) << " as "
             << stringifyAccess(access)
             << (output ? "; an init is a chunk, a gather or a fold"
                        : "; an input is neither gathered nor folded");
  }
  if (int64_t(op.getReductions().size()) != reduced)
    return op.emitOpError()
           << "has " << op.getReductions().size() << " reductions for "
           << reduced << " lists that are reduced or folded";
  return success();
}

LogicalResult ListKernelOp::verify() {
  if (getMesh() &&
      failed(verifyGroup(*this, *getMesh(), getAxesAttr(), getGroupsAttr())))
    return failure();
  int64_t count = getCount();
  if (count < 1 || getInputs().size() % count || getInits().size() % count)
    return emitOpError() << "has " << getInputs().size() << " inputs and "
                         << getInits().size()
                         << " inits, which are no lists of " << count;
  if (getAccesses().size() != getNumInputLists() + getNumInitLists())
    return emitOpError() << "has " << getAccesses().size() << " accesses for "
                         << getNumInputLists() + getNumInitLists() << " lists";
  if (failed(verifyAccesses(*this)))
    return failure();
  SmallVector<Type> taken, given;
  auto add = [&](SmallVectorImpl<Type> &types, ValueRange tensors,
                 int64_t step) {
    for (auto [index, tensor] : llvm::enumerate(tensors)) {
      Type element = getElementTypeOrSelf(tensor);
      if (index % step == 0)
        types.push_back(element);
      else if (types.back() != element)
        return false;
    }
    return true;
  };
  if (!add(taken, getInputs(), count) || !add(taken, getScalars(), 1) ||
      !add(given, getInits(), count))
    return emitOpError() << "has a list of tensors of several element types";
  Block &block = getBody().front();
  if (!llvm::equal(block.getArgumentTypes(), taken) ||
      !isa<YieldOp>(block.back()) ||
      !llvm::equal(block.back().getOperandTypes(), given))
    return emitOpError()
           << "has a body that does not take one element an input "
              "list and a scalar, and yield one an init list";
  return success();
}

#define GET_OP_CLASSES
#include "CoCoNetListOps.cpp.inc"

void CoCoNetDialect::addListOps() {
  addOperations<
#define GET_OP_LIST
#include "CoCoNetListOps.cpp.inc"
      >();
}
