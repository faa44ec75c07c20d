//===- Assembly.cpp - custom directives of the assembly formats -------------===//

#include "IR/CoCoNet.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace coconet;

/// Axes: `{dp, tp}`.
static ParseResult parseAxes(OpAsmParser &parser, ArrayAttr &axes) {
  SmallVector<Attribute> names;
  auto parseName = [&]() -> ParseResult {
    std::string name;
    if (parser.parseKeywordOrString(&name))
      return failure();
    names.push_back(parser.getBuilder().getStringAttr(name));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, parseName,
                                     " in axis list"))
    return failure();
  axes = parser.getBuilder().getArrayAttr(names);
  return success();
}

static void printAxes(OpAsmPrinter &printer, Operation *, ArrayAttr axes) {
  printer << "{";
  llvm::interleaveComma(axes, printer, [&](Attribute axis) {
    printer.printKeywordOrString(cast<StringAttr>(axis).getValue());
  });
  printer << "}";
}

/// Group: `{dp, tp}` or `groups [[0, 1], [2, 3]]`.
static ParseResult parseGroup(OpAsmParser &parser, ArrayAttr &axes,
                              ArrayAttr &groups) {
  if (failed(parser.parseOptionalKeyword("groups")))
    return parseAxes(parser, axes);
  SmallVector<Attribute> lists;
  auto parseList = [&]() -> ParseResult {
    SmallVector<int64_t> ranks;
    auto parseRank = [&]() {
      return parser.parseInteger(ranks.emplace_back());
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRank))
      return failure();
    lists.push_back(parser.getBuilder().getDenseI64ArrayAttr(ranks));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseList,
                                     " in groups"))
    return failure();
  groups = parser.getBuilder().getArrayAttr(lists);
  return success();
}

static void printGroup(OpAsmPrinter &printer, Operation *op, ArrayAttr axes,
                       ArrayAttr groups) {
  if (axes)
    return printAxes(printer, op, axes);
  printer << "groups [";
  if (groups)
    llvm::interleaveComma(groups, printer, [&](Attribute list) {
      printer << "[";
      llvm::interleaveComma(cast<DenseI64ArrayAttr>(list).asArrayRef(),
                            printer);
      printer << "]";
    });
  printer << "]";
}

/// CutDim: a dimension, or `flat` for none.
static ParseResult parseCutDim(OpAsmParser &parser, IntegerAttr &dim) {
  if (succeeded(parser.parseOptionalKeyword("flat")))
    return success();
  int64_t value;
  if (parser.parseInteger(value))
    return failure();
  dim = parser.getBuilder().getI64IntegerAttr(value);
  return success();
}

static void printCutDim(OpAsmPrinter &printer, Operation *, IntegerAttr dim) {
  if (dim)
    printer << dim.getInt();
  else
    printer << "flat";
}

#define GET_OP_CLASSES
#include "CoCoNetOps.cpp.inc"
