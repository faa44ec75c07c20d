//===- TranslateChannels.cpp - send and receive of one rank -----------------===//

#include "Analysis/Channels.h"
#include "Conversion/ToRank/RankTranslator.h"
#include "IR/Refusal.h"

using namespace mlir;
using namespace coconet;

/// Both ends, for messages: whichever waits, the other one is of interest too.
static LocationAttr locationOf(const Channel &channel) {
  MLIRContext *context = channel.recv->getContext();
  SendOp send = channel.send;
  RecvOp recv = channel.recv;
  auto named = [&](StringRef name, Location loc) -> Location {
    return NameLoc::get(StringAttr::get(context, name), loc);
  };
  return FusedLoc::get(
      context, {named("send", send.getLoc()), named("recv", recv.getLoc())});
}

FailureOr<ChannelPlan> coconet::planChannels(ModuleOp module) {
  FailureOr<Channels> channels = findChannels(module);
  if (failed(channels))
    return failure();
  ChannelPlan plan;
  for (auto &[name, channel] : *channels) {
    ChannelRanks ranks{{}, {}, locationOf(channel)};
    for (Operation *end :
         {channel.send.getOperation(), channel.recv.getOperation()}) {
      auto function = end->getParentOfType<FunctionOpInterface>();
      auto list = function->getAttrOfType<DenseI64ArrayAttr>(ranksAttr);
      if (!list)
        return refuse(
            end, "is in @" + function.getName() + ", whose ranks are not known",
            "run --coconet-bind-mesh before --coconet-to-rank");
      (end == channel.send ? ranks.senders : ranks.receivers) = list;
    }
    plan[name] = ranks;
  }
  return plan;
}

StringAttr RankTranslator::channelName(Operation *end) {
  auto name = end->getAttrOfType<StringAttr>("channel");
  auto chunk = channelChunks.find(end);
  if (chunk == channelChunks.end())
    return name;
  return StringAttr::get(context, name.getValue() + "[" +
                                      Twine(chunk->second.number) + "]");
}

LogicalResult RankTranslator::translateSend(SendOp op) {
  const ChannelRanks &ends = channels.at(op.getChannelAttr());
  auto send =
      RankSendOp::create(inner, ends.location, values[op.getOperand()].value,
                         channelName(op), ends.senders, ends.receivers);
  send->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return success();
}

FailureOr<SmallVector<OpFoldResult>> RankTranslator::recvSizes(RecvOp op) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  auto chunk = channelChunks.find(op);
  IndexMath m = math(op.getLoc());
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (chunk != channelChunks.end() && chunk->second.dim == dim) {
      sizes.push_back(chunk->second.size);
      continue;
    }
    if (!type.isDynamicDim(dim)) {
      sizes.push_back(m.constant(type.getDimSize(dim)));
      continue;
    }
    StringRef name = cast<StringAttr>((*op.getDims())[dim]).getValue();
    auto known = namedSizes.find(name);
    if (known == namedSizes.end())
      return refuse(op,
                    "has a dimension '" + name + "', which no argument of @" +
                        source.getName() + " has",
                    "name a dimension of an argument (coconet.dims), or make "
                    "the type static");
    sizes.push_back(representative(known->second));
  }
  return sizes;
}

LogicalResult RankTranslator::translateRecv(RecvOp op) {
  const ChannelRanks &ends = channels.at(op.getChannelAttr());
  FailureOr<SmallVector<OpFoldResult>> sizes = recvSizes(op);
  if (failed(sizes))
    return failure();
  set(op.getResult(), Value(), *sizes);
  IndexMath m = math(op.getLoc());
  auto local = localType(cast<RankedTensorType>(op.getResult().getType()));
  SmallVector<Value> open;
  for (auto [extent, size] :
       llvm::zip(local.getShape(), localSizes(op.getResult(), op.getLoc())))
    if (ShapedType::isDynamic(extent))
      open.push_back(m.value(size));
  auto recv = RankRecvOp::create(inner, ends.location, local, open,
                                 channelName(op), ends.senders, ends.receivers);
  recv->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  set(op.getResult(), recv.getResult(), *sizes);
  return success();
}
