// Hand-written stand-ins for compiled rank programs, in the packed convention
// of MLIR's ExecutionEngine: args[i] points at the variable with argument i.

#include "Runtime.h"

#include <stdlib.h>
#include <unistd.h>

#define ARGUMENT(type, index) (*(type *)args[index])

// out = sum of every member's in, added in order of position.
// (rank, site, in, out, n)
void all_reduce(void **args) {
  coconet_rank *rank = ARGUMENT(coconet_rank *, 0);
  const char *site = ARGUMENT(const char *, 1);
  void *buffers[] = {ARGUMENT(double *, 2)};
  double *out = ARGUMENT(double *, 3);
  int64_t n = ARGUMENT(int64_t, 4);
  double **peers = (double **)coconet_rt_enter(rank, site, buffers, 1);
  int64_t size = coconet_rt_group_size(rank, site);
  for (int64_t i = 0; i < n; ++i) {
    double sum = 0;
    for (int64_t p = 0; p < size; ++p)
      sum += peers[p][i];
    out[i] = sum;
  }
  coconet_rt_leave(rank, site);
}

// Rotates a value once around the group by way of two overlapping collectives:
// each writes its left neighbour's value, taken from the first site, to the
// buffer that the right neighbour published at the second.
// (rank, site, site, value)
void rotate(void **args) {
  coconet_rank *rank = ARGUMENT(coconet_rank *, 0);
  const char *source = ARGUMENT(const char *, 1);
  const char *target = ARGUMENT(const char *, 2);
  int64_t *value = &ARGUMENT(int64_t, 3);
  int64_t copy = *value;
  void *from[] = {&copy}, *to[] = {value, value};
  int64_t size = coconet_rt_group_size(rank, source);
  int64_t position = coconet_rt_group_position(rank, source);
  int64_t **sources = (int64_t **)coconet_rt_enter(rank, source, from, 1);
  int64_t **targets = (int64_t **)coconet_rt_enter(rank, target, to, 2);
  *targets[2 * position + 1] = *sources[(position + size - 1) % size];
  coconet_rt_leave(rank, source);
  coconet_rt_leave(rank, target);
}

// Three all_reduces under way at most two at a time: chunk c of `in` is doubled
// before it is started, and the next one while it is under way.
// (rank, sites, in, out, n, slow): `slow` sleeps before each start
void pipeline(void **args) {
  coconet_rank *rank = ARGUMENT(coconet_rank *, 0);
  const char **sites = ARGUMENT(const char **, 1);
  double *in = ARGUMENT(double *, 2), *out = ARGUMENT(double *, 3);
  int64_t n = ARGUMENT(int64_t, 4);
  for (int64_t step = 0; step < 4; ++step) {
    if (step < 3) {
      double *chunk = in + step * n;
      for (int64_t i = 0; i < n; ++i)
        chunk[i] *= 2;
      if (ARGUMENT(int64_t, 5))
        usleep(2000);
      void *buffers[] = {chunk};
      coconet_rt_start(rank, sites[step], buffers, 1);
    }
    if (step == 0)
      continue;
    const char *site = sites[step - 1];
    double **peers = (double **)coconet_rt_wait(rank, site);
    int64_t size = coconet_rt_group_size(rank, site);
    for (int64_t i = 0; i < n; ++i) {
      double sum = 0;
      for (int64_t p = 0; p < size; ++p)
        sum += peers[p][i];
      out[(step - 1) * n + i] = sum;
    }
    coconet_rt_leave(rank, site);
  }
}

// Runs a script of steps: "+2" enters sites[2], "-2" leaves it, "*2" does both,
// ">2" starts it, "<2" waits for it,
// "z50" sleeps 50 ms, "w" waits until the flag is set, "a1000" allocates (and
// never frees), "s3" claims a size 3 where 1 is expected at sites[0], "r4"
// expects 4 ranks, "p2" publishes two buffers from now on.
// (rank, script, sites, flag)
void script(void **args) {
  coconet_rank *rank = ARGUMENT(coconet_rank *, 0);
  const char *step = ARGUMENT(const char *, 1);
  const char **sites = ARGUMENT(const char **, 2);
  volatile int64_t *flag = ARGUMENT(volatile int64_t *, 3);
  void *buffers[8] = {args, args, args, args, args, args, args, args};
  int64_t count = 1;
  while (*step) {
    char kind = *step++;
    char *end;
    int64_t number = strtol(step, &end, 10);
    step = end;
    if (kind == '+' || kind == '*')
      coconet_rt_enter(rank, sites[number], buffers, count);
    if (kind == '>')
      coconet_rt_start(rank, sites[number], buffers, count);
    if (kind == '<')
      coconet_rt_wait(rank, sites[number]);
    if (kind == '-' || kind == '*')
      coconet_rt_leave(rank, sites[number]);
    if (kind == 'z')
      usleep(number * 1000);
    if (kind == 'w')
      while (!*flag)
        usleep(1000);
    if (kind == 'a')
      coconet_rt_alloc(number);
    if (kind == 's')
      coconet_rt_check_size(rank, sites[0], 1, number);
    if (kind == 'r')
      coconet_rt_check_ranks(rank, number);
    if (kind == 'p')
      count = number;
    while (*step == ' ')
      ++step;
  }
}

// Allocates a result, fills it, and gives it to the caller.
// (rank, bytes, result)
void allocate(void **args) {
  int64_t bytes = ARGUMENT(int64_t, 1);
  char *block = coconet_rt_alloc(bytes);
  for (int64_t i = 0; i < bytes; i += 64)
    block[i] = 1;
  ARGUMENT(char *, 2) = block;
}

// (rank, dtype)
void multiply(void **args) {
  double a = 2, b = 3, c = 0;
  coconet_rt_matmul(ARGUMENT(const char *, 1), 0, 0, 1, 1, 1, 1, &a, 0, 1, &b,
                    0, 1, &c, 0);
}
