//===- TranslateLists.cpp - lists of tensors of one rank --------------------===//

#include "Conversion/ToRank/RankTranslator.h"
#include "IR/ListOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace coconet;

/// Type of one rank's tensor in a list: as it lies, but flat where a size is
/// open, since the operation on lists does not know the other sizes.
static RankedTensorType listType(RankedTensorType type) {
  RankedTensorType local = localType(type);
  if (local.hasStaticShape() || local.getRank() == 1)
    return local;
  return RankedTensorType::get({ShapedType::kDynamic}, local.getElementType());
}

FailureOr<SmallVector<OpFoldResult>>
RankTranslator::listElements(ForEachOp op) {
  IndexMath m = math(op.getLoc());
  SmallVector<OpFoldResult> elements;
  for (int64_t position = 0; position < int64_t(op.getCount()); ++position) {
    std::optional<OpFoldResult> known;
    for (unsigned list = 0; list < op.getBody().getNumArguments(); ++list) {
      OpFoldResult size =
          m.product(values[op.operandsOf(list)[position]].sizes);
      if (!known)
        known = representative(size);
      else if (failed(unify(op, *known, size)))
        return failure();
    }
    elements.push_back(*known);
  }
  return elements;
}

/// The region on one rank's flattenings; its first argument is the number of
/// elements of the logical tensors.
FailureOr<std::unique_ptr<Region>> RankTranslator::translateList(ForEachOp op) {
  auto region = std::make_unique<Region>();
  Block &block = region->emplaceBlock();
  Location loc = op.getLoc();
  OpFoldResult number = block.addArgument(outer.getIndexType(), loc);
  for (BlockArgument argument : op.getBody().getArguments()) {
    auto type = localType(cast<RankedTensorType>(argument.getType()));
    set(argument, block.addArgument(type, argument.getLoc()), number);
  }
  // Sizes inside of the region mean nothing outside of it.
  OpBuilder outside = outer;
  auto knownOutside = known;
  outer.setInsertionPointToEnd(&block);
  inner = outer;
  auto translate = [&]() -> LogicalResult {
    for (Operation &nested : op.getBody().front().without_terminator())
      if (failed(translateOp(&nested)))
        return failure();
    SmallVector<Value> yielded;
    for (Value operand : op.getYield().getOperands()) {
      RankValue &mapped = values[operand];
      OpFoldResult size = number;
      if (!mapped.sizes.empty() &&
          failed(unify(op, size, mapped.sizes.front())))
        return failure();
      auto type = localType(cast<RankedTensorType>(operand.getType()));
      Value local = mapped.value;
      if (local.getType() != type)
        local = tensor::CastOp::create(outer, loc, type, local);
      yielded.push_back(local);
    }
    YieldOp::create(outer, loc, yielded);
    return success();
  };
  LogicalResult result = translate();
  outer = outside;
  inner = outer;
  known = std::move(knownOutside);
  if (failed(result))
    return failure();
  return region;
}

LogicalResult RankTranslator::translateForEach(ForEachOp op) {
  Location loc = op.getLoc();
  IndexMath m = math(loc);
  FailureOr<SmallVector<OpFoldResult>> elements = listElements(op);
  if (failed(elements))
    return failure();
  SmallVector<Value> operands;
  for (OpFoldResult size : *elements)
    operands.push_back(m.value(size));
  for (Value operand : op.getOperands())
    operands.push_back(values[operand].value);
  SmallVector<Type> types;
  for (Value result : op.getResults())
    types.push_back(listType(cast<RankedTensorType>(result.getType())));
  FailureOr<std::unique_ptr<Region>> body = translateList(op);
  if (failed(body))
    return failure();
  auto list = ForEachOp::create(outer, loc, types, op.getCount(), operands);
  list->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  list.getBody().takeBody(**body);
  for (auto [index, result] : llvm::enumerate(op.getResults())) {
    auto type = cast<RankedTensorType>(result.getType());
    SmallVector<OpFoldResult> sizes;
    if (type.getRank())
      sizes = values[op.getOperands()[index % op.getCount()]].sizes;
    Value local = list.getResult(index);
    set(result, local, sizes);
    if (local.getType() != localType(type))
      values[result].value =
          reshape(local, localType(type), localSizes(result, loc), loc);
  }
  return success();
}
