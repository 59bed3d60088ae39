/* sleep.h: a problem without the islands that sleep.
 *
 * Bodies and blocks stay as they are; contacts and rows of sleeping islands are left out, the
 * others closed up into arrays of our own. Everything behind it sees a smaller problem. */
#ifndef TL_SLEEP_H
#define TL_SLEEP_H

#include "host/problem/islands.h"

typedef struct tl_sleep {
  int active;               /* something was left out: `whole` and the arrays below stand */
  int32_t islands, skipped; /* counted where problem.asleep is given */
  talus_problem whole, awake;
  int32_t *contact, *row;   /* of awake ones: their place in the whole problem */
  double *impulse;          /* [dimension contacts, then rows] of the whole problem */
  double *contact_velocity; /* [dimension contacts] likewise */
  tl_islands found;
  tl_buffer lists, arrays, results;
} tl_sleep;

/* *awake is the packed, checked problem itself, or what is left of it. Statuses: OUT_OF_MEMORY. */
talus_status tl_sleep_take(talus_context *context, const talus_problem *problem, tl_sleep *sleep,
                           const talus_problem **awake);
/* Only if active: impulses of contacts and rows of the whole problem from or to those of the awake
 * ones, `dimension` numbers per contact, then the rows. Spreading leaves the others alone. */
void tl_sleep_select(const tl_sleep *sleep, const double *whole, double *awake);
void tl_sleep_expand(const tl_sleep *sleep, const double *awake, double *whole);
/* The same of contacts alone, the others becoming 0. */
void tl_sleep_expand_contacts(const tl_sleep *sleep, const double *awake, double *whole);
void tl_sleep_release(talus_context *context, tl_sleep *sleep);
int64_t tl_sleep_bytes(const tl_sleep *sleep);

#endif
