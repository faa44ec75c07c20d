//===- CoCoNetDialect.cpp - registration and dialect attributes -------------===//

#include "IR/CollectiveTyping.h"
#include "IR/OverlapOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace coconet;

#include "CoCoNetDialect.cpp.inc"
#include "CoCoNetEnums.cpp.inc"
#include "CoCoNetInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "CoCoNetAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "CoCoNetTypes.cpp.inc"

namespace {

/// Short names for the attributes that types repeat: `#mesh`, `#partial`, ...
struct CoCoNetAsmInterface : public OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    if (isa<MeshAttr>(attr)) {
      os << "mesh";
      return AliasResult::OverridableAlias;
    }
    auto layout = dyn_cast<LayoutAttr>(attr);
    if (!layout)
      return AliasResult::NoAlias;
    if (!layout.getPartial().empty())
      os << "partial";
    else if (!layout.getLocal().empty())
      os << "local";
    else if (!layout.getRooted().empty())
      os << "rooted";
    else
      os << "sliced";
    return AliasResult::OverridableAlias;
  }
};

} // namespace

void CoCoNetDialect::initialize() {
  addInterfaces<CoCoNetAsmInterface>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "CoCoNetAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "CoCoNetTypes.cpp.inc"
      >();
  addCoreOps();
  addNeuralOps();
  addRootedOps();
  addChannelOps();
  addListOps();
  addOverlapOps();
  addRankOps();
  addKernelOps();
}

Operation *CoCoNetDialect::materializeConstant(OpBuilder &builder,
                                               Attribute value, Type type,
                                               Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, type, elements);
}

/// Values of a collective that has hops to round on can be narrowed.
static LogicalResult verifyNarrowing(Operation *op) {
  if (isa<DestinationStyleOpInterface>(op))
    return success(); // Its values have the wire type already.
  StringRef kind = op->getName().stripDialect();
  kind.consume_front("rank.");
  if (!llvm::is_contained({"all_reduce", "reduce_scatter", "all_gather",
                           "all_to_all", "broadcast", "reduce_to_root"},
                          kind))
    return op->emitOpError()
           << "has a wire type; only all_reduce, reduce_scatter, all_gather, "
              "all_to_all, broadcast and reduce_to_root have one";
  auto tensor = dyn_cast<ShapedType>(op->getOperand(0).getType());
  if (tensor &&
      (tensor.getElementType().isF32() || tensor.getElementType().isF64()))
    return success();
  return op->emitOpError()
         << "has a wire type, and no f32 or f64 values that could be narrowed";
}

/// How a collective is done: `coconet.wire_type`, `coconet.algorithm`, or
/// `coconet.channels`.
static LogicalResult verifyCollectiveAttribute(Operation *op,
                                               NamedAttribute attr) {
  StringRef name = attr.getName();
  if (!isa<CollectiveOpInterface>(op) && !op->getNumRegions() &&
      !isa<DestinationStyleOpInterface>(op))
    return op->emitOpError()
           << "carries '" << name << "', which belongs on a collective";
  if (name == wireTypeAttr) {
    auto type = dyn_cast<TypeAttr>(attr.getValue());
    if (!type || !(type.getValue().isF16() || type.getValue().isBF16()))
      return op->emitOpError() << "'" << name << "' is f16 or bf16";
    return verifyNarrowing(op);
  }
  if (name == algorithmAttr) {
    auto text = dyn_cast<StringAttr>(attr.getValue());
    if (!text ||
        !llvm::is_contained({"one_shot", "two_shot", "ring", "library"},
                            text.getValue()))
      return op->emitOpError()
             << "'" << name << "' is one_shot, two_shot, ring or library";
    return success();
  }
  auto count = dyn_cast<IntegerAttr>(attr.getValue());
  if (!count || count.getInt() < 1)
    return op->emitOpError() << "'" << name << "' is a positive integer";
  return success();
}

/// A cast from f32 that a split reduction of f16 or bf16 ends with.
static LogicalResult verifyRounding(Operation *op, NamedAttribute attr) {
  auto cast = dyn_cast<CastOp>(op);
  auto elementOf = [](Value value) {
    return llvm::cast<RankedTensorType>(value.getType()).getElementType();
  };
  if (cast && isa<UnitAttr>(attr.getValue()) &&
      elementOf(cast.getOperand()).isF32() &&
      (elementOf(cast.getResult()).isF16() ||
       elementOf(cast.getResult()).isBF16()))
    return success();
  return op->emitOpError() << "'" << roundingAttr
                           << "' marks a cast from f32 to f16 or bf16";
}

/// A set cannot hold every number.
static bool areDistinct(ArrayRef<int64_t> numbers) {
  SmallVector<int64_t> sorted(numbers);
  llvm::sort(sorted);
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

/// Which ranks run a function: `coconet.stage` or `coconet.ranks`.
static LogicalResult verifyStageAttribute(Operation *op, NamedAttribute attr) {
  StringRef name = attr.getName();
  if (!isa<FunctionOpInterface>(op))
    return op->emitOpError()
           << "carries '" << name << "', which belongs on a function";
  if (name == stageAttr) {
    auto stage = dyn_cast<IntegerAttr>(attr.getValue());
    if (!stage || stage.getInt() < 0)
      return op->emitOpError() << "'" << name << "' is an integer from 0";
    return success();
  }
  auto ranks = dyn_cast<DenseI64ArrayAttr>(attr.getValue());
  if (!ranks || ranks.empty() ||
      llvm::any_of(ranks.asArrayRef(),
                   [](int64_t rank) {
                     return rank < 0 ||
                            rank > std::numeric_limits<int32_t>::max();
                   }) ||
      !areDistinct(ranks.asArrayRef()))
    return op->emitOpError()
           << "'" << name << "' lists distinct ranks from 0 to "
           << std::numeric_limits<int32_t>::max() << ", at least one";
  return success();
}

LogicalResult CoCoNetDialect::verifyOperationAttribute(Operation *op,
                                                       NamedAttribute attr) {
  StringRef name = attr.getName();
  if (name == nameAttr || name == startedAttr) {
    if (!isa<StringAttr>(attr.getValue()))
      return op->emitOpError() << "attribute '" << name << "' must be a string";
    return success();
  }
  if (name == meshAttr) {
    if (!isa<MeshAttr>(attr.getValue()))
      return op->emitOpError()
             << "attribute '" << name << "' must be a #coconet.mesh";
    return success();
  }
  if (name == statesAttr) {
    if (!isa<IntegerAttr>(attr.getValue()))
      return op->emitOpError()
             << "attribute '" << name << "' must be an integer";
    return success();
  }
  if (name == wireTypeAttr || name == algorithmAttr || name == channelsAttr)
    return verifyCollectiveAttribute(op, attr);
  if (name == roundingAttr)
    return verifyRounding(op, attr);
  if (name == stageAttr || name == ranksAttr)
    return verifyStageAttribute(op, attr);
  return op->emitOpError() << "has unknown attribute '" << name
                           << "'; known are 'coconet.name' and 'coconet.mesh'";
}

/// Check one attribute of a function argument or result of type `type`.
static LogicalResult verifyValueAttribute(Operation *op, NamedAttribute attr,
                                          Type type, StringRef what,
                                          ArrayRef<StringLiteral> known) {
  StringRef name = attr.getName();
  if (!llvm::is_contained(known, name)) {
    return op->emitOpError()
           << what << " has unknown attribute '" << name << "'; known are '"
           << llvm::join(llvm::map_range(
                             known, [](StringLiteral s) { return s.str(); }),
                         "', '")
           << "'";
  }
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (name == stateAttr) {
    if (!isa<UnitAttr>(attr.getValue()) || !isa<ShapedType>(type))
      return op->emitOpError() << what << ": '" << name
                               << "' must be a unit attribute of a tensor";
    return success();
  }
  if (name == dimsAttr) {
    auto names = dyn_cast<ArrayAttr>(attr.getValue());
    if (!names || (tensor && int64_t(names.size()) != tensor.getRank()) ||
        !llvm::all_of(names, llvm::IsaPred<StringAttr>))
      return op->emitOpError()
             << what << ": '" << name
             << "' must be an array of one string per dimension";
    return success();
  }
  if (name == layoutAttr) {
    if (!isa<LayoutAttr>(attr.getValue()))
      return op->emitOpError()
             << what << ": '" << name << "' must be a #coconet.layout";
    return success();
  }
  if (name == sizeOfAttr) {
    auto place = dyn_cast<DenseI64ArrayAttr>(attr.getValue());
    if (!place || place.size() != 2 || !type.isIndex())
      return op->emitOpError()
             << what << ": '" << name
             << "' must be an argument number and a dimension, on an index";
    return success();
  }
  if (!isa<StringAttr>(attr.getValue()))
    return op->emitOpError() << what << ": '" << name << "' must be a string";
  return success();
}

LogicalResult CoCoNetDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                       unsigned argIndex,
                                                       NamedAttribute attr) {
  auto function = cast<FunctionOpInterface>(op);
  return verifyValueAttribute(
      op, attr, function.getArgumentTypes()[argIndex],
      ("argument " + Twine(argIndex)).str(),
      {stateAttr, dimsAttr, argNameAttr, layoutAttr, sizeOfAttr});
}

LogicalResult CoCoNetDialect::verifyRegionResultAttribute(Operation *op,
                                                          unsigned,
                                                          unsigned resultIndex,
                                                          NamedAttribute attr) {
  auto function = cast<FunctionOpInterface>(op);
  return verifyValueAttribute(op, attr, function.getResultTypes()[resultIndex],
                              ("result " + Twine(resultIndex)).str(),
                              {resultNameAttr, layoutAttr});
}
