/* links_state.c: what a restart needs of mechanisms, as one array of numbers: of each coordinates,
 * velocities, applied forces, and rate, target and effort of every motor; then the impulses of all
 * rows. Loads (talus_mechanism_load) are the caller's to give again. */
#include <math.h>
#include <string.h>

#include "host/world/links.h"
#include "host/world/state.h"

enum { PER_MOTOR = 7 };

int64_t tl_links_state_count(const talus_world *world) {
  int64_t count = tl_links_rows(world);
  for (int32_t m = 0; m < world->mechanism_count; m++) {
    const talus_mechanism *const of = world->mechanism[m].mechanism;
    count += of->q_count + 2 * (int64_t)of->v_count + PER_MOTOR * (int64_t)of->link_count;
  }
  return count;
}

/* One array to `at` or back; returns what follows. */
static double *carry(double *array, int32_t count, double *at, int back) {
  if (count <= 0) {
    return at; /* which may be NULL */
  }
  memcpy(back ? array : at, back ? at : array, (size_t)count * sizeof *at);
  return at + count;
}

static void all_carry(const talus_world *world, double *at, int back) {
  for (int32_t m = 0; m < world->mechanism_count; m++) {
    talus_mechanism *const of = world->mechanism[m].mechanism;
    at = carry(of->q, of->q_count, at, back);
    at = carry(of->v, of->v_count, at, back);
    at = carry(of->applied, of->v_count, at, back);
    for (int32_t i = 0; i < of->link_count; i++) {
      at = carry(of->link[i].rate, 3, at, back);
      at = carry(of->link[i].target, 3, at, back);
      at = carry(&of->link[i].effort, 1, at, back);
    }
    if (back) {
      of->placed = of->articulated = 0;
    }
  }
  carry(world->link_impulse, tl_links_rows(world), at, back);
}

void tl_links_state_save(const talus_world *world, double *value) {
  all_carry(world, value, 0);
}

talus_status tl_links_state_load(talus_world *world, const double *value, int64_t count) {
  if (count != tl_links_state_count(world)) {
    return tl_fail(world->context, TALUS_FILE_FORMAT,
                   "the state has %lld numbers of mechanisms, the world %lld", (long long)count,
                   (long long)tl_links_state_count(world));
  }
  for (int64_t i = 0; i < count; i++) { /* an effort may be endless */
    if (isnan(value[i]) || value[i] == -INFINITY) {
      return tl_fail(world->context, TALUS_NOT_FINITE,
                     "state of mechanisms: number %lld is not finite", (long long)i);
    }
  }
  all_carry(world, (double *)value, 1); /* read only, this way */
  for (int32_t m = 0; m < world->mechanism_count; m++) {
    const talus_mechanism *const of = world->mechanism[m].mechanism;
    TL_TRY(talus_mechanism_set(world->mechanism[m].mechanism, of->q, of->v)); /* checks them */
  }
  tl_links_sync(world);
  return TALUS_OK;
}
