/* links_state.c: what a restart needs of mechanisms, as one array of numbers: of each coordinates,
 * velocities, applied forces, and rate, target and effort of every motor; then the impulses of all
 * rows; then, if there are any loads, how many each mechanism has, and each load. */
#include <math.h>
#include <string.h>

#include "host/world/links.h"
#include "host/world/state.h"

enum { PER_MOTOR = 7, PER_LOAD = 10 /* link, point, force, moment */ };

static int64_t loads_count(const talus_world *world) {
  int64_t loads = 0;
  for (int32_t m = 0; m < world->mechanism_count; m++) {
    loads += world->mechanism[m].mechanism->load_count;
  }
  return loads > 0 ? world->mechanism_count + PER_LOAD * loads : 0;
}

/* All but the loads. */
static int64_t base_count(const talus_world *world) {
  int64_t count = tl_links_rows(world);
  for (int32_t m = 0; m < world->mechanism_count; m++) {
    const talus_mechanism *const of = world->mechanism[m].mechanism;
    count += of->q_count + 2 * (int64_t)of->v_count + PER_MOTOR * (int64_t)of->link_count;
  }
  return count;
}

int64_t tl_links_state_count(const talus_world *world) {
  return base_count(world) + loads_count(world);
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

static void loads_save(const talus_world *world, double *at) {
  double *load = at + world->mechanism_count;
  for (int32_t m = 0; m < world->mechanism_count; m++) {
    const talus_mechanism *const of = world->mechanism[m].mechanism;
    at[m] = of->load_count;
    for (int32_t i = 0; i < of->load_count; i++, load += PER_LOAD) {
      load[0] = of->load[i].link;
      tl_copy3(load + 1, of->load[i].point);
      tl_copy3(load + 4, of->load[i].force);
      tl_copy3(load + 7, of->load[i].moment);
    }
  }
}

void tl_links_state_save(const talus_world *world, double *value) {
  all_carry(world, value, 0);
  if (loads_count(world) > 0) {
    loads_save(world, value + base_count(world));
  }
}

/* Whether so many numbers are loads: the counts first, which say how many follow. */
static bool loads_fit(const talus_world *world, const double *at, int64_t count) {
  int64_t left = count - world->mechanism_count;
  if (count == 0) {
    return true;
  }
  for (int32_t m = 0; left >= 0 && m < world->mechanism_count; m++) {
    if (!(at[m] >= 0) || at[m] != floor(at[m]) || at[m] > (double)left / PER_LOAD) {
      return false;
    }
    left -= PER_LOAD * (int64_t)at[m];
  }
  return left == 0;
}

static talus_status loads_load(talus_world *world, const double *at, int64_t count) {
  const double *load = at + (count > 0 ? world->mechanism_count : 0);
  for (int32_t m = 0; m < world->mechanism_count; m++) {
    talus_mechanism *const of = world->mechanism[m].mechanism;
    TL_TRY(talus_mechanism_unload(of));
    for (int64_t i = 0; count > 0 && i < (int64_t)at[m]; i++, load += PER_LOAD) {
      const int32_t link = load[0] >= 0 && load[0] < of->link_count ? (int32_t)load[0] : -1;
      TL_TRY(talus_mechanism_load(of, link, load + 1, load + 4, load + 7));
    }
  }
  return TALUS_OK;
}

talus_status tl_links_state_load(talus_world *world, const double *value, int64_t count) {
  const int64_t base = base_count(world);
  if (count < base || !loads_fit(world, value + base, count - base)) {
    return tl_fail(world->context, TALUS_FILE_FORMAT,
                   "the state has %lld numbers of mechanisms, the world %lld and loads",
                   (long long)count, (long long)base);
  }
  for (int64_t i = 0; i < count; i++) { /* an effort may be endless */
    if (isnan(value[i]) || value[i] == -INFINITY) {
      return tl_fail(world->context, TALUS_NOT_FINITE,
                     "state of mechanisms: number %lld is not finite", (long long)i);
    }
  }
  TL_TRY(loads_load(world, value + base, count - base));
  all_carry(world, (double *)value, 1); /* read only, this way */
  for (int32_t m = 0; m < world->mechanism_count; m++) {
    const talus_mechanism *const of = world->mechanism[m].mechanism;
    TL_TRY(talus_mechanism_set(world->mechanism[m].mechanism, of->q, of->v)); /* checks them */
  }
  tl_links_sync(world);
  return TALUS_OK;
}
