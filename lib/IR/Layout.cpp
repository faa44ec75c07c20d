//===- Layout.cpp - layouts as a value --------------------------------------===//

#include "IR/Layout.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace coconet;

bool coconet::isCountable(ShapedType type) {
  int64_t count = 1;
  return !type.hasStaticShape() ||
         llvm::none_of(type.getShape(), [&](int64_t size) {
           return bool(llvm::MulOverflow(count, size, count));
         });
}

SmallVector<StringAttr> coconet::axisList(ArrayAttr axes) {
  SmallVector<StringAttr> names;
  if (axes)
    for (Attribute axis : axes)
      names.push_back(cast<StringAttr>(axis));
  return names;
}

Layout Layout::replicated(int64_t rank, MeshAttr mesh) {
  Layout layout;
  layout.mesh = mesh;
  layout.dims.resize(rank);
  return layout;
}

Layout Layout::of(RankedTensorType type) {
  Layout layout = replicated(type.getRank());
  auto attr = dyn_cast_or_null<LayoutAttr>(type.getEncoding());
  if (!attr)
    return layout;
  layout.mesh = attr.getMesh();
  for (auto [dim, axes] : llvm::enumerate(attr.getDims()))
    llvm::append_range(layout.dims[dim], axisList(cast<ArrayAttr>(axes)));
  llvm::append_range(layout.flat, axisList(attr.getFlat()));
  for (NamedAttribute entry : attr.getPartial())
    layout.partial.emplace_back(
        entry.getName(), cast<ReductionAttr>(entry.getValue()).getValue());
  llvm::append_range(layout.local, axisList(attr.getLocal()));
  for (NamedAttribute entry : attr.getRooted())
    layout.rooted.emplace_back(entry.getName(),
                               cast<IntegerAttr>(entry.getValue()).getInt());
  return layout;
}

Layout Layout::of(Value value) {
  return of(cast<RankedTensorType>(value.getType()));
}

static ArrayAttr axesAttr(MLIRContext *context, ArrayRef<StringAttr> axes) {
  SmallVector<Attribute> names(axes.begin(), axes.end());
  return ArrayAttr::get(context, names);
}

Attribute Layout::encoding() const {
  if (isReplicated())
    return {};
  MLIRContext *context = mesh.getContext();
  Builder builder(context);
  SmallVector<Attribute> lists;
  if (llvm::any_of(dims, [](const AxisList &axes) { return !axes.empty(); }))
    for (const AxisList &axes : dims)
      lists.push_back(axesAttr(context, axes));
  SmallVector<NamedAttribute> partials, roots;
  for (auto [axis, kind] : partial)
    partials.emplace_back(axis, ReductionAttr::get(context, kind));
  for (auto [axis, root] : rooted)
    roots.emplace_back(axis, builder.getI64IntegerAttr(root));
  AxisList sortedLocal = local;
  llvm::sort(sortedLocal, [&](StringAttr a, StringAttr b) {
    return mesh.indexOf(a.getValue()) < mesh.indexOf(b.getValue());
  });
  return LayoutAttr::get(
      context, mesh, ArrayAttr::get(context, lists), axesAttr(context, flat),
      DictionaryAttr::get(context, partials), axesAttr(context, sortedLocal),
      DictionaryAttr::get(context, roots));
}

RankedTensorType Layout::apply(RankedTensorType type) const {
  return RankedTensorType::get(type.getShape(), type.getElementType(),
                               encoding());
}

bool Layout::isCut() const {
  return !flat.empty() ||
         llvm::any_of(dims, [](const AxisList &axes) { return !axes.empty(); });
}

bool Layout::isReplicated() const {
  return !isCut() && partial.empty() && local.empty() && rooted.empty();
}

int64_t Layout::dimCutBy(StringAttr axis) const {
  for (auto [dim, axes] : llvm::enumerate(dims))
    if (llvm::is_contained(axes, axis))
      return dim;
  return -1;
}

bool Layout::isFlatAlong(StringAttr axis) const {
  return llvm::is_contained(flat, axis);
}

std::optional<Reduction> Layout::partialAlong(StringAttr axis) const {
  for (auto [name, kind] : partial)
    if (name == axis)
      return kind;
  return std::nullopt;
}

bool Layout::isLocalAlong(StringAttr axis) const {
  return llvm::is_contained(local, axis);
}

std::optional<int64_t> Layout::rootAlong(StringAttr axis) const {
  for (auto [name, root] : rooted)
    if (name == axis)
      return root;
  return std::nullopt;
}

bool Layout::isReplicatedAlong(StringAttr axis) const {
  return dimCutBy(axis) < 0 && !isFlatAlong(axis) && !partialAlong(axis) &&
         !isLocalAlong(axis) && !rootAlong(axis);
}

std::string Layout::describe(StringAttr axis) const {
  if (int64_t dim = dimCutBy(axis); dim >= 0)
    return ("cut along dimension " + Twine(dim) + " by " +
            formatAxes(dims[dim]))
        .str();
  if (isFlatAlong(axis))
    return "cut flat by " + formatAxes(flat);
  if (auto kind = partialAlong(axis))
    return ("a pending " + stringifyReduction(*kind)).str();
  if (isLocalAlong(axis))
    return "local";
  if (auto root = rootAlong(axis))
    return ("rooted at " + Twine(*root)).str();
  return "replicated";
}

std::string coconet::formatAxes(ArrayRef<StringAttr> axes) {
  std::string text = "{";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(axes, os,
                        [&](StringAttr axis) { os << axis.getValue(); });
  os << "}";
  return text;
}

std::string coconet::formatSize(int64_t size) {
  return ShapedType::isDynamic(size) ? "?" : std::to_string(size);
}

std::string coconet::formatMesh(MeshAttr mesh) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "<";
  llvm::interleaveComma(llvm::zip(mesh.getAxes(), mesh.getSizes()), os,
                        [&](auto axis) {
                          os << std::get<0>(axis).getValue() << " = "
                             << formatSize(std::get<1>(axis));
                        });
  os << ">";
  return text;
}

Layout coconet::withoutAxes(Layout layout, ArrayRef<StringAttr> axes) {
  auto named = [&](StringAttr axis) { return llvm::is_contained(axes, axis); };
  for (AxisList &list : layout.dims)
    llvm::erase_if(list, named);
  llvm::erase_if(layout.flat, named);
  llvm::erase_if(layout.local, named);
  llvm::erase_if(layout.partial,
                 [&](auto &entry) { return named(entry.first); });
  llvm::erase_if(layout.rooted,
                 [&](auto &entry) { return named(entry.first); });
  return layout;
}

bool coconet::isSuffix(ArrayRef<StringAttr> suffix, ArrayRef<StringAttr> list) {
  return suffix.size() <= list.size() &&
         list.take_back(suffix.size()) == suffix;
}

bool coconet::dividesExactly(int64_t size, ArrayRef<StringAttr> axes,
                             MeshAttr mesh) {
  int64_t parts = mesh.sizeOf(axes);
  if (parts == 1)
    return true;
  return ShapedType::isDynamic(size) || ShapedType::isDynamic(parts) ||
         size % parts == 0;
}
