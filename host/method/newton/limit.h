/* limit.h: when a factorisation is to end. It is asked within factors of our own, after every piece
 * of work; libraries' factors cannot be interrupted and are begun only where they are expected to
 * end in time. */
#ifndef TL_LIMIT_H
#define TL_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

/* Operations between two questions: a hundredth to a tenth of a second. */
#define TL_LIMIT_PIECE 4e8

/* All 0: never. */
typedef struct tl_limit {
  void *user;
  bool (*reached)(void *user);
  double (*seconds_left)(void *user); /* INFINITY: there is no limit */
  double counted;                     /* operations since the last question */
  bool interrupted;                   /* the work was ended by it */
  bool refused;                       /* the work was not even begun */
} tl_limit;

/* Counts operations that have been done. Returns whether the work is to end. */
static inline bool tl_limit_count(tl_limit *limit, double operations) {
  limit->counted += operations;
  if (!limit->interrupted && limit->counted >= TL_LIMIT_PIECE && limit->reached != NULL) {
    limit->counted = 0;
    limit->interrupted = limit->reached(limit->user);
  }
  return limit->interrupted;
}

/* How many of `count` lines, each of so many operations, make a piece. */
static inline int tl_limit_lines(int count, double operations) {
  const double lines = TL_LIMIT_PIECE / operations;
  return lines < 16 ? (count < 16 ? count : 16) : lines < count ? (int)lines : count;
}

#endif
