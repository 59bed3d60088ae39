/* state.c: what a caller reads and sets: coordinates, velocities, forces, loads, motors. */
#include <math.h>

#include "host/math/rotation.h"
#include "host/mechanism/mechanism.h"

int32_t talus_mechanism_link_count(const talus_mechanism *mechanism) {
  return mechanism != NULL ? mechanism->link_count : 0;
}

int32_t talus_mechanism_coordinate_count(const talus_mechanism *mechanism) {
  return mechanism != NULL ? mechanism->q_count : 0;
}

int32_t talus_mechanism_velocity_count(const talus_mechanism *mechanism) {
  return mechanism != NULL ? mechanism->v_count : 0;
}

talus_status talus_mechanism_find(const talus_mechanism *mechanism, int32_t link,
                                  int32_t *coordinate, int32_t *velocity) {
  if (mechanism == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  TL_TRY(tl_link_exists(mechanism, link));
  if (coordinate != NULL) {
    *coordinate = mechanism->link[link].first_q;
  }
  if (velocity != NULL) {
    *velocity = mechanism->link[link].first_v;
  }
  return TALUS_OK;
}

static talus_status finite_check(const talus_mechanism *mechanism, const double *array,
                                 int32_t count, const char *what) {
  for (int32_t i = 0; array != NULL && i < count; i++) {
    if (!isfinite(array[i])) {
      return tl_fail(mechanism->context, TALUS_NOT_FINITE, "%s[%d] is %g", what, i, array[i]);
    }
  }
  return TALUS_OK;
}

static talus_status quaternions_check(const talus_mechanism *mechanism, const double *coordinate) {
  for (int32_t i = 0; i < mechanism->link_count; i++) {
    const tl_link *const link = &mechanism->link[i];
    char text[64];
    if (link->q_count > link->v_count &&
        !tl_quaternion_good(coordinate + link->first_q + link->q_count - 4)) {
      return tl_fail(mechanism->context, TALUS_BAD_SETTING,
                     "%s: its quaternion does not have length one",
                     tl_joint_text(link->name, i, text));
    }
  }
  return TALUS_OK;
}

talus_status talus_mechanism_set(talus_mechanism *mechanism, const double *coordinate,
                                 const double *velocity) {
  if (mechanism == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  TL_TRY(finite_check(mechanism, coordinate, mechanism->q_count, "coordinate"));
  TL_TRY(finite_check(mechanism, velocity, mechanism->v_count, "velocity"));
  if (coordinate != NULL) {
    TL_TRY(quaternions_check(mechanism, coordinate));
    memcpy(mechanism->q, coordinate, (size_t)mechanism->q_count * sizeof(double));
    tl_mechanism_normalise(mechanism);
    mechanism->articulated = 0;
  }
  if (velocity != NULL) {
    memcpy(mechanism->v, velocity, (size_t)mechanism->v_count * sizeof(double));
  }
  mechanism->placed = 0;
  return TALUS_OK;
}

talus_status talus_mechanism_get(const talus_mechanism *mechanism, double *coordinate,
                                 double *velocity) {
  if (mechanism == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  if (coordinate != NULL) {
    memcpy(coordinate, mechanism->q, (size_t)mechanism->q_count * sizeof(double));
  }
  if (velocity != NULL) {
    memcpy(velocity, mechanism->v, (size_t)mechanism->v_count * sizeof(double));
  }
  return TALUS_OK;
}

talus_status talus_mechanism_apply(talus_mechanism *mechanism, const double *force) {
  if (mechanism == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  TL_TRY(finite_check(mechanism, force, mechanism->v_count, "force"));
  for (int32_t i = 0; i < mechanism->v_count; i++) {
    mechanism->applied[i] = force != NULL ? force[i] : 0;
  }
  return TALUS_OK;
}

static talus_status loads_grow(talus_mechanism *mechanism) {
  if (mechanism->load_count < mechanism->load_capacity) {
    return TALUS_OK;
  }
  const int32_t capacity = mechanism->load_capacity > 0 ? 2 * mechanism->load_capacity : 16;
  tl_link_load *grown;
  TL_TRY(tl_alloc(mechanism->context, (void **)&grown, (size_t)capacity, sizeof *grown, "loads"));
  if (mechanism->load_count > 0) {
    memcpy(grown, mechanism->load, (size_t)mechanism->load_count * sizeof *grown);
  }
  tl_free(mechanism->context, mechanism->load);
  mechanism->load = grown;
  mechanism->load_capacity = capacity;
  return TALUS_OK;
}

talus_status talus_mechanism_load(talus_mechanism *mechanism, int32_t link, const double *point,
                                  const double *force, const double *moment) {
  if (mechanism == NULL || point == NULL || force == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  TL_TRY(tl_link_exists(mechanism, link));
  TL_TRY(finite_check(mechanism, point, 3, "point"));
  TL_TRY(finite_check(mechanism, force, 3, "force"));
  TL_TRY(finite_check(mechanism, moment, 3, "moment"));
  TL_TRY(loads_grow(mechanism));
  tl_link_load *const load = &mechanism->load[mechanism->load_count++];
  memset(load, 0, sizeof *load);
  load->link = link;
  tl_copy3(load->point, point);
  tl_copy3(load->force, force);
  if (moment != NULL) {
    tl_copy3(load->moment, moment);
  }
  return TALUS_OK;
}

talus_status talus_mechanism_unload(talus_mechanism *mechanism) {
  if (mechanism == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  mechanism->load_count = 0;
  return TALUS_OK;
}

talus_status talus_mechanism_drive(talus_mechanism *mechanism, int32_t index, const double *rate,
                                   const double *target, double effort) {
  if (mechanism == NULL || rate == NULL || target == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  TL_TRY(tl_link_exists(mechanism, index));
  tl_link *const link = &mechanism->link[index];
  char text[64];
  tl_joint_text(link->name, index, text);
  if (link->motor == TALUS_MOTOR_NONE) {
    return tl_fail(mechanism->context, TALUS_CALL_ORDER,
                   "%s has no motor: set motor in the def it is made with", text);
  }
  TL_TRY(finite_check(mechanism, rate, link->v_count, "rate"));
  TL_TRY(finite_check(mechanism, target, link->v_count, "target"));
  if (!(effort >= 0)) {
    return tl_fail(mechanism->context, TALUS_BAD_SETTING, "%s: effort is %g", text, effort);
  }
  for (int k = 0; k < link->v_count; k++) {
    link->rate[k] = rate[k];
    link->target[k] = target[k];
  }
  link->effort = effort;
  return TALUS_OK;
}
