//===- InferLayout.cpp - layouts of iterated ops ----------------------------===//
//
// The typing tables of the dialect for pointwise ops, contractions and
// reductions, decided axis by axis.
//
//===----------------------------------------------------------------------===//

#include "IR/Layout.h"
#include "IR/Refusal.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace coconet;

//===----------------------------------------------------------------------===//
// Linearity
//===----------------------------------------------------------------------===//

static bool isWideningFloatCast(Type from, Type to) {
  auto source = dyn_cast<FloatType>(getElementTypeOrSelf(from));
  auto target = dyn_cast<FloatType>(getElementTypeOrSelf(to));
  if (!source || !target)
    return false;
  return source == target || (source.getWidth() < target.getWidth());
}

bool coconet::isLinearIn(Linearity linearity,
                         const llvm::SmallBitVector &operands,
                         TypeRange operandTypes, Type resultType) {
  bool onlyFirst = operands.count() == 1 && operands.test(0);
  switch (linearity) {
  case Linearity::None:
  case Linearity::Max:
  case Linearity::Min:
    return false;
  case Linearity::First:
  case Linearity::Reduce:
    return onlyFirst;
  case Linearity::Joint:
    return operands.all();
  case Linearity::Product:
    return operands.count() == 1;
  case Linearity::Quotient:
    return onlyFirst && isa<FloatType>(getElementTypeOrSelf(resultType));
  case Linearity::Select:
    return !operands.test(0) && operands.test(1) && operands.test(2);
  case Linearity::Cast:
    return onlyFirst && isWideningFloatCast(operandTypes[0], resultType);
  }
  llvm_unreachable("all cases are handled");
}

//===----------------------------------------------------------------------===//
// Inference
//===----------------------------------------------------------------------===//

namespace {

class LayoutInference {
public:
  LayoutInference(StringRef opName, const Iteration &iteration,
                  ValueRange operands, Linearity linearity, bool monotone,
                  std::optional<Location> location)
      : opName(opName), iteration(iteration), operands(operands),
        linearity(linearity), monotone(monotone), location(location) {
    for (Value operand : operands)
      layouts.push_back(Layout::of(operand));
  }

  FailureOr<Layout> infer();

private:
  LogicalResult refuse(const Twine &message, const Twine &remedy) {
    return coconet::refuse(location, opName, message, remedy);
  }
  /// `operand 1 is a pending sum along 'dp'`.
  std::string describe(unsigned operand, StringAttr axis);

  LogicalResult checkMeshes();
  LogicalResult inferCuts();
  LogicalResult inferFlat();
  LogicalResult inferAxis(StringAttr axis);
  LogicalResult inferPartial(StringAttr axis, const llvm::SmallBitVector &set);
  LogicalResult refuseMixture(StringAttr axis);

  /// Iterator that dimension `dim` of the operand reads along, or -1.
  int64_t iteratorOf(unsigned operand, unsigned dim) {
    auto expr =
        dyn_cast<AffineDimExpr>(iteration.operandMaps[operand].getResult(dim));
    return expr ? int64_t(expr.getPosition()) : -1;
  }

  StringRef opName;
  const Iteration &iteration;
  ValueRange operands;
  Linearity linearity;
  bool monotone;
  std::optional<Location> location;
  SmallVector<Layout, 2> layouts;
  MeshAttr mesh;
  /// Axes that cut each iterator.
  SmallVector<AxisList> cuts;
  Layout result;
};

} // namespace

std::string LayoutInference::describe(unsigned operand, StringAttr axis) {
  return ("operand " + Twine(operand) + " is " +
          layouts[operand].describe(axis) + " along axis '" + axis.getValue() +
          "'")
      .str();
}

LogicalResult LayoutInference::checkMeshes() {
  for (const Layout &layout : layouts) {
    if (!layout.mesh)
      continue;
    if (mesh && mesh != layout.mesh)
      return refuse("operands lie on different meshes, " + formatMesh(mesh) +
                        " and " + formatMesh(layout.mesh),
                    "use one mesh");
    mesh = layout.mesh;
  }
  return success();
}

LogicalResult LayoutInference::inferCuts() {
  cuts.resize(iteration.iterators.size());
  SmallVector<int> cutter(cuts.size(), -1);
  for (unsigned operand = 0; operand < layouts.size(); ++operand) {
    for (auto [dim, axes] : llvm::enumerate(layouts[operand].dims)) {
      if (axes.empty())
        continue;
      int64_t iterator = iteratorOf(operand, dim);
      if (iterator < 0)
        return refuse("operand " + Twine(operand) + " has its dimension " +
                          Twine(dim) + " of size 1 cut by " + formatAxes(axes) +
                          " and repeated",
                      "all_gather it first; a dimension that is repeated is "
                      "never cut");
      if (!cuts[iterator].empty() && cuts[iterator] != axes)
        return refuse("operands " + Twine(cutter[iterator]) + " and " +
                          Twine(operand) + " are cut by " +
                          formatAxes(cuts[iterator]) + " and " +
                          formatAxes(axes) + " along the same dimension",
                      "make the cuts equal: all_gather one of them, or "
                      "all_to_all it to another dimension");
      cuts[iterator] = axes;
      cutter[iterator] = operand;
    }
  }
  // An axis cuts one iterator.
  for (unsigned i = 0; i < cuts.size(); ++i)
    for (unsigned j = 0; j < i; ++j)
      for (StringAttr axis : cuts[i])
        if (llvm::is_contained(cuts[j], axis))
          return refuse("operands " + Twine(cutter[j]) + " and " +
                            Twine(cutter[i]) +
                            " are cut along different "
                            "dimensions by axis '" +
                            axis.getValue() + "'",
                        "make the cuts equal: all_to_all one of them to the "
                        "other's dimension, or all_gather it");
  return success();
}

LogicalResult LayoutInference::inferFlat() {
  for (const Layout &layout : layouts)
    if (!layout.flat.empty())
      result.flat = layout.flat;
  if (result.flat.empty())
    return success();
  if (!iteration.isPointwise())
    return refuse("operand is cut flat by " + formatAxes(result.flat),
                  "all_gather it first; only pointwise ops take flat slices");
  for (auto [index, layout] : llvm::enumerate(layouts)) {
    auto type = cast<RankedTensorType>(operands[index].getType());
    // One element that is cut lies on one rank; it does not serve the others.
    bool scalar = type.hasStaticShape() && type.getNumElements() == 1 &&
                  layout.flat.empty();
    if (!scalar && !iteration.operandMaps[index].isIdentity())
      return refuse("operand " + Twine(index) +
                        " is broadcast against a flat slice",
                    "cut along a dimension instead, or broadcast_to the whole "
                    "shape first");
    if (!layout.flat.empty() ? layout.flat != result.flat : layout.isCut())
      return refuse("operand " + Twine(index) +
                        " is cut differently from a flat slice by " +
                        formatAxes(result.flat),
                    "make the cuts equal: all_gather one of them");
  }
  return success();
}

/// Layouts along one axis that do not go together, in words.
LogicalResult LayoutInference::refuseMixture(StringAttr axis) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(
      llvm::seq<unsigned>(0, layouts.size()), os,
      [&](unsigned operand) {
        os << "operand " << operand << " is "
           << layouts[operand].describe(axis);
      },
      " and ");
  bool pending = llvm::any_of(layouts, [&](const Layout &layout) {
    return layout.partialAlong(axis).has_value();
  });
  return refuse(
      text + " along axis '" + axis.getValue() + "'",
      pending ? "all_reduce the pending operand first, or reduce_scatter it "
                "to the cut of the other"
              : "bring the operands to one layout: broadcast a rooted or local "
                "value, all_gather a cut one");
}

LogicalResult LayoutInference::inferPartial(StringAttr axis,
                                            const llvm::SmallBitVector &set) {
  Reduction kind = *layouts[set.find_first()].partialAlong(axis);
  for (unsigned operand : set.set_bits())
    if (*layouts[operand].partialAlong(axis) != kind)
      return refuseMixture(axis);
  // A value cut on the axis against one that is pending there.
  for (const AxisList &axes : cuts)
    if (llvm::is_contained(axes, axis))
      return refuseMixture(axis);
  if (result.isFlatAlong(axis))
    return refuseMixture(axis);
  for (const Layout &layout : layouts)
    if (!layout.partialAlong(axis) && !layout.isReplicatedAlong(axis))
      return refuseMixture(axis);

  SmallVector<Type> types(operands.getTypes());
  auto resultType = RankedTensorType::get({}, iteration.elementType);
  bool passes = false;
  if (kind == Reduction::sum) {
    passes = coconet::isLinearIn(linearity, set, types, resultType) &&
             (!iteration.combining || *iteration.combining == Reduction::sum);
  } else {
    bool sameReduce =
        linearity == Linearity::Reduce && iteration.combining == kind;
    Linearity pair = kind == Reduction::max ? Linearity::Max : Linearity::Min;
    passes = monotone || sameReduce || (linearity == pair && set.all()) ||
             (linearity == Linearity::Cast &&
              isWideningFloatCast(types[0], resultType));
  }
  if (!passes) {
    unsigned operand = set.find_first();
    std::string remedy =
        "all_reduce operand " + Twine(operand).str() + " first";
    return refuse(describe(operand, axis) +
                      ", and the op does not pass a pending " +
                      stringifyReduction(kind),
                  remedy);
  }
  result.partial.emplace_back(axis, kind);
  return success();
}

LogicalResult LayoutInference::inferAxis(StringAttr axis) {
  llvm::SmallBitVector partial(layouts.size()), local(layouts.size()),
      rooted(layouts.size()), cut(layouts.size());
  for (auto [operand, layout] : llvm::enumerate(layouts)) {
    if (layout.partialAlong(axis))
      partial.set(operand);
    if (layout.isLocalAlong(axis))
      local.set(operand);
    if (layout.rootAlong(axis))
      rooted.set(operand);
    if (layout.dimCutBy(axis) >= 0 || layout.isFlatAlong(axis))
      cut.set(operand);
  }
  if (partial.any())
    return inferPartial(axis, partial);
  if (local.any() + rooted.any() + cut.any() > 1)
    return refuseMixture(axis);
  if (local.any())
    result.local.push_back(axis);
  if (rooted.any()) {
    int64_t root = *layouts[rooted.find_first()].rootAlong(axis);
    for (unsigned operand : rooted.set_bits())
      if (*layouts[operand].rootAlong(axis) != root)
        return refuseMixture(axis);
    result.rooted.emplace_back(axis, root);
  }
  return success();
}

FailureOr<Layout> LayoutInference::infer() {
  if (failed(checkMeshes()))
    return failure();
  result = Layout::replicated(iteration.resultMap.getNumResults(), mesh);
  if (!mesh)
    return result;
  if (failed(inferCuts()) || failed(inferFlat()))
    return failure();
  for (StringAttr axis : mesh.getAxes())
    if (failed(inferAxis(axis)))
      return failure();

  for (auto [dim, expr] : llvm::enumerate(iteration.resultMap.getResults()))
    if (auto iterator = dyn_cast<AffineDimExpr>(expr))
      result.dims[dim] = cuts[iterator.getPosition()];
  for (auto [iterator, axes] : llvm::enumerate(cuts))
    if (!isParallel(iteration.iterators[iterator])) {
      for (auto [operand, map] : llvm::enumerate(iteration.operandMaps))
        for (auto [dim, expr] : llvm::enumerate(map.getResults()))
          if (auto position = dyn_cast<AffineDimExpr>(expr);
              position && position.getPosition() == iterator &&
              layouts[operand].dims[dim] != axes)
            return refuse("contraction dimension is cut by " +
                              formatAxes(axes) + " on one side and by " +
                              formatAxes(layouts[operand].dims[dim]) +
                              " on the other",
                          "shard the other operand the same way");
      for (StringAttr axis : axes)
        result.partial.emplace_back(axis, *iteration.combining);
    }
  return result;
}

LogicalResult coconet::inferIterationType(StringRef opName,
                                          const Iteration &iteration,
                                          ValueRange operands,
                                          Linearity linearity, bool monotone,
                                          std::optional<Location> location,
                                          SmallVectorImpl<Type> &types) {
  FailureOr<Layout> layout = LayoutInference(opName, iteration, operands,
                                             linearity, monotone, location)
                                 .infer();
  if (failed(layout))
    return failure();
  SmallVector<int64_t> shape;
  for (AffineExpr expr : iteration.resultMap.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    shape.push_back(dim ? iteration.extents[dim.getPosition()] : 1);
  }
  types.push_back(
      layout->apply(RankedTensorType::get(shape, iteration.elementType)));
  return success();
}
