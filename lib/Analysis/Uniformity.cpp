//===- Uniformity.cpp - axes along which values differ --------------------===//

#include "Analysis/Uniformity.h"
#include "IR/Groups.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace coconet;

/// Axes along which the layout does not replicate.
static ArrayAttr usedAxes(LayoutAttr layout) {
  SmallVector<Attribute> axes;
  for (Attribute dim : layout.getDims())
    llvm::append_range(axes, cast<ArrayAttr>(dim));
  llvm::append_range(axes, layout.getFlat());
  llvm::append_range(axes, layout.getLocal());
  for (DictionaryAttr named : {layout.getPartial(), layout.getRooted()})
    for (NamedAttribute entry : named)
      axes.push_back(entry.getName());
  return ArrayAttr::get(layout.getContext(), axes);
}

Uniformity::Uniformity(FunctionOpInterface function, MeshAttr mesh,
                       int64_t ranks)
    : mesh(mesh) {
  if (!mesh || ranks == 1) // There is nobody to differ from.
    return;
  // Of more axes than bits, the last ones are one.
  for (size_t index = 0; index < mesh.getAxes().size(); ++index)
    all |= uint64_t(1) << std::min<size_t>(index, 63);
  for (BlockArgument argument : function.getArguments())
    if (auto layout = function.getArgAttrOfType<LayoutAttr>(
            argument.getArgNumber(), layoutAttr))
      raise(argument, axesOf(layout.getMesh(), usedAxes(layout)));
  for (Block &block : function.getFunctionBody())
    visitBlock(block);
}

std::string Uniformity::format(uint64_t axes) const {
  AxisList names;
  for (auto [index, axis] : llvm::enumerate(mesh.getAxes()))
    if (axes >> std::min<size_t>(index, 63) & 1)
      names.push_back(axis);
  return formatAxes(names);
}

uint64_t Uniformity::axesOf(MeshAttr other, ArrayAttr names) const {
  uint64_t axes = 0;
  for (StringAttr name : axisList(names)) {
    if (other.sizeOf(name.getValue()) == 1)
      continue;
    if (other != mesh)
      return all;
    axes |= uint64_t(1) << std::min<int64_t>(mesh.indexOf(name.getValue()), 63);
  }
  return axes & all;
}

uint64_t Uniformity::spannedBy(Operation *op) const {
  auto collective = cast<CollectiveOpInterface>(op);
  auto over = op->getAttrOfType<MeshAttr>("mesh");
  ArrayAttr groups = collective.getGroupLists();
  if (!groups)
    return axesOf(over, op->getAttrOfType<ArrayAttr>("axes"));
  SmallVector<Attribute> spanned;
  for (StringAttr axis : over.getAxes())
    if (groupsSpanAxis(groups, over, axis))
      spanned.push_back(axis);
  return axesOf(over, ArrayAttr::get(op->getContext(), spanned));
}

uint64_t Uniformity::unionOf(ValueRange values) const {
  uint64_t axes = 0;
  for (Value value : values)
    axes |= of(value);
  return axes;
}

void Uniformity::raise(Value value, uint64_t axes) {
  axes &= all;
  if (!axes)
    return;
  uint64_t &known = varying[value];
  changed |= (known | axes) != known;
  known |= axes;
}

uint64_t Uniformity::collectiveResult(Operation *op, uint64_t incoming) const {
  uint64_t span = spannedBy(op);
  StringRef kind = op->getName().stripDialect();
  bool agrees = llvm::is_contained(
      {"rank.all_reduce", "rank.all_gather", "rank.broadcast"}, kind);
  if (!agrees)
    return incoming | span;
  // Several groups of explicit ranks have a value each.
  ArrayAttr groups = cast<CollectiveOpInterface>(op).getGroupLists();
  if (!groups)
    return incoming & ~span;
  return groups.size() == 1 || !incoming ? 0 : all;
}

void Uniformity::visitBlock(Block &block) {
  for (Operation &op : block)
    visit(&op);
}

/// What a loop carries may differ later than at first.
void Uniformity::visitFor(Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  uint64_t bounds =
      of(loop.getLowerBound()) | of(loop.getUpperBound()) | of(loop.getStep());
  raise(loop.getInductionVar(), bounds);
  auto carry = [&] {
    changed = false;
    for (auto [argument, initial, yielded] :
         llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs(),
                   loop.getYieldedValues()))
      raise(argument, of(initial) | of(yielded));
    return changed;
  };
  carry();
  do
    visitBlock(*loop.getBody());
  while (carry());
  for (auto [result, argument] :
       llvm::zip(loop.getResults(), loop.getRegionIterArgs()))
    raise(result, of(argument) | bounds);
}

/// Regions of ops that yield their results, and of others, whose results depend
/// on all that is used inside.
void Uniformity::visitRegions(Operation *op, uint64_t incoming) {
  uint64_t used = 0, yielded = 0;
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      for (BlockArgument argument : block.getArguments())
        raise(argument, incoming);
      for (Operation &inner : block) {
        visit(&inner);
        (inner.hasTrait<OpTrait::IsTerminator>() ? yielded : used) |=
            unionOf(inner.getOperands());
      }
    }
  bool yields = isa<scf::IfOp>(op) || isa<CoCoNetDialect>(op->getDialect());
  for (Value result : op->getResults())
    raise(result, yielded | (isa<scf::IfOp>(op) || !yields ? incoming : 0) |
                      (yields ? 0 : used));
}

void Uniformity::visit(Operation *op) {
  if (isa<scf::ForOp>(op))
    return visitFor(op);
  uint64_t incoming = unionOf(op->getOperands());
  if (op->getNumRegions())
    return visitRegions(op, incoming);
  StringRef kind = op->getName().getStringRef();
  auto over = op->getAttrOfType<MeshAttr>("mesh");
  if (isa<CollectiveOpInterface>(op))
    incoming = collectiveResult(op, incoming);
  else if (kind == "coconet.rank.coordinate" || kind == "coconet.rank.shard")
    incoming |= axesOf(over, op->getAttrOfType<ArrayAttr>("axes"));
  else if (kind == "coconet.rank.recv") // What the other function computes.
    incoming = all;
  for (Value result : op->getResults())
    raise(result, incoming);
}
