//===- CollectiveOptions.cpp - forms of split, wire types, algorithms -------===//

#include "IR/Assembly.h"
#include "TransformOps/Assembly.h"
#include "TransformOps/CoCoNetTransformOps.h"
#include "Transforms/SetAlgorithm.h"
#include "Transforms/SetWireType.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace coconet;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// `dim 0`, or `flat`.
static ParseResult parseCut(OpAsmParser &parser, IntegerAttr &dim) {
  if (succeeded(parser.parseOptionalKeyword("flat")))
    return success();
  if (failed(parser.parseOptionalKeyword("dim")))
    return parser.emitError(parser.getCurrentLocation())
           << "expected 'dim' and a dimension, or 'flat'";
  int64_t value;
  if (parser.parseInteger(value))
    return failure();
  dim = parser.getBuilder().getI64IntegerAttr(value);
  return success();
}

static void printCut(OpAsmPrinter &printer, IntegerAttr dim) {
  if (dim)
    printer << " dim " << dim.getInt();
  else
    printer << " flat";
}

ParseResult coconet::parseSplitForm(OpAsmParser &parser, IntegerAttr &dim,
                                    IntegerAttr &root, ArrayAttr &inner,
                                    ArrayAttr &outer) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  StringRef form;
  if (parser.parseKeyword(&form))
    return failure();
  if (form == "rs_ag")
    return parseCut(parser, dim);
  if (form == "reduce_broadcast") {
    int64_t position;
    if (parser.parseKeyword("root") || parser.parseInteger(position))
      return failure();
    root = parser.getBuilder().getI64IntegerAttr(position);
    return success();
  }
  if (form == "hierarchical")
    return failure(parseCut(parser, dim) || parser.parseKeyword("inner") ||
                   parseAxes(parser, inner) || parser.parseKeyword("outer") ||
                   parseAxes(parser, outer));
  return parser.emitError(loc)
         << "an all_reduce is not split into '" << form
         << "'; write rs_ag, reduce_broadcast or hierarchical";
}

void coconet::printSplitForm(OpAsmPrinter &printer, Operation *op,
                             IntegerAttr dim, IntegerAttr root, ArrayAttr inner,
                             ArrayAttr outer) {
  if (root) {
    printer << "reduce_broadcast root " << root.getInt();
    return;
  }
  printer << (inner ? "hierarchical" : "rs_ag");
  printCut(printer, dim);
  if (!inner || !outer)
    return;
  printer << " inner ";
  printAxes(printer, op, inner);
  printer << " outer ";
  printAxes(printer, op, outer);
}

ParseResult coconet::parseKeyword(OpAsmParser &parser, StringAttr &keyword) {
  std::string text;
  if (parser.parseKeywordOrString(&text))
    return failure();
  keyword = parser.getBuilder().getStringAttr(text);
  return success();
}

void coconet::printKeyword(OpAsmPrinter &printer, Operation *,
                           StringAttr keyword) {
  printer.printKeywordOrString(keyword.getValue());
}

LogicalResult coconet::SplitOp::verify() {
  if (bool(getInnerAttr()) != bool(getOuterAttr()) ||
      (getRootAttr() && (getInnerAttr() || getDimAttr())))
    return emitOpError() << "mixes the options of several forms; give dim, "
                            "root, or inner and outer axes";
  size_t parts = getInnerAttr() ? 3 : 2;
  if (getParts().size() == parts)
    return success();
  return emitOpError() << "gives " << parts << " handles, not "
                       << getParts().size();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Apply to every op of a handle; the first refusal as a silenceable failure.
static DiagnosedSilenceableFailure
applyToAll(Operation *op, transform::TransformState &state, Value handle,
           llvm::function_ref<LogicalResult(Operation *, Refusal &)> apply) {
  for (Operation *target : state.getPayloadOps(handle)) {
    Refusal refusal;
    if (succeeded(apply(target, refusal)))
      continue;
    DiagnosedSilenceableFailure diag =
        emitSilenceableFailure(op->getLoc(), refusal.message);
    for (auto &[location, note] : refusal.notes)
      diag.attachNote(location) << note;
    return diag;
  }
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure
coconet::WireTypeOp::apply(transform::TransformRewriter &,
                           transform::TransformResults &,
                           transform::TransformState &state) {
  return applyToAll(*this, state, getTarget(),
                    [&](Operation *op, Refusal &refusal) {
                      return coconet::setWireType(op, getType(), refusal);
                    });
}

DiagnosedSilenceableFailure
coconet::AlgorithmOp::apply(transform::TransformRewriter &,
                            transform::TransformResults &,
                            transform::TransformState &state) {
  return applyToAll(*this, state, getTarget(),
                    [&](Operation *op, Refusal &refusal) {
                      return coconet::setAlgorithm(op, getAlgorithm(),
                                                   getChannels(), refusal);
                    });
}

void coconet::WireTypeOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::onlyReadsHandle(getTargetMutable(), effects);
  transform::modifiesPayload(effects);
}

void coconet::AlgorithmOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::onlyReadsHandle(getTargetMutable(), effects);
  transform::modifiesPayload(effects);
}
