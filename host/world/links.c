/* links.c: mechanisms of a world: adding them, their links as bodies, their motion. */
#include "host/world/links.h"

#include <math.h>
#include <string.h>

void tl_links_release(talus_world *world) {
  talus_coupling_destroy(world->coupling);
  for (int32_t m = 0; m < world->mechanism_count; m++) {
    talus_mechanism_destroy(world->mechanism[m].mechanism);
  }
  void *const arrays[] = {world->mechanism, world->loop, world->link_impulse};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    tl_free(world->context, arrays[i]);
  }
  tl_buffer_release(world->context, &world->saved_links);
  tl_buffer_release(world->context, &world->block_memory);
  tl_buffer_release(world->context, &world->block_index);
}

size_t tl_velocity_size(const talus_world *world) {
  return 6 * (size_t)world->body_count + (size_t)world->joint_velocity_count;
}

/* ---- adding ------------------------------------------------------------------------------------
 */

/* In a plane world every joint keeps to x and z, and turns about y. */
static talus_status plane_check(const talus_world *world, talus_mechanism *mechanism) {
  if (!world->def.plane) {
    return TALUS_OK;
  }
  tl_mechanism_place(mechanism);
  for (int32_t i = 0; i < mechanism->link_count; i++) {
    const tl_link *const link = &mechanism->link[i];
    const double *const axis = tl_axis_of(mechanism, link);
    char text[64];
    for (int k = 0; k < link->v_count; k++) {
      if (fabs(axis[6 * k]) + fabs(axis[6 * k + 2]) + fabs(axis[6 * k + 4]) > 1e-9) {
        return tl_fail(world->context, TALUS_UNSUPPORTED,
                       "%s leaves the plane of the world: it must turn about y and slide across it",
                       tl_joint_text(link->name, i, text));
      }
    }
  }
  return TALUS_OK;
}

static talus_status bodies_add(talus_world *world, const talus_mechanism_def *def, int32_t index) {
  const talus_mechanism *const mechanism = world->mechanism[index].mechanism;
  TL_TRY(tl_world_grow(world, (void **)&world->body, &world->body_capacity,
                       world->body_count + def->link_count, sizeof *world->body, "bodies"));
  for (int32_t i = 0; i < def->link_count; i++) {
    tl_body *const body = &world->body[world->body_count + i];
    memset(body, 0, sizeof *body);
    body->exists = 1;
    body->first_shape = -1;
    body->type = TALUS_BODY_LINK;
    body->group = def->link[i].group;
    body->collides = def->link[i].collides;
    body->mechanism = index;
    body->link = i;
    body->mass = mechanism->link[i].mass;
    body->inverse_mass = 1 / body->mass;
    memcpy(body->inertia, mechanism->link[i].inertia, sizeof body->inertia);
  }
  return TALUS_OK;
}

/* Loops are kept with the number that their mechanism has in the world. */
static talus_status loops_add(talus_world *world, const talus_loop_def *loop, int32_t count,
                              int32_t index) {
  if (count < 0 || (count > 0 && loop == NULL)) {
    return tl_fail(world->context, TALUS_INVALID_ARGUMENT, "loop is NULL, or its count negative");
  }
  TL_TRY(tl_world_grow(world, (void **)&world->loop, &world->loop_capacity,
                       world->loop_count + count, sizeof *world->loop, "loops"));
  for (int32_t i = 0; i < count; i++) {
    talus_loop_def *const kept = &world->loop[world->loop_count + i];
    *kept = loop[i];
    kept->mechanism_a = kept->mechanism_b = index;
  }
  return TALUS_OK;
}

/* A coupling of all mechanisms and loops, and room for its rows' impulses, all zero. Rows are
 * numbered anew, so that those of other mechanisms lose their warm start too. */
static talus_status coupling_make(talus_world *world, int32_t mechanisms, int32_t loops,
                                  talus_coupling **coupling, double **impulse) {
  talus_coupling_def def = talus_coupling_def_default();
  talus_mechanism **list;
  TL_TRY(tl_alloc(world->context, (void **)&list, (size_t)mechanisms, sizeof *list, "mechanisms"));
  for (int32_t m = 0; m < mechanisms; m++) {
    list[m] = world->mechanism[m].mechanism;
  }
  def.step = world->def.step;
  def.correction = 1; /* so that bias times step is the error itself */
  def.mechanism_count = mechanisms;
  def.mechanism = list;
  def.loop_count = loops;
  def.loop = world->loop;
  talus_status status = talus_coupling_create(world->context, &def, coupling);
  tl_free(world->context, list);
  if (status != TALUS_OK) {
    return status;
  }
  const size_t rows = (size_t)(*coupling)->bilateral_count;
  status = tl_buffer_reserve(world->context, &(*coupling)->rows, rows, sizeof(tl_row), "rows");
  if (status == TALUS_OK) {
    status = tl_alloc(world->context, (void **)impulse, rows, sizeof **impulse, "impulses of rows");
  }
  if (status != TALUS_OK) {
    talus_coupling_destroy(*coupling);
    return status;
  }
  (*coupling)->row = (*coupling)->rows.memory;
  memset(*impulse, 0, rows * sizeof **impulse);
  return TALUS_OK;
}

static talus_status groups_check(const talus_world *world, const talus_mechanism_def *def) {
  char text[64];
  for (int32_t i = 0; i < def->link_count; i++) {
    if (def->link[i].group < 0 || def->link[i].group > 31) {
      return tl_fail(world->context, TALUS_BAD_SETTING, "%s: group %d must be in 0 .. 31",
                     tl_joint_text(def->link[i].name, i, text), def->link[i].group);
    }
  }
  return TALUS_OK;
}

/* All that can fail comes before anything is counted in. */
static talus_status mechanism_add(talus_world *world, const talus_mechanism_def *def,
                                  const talus_loop_def *loop, int32_t loop_count) {
  const int32_t index = world->mechanism_count;
  tl_world_mechanism *const made = &world->mechanism[index];
  talus_coupling *coupling;
  double *impulse;
  TL_TRY(groups_check(world, def));
  TL_TRY(plane_check(world, made->mechanism));
  TL_TRY(bodies_add(world, def, index));
  TL_TRY(loops_add(world, loop, loop_count, index));
  TL_TRY(coupling_make(world, index + 1, world->loop_count + loop_count, &coupling, &impulse));
  talus_coupling_destroy(world->coupling);
  tl_free(world->context, world->link_impulse);
  world->coupling = coupling;
  world->link_impulse = impulse;
  made->first_body = world->body_count;
  made->first_velocity = world->joint_velocity_count;
  made->self_collide = def->self_collide != 0;
  made->base = TALUS_NONE;
  world->joint_velocity_count += made->mechanism->v_count;
  world->loop_count += loop_count;
  world->body_count += def->link_count;
  world->mechanism_count++;
  tl_links_sync(world);
  return TALUS_OK;
}

talus_status talus_world_add_mechanism(talus_world *world, const talus_mechanism_def *given,
                                       const talus_loop_def *loop, int32_t loop_count,
                                       int32_t *result) {
  if (world == NULL || given == NULL || result == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  talus_mechanism_def def = *given;
  memcpy(def.gravity, world->def.gravity, sizeof def.gravity);
  TL_TRY(tl_world_grow(world, (void **)&world->mechanism, &world->mechanism_capacity,
                       world->mechanism_count + 1, sizeof *world->mechanism, "mechanisms"));
  tl_world_mechanism *const made = &world->mechanism[world->mechanism_count];
  memset(made, 0, sizeof *made);
  TL_TRY(talus_mechanism_create(world->context, &def, &made->mechanism));
  const talus_status status = mechanism_add(world, &def, loop, loop_count);
  if (status != TALUS_OK) {
    talus_mechanism_destroy(made->mechanism);
    return status;
  }
  *result = world->mechanism_count - 1;
  return TALUS_OK;
}

/* ---- who is who --------------------------------------------------------------------------------
 */

int32_t talus_world_mechanism_count(const talus_world *world) {
  return world != NULL ? world->mechanism_count : 0;
}

talus_mechanism *talus_world_mechanism(const talus_world *world, int32_t mechanism) {
  return world != NULL && mechanism >= 0 && mechanism < world->mechanism_count
             ? world->mechanism[mechanism].mechanism
             : NULL;
}

int32_t talus_link_body(const talus_world *world, int32_t mechanism, int32_t link) {
  const talus_mechanism *const made = talus_world_mechanism(world, mechanism);
  return made != NULL && link >= 0 && link < made->link_count
             ? world->mechanism[mechanism].first_body + link
             : TALUS_NONE;
}

int talus_body_link(const talus_world *world, int32_t body, int32_t *mechanism, int32_t *link) {
  const int found = talus_body_exists(world, body) && tl_is_link(world, body);
  if (mechanism != NULL) {
    *mechanism = found ? world->body[body].mechanism : TALUS_NONE;
  }
  if (link != NULL) {
    *link = found ? world->body[body].link : TALUS_NONE;
  }
  return found;
}

talus_status talus_world_set_base(talus_world *world, int32_t mechanism, int32_t body) {
  if (talus_world_mechanism(world, mechanism) == NULL) {
    return tl_fail(world != NULL ? world->context : NULL, TALUS_INDEX_RANGE,
                   "mechanism %d does not exist", mechanism);
  }
  if (body != TALUS_NONE) {
    TL_TRY(tl_body_check(world, body));
    if (world->body[body].type != TALUS_BODY_FIXED) {
      return tl_fail(world->context, TALUS_CALL_ORDER,
                     "body %d is not fixed: no base for a mechanism", body);
    }
  }
  world->mechanism[mechanism].base = body;
  return TALUS_OK;
}

/* Whether the link hangs on this very body. */
static int stands_on(const talus_world *world, const tl_body *link, int32_t body) {
  const tl_world_mechanism *const of = &world->mechanism[link->mechanism];
  return of->base == body && of->mechanism->link[link->link].parent < 0;
}

int tl_links_collide(const talus_world *world, int32_t body_a, int32_t body_b) {
  const tl_body *const a = &world->body[body_a], *const b = &world->body[body_b];
  if ((a->type == TALUS_BODY_LINK && stands_on(world, a, body_b)) ||
      (b->type == TALUS_BODY_LINK && stands_on(world, b, body_a))) {
    return 0;
  }
  if (a->type != TALUS_BODY_LINK || b->type != TALUS_BODY_LINK || a->mechanism != b->mechanism) {
    return 1;
  }
  const tl_world_mechanism *const of = &world->mechanism[a->mechanism];
  return of->self_collide && of->mechanism->link[a->link].parent != b->link &&
         of->mechanism->link[b->link].parent != a->link;
}

/* ---- state -------------------------------------------------------------------------------------
 */

void tl_link_sync(const talus_world *world, int32_t index) {
  tl_body *const body = &world->body[index]; /* a copy of the mechanism's state: no change */
  talus_mechanism *const mechanism = tl_mechanism_of(world, index);
  tl_mechanism_place(mechanism);
  const tl_link_state *const state = &mechanism->state[body->link];
  talus_mechanism_pose(mechanism, body->link, NULL, body->orientation, NULL);
  tl_along3(body->position, state->origin, 1, state->centre);
  tl_copy3(body->spin, state->velocity);
  tl_copy3(body->velocity, state->velocity + 3);
  tl_add_cross3(body->velocity, state->velocity, state->centre);
}

void tl_links_sync(talus_world *world) {
  for (int32_t m = 0; m < world->mechanism_count; m++) {
    const tl_world_mechanism *const of = &world->mechanism[m];
    for (int32_t i = 0; i < of->mechanism->link_count; i++) {
      tl_link_sync(world, of->first_body + i);
    }
  }
}

void tl_links_read(const talus_world *world, double *velocity) {
  double *const part = tl_links_part(world, velocity);
  for (int32_t m = 0; m < world->mechanism_count; m++) {
    const tl_world_mechanism *const of = &world->mechanism[m];
    memcpy(part + of->first_velocity, of->mechanism->v,
           (size_t)of->mechanism->v_count * sizeof *part);
  }
}

void tl_links_write(talus_world *world, const double *velocity) {
  const double *const part = velocity + 6 * (size_t)world->body_count;
  for (int32_t m = 0; m < world->mechanism_count; m++) {
    const tl_world_mechanism *const of = &world->mechanism[m];
    memcpy(of->mechanism->v, part + of->first_velocity,
           (size_t)of->mechanism->v_count * sizeof *part);
    of->mechanism->placed = 0;
  }
}

void tl_links_spread(const talus_world *world, double *velocity) {
  const double *const part = tl_links_part(world, velocity);
  for (int32_t m = 0; m < world->mechanism_count; m++) {
    const tl_world_mechanism *const of = &world->mechanism[m];
    tl_mechanism_spread(of->mechanism, part + of->first_velocity);
    for (int32_t i = 0; i < of->mechanism->link_count; i++) {
      const double *const motion = of->mechanism->motion + 6 * i;
      double *const v = velocity + 6 * (size_t)(of->first_body + i);
      tl_copy3(v, motion + 3);
      tl_add_cross3(v, motion, of->mechanism->state[i].centre);
      tl_copy3(v + 3, motion);
    }
  }
}

/* Forces on a link's body act like loads, for this step. */
static talus_status forces_load(const talus_world *world, const tl_world_mechanism *of) {
  static const double none[3];
  for (int32_t i = 0; i < of->mechanism->link_count; i++) {
    const tl_body *const body = &world->body[of->first_body + i];
    if (memcmp(body->force, none, sizeof none) != 0 ||
        memcmp(body->torque, none, sizeof none) != 0) {
      TL_TRY(talus_mechanism_load(of->mechanism, i, of->mechanism->link[i].centre, body->force,
                                  body->torque));
    }
  }
  return TALUS_OK;
}

talus_status tl_links_free(talus_world *world, double dt, double *velocity) {
  double *const part = tl_links_part(world, velocity);
  for (int32_t m = 0; m < world->mechanism_count; m++) {
    const tl_world_mechanism *const of = &world->mechanism[m];
    talus_mechanism *const mechanism = of->mechanism;
    double *const v = part + of->first_velocity;
    const int32_t loads = mechanism->load_count;
    talus_status status = forces_load(world, of);
    if (status == TALUS_OK) {
      status = talus_mechanism_accelerate(mechanism, mechanism->dynamics, v);
    }
    mechanism->load_count = loads;
    TL_TRY(status);
    for (int32_t i = 0; i < mechanism->v_count; i++) {
      v[i] = mechanism->v[i] + dt * v[i];
    }
  }
  tl_links_spread(world, velocity);
  return TALUS_OK;
}

void tl_links_move(talus_world *world, const double *velocity, double dt) {
  const double *const part = velocity + 6 * (size_t)world->body_count;
  for (int32_t m = 0; m < world->mechanism_count; m++) {
    const tl_world_mechanism *const of = &world->mechanism[m];
    tl_mechanism_drift(of->mechanism, part + of->first_velocity, dt);
  }
  tl_links_sync(world);
}

/* ---- Poisson's push ----------------------------------------------------------------------------
 */

void tl_links_push_begin(talus_world *world) {
  for (int32_t m = 0; m < world->mechanism_count; m++) {
    talus_mechanism *const of = world->mechanism[m].mechanism;
    memset(of->outer, 0, 6 * (size_t)of->link_count * sizeof *of->outer);
  }
}

void tl_links_push(talus_world *world, int32_t body, const double *arm, const double *impulse) {
  const int32_t link = world->body[body].link;
  talus_mechanism *const mechanism = tl_mechanism_of(world, body);
  double from_origin[3];
  tl_along3(from_origin, arm, 1, mechanism->state[link].centre);
  tl_add_cross3(mechanism->outer + 6 * link, from_origin, impulse);
  tl_along3(mechanism->outer + 6 * link + 3, mechanism->outer + 6 * link + 3, 1, impulse);
}

talus_status tl_links_push_end(talus_world *world, double *velocity) {
  double *const part = tl_links_part(world, velocity);
  for (int32_t m = 0; m < world->mechanism_count; m++) {
    talus_mechanism *const of = world->mechanism[m].mechanism;
    double *const v = part + world->mechanism[m].first_velocity;
    TL_TRY(tl_mechanism_factor(of));
    tl_mechanism_sweep(of, NULL, of->outer, 0, of->saved);
    for (int32_t i = 0; i < of->v_count; i++) {
      v[i] += of->saved[i];
    }
  }
  tl_links_spread(world, velocity);
  return TALUS_OK;
}

/* ---- what a failed step gives back -------------------------------------------------------------
 */

/* Coordinates, velocities, and the impulses of all rows; `back` says which way. */
static void state_carry(talus_world *world, double *at, int back) {
  for (int32_t m = 0; m <= world->mechanism_count; m++) {
    talus_mechanism *const of = m < world->mechanism_count ? world->mechanism[m].mechanism : NULL;
    double *const array[2] = {of != NULL ? of->q : world->link_impulse, of != NULL ? of->v : NULL};
    const size_t count[2] = {of != NULL ? (size_t)of->q_count : (size_t)tl_links_rows(world),
                             of != NULL ? (size_t)of->v_count : 0};
    for (int k = 0; k < 2; k++) {
      if (count[k] > 0) {
        memcpy(back ? array[k] : at, back ? at : array[k], count[k] * sizeof *at);
      }
      at += count[k];
    }
    if (back && of != NULL) {
      of->placed = of->articulated = 0;
    }
  }
}

talus_status tl_links_save(talus_world *world) {
  size_t size = (size_t)tl_links_rows(world);
  for (int32_t m = 0; m < world->mechanism_count; m++) {
    const talus_mechanism *const of = world->mechanism[m].mechanism;
    size += (size_t)of->q_count + (size_t)of->v_count;
  }
  TL_TRY(tl_buffer_reserve(world->context, &world->saved_links, size, sizeof(double),
                           "states of mechanisms"));
  state_carry(world, world->saved_links.memory, 0);
  return TALUS_OK;
}

void tl_links_restore(talus_world *world) {
  state_carry(world, world->saved_links.memory, 1);
  tl_links_sync(world);
}
