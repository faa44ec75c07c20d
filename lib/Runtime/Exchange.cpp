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
/// Communication of one kind and group that a rank may have under way at sites
/// that functions share.
constexpr size_t maxUnderWay = 256;

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

/// Counts the rank in at `point`; the generation that it is part of.
uint64_t join(Rank &rank, const Point &point) {
  Group &group = *point.exchange->group;
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
  if (isLast && word & sleeperBit)
    wakeBarrier(group);
  return word & generationMask;
}

/// Runs what may block at `point`, which peers can see meanwhile.
template <typename Block>
void stopAt(Rank &rank, const Point &point, Block block) {
  uint64_t progress = rank.progress.load(std::memory_order_relaxed);
  rank.at.store(&point, std::memory_order_relaxed);
  rank.progress.store(progress + 1, std::memory_order_release);
  block();
  rank.progress.store(progress + 2, std::memory_order_release);
}

/// The barrier: returns when all members of the group have arrived at `point`.
void arrive(Rank &rank, const Point &point) {
  stopAt(rank, point, [&] {
    uint64_t generation = join(rank, point);
    waitUntilComplete(rank, point, *point.exchange->group, generation);
  });
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
  if (!site->kind.empty()) {
    auto key = std::pair(site->kind, group.get());
    auto [found, isNew] = rank.sequences.try_emplace(key, Sequence{site->kind});
    membership->sequence = &found->second;
  }
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
void selectExchange(World &world, Membership &membership, int64_t count,
                    bool isStarted) {
  std::lock_guard<std::mutex> lock(world.mutex);
  const Sequence *sequence = membership.sequence;
  std::unique_ptr<Exchange> &exchange = world.exchanges[{
      sequence ? nullptr : membership.site, sequence ? sequence->kind : "",
      membership.place, membership.group, count, isStarted}];
  if (!exchange) {
    size_t size = membership.group->members.size();
    exchange = std::make_unique<Exchange>();
    exchange->site = membership.site;
    exchange->group = membership.group;
    exchange->count = count;
    exchange->table.resize(size * count);
    if (isStarted) {
      exchange->own = std::make_unique<Group>();
      exchange->own->members = membership.group->members;
      exchange->group = exchange->own.get();
      exchange->underWay = std::make_unique<std::atomic<bool>[]>(size);
    }
    exchange->enter = {++world.points, exchange.get(), false};
    exchange->leave = {++world.points, exchange.get(), true};
  }
  membership.exchange = exchange.get();
}

/// Takes the next place of the sequence for a membership that enters.
void takePlace(Rank &rank, Membership &membership) {
  Sequence &sequence = *membership.sequence;
  if (sequence.run != rank.world->run) {
    sequence.run = rank.world->run;
    sequence.started = 0;
    sequence.isInside.assign(sequence.isInside.size(), false);
  }
  membership.place = sequence.started++ % maxUnderWay;
  if (membership.place >= sequence.isInside.size()) {
    sequence.isInside.resize(membership.place + 1);
    sequence.exchanges.resize(membership.place + 1);
  }
  if (sequence.isInside[membership.place])
    fail(rank, [&] {
      return describe(*membership.site) + " is started by rank " +
             std::to_string(rank.id) + " while " + std::to_string(maxUnderWay) +
             " others of its kind and group are "
             "under way; wait for some of them first";
    });
  sequence.isInside[membership.place] = true;
  membership.exchange = sequence.exchanges[membership.place];
}

/// Publishes the buffers at the site, which the rank is inside of from now on.
Exchange &publish(Rank &rank, Membership &membership, void *const *buffers,
                  int64_t count, bool isStarted) {
  if (membership.insideRun == rank.world->run)
    fail(rank, [&] {
      return describe(*membership.site) + " " +
             (isStarted ? "started" : "entered") + " twice by rank " +
             std::to_string(rank.id) + "; " +
             (isStarted ? "wait for" : "leave") + " it first";
    });
  if (membership.sequence)
    takePlace(rank, membership);
  if (!membership.exchange || membership.exchange->count != count ||
      bool(membership.exchange->own) != isStarted)
    selectExchange(*rank.world, membership, count, isStarted);
  if (membership.sequence)
    membership.sequence->exchanges[membership.place] = membership.exchange;
  Exchange &exchange = *membership.exchange;
  void **row = exchange.table.data() + membership.position * count;
  // Rows of peers share cache lines, and from step to step the buffers are
  // mostly the same: reading is cheaper than taking the line from a peer.
  for (int64_t i = 0; i < count; ++i)
    if (row[i] != buffers[i])
      row[i] = buffers[i];
  return exchange;
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
  if (membership.sequence) { // Others may have started theirs already.
    coconet_rt_start(rank, site, buffers, count);
    return coconet_rt_wait(rank, site);
  }
  Exchange &exchange = publish(*rank, membership, buffers, count, false);
  if (exchange.group->members.size() > 1)
    arrive(*rank, exchange.enter);
  membership.insideRun = rank->world->run;
  return exchange.table.data();
}

void coconet_rt_start(coconet_rank *rank, const char *site,
                      void *const *buffers, int64_t count) {
  Membership &membership = membershipAt(*rank, site);
  Exchange &exchange = publish(*rank, membership, buffers, count, true);
  membership.insideRun = rank->world->run;
  membership.isUnderWay = true;
  exchange.underWay[membership.position].store(true);
  membership.generation = join(*rank, exchange.enter);
}

void **coconet_rt_wait(coconet_rank *rank, const char *site) {
  Membership &membership = membershipAt(*rank, site);
  if (membership.insideRun != rank->world->run || !membership.isUnderWay)
    fail(*rank, [&] {
      return describe(*membership.site) + " waited for by rank " +
             std::to_string(rank->id) +
             ", which has not started it; start it first, and wait once";
    });
  Exchange &exchange = *membership.exchange;
  stopAt(*rank, exchange.enter, [&] {
    waitUntilComplete(*rank, exchange.enter, *exchange.group,
                      membership.generation);
    exchange.underWay[membership.position].store(false);
  });
  membership.isUnderWay = false;
  return exchange.table.data();
}

void coconet_rt_leave(coconet_rank *rank, const char *site) {
  Membership &membership = membershipAt(*rank, site);
  if (membership.insideRun != rank->world->run || membership.isUnderWay)
    fail(*rank, [&] {
      return describe(*membership.site) + " left by rank " +
             std::to_string(rank->id) + ", which is not inside; enter it first";
    });
  if (membership.group->members.size() > 1)
    arrive(*rank, membership.exchange->leave);
  if (membership.sequence)
    membership.sequence->isInside[membership.place] = false;
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
