/* hull.c: a hull from points: triangles grown around them (hull_grow.c), joined to polygons
 * (hull_merge.c), with other tolerances if rounding spoils the first attempt. */
#include "host/collide/hull.h"

#include <string.h>

#include "host/collide/collide.h"
#include "host/collide/hull_grow.h"
#include "host/collide/hull_merge.h"
#include "host/math/vector.h"

static talus_status check(talus_context *context, const double *point, int32_t count) {
  if (point == NULL || count < 4) {
    return tl_fail(context, TALUS_BAD_SETTING, "hull: %d points, but at least four are needed",
                   point != NULL ? count : 0);
  }
  if (count > INT32_MAX / 16) {
    return tl_fail(context, TALUS_BAD_SETTING, "hull: %d points, but at most %d are possible",
                   count, INT32_MAX / 16);
  }
  for (int32_t k = 0; k < 3 * count; k++) {
    if (!isfinite(point[k])) {
      return tl_fail(context, TALUS_NOT_FINITE, "hull: point[%d] is not finite", k / 3);
    }
  }
  return TALUS_OK;
}

/* The points about their middle, which is returned. */
static void centre_points(const double *point, int32_t count, double middle[3], double *out) {
  double low[3], high[3];
  tl_copy3(low, point);
  tl_copy3(high, point);
  for (int32_t k = 0; k < 3 * count; k++) {
    low[k % 3] = fmin(low[k % 3], point[k]);
    high[k % 3] = fmax(high[k % 3], point[k]);
  }
  for (int i = 0; i < 3; i++) {
    middle[i] = 0.5 * low[i] + 0.5 * high[i];
  }
  for (int32_t k = 0; k < count; k++) {
    tl_sub3(out + 3 * k, point + 3 * k, middle);
  }
}

static talus_status attempt(talus_context *context, tl_growth *growth, const double middle[3],
                            tl_hull *hull) {
  static const double near[] = {1e-9, 1e-10, 1e-8, 1e-12, 1e-7, 1e-6};
  static const double flat[] = {1e-7, 1e-7, 1e-6, 1e-9, 1e-6, 1e-5};
  for (size_t k = 0; k < sizeof near / sizeof *near; k++) {
    int good = 0;
    const tl_growth_result result = tl_growth_run(growth, near[k]);
    if (result == TL_GROWTH_FLAT) {
      return tl_fail(context, TALUS_BAD_SETTING,
                     "hull: the %d points lie in a plane: four that do not are needed",
                     growth->point_count);
    }
    if (result == TL_GROWTH_DONE) {
      TL_TRY(tl_hull_merge(growth, flat[k], middle, hull, &good));
    }
    if (good) {
      return TALUS_OK;
    }
  }
  return tl_fail(context, TALUS_BAD_SETTING,
                 "hull: no polyhedron could be made of the %d points: too thin, or too many in "
                 "almost one plane",
                 growth->point_count);
}

talus_status tl_hull_create(talus_context *context, const double *point, int32_t point_count,
                            tl_hull **result) {
  void *memory, *centred = NULL;
  double middle[3];
  tl_growth growth;
  talus_status status;
  *result = NULL;
  TL_TRY(check(context, point, point_count));
  TL_TRY(tl_alloc(context, &memory, 1, sizeof(tl_hull), "hull"));
  tl_hull *const hull = memory;
  memset(hull, 0, sizeof *hull);
  memset(&growth, 0, sizeof growth);
  growth.context = context;
  TL_TRY_GOTO(tl_alloc(context, &centred, 3 * (size_t)point_count, sizeof(double), "hull"), end);
  centre_points(point, point_count, middle, centred);
  TL_TRY_GOTO(tl_growth_begin(context, &growth, centred, point_count), end);
  TL_TRY_GOTO(attempt(context, &growth, middle, hull), end);
  *result = hull;
end:
  tl_growth_release(&growth);
  tl_free(context, centred);
  if (status != TALUS_OK) {
    tl_hull_destroy(context, hull);
  }
  return status;
}

void tl_hull_destroy(talus_context *context, tl_hull *hull) {
  if (hull == NULL) {
    return;
  }
  tl_free(context, hull->point);
  tl_free(context, hull->face_first);
  tl_free(context, hull->face_point);
  tl_free(context, hull->face_plane);
  tl_free(context, hull->edge);
  tl_free(context, hull->edge_face);
  tl_free(context, hull);
}

static double room_at(const tl_hull *hull, const double x[3], int32_t *face) {
  double room = INFINITY;
  for (int32_t f = 0; f < hull->face_count; f++) {
    const double *const plane = hull->face_plane + 4 * f, here = plane[3] - tl_dot3(plane, x);
    if (here < room) {
      room = here;
      *face = f;
    }
  }
  return room;
}

/* Walks away from the nearest face with shrinking steps; the best place met counts. */
double tl_hull_inner_radius(const tl_hull *hull) {
  double x[3] = {0, 0, 0};
  for (int32_t k = 0; k < hull->point_count; k++) {
    tl_along3(x, x, 1.0 / hull->point_count, hull->point + 3 * k);
  }
  int32_t face = 0;
  double best = room_at(hull, x, &face);
  double step = 0.5 * best;
  for (int k = 0; k < 400; k++) {
    tl_along3(x, x, -step, hull->face_plane + 4 * face);
    best = fmax(best, room_at(hull, x, &face));
    step *= 0.985;
  }
  return best;
}
