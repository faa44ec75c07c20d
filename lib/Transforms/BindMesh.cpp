//===- BindMesh.cpp - give the axes of the mesh their sizes -----------------===//

#include "Analysis/Channels.h"
#include "IR/Layout.h"
#include "Transforms/Passes.h"
#include "Transforms/StageRanks.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/SetVector.h"

namespace coconet {
#define GEN_PASS_DEF_BINDMESH
#include "CoCoNetPasses.h.inc"
} // namespace coconet

using namespace mlir;
using namespace coconet;

namespace {
struct BindMesh : coconet::impl::BindMeshBase<BindMesh> {
  using BindMeshBase::BindMeshBase;

  void runOnOperation() override {
    collectAttributes();
    if ((!meshes.empty() && failed(bind())) ||
        failed(assignStageRanks(getOperation())) ||
        failed(findChannels(getOperation())))
      signalPassFailure();
  }

private:
  llvm::SetVector<MeshAttr> meshes;
  llvm::SetVector<LayoutAttr> layouts;

  LogicalResult bind() {
    llvm::StringMap<int64_t> sizes;
    llvm::DenseMap<MeshAttr, MeshAttr> bound;
    if (failed(parseSizes(sizes)) || failed(bindMeshes(sizes, bound)))
      return failure();
    AttrTypeReplacer replacer;
    replacer.addReplacement(
        [&](MeshAttr mesh) -> Attribute { return bound.at(mesh); });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    return verify(getOperation());
  }

  void collectAttributes() {
    AttrTypeWalker walker;
    walker.addWalk([&](MeshAttr mesh) { meshes.insert(mesh); });
    walker.addWalk([&](LayoutAttr layout) { layouts.insert(layout); });
    getOperation()->walk([&](Operation *op) {
      walker.walk(op->getAttrDictionary());
      for (Type type : op->getResultTypes())
        walker.walk(type);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Type type : block.getArgumentTypes())
            walker.walk(type);
    });
  }

  /// The meshes with their sizes; refused where one, or a root on it, would be
  /// invalid.
  LogicalResult bindMeshes(const llvm::StringMap<int64_t> &sizes,
                           llvm::DenseMap<MeshAttr, MeshAttr> &bound) {
    Location loc = getOperation().getLoc();
    auto report = [&] { return emitError(loc); };
    for (MeshAttr mesh : meshes) {
      SmallVector<int64_t> all(mesh.getSizes());
      for (auto [axis, size] : llvm::zip(mesh.getAxes(), all))
        if (auto found = sizes.find(axis.getValue()); found != sizes.end())
          size = found->second;
      bound[mesh] = MeshAttr::getChecked(report, &getContext(), mesh.getAxes(),
                                         ArrayRef<int64_t>(all));
      if (!bound[mesh])
        return failure();
    }
    for (LayoutAttr layout : layouts)
      if (failed(LayoutAttr::verify(report, bound[layout.getMesh()],
                                    layout.getDims(), layout.getFlat(),
                                    layout.getPartial(), layout.getLocal(),
                                    layout.getRooted())))
        return failure();
    return success();
  }

  /// Sizes by axis from the options; reports what the meshes do not have and
  /// what stays open.
  LogicalResult parseSizes(llvm::StringMap<int64_t> &sizes) {
    Location loc = getOperation().getLoc();
    if (ranks < 0)
      return emitError(loc)
             << ranks.getValue() << " ranks; there is at least 1";
    if (ranks) {
      for (MeshAttr mesh : meshes)
        if (mesh.getAxes().size() != 1)
          return emitError(loc)
                 << "the number of ranks, " << ranks.getValue()
                 << ", binds a mesh of one axis, and " << formatMesh(mesh)
                 << " has " << mesh.getAxes().size()
                 << "; give the size of each axis by its name";
      for (MeshAttr mesh : meshes)
        sizes[mesh.getAxes().front().getValue()] = ranks;
    }
    for (StringRef entry : axes) {
      auto [name, text] = entry.split('=');
      int64_t size;
      if (text.getAsInteger(10, size) || size < 1)
        return emitError(loc)
               << "'" << entry << "' is no axis size; write dp=2";
      if (llvm::none_of(meshes, [name = name](MeshAttr mesh) {
            return mesh.hasAxis(name);
          }))
        return emitError(loc) << "unknown axis '" << name << "'; the mesh is "
                              << formatMesh(meshes.front());
      sizes[name] = size;
    }
    for (MeshAttr mesh : meshes)
      for (auto [axis, size] : llvm::zip(mesh.getAxes(), mesh.getSizes()))
        if (ShapedType::isDynamic(size) && !sizes.contains(axis.getValue()))
          return emitError(loc) << "axis '" << axis.getValue()
                                << "' has no size; give it by its name, or, of "
                                   "a mesh of one axis, the number of ranks";
    return success();
  }
};
} // namespace
