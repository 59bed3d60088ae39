/* coupling.c: life of a coupling; the order of what makes a problem. */
#include "host/mechanism/coupling.h"

#include <math.h>

#include "host/base/structs.h"
#include "host/math/rotation.h"

void talus_loop_def_init(talus_loop_def *def, size_t size) {
  static const talus_loop_def defaults = {.link_a = TALUS_NONE,
                                          .link_b = TALUS_NONE,
                                          .direction_count = 3,
                                          .direction = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                          .turn = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                          .orientation = {1}};
  tl_struct_init(&tl_struct_loop_def, &defaults, def, size);
}

void talus_coupling_def_init(talus_coupling_def *def, size_t size) {
  static const talus_coupling_def defaults = {.form = TALUS_FORM_BLOCKS,
                                              .step = 1e-3,
                                              .restitution_speed = 0.02,
                                              .correction = 0.2,
                                              .dimension = 3};
  tl_struct_init(&tl_struct_coupling_def, &defaults, def, size);
}

talus_status tl_loops_read(talus_context *context, const talus_loop_def *given, int32_t count,
                           const talus_loop_def **own, void **memory) {
  const talus_loop_def defaults = talus_loop_def_default();
  const void *loops;
  TL_TRY(tl_struct_read_array(context, &tl_struct_loop_def, "loop", given, count, &defaults, &loops,
                              memory));
  *own = loops;
  return TALUS_OK;
}

static talus_status def_check(talus_context *context, const talus_coupling_def *def) {
  if (def->form != TALUS_FORM_BLOCKS && def->form != TALUS_FORM_DELASSUS) {
    return tl_fail(context, TALUS_BAD_SETTING, "coupling def: form must be BLOCKS or DELASSUS");
  }
  if (!(def->step > 0) || !isfinite(def->step) || !(def->gap_clamp <= 0) ||
      !isfinite(def->gap_clamp) || !(def->restitution_speed >= 0) || !(def->correction >= 0) ||
      !(def->correction <= 1) || def->dimension < 1 || def->dimension > 3 ||
      (unsigned)def->restitution > TALUS_RESTITUTION_POISSON || (unsigned)def->drift > 1) {
    return tl_fail(context, TALUS_BAD_SETTING,
                   "coupling def: step, gap_clamp, restitution_speed, correction, dimension, "
                   "restitution or drift is out of range");
  }
  if (def->mechanism_count < 1 || def->mechanism == NULL || def->loop_count < 0 ||
      (def->loop_count > 0 && def->loop == NULL)) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT,
                   "coupling def: mechanism or loop is NULL, or a count makes no sense");
  }
  for (int32_t i = 0; i < def->mechanism_count; i++) {
    if (def->mechanism[i] == NULL) {
      return tl_fail(context, TALUS_INVALID_ARGUMENT, "coupling def: mechanism[%d] is NULL", i);
    }
  }
  return TALUS_OK;
}

static talus_status units_check(talus_context *context, int32_t loop, const char *what,
                                const double *list, int32_t count) {
  for (int32_t k = 0; k < count; k++) {
    if (!(fabs(tl_norm3(list + 3 * k) - 1) <= 1e-6)) {
      return tl_fail(context, TALUS_NORMAL_LENGTH, "loop[%d]: %s %d has length %g, not 1", loop,
                     what, k, tl_norm3(list + 3 * k));
    }
  }
  return TALUS_OK;
}

static talus_status loop_check(talus_context *context, const talus_coupling_def *def, int32_t i) {
  const talus_loop_def *const loop = &def->loop[i];
  const int32_t side[4] = {loop->mechanism_a, loop->link_a, loop->mechanism_b, loop->link_b};
  for (int s = 0; s < 4; s += 2) {
    if (side[s + 1] >= 0 && (side[s] < 0 || side[s] >= def->mechanism_count ||
                             side[s + 1] >= def->mechanism[side[s]]->link_count)) {
      return tl_fail(context, TALUS_INDEX_RANGE, "loop[%d]: link %d of mechanism %d does not exist",
                     i, side[s + 1], side[s]);
    }
  }
  if (side[1] < 0 && side[3] < 0) {
    return tl_fail(context, TALUS_IMMOVABLE_PAIR, "loop[%d]: both sides are the world", i);
  }
  if (loop->direction_count < 0 || loop->direction_count > 3 || loop->turn_count < 0 ||
      loop->turn_count > 3 || loop->direction_count + loop->turn_count == 0) {
    return tl_fail(context, TALUS_BAD_SETTING,
                   "loop[%d]: direction_count %d and turn_count %d must be 0 .. 3, not both 0", i,
                   loop->direction_count, loop->turn_count);
  }
  TL_TRY(units_check(context, i, "direction", loop->direction, loop->direction_count));
  TL_TRY(units_check(context, i, "turn", loop->turn, loop->turn_count));
  if (!tl_quaternion_good(loop->orientation)) {
    return tl_fail(context, TALUS_BAD_SETTING, "loop[%d].orientation is no unit quaternion", i);
  }
  return TALUS_OK;
}

static talus_status coupling_make(talus_coupling *coupling, const talus_coupling_def *def) {
  talus_context *const context = coupling->context;
  const size_t count = (size_t)def->mechanism_count;
  TL_TRY(tl_alloc(context, (void **)&coupling->mechanism, count, sizeof *coupling->mechanism,
                  "a coupling's mechanisms"));
  memcpy(coupling->mechanism, def->mechanism, count * sizeof *coupling->mechanism);
  TL_TRY(tl_alloc(context, (void **)&coupling->loop, (size_t)def->loop_count,
                  sizeof *coupling->loop, "a coupling's loops"));
  if (def->loop_count > 0) {
    memcpy(coupling->loop, def->loop, (size_t)def->loop_count * sizeof *coupling->loop);
  }
  TL_TRY(tl_alloc(context, (void **)&coupling->first_velocity, count + 1, sizeof(int32_t),
                  "a coupling's velocities"));
  coupling->first_velocity[0] = 0;
  for (size_t i = 0; i < count; i++) {
    coupling->first_velocity[i + 1] = coupling->first_velocity[i] + coupling->mechanism[i]->v_count;
  }
  coupling->bilateral_count = tl_rows_bilateral_count(coupling);
  return tl_alloc(context, (void **)&coupling->velocity, (size_t)coupling->first_velocity[count],
                  sizeof(double), "a coupling's velocities");
}

/* `def` and its loops have the library's sizes. */
static talus_status coupling_create(talus_context *context, const talus_coupling_def *def,
                                    talus_coupling **coupling) {
  for (int32_t i = 0; i < def->loop_count; i++) {
    TL_TRY(loop_check(context, def, i));
  }
  talus_coupling *made;
  TL_TRY(tl_alloc(context, (void **)&made, 1, sizeof *made, "a coupling"));
  memset(made, 0, sizeof *made);
  made->context = context;
  made->def = *def;
  const talus_status status = coupling_make(made, def);
  if (status != TALUS_OK) {
    talus_coupling_destroy(made);
    return status;
  }
  *coupling = made;
  return TALUS_OK;
}

talus_status talus_coupling_create(talus_context *context, const talus_coupling_def *given,
                                   talus_coupling **coupling) {
  if (context == NULL || given == NULL || coupling == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  *coupling = NULL;
  talus_coupling_def def = talus_coupling_def_default();
  void *memory;
  TL_TRY(tl_struct_read(context, &tl_struct_coupling_def, "coupling def", given, &def));
  TL_TRY(def_check(context, &def));
  TL_TRY(tl_loops_read(context, def.loop, def.loop_count, &def.loop, &memory));
  const talus_status status = coupling_create(context, &def, coupling);
  tl_free(context, memory);
  return status;
}

void talus_coupling_destroy(talus_coupling *coupling) {
  if (coupling == NULL) {
    return;
  }
  talus_context *const context = coupling->context;
  tl_buffer_release(context, &coupling->rows);
  tl_buffer_release(context, &coupling->values);
  tl_buffer_release(context, &coupling->indices);
  tl_buffer_release(context, &coupling->impulses);
  tl_free(context, coupling->velocity);
  tl_free(context, coupling->first_velocity);
  tl_free(context, coupling->loop);
  tl_free(context, coupling->mechanism);
  tl_free(context, coupling);
}

talus_status tl_coupling_accelerate(talus_coupling *coupling) {
  for (int32_t m = 0; m < coupling->def.mechanism_count; m++) {
    talus_mechanism *const mechanism = coupling->mechanism[m];
    TL_TRY(talus_mechanism_accelerate(mechanism, mechanism->dynamics,
                                      coupling->velocity + coupling->first_velocity[m]));
  }
  return TALUS_OK;
}

/* From accelerations to velocities after a step of gravity, applied forces, damping and loads. */
static void velocities_free(talus_coupling *coupling) {
  for (int32_t m = 0; m < coupling->def.mechanism_count; m++) {
    const talus_mechanism *const mechanism = coupling->mechanism[m];
    double *const velocity = coupling->velocity + coupling->first_velocity[m];
    for (int32_t i = 0; i < mechanism->v_count; i++) {
      velocity[i] = mechanism->v[i] + coupling->def.step * velocity[i];
    }
  }
}

talus_status tl_coupling_rows(talus_coupling *coupling, const talus_touch *touch, int32_t count) {
  const int32_t dimension = coupling->def.dimension;
  const size_t rows = (size_t)dimension * (size_t)count + (size_t)coupling->bilateral_count;
  coupling->built = coupling->rebounds = 0;
  if (rows > INT32_MAX) {
    return tl_fail(coupling->context, TALUS_SIZE_OVERFLOW, "%d contacts are too many", count);
  }
  TL_TRY(tl_buffer_reserve(coupling->context, &coupling->rows, rows, sizeof *coupling->row,
                           "a coupling's rows"));
  coupling->row = coupling->rows.memory;
  coupling->contact_count = count;
  coupling->row_count = (int32_t)rows;
  velocities_free(coupling);
  for (int32_t i = 0; i < count; i++) {
    TL_TRY(tl_rows_contact(coupling, &touch[i], i, coupling->row + (size_t)dimension * (size_t)i));
  }
  tl_rows_bilateral(coupling, coupling->row + (size_t)dimension * (size_t)count);
  coupling->built = 1;
  return TALUS_OK;
}

talus_status talus_coupling_build(talus_coupling *coupling, const talus_touch *touch, int32_t count,
                                  talus_problem *problem) {
  if (coupling == NULL || problem == NULL || count < 0 || (count > 0 && touch == NULL)) {
    return TALUS_INVALID_ARGUMENT;
  }
  talus_problem built;
  TL_TRY(tl_struct_check(coupling->context, &tl_struct_problem, "problem", problem));
  coupling->built = coupling->rebounds = 0;
  TL_TRY(tl_coupling_accelerate(coupling));
  TL_TRY(tl_coupling_rows(coupling, touch, count));
  coupling->built = 0; /* until all is there */
  TL_TRY(tl_coupling_form(coupling, &built));
  tl_struct_write(&tl_struct_problem, &built, problem);
  coupling->built = 1;
  return TALUS_OK;
}
