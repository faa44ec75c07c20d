//===- Memory.cpp - Blocks cached by the thread that uses them ------------===//
//
// glibc returns large blocks to the system, so that every training step would
// fault its pages in again. Large blocks are therefore kept in the heap of the
// thread that allocated them, also when another thread frees them.
//
//===----------------------------------------------------------------------===//

#include "World.h"

#include <algorithm>
#include <cstdlib>
#include <sys/mman.h>

namespace coconet::runtime {

namespace {

constexpr size_t blockAlignment = 64;
constexpr size_t pageSize = 4096;
constexpr size_t hugePageSize = size_t(1) << 21;
/// Blocks from this size on are mapped and cached; smaller ones are malloc's.
constexpr size_t mappedSize = size_t(1) << 16;
/// Size classes: eight for each power of two, so an eighth is wasted at most.
constexpr size_t classesPerDoubling = 8;
constexpr size_t numClasses = (48 - 16) * classesPerDoubling;
constexpr size_t notCached = numClasses;

class Heap;

/// Lies before every block.
struct alignas(blockAlignment) Header {
  Heap *heap;
  /// Neighbours among the heap's live blocks; `next` also links cached ones.
  Header *previous;
  Header *next;
  /// What the system gave: address, and size if it is a mapping, else 0.
  void *base;
  size_t mapped;
  size_t bytes;
  /// The run that allocated the block, 0 outside a run.
  uint64_t run;
  size_t sizeClass;

  void *data() { return this + 1; }
  static Header *of(void *data) { return static_cast<Header *>(data) - 1; }
};
static_assert(sizeof(Header) == blockAlignment, "data follows the header");

size_t alignUp(size_t value, size_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

/// The class of a mapped size, and the size all its blocks have.
size_t classOf(size_t bytes, size_t &classBytes) {
  size_t power = 63 - __builtin_clzll(bytes);
  size_t step = (size_t(1) << power) / classesPerDoubling;
  classBytes = alignUp(bytes, step);
  size_t index = (power - 16) * classesPerDoubling +
                 (classBytes - (size_t(1) << power)) / step;
  return std::min(index, notCached);
}

/// Bytes that all caches together may keep: a quarter of the memory.
size_t cacheLimit() {
  static const size_t limit =
      static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE) / 4;
  return limit;
}

std::atomic<size_t> cachedBytes{0};

void returnToSystem(Header *header) {
  if (header->mapped)
    munmap(header->base, header->mapped);
  else
    free(header->base);
}

/// Maps `size` bytes; from 4 MiB on so that they can lie in huge pages.
void *map(size_t size) {
  bool useHugePages = size >= 2 * hugePageSize;
  size_t slack = useHugePages ? hugePageSize - pageSize : 0;
  void *address = mmap(nullptr, size + slack, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED)
    return nullptr;
  if (!useHugePages)
    return address;
  char *begin = static_cast<char *>(address);
  char *aligned = reinterpret_cast<char *>(
      alignUp(reinterpret_cast<uintptr_t>(begin), hugePageSize));
  if (aligned != begin)
    munmap(begin, aligned - begin);
  if (size_t rest = begin + slack - aligned)
    munmap(aligned + size, rest);
  madvise(aligned, size, MADV_HUGEPAGE);
  return aligned;
}

/// Offset of a mapped block's header in its page. Loops over many arrays would
/// hit one cache set, and stall loads on unrelated stores, if all arrays began
/// at the same offset.
size_t nextOffset() {
  static std::atomic<size_t> counter{0};
  return counter.fetch_add(1, std::memory_order_relaxed) % 15 * 256;
}

/// The memory of one thread. Heaps outlive their threads, because blocks do;
/// the next thread takes over an idle one.
class Heap {
public:
  Header *allocate(size_t alignment, size_t bytes, uint64_t run) {
    std::lock_guard<std::mutex> lock(mutex);
    Header *header = bytes < mappedSize || alignment > blockAlignment
                         ? allocateUncached(alignment, bytes)
                         : allocateCached(bytes);
    if (!header)
      return nullptr;
    header->heap = this;
    header->bytes = bytes;
    header->run = run;
    header->previous = nullptr;
    header->next = live;
    if (live)
      live->previous = header;
    live = header;
    liveBytes += bytes;
    ++allocations;
    return header;
  }

  void release(Header *header) {
    std::lock_guard<std::mutex> lock(mutex);
    releaseLocked(header);
  }

  void releaseRun(uint64_t run) {
    std::lock_guard<std::mutex> lock(mutex);
    for (Header *header = live; header;) {
      Header *next = header->next;
      if (header->run == run)
        releaseLocked(header);
      header = next;
    }
  }

  /// Gives the cached blocks back to the system.
  void trim() {
    std::lock_guard<std::mutex> lock(mutex);
    for (Header *&first : cached)
      while (Header *header = first) {
        first = header->next;
        cachedBytes -= header->mapped;
        returnToSystem(header);
      }
  }

  void addStatistics(int64_t &bytes, int64_t &count) {
    std::lock_guard<std::mutex> lock(mutex);
    bytes += liveBytes;
    count += allocations;
  }

private:
  Header *allocateUncached(size_t alignment, size_t bytes) {
    size_t room;
    if (__builtin_add_overflow(bytes, alignment + sizeof(Header), &room))
      return nullptr;
    void *base = malloc(room);
    if (!base)
      return nullptr;
    uintptr_t data =
        alignUp(reinterpret_cast<uintptr_t>(base) + sizeof(Header), alignment);
    Header *header = Header::of(reinterpret_cast<void *>(data));
    header->base = base;
    header->mapped = 0;
    header->sizeClass = notCached;
    return header;
  }

  Header *allocateCached(size_t bytes) {
    if (bytes > SIZE_MAX / 4)
      return nullptr;
    size_t classBytes;
    size_t sizeClass = classOf(bytes, classBytes);
    if (sizeClass != notCached && cached[sizeClass]) {
      Header *header = cached[sizeClass];
      cached[sizeClass] = header->next;
      cachedBytes -= header->mapped;
      return header;
    }
    size_t mapped = alignUp(classBytes, pageSize) + pageSize;
    void *base = map(mapped);
    if (!base)
      return nullptr;
    auto *header =
        reinterpret_cast<Header *>(static_cast<char *>(base) + nextOffset());
    header->base = base;
    header->mapped = mapped;
    header->sizeClass = sizeClass;
    return header;
  }

  void releaseLocked(Header *header) {
    if (header->previous)
      header->previous->next = header->next;
    else
      live = header->next;
    if (header->next)
      header->next->previous = header->previous;
    liveBytes -= header->bytes;
    if (header->sizeClass == notCached ||
        cachedBytes + header->mapped > cacheLimit())
      return returnToSystem(header);
    cachedBytes += header->mapped;
    header->next = cached[header->sizeClass];
    cached[header->sizeClass] = header;
  }

  std::mutex mutex;
  Header *live = nullptr;
  Header *cached[numClasses] = {};
  int64_t liveBytes = 0;
  int64_t allocations = 0;
};

/// All heaps, and those without a thread. Never destroyed: blocks may be freed
/// while the process exits.
struct HeapRegistry {
  std::mutex mutex;
  std::vector<Heap *> all;
  std::vector<Heap *> idle;

  static HeapRegistry &get() {
    static HeapRegistry *registry = new HeapRegistry;
    return *registry;
  }
};

class ThreadHeap {
public:
  ThreadHeap() {
    HeapRegistry &registry = HeapRegistry::get();
    std::lock_guard<std::mutex> lock(registry.mutex);
    if (registry.idle.empty()) {
      heap = new Heap;
      registry.all.push_back(heap);
    } else {
      heap = registry.idle.back();
      registry.idle.pop_back();
    }
  }

  ~ThreadHeap() {
    heap->trim();
    HeapRegistry &registry = HeapRegistry::get();
    std::lock_guard<std::mutex> lock(registry.mutex);
    registry.idle.push_back(heap);
  }

  Heap *heap;
};

void *allocate(size_t alignment, size_t bytes) {
  static thread_local ThreadHeap thread;
  Rank *rank = currentRank();
  Header *header = thread.heap->allocate(std::max(alignment, blockAlignment),
                                         bytes, rank ? rank->world->run : 0);
  if (header)
    return header->data();
  if (rank)
    fail(*rank, [&] {
      return "out of memory: rank " + std::to_string(rank->id) + " asked for " +
             std::to_string(bytes) +
             " bytes; use smaller tensors or more slices";
    });
  return nullptr;
}

} // namespace

void reclaimRun(uint64_t run) {
  HeapRegistry &registry = HeapRegistry::get();
  std::lock_guard<std::mutex> lock(registry.mutex);
  for (Heap *heap : registry.all)
    heap->releaseRun(run);
}

} // namespace coconet::runtime

using namespace coconet::runtime;

void *coconet_rt_alloc(size_t bytes) { return allocate(blockAlignment, bytes); }

void coconet_rt_free(void *block) {
  if (!block)
    return;
  Header *header = Header::of(block);
  header->heap->release(header);
}

void coconet_rt_alloc_statistics(int64_t *live_bytes, int64_t *allocations) {
  *live_bytes = 0;
  *allocations = 0;
  HeapRegistry &registry = HeapRegistry::get();
  std::lock_guard<std::mutex> lock(registry.mutex);
  for (Heap *heap : registry.all)
    heap->addStatistics(*live_bytes, *allocations);
}

void *_mlir_memref_to_llvm_alloc(size_t bytes) {
  return coconet_rt_alloc(bytes);
}

void *_mlir_memref_to_llvm_aligned_alloc(size_t alignment, size_t bytes) {
  return allocate(alignment, bytes);
}

void _mlir_memref_to_llvm_free(void *block) { coconet_rt_free(block); }
