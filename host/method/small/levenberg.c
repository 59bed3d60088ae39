/* levenberg.c: Levenberg-Marquardt for equations of the host: the items with a team of one. */
#include "host/method/small/small.h"

typedef tl_equations tl_search_equations;

static inline void tl_search_evaluate(const tl_equations *e, double *z, double *phi,
                                      double *jacobian) {
  e->small->run->passes++;
  e->evaluate(e->self, z, phi, jacobian);
}

static inline int tl_search_look(const tl_equations *e, const double *z) {
  return e->look(e->self, z);
}

static inline void tl_search_step(const tl_equations *e) {
  e->small->run->iterations++;
}

static inline bool tl_search_stopped(const tl_equations *e) {
  return tl_small_limit(e->small);
}

static inline const tl_small_phase *tl_search_phase(const tl_equations *e) {
  return &e->phase;
}

static inline const tl_small_result *tl_search_result(const tl_equations *e) {
  (void)e; /* counts are the run's own */
  return NULL;
}

#include "kernels/item/levenberg.h"

size_t tl_levenberg_room(int32_t size) {
  return (size_t)tl_search_room(size);
}

int tl_levenberg_regular(tl_equations *e, int32_t most, double *z, double *room) {
  e->phase = tl_small_watched(e->small);
  return tl_search_regular(e, e->size, most, z, room);
}

int tl_levenberg_projected(tl_equations *e, int32_t most, double *z, double *room) {
  e->phase = tl_small_watched(e->small);
  return tl_search_projected(e, e->size, most, z, room);
}
