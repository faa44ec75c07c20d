//===- ReorderPastSend.cpp - send slices, gather after receiving ------------===//

#include "Transforms/ReorderPastSend.h"
#include "Analysis/Channels.h"
#include "IR/Groups.h"

using namespace mlir;
using namespace coconet;

namespace {

/// A send of a slice, and the all_gather that is to be behind the recv.
struct SlicedSend {
  SendOp send;
  RecvOp recv;
  MeshAttr mesh; ///< of the receiver
  std::string what;
};

} // namespace

/// The other end of the channel; refused where there is not exactly one.
static LogicalResult findRecv(SlicedSend &plan, Refusal &refusal) {
  SmallVector<RecvOp> found;
  if (auto module = plan.send->getParentOfType<ModuleOp>())
    module.walk([&](RecvOp recv) {
      if (recv.getChannel() == plan.send.getChannel())
        found.push_back(recv);
    });
  auto sent = cast<RankedTensorType>(plan.send.getOperand().getType());
  if (found.size() == 1 &&
      cast<RankedTensorType>(found[0].getResult().getType()).getShape() ==
          sent.getShape()) {
    plan.recv = found[0];
    return success();
  }
  return refusal.set(plan.send,
                     plan.what + "channel '" + plan.send.getChannel() +
                         "' has no one recv of the same shape",
                     "receive in another function of the module what is sent");
}

/// The receiver can gather: its mesh has the axes.
static LogicalResult checkReceiver(SlicedSend &plan, MeshAttr senderMesh,
                                   ArrayRef<StringAttr> axes,
                                   Refusal &refusal) {
  if (failed(findRecv(plan, refusal)))
    return failure();
  MeshAttr mesh = plan.mesh =
      findMesh(plan.recv->getParentOfType<FunctionOpInterface>());
  for (StringAttr axis : axes) {
    int64_t size = senderMesh.sizeOf(axis.getValue());
    if (mesh && mesh.hasAxis(axis.getValue()) &&
        mesh.sizeOf(axis.getValue()) == size)
      continue;
    refusal.set(plan.send,
                plan.what + "the receiver's mesh has no axis '" + axis.str() +
                    "' of size " + formatSize(size),
                "name the axis in the mesh of the function that receives");
    refusal.addNote(plan.recv.getLoc(),
                    mesh ? "it receives on " + formatMesh(mesh)
                         : std::string("the function that receives has no "
                                       "mesh"));
    return failure();
  }
  return success();
}

/// Send `slice` and gather what is received.
static AllGatherOp rewrite(RewriterBase &rewriter, const SlicedSend &plan,
                           Value slice, IntegerAttr dim, ArrayAttr axes,
                           Location loc, const Twine &name) {
  SendOp send = plan.send;
  RecvOp recv = plan.recv;
  rewriter.modifyOpInPlace(send,
                           [&] { send.getOperandMutable().assign(slice); });
  Value received = recv.getResult();
  auto whole = cast<RankedTensorType>(received.getType());
  Layout layout = Layout::of(slice);
  layout.mesh = plan.mesh;
  rewriter.modifyOpInPlace(recv,
                           [&] { received.setType(layout.apply(whole)); });
  rewriter.setInsertionPointAfter(recv);
  auto gather = AllGatherOp::create(rewriter, loc, whole, received, dim, axes,
                                    ArrayAttr());
  if (!name.isTriviallyEmpty())
    setName(gather, name);
  rewriter.replaceAllUsesExcept(received, gather.getResult(), gather);
  return gather;
}

FailureOr<AllGatherOp> coconet::reorderPastSend(RewriterBase &rewriter,
                                                AllGatherOp gather, SendOp send,
                                                Refusal &refusal) {
  SlicedSend plan{send,
                  {},
                  {},
                  "cannot reorder " + describe(gather) + " past " +
                      describe(send) + ": "};
  if (failed(checkUnchunked(send, "cannot reorder past", refusal)))
    return failure();
  if (send.getOperand() != gather.getResult())
    return refusal.set(send, plan.what + "it does not send what is gathered",
                       "reorder the all_gather past the computations between "
                       "the two first");
  if (gather.getGroupsAttr())
    return refusal.set(gather, plan.what + "its group is given as lists",
                       "name the axes of the mesh, so that the cut is part of "
                       "the type");
  if (failed(checkReceiver(plan, Layout::of(gather.getOperand()).mesh,
                           gather.getGroupAxes(), refusal)))
    return failure();
  AllGatherOp after =
      rewrite(rewriter, plan, gather.getOperand(), gather.getDimAttr(),
              gather.getAxesAttr(), gather.getLoc(), getName(gather));
  if (gather.getResult().use_empty())
    rewriter.eraseOp(gather);
  return after;
}

FailureOr<AllGatherOp> coconet::sliceSend(RewriterBase &rewriter, SendOp send,
                                          std::optional<int64_t> dim,
                                          ArrayRef<StringAttr> axes,
                                          Refusal &refusal) {
  if (failed(checkUnchunked(send, "cannot slice", refusal)))
    return failure();
  SlicedSend plan{send, {}, {}, "cannot slice " + describe(send) + ": "};
  auto type = cast<RankedTensorType>(send.getOperand().getType());
  Layout layout = Layout::of(type);
  MeshAttr mesh = layout.mesh;
  if (auto function = send->getParentOfType<FunctionOpInterface>();
      function && !mesh)
    mesh = findMesh(function);
  for (StringAttr axis : axes)
    if (!mesh || !mesh.hasAxis(axis.getValue()) ||
        !layout.isReplicatedAlong(axis))
      return refusal.set(send,
                         plan.what + "the value is not replicated along '" +
                             axis.str() + "'",
                         "name axes of the mesh along which all ranks hold it");
  if (axes.empty() || (dim && (*dim < 0 || *dim >= type.getRank())))
    return refusal.set(send,
                       plan.what + "it has no such dimension, or no axis is "
                                   "named",
                       "name a dimension of the value, and axes to cut it by");
  layout.mesh = mesh;
  if (std::string fault = findCutFault(layout, type, dim, axes); !fault.empty())
    return refusal.set(send, plan.what + "it " + fault,
                       "cut another dimension, or by other axes");
  if (failed(checkReceiver(plan, mesh, axes, refusal)))
    return failure();

  Builder builder(send.getContext());
  auto dimAttr = dim ? builder.getI64IntegerAttr(*dim) : IntegerAttr();
  SmallVector<Attribute> names(axes.begin(), axes.end());
  ArrayAttr axesAttr = builder.getArrayAttr(names);
  llvm::append_range(dim ? layout.dims[*dim] : layout.flat, axes);
  rewriter.setInsertionPoint(send);
  Value slice = ShardOp::create(rewriter, send.getLoc(), layout.apply(type),
                                send.getOperand(), dimAttr, axesAttr);
  StringRef name = getName(send);
  return rewrite(rewriter, plan, slice, dimAttr, axesAttr, send.getLoc(),
                 name.empty() ? Twine() : name + ".ag");
}
