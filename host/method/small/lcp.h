/* lcp.h: the faceted law as a mixed linear complementarity problem ([A] eq 44, [C] eqs 2.7
 * and 4.17).
 *
 *   f = M z + q,  z >= 0, f >= 0, z f = 0, but for the first free_count: f = 0, z of any sign
 *   y = offset + B z
 * Per contact with friction: normal impulse, one share per vertex, slip sigma. [C] = Anitescu and
 * Hart 2004. */
#ifndef TL_SMALL_LCP_H
#define TL_SMALL_LCP_H

#include "host/method/small/small.h"

typedef struct tl_lcp {
  const tl_scaled *scaled;
  int32_t size, free_count;
  int32_t *row;   /* [size] first row of B's column; -1: none */
  int32_t *owner; /* [size] constraint */
  double *value;  /* [2 size] entries in that row and the next */
  double *offset; /* [rows] */
  double *m, *q;  /* [size * size], [size] */
  double *room;   /* [size * rows] scratch of the products */
} tl_lcp;

/* How the laws differ: what a contact's normal and tangential conditions are lifted by. */
typedef struct tl_lcp_rule {
  bool convex;        /* mu sigma is taken from the normal condition */
  const double *lift; /* [count] added to the normal condition; NULL: nothing */
  const double *slip; /* [count] sigma is not sought but given; NULL: sought */
} tl_lcp_rule;

/* Sizes first: reals and integers that tl_lcp_make wants. */
int32_t tl_lcp_size(const tl_scaled *scaled, bool slip_given);
size_t tl_lcp_reals(const tl_scaled *scaled, int32_t size);
/* Unless time runs out on the way: then small->stop is set. */
void tl_lcp_make(tl_small *small, const tl_lcp_rule *rule, int32_t size, int32_t *integers,
                 double *reals, tl_lcp *lcp);
/* Impulses of z; and some z of impulses y. */
void tl_lcp_impulses(const tl_lcp *lcp, const double *z, double *y);
void tl_lcp_start(const tl_lcp *lcp, const double *y, const double *u, double *z);

/* ---- fischer.c ------------------------------------------------------------------------------- */

typedef struct tl_fischer {
  tl_small *small;
  const tl_lcp *lcp;
  double *f; /* [size] scratch */
  double tolerance;
} tl_fischer;
tl_equations tl_fischer_equations(tl_fischer *fischer);

/* ---- lemke.c --------------------------------------------------------------------------------- */

typedef enum tl_lemke_end {
  TL_LEMKE_SOLVED = 0,
  TL_LEMKE_RAY = 1,          /* a ray instead of a solution: `direction` says which */
  TL_LEMKE_LIMIT = 2,        /* the run's limits came first */
  TL_LEMKE_CONTRADICTION = 3 /* free rows cannot be satisfied: `row` is one of them */
} tl_lemke_end;

typedef struct tl_lemke {
  double *z;         /* [size] */
  double *direction; /* [size] of the ray */
  int32_t row;
  int32_t *basic; /* [size] 1: z_i is basic or free */
} tl_lemke;

size_t tl_lemke_reals(int32_t size);
size_t tl_lemke_integers(int32_t size);
tl_lemke_end tl_lemke_run(const tl_lcp *lcp, tl_small *small, double *reals, int32_t *integers,
                          tl_lemke *lemke);

/* method.c: forms the problem of the rule and pivots; room: what tl_levenberg_room says. */
talus_status tl_lcp_pivot(tl_small *small, const tl_lcp_rule *rule, tl_lcp *lcp, tl_lemke *lemke,
                          double **room, tl_lemke_end *end);

#endif
