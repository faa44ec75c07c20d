//===- CommunicationEvents.cpp - what each rank starts --------------------===//

#include "Analysis/CommunicationEvents.h"
#include "Analysis/Legality.h"
#include "IR/Refusal.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;
using namespace coconet;

/// Events of one function after loops are unrolled.
static constexpr int64_t unrolledEvents = 1 << 16;

unsigned Meetings::intern(std::vector<int64_t> members, StringRef channel) {
  Key key{members, channel.str()};
  auto [entry, fresh] = indices.try_emplace(key, meetings.size());
  if (!fresh)
    return entry->second;
  if (channel.empty())
    llvm::sort(key.first);
  unsigned place = places.try_emplace(key, places.size()).first->second;
  meetings.push_back({std::move(members), channel.str(), place});
  return entry->second;
}

bool coconet::isSend(Operation *op) {
  return op->getName().getStringRef() == "coconet.rank.send";
}

bool coconet::isReceive(Operation *op) {
  return op->getName().getStringRef() == "coconet.rank.recv";
}

bool coconet::isCommunication(Operation *op) {
  if (isSend(op) || isReceive(op))
    return true;
  return isa<CollectiveOpInterface>(op) &&
         op->getName().stripDialect().starts_with("rank.");
}

bool coconet::holdsCommunication(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isCommunication(inner) ? WalkResult::interrupt()
                                      : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
class Collector {
public:
  Collector(RankProgram &program, int64_t world, bool unroll,
            Meetings &meetings)
      : program(program), world(world), unroll(unroll), meetings(meetings),
        uniformity(program.function, program.mesh, program.ranks.size()) {}

  LogicalResult visit(Block &block, int context);

private:
  LogicalResult visit(Operation *op, int context);
  LogicalResult visitFor(scf::ForOp op, int context);
  LogicalResult visitIf(scf::IfOp op, int context);
  LogicalResult visitRegions(Operation *op, int context);
  LogicalResult addEvent(Operation *op, ArrayRef<Operation *> parts,
                         int context);
  LogicalResult checkContext(Operation *op, Operation *part, int context);
  FailureOr<std::shared_ptr<const std::vector<unsigned>>>
  meetingsOf(Operation *op);
  FailureOr<std::vector<unsigned>> groupMeetings(Operation *op);
  FailureOr<std::vector<unsigned>> channelMeetings(Operation *op);
  int addContext(Operation *op, bool otherwise, Attribute key, int parent) {
    program.contexts.push_back({op, otherwise, key, parent});
    return program.contexts.size() - 1;
  }
  /// What decides a loop or branch, in terms that all functions share.
  Attribute keyOf(Value value);
  uint64_t decidedBy(Operation *control);

  RankProgram &program;
  int64_t world;
  bool unroll;
  Meetings &meetings;
  Uniformity uniformity;
  std::map<std::vector<const void *>,
           std::shared_ptr<const std::vector<unsigned>>>
      known;
};
} // namespace

//===----------------------------------------------------------------------===//
// Who meets
//===----------------------------------------------------------------------===//

/// Groups of ranks of a mesh.
static std::vector<std::vector<int64_t>> groupsOf(Operation *op,
                                                  MeshAttr mesh) {
  std::vector<std::vector<int64_t>> groups;
  auto collective = cast<CollectiveOpInterface>(op);
  if (ArrayAttr lists = collective.getGroupLists()) {
    for (Attribute list : lists) {
      ArrayRef<int64_t> ranks = cast<DenseI64ArrayAttr>(list).asArrayRef();
      groups.emplace_back(ranks.begin(), ranks.end());
    }
    return groups;
  }
  SmallVector<StringAttr> axes = collective.getGroupAxes();
  std::map<int64_t, size_t> byRest;
  for (int64_t rank = 0; rank < mesh.getNumRanks(); ++rank) {
    int64_t rest = rank, position = 0;
    for (StringAttr axis : axes) {
      int64_t size = mesh.sizeOf(axis.getValue());
      int64_t stride = mesh.strideOf(axis.getValue());
      int64_t along = rank / stride % size;
      rest -= along * stride;
      position = position * size + along;
    }
    auto [entry, fresh] = byRest.try_emplace(rest, groups.size());
    if (fresh)
      groups.emplace_back(mesh.sizeOf(axes));
    groups[entry->second][position] = rank;
  }
  return groups;
}

FailureOr<std::vector<unsigned>> Collector::groupMeetings(Operation *op) {
  auto mesh = op->getAttrOfType<MeshAttr>("mesh");
  int64_t size = mesh.getNumRanks(), ranks = program.ranks.size();
  if (size != ranks && size != world)
    return refuse(op,
                  "lies on a mesh of " + Twine(size) +
                      " ranks, but its function has " + Twine(ranks) +
                      " and the program " + Twine(world),
                  "number the ranks of the function, or those of the program"),
           failure();
  std::vector<unsigned> result(ranks);
  DenseMap<int64_t, unsigned> ofRank;
  for (std::vector<int64_t> &group : groupsOf(op, mesh)) {
    if (size == ranks)
      for (int64_t &member : group)
        member = program.ranks[member];
    unsigned meeting = meetings.intern(group);
    for (int64_t member : group)
      ofRank[member] = meeting;
  }
  for (auto [position, rank] : llvm::enumerate(program.ranks))
    result[position] = ofRank.lookup(rank);
  return result;
}

FailureOr<std::vector<unsigned>> Collector::channelMeetings(Operation *op) {
  auto senders = op->getAttrOfType<DenseI64ArrayAttr>("senders");
  auto receivers = op->getAttrOfType<DenseI64ArrayAttr>("receivers");
  auto channel = op->getAttrOfType<StringAttr>("channel");
  auto own = (isSend(op) ? senders : receivers).asArrayRef();
  std::vector<unsigned> result;
  for (int64_t rank : program.ranks) {
    auto *found = llvm::find(own, rank);
    if (found == own.end())
      return refuse(op,
                    "is run by rank " + Twine(rank) +
                        ", which is not an end of channel '" +
                        channel.getValue() + "'",
                    "the senders are the ranks of the function that sends, the "
                    "receivers those of the one that receives"),
             failure();
    size_t index = found - own.begin();
    result.push_back(meetings.intern({senders[index], receivers[index]},
                                     channel.getValue()));
  }
  return result;
}

FailureOr<std::shared_ptr<const std::vector<unsigned>>>
Collector::meetingsOf(Operation *op) {
  // Many ops have the same group.
  std::vector<const void *> key{op->getName().getAsOpaquePointer()};
  if (isa<CollectiveOpInterface>(op))
    key = {nullptr};
  for (StringRef name :
       {"mesh", "axes", "groups", "channel", "senders", "receivers"})
    key.push_back(op->getAttr(name).getAsOpaquePointer());
  auto &entry = known[key];
  if (!entry) {
    FailureOr<std::vector<unsigned>> made = isa<CollectiveOpInterface>(op)
                                                ? groupMeetings(op)
                                                : channelMeetings(op);
    if (failed(made))
      return failure();
    entry = std::make_shared<const std::vector<unsigned>>(std::move(*made));
  }
  return entry;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

Attribute Collector::keyOf(Value value) {
  if (uniformity.of(value))
    return {};
  MLIRContext *context = program.function.getContext();
  if (auto constant = getConstantIntValue(value))
    return IntegerAttr::get(IntegerType::get(context, 64), *constant);
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    return keyOf(cast.getIn());
  if (auto extract = value.getDefiningOp<tensor::ExtractOp>();
      extract && extract.getIndices().empty())
    return keyOf(extract.getTensor());
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &program.function.front())
    return {};
  return program.function.getArgAttr(argument.getArgNumber(), argNameAttr);
}

uint64_t Collector::decidedBy(Operation *control) {
  if (auto branch = dyn_cast<scf::IfOp>(control))
    return uniformity.of(branch.getCondition());
  auto loop = cast<scf::ForOp>(control);
  return uniformity.of(loop.getLowerBound()) |
         uniformity.of(loop.getUpperBound()) | uniformity.of(loop.getStep());
}

/// Whether all members of a group come to the op equally often.
LogicalResult Collector::checkContext(Operation *op, Operation *part,
                                      int context) {
  bool channel = isSend(part) || isReceive(part);
  uint64_t span = channel ? ~uint64_t(0) : uniformity.spannedBy(part);
  for (; context >= 0; context = program.contexts[context].parent) {
    Operation *control = program.contexts[context].op;
    uint64_t differs = decidedBy(control) & span;
    if (!differs)
      continue;
    bool loop = isa<scf::ForOp>(control);
    std::string axes = uniformity.format(differs);
    InFlightDiagnostic diag = op->emitError()
                              << describe(op) << " is in a "
                              << (loop ? "loop" : "branch")
                              << " that ranks along " << axes
                              << (loop ? " do not run equally often"
                                       : " do not take alike");
    diag.attachNote(control->getLoc())
        << (loop ? "the bounds of the loop differ along "
                 : "the condition differs along ")
        << axes;
    diag.attachNote() << "decide by a value that is equal along " << axes
                      << ": all_reduce or broadcast it first";
    return diag;
  }
  return success();
}

LogicalResult Collector::visitFor(scf::ForOp op, int context) {
  auto first = getConstantIntValue(op.getLowerBound());
  auto last = getConstantIntValue(op.getUpperBound());
  auto step = getConstantIntValue(op.getStep());
  bool counted = first && last && step && *step > 0;
  int64_t turns = 0;
  if (counted && *last > *first)
    turns = llvm::divideCeil(uint64_t(*last) - uint64_t(*first), *step);
  if (counted && turns == 0)
    return success();
  size_t before = program.events.size();
  size_t contexts = program.contexts.size();
  Attribute lower = keyOf(op.getLowerBound()),
            upper = keyOf(op.getUpperBound()), by = keyOf(op.getStep());
  Attribute key;
  if (lower && upper && by)
    key = ArrayAttr::get(op.getContext(), {lower, upper, by});
  int inside = addContext(op, false, key, context);
  if (failed(visit(*op.getBody(), inside)))
    return failure();
  int64_t body = program.events.size() - before;
  if (!unroll || !counted || body == 0 || turns > unrolledEvents / body)
    return success();
  // The loop is no condition of its events any more.
  for (size_t i = contexts; i < program.contexts.size(); ++i)
    if (program.contexts[i].parent == inside)
      program.contexts[i].parent = context;
  for (int64_t i = 0; i < body; ++i)
    if (program.events[before + i].context == inside)
      program.events[before + i].context = context;
  program.events.reserve(before + body * turns);
  for (int64_t turn = 1; turn < turns; ++turn)
    for (int64_t i = 0; i < body; ++i)
      program.events.push_back(program.events[before + i]);
  return success();
}

/// Both branches are played one after the other: a rank that takes one leaves
/// out what it shares with those that take the same one only.
LogicalResult Collector::visitIf(scf::IfOp op, int context) {
  Attribute key = keyOf(op.getCondition());
  if (failed(visit(*op.thenBlock(), addContext(op, false, key, context))))
    return failure();
  if (!op.elseBlock())
    return success();
  return visit(*op.elseBlock(), addContext(op, true, key, context));
}

LogicalResult Collector::visitRegions(Operation *op, int context) {
  if (auto fused = dyn_cast<FusedOp>(op)) {
    SmallVector<Operation *> parts;
    for (Operation &inner : fused.getBody().front())
      if (isCommunication(&inner))
        parts.push_back(&inner);
    // The other side of a send knows nothing of what is fused with it.
    bool sends = fused.getKind() == FusedKind::send && !parts.empty();
    return parts.empty() ? success()
                         : addEvent(sends ? parts.front() : op, parts, context);
  }
  if (isa<CoCoNetDialect>(op->getDialect()))
    return visit(op->getRegion(0).front(), context);
  if (!holdsCommunication(op))
    return success();
  return refuse(op, "has communication in it that cannot be followed",
                "control flow around communication is scf.for or scf.if");
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

LogicalResult Collector::addEvent(Operation *op, ArrayRef<Operation *> parts,
                                  int context) {
  for (Operation *part : parts)
    if (failed(checkContext(op, part, context)))
      return failure();
  auto made = meetingsOf(parts.front());
  if (failed(made))
    return failure();
  program.events.push_back(
      {op, {parts.begin(), parts.end()}, context, std::move(*made)});
  return success();
}

LogicalResult Collector::visit(Operation *op, int context) {
  if (isCommunication(op))
    return addEvent(op, {op}, context);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return visitFor(loop, context);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return visitIf(branch, context);
  if (op->getNumRegions())
    return visitRegions(op, context);
  auto call = dyn_cast<CallOpInterface>(op);
  if (!call)
    return success();
  Operation *callee = call.resolveCallable();
  if (!callee || !holdsCommunication(callee))
    return success();
  return refuse(op, "calls a function that communicates",
                "inline it before communication is checked");
}

LogicalResult Collector::visit(Block &block, int context) {
  for (Operation &op : block)
    if (failed(visit(&op, context)))
      return failure();
  return success();
}

LogicalResult coconet::collectEvents(RankProgram &program, int64_t world,
                                     bool unroll, Meetings &meetings) {
  if (!program.function.getFunctionBody().hasOneBlock())
    return refuse(program.function, "communicates and has several blocks",
                  "control flow around communication is scf.for or scf.if");
  return Collector(program, world, unroll, meetings)
      .visit(program.function.getFunctionBody().front(), -1);
}
