//===- Waiting.h - Spinning, yielding and sleeping --------------*- C++ -*-===//

#ifndef COCONET_RUNTIME_WAITING_H
#define COCONET_RUNTIME_WAITING_H

#include <atomic>
#include <climits>
#include <cstdint>
#include <ctime>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace coconet::runtime {

inline void relaxProcessor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

/// Monotonic time in nanoseconds.
inline int64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

/// Sleeps while `*word == expected`, until woken or `nanoseconds` have passed.
inline void futexWait(const uint32_t *word, uint32_t expected,
                      int64_t nanoseconds) {
  timespec limit{nanoseconds / 1000000000, nanoseconds % 1000000000};
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, &limit, nullptr, 0);
}

/// Wakes all threads that sleep on `word`.
inline void futexWakeAll(const uint32_t *word) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

/// How long to burn time before sleeping. A wake-up costs microseconds and a
/// spin a fraction of one, but a spinning thread may keep the very thread it
/// waits for off the processor, so it yields every few microseconds.
struct Patience {
  int64_t nanoseconds;
  /// Looks between two yields; 0 where threads outnumber processors.
  int looks;

  /// Returns whether `done()` came true before patience ran out.
  template <typename Done> bool pass(Done done) const {
    // The first look and the first spin are free of system calls and clocks.
    int64_t end = 0;
    do {
      for (int i = 0; i < looks; ++i) {
        if (done())
          return true;
        relaxProcessor();
      }
      if (done())
        return true;
      if (!end)
        end = now() + nanoseconds;
      sched_yield();
    } while (now() < end);
    return done();
  }
};

/// A 32-bit value that few write and threads can sleep on.
class Signal {
public:
  uint32_t load() const { return value.load(std::memory_order_acquire); }

  void store(uint32_t next) {
    value.store(next);
    wake();
  }

  /// Subtracts one, and wakes the sleepers when 0 is reached.
  void decrement() {
    if (value.fetch_sub(1) == 1)
      wake();
  }

  /// Sleeps while the value is `expected`, at most `nanoseconds`.
  void sleep(uint32_t expected, int64_t nanoseconds) {
    // Sequentially consistent, as are the writes: either the writer sees the
    // sleeper, or the kernel sees the new value.
    sleepers.fetch_add(1);
    futexWait(reinterpret_cast<const uint32_t *>(&value), expected,
              nanoseconds);
    sleepers.fetch_sub(1);
  }

private:
  void wake() {
    if (sleepers.load())
      futexWakeAll(reinterpret_cast<const uint32_t *>(&value));
  }

  std::atomic<uint32_t> value{0};
  std::atomic<uint32_t> sleepers{0};
};

} // namespace coconet::runtime

#endif // COCONET_RUNTIME_WAITING_H
