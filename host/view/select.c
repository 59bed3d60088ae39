/* select.c: a frame with bodies left out, repeated across a cell's faces, and arrows added. */
#include "host/view/select_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/math/rotation.h"
#include "host/math/trigonometry.h"
#include "host/math/vector.h"

enum { ARROW_SIDES = 10 }; /* of a head's cone */

bool tl_clip_parse(const char *text, tl_clip *clip) {
  char *end = NULL;
  if (text[0] < 'x' || text[0] > 'z' || (text[1] != '<' && text[1] != '>')) {
    return false;
  }
  clip->axis = text[0] - 'x';
  clip->sign = text[1] == '>' ? 1 : -1;
  clip->at = strtod(text + 2, &end);
  return end != text + 2 && *end == '\0' && isfinite(clip->at);
}

/* ---- which bodies ---------------------------------------------------------------------------- */

static bool is_hidden(const tl_frame *frame, const tl_select *select, int32_t body,
                      const double *at) {
  bool hidden = select->hidden_types >> frame->type[body] & 1;
  for (int32_t i = 0; i < select->hidden_count; i++) {
    hidden = hidden || select->hidden[i] == frame->id[body];
  }
  for (int32_t i = 0; i < select->clip_count && tl_frame_loose(frame, body); i++) {
    const tl_clip *const clip = &select->clip[i];
    hidden = hidden || clip->sign * (at[clip->axis] - clip->at) > 0;
  }
  hidden = hidden || (select->chains && frame->type[body] == TALUS_BODY_FREE);
  return hidden;
}

/* The copies of a cell, one after the other; the cell itself comes first. */
static int32_t image_count(const tl_frame *frame, const tl_select *select) {
  int32_t count = 1;
  for (int c = 0; c < 3; c++) {
    count *= frame->periodic >> c & 1 ? 2 * select->images + 1 : 1;
  }
  return count;
}

void tl_select_shift(const tl_frame *frame, const tl_select *select, int32_t i, double shift[3]) {
  const double *const e = frame->edge;
  double m[3] = {0, 0, 0};
  for (int c = 0; c < 3; c++) {
    const int32_t side = frame->periodic >> c & 1 ? 2 * select->images + 1 : 1;
    const int32_t step = i % side; /* 0, 1, -1, 2, -2 ... */
    m[c] = step % 2 == 1 ? (step + 1) / 2 : -step / 2;
    i /= side;
  }
  tl_set3(shift, e[0] * m[0] + e[3] * m[1] + e[4] * m[2], e[1] * m[1] + e[5] * m[2], e[2] * m[2]);
}

/* ---- the new arrays -------------------------------------------------------------------------- */

static talus_status reserve(talus_context *context, size_t bodies, size_t shapes, tl_buffer *memory,
                            tl_select_arrays *a) {
  const size_t reals = 16 * bodies, wholes = 4 * bodies + 2 * shapes;
  if (bodies + shapes > (size_t)1 << 28) {
    return tl_fail(context, TALUS_SIZE_OVERFLOW, "too many copies of the cell to be drawn");
  }
  TL_TRY(tl_buffer_reserve(context, memory,
                           reals * sizeof(double) +
                               shapes * (sizeof(tl_pose) + sizeof(tl_geometry *)) +
                               wholes * sizeof(int32_t) + 1,
                           1, "what is drawn"));
  a->position = memory->memory;
  a->orientation = a->position + 3 * bodies;
  a->velocity = a->orientation + 4 * bodies;
  a->spin = a->velocity + 3 * bodies;
  a->radius = a->spin + 3 * bodies;
  a->mass = a->radius + bodies;
  a->value = a->mass + bodies;
  a->pose = (tl_pose *)(a->value + bodies);
  a->geometry = (const tl_geometry **)(a->pose + shapes);
  a->id = (int32_t *)(a->geometry + shapes);
  a->material = a->id + bodies;
  a->type = a->material + bodies;
  a->of = a->type + bodies;
  a->shape_body = a->of + bodies;
  a->shape_material = a->shape_body + shapes;
  return TALUS_OK;
}

static void body_copy(const tl_frame *frame, int32_t from, const double *at, tl_select_arrays *a,
                      size_t to) {
  memcpy(a->position + 3 * to, at, 3 * sizeof(double));
  memcpy(a->orientation + 4 * to, frame->orientation + 4 * (size_t)from, 4 * sizeof(double));
  memcpy(a->velocity + 3 * to, frame->velocity + 3 * (size_t)from, 3 * sizeof(double));
  memcpy(a->spin + 3 * to, frame->spin + 3 * (size_t)from, 3 * sizeof(double));
  a->radius[to] = frame->radius[from];
  a->mass[to] = frame->mass != NULL ? frame->mass[from] : 0;
  a->value[to] = frame->value != NULL ? frame->value[from] : NAN;
  a->id[to] = frame->id[from];
  a->material[to] = frame->material[from];
  a->type[to] = frame->type[from];
}

/* Bodies of one copy of the cell; of[k]: the new index of body k, or -1. */
static void bodies_copy(const tl_frame *frame, const tl_select *select, int32_t image,
                        tl_select_arrays *a, tl_frame *to) {
  double shift[3], at[3];
  tl_select_shift(frame, select, image, shift);
  for (int32_t k = 0; k < frame->body_count; k++) {
    tl_along3(at, frame->position + 3 * (size_t)k, 1, shift);
    const bool drawn = (image == 0 || tl_frame_loose(frame, k)) && !is_hidden(frame, select, k, at);
    a->of[k] = drawn ? to->body_count : -1;
    if (drawn) {
      body_copy(frame, k, at, a, (size_t)to->body_count++);
    }
  }
}

static void shapes_copy(const tl_frame *frame, tl_select_arrays *a, tl_frame *to) {
  for (int32_t s = 0; s < frame->shape_count; s++) {
    const int32_t body = a->of[frame->shape_body[s]];
    if (body >= 0) {
      const int32_t n = to->shape_count++;
      a->shape_body[n] = body;
      a->shape_material[n] = frame->shape_material[s];
      a->geometry[n] = frame->shape_geometry[s];
      a->pose[n] = frame->shape_pose[s];
    }
  }
}

/* ---- arrows ---------------------------------------------------------------------------------- */

talus_status tl_select_part_add(tl_selected *to, tl_select_arrays *a, int32_t body,
                                const talus_shape_def *def, const double axes[9], double place) {
  TL_TRY(tl_geometry_create(to->context, def, &to->geometry[to->geometry_count], NULL));
  const int32_t n = to->frame.shape_count++;
  memcpy(a->pose[n].rotation, axes, 9 * sizeof(double));
  for (int c = 0; c < 3; c++) {
    a->pose[n].position[c] = place * axes[3 * c + 2];
  }
  a->geometry[n] = to->geometry[to->geometry_count++];
  a->shape_body[n] = body;
  a->shape_material[n] = a->material[body];
  return TALUS_OK;
}

void tl_select_axes(const double along[3], double axes[9]) {
  const double *const axis =
      fabs(along[0]) < 0.7 ? (const double[]){1, 0, 0} : (const double[]){0, 1, 0};
  double side[3], other[3];
  tl_cross3(side, axis, along);
  tl_scale3(side, 1 / tl_norm3(side), side);
  tl_cross3(other, along, side);
  for (int c = 0; c < 3; c++) {
    axes[3 * c] = side[c];
    axes[3 * c + 1] = other[c];
    axes[3 * c + 2] = along[c];
  }
}

/* A cone, its tip at z = 0. */
static void cone_points(double radius, double height, double point[3 * (ARROW_SIDES + 1)]) {
  for (int k = 0; k < ARROW_SIDES; k++) {
    const double angle = 6.283185307179586 * k / ARROW_SIDES;
    point[3 * k] = radius * tl_sine(angle + 1.5707963267948966);
    point[3 * k + 1] = radius * tl_sine(angle);
    point[3 * k + 2] = -height;
  }
  tl_set3(point + 3 * ARROW_SIDES, 0, 0, 0);
}

/* A stick from the centre of a body along its velocity, and a head at its end, in the body's
 * frame. */
static talus_status arrow_add(tl_selected *to, const tl_select *select, tl_select_arrays *a,
                              int32_t body) {
  const double *const v = a->velocity + 3 * (size_t)body;
  const double length = select->arrow_seconds * tl_norm3(v), thick = 0.2 * a->radius[body];
  const double head = fmin(5 * thick, 0.5 * length);
  double turn[9], axes[9], along[3], point[3 * (ARROW_SIDES + 1)];
  if (!(length > thick) || !isfinite(length) || a->type[body] != TALUS_BODY_FREE) {
    return TALUS_OK;
  }
  tl_quaternion_matrix(a->orientation + 4 * (size_t)body, turn);
  tl_scale3(along, 1 / tl_norm3(v), v);
  tl_turn_back3(along, turn, along);
  tl_select_axes(along, axes);
  talus_shape_def stick = talus_shape_def_default(TALUS_SHAPE_CAPSULE);
  stick.radius = thick;
  stick.half_length = 0.5 * (length - head);
  TL_TRY(tl_select_part_add(to, a, body, &stick, axes, stick.half_length));
  talus_shape_def cone = talus_shape_def_default(TALUS_SHAPE_HULL);
  cone_points(2.5 * thick, head, point);
  cone.point = point;
  cone.point_count = ARROW_SIDES + 1;
  return tl_select_part_add(to, a, body, &cone, axes, length);
}

/* ---- public ---------------------------------------------------------------------------------- */

talus_status tl_select_apply(talus_context *context, const tl_frame *frame, const tl_select *select,
                             tl_selected *selected) {
  tl_select_arrays a = {0};
  void *memory = NULL;
  memset(selected, 0, sizeof *selected);
  selected->context = context;
  const int32_t images = image_count(frame, select);
  const bool arrows = select->arrow_seconds > 0 && !select->chains;
  const size_t rods = select->chains ? (size_t)images * (size_t)frame->contact_count : 0;
  const size_t bodies = (size_t)images * (size_t)frame->body_count + rods;
  const size_t parts = (arrows ? 2 * bodies : 0) + rods;
  const size_t shapes = (size_t)images * (size_t)frame->shape_count + parts;
  tl_frame *const to = &selected->frame;
  *to = *frame;
  TL_TRY(reserve(context, bodies + (size_t)frame->body_count, shapes + 1, &selected->memory, &a));
  if (parts > 0) {
    TL_TRY(tl_alloc(context, &memory, parts, sizeof(tl_geometry *), "arrows and rods"));
    selected->geometry = memory;
  }
  to->body_count = to->shape_count = 0;
  for (int32_t i = 0; i < images; i++) {
    bodies_copy(frame, select, i, &a, to);
    shapes_copy(frame, &a, to);
  }
  if (select->chains) {
    TL_TRY(tl_select_chains(selected, frame, select, images, &a));
  }
  for (int32_t k = 0; k < to->body_count && arrows; k++) {
    TL_TRY(arrow_add(selected, select, &a, k));
  }
  to->id = a.id;
  to->position = a.position;
  to->orientation = a.orientation;
  to->velocity = a.velocity;
  to->spin = a.spin;
  to->radius = a.radius;
  to->material = a.material;
  to->type = a.type;
  to->mass = frame->mass != NULL ? a.mass : NULL;
  to->value = frame->value != NULL || select->chains ? a.value : NULL;
  to->shape_body = a.shape_body;
  to->shape_material = a.shape_material;
  to->shape_geometry = a.geometry;
  to->shape_pose = a.pose;
  return TALUS_OK;
}

void tl_selected_release(tl_selected *selected) {
  for (int32_t i = 0; i < selected->geometry_count; i++) {
    tl_geometry_destroy(selected->context, selected->geometry[i]);
  }
  tl_free(selected->context, selected->geometry);
  tl_buffer_release(selected->context, &selected->memory);
  memset(selected, 0, sizeof *selected);
}
