/* push.c: impulses along contact normals, given to the bodies and links that meet there.
 *
 * Restitution gives back part of a compression this way, cohesion pulls bodies together. A body
 * gets its pushes in the order of contacts, also where several ranks have these (spread_push.c). */
#include "host/world/links.h"
#include "host/world/spread.h"

talus_status tl_push_begin(talus_world *world) {
  tl_links_push_begin(world);
  return tl_spread_push_begin(world);
}

void tl_push(talus_world *world, const tl_step_arrays *a, int32_t k, double size,
             double *velocity) {
  const double *const n = world->normal + 3 * (int64_t)k;
  for (int side = 0; side < 2; side++) {
    const int32_t body = side ? a->body_b[k] : a->body_a[k];
    const double *const arm = (side ? a->arm_b : a->arm_a) + 3 * (int64_t)k;
    double *const v = velocity + 6 * (int64_t)body, moment[3], turn[3], change[6];
    const double along = side ? size : -size;
    if (tl_is_link(world, body)) {
      const double impulse[3] = {along * n[0], along * n[1], along * n[2]};
      tl_links_push(world, body, arm, impulse);
      continue;
    }
    tl_cross3(moment, arm, n);
    tl_sym3(turn, a->inverse_inertia + 6 * (int64_t)body, moment);
    for (int c = 0; c < 3; c++) {
      change[c] = along * a->inverse_mass[body] * n[c];
      change[3 + c] = along * turn[c];
    }
    if (!tl_spread_push(world, k, body, change)) {
      for (int c = 0; c < 6; c++) {
        v[c] += change[c];
      }
    }
  }
}

talus_status tl_push_end(talus_world *world, double *velocity) {
  TL_TRY(tl_links_push_end(world, velocity));
  return tl_spread_push_end(world, velocity);
}
