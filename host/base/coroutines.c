/* coroutines.c: threads that hand one turn on: exactly one of them, or their maker, holds it. */
#include "host/base/coroutines.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "host/base/scope.h"

enum { MAKER = -1 };

typedef struct piece {
  tl_coroutines *all;
  int32_t index;
  pthread_t thread;
  pthread_cond_t given; /* the turn is this piece's */
  bool begun, ended;
} piece;

struct tl_coroutines {
  talus_context *context;
  tl_coroutines_body *body;
  void *arguments;
  pthread_mutex_t lock;
  pthread_cond_t returned; /* the turn is the maker's */
  int32_t holder;          /* index of a piece, or MAKER */
  int32_t count;           /* pieces that have a thread */
  bool over;               /* pieces that have not begun are to end */
  piece piece[];
};

static void turn_give(tl_coroutines *all, int32_t holder) {
  all->holder = holder;
  pthread_cond_signal(holder == MAKER ? &all->returned : &all->piece[holder].given);
}

static void turn_await(tl_coroutines *all, int32_t holder) {
  while (all->holder != holder) {
    pthread_cond_wait(holder == MAKER ? &all->returned : &all->piece[holder].given, &all->lock);
  }
}

static void *piece_run(void *argument) {
  piece *const p = argument;
  tl_coroutines *const all = p->all;
  pthread_mutex_lock(&all->lock);
  turn_await(all, p->index);
  const bool over = all->over;
  pthread_mutex_unlock(&all->lock);
  if (!over) {
    tl_scope scope;
    tl_scope_enter(&scope, all->context);
    all->body(all->arguments, p->index);
    tl_scope_leave(&scope);
  }
  pthread_mutex_lock(&all->lock);
  p->ended = true;
  turn_give(all, MAKER);
  pthread_mutex_unlock(&all->lock);
  return NULL;
}

talus_status tl_coroutines_make(talus_context *context, int32_t count, tl_coroutines_body *body,
                                void *arguments, tl_coroutines **result) {
  tl_coroutines *all;
  *result = NULL;
  const size_t bytes = sizeof *all + (size_t)count * sizeof(piece);
  TL_TRY(tl_alloc(context, (void **)&all, 1, bytes, "coroutines"));
  memset(all, 0, bytes);
  all->context = context;
  all->body = body;
  all->arguments = arguments;
  all->holder = MAKER;
  pthread_mutex_init(&all->lock, NULL);
  pthread_cond_init(&all->returned, NULL);
  for (int32_t i = 0; i < count; i++) {
    piece *const p = &all->piece[i];
    p->all = all;
    p->index = i;
    pthread_cond_init(&p->given, NULL);
    if (pthread_create(&p->thread, NULL, piece_run, p) != 0) {
      pthread_cond_destroy(&p->given);
      tl_coroutines_destroy(all);
      return TALUS_OK;
    }
    all->count++;
  }
  *result = all;
  return TALUS_OK;
}

bool tl_coroutines_resume(tl_coroutines *all, int32_t index) {
  pthread_mutex_lock(&all->lock);
  piece *const p = &all->piece[index];
  p->begun = true;
  if (!p->ended) {
    turn_give(all, index);
    turn_await(all, MAKER);
  }
  const bool ended = p->ended;
  pthread_mutex_unlock(&all->lock);
  return !ended;
}

void tl_coroutines_yield(tl_coroutines *all) {
  pthread_mutex_lock(&all->lock);
  const int32_t index = all->holder;
  turn_give(all, MAKER);
  turn_await(all, index);
  pthread_mutex_unlock(&all->lock);
}

void tl_coroutines_destroy(tl_coroutines *all) {
  if (all == NULL) {
    return;
  }
  all->over = true; /* nobody but the maker is at work */
  for (int32_t i = 0; i < all->count; i++) {
    piece *const p = &all->piece[i];
    assert(!p->begun || p->ended);
    (void)tl_coroutines_resume(all, i);
    pthread_join(p->thread, NULL);
    pthread_cond_destroy(&p->given);
  }
  pthread_cond_destroy(&all->returned);
  pthread_mutex_destroy(&all->lock);
  tl_free(all->context, all);
}
