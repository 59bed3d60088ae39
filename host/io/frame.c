/* frame.c: what files and pictures ask of a frame; see frame.h. */
#include "host/io/frame.h"

#include <math.h>
#include <string.h>

static void quaternion_rotation(const double q[4], double r[9]) {
  const double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  const double s = square > 0.0 ? 2.0 / square : 0.0;
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const double turned[9] = {
      1 - s * (y * y + z * z), s * (x * y - w * z),     s * (x * z + w * y),
      s * (x * y + w * z),     1 - s * (x * x + z * z), s * (y * z - w * x),
      s * (x * z - w * y),     s * (y * z + w * x),     1 - s * (x * x + y * y)};
  memcpy(r, turned, sizeof turned);
}

tl_pose tl_frame_shape_pose(const tl_frame *frame, int32_t shape) {
  const size_t body = (size_t)frame->shape_body[shape];
  const tl_pose *local = &frame->shape_pose[shape];
  double turn[9];
  tl_pose pose;
  quaternion_rotation(frame->orientation + 4 * body, turn);
  for (int i = 0; i < 3; i++) {
    pose.position[i] = frame->position[3 * body + (size_t)i];
    for (int k = 0; k < 3; k++) {
      pose.position[i] += turn[3 * i + k] * local->position[k];
      pose.rotation[3 * i + k] = turn[3 * i] * local->rotation[k] +
                                 turn[3 * i + 1] * local->rotation[3 + k] +
                                 turn[3 * i + 2] * local->rotation[6 + k];
    }
  }
  return pose;
}

static talus_status check_numbers(talus_context *context, const char *name, const double *value,
                                  int32_t count, int32_t width) {
  if (count > 0 && value == NULL) {
    return tl_fail(context, TALUS_MISSING_ARRAY, "frame: %s is NULL", name);
  }
  for (int64_t k = 0; k < (int64_t)count * width; k++) {
    if (!isfinite(value[k])) {
      return tl_fail(context, TALUS_NOT_FINITE, "frame: %s[%lld] = %g", name,
                     (long long)(k / width), value[k]);
    }
  }
  return TALUS_OK;
}

static talus_status check_indices(talus_context *context, const char *name, const int32_t *value,
                                  int32_t count, int32_t end) {
  if (count > 0 && value == NULL) {
    return tl_fail(context, TALUS_MISSING_ARRAY, "frame: %s is NULL", name);
  }
  for (int32_t k = 0; k < count; k++) {
    if (value[k] < 0 || value[k] >= end) {
      return tl_fail(context, TALUS_INDEX_RANGE, "frame: %s[%d] = %d is not below %d", name, k,
                     value[k], end);
    }
  }
  return TALUS_OK;
}

static talus_status check_shapes(talus_context *context, const tl_frame *frame) {
  const int32_t count = frame->shape_count;
  TL_TRY(check_indices(context, "shape_body", frame->shape_body, count, frame->body_count));
  TL_TRY(check_indices(context, "shape_material", frame->shape_material, count, INT32_MAX));
  if (count > 0 && (frame->shape_geometry == NULL || frame->shape_pose == NULL)) {
    return tl_fail(context, TALUS_MISSING_ARRAY, "frame: shape_geometry or shape_pose is NULL");
  }
  for (int32_t s = 0; s < count; s++) {
    const tl_geometry *geometry = frame->shape_geometry[s];
    if (geometry == NULL || (geometry->kind == TALUS_SHAPE_HULL && geometry->hull == NULL) ||
        (geometry->kind == TALUS_SHAPE_MESH && geometry->mesh == NULL)) {
      return tl_fail(context, TALUS_MISSING_ARRAY, "frame: shape_geometry[%d] is NULL", s);
    }
    TL_TRY(check_numbers(context, "shape_pose position", frame->shape_pose[s].position, 1, 3));
    TL_TRY(check_numbers(context, "shape_pose rotation", frame->shape_pose[s].rotation, 1, 9));
  }
  return TALUS_OK;
}

talus_status tl_frame_check(talus_context *context, const tl_frame *frame) {
  const int32_t bodies = frame->body_count, contacts = frame->contact_count;
  if (bodies < 0 || frame->shape_count < 0 || contacts < 0 || frame->step < 0) {
    return tl_fail(context, TALUS_SIZE_OVERFLOW, "frame: a count or the step is negative");
  }
  TL_TRY(check_numbers(context, "time", &frame->time, 1, 1));
  TL_TRY(check_numbers(context, "origin", frame->origin, 1, 3));
  TL_TRY(check_numbers(context, "edge", frame->edge, 1, 6));
  TL_TRY(check_numbers(context, "rate", frame->rate, 1, 6));
  for (int c = 0; c < 3 && frame->periodic != 0; c++) {
    if (!(frame->edge[c] > 0)) {
      return tl_fail(context, TALUS_INDEX_RANGE, "frame: edge[%d] of the cell is %g", c,
                     frame->edge[c]);
    }
  }
  TL_TRY(check_numbers(context, "position", frame->position, bodies, 3));
  TL_TRY(check_numbers(context, "orientation", frame->orientation, bodies, 4));
  TL_TRY(check_numbers(context, "velocity", frame->velocity, bodies, 3));
  TL_TRY(check_numbers(context, "spin", frame->spin, bodies, 3));
  if (bodies > 0 && (frame->radius == NULL || frame->id == NULL || frame->material == NULL)) {
    return tl_fail(context, TALUS_MISSING_ARRAY, "frame: radius, id or material is NULL");
  }
  TL_TRY(check_indices(context, "type", frame->type, bodies, TALUS_BODY_LINK + 1));
  TL_TRY(check_shapes(context, frame));
  TL_TRY(check_numbers(context, "contact_point", frame->contact_point, contacts, 3));
  TL_TRY(check_numbers(context, "contact_normal", frame->contact_normal, contacts, 3));
  TL_TRY(check_numbers(context, "contact_force", frame->contact_force, contacts, 3));
  TL_TRY(check_numbers(context, "contact_gap", frame->contact_gap, contacts, 1));
  if (contacts > 0 && frame->contact_body == NULL) {
    return tl_fail(context, TALUS_MISSING_ARRAY, "frame: contact_body is NULL");
  }
  return TALUS_OK;
}
