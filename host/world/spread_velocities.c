/* spread_velocities.c: velocities of bodies that are on several ranks, from those who answer for
 * them; and what becomes of them where bodies come between a solve and the end of its step. */
#include <string.h>

#include "host/world/spread_local.h"

talus_status tl_velocities_tell(talus_world *world, const double *own, const int32_t *place,
                                double *result) {
  tl_world_spread *const spread = world->spread;
  const tl_route *const held = &spread->held;
  const int64_t sends = held->receive[spread->owners.size];
  const int64_t receives = held->send[spread->owners.size];
  TL_TRY(tl_ranks_agree(world->context,
                        tl_buffer_reserve(world->context, &spread->out, (size_t)(sends + receives),
                                          6 * sizeof(double), "velocities of other ranks")));
  double *const out = spread->out.memory, *const in = out + 6 * sends;
  for (int64_t i = 0; i < sends; i++) {
    const int32_t slot = spread->given[i];
    memcpy(out + 6 * i, own + 6 * (int64_t)(place != NULL ? place[slot] : slot), 6 * sizeof *out);
  }
  TL_TRY(tl_route_answer(world->context, held, 6 * sizeof *out, out, in));
  for (int64_t i = 0; i < receives; i++) {
    memcpy(result + 6 * (int64_t)spread->taken[i], in + 6 * i, 6 * sizeof *result);
  }
  return TALUS_OK;
}

/* ---- while slots change ---------------------------------------------------------------------- */

static bool is_told(const talus_world *world, int32_t slot) {
  const tl_world_spread *const spread = world->spread;
  return spread->holder[slot] == spread->owners.rank && world->body[slot].inverse_mass > 0;
}

/* This rank's velocities, which keep their order while slots change. */
static talus_status velocities_keep(talus_world *world, const double *after, tl_buffer *kept) {
  TL_TRY(tl_buffer_reserve(world->context, kept, 6 * (size_t)world->body_count, sizeof(double),
                           "velocities"));
  double *to = kept->memory;
  for (int32_t i = 0; i < world->body_count; i++) {
    if (is_told(world, i)) {
      memcpy(to, after + 6 * (int64_t)i, 6 * sizeof *to);
      to += 6;
    }
  }
  return TALUS_OK;
}

/* Those that do not move have the velocities that they had; this rank's stand in their slots. */
static void velocities_place(const talus_world *world, const tl_buffer *kept, double *after) {
  const size_t all = tl_velocity_size(world);
  const double *const free = (double *)world->velocity_memory.memory + all, *own = kept->memory;
  memcpy(after, free, all * sizeof *after);
  for (int32_t i = 0; i < world->body_count; i++) {
    if (is_told(world, i)) {
      memcpy(after + 6 * (int64_t)i, own, 6 * sizeof *after);
      own += 6;
    }
  }
}

/* Room for those of all ranks, and where each rank's begin. */
static talus_status rooms_take(talus_world *world, int64_t **count, double **velocity) {
  const tl_world_spread *const spread = world->spread;
  const size_t size = (size_t)spread->owners.size;
  TL_TRY(tl_buffer_reserve(world->context, &world->spread->out,
                           2 * size + 6 * (size_t)world->body_count, sizeof(double),
                           "velocities of all ranks"));
  *count = world->spread->out.memory;
  *velocity = (double *)(*count + 2 * size);
  memset(*count, 0, 2 * size * sizeof **count);
  for (int32_t i = 0; i < world->body_count; i++) {
    (*count)[spread->holder[i]] += world->body[i].inverse_mass > 0;
  }
  for (size_t r = 1; r < size; r++) {
    (*count)[size + r] = (*count)[size + r - 1] + (*count)[r - 1];
  }
  return TALUS_OK;
}

/* Of a world that has all bodies: from all ranks. */
static talus_status velocities_share(talus_world *world, const tl_buffer *kept, double *after) {
  const tl_world_spread *const spread = world->spread;
  int64_t *count = NULL;
  double *velocity = NULL;
  TL_TRY(tl_ranks_agree(world->context, rooms_take(world, &count, &velocity)));
  int64_t *const place = count + spread->owners.size;
  memcpy(velocity + 6 * place[spread->owners.rank], kept->memory,
         6 * (size_t)count[spread->owners.rank] * sizeof *velocity);
  TL_TRY(tl_ranks_share_parts(world->context, velocity, count, 6 * sizeof *velocity));
  for (int32_t i = 0; i < world->body_count; i++) {
    if (world->body[i].inverse_mass > 0) {
      memcpy(after + 6 * (int64_t)i, velocity + 6 * place[spread->holder[i]]++, 6 * sizeof *after);
    }
  }
  return TALUS_OK;
}

talus_status tl_spread_velocities(talus_world *world, double *velocity) {
  if (world->bodies_local) {
    return tl_velocities_tell(world, velocity, NULL, velocity);
  }
  tl_buffer kept = {.memory = NULL};
  talus_status status = tl_ranks_agree(world->context, velocities_keep(world, velocity, &kept));
  status = status == TALUS_OK ? velocities_share(world, &kept, velocity) : status;
  tl_buffer_release(world->context, &kept);
  return status;
}

static talus_status look_further(talus_world *world, double dt, double reach, const tl_buffer *kept,
                                 const double **after) {
  const bool far = tl_spread_far(world, reach);
  const int64_t slots = world->slots_changed;
  TL_TRY(far ? tl_spread_whole(world) : tl_spread_hold(world, reach, false));
  if (slots != world->slots_changed) {
    tl_contacts_follow(world);
  }
  TL_TRY(tl_ranks_agree(world->context, tl_velocities_again(world, dt)));
  double *const result = (double *)world->velocity_memory.memory + 2 * tl_velocity_size(world);
  velocities_place(world, kept, result);
  *after = result;
  return far ? velocities_share(world, kept, result)
             : tl_velocities_tell(world, result, NULL, result);
}

talus_status tl_spread_look_further(talus_world *world, double dt, double reach,
                                    const double **after) {
  tl_buffer kept = {.memory = NULL};
  talus_status status = tl_ranks_agree(world->context, velocities_keep(world, *after, &kept));
  status = status == TALUS_OK ? look_further(world, dt, reach, &kept, after) : status;
  tl_buffer_release(world->context, &kept);
  return status;
}
