/* tick.c: what happens between steps: bodies taken away, outlets, inlets, motors, forces.
 *
 * All of it depends on the world's time, the bodies' positions and the state of state.c alone, so
 * that a restarted run does the same. */
#include <math.h>
#include <string.h>

#include "host/ranks/agree.h"
#include "host/scene/occupancy.h"
#include "host/world/spread.h"
#include "host/world/state.h"

static bool within(double time, double begin, double end) {
  return time >= begin && time < end;
}

static talus_status remove_expired(talus_scene *scene, talus_world *world, double time) {
  const tl_scene_definition *def = &scene->def;
  for (int32_t i = 0; i < def->walls.count; i++) {
    const tl_scene_wall *wall = (const tl_scene_wall *)def->walls.item + i;
    if (time >= wall->until && talus_body_exists(world, scene->wall_id[i])) {
      TL_TRY(talus_body_remove(world, scene->wall_id[i]));
    }
  }
  for (int32_t i = 0; i < def->bodies.count; i++) {
    const tl_scene_body *body = (const tl_scene_body *)def->bodies.item + i;
    if (time >= body->until && talus_body_exists(world, scene->body_id[i])) {
      TL_TRY(talus_body_remove(world, scene->body_id[i]));
    }
  }
  return TALUS_OK;
}

static bool is_taken(const talus_scene *scene, const tl_scene_outlet *outlet,
                     const double *position) {
  const bool inside = tl_region_contains(&outlet->region, scene->def.world.plane, position, 0);
  return inside == (outlet->where == 0);
}

/* Of bodies that are not on every rank each finds its own. done: false if that cannot be. */
static talus_status run_outlet_apart(talus_scene *scene, talus_world *world, int32_t i,
                                     bool *done) {
  const tl_scene_outlet *outlet = (const tl_scene_outlet *)scene->def.outlets.item + i;
  bool *mark, refused;
  int64_t count;
  TL_TRY(tl_bodies_marks(world, &mark));
  for (int32_t slot = 0; slot < world->body_count; slot++) {
    const tl_body *const body = &world->body[slot];
    mark[slot] = body->type == TALUS_BODY_FREE && tl_bodies_answered(world, slot) &&
                 is_taken(scene, outlet, body->position);
  }
  TL_TRY(tl_bodies_remove(world, &count, &refused));
  scene->removed[i] += count;
  *done = !refused;
  return TALUS_OK;
}

static talus_status run_outlets(talus_scene *scene, talus_world *world, double time) {
  const tl_scene_definition *def = &scene->def;
  for (int32_t i = 0; i < def->outlets.count; i++) {
    const tl_scene_outlet *outlet = (const tl_scene_outlet *)def->outlets.item + i;
    if (!within(time, outlet->begin, outlet->end)) {
      continue;
    }
    bool done = false;
    if (world->bodies_local) {
      TL_TRY(run_outlet_apart(scene, world, i, &done));
    }
    for (int32_t body = done ? TALUS_NONE : talus_body_after(world, TALUS_NONE); body != TALUS_NONE;
         body = talus_body_after(world, body)) {
      talus_body_state state;
      if (talus_body_kind(world, body) != TALUS_BODY_FREE) {
        continue;
      }
      TL_TRY(talus_body_get(world, body, &state));
      if (is_taken(scene, outlet, state.position)) {
        TL_TRY(talus_body_remove(world, body));
        scene->removed[i]++;
      }
    }
  }
  return TALUS_OK;
}

/* Whether a body reaches into a box. */
static bool is_near(const talus_scene *scene, const double lower[3], const double upper[3],
                    const double position[3], double radius) {
  bool near = true;
  for (int c = 0; c < 3; c++) {
    if (!(scene->def.world.plane && c == 1)) {
      near = near && position[c] + radius >= lower[c] && position[c] - radius <= upper[c];
    }
  }
  return near;
}

/* Of bodies that are not on every rank those that reach into a box are shown to all. */
static talus_status gather_apart(talus_scene *scene, talus_world *world, const double lower[3],
                                 const double upper[3], tl_occupancy *occupancy) {
  bool *mark;
  TL_TRY(tl_bodies_marks(world, &mark));
  for (int32_t slot = 0; slot < world->body_count; slot++) {
    const tl_body *const body = &world->body[slot];
    mark[slot] =
        tl_bodies_answered(world, slot) &&
        is_near(scene, lower, upper, body->position, talus_scene_body_radius(scene, body->id));
  }
  TL_TRY(tl_bodies_share(world));
  for (int32_t slot = 0; slot < world->body_count; slot++) {
    const tl_body *const body = &world->body[slot];
    if (tl_body_everywhere(world, slot) &&
        is_near(scene, lower, upper, body->position, talus_scene_body_radius(scene, body->id))) {
      TL_TRY(tl_occupancy_add(occupancy, body->id));
    }
  }
  return TALUS_OK;
}

/* The bodies that reach into the region's box, and all walls. In a periodic cell their images may
 * do so: all bodies. */
static talus_status gather(talus_scene *scene, talus_world *world, const tl_scene_region *region,
                           tl_occupancy *occupancy) {
  double lower[3], upper[3];
  tl_region_box(region, lower, upper);
  if (world->bodies_local) {
    return gather_apart(scene, world, lower, upper, occupancy);
  }
  for (int32_t body = talus_body_after(world, TALUS_NONE); body != TALUS_NONE;
       body = talus_body_after(world, body)) {
    const double radius = talus_scene_body_radius(scene, body);
    talus_body_state state;
    TL_TRY(talus_body_get(world, body, &state));
    if (occupancy->cell != NULL || is_near(scene, lower, upper, state.position, radius)) {
      TL_TRY(tl_occupancy_add(occupancy, body));
    }
  }
  return TALUS_OK;
}

static talus_status note_added(talus_scene *scene, const talus_world *world,
                               const tl_added *grain) {
  tl_scene_forget(scene, world);
  if (scene->added_count == scene->added_capacity) {
    const int32_t wanted = scene->added_capacity > 0 ? 2 * scene->added_capacity : 256;
    void *memory = NULL;
    TL_TRY(tl_alloc(scene->context, &memory, (size_t)wanted, sizeof(tl_added), "grains of inlets"));
    if (scene->added_count > 0) {
      memcpy(memory, scene->added, (size_t)scene->added_count * sizeof(tl_added));
    }
    tl_free(scene->context, scene->added);
    scene->added = memory;
    scene->added_capacity = wanted;
  }
  scene->added[scene->added_count++] = *grain;
  return TALUS_OK;
}

/* One grain; *placed is 0 if it found no room now. */
static talus_status run_inlet_once(talus_scene *scene, talus_world *world, int32_t i,
                                   tl_occupancy *occupancy, tl_room *room, tl_form *form,
                                   int *placed) {
  const tl_scene_inlet *inlet = (const tl_scene_inlet *)scene->def.inlets.item + i;
  tl_inlet_state *state = &scene->inlet[i];
  tl_random random = {.state = state->random};
  tl_placement search = {.tries = 100};
  if (!state->waiting) {
    state->factor = tl_sizes_draw(&inlet->grain.sizes, scene->def.world.plane, &random);
    state->waiting = 1;
  }
  const tl_variation variation = {state->factor, 1};
  TL_TRY(tl_form_make(form, variation));
  TL_TRY(tl_form_place_randomly(occupancy, room, form, &random, &search));
  *placed = search.found;
  if (!search.fits && form->round) { /* others may find a turn that fits */
    return tl_node_fail(scene->context, inlet->item.node,
                        "the region is too small for a grain that reaches %.3g m from its centre",
                        form->radius);
  }
  if (search.found) {
    tl_added grain = {.inlet = i, .factor = state->factor};
    tl_world_numbers(world, &grain.body, &grain.shape);
    TL_TRY(tl_grain_emit(scene, world, &inlet->grain, inlet->grain.material, variation,
                         search.position, search.orientation, &grain.body));
    TL_TRY(tl_occupancy_add(occupancy, grain.body));
    TL_TRY(note_added(scene, world, &grain));
    state->placed++;
    state->waiting = 0;
  }
  state->random = random.state;
  return TALUS_OK;
}

/* As many grains as are due and find room. */
static talus_status run_inlet(talus_scene *scene, talus_world *world, int32_t i, int64_t due) {
  const tl_scene_inlet *inlet = (const tl_scene_inlet *)scene->def.inlets.item + i;
  tl_occupancy occupancy;
  tl_room room;
  tl_form form;
  int placed = 1;
  tl_occupancy_begin(scene, world, &occupancy);
  tl_form_begin(scene, &inlet->grain, &form);
  talus_status status =
      tl_room_begin(scene->context, &inlet->region, scene->def.world.plane, &room);
  if (status == TALUS_OK) {
    status = gather(scene, world, &inlet->region, &occupancy);
  }
  while (status == TALUS_OK && placed && scene->inlet[i].placed < due) {
    status = run_inlet_once(scene, world, i, &occupancy, &room, &form, &placed);
  }
  tl_room_end(&room);
  tl_form_end(&form);
  tl_occupancy_end(&occupancy);
  return status;
}

static talus_status run_inlets(talus_scene *scene, talus_world *world, double time) {
  for (int32_t i = 0; i < scene->def.inlets.count; i++) {
    const tl_scene_inlet *inlet = (const tl_scene_inlet *)scene->def.inlets.item + i;
    const tl_inlet_state *const state = &scene->inlet[i];
    const double open = fmin(time, inlet->end) - fmax(inlet->begin, state->since);
    /* Rounding of the time must not hold a grain back for a step. */
    int64_t due = state->before;
    due += open >= 0 ? (int64_t)fmin(9e15, floor(open * inlet->rate + 1e-6)) : 0;
    due = inlet->limit > 0 && due > inlet->limit ? inlet->limit : due;
    if (due <= scene->inlet[i].placed || time > inlet->end) {
      continue;
    }
    TL_TRY(run_inlet(scene, world, i, due));
  }
  return TALUS_OK;
}

/* Every body that a force names gets the sum of those that act now. */
static talus_status apply_forces(talus_scene *scene, talus_world *world, double time) {
  const tl_scene_force *forces = scene->def.forces.item;
  const int32_t count = scene->def.forces.count;
  for (int32_t i = 0; i < count; i++) {
    double force[3] = {0, 0, 0}, torque[3] = {0, 0, 0};
    const int32_t body =
        scene->force[i].first ? talus_scene_body_find(scene, forces[i].body) : TALUS_NONE;
    if (!talus_body_exists(world, body)) {
      continue;
    }
    for (int32_t k = i; k >= 0; k = scene->force[k].next) {
      if (within(time, forces[k].begin, forces[k].end)) {
        for (int c = 0; c < 3; c++) {
          force[c] += forces[k].force[c];
          torque[c] += forces[k].torque[c];
        }
      }
    }
    TL_TRY(talus_body_force(world, body, force, torque));
  }
  return TALUS_OK;
}

static talus_status tick(talus_scene *scene, talus_world *world) {
  const double time = talus_world_time(world);
  TL_TRY(tl_stages_advance(scene, world));
  TL_TRY(remove_expired(scene, world, time));
  TL_TRY(run_outlets(scene, world, time));
  TL_TRY(run_inlets(scene, world, time));
  TL_TRY(talus_world_steps(world) > 0 ? tl_bonds_make(scene, world) : TALUS_OK);
  TL_TRY(tl_mechanisms_drive(scene, world, time));
  return apply_forces(scene, world, time);
}

talus_status talus_scene_tick(talus_scene *scene, talus_world *world) {
  if (scene == NULL || world == NULL) {
    return scene == NULL ? TALUS_INVALID_ARGUMENT
                         : tl_fail(scene->context, TALUS_INVALID_ARGUMENT, "world is NULL");
  }
  return tl_ranks_settle(scene->context, tick(scene, world));
}
