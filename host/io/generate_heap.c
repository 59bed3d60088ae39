/* generate_heap.c: a heap of spheres in an open box, and its contacts.
 *
 * Sizes and places of dropping are random; generate_packing.c rolls each sphere to rest, and
 * generate_number.c numbers them, if they are many, such that neighbours stand near. Every pair
 * nearer than a tenth of the mean radius becomes a contact, touching or not: those apart carry the
 * bias gap / step, those within the slop none, since gaps of loaded contacts that are only
 * rounding would put part of the problem outside the range of the Jacobian. */
#include "host/io/generate_path.h"

#include <math.h>

#define MARGIN 0.1   /* contacts up to this gap, in mean radii */
#define SLOP 2e-4    /* no bias up to this gap, in mean radii */
#define FILLING 0.57 /* share of the box that spheres fill, about */

/* Cube root by Newton's method: the C library's may differ between machines. */
static double cube_root(double value) {
  double root = value > 1.0 ? value : 1.0;
  for (int i = 0; i < 400; i++) {
    const double better = (2.0 * root + value / (root * root)) / 3.0;
    if (better >= root) {
      break;
    }
    root = better;
  }
  return root;
}

/* A box about as high as wide, and never too narrow for the largest sphere. In units of the mean
 * radius, so that the same heap comes out in all units. */
static void box_size(const talus_generate_def *def, double radius_max, double *width,
                     double *depth) {
  const double each = 4.18879020478639 * (1.0 + def->spread * def->spread);
  const double volume = each * (double)def->body_count / FILLING;
  const double narrowest = 2.2 * radius_max;
  const double side = cube_root(volume / def->aspect);
  *width = fmax(side, narrowest);
  *depth = fmax(def->aspect * side, narrowest);
  if (*depth > def->aspect * side) {
    *width = fmax(sqrt(volume / *depth), narrowest);
  } else if (*width > side) {
    *depth = fmax(sqrt(volume / *width), narrowest);
  }
}

/* Contacts of body b with the box, written from k on if generated is not NULL. Returns how many. */
static int32_t walls_touch(const tl_packing *packing, int32_t b, double step, size_t k,
                           tl_generated *generated) {
  const tl_sphere s = packing->sphere[b];
  int32_t count = 0;
  for (int32_t wall = TL_FLOOR; wall >= -TL_WALL_COUNT; wall--) {
    double normal[3], offset;
    tl_packing_wall(packing, wall, normal, &offset);
    const double gap = normal[0] * s.x + normal[1] * s.y + normal[2] * s.z - offset - s.r;
    if (gap >= MARGIN * packing->radius_mean) {
      continue;
    }
    if (generated != NULL) {
      const size_t at = k + (size_t)count;
      generated->body_a[at] = -1;
      generated->body_b[at] = b;
      for (size_t i = 0; i < 3; i++) {
        generated->normal[3 * at + i] = normal[i];
      }
      generated->reach_b[at] = s.r + 0.5 * gap;
      generated->bias[at] = gap > SLOP * packing->radius_mean ? gap / step : 0.0;
    }
    count++;
  }
  return count;
}

/* Neighbours b > a of body a, written in ascending order if body_b is not NULL. */
static int32_t neighbours(const tl_packing *packing, int32_t a, int32_t *body_b) {
  const tl_sphere s = packing->sphere[a];
  const double margin = MARGIN * packing->radius_mean;
  const double range = s.r + packing->radius_max + margin;
  const double low[3] = {s.x - range, s.y - range, s.z - range};
  const double high[3] = {s.x + range, s.y + range, s.z + range};
  int32_t count = 0;
  TL_EACH_SPHERE(packing, low, high, b) {
    const tl_sphere t = packing->sphere[b];
    const double x = t.x - s.x, y = t.y - s.y, z = t.z - s.z, reach = s.r + t.r + margin;
    if (b <= a || x * x + y * y + z * z >= reach * reach) {
      continue;
    }
    if (body_b != NULL) {
      int32_t at = count;
      for (; at > 0 && body_b[at - 1] > b; at--) {
        body_b[at] = body_b[at - 1];
      }
      body_b[at] = b;
    }
    count++;
  }
  return count;
}

static void pair_fill(const tl_packing *packing, double step, size_t k, tl_generated *generated) {
  const tl_sphere s = packing->sphere[generated->body_a[k]];
  const tl_sphere t = packing->sphere[generated->body_b[k]];
  const double d[3] = {t.x - s.x, t.y - s.y, t.z - s.z};
  const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  const double gap = length - s.r - t.r;
  for (size_t i = 0; i < 3; i++) {
    generated->normal[3 * k + i] = d[i] / length;
  }
  generated->reach_a[k] = s.r + 0.5 * gap;
  generated->reach_b[k] = t.r + 0.5 * gap;
  generated->bias[k] = gap > SLOP * packing->radius_mean ? gap / step : 0.0;
}

/* Lengths while packing are in mean radii; here they become metres. */
static void bodies_fill(tl_packing *packing, const talus_generate_def *def,
                        tl_generated *generated) {
  packing->width *= def->radius;
  packing->depth *= def->radius;
  packing->cell *= def->radius;
  packing->radius_mean *= def->radius;
  packing->radius_max *= def->radius;
  for (int32_t body = 0; body < packing->count; body++) {
    tl_sphere *s = &packing->sphere[body];
    s->x *= def->radius;
    s->y *= def->radius;
    s->z *= def->radius;
    s->r *= def->radius;
    const double mass = def->density * 4.18879020478639 * s->r * s->r * s->r;
    const double inertia = 0.4 * mass * s->r * s->r;
    const double moment[3] = {inertia, inertia, inertia};
    tl_generate_mass(generated, body, mass, moment);
    generated->position[3 * (size_t)body] = s->x;
    generated->position[3 * (size_t)body + 1] = s->y;
    generated->position[3 * (size_t)body + 2] = s->z;
    generated->radius[body] = s->r;
  }
}

static talus_status contacts_fill(talus_stored *stored, const talus_generate_def *def,
                                  const tl_packing *packing, tl_generated *generated) {
  int64_t count = 0;
  for (int32_t body = 0; body < packing->count; body++) {
    count += walls_touch(packing, body, def->step, 0, NULL) + neighbours(packing, body, NULL);
  }
  if (count > INT32_MAX) {
    return tl_fail(packing->context, TALUS_BAD_SETTING,
                   "body_count is %d: more than %d contacts follow", (int)def->body_count,
                   INT32_MAX);
  }
  TL_TRY(tl_generate_contacts(stored, def, (int32_t)count, TL_LEVER_REACH, generated));
  size_t k = 0;
  for (int32_t body = 0; body < packing->count; body++) {
    k += (size_t)walls_touch(packing, body, def->step, k, generated);
  }
  for (int32_t body = 0; body < packing->count; body++) {
    const size_t end = k + (size_t)neighbours(packing, body, generated->body_b + k);
    for (; k < end; k++) {
      generated->body_a[k] = body;
      pair_fill(packing, def->step, k, generated);
    }
  }
  return TALUS_OK;
}

talus_status tl_generate_heap(talus_stored *stored, const talus_generate_def *def) {
  const double radius_max = 1.0 + def->spread;
  double width, depth;
  tl_random random = {def->seed};
  tl_generated generated = {0};
  tl_packing packing;
  talus_status status = TALUS_OK;
  box_size(def, radius_max, &width, &depth);
  TL_TRY(tl_generate_bodies(stored, def, &generated));
  TL_TRY(tl_packing_create(tl_stored_context(stored), def->body_count, width, depth, 1.0,
                           radius_max, 1.01 * MARGIN, &packing));
  for (int32_t body = 0; body < def->body_count; body++) {
    const double radius = tl_random_uniform(&random, 1.0 - def->spread, 1.0 + def->spread);
    const double x = tl_random_uniform(&random, radius, width - radius);
    const double y = tl_random_uniform(&random, radius, depth - radius);
    tl_packing_drop(&packing, x, y, radius);
  }
  TL_TRY_GOTO(tl_packing_number(&packing), done);
  bodies_fill(&packing, def, &generated);
  TL_TRY_GOTO(contacts_fill(stored, def, &packing, &generated), done);
done:
  tl_packing_destroy(&packing);
  return status;
}
