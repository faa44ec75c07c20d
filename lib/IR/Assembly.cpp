//===- Assembly.cpp - custom directives of the assembly formats -------------===//

#include "IR/Assembly.h"
#include "IR/KernelOps.h"
#include "IR/ListOps.h"
#include "IR/OverlapOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace coconet;

/// Axes: `{dp, tp}`.
ParseResult coconet::parseAxes(OpAsmParser &parser, ArrayAttr &axes) {
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

void coconet::printAxes(OpAsmPrinter &printer, Operation *, ArrayAttr axes) {
  printer << "{";
  llvm::interleaveComma(axes, printer, [&](Attribute axis) {
    printer.printKeywordOrString(cast<StringAttr>(axis).getValue());
  });
  printer << "}";
}

ParseResult coconet::parseIntegerLists(OpAsmParser &parser, ArrayAttr &lists,
                                       StringRef context) {
  SmallVector<Attribute> parsed;
  auto parseList = [&]() -> ParseResult {
    SmallVector<int64_t> integers;
    auto parseInteger = [&]() {
      return parser.parseInteger(integers.emplace_back());
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                       parseInteger))
      return failure();
    parsed.push_back(parser.getBuilder().getDenseI64ArrayAttr(integers));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseList,
                                     context))
    return failure();
  lists = parser.getBuilder().getArrayAttr(parsed);
  return success();
}

void coconet::printIntegerLists(OpAsmPrinter &printer, ArrayAttr lists) {
  printer << "[";
  llvm::interleaveComma(lists, printer, [&](Attribute list) {
    printer << "[";
    if (auto integers = dyn_cast<DenseI64ArrayAttr>(list))
      llvm::interleaveComma(integers.asArrayRef(), printer);
    printer << "]";
  });
  printer << "]";
}

/// Group: `{dp, tp}` or `groups [[0, 1], [2, 3]]`.
ParseResult coconet::parseGroup(OpAsmParser &parser, ArrayAttr &axes,
                                ArrayAttr &groups) {
  if (failed(parser.parseOptionalKeyword("groups")))
    return parseAxes(parser, axes);
  return parseIntegerLists(parser, groups, " in groups");
}

void coconet::printGroup(OpAsmPrinter &printer, Operation *op, ArrayAttr axes,
                         ArrayAttr groups) {
  if (axes)
    return printAxes(printer, op, axes);
  printer << "groups ";
  printIntegerLists(printer,
                    groups ? groups : ArrayAttr::get(op->getContext(), {}));
}

/// CutDim: a dimension, or `flat` for none.
ParseResult coconet::parseCutDim(OpAsmParser &parser, IntegerAttr &dim) {
  if (succeeded(parser.parseOptionalKeyword("flat")))
    return success();
  int64_t value;
  if (parser.parseInteger(value))
    return failure();
  dim = parser.getBuilder().getI64IntegerAttr(value);
  return success();
}

void coconet::printCutDim(OpAsmPrinter &printer, Operation *, IntegerAttr dim) {
  if (dim)
    printer << dim.getInt();
  else
    printer << "flat";
}

#define GET_OP_CLASSES
#include "CoCoNetOps.cpp.inc"

void CoCoNetDialect::addCoreOps() {
  addOperations<
#define GET_OP_LIST
#include "CoCoNetOps.cpp.inc"
      >();
}
