//===- World.h - Ranks, groups and what they share --------------*- C++ -*-===//

#ifndef COCONET_RUNTIME_WORLD_H
#define COCONET_RUNTIME_WORLD_H

#include "Runtime.h"
#include "Site.h"
#include "Waiting.h"

#include <csetjmp>
#include <map>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace coconet::runtime {

using World = ::coconet_world;
using Rank = ::coconet_rank;

/// Ranks that synchronise with each other, and their barrier.
struct Group {
  std::vector<int64_t> members;

  /// The whole state of the barrier, so that each change is one atomic step:
  /// generation (8 bits), id of the point the arrived members are at (40),
  /// whether a member sleeps (1), number of arrived members (15). A member
  /// takes part in every generation, so 8 bits cannot be lapped. Sleepers wait
  /// on the upper half, which does not change between first and last arrival.
  alignas(128) std::atomic<uint64_t> barrier{0};
};

struct Exchange;

/// One of the two places where the members of a group meet.
struct Point {
  uint64_t id;
  const Exchange *exchange;
  bool isLeave;
};

/// A site as one group runs it with one number of buffers. Its table is its
/// own, so that a collective that follows cannot overwrite one being read; the
/// same site cannot be entered again before every member has left it.
struct Exchange {
  const Site *site;
  Group *group;
  int64_t count;
  std::vector<void *> table;
  Point enter;
  Point leave;
  /// Of a site that is started and waited for later: the barrier is its own, so
  /// that members may meet elsewhere in between.
  std::unique_ptr<Group> own;
  /// By position: has arrived by a start, and its wait is not over.
  std::unique_ptr<std::atomic<bool>[]> underWay;
};

/// What one rank has started, in order, of one kind in one group at sites that
/// functions share.
struct Sequence {
  std::string kind;
  /// The run that the count is of.
  uint64_t run = 0;
  uint64_t started = 0;
  /// The exchange last used for each place, and whether this rank is inside.
  std::vector<Exchange *> exchanges;
  std::vector<bool> isInside;
};

/// A rank's place at a site.
struct Membership {
  const Site *site;
  Group *group;
  int64_t position;
  /// The exchange last entered.
  Exchange *exchange = nullptr;
  /// Of a site that functions share, and the place in it last used.
  Sequence *sequence = nullptr;
  size_t place = 0;
  /// The run in which this rank is inside the site, 0 if it is outside.
  uint64_t insideRun = 0;
  /// Started and not waited for, as part of this generation of the barrier.
  bool isUnderWay = false;
  uint64_t generation = 0;
};

/// Finds a rank's membership by the address of the site's text.
class SiteCache {
public:
  struct Entry {
    const char *key = nullptr;
    Membership *membership = nullptr;
    /// The run in which the text behind the address was last compared: another
    /// module may have been loaded at the same address since.
    uint64_t checkedRun = 0;
  };

  SiteCache() : entries(64) {}

  /// The entry of `key`; its key is null if there is none yet.
  Entry &find(const char *key) {
    size_t mask = entries.size() - 1;
    size_t index = hash(key) & mask;
    while (entries[index].key && entries[index].key != key)
      index = (index + 1) & mask;
    return entries[index];
  }

  void insert(const char *key, Membership *membership, uint64_t run);

private:
  static size_t hash(const char *key) {
    return (reinterpret_cast<uintptr_t>(key) * UINT64_C(0x9E3779B97F4A7C15)) >>
           32;
  }

  std::vector<Entry> entries;
  size_t used = 0;
};

} // namespace coconet::runtime

struct alignas(128) coconet_rank {
  /// What peers may read to explain a wait: the point this rank waits at (odd
  /// `progress`) or passed last (even `progress`), null before the first.
  std::atomic<const coconet::runtime::Point *> at{nullptr};
  std::atomic<uint64_t> progress{0};
  std::atomic<uint64_t> finishedRun{0};

  int64_t id = 0;
  coconet_world *world = nullptr;
  void (*function)(void **) = nullptr;
  pthread_t thread{};
  jmp_buf exit;
  coconet::runtime::SiteCache cache;
  std::unordered_map<const coconet::runtime::Site *,
                     std::unique_ptr<coconet::runtime::Membership>>
      memberships;
  std::map<std::pair<std::string, coconet::runtime::Group *>,
           coconet::runtime::Sequence>
      sequences;
};

struct coconet_world {
  std::vector<std::unique_ptr<coconet_rank>> ranks;
  int64_t timeoutNanoseconds = 0;
  /// In barriers, and between runs.
  coconet::runtime::Patience patience{};
  pid_t process = 0;

  /// The run going on or last done. Written while no rank runs.
  uint64_t run = 0;
  void ***arguments = nullptr;
  int64_t repeat = 0;
  std::atomic<bool> busy{false};

  alignas(128) coconet::runtime::Signal started;
  alignas(128) coconet::runtime::Signal pending;
  alignas(128) std::atomic<bool> failed{false};
  std::atomic<bool> stopping{false};
  std::atomic<bool> reported{false};
  bool broken = false;

  /// Guards what follows.
  std::mutex mutex;
  std::string error;
  uint64_t points = 0;
  std::unordered_map<std::string, std::unique_ptr<coconet::runtime::Site>>
      sites;
  std::map<std::vector<int64_t>, std::unique_ptr<coconet::runtime::Group>>
      groups;
  /// By site, or by kind and place in the sequence where functions share sites;
  /// group, number of buffers, and whether it is started.
  std::map<std::tuple<const coconet::runtime::Site *, std::string, size_t,
                      coconet::runtime::Group *, int64_t, bool>,
           std::unique_ptr<coconet::runtime::Exchange>>
      exchanges;
};

namespace coconet::runtime {

/// The rank that runs on this thread, null outside a run.
Rank *currentRank();

/// Keeps `message` for `coconet_rt_world_error(NULL)` on this thread.
void recordThreadError(std::string message);

/// Fails the run of `world`; the first message is kept. Wakes all sleepers.
void recordError(World &world, const std::string &message);

/// Leaves the compiled code of `rank`. No frame between here and the run loop
/// may hold anything that needs a destructor.
[[noreturn]] void leaveCompiledCode(Rank &rank);

/// Fails the run with the message that `describe()` returns.
template <typename Describe>
[[noreturn]] void fail(Rank &rank, Describe describe) {
  recordError(*rank.world, describe());
  leaveCompiledCode(rank);
}

/// Why the wait of `rank` at `point` can never end (a peer has finished, or
/// peers wait for each other), or "" if it may.
std::string explainHopelessWait(const Rank &rank, const Point &point);

/// The message for a wait of `rank` at `point` that ran out of time, or "" if
/// nobody is missing any more.
std::string explainTimeout(const Rank &rank, const Point &point);

/// The message for `rank` arriving at `point` while peers wait at the point
/// with the id `other`.
std::string explainMismatch(const Rank &rank, const Point &point,
                            uint64_t other);

/// Wakes the members that sleep in the barrier of `group`.
void wakeBarrier(Group &group);

/// Barrier word of a group: the id of the point where members wait, and their
/// number.
inline uint64_t barrierPoint(uint64_t word) {
  return (word >> 16) & ((UINT64_C(1) << 40) - 1);
}
inline uint64_t barrierCount(uint64_t word) { return word & 0x7fff; }

/// Frees what the ranks of `run` allocated and did not free.
void reclaimRun(uint64_t run);

} // namespace coconet::runtime

#endif // COCONET_RUNTIME_WORLD_H
