//===- CommunicationEvents.h - what each rank starts ------------*- C++ -*-===//

#ifndef COCONET_ANALYSIS_COMMUNICATIONEVENTS_H
#define COCONET_ANALYSIS_COMMUNICATIONEVENTS_H

#include "Analysis/Uniformity.h"
#include <map>

namespace coconet {

/// A loop or branch that could not be unrolled, around communication. Ranks of
/// one function are known to do it alike.
struct ControlContext {
  mlir::Operation *op;
  /// In the second branch.
  bool otherwise;
  /// What decides, where other functions can be compared with it, else null.
  mlir::Attribute key;
  int parent;
};

/// One communication of a function.
struct CommunicationEvent {
  mlir::Operation *op;
  /// The collectives of a fused region, else `op`.
  llvm::SmallVector<mlir::Operation *, 1> parts;
  /// Index into `RankProgram::contexts`, or -1.
  int context;
  /// For each position of `RankProgram::ranks` the meeting its rank comes to.
  std::shared_ptr<const std::vector<unsigned>> meetings;
};

/// What the ranks of one function start, in order.
struct RankProgram {
  mlir::FunctionOpInterface function;
  llvm::SmallVector<int64_t> ranks;
  MeshAttr mesh;
  std::vector<ControlContext> contexts;
  std::vector<CommunicationEvent> events;
};

/// Ranks that come together, and the channel if it is one.
struct Meeting {
  /// In group order: positions decide who gets what. Sender, then receiver.
  std::vector<int64_t> members;
  std::string channel;
  /// Equal for the same ranks in any order.
  unsigned place = 0;
};

/// All meetings of a program, each once.
class Meetings {
public:
  unsigned intern(std::vector<int64_t> members, llvm::StringRef channel = "");
  const Meeting &operator[](unsigned index) const { return meetings[index]; }
  unsigned numPlaces() const { return places.size(); }

private:
  using Key = std::pair<std::vector<int64_t>, std::string>;
  std::vector<Meeting> meetings;
  std::map<Key, unsigned> indices, places;
};

bool isSend(mlir::Operation *op);
bool isReceive(mlir::Operation *op);
/// Whether the op itself communicates: a collective, send or receive of a rank
/// program.
bool isCommunication(mlir::Operation *op);
/// Whether it or an op in its regions does.
bool holdsCommunication(mlir::Operation *op);

/// Collect the events of a function. `world` is the number of ranks of all
/// functions; loops of a constant number of turns are unrolled if `unroll` is
/// set. Reports communication that the ranks of the function do not do alike.
mlir::LogicalResult collectEvents(RankProgram &program, int64_t world,
                                  bool unroll, Meetings &meetings);

} // namespace coconet

#endif // COCONET_ANALYSIS_COMMUNICATIONEVENTS_H
