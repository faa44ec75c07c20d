//===- Communication.cpp - play what ranks start --------------------------===//
//
// An event is done when it is next on all ranks that meet there. Nobody chooses
// between meetings, so the order of the play does not matter, and where it gets
// stuck every run does.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Communication.h"
#include "Analysis/CommunicationEvents.h"
#include "Analysis/Futures.h"
#include "Analysis/Legality.h"
#include "IR/Refusal.h"

using namespace mlir;
using namespace coconet;

namespace {
/// Where one rank is in the program of its function.
struct Player {
  const RankProgram *program = nullptr;
  unsigned position = 0;
  size_t next = 0;

  bool ended() const { return next == program->events.size(); }
  const CommunicationEvent &event() const { return program->events[next]; }
  unsigned meeting() const { return (*event().meetings)[position]; }
};

class Play {
public:
  Play(ArrayRef<std::unique_ptr<RankProgram>> programs,
       const Meetings &meetings);
  LogicalResult run();

private:
  LogicalResult compare(const Meeting &meeting);
  LogicalResult compareOps(int64_t first, int64_t second);
  LogicalResult compareContexts(int64_t first, int64_t second);
  LogicalResult differ(int64_t first, int64_t second, const Twine &what,
                       const Twine &one, const Twine &other);
  LogicalResult explainStop();
  LogicalResult explainEnd(int64_t waiting, int64_t ended);
  LogicalResult explainCircle(ArrayRef<int64_t> circle);
  /// A member of the rank's meeting that is not there.
  int64_t missing(int64_t rank);
  bool isThere(int64_t rank, unsigned place);
  Operation *op(int64_t rank) { return players[rank].event().op; }

  /// By rank; ranks that run nothing have no program.
  std::map<int64_t, Player> players;
  const Meetings &meetings;
};
} // namespace

Play::Play(ArrayRef<std::unique_ptr<RankProgram>> programs,
           const Meetings &meetings)
    : meetings(meetings) {
  for (const auto &program : programs)
    for (auto [position, rank] : llvm::enumerate(program->ranks))
      players[rank] = {program.get(), static_cast<unsigned>(position), 0};
}

LogicalResult Play::run() {
  std::vector<unsigned> arrived(meetings.numPlaces());
  std::vector<int64_t> ready;
  for (auto &[rank, player] : players)
    ready.push_back(rank);
  while (!ready.empty()) {
    Player &player = players[ready.back()];
    ready.pop_back();
    if (player.ended())
      continue;
    const Meeting &meeting = meetings[player.meeting()];
    if (++arrived[meeting.place] < meeting.members.size())
      continue;
    arrived[meeting.place] = 0;
    if (failed(compare(meeting)))
      return failure();
    for (int64_t member : meeting.members) {
      ++players[member].next;
      ready.push_back(member);
    }
  }
  return explainStop();
}

//===----------------------------------------------------------------------===//
// What meets
//===----------------------------------------------------------------------===//

static std::string textOf(Attribute attr) {
  if (!attr)
    return "none";
  if (auto reduction = dyn_cast<ReductionAttr>(attr))
    return stringifyReduction(reduction.getValue()).str();
  if (auto number = dyn_cast<IntegerAttr>(attr))
    return std::to_string(number.getInt());
  std::string text;
  llvm::raw_string_ostream(text) << attr;
  return text;
}

static std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// The tensor whose size members agree on: what is gathered, else what is given.
static ShapedType agreedType(Operation *op) {
  bool gathers = op->getName().getStringRef().contains("gather");
  if (gathers || isReceive(op))
    return cast<ShapedType>(op->getResult(0).getType());
  if (op->getNumOperands() == 0)
    return {};
  return dyn_cast<ShapedType>(op->getOperand(0).getType());
}

LogicalResult Play::differ(int64_t first, int64_t second, const Twine &what,
                           const Twine &one, const Twine &other) {
  InFlightDiagnostic diag = op(second)->emitError()
                            << describe(op(second)) << " of rank " << second
                            << " meets " << describe(op(first)) << " of rank "
                            << first << ", and their " << what
                            << " differ: " << other << " and " << one;
  diag.attachNote(op(first)->getLoc()) << "rank " << first << " is here";
  diag.attachNote() << "ranks that meet give the same " << what;
  return diag;
}

/// One collective of the second rank against that of the first.
LogicalResult Play::compareOps(int64_t first, int64_t second) {
  ArrayRef<Operation *> ones = players[first].event().parts;
  ArrayRef<Operation *> others = players[second].event().parts;
  bool channel = isSend(ones[0]) || isReceive(ones[0]);
  bool match = ones.size() == others.size() &&
               op(first)->getNumRegions() == op(second)->getNumRegions();
  for (auto [a, b] : llvm::zip(ones, others))
    match &= channel ? isSend(a) != isSend(b) : a->getName() == b->getName();
  if (!match) {
    InFlightDiagnostic diag = op(second)->emitError()
                              << "rank " << second << " is at "
                              << describe(op(second)) << " where rank " << first
                              << " is at " << describe(op(first));
    diag.attachNote(op(first)->getLoc()) << "rank " << first << " is here";
    diag.attachNote() << "ranks of one group start the same communication in "
                         "the same order";
    return diag;
  }
  static constexpr std::pair<StringLiteral, StringLiteral> facts[] = {
      {"reduction", "reductions"},  {"root", "roots"},
      {"dim", "dimensions"},        {"from_dim", "dimensions"},
      {"into_dim", "dimensions"},   {"pairs", "pairs"},
      {wireTypeAttr, "wire types"}, {algorithmAttr, "algorithms"}};
  for (auto [a, b] : llvm::zip(ones, others)) {
    for (auto [name, what] : facts)
      if (a->getAttr(name) != b->getAttr(name))
        return differ(first, second, what, textOf(a->getAttr(name)),
                      textOf(b->getAttr(name)));
    ShapedType one = agreedType(a), other = agreedType(b);
    if (!one || !other)
      continue;
    if (one.getElementType() != other.getElementType())
      return differ(first, second, "element types",
                    textOf(one.getElementType()),
                    textOf(other.getElementType()));
    bool known = one.hasStaticShape() && other.hasStaticShape();
    if (known && one.getNumElements() != other.getNumElements())
      return differ(first, second, "numbers of elements",
                    Twine(one.getNumElements()), Twine(other.getNumElements()));
    // Chunks are of a dimension; otherwise the elements alone count.
    bool shaped = a->hasAttr("dim") || a->hasAttr("from_dim");
    if (shaped && failed(verifyCompatibleShape(one, other)))
      return differ(first, second, "shapes", textOf(one), textOf(other));
  }
  return success();
}

LogicalResult Play::compareContexts(int64_t first, int64_t second) {
  const RankProgram &one = *players[first].program;
  const RankProgram &other = *players[second].program;
  int a = players[first].event().context, b = players[second].event().context;
  if (&one == &other)
    return success();
  while (a >= 0 && b >= 0) {
    const ControlContext &x = one.contexts[a], &y = other.contexts[b];
    if (!x.key || x.key != y.key || x.otherwise != y.otherwise ||
        x.op->getName() != y.op->getName())
      break;
    a = x.parent;
    b = y.parent;
  }
  if (a < 0 && b < 0)
    return success();
  InFlightDiagnostic diag = op(second)->emitError()
                            << describe(op(second)) << " of rank " << second
                            << " meets " << describe(op(first)) << " of rank "
                            << first
                            << ", and they may not be run equally often";
  if (a >= 0)
    diag.attachNote(one.contexts[a].op->getLoc())
        << "rank " << first << " decides here";
  if (b >= 0)
    diag.attachNote(other.contexts[b].op->getLoc())
        << "rank " << second << " decides here";
  diag.attachNote() << "decide alike: by the same constants, or by arguments "
                       "of the same coconet.arg_name";
  return diag;
}

LogicalResult Play::compare(const Meeting &meeting) {
  int64_t first = meeting.members.front();
  for (int64_t second : ArrayRef(meeting.members).drop_front()) {
    if (op(first) == op(second))
      continue;
    if (failed(compareOps(first, second)) ||
        failed(compareContexts(first, second)))
      return failure();
    auto order = [&](int64_t rank) {
      std::string text;
      llvm::raw_string_ostream os(text);
      llvm::interleaveComma(meetings[players[rank].meeting()].members, os);
      return "[" + text + "]";
    };
    if (players[first].meeting() != players[second].meeting())
      return differ(first, second, "groups", order(first), order(second));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Why it stopped
//===----------------------------------------------------------------------===//

bool Play::isThere(int64_t rank, unsigned place) {
  auto found = players.find(rank);
  return found != players.end() && !found->second.ended() &&
         meetings[found->second.meeting()].place == place;
}

int64_t Play::missing(int64_t rank) {
  const Meeting &meeting = meetings[players[rank].meeting()];
  for (int64_t member : meeting.members)
    if (!isThere(member, meeting.place))
      return member;
  llvm_unreachable("a meeting of all members is over");
}

LogicalResult Play::explainEnd(int64_t waiting, int64_t ended) {
  auto found = players.find(ended);
  bool runs = found != players.end();
  InFlightDiagnostic diag = op(waiting)->emitError();
  if (isSend(op(waiting)))
    diag << "rank " << waiting << " sends to rank " << ended << " by "
         << describe(op(waiting)) << ", and rank " << ended
         << " does not receive it";
  else if (isReceive(op(waiting)))
    diag << "rank " << waiting << " receives from rank " << ended << " by "
         << describe(op(waiting)) << ", and rank " << ended
         << " does not send it";
  else
    diag << "rank " << waiting << " waits for rank " << ended << " at "
         << describe(op(waiting)) << ", and rank " << ended
         << " does not come there";
  if (runs) {
    FunctionOpInterface function = found->second.program->function;
    diag.attachNote(function.getFunctionBody().back().getTerminator()->getLoc())
        << "rank " << ended << " ends here";
  } else {
    diag.attachNote() << "no function is run by rank " << ended;
  }
  diag.attachNote() << "every rank that is waited for does its part, as often "
                       "as it is waited for";
  return diag;
}

LogicalResult Play::explainCircle(ArrayRef<int64_t> circle) {
  InFlightDiagnostic diag = op(circle.front())->emitError()
                            << "ranks wait in a circle: ";
  for (auto [index, rank] : llvm::enumerate(circle))
    diag << (index ? ", rank " : "rank ") << rank << " at "
         << describe(op(rank)) << " for rank "
         << circle[(index + 1) % circle.size()];
  for (int64_t rank : circle.drop_front())
    diag.attachNote(op(rank)->getLoc()) << "rank " << rank << " waits here";
  diag.attachNote() << "start communication in one order on all ranks that "
                       "share it; of two that exchange, one sends first";
  return diag;
}

LogicalResult Play::explainStop() {
  for (auto &[rank, player] : players) {
    if (player.ended())
      continue;
    // Whom each waits for ends in a rank that does not come, or in a circle.
    SmallVector<int64_t> path{rank};
    while (true) {
      int64_t next = missing(path.back());
      auto found = players.find(next);
      if (found == players.end() || found->second.ended())
        return explainEnd(path.back(), next);
      auto *seen = llvm::find(path, next);
      if (seen != path.end())
        return explainCircle(ArrayRef(seen, path.end()));
      path.push_back(next);
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// The mesh that the function names, else that of its ops.
static MeshAttr meshOf(FunctionOpInterface function) {
  for (Operation *holder : {function.getOperation(), function->getParentOp()})
    if (auto mesh = holder->getAttrOfType<MeshAttr>(meshAttr))
      return mesh;
  MeshAttr mesh;
  function->walk([&](Operation *op) {
    if (auto found = op->getAttrOfType<MeshAttr>("mesh"))
      mesh = found;
    return mesh ? WalkResult::interrupt() : WalkResult::advance();
  });
  return mesh;
}

/// The function that each rank runs is one, and has a mesh of their number.
static LogicalResult
checkRanks(ArrayRef<std::unique_ptr<RankProgram>> programs) {
  std::map<int64_t, FunctionOpInterface> runs;
  for (const auto &program : programs) {
    int64_t count = program->ranks.size();
    auto own = program->function->getAttrOfType<MeshAttr>(meshAttr);
    if (own && own.getNumRanks() != count)
      return refuse(
          program->function,
          "has a mesh of " + Twine(own.getNumRanks()) + " ranks, and " +
              Twine(count) + " ranks run it",
          "'coconet.ranks' names one rank for each place of the mesh");
    for (int64_t rank : program->ranks) {
      auto [entry, fresh] = runs.try_emplace(rank, program->function);
      if (fresh)
        continue;
      InFlightDiagnostic diag = program->function->emitError()
                                << "rank " << rank << " runs @"
                                << program->function.getName() << " and @"
                                << entry->second.getName();
      diag.attachNote(entry->second->getLoc()) << "the other function is here";
      diag.attachNote() << "a rank runs one function";
      return diag;
    }
  }
  return success();
}

static LogicalResult
checkPrograms(ArrayRef<std::unique_ptr<RankProgram>> programs) {
  if (failed(checkRanks(programs)))
    return failure();
  int64_t world = 0;
  for (const auto &program : programs)
    for (int64_t rank : program->ranks)
      world = std::max(world, rank + 1);
  Meetings meetings;
  for (const auto &program : programs)
    if (failed(collectEvents(*program, world, programs.size() > 1, meetings)))
      return failure();
  return Play(programs, meetings).run();
}

LogicalResult coconet::checkCommunication(ModuleOp module) {
  bool valid = true;
  // Functions with ranks are one program; each other one is a program.
  std::vector<std::unique_ptr<RankProgram>> unlike;
  for (auto function : module.getOps<FunctionOpInterface>()) {
    if (function.isExternal())
      continue;
    valid &= succeeded(checkFutures(function));
    auto ranks = function->getAttrOfType<DenseI64ArrayAttr>(ranksAttr);
    if (!ranks && !holdsCommunication(function))
      continue;
    auto program = std::make_unique<RankProgram>();
    program->function = function;
    program->mesh = meshOf(function);
    if (ranks) {
      llvm::append_range(program->ranks, ranks.asArrayRef());
      unlike.push_back(std::move(program));
      continue;
    }
    int64_t count = program->mesh ? program->mesh.getNumRanks() : 1;
    if (ShapedType::isDynamic(count))
      count = 1;
    llvm::append_range(program->ranks, llvm::seq<int64_t>(0, count));
    std::vector<std::unique_ptr<RankProgram>> alone;
    alone.push_back(std::move(program));
    valid &= succeeded(checkPrograms(alone));
  }
  if (!unlike.empty())
    valid &= succeeded(checkPrograms(unlike));
  return success(valid);
}
