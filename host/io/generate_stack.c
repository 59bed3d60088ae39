/* generate_stack.c: columns of boxes on the ground, four contacts per face.
 *
 * Boxes of mixed size stand centred on each other; where two meet, the contacts are the corners of
 * the smaller rectangle. Each column is pushed sideways at up to gravity * step, so that with
 * friction 0.5 about half of them stick and half of them slide. */
#include "host/io/generate.h"

#include <math.h>

enum { HEIGHT_MAX = 20, CORNERS = 4 };

/* Boxes per column: as high as there are columns, but no tower. */
static int32_t column_height(int32_t body_count) {
  const int32_t height = (int32_t)sqrt((double)body_count);
  return height < HEIGHT_MAX ? height : HEIGHT_MAX;
}

static void corners_add(tl_generated *generated, int32_t lower, int32_t upper, const double *half) {
  const double *position = generated->position;
  const double *above = half + 3 * (size_t)upper;
  const double *below = lower >= 0 ? half + 3 * (size_t)lower : above;
  const double x = above[0] < below[0] ? above[0] : below[0];
  const double y = above[1] < below[1] ? above[1] : below[1];
  for (int corner = 0; corner < CORNERS; corner++) {
    const size_t k = CORNERS * (size_t)upper + (size_t)corner;
    const double arm_x = (corner & 1) != 0 ? x : -x;
    const double arm_y = (corner & 2) != 0 ? y : -y;
    const double point_z = position[3 * (size_t)upper + 2] - above[2];
    generated->body_a[k] = lower;
    generated->body_b[k] = upper;
    generated->normal[3 * k + 2] = 1.0;
    generated->arm_b[3 * k] = arm_x;
    generated->arm_b[3 * k + 1] = arm_y;
    generated->arm_b[3 * k + 2] = -above[2];
    if (lower >= 0) {
      generated->arm_a[3 * k] = arm_x;
      generated->arm_a[3 * k + 1] = arm_y;
      generated->arm_a[3 * k + 2] = point_z - position[3 * (size_t)lower + 2];
    }
  }
}

static void box_place(tl_generated *generated, const talus_generate_def *def, int32_t body,
                      const double half[3], const double place[3], const double push[2]) {
  const double mass = 8.0 * def->density * half[0] * half[1] * half[2];
  const double xx = half[0] * half[0], yy = half[1] * half[1], zz = half[2] * half[2];
  const double moment[3] = {mass * (yy + zz) / 3.0, mass * (xx + zz) / 3.0, mass * (xx + yy) / 3.0};
  tl_generate_mass(generated, body, mass, moment);
  for (size_t i = 0; i < 3; i++) {
    generated->position[3 * (size_t)body + i] = place[i];
  }
  generated->radius[body] = (half[0] + half[1] + half[2]) / 3.0;
  generated->velocity[6 * (size_t)body] = push[0];
  generated->velocity[6 * (size_t)body + 1] = push[1];
}

/* Contacts on the ground come first, so that all are sorted by (a, b): bodies of the same layer
 * are numbered together, and body b stands on body b - columns. */
static void fill(tl_generated *generated, const talus_generate_def *def, int32_t columns,
                 double *half) {
  tl_random random = {def->seed};
  const int32_t side = (int32_t)ceil(sqrt((double)columns));
  const double spacing = 3.2 * def->radius;
  const double speed = TL_GRAVITY * def->step;
  for (int32_t body = 0; body < def->body_count; body++) {
    double *size = half + 3 * (size_t)body;
    const int32_t column = body % columns;
    const int32_t lower = body - columns;
    double place[3] = {spacing * (column % side), spacing * (column / side), 0.0};
    double push[2];
    for (int i = 0; i < 3; i++) {
      size[i] = def->radius * tl_random_uniform(&random, 1.0 - def->spread, 1.0 + def->spread);
    }
    if (lower >= 0) {
      place[2] = generated->position[3 * (size_t)lower + 2] + half[3 * (size_t)lower + 2] + size[2];
      push[0] = generated->velocity[6 * (size_t)lower];
      push[1] = generated->velocity[6 * (size_t)lower + 1];
    } else {
      place[2] = size[2];
      push[0] = tl_random_uniform(&random, -speed, speed);
      push[1] = tl_random_uniform(&random, -speed, speed);
    }
    box_place(generated, def, body, size, place, push);
    corners_add(generated, lower >= 0 ? lower : -1, body, half);
  }
}

talus_status tl_generate_stack(talus_stored *stored, const talus_generate_def *def) {
  talus_context *context = tl_stored_context(stored);
  if (def->body_count > INT32_MAX / CORNERS) {
    return tl_fail(context, TALUS_BAD_SETTING,
                   "body_count is %d: more than %d contacts would follow", (int)def->body_count,
                   INT32_MAX);
  }
  tl_generated generated = {0};
  void *half = NULL;
  const int32_t height = column_height(def->body_count);
  const int32_t columns = def->body_count / height + (def->body_count % height != 0);
  TL_TRY(tl_generate_bodies(stored, def, &generated));
  TL_TRY(tl_generate_contacts(stored, def, CORNERS * def->body_count, TL_LEVER_ARM, &generated));
  TL_TRY(tl_alloc(context, &half, (size_t)def->body_count, 3 * sizeof(double), "half edges"));
  fill(&generated, def, columns, half);
  tl_free(context, half);
  return TALUS_OK;
}
