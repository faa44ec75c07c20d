//===- Runtime.h - C ABI of the run-time library ----------------*- C++ -*-===//
//
// What compiled programs and their launchers call. N ranks run as N threads of
// one process; a collective is loads and stores on the peers' buffers between
// two barriers, `coconet_rt_enter` and `coconet_rt_leave`.
//
// A *site* names one communication op: a NUL-terminated constant with four
// fields separated by '\n':
//
//   op kind        all_reduce
//   name           avg               (coconet.name, may be empty)
//   location       adam.mlir:12:8    (may be empty)
//   group          axes SIZE:STRIDE ...   or   groups 0,2 1,3
//
// `axes` lists mesh axes from major to minor: the coordinate of a rank along an
// axis is rank / stride % size, the group is all ranks that agree on the other
// coordinates, and the position in it is the composed index. `groups` lists
// every group's members; the position is the place in the list. Where members
// run several functions, one communication has a site in each of them, and the
// last field is
//
//   shared KIND groups 0,2 1,3
//
// Then the members of a group meet where each of them starts its n-th
// communication of the kind in the run, at whatever site that is.
//
// An error inside compiled code (time-out, mismatch, missing BLAS) leaves the
// compiled frames by longjmp, so they must hold nothing that needs a
// destructor.
//
//===----------------------------------------------------------------------===//

#ifndef COCONET_RUNTIME_RUNTIME_H
#define COCONET_RUNTIME_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#define COCONET_RT_EXPORT __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/// N ranks and their threads.
typedef struct coconet_world coconet_world;

/// One rank: the first argument of compiled code.
typedef struct coconet_rank coconet_rank;

/// Results of `coconet_rt_world_run`.
enum {
  /// Every rank returned.
  COCONET_RT_OK = 0,
  /// The run failed and every rank has left it; the world can be used again.
  COCONET_RT_FAILED = 1,
  /// The run failed and a rank is still inside compiled code: the world cannot
  /// be used again, and nothing that code may touch may ever be freed.
  COCONET_RT_BROKEN = 2,
  /// Nothing was started; the message is in `coconet_rt_world_error(NULL)`.
  COCONET_RT_REFUSED = 3
};

//===----------------------------------------------------------------------===//
// For launchers
//===----------------------------------------------------------------------===//

/// Creates `ranks` ranks. Every wait inside a run is bounded by
/// `timeout_seconds`; 0 or less takes COCONET_TIMEOUT, else 30. Returns null on
/// error, with the message in `coconet_rt_world_error(NULL)`.
COCONET_RT_EXPORT coconet_world *
coconet_rt_world_create(int64_t ranks, double timeout_seconds);

/// Stops the threads and frees the world. A broken world is leaked, because a
/// rank may still use it. Null is allowed.
COCONET_RT_EXPORT void coconet_rt_world_destroy(coconet_world *world);

/// Calls `fn(args[r])` `repeat` times on every rank r and waits for all of
/// them. `fn` has the packed convention of MLIR's ExecutionEngine; `args[r][0]`
/// points at a variable that holds `coconet_rt_world_rank(world, r)`. The
/// calling thread acts as rank 0. When another rank fails and rank 0 does not
/// return within the time-out, the message is written to stderr, since nothing
/// can be returned. One run at a time a world.
COCONET_RT_EXPORT int coconet_rt_world_run(coconet_world *world,
                                           void (*fn)(void **), void ***args,
                                           int64_t repeat);

/// As `coconet_rt_world_run`, with one function a rank: `fns[r](args[r])`.
COCONET_RT_EXPORT int coconet_rt_world_run_each(coconet_world *world,
                                                void (**fns)(void **),
                                                void ***args, int64_t repeat);

/// The rank with this number, or null if there is none. Lives as long as the
/// world.
COCONET_RT_EXPORT coconet_rank *coconet_rt_world_rank(coconet_world *world,
                                                      int64_t rank);

/// The message of the last run, "" if it succeeded. With a null world: the
/// message of the last failed call on this thread that had no world to keep it.
/// Valid until the next call.
COCONET_RT_EXPORT const char *
coconet_rt_world_error(const coconet_world *world);

/// Takes matrix multiplication from the shared library at `path` (built with
/// the `scipy_` prefix and 32-bit integers, as in the package
/// scipy-openblas32), on one thread a rank. Returns 0, or 1 with the message in
/// `coconet_rt_world_error(NULL)`.
COCONET_RT_EXPORT int coconet_rt_set_blas(const char *path);

//===----------------------------------------------------------------------===//
// For compiled code: communication
//===----------------------------------------------------------------------===//

/// The number of this rank, from 0.
COCONET_RT_EXPORT int64_t coconet_rt_rank_id(coconet_rank *rank);

/// Fails the run unless the world has exactly `expected` ranks: a site shows
/// only the axes it communicates over, not the whole mesh.
COCONET_RT_EXPORT void coconet_rt_check_ranks(coconet_rank *rank,
                                              int64_t expected);

/// Publishes `count` buffers and waits until every member of the site's group
/// has arrived there too. Returns a table: `table[position * count + b]` is
/// buffer b of the member at that position. Valid until `coconet_rt_leave`.
/// What members wrote before they entered is visible afterwards. A rank may be
/// inside several sites at once, but only once inside each.
COCONET_RT_EXPORT void **coconet_rt_enter(coconet_rank *rank, const char *site,
                                          void *const *buffers, int64_t count);

/// Publishes `count` buffers and goes on; `coconet_rt_wait` does the rest of
/// `coconet_rt_enter`, once. The members may meet at other sites in between, but
/// each starts this one again only after it has left it.
COCONET_RT_EXPORT void coconet_rt_start(coconet_rank *rank, const char *site,
                                        void *const *buffers, int64_t count);
COCONET_RT_EXPORT void **coconet_rt_wait(coconet_rank *rank, const char *site);

/// Waits until all members are done with each other's buffers.
COCONET_RT_EXPORT void coconet_rt_leave(coconet_rank *rank, const char *site);

/// Number of members of this rank's group at the site.
COCONET_RT_EXPORT int64_t coconet_rt_group_size(coconet_rank *rank,
                                                const char *site);

/// Position of this rank in its group at the site.
COCONET_RT_EXPORT int64_t coconet_rt_group_position(coconet_rank *rank,
                                                    const char *site);

/// Fails the run with a size mismatch at the site unless the sizes agree.
COCONET_RT_EXPORT void coconet_rt_check_size(coconet_rank *rank,
                                             const char *site, int64_t expected,
                                             int64_t actual);

/// Fails the run, with the first element in question, unless all `count`
/// elements are finite. `dtype` is "f16", "bf16", "f32" or "f64"; the site's
/// first field says whose value it is.
COCONET_RT_EXPORT void coconet_rt_check_finite(coconet_rank *rank,
                                               const char *site,
                                               const char *dtype,
                                               const void *data, int64_t count);

//===----------------------------------------------------------------------===//
// For compiled code: memory and matrices
//===----------------------------------------------------------------------===//

/// Allocates `bytes` bytes aligned to 64. Large blocks come from a cache of the
/// calling thread, so that a training step faults its pages in only once. What
/// a failed run allocated and did not free is reclaimed when all ranks left it.
/// When memory is exhausted the run fails; outside a run the result is null.
COCONET_RT_EXPORT void *coconet_rt_alloc(size_t bytes);

/// Frees a block, on any thread; it returns to the thread that allocated it.
COCONET_RT_EXPORT void coconet_rt_free(void *block);

/// Bytes in use now, and the number of allocations made so far.
COCONET_RT_EXPORT void coconet_rt_alloc_statistics(int64_t *live_bytes,
                                                   int64_t *allocations);

/// The names that MLIR's memref-to-llvm conversion calls
/// (use-generic-functions).
COCONET_RT_EXPORT void *_mlir_memref_to_llvm_alloc(size_t bytes);
COCONET_RT_EXPORT void *_mlir_memref_to_llvm_aligned_alloc(size_t alignment,
                                                           size_t bytes);
COCONET_RT_EXPORT void _mlir_memref_to_llvm_free(void *block);

/// c = op(a) op(b), or c += op(a) op(b) if `accumulate`, for `batch` pairs of
/// row-major matrices: op(a) is m x k, op(b) is k x n, c is m x n. With
/// `transpose_a` a is stored k x m, with `transpose_b` b is stored n x k.
/// Strides count elements; a batch stride of 0 means one matrix for the whole
/// batch, a row stride above the row's length a part of a larger matrix; c is
/// contiguous. `dtype` is "f32" or "f64" (BLAS), or "i8", "i32",
/// "i64" (own loops, modulo 2^bits). All sizes may be 0; k = 0 gives zeros.
COCONET_RT_EXPORT void
coconet_rt_matmul(const char *dtype, int64_t transpose_a, int64_t transpose_b,
                  int64_t batch, int64_t m, int64_t n, int64_t k, const void *a,
                  int64_t a_batch_stride, int64_t a_row_stride, const void *b,
                  int64_t b_batch_stride, int64_t b_row_stride, void *c,
                  int64_t accumulate);

#ifdef __cplusplus
}
#endif

#endif // COCONET_RUNTIME_RUNTIME_H
