/* interior_row.c: rows with bounds in an interior point: where their numbers stand. */
#include "host/method/newton/interior_row.h"

#include <math.h>

#include "kernels/item/sides.h"

static tl_sides sides_of(const tl_scaled *scaled, const tl_interior *p, int32_t k) {
  const double size = scaled->reference[TALUS_LAW_CCP] / sqrt(fmax(1, scaled->count));
  return tl_sides_make(scaled->lower[k], scaled->upper[k], size, p->y[scaled->first[k]],
                       p->v[scaled->first[k]], p->v[tl_row_slot(scaled, k)]);
}

int tl_row_sides(const tl_scaled *scaled, const tl_interior *p, int32_t k) {
  const tl_sides s = sides_of(scaled, p, k);
  return s.there[0] + s.there[1];
}

void tl_row_start(const tl_scaled *scaled, int32_t k, double product, double size, tl_interior *p) {
  const int32_t at = scaled->first[k];
  tl_sides s = sides_of(scaled, p, k);
  p->y[at] = tl_sides_start(&s, scaled->q[at], size, product);
  s = sides_of(scaled, p, k);
  p->v[at] = product / s.x[0];
  p->v[tl_row_slot(scaled, k)] = product / s.x[1];
}

double tl_row_pressed(const tl_scaled *scaled, const tl_interior *p, int32_t k) {
  const tl_sides s = sides_of(scaled, p, k);
  return tl_sides_pressed(&s, p->y[scaled->first[k]], p->u[scaled->first[k]]);
}

double tl_row_stiffness(const tl_scaled *scaled, const tl_interior *p, int32_t k) {
  const tl_sides s = sides_of(scaled, p, k);
  return s.held ? INFINITY : tl_sides_stiffness(&s);
}

double tl_row_slack(const tl_scaled *scaled, const double *v, int32_t k) {
  return v[scaled->first[k]] - v[tl_row_slot(scaled, k)];
}

double tl_row_gap(const tl_scaled *scaled, const tl_interior *p, int32_t k, const double *dy,
                  const double *dv, double step) {
  const tl_sides s = sides_of(scaled, p, k);
  const int32_t at = scaled->first[k];
  return tl_sides_gap(&s, step * dy[at], step * dv[at], step * dv[tl_row_slot(scaled, k)]);
}

double tl_row_least(const tl_scaled *scaled, const tl_interior *p, int32_t k) {
  const tl_sides s = sides_of(scaled, p, k);
  return tl_sides_least(&s);
}

double tl_row_reach(const tl_scaled *scaled, const tl_interior *p, int32_t k, const double *dy,
                    const double *dv) {
  const tl_sides s = sides_of(scaled, p, k);
  const int32_t at = scaled->first[k];
  return tl_sides_reach(&s, dy[at], dv[at], dv[tl_row_slot(scaled, k)]);
}

void tl_row_correct(const tl_scaled *scaled, const tl_interior *p, int32_t k, const double *dy,
                    const double *dv, double target, double scale, double *rc) {
  const int32_t at = scaled->first[k], slot = tl_row_slot(scaled, k);
  const tl_sides s = sides_of(scaled, p, k);
  rc[at] = scale * tl_sides_correct(&s, dy[at], dv[at], dv[slot], target, &rc[slot]);
}

void tl_row_slack_step(const tl_scaled *scaled, const tl_interior *p, int32_t k, const double *dy,
                       const double *rc, double *dv) {
  const int32_t at = scaled->first[k], slot = tl_row_slot(scaled, k);
  const tl_sides s = sides_of(scaled, p, k);
  tl_sides_step(&s, dy[at], dv[at], rc != NULL ? rc[slot] : tl_sides_affine(&s), &dv[at],
                &dv[slot]);
}
