//===- Diagnosis.cpp - Why a rank waits -----------------------------------===//
//
// A waiting rank reads what its peers publish (`at`, `progress`) without
// stopping them. A claim about more than one rank therefore counts only if no
// rank it speaks of has made progress between two looks.
//
//===----------------------------------------------------------------------===//

#include "World.h"

#include <algorithm>
#include <cstdio>

namespace coconet::runtime {

namespace {

bool isWaiting(const Rank &rank) {
  return rank.progress.load(std::memory_order_acquire) % 2;
}

bool hasFinished(const Rank &rank) {
  return rank.finishedRun.load(std::memory_order_acquire) == rank.world->run;
}

/// The point where `rank` is held up, or null if it is free to go on: it
/// computes, or the others have arrived and it has yet to notice.
const Point *blockingPoint(const Rank &rank) {
  if (!isWaiting(rank))
    return nullptr;
  const Point *point = rank.at.load(std::memory_order_acquire);
  uint64_t word = point->exchange->group->barrier.load();
  bool isHeld = barrierCount(word) && barrierPoint(word) == point->id;
  return isHeld ? point : nullptr;
}

/// Members of the group of `point` that have, or have not, arrived there.
std::vector<int64_t> selectMembers(const World &world, const Point &point,
                                   bool arrived) {
  std::vector<int64_t> selected;
  const Exchange &exchange = *point.exchange;
  for (size_t i = 0; i < exchange.group->members.size(); ++i) {
    int64_t member = exchange.group->members[i];
    const Rank &rank = *world.ranks[member];
    bool isThere = (isWaiting(rank) && rank.at.load() == &point) ||
                   (exchange.own && !point.isLeave && exchange.underWay[i]);
    if (isThere == arrived)
      selected.push_back(member);
  }
  return selected;
}

std::string listRanks(const std::vector<int64_t> &ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (size_t i = 0; i < ranks.size(); ++i)
    text += (i ? ", " : "") + std::to_string(ranks[i]);
  return text;
}

std::string describePoint(const Point &point) {
  return (point.isLeave ? "the end of " : "") + describe(*point.exchange->site);
}

/// What `rank` is doing, and, if it waits, what those it waits for are doing.
/// `told` holds the ranks that have been spoken of.
std::string describeActivity(const World &world, int64_t id,
                             std::vector<bool> &told) {
  told[id] = true;
  const Rank &rank = *world.ranks[id];
  const Point *point = rank.at.load(std::memory_order_acquire);
  std::string text = "rank " + std::to_string(id);
  if (hasFinished(rank))
    return text + " has finished";
  if (!point)
    return text + " is computing since the start of the program";
  if (!isWaiting(rank))
    return text + " is computing " +
           (point->isLeave ? "since it left " : "inside ") +
           describe(*point->exchange->site);
  std::vector<int64_t> missing = selectMembers(world, *point, false);
  text += " waits at " + describePoint(*point);
  if (!missing.empty())
    text += " for " + listRanks(missing);
  for (int64_t other : missing)
    if (!told[other])
      text += "; " + describeActivity(world, other, told);
  return text;
}

/// Extends `path` from its last rank along what each rank waits for until it
/// would return to its first rank.
bool findCycle(const World &world, std::vector<int64_t> &path,
               std::vector<bool> &visited) {
  const Point *point = blockingPoint(*world.ranks[path.back()]);
  if (!point)
    return false;
  for (int64_t next : selectMembers(world, *point, false)) {
    if (next == path.front())
      return true;
    if (visited[next])
      continue;
    visited[next] = true;
    path.push_back(next);
    if (findCycle(world, path, visited))
      return true;
    path.pop_back();
  }
  return false;
}

std::string explainCycle(const Rank &rank) {
  const World &world = *rank.world;
  std::vector<uint64_t> progress;
  for (const std::unique_ptr<Rank> &other : world.ranks)
    progress.push_back(other->progress.load());
  std::vector<int64_t> path = {rank.id};
  std::vector<bool> visited(world.ranks.size(), false);
  if (!findCycle(world, path, visited))
    return "";
  std::string text = "deadlock: ";
  for (size_t i = 0; i < path.size(); ++i) {
    const Rank &member = *world.ranks[path[i]];
    const Point *point = blockingPoint(member);
    if (!point || member.progress.load() != progress[member.id])
      return "";
    text += (i ? ", rank " : "rank ") + std::to_string(member.id) +
            " waits at " + describePoint(*point) + " for rank " +
            std::to_string(path[(i + 1) % path.size()]);
  }
  return text + "; start these collectives in the same order on all ranks";
}

} // namespace

std::string explainHopelessWait(const Rank &rank, const Point &point) {
  const World &world = *rank.world;
  for (int64_t other : selectMembers(world, point, false))
    if (hasFinished(*world.ranks[other]))
      return "rank " + std::to_string(other) +
             " has finished without arriving at " + describePoint(point) +
             ", where rank " + std::to_string(rank.id) +
             " waits; every member of a group must run the same collectives";
  return explainCycle(rank);
}

std::string explainTimeout(const Rank &rank, const Point &point) {
  const World &world = *rank.world;
  std::vector<int64_t> missing = selectMembers(world, point, false);
  if (missing.empty())
    return "";
  std::vector<int64_t> arrived = selectMembers(world, point, true);
  char seconds[32];
  snprintf(seconds, sizeof(seconds), "%g", world.timeoutNanoseconds * 1e-9);
  std::string text = listRanks(missing) + " did not arrive at " +
                     describePoint(point) + " within " + seconds + " s";
  std::vector<bool> told(world.ranks.size(), false);
  for (int64_t member : arrived)
    told[member] = true;
  for (int64_t member : missing)
    if (!told[member])
      text += "; " + describeActivity(world, member, told);
  return text + "; " + listRanks(arrived) +
         (arrived.size() == 1 ? " waits" : " wait") +
         "; if a rank only needs longer, raise the time-out with timeout= or "
         "COCONET_TIMEOUT (seconds)";
}

std::string explainMismatch(const Rank &rank, const Point &point,
                            uint64_t other) {
  const World &world = *rank.world;
  std::string id = std::to_string(rank.id);
  for (int64_t member : point.exchange->group->members) {
    const Point *theirs = world.ranks[member]->at.load();
    if (member == rank.id || !theirs || theirs->id != other)
      continue;
    std::string peer = std::to_string(member);
    if (theirs->exchange->site == point.exchange->site &&
        theirs->isLeave == point.isLeave)
      return "rank " + id + " publishes " +
             std::to_string(point.exchange->count) + " buffers at " +
             describePoint(point) + ", but rank " + peer + " publishes " +
             std::to_string(theirs->exchange->count) +
             "; every member of a group must publish the same buffers";
    return "mismatched collectives: rank " + id + " is at " +
           describePoint(point) + ", but rank " + peer + " waits for it at " +
           describePoint(*theirs) +
           "; every member of a group must run the same collectives in the "
           "same order";
  }
  return "mismatched collectives: rank " + id + " is at " +
         describePoint(point) + ", but its peers wait elsewhere";
}

} // namespace coconet::runtime
