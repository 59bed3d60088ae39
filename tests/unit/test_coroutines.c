/* test_coroutines.c: pieces of work by turns: who goes on is the maker's to say, a piece keeps its
 * place and its message, and what never began ends without having done anything. */
#include <string.h>

#include "host/base/coroutines.h"
#include "tests/check.h"

enum { PIECES = 3, STEPS = 4 };

typedef struct diary {
  talus_context *context;
  tl_coroutines *all;
  int order[PIECES * STEPS], count;
  int worded; /* messages that were a piece's own at its end */
} diary;

static void piece_run(void *arguments, int32_t index) {
  diary *const d = arguments;
  char wanted[16];
  snprintf(wanted, sizeof wanted, "piece %d", (int)index);
  (void)tl_fail(d->context, TALUS_INVALID_ARGUMENT, "%s", wanted);
  for (int step = 0; step < STEPS - index; step++) {
    d->order[d->count++] = index;
    tl_coroutines_yield(d->all);
  }
  d->worded += strcmp(talus_context_message(d->context), wanted) == 0;
}

/* Piece by piece, backwards, until all have ended; those with fewer steps end sooner. */
static void test_order(talus_context *context) {
  diary d = {.context = context};
  int left = PIECES, wanted = 0;
  bool running[PIECES] = {true, true, true};
  CHECK(tl_coroutines_make(context, PIECES, piece_run, &d, &d.all) == TALUS_OK && d.all != NULL);
  CHECK(d.count == 0);
  for (int round = 0; left > 0 && round <= STEPS; round++) {
    for (int i = PIECES - 1; i >= 0; i--) {
      const int before = d.count;
      if (!running[i]) {
        continue;
      }
      running[i] = tl_coroutines_resume(d.all, i);
      left -= !running[i];
      CHECK(running[i] == (round < STEPS - i));
      CHECK(d.count == before + running[i] && (!running[i] || d.order[before] == i));
      wanted += running[i];
    }
  }
  CHECK(left == 0 && d.count == wanted && d.worded == PIECES);
  CHECK(!tl_coroutines_resume(d.all, 0)); /* has ended, and stays so */
  CHECK(talus_context_message(context)[0] == 0);
  tl_coroutines_destroy(d.all);
}

static void test_unused(talus_context *context) {
  diary d = {.context = context};
  CHECK(tl_coroutines_make(context, PIECES, piece_run, &d, &d.all) == TALUS_OK && d.all != NULL);
  tl_coroutines_destroy(d.all);
  CHECK(d.count == 0 && d.worded == 0);
  tl_coroutines_destroy(NULL);
}

int main(void) {
  talus_context *context = NULL;
  CHECK(talus_context_create(NULL, &context) == TALUS_OK);
  test_order(context);
  test_unused(context);
  talus_context_destroy(context);
  return check_end();
}
