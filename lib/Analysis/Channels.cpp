//===- Channels.cpp - programs of unlike ranks ------------------------------===//

#include "Analysis/Channels.h"
#include "Analysis/ChunkFlow.h"
#include "IR/Layout.h"
#include "IR/OverlapOps.h"
#include "IR/Refusal.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace coconet;

MeshAttr coconet::findMesh(FunctionOpInterface function) {
  for (Operation *holder : {function.getOperation(), function->getParentOp()})
    if (auto mesh = holder->getAttrOfType<MeshAttr>(meshAttr))
      return mesh;
  MeshAttr mesh;
  auto look = [&](Type type) {
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor && tensor.getEncoding() && !mesh)
      mesh = Layout::of(tensor).mesh;
  };
  llvm::for_each(function.getArgumentTypes(), look);
  function.walk(
      [&](Operation *op) { llvm::for_each(op->getResultTypes(), look); });
  return mesh;
}

ArrayRef<int64_t> coconet::ranksOf(Operation *function) {
  auto ranks = function->getAttrOfType<DenseI64ArrayAttr>(ranksAttr);
  return ranks ? ranks.asArrayRef() : ArrayRef<int64_t>();
}

SmallVector<FunctionOpInterface> coconet::findStages(ModuleOp module) {
  SmallVector<FunctionOpInterface> stages;
  for (auto function : module.getOps<FunctionOpInterface>())
    if (function->hasAttr(stageAttr) || function->hasAttr(ranksAttr))
      stages.push_back(function);
  return stages;
}

static FunctionOpInterface functionOf(Operation *op) {
  return op->getParentOfType<FunctionOpInterface>();
}

static std::string quote(StringAttr channel) {
  return "channel '" + channel.str() + "'";
}

/// The layout without its mesh, and the sizes of the axes that it uses.
static bool sameLayout(const Layout &sent, const Layout &received) {
  if (sent.dims != received.dims || sent.flat != received.flat ||
      sent.partial != received.partial || sent.local != received.local ||
      sent.rooted != received.rooted)
    return false;
  if (!sent.mesh || !received.mesh)
    return true;
  return llvm::all_of(sent.mesh.getAxes(), [&](StringAttr axis) {
    if (sent.isReplicatedAlong(axis))
      return true;
    int64_t mine = sent.mesh.sizeOf(axis.getValue());
    int64_t other = received.mesh.sizeOf(axis.getValue());
    return mine == other || ShapedType::isDynamic(mine) ||
           ShapedType::isDynamic(other);
  });
}

/// Number of ranks of a function; kDynamic where it is not known yet.
static int64_t countRanks(FunctionOpInterface function) {
  if (ArrayRef<int64_t> ranks = ranksOf(function); !ranks.empty())
    return ranks.size();
  MeshAttr mesh = findMesh(function);
  return mesh ? mesh.getNumRanks() : ShapedType::kDynamic;
}

static LogicalResult checkTypes(StringAttr name, const Channel &channel) {
  SendOp send = channel.send;
  RecvOp recv = channel.recv;
  auto sent = cast<RankedTensorType>(send.getOperand().getType());
  auto received = cast<RankedTensorType>(recv.getResult().getType());
  if (sent.getShape() != received.getShape() ||
      sent.getElementType() != received.getElementType() ||
      !sameLayout(Layout::of(sent), Layout::of(received))) {
    InFlightDiagnostic diag = recv.emitOpError();
    diag << "takes " << received << " from " << quote(name);
    diag.attachNote(send.getLoc()) << "this is sent: " << sent;
    diag.attachNote(recv.getLoc())
        << "both types are equal up to the mesh, and "
           "axes of the layout have equal sizes";
    return diag;
  }
  int64_t senders = countRanks(functionOf(send));
  int64_t receivers = countRanks(functionOf(recv));
  if (senders == receivers || ShapedType::isDynamic(senders) ||
      ShapedType::isDynamic(receivers))
    return success();
  InFlightDiagnostic diag = recv.emitOpError();
  diag << "of " << quote(name) << " is run by " << receivers << " ranks";
  diag.attachNote(send.getLoc())
      << "the send is run by " << senders << " ranks";
  diag.attachNote(recv.getLoc())
      << "each rank sends to one rank; give both functions as many";
  return diag;
}

/// In how many chunks of which dimension an end's value goes over, and how to
/// say so.
static FailureOr<std::pair<int64_t, int64_t>> chunksOf(Operation *end) {
  auto overlap = end->getParentOfType<OverlapOp>();
  if (!overlap || overlap.getChunks() == 1)
    return std::pair<int64_t, int64_t>(1, 0);
  Refusal refusal;
  FailureOr<ChunkFlow> flow = followChunks(overlap, refusal);
  if (failed(flow)) {
    refusal.report(DiagnosticSeverity::Error);
    return failure();
  }
  return std::pair<int64_t, int64_t>(overlap.getChunks(),
                                     *flow->dimOf(channelValue(end)));
}

static std::string describeChunks(std::pair<int64_t, int64_t> chunks) {
  if (chunks.first == 1)
    return "whole";
  return ("in " + Twine(chunks.first) + " chunks of dimension " +
          Twine(chunks.second))
      .str();
}

static LogicalResult checkChunks(StringAttr name, const Channel &channel) {
  SendOp send = channel.send;
  RecvOp recv = channel.recv;
  auto sent = chunksOf(send), received = chunksOf(recv);
  if (failed(sent) || failed(received))
    return failure();
  if (*sent == *received)
    return success();
  InFlightDiagnostic diag = recv.emitOpError();
  diag << "takes what " << quote(name) << " carries "
       << describeChunks(*received);
  diag.attachNote(send.getLoc()) << "it is sent " << describeChunks(*sent);
  diag.attachNote(recv.getLoc())
      << "put both ends into regions of as many chunks of one dimension";
  return diag;
}

/// Both ends exist, in different functions that have ranks.
static LogicalResult checkEnds(StringAttr name, const Channel &channel) {
  SendOp send = channel.send;
  RecvOp recv = channel.recv;
  if (!send)
    return refuse(recv, "of " + quote(name) + " has no send",
                  "send to the channel in another function");
  if (!recv)
    return refuse(send, "to " + quote(name) + " has no recv",
                  "receive from the channel in another function");
  if (functionOf(send) == functionOf(recv)) {
    InFlightDiagnostic diag = recv.emitOpError();
    diag << "of " << quote(name) << " is in the function that sends";
    diag.attachNote(send.getLoc()) << "the send is here";
    diag.attachNote(recv.getLoc()) << "a channel joins two functions; between "
                                      "ranks of one function use permute";
    return diag;
  }
  for (Operation *end : {send.getOperation(), recv.getOperation()})
    if (FunctionOpInterface function = functionOf(end);
        !function->hasAttr(stageAttr) && !function->hasAttr(ranksAttr))
      return refuse(end,
                    "is in @" + function.getName() +
                        ", which has no ranks of its own",
                    "give the function coconet.stage, or coconet.ranks");
  return success();
}

/// Enters one end of a channel, which is the only one of its kind.
template <typename OpTy>
static LogicalResult addEnd(OpTy op, OpTy &end, StringAttr name) {
  if (!end) {
    end = op;
    return success();
  }
  InFlightDiagnostic diag = op.emitOpError();
  diag << "uses " << quote(name) << " a second time";
  diag.attachNote(end.getLoc()) << "the first one is here; give each pair of "
                                   "send and recv a channel of its own";
  return diag;
}

FailureOr<Channels> coconet::findChannels(ModuleOp module) {
  Channels channels;
  WalkResult found = module.walk([&](Operation *op) -> WalkResult {
    if (auto send = dyn_cast<SendOp>(op))
      return addEnd(send, channels[send.getChannelAttr()].send,
                    send.getChannelAttr());
    if (auto recv = dyn_cast<RecvOp>(op))
      return addEnd(recv, channels[recv.getChannelAttr()].recv,
                    recv.getChannelAttr());
    return WalkResult::advance();
  });
  if (found.wasInterrupted())
    return failure();
  for (auto &[name, channel] : channels)
    if (failed(checkEnds(name, channel)) || failed(checkTypes(name, channel)) ||
        failed(checkChunks(name, channel)))
      return failure();
  return channels;
}
