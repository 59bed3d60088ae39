/* solve.h: what `talus solve` knows: options, attempts, the best impulses so far.
 *
 * solve.c fills it, solve_report.c words it. */
#ifndef TL_CLI_SOLVE_H
#define TL_CLI_SOLVE_H

#include "talus/talus.h"

typedef struct tl_solve_options {
  const char *file, *impulses;
  int law, method, measure, backend, precision, cone; /* indices of choices */
  double tolerance, max_seconds, facet_angle, compliance;
  int64_t max_iterations, fixed_iterations, threads, facets;
  int facet_align, unique, json, verbose;
} tl_solve_options;

/* What one method gave. */
typedef struct tl_solve_attempt {
  talus_status status;
  talus_info info;
  char message[256]; /* of a status that is not OK */
} tl_solve_attempt;

typedef struct tl_solve_session {
  tl_solve_options options;
  talus_context *context;
  talus_stored *stored;
  talus_solver *solver;
  double *impulse, *bilateral; /* of the attempt under way */
  double *best_impulse, *best_bilateral;
  double *compliance; /* of all contacts, if the options ask for it */
  int best;           /* index of the best attempt, -1 if there is none */
  int count;
  tl_solve_attempt attempts[TALUS_METHOD_COUNT];
} tl_solve_session;

/* One attempt in detail, or a table of all of them; the same as JSON. */
void tl_solve_print(const tl_solve_session *s);
void tl_solve_print_json(const tl_solve_session *s);

#endif
