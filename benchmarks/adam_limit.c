// The limit of a data-parallel Adam step on two ranks: a loop that moves the bytes that must move,
// and no barrier inside. Each thread works on its half: it reads both gradients, p, m and v there,
// and writes m, v and both copies of p.

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

struct step {
  int64_t n;
  const float *g0, *g1;
  float *p0, *p1, *m, *v;
  float c1, c2;
  int64_t repeat;
};

// Pointers as parameters: the compiler trusts `restrict` there, and vectorises.
static __attribute__((noinline)) void
update(int64_t begin, int64_t end, const float *restrict g0, const float *restrict g1,
       float *restrict p0, float *restrict p1, float *restrict m, float *restrict v, float c1,
       float c2) {
  for (int64_t i = begin; i < end; ++i) {
    float g = g0[i] + g1[i];
    float m1 = 0.9f * m[i] + 0.1f * g;
    float v1 = 0.999f * v[i] + 0.001f * g * g;
    float p = p0[i] - 1e-3f * (m1 / c1) / (sqrtf(v1 / c2) + 1e-8f);
    m[i] = m1;
    v[i] = v1;
    p0[i] = p;
    p1[i] = p;
  }
}

static void half(const struct step *s, int64_t begin, int64_t end) {
  update(begin, end, s->g0, s->g1, s->p0, s->p1, s->m, s->v, s->c1, s->c2);
}

struct turns {
  const struct step *step;
  atomic_long begun, ended;
};

static void *second_half(void *data) {
  struct turns *turns = data;
  const struct step *s = turns->step;
  for (long turn = 1; turn <= s->repeat; ++turn) {
    while (atomic_load_explicit(&turns->begun, memory_order_acquire) < turn)
      ;
    half(s, s->n / 2, s->n);
    atomic_store_explicit(&turns->ended, turn, memory_order_release);
  }
  return 0;
}

// Runs the step `repeat` times on two threads, the caller being one of them.
int adam_limit(const struct step *s) {
  struct turns turns = {s, 0, 0};
  pthread_t thread;
  if (pthread_create(&thread, 0, second_half, &turns))
    return 1;
  for (long turn = 1; turn <= s->repeat; ++turn) {
    atomic_store_explicit(&turns.begun, turn, memory_order_release);
    half(s, 0, s->n / 2);
    while (atomic_load_explicit(&turns.ended, memory_order_acquire) < turn)
      ;
  }
  pthread_join(thread, 0);
  return 0;
}
