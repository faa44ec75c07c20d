//===- Exchange.cpp - Barriers and tables of buffers ----------------------===//

#include "World.h"

#include <algorithm>

namespace coconet::runtime {

namespace {

constexpr uint64_t generationStep = UINT64_C(1) << 56;
constexpr uint64_t generationMask = UINT64_C(0xff) << 56;
constexpr uint64_t sleeperBit = UINT64_C(1) << 15;
constexpr int64_t firstSleep = 1000 * 1000;
constexpr int64_t longestSleep = 50 * 1000 * 1000;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "the futex is the upper half of the barrier word");

const uint32_t *futexOf(const Group &group) {
  return reinterpret_cast<const uint32_t *>(&group.barrier) + 1;
}

/// Tells the last member to wake us; false if the generation is over.
bool announceSleep(Group &group, uint64_t generation, uint64_t &word) {
  word = group.barrier.load(std::memory_order_acquire);
  do {
    if ((word & generationMask) != generation)
      return false;
  } while (!(word & sleeperBit) &&
           !group.barrier.compare_exchange_weak(word, word | sleeperBit,
                                                std::memory_order_acq_rel,
                                                std::memory_order_acquire));
  return true;
}

/// Sleeps in slices until the generation is over, and looks between them for
/// reasons to give up.
void sleepUntilComplete(Rank &rank, const Point &point, Group &group,
                        uint64_t generation) {
  const World &world = *rank.world;
  int64_t deadline = now() + world.timeoutNanoseconds;
  for (int64_t slice = firstSleep;; slice = std::min(2 * slice, longestSleep)) {
    if (world.failed.load(std::memory_order_acquire))
      leaveCompiledCode(rank);
    uint64_t word;
    if (!announceSleep(group, generation, word))
      return;
    futexWait(futexOf(group), static_cast<uint32_t>((word | sleeperBit) >> 32),
              std::min(slice, world.timeoutNanoseconds));
    auto isComplete = [&] {
      return (group.barrier.load(std::memory_order_acquire) & generationMask) !=
             generation;
    };
    if (isComplete())
      return;
    bool isOver;
    {
      std::string reason = explainHopelessWait(rank, point);
      if (reason.empty() && now() > deadline)
        reason = explainTimeout(rank, point);
      isOver = !reason.empty() && !isComplete();
      if (isOver)
        recordError(*rank.world, reason);
    }
    if (isOver)
      leaveCompiledCode(rank);
  }
}

void waitUntilComplete(Rank &rank, const Point &point, Group &group,
                       uint64_t generation) {
  const World &world = *rank.world;
  bool isComplete = false;
  world.patience.pass([&] {
    isComplete = (group.barrier.load(std::memory_order_acquire) &
                  generationMask) != generation;
    return isComplete || world.failed.load(std::memory_order_relaxed);
  });
  if (!isComplete)
    sleepUntilComplete(rank, point, group, generation);
}

/// The barrier: returns when all members of the group have arrived at `point`.
void arrive(Rank &rank, const Point &point) {
  Group &group = *point.exchange->group;
  uint64_t progress = rank.progress.load(std::memory_order_relaxed);
  rank.at.store(&point, std::memory_order_relaxed);
  rank.progress.store(progress + 1, std::memory_order_release);
  uint64_t word = group.barrier.load(std::memory_order_acquire);
  uint64_t next;
  bool isLast;
  do {
    uint64_t count = barrierCount(word);
    if (count && barrierPoint(word) != point.id)
      fail(rank,
           [&] { return explainMismatch(rank, point, barrierPoint(word)); });
    isLast = count + 1 == group.members.size();
    next = isLast ? (word & generationMask) + generationStep
                  : (word & (generationMask | sleeperBit)) | point.id << 16 |
                        (count + 1);
  } while (!group.barrier.compare_exchange_weak(
      word, next, std::memory_order_acq_rel, std::memory_order_acquire));
  if (!isLast)
    waitUntilComplete(rank, point, group, word & generationMask);
  else if (word & sleeperBit)
    wakeBarrier(group);
  rank.progress.store(progress + 2, std::memory_order_release);
}

Site *internSite(World &world, const char *text) {
  std::unique_ptr<Site> &site = world.sites[text];
  if (!site) {
    auto parsed = std::make_unique<Site>();
    if (!parseSite(text, *parsed))
      return nullptr;
    site = std::move(parsed);
  }
  return site.get();
}

/// The membership of `rank` at the site with this text, or null and an error.
Membership *findMembership(Rank &rank, const char *text, std::string &error) {
  World &world = *rank.world;
  std::lock_guard<std::mutex> lock(world.mutex);
  Site *site = internSite(world, text);
  if (!site) {
    error = "malformed site '" + std::string(text) +
            "'; expected op, name, location and group on four lines";
    return nullptr;
  }
  std::unique_ptr<Membership> &membership = rank.memberships[site];
  if (membership)
    return membership.get();
  std::vector<int64_t> members;
  int64_t size = world.ranks.size();
  error = parseGroup(site->group, rank.id, size, members);
  if (!error.empty()) {
    error = describe(*site) + ": " + error;
    return nullptr;
  }
  std::unique_ptr<Group> &group = world.groups[members];
  if (!group) {
    group = std::make_unique<Group>();
    group->members = members;
  }
  membership = std::make_unique<Membership>();
  membership->site = site;
  membership->group = group.get();
  membership->position =
      std::find(members.begin(), members.end(), rank.id) - members.begin();
  return membership.get();
}

/// Fills the cache entry of a site not seen before, or seen in an earlier run.
Membership *findUncached(Rank &rank, const char *text) {
  Membership *membership;
  {
    std::string error;
    membership = findMembership(rank, text, error);
    if (!membership)
      recordError(*rank.world, error);
  }
  if (!membership)
    leaveCompiledCode(rank);
  rank.cache.insert(text, membership, rank.world->run);
  return membership;
}

inline Membership &membershipAt(Rank &rank, const char *text) {
  SiteCache::Entry &entry = rank.cache.find(text);
  if (entry.key && entry.checkedRun == rank.world->run)
    return *entry.membership;
  return *findUncached(rank, text);
}

/// The exchange of the site and group of `membership` for `count` buffers.
void selectExchange(World &world, Membership &membership, int64_t count) {
  std::lock_guard<std::mutex> lock(world.mutex);
  std::unique_ptr<Exchange> &exchange =
      world.exchanges[{membership.site, membership.group, count}];
  if (!exchange) {
    exchange = std::make_unique<Exchange>();
    exchange->site = membership.site;
    exchange->group = membership.group;
    exchange->count = count;
    exchange->table.resize(membership.group->members.size() * count);
    exchange->enter = {++world.points, exchange.get(), false};
    exchange->leave = {++world.points, exchange.get(), true};
  }
  membership.exchange = exchange.get();
}

} // namespace

void wakeBarrier(Group &group) { futexWakeAll(futexOf(group)); }

void SiteCache::insert(const char *key, Membership *membership, uint64_t run) {
  Entry *entry = &find(key);
  if (!entry->key && 2 * ++used > entries.size()) {
    std::vector<Entry> old(2 * entries.size());
    old.swap(entries);
    for (const Entry &other : old)
      if (other.key)
        find(other.key) = other;
    entry = &find(key);
  }
  *entry = {key, membership, run};
}

} // namespace coconet::runtime

using namespace coconet::runtime;

int64_t coconet_rt_rank_id(coconet_rank *rank) { return rank->id; }

void coconet_rt_check_ranks(coconet_rank *rank, int64_t expected) {
  if (static_cast<int64_t>(rank->world->ranks.size()) == expected)
    return;
  fail(*rank, [&] {
    return "the program's mesh has " + std::to_string(expected) +
           " devices, but the world has " +
           std::to_string(rank->world->ranks.size()) +
           " ranks; run with as many ranks as the mesh has devices";
  });
}

void **coconet_rt_enter(coconet_rank *rank, const char *site,
                        void *const *buffers, int64_t count) {
  Membership &membership = membershipAt(*rank, site);
  if (membership.insideRun == rank->world->run)
    fail(*rank, [&] {
      return describe(*membership.site) + " entered twice by rank " +
             std::to_string(rank->id) + "; leave it first";
    });
  if (!membership.exchange || membership.exchange->count != count)
    selectExchange(*rank->world, membership, count);
  Exchange &exchange = *membership.exchange;
  void **row = exchange.table.data() + membership.position * count;
  // Rows of peers share cache lines, and from step to step the buffers are
  // mostly the same: reading is cheaper than taking the line from a peer.
  for (int64_t i = 0; i < count; ++i)
    if (row[i] != buffers[i])
      row[i] = buffers[i];
  if (exchange.group->members.size() > 1)
    arrive(*rank, exchange.enter);
  membership.insideRun = rank->world->run;
  return exchange.table.data();
}

void coconet_rt_leave(coconet_rank *rank, const char *site) {
  Membership &membership = membershipAt(*rank, site);
  if (membership.insideRun != rank->world->run)
    fail(*rank, [&] {
      return describe(*membership.site) + " left by rank " +
             std::to_string(rank->id) + ", which is not inside; enter it first";
    });
  if (membership.group->members.size() > 1)
    arrive(*rank, membership.exchange->leave);
  membership.insideRun = 0;
}

int64_t coconet_rt_group_size(coconet_rank *rank, const char *site) {
  return membershipAt(*rank, site).group->members.size();
}

int64_t coconet_rt_group_position(coconet_rank *rank, const char *site) {
  return membershipAt(*rank, site).position;
}

void coconet_rt_check_size(coconet_rank *rank, const char *site,
                           int64_t expected, int64_t actual) {
  if (expected == actual)
    return;
  const Membership &membership = membershipAt(*rank, site);
  fail(*rank, [&] {
    return "size mismatch at " + describe(*membership.site) + ": expected " +
           std::to_string(expected) + ", but rank " + std::to_string(rank->id) +
           " has " + std::to_string(actual);
  });
}
