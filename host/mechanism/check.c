/* check.c: what a caller may hand over as links: every defect names its joint. */
#include <math.h>
#include <stdio.h>

#include "host/math/rotation.h"
#include "host/mechanism/mechanism.h"

enum { LINK_MAX = 1 << 20 };

const char *tl_joint_text(const char *name, int32_t link, char *text) {
  if (name != NULL && name[0] != 0) {
    snprintf(text, 64, "joint %d (%.31s)", link, name);
  } else {
    snprintf(text, 64, "joint %d", link);
  }
  return text;
}

talus_status tl_link_exists(const talus_mechanism *mechanism, int32_t link) {
  if (link < 0 || link >= mechanism->link_count) {
    return tl_fail(mechanism->context, TALUS_INDEX_RANGE,
                   "link %d does not exist: the mechanism has %d", link, mechanism->link_count);
  }
  return TALUS_OK;
}

static bool all_finite(const double *v, int count) {
  for (int i = 0; i < count; i++) {
    if (!isfinite(v[i])) {
      return false;
    }
  }
  return true;
}

static talus_status place_check(talus_context *context, const talus_link_def *def,
                                const char *joint) {
  if (!all_finite(def->position, 3) || !all_finite(def->axis, 3) || !all_finite(def->axis2, 3) ||
      !all_finite(def->centre, 3) || !all_finite(def->inertia, 6)) {
    return tl_fail(context, TALUS_NOT_FINITE,
                   "%s: position, axis, axis2, centre or inertia is not finite", joint);
  }
  if (!tl_quaternion_good(def->orientation)) {
    return tl_fail(context, TALUS_BAD_SETTING, "%s: orientation is not a unit quaternion", joint);
  }
  const bool has_axis = def->kind != TALUS_LINK_SPHERICAL && def->kind != TALUS_LINK_FREE;
  const bool has_two = def->kind == TALUS_LINK_UNIVERSAL || def->kind == TALUS_LINK_PLANAR;
  const double length = tl_norm3(def->axis), length2 = tl_norm3(def->axis2);
  if ((has_axis && !(length > 0)) || (has_two && !(length2 > 0))) {
    return tl_fail(context, TALUS_NORMAL_LENGTH, "%s: %s has length zero", joint,
                   length > 0 ? "axis2" : "axis");
  }
  double across[3];
  tl_cross3(across, def->axis, def->axis2);
  if (has_two && !(tl_norm3(across) > 1e-6 * length * length2)) {
    return tl_fail(context, TALUS_NORMAL_LENGTH, "%s: axis and axis2 are parallel", joint);
  }
  return TALUS_OK;
}

static talus_status mass_check(talus_context *context, const talus_link_def *def,
                               const char *joint) {
  const double *const i = def->inertia;
  const double full[9] = {i[0], i[1], i[2], i[1], i[3], i[4], i[2], i[4], i[5]};
  double inverse[9];
  if (!(def->mass > 0) || !isfinite(def->mass)) {
    return tl_fail(context, TALUS_NEGATIVE_MASS,
                   "%s: its link has mass %g; a positive one is needed", joint, def->mass);
  }
  /* what is singular but for rounding would only fail later, and without a name */
  const double trace = i[0] + i[3] + i[5];
  double scaled[9];
  for (int k = 0; k < 9; k++) {
    scaled[k] = full[k] / trace - (k % 4 == 0 ? 1e-13 : 0);
  }
  if (!(trace > 0) || !tl_spatial_invert(scaled, 3, inverse)) {
    return tl_fail(context, TALUS_NEGATIVE_MASS,
                   "%s: the inertia of its link is not positive definite (a thin rod needs a small "
                   "value along its own axis)",
                   joint);
  }
  return TALUS_OK;
}

/* Swing and twist of a spherical joint, and what it has no coordinates for. */
static talus_status swing_check(talus_context *context, const talus_link_def *def,
                                const char *joint) {
  if (def->motor == TALUS_MOTOR_SERVO) {
    return tl_fail(context, TALUS_UNSUPPORTED,
                   "%s: a servo is for joints without a quaternion; SPHERICAL has motor RATE",
                   joint);
  }
  if (def->limited && def->motor && !isfinite(def->effort)) {
    return tl_fail(context, TALUS_BAD_SETTING,
                   "%s: a motor that works against swing and twist limits needs a finite effort",
                   joint);
  }
  if (def->limited && !(def->upper[0] > 0)) {
    return tl_fail(context, TALUS_BAD_BOUNDS, "%s: its swing limit upper[0] is %g, not above 0",
                   joint, def->upper[0]);
  }
  if (def->limited && (isfinite(def->lower[1]) != isfinite(def->upper[1]) ||
                       (isfinite(def->upper[1]) && !(def->upper[1] - def->lower[1] < 6.28)))) {
    return tl_fail(
        context, TALUS_BAD_BOUNDS,
        "%s: its twist limits, %g and %g, must both be infinite or less than a turn apart", joint,
        def->lower[1], def->upper[1]);
  }
  return TALUS_OK;
}

static talus_status drive_check(talus_context *context, const talus_link_def *def,
                                const char *joint) {
  if (!(def->damping >= 0) || !isfinite(def->damping) || !(def->friction >= 0) ||
      !isfinite(def->friction) || !(def->response >= 0) || !(def->effort >= 0) ||
      (unsigned)def->motor > TALUS_MOTOR_SERVO || !all_finite(def->rate, 3) ||
      !all_finite(def->target, 3)) {
    return tl_fail(context, TALUS_BAD_SETTING,
                   "%s: damping, friction, effort or response is negative, or its motor unknown or "
                   "not finite",
                   joint);
  }
  if ((uint32_t)def->limited > 1) {
    return tl_fail(context, TALUS_BAD_SETTING, "%s: limited is %d: it must be 0 or 1", joint,
                   def->limited);
  }
  if (def->kind == TALUS_LINK_FREE && (def->limited || def->motor || def->friction > 0)) {
    return tl_fail(context, TALUS_UNSUPPORTED,
                   "%s: limits, motors and friction are not for FREE joints", joint);
  }
  TL_TRY(def->kind == TALUS_LINK_SPHERICAL ? swing_check(context, def, joint) : TALUS_OK);
  for (int k = 0; def->limited && k < 3; k++) {
    if (!(def->lower[k] <= def->upper[k])) {
      return tl_fail(context, TALUS_BAD_BOUNDS, "%s: its limits cross: lower %g, upper %g", joint,
                     def->lower[k], def->upper[k]);
    }
  }
  return TALUS_OK;
}

static talus_status link_check(talus_context *context, const talus_mechanism_def *def, int32_t i) {
  const talus_link_def *const link = &def->link[i];
  char text[64];
  tl_joint_text(link->name, i, text);
  if ((unsigned)link->kind > TALUS_LINK_PLANAR) {
    return tl_fail(context, TALUS_BAD_SETTING, "%s: kind %d is unknown", text, (int)link->kind);
  }
  if (link->parent < TALUS_NONE || link->parent >= def->link_count) {
    return tl_fail(context, TALUS_INDEX_RANGE, "%s: its parent %d does not exist", text,
                   link->parent);
  }
  TL_TRY(place_check(context, link, text));
  TL_TRY(mass_check(context, link, text));
  return drive_check(context, link, text);
}

talus_status tl_mechanism_check(talus_context *context, const talus_mechanism_def *def) {
  if (def->link_count < 1 || def->link_count > LINK_MAX) {
    return tl_fail(context, TALUS_SIZE_OVERFLOW, "mechanism def: link_count is %d, not 1 .. %d",
                   def->link_count, LINK_MAX);
  }
  if (def->link == NULL) {
    return tl_fail(context, TALUS_MISSING_ARRAY, "mechanism def: link is NULL");
  }
  if (!all_finite(def->gravity, 3)) {
    return tl_fail(context, TALUS_NOT_FINITE, "mechanism def: gravity is not finite");
  }
  if ((unsigned)def->dynamics > TALUS_DYNAMICS_CONQUER) {
    return tl_fail(context, TALUS_BAD_SETTING, "mechanism def: dynamics %d is unknown",
                   (int)def->dynamics);
  }
  if ((uint32_t)def->self_collide > 1) {
    return tl_fail(context, TALUS_BAD_SETTING,
                   "mechanism def: self_collide is %d: it must be 0 or 1", def->self_collide);
  }
  return TALUS_OK;
}

talus_status tl_links_check(talus_context *context, const talus_mechanism_def *def) {
  for (int32_t i = 0; i < def->link_count; i++) {
    TL_TRY(link_check(context, def, i));
  }
  return TALUS_OK;
}
