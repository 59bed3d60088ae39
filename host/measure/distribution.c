/* distribution.c: see distribution.h. Neighbours are found in a grid of cells as wide as the
 * reach. */
#include "host/measure/distribution.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

/* Grains sorted by cells of a grid. */
typedef struct cells {
  double origin[3], width;
  int32_t count[3];
  int32_t *first; /* [cells + 1] */
  int32_t *grain;
  void *memory;
} cells;

static int32_t cell_along(const cells *c, int axis, double x) {
  const double at = floor((x - c->origin[axis]) / c->width);
  return (int32_t)tl_clamp(at, 0, c->count[axis] - 1);
}

static int32_t cell_of(const cells *c, const double p[3]) {
  return (cell_along(c, 2, p[2]) * c->count[1] + cell_along(c, 1, p[1])) * c->count[0] +
         cell_along(c, 0, p[0]);
}

static void lay_out(const tl_sample *s, cells *c) {
  double upper[3] = {-INFINITY, -INFINITY, -INFINITY};
  tl_set3(c->origin, INFINITY, INFINITY, INFINITY);
  for (int32_t k = 0; k < s->grain_count; k++) {
    for (int i = 0; i < 3; i++) {
      c->origin[i] = fmin(c->origin[i], s->centre[3 * k + i]);
      upper[i] = fmax(upper[i], s->centre[3 * k + i]);
    }
  }
  int64_t total;
  do { /* a few grains far away must not make millions of cells */
    total = 1;
    for (int i = 0; i < 3; i++) {
      const double along = (upper[i] - c->origin[i]) / c->width + 1;
      c->count[i] = along < 1 ? 1 : along > 4096 ? 4096 : (int32_t)along;
      total *= c->count[i];
    }
    c->width *= total > 8 * (int64_t)s->grain_count + 64 ? 1.5 : 1;
  } while (total > 8 * (int64_t)s->grain_count + 64);
}

static talus_status sort_grains(const tl_sample *s, double width, cells *c) {
  memset(c, 0, sizeof *c);
  c->width = width;
  lay_out(s, c);
  const size_t total = (size_t)c->count[0] * (size_t)c->count[1] * (size_t)c->count[2];
  TL_TRY(tl_alloc(s->context, &c->memory, total + 2 + (size_t)s->grain_count, sizeof(int32_t),
                  "cells of a measurement"));
  c->first = c->memory;
  c->grain = c->first + total + 2;
  memset(c->first, 0, (total + 2) * sizeof *c->first);
  for (int32_t k = 0; k < s->grain_count; k++) {
    c->first[cell_of(c, s->centre + 3 * (size_t)k) + 2]++;
  }
  for (size_t k = 2; k < total + 2; k++) {
    c->first[k] += c->first[k - 1];
  }
  for (int32_t k = 0; k < s->grain_count; k++) {
    c->grain[c->first[cell_of(c, s->centre + 3 * (size_t)k) + 1]++] = k;
  }
  return TALUS_OK;
}

/* Counts the distances from one grain to all others within reach. */
static void look_around(const tl_sample *s, const cells *c, int32_t grain, double reach,
                        int32_t bins, double *count) {
  const double *const at = s->centre + 3 * (size_t)grain;
  int32_t low[3], high[3];
  for (int i = 0; i < 3; i++) {
    low[i] = cell_along(c, i, at[i] - reach);
    high[i] = cell_along(c, i, at[i] + reach);
  }
  for (int32_t z = low[2]; z <= high[2]; z++) {
    for (int32_t y = low[1]; y <= high[1]; y++) {
      const int32_t row = (z * c->count[1] + y) * c->count[0];
      for (int32_t k = c->first[row + low[0]]; k < c->first[row + high[0] + 1]; k++) {
        double way[3];
        tl_sub3(way, s->centre + 3 * (size_t)c->grain[k], at);
        const double square = tl_dot3(way, way);
        if (square < reach * reach && c->grain[k] != grain) {
          const int32_t bin = (int32_t)(sqrt(square) / reach * bins);
          count[bin < bins ? bin : bins - 1]++;
        }
      }
    }
  }
}

talus_status tl_radial_take(const tl_sample *s, const tl_domain *d, double reach, int32_t bins,
                            double *g, int32_t *from) {
  cells c;
  int32_t inside = 0;
  *from = 0;
  memset(g, 0, (size_t)bins * sizeof *g);
  if (s->grain_count > 0) {
    TL_TRY(sort_grains(s, reach, &c));
    for (int32_t k = 0; k < s->grain_count; k++) {
      const double *const centre = s->centre + 3 * (size_t)k;
      inside += tl_domain_contains(d, centre);
      if (tl_domain_holds_ball(d, centre, reach)) {
        look_around(s, &c, k, reach, bins, g);
        ++*from;
      }
    }
    tl_free(s->context, c.memory);
  }
  const double density = inside / tl_domain_volume(d), step = reach / bins;
  for (int32_t k = 0; k < bins; k++) {
    const double a = k * step, b = (k + 1) * step;
    const double shell = s->plane ? PI * (b * b - a * a) : 4.0 / 3 * PI * (b * b * b - a * a * a);
    g[k] = *from > 0 ? g[k] / (*from * density * shell) : NAN;
  }
  return TALUS_OK;
}

/* Sum of the normal forces in the domain; their number. */
static double force_sum(const tl_sample *s, const tl_domain *d, int32_t *count) {
  double sum = 0;
  *count = 0;
  for (int32_t k = 0; k < s->contact_count; k++) {
    if (tl_domain_contains(d, s->point + 3 * (size_t)k)) {
      sum += tl_dot3(s->force + 3 * (size_t)k, s->normal + 3 * (size_t)k);
      ++*count;
    }
  }
  return sum;
}

int32_t tl_force_density(const tl_sample *s, const tl_domain *d, double reach, int32_t bins,
                         double *density) {
  int32_t count;
  const double sum = force_sum(s, d, &count);
  for (int32_t k = 0; k < bins; k++) {
    density[k] = sum > 0 ? 0 : NAN;
  }
  for (int32_t k = 0; k < s->contact_count && sum > 0; k++) {
    const double force = tl_dot3(s->force + 3 * (size_t)k, s->normal + 3 * (size_t)k);
    const double at = force * count / sum / reach * bins;
    if (at >= 0 && at < bins && tl_domain_contains(d, s->point + 3 * (size_t)k)) {
      density[(int32_t)at] += bins / (reach * count);
    }
  }
  return count;
}
