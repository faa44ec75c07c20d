//===- World.cpp - Threads of the ranks, and runs -------------------------===//

#include "World.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace coconet::runtime {

namespace {

constexpr int64_t maxRanks = 0x7fff;
constexpr Patience patienceWithFreeCores = {50 * 1000, 200};
constexpr Patience patienceWithoutFreeCores = {50 * 1000, 0};
/// How long a sleeper goes without a look at whether the run has failed.
constexpr int64_t sleepNanoseconds = 50 * 1000 * 1000;

thread_local Rank *rankOfThread = nullptr;
thread_local std::string errorOfThread;

/// Runs are numbered over all worlds, because blocks of memory carry the
/// number of the run that allocated them.
std::atomic<uint64_t> lastRun{0};

int64_t availableProcessors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return CPU_COUNT(&set);
  return std::max<int64_t>(sysconf(_SC_NPROCESSORS_ONLN), 1);
}

/// Seconds from the argument, the environment or the default; 0 if the
/// environment holds something else.
double chooseTimeout(double seconds) {
  if (seconds > 0)
    return seconds;
  const char *text = getenv("COCONET_TIMEOUT");
  if (!text || !*text)
    return 30;
  char *end;
  double value = strtod(text, &end);
  return *end == '\0' && value > 0 ? value : 0;
}

void runRank(Rank &rank) {
  World &world = *rank.world;
  rankOfThread = &rank;
  if (setjmp(rank.exit) == 0) {
    auto *function = rank.function;
    void **arguments = world.arguments[rank.id];
    for (int64_t i = 0; i < world.repeat && !world.failed.load(); ++i)
      function(arguments);
  }
  rankOfThread = nullptr;
  rank.finishedRun.store(world.run, std::memory_order_release);
}

/// A worker that failed the run sees to it that the message is not lost if the
/// caller, which acts as rank 0, does not come back to return it.
void reportIfCallerIsStuck(World &world) {
  const Rank &caller = *world.ranks.front();
  int64_t end = now() + world.timeoutNanoseconds;
  while (caller.finishedRun.load(std::memory_order_acquire) != world.run) {
    if (now() > end) {
      if (world.reported.exchange(true))
        return;
      std::lock_guard<std::mutex> lock(world.mutex);
      fprintf(stderr,
              "error: %s\nnote: rank 0 is still inside its function and cannot "
              "return this error\n",
              world.error.c_str());
      return;
    }
    usleep(1000);
  }
}

void *workerMain(void *argument) {
  Rank &rank = *static_cast<Rank *>(argument);
  World &world = *rank.world;
  uint32_t seen = 0;
  for (;;) {
    auto isStarted = [&] { return world.started.load() != seen; };
    if (!world.patience.pass(isStarted))
      while (!isStarted())
        world.started.sleep(seen, sleepNanoseconds);
    seen = world.started.load();
    if (world.stopping.load())
      return nullptr;
    runRank(rank);
    if (world.failed.load())
      reportIfCallerIsStuck(world);
    world.pending.decrement();
  }
}

/// Waits until the workers have returned; false if the run has failed and one
/// is still inside its function a time-out later.
bool awaitWorkers(World &world) {
  auto isDone = [&] { return world.pending.load() == 0; };
  if (world.patience.pass(isDone))
    return true;
  int64_t deadline = 0;
  while (!isDone()) {
    if (world.failed.load() && !deadline)
      deadline = now() + world.timeoutNanoseconds;
    if (deadline && now() > deadline)
      return false;
    uint32_t pending = world.pending.load();
    int64_t limit = deadline ? deadline - now() : sleepNanoseconds;
    if (pending)
      world.pending.sleep(pending,
                          std::clamp<int64_t>(limit, 0, sleepNanoseconds));
  }
  return true;
}

/// Gives up on the ranks that are still inside their functions.
void abandonWorld(World &world) {
  std::string ranks;
  for (const std::unique_ptr<Rank> &rank : world.ranks)
    if (rank->finishedRun.load(std::memory_order_acquire) != world.run)
      ranks += (ranks.empty() ? "" : ", ") + std::to_string(rank->id);
  std::lock_guard<std::mutex> lock(world.mutex);
  world.error += "\nnote: still inside compiled code: rank " + ranks +
                 "; this world cannot be used again, create another";
  world.broken = true;
}

/// Readies a world whose ranks have all left a failed run for the next one.
void recoverWorld(World &world) {
  for (auto &entry : world.groups)
    entry.second->barrier.store(0);
  for (auto &entry : world.exchanges) {
    const Exchange &exchange = *entry.second;
    if (!exchange.own)
      continue;
    exchange.own->barrier.store(0);
    for (size_t i = 0; i < exchange.own->members.size(); ++i)
      exchange.underWay[i].store(false);
  }
  reclaimRun(world.run);
}

int refuse(const char *message) {
  recordThreadError(message);
  return COCONET_RT_REFUSED;
}

int runWorld(World &world, void (*const *functions)(void **), size_t stride,
             void ***arguments, int64_t repeat) {
  if (world.broken)
    return COCONET_RT_BROKEN;
  if (world.process != getpid())
    return refuse("the world belongs to another process and its threads "
                  "were lost in the fork; create it after the fork");
  if (rankOfThread || world.busy.exchange(true))
    return refuse("the world is already running; start one run at a "
                  "time, or create a world for each thread");
  world.error.clear();
  world.failed.store(false);
  world.reported.store(false);
  world.run = ++lastRun;
  for (size_t i = 0; i < world.ranks.size(); ++i)
    world.ranks[i]->function = functions[stride * i];
  world.arguments = arguments;
  world.repeat = repeat;
  for (const std::unique_ptr<Rank> &rank : world.ranks) {
    rank->at.store(nullptr, std::memory_order_relaxed);
    rank->progress.store(0, std::memory_order_relaxed);
  }
  if (world.ranks.size() > 1) {
    world.pending.store(static_cast<uint32_t>(world.ranks.size() - 1));
    world.started.store(world.started.load() + 1);
  }
  runRank(*world.ranks.front());
  int result = COCONET_RT_OK;
  if (!awaitWorkers(world)) {
    abandonWorld(world);
    result = COCONET_RT_BROKEN;
  } else if (world.failed.load()) {
    recoverWorld(world);
    result = COCONET_RT_FAILED;
  }
  world.busy.store(false);
  return result;
}

/// Stops and joins the first `count` workers.
void stopWorkers(World &world, size_t count) {
  world.stopping.store(true);
  world.started.store(world.started.load() + 1);
  for (size_t i = 1; i <= count; ++i)
    pthread_join(world.ranks[i]->thread, nullptr);
}

/// Starts the workers; returns the error of the system, or 0.
int startWorkers(World &world) {
  for (size_t i = 1; i < world.ranks.size(); ++i) {
    Rank &rank = *world.ranks[i];
    if (int code = pthread_create(&rank.thread, nullptr, workerMain, &rank)) {
      stopWorkers(world, i - 1);
      return code;
    }
  }
  return 0;
}

} // namespace

Rank *currentRank() { return rankOfThread; }

void recordThreadError(std::string message) {
  errorOfThread = std::move(message);
}

void recordError(World &world, const std::string &message) {
  std::lock_guard<std::mutex> lock(world.mutex);
  if (world.failed.load())
    return;
  world.error = message;
  world.failed.store(true);
  for (auto &entry : world.groups)
    wakeBarrier(*entry.second);
  for (auto &entry : world.exchanges)
    if (entry.second->own)
      wakeBarrier(*entry.second->own);
}

void leaveCompiledCode(Rank &rank) { longjmp(rank.exit, 1); }

} // namespace coconet::runtime

using namespace coconet::runtime;

coconet_world *coconet_rt_world_create(int64_t ranks, double timeout_seconds) {
  if (ranks < 1 || ranks > maxRanks) {
    recordThreadError("a world of " + std::to_string(ranks) +
                      " ranks is not possible; ask for 1 to " +
                      std::to_string(maxRanks));
    return nullptr;
  }
  double seconds = chooseTimeout(timeout_seconds);
  if (!(seconds > 0)) {
    recordThreadError("COCONET_TIMEOUT is '" +
                      std::string(getenv("COCONET_TIMEOUT")) +
                      "'; set it to a positive number of seconds");
    return nullptr;
  }
  auto world = std::make_unique<coconet_world>();
  // A year is as good as for ever, and does not overflow.
  world->timeoutNanoseconds =
      static_cast<int64_t>(std::min(seconds, 3600.0 * 24 * 365) * 1e9);
  world->patience = ranks <= availableProcessors() ? patienceWithFreeCores
                                                   : patienceWithoutFreeCores;
  world->process = getpid();
  for (int64_t i = 0; i < ranks; ++i) {
    world->ranks.push_back(std::make_unique<coconet_rank>());
    world->ranks.back()->id = i;
    world->ranks.back()->world = world.get();
  }
  if (int code = startWorkers(*world)) {
    recordThreadError("the system refused a thread for each of " +
                      std::to_string(ranks) + " ranks (" + strerror(code) +
                      "); use fewer ranks or raise the limit");
    return nullptr;
  }
  return world.release();
}

void coconet_rt_world_destroy(coconet_world *world) {
  // After a fork there are no threads to join.
  if (!world || world->process != getpid())
    return;
  if (world->broken) {
    // The idle workers leave; the others may still use the world.
    world->stopping.store(true);
    world->started.store(world->started.load() + 1);
    for (size_t i = 1; i < world->ranks.size(); ++i)
      pthread_detach(world->ranks[i]->thread);
    return;
  }
  stopWorkers(*world, world->ranks.size() - 1);
  delete world;
}

int coconet_rt_world_run(coconet_world *world, void (*fn)(void **),
                         void ***args, int64_t repeat) {
  return runWorld(*world, &fn, 0, args, repeat);
}

int coconet_rt_world_run_each(coconet_world *world, void (**fns)(void **),
                              void ***args, int64_t repeat) {
  return runWorld(*world, fns, 1, args, repeat);
}

coconet_rank *coconet_rt_world_rank(coconet_world *world, int64_t rank) {
  if (rank < 0 || rank >= static_cast<int64_t>(world->ranks.size()))
    return nullptr;
  return world->ranks[rank].get();
}

const char *coconet_rt_world_error(const coconet_world *world) {
  return world ? world->error.c_str() : errorOfThread.c_str();
}
