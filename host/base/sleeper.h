/* sleeper.h: where one thread waits for another: it spins for a short time, then it sleeps. */
#ifndef TL_SLEEPER_H
#define TL_SLEEPER_H

#include <pthread.h>

#include "host/base/base.h"

/* Longer than most gaps between two loops of a solve, and little enough to be lost where somebody
 * else has work for the processor. */
#define TL_SPIN_SECONDS 50e-6

typedef struct tl_sleeper {
  pthread_mutex_t lock;
  pthread_cond_t woken;
  int asleep; /* atomic; changed under the lock */
} tl_sleeper;

static inline void tl_sleeper_open(tl_sleeper *s) {
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->woken, NULL);
  s->asleep = 0;
}

static inline void tl_sleeper_close(tl_sleeper *s) {
  pthread_cond_destroy(&s->woken);
  pthread_mutex_destroy(&s->lock);
}

/* To be called after the change that a sleeper waits for. Both sides are sequentially consistent:
 * either the sleeper sees the change, or this sees the sleeper. */
static inline void tl_sleeper_wake(tl_sleeper *s) {
  if (__atomic_load_n(&s->asleep, __ATOMIC_SEQ_CST)) {
    pthread_mutex_lock(&s->lock);
    __atomic_store_n(&s->asleep, 0, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&s->lock);
    pthread_cond_signal(&s->woken);
  }
}

/* Sleeps until `due`, which is asked again whenever somebody wakes it. */
static inline void tl_sleeper_sleep(tl_sleeper *s, bool (*due)(const void *),
                                    const void *argument) {
  pthread_mutex_lock(&s->lock);
  for (;;) {
    __atomic_store_n(&s->asleep, 1, __ATOMIC_SEQ_CST);
    if (due(argument)) {
      break;
    }
    while (__atomic_load_n(&s->asleep, __ATOMIC_RELAXED)) {
      pthread_cond_wait(&s->woken, &s->lock);
    }
  }
  __atomic_store_n(&s->asleep, 0, __ATOMIC_SEQ_CST);
  pthread_mutex_unlock(&s->lock);
}

static inline void tl_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static inline void tl_sleeper_wait(tl_sleeper *s, bool (*due)(const void *), const void *argument) {
  const double end = tl_clock() + TL_SPIN_SECONDS;
  do {
    for (int i = 0; i < 16; i++) {
      if (due(argument)) {
        return;
      }
      tl_pause();
    }
  } while (tl_clock() < end);
  tl_sleeper_sleep(s, due, argument);
}

#endif
