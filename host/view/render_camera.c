/* render_camera.c: a camera that shows all of some frames; see render.h.
 *
 * For a given direction the place of the eye follows exactly: each ball must lie inside the four
 * planes of the view, which are linear in the eye's place, so that only the farthest ball of each
 * plane counts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/view/render_view.h"

#define DEGREE 0.017453292519943295
#define FILLED 0.90   /* of the picture */
#define WIDE_WALL 2.5 /* walls are shown up to this many times the size of the grains */
#define FAR_OFF 3.0   /* bodies are passed over beyond this many times the distance of most */
#define MOST 0.98

typedef struct ball {
  double at[3], radius;
} ball;

typedef struct ball_list {
  ball *ball;
  size_t count;
} ball_list;

static int by_number(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* ---- what is to be seen ---------------------------------------------------------------------- */

static void add_ball(ball_list *list, const double at[3], double radius) {
  ball *b = &list->ball[list->count++];
  memcpy(b->at, at, sizeof b->at);
  b->radius = radius;
}

static void add_free_bodies(ball_list *list, const tl_frame *frame) {
  for (int32_t k = 0; k < frame->body_count; k++) {
    if (tl_frame_loose(frame, k) && isfinite(frame->radius[k])) {
      add_ball(list, frame->position + 3 * (size_t)k, frame->radius[k]);
    }
  }
}

static double distance(const double *a, const double *b) {
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
              (a[2] - b[2]) * (a[2] - b[2]));
}

/* Leaves out what lies far off: measured from the middle of each coordinate. */
static void drop_far(ball_list *list, double *scratch) {
  double middle[3];
  if (list->count < 20) {
    return;
  }
  for (int i = 0; i < 3; i++) {
    for (size_t k = 0; k < list->count; k++) {
      scratch[k] = list->ball[k].at[i];
    }
    qsort(scratch, list->count, sizeof *scratch, by_number);
    middle[i] = scratch[list->count / 2];
  }
  for (size_t k = 0; k < list->count; k++) {
    scratch[k] = distance(list->ball[k].at, middle);
  }
  qsort(scratch, list->count, sizeof *scratch, by_number);
  const double limit = FAR_OFF * scratch[(size_t)(MOST * (double)(list->count - 1))];
  size_t kept = 0;
  for (size_t k = 0; k < list->count; k++) {
    if (distance(list->ball[k].at, middle) <= limit) {
      list->ball[kept++] = list->ball[k];
    }
  }
  list->count = kept;
}

static void bounds(const ball_list *list, double low[3], double high[3]) {
  for (int i = 0; i < 3; i++) {
    low[i] = INFINITY;
    high[i] = -INFINITY;
    for (size_t k = 0; k < list->count; k++) {
      low[i] = fmin(low[i], list->ball[k].at[i] - list->ball[k].radius);
      high[i] = fmax(high[i], list->ball[k].at[i] + list->ball[k].radius);
    }
  }
}

/* The corners of the boxes of fixed and kinematic shapes that are not too large. */
static void add_walls(ball_list *list, const tl_frame *frame, double size) {
  for (int32_t s = 0; s < frame->shape_count; s++) {
    tl_collider collider;
    if (tl_frame_loose(frame, frame->shape_body[s])) {
      continue;
    }
    memset(&collider, 0, sizeof collider);
    collider.geometry = frame->shape_geometry[s];
    collider.pose = tl_frame_shape_pose(frame, s);
    const tl_box box = tl_collider_box(&collider);
    const double extent = distance(box.lower, box.upper);
    if (!isfinite(extent) || extent > WIDE_WALL * size) { /* a plane has no end */
      continue;
    }
    for (int k = 0; k < 8; k++) {
      const double corner[3] = {k & 1 ? box.upper[0] : box.lower[0],
                                k & 2 ? box.upper[1] : box.lower[1],
                                k & 4 ? box.upper[2] : box.lower[2]};
      add_ball(list, corner, 0.0);
    }
  }
}

static void collect(ball_list *list, const tl_frame *const *frame, int32_t count, double *scratch) {
  double low[3], high[3];
  for (int32_t f = 0; f < count; f++) {
    add_free_bodies(list, frame[f]);
  }
  drop_far(list, scratch);
  bounds(list, low, high);
  const double size = list->count > 0 ? distance(low, high) : INFINITY;
  for (int32_t f = 0; f < count; f++) {
    add_walls(list, frame[f], size);
  }
  if (list->count == 0) {
    const double origin[3] = {0.0, 0.0, 0.0};
    add_ball(list, origin, 1.0);
  }
}

/* ---- where to stand -------------------------------------------------------------------------- */

typedef struct axes {
  double right[3], up[3], forward[3];
} axes;

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The largest of sign * along - slope * depth + radius * stretch: how far a plane must move out. */
static double support(const ball_list *list, const double *along, double sign,
                      const double *forward, double slope) {
  const double stretch = sqrt(1.0 + slope * slope);
  double most = -INFINITY;
  for (size_t k = 0; k < list->count; k++) {
    const ball *b = &list->ball[k];
    most = fmax(most, sign * dot(b->at, along) - slope * dot(b->at, forward) + stretch * b->radius);
  }
  return most;
}

static void stand(const ball_list *list, const axes *a, double wide, tl_camera *camera) {
  const double tall = FILLED * tan(0.5 * camera->angle * DEGREE);
  const double slope_u = camera->orthographic ? 0.0 : tall * wide;
  const double slope_v = camera->orthographic ? 0.0 : tall;
  const double right = support(list, a->right, 1.0, a->forward, slope_u);
  const double left = support(list, a->right, -1.0, a->forward, slope_u);
  const double above = support(list, a->up, 1.0, a->forward, slope_v);
  const double below = support(list, a->up, -1.0, a->forward, slope_v);
  const double nearest = -support(list, a->forward, -1.0, a->forward, 0.0);
  const double farthest = support(list, a->forward, 1.0, a->forward, 0.0);
  const double u = 0.5 * (right - left), v = 0.5 * (above - below);
  const double middle = 0.5 * (nearest + farthest);
  double depth;
  if (camera->orthographic) {
    camera->view_height = fmax(above + below, (right + left) / wide) / FILLED;
    depth = nearest - camera->view_height;
  } else {
    depth = fmin(-0.5 * (right + left) / slope_u, -0.5 * (above + below) / slope_v);
    camera->view_height = 0.0;
  }
  for (int i = 0; i < 3; i++) {
    camera->eye[i] = u * a->right[i] + v * a->up[i] + depth * a->forward[i];
    camera->target[i] = u * a->right[i] + v * a->up[i] + middle * a->forward[i];
    camera->up[i] = a->up[i];
  }
}

static axes directions(const tl_render_options *options, int plane) {
  const double turn = options->azimuth * DEGREE, rise = options->elevation * DEGREE;
  axes a = {{1, 0, 0}, {0, 0, 1}, {0, 1, 0}};
  if (!plane) {
    const double right[3] = {-sin(turn), cos(turn), 0.0};
    const double forward[3] = {-cos(rise) * cos(turn), -cos(rise) * sin(turn), -sin(rise)};
    const double up[3] = {-sin(rise) * cos(turn), -sin(rise) * sin(turn), cos(rise)};
    memcpy(a.right, right, sizeof right);
    memcpy(a.forward, forward, sizeof forward);
    memcpy(a.up, up, sizeof up);
  }
  return a;
}

talus_status tl_camera_fit(talus_context *context, const tl_frame *const *frame, int32_t count,
                           const tl_render_options *options, tl_camera *camera) {
  void *memory = NULL, *scratch = NULL;
  size_t most = 1;
  for (int32_t f = 0; f < count; f++) {
    most += (size_t)frame[f]->body_count + 8 * (size_t)frame[f]->shape_count;
  }
  talus_status status = tl_alloc(context, &memory, most, sizeof(ball), "picture");
  if (status == TALUS_OK) {
    status = tl_alloc(context, &scratch, most, sizeof(double), "picture");
  }
  if (status == TALUS_OK) {
    ball_list list = {memory, 0};
    const bool plane = count > 0 && frame[0]->plane;
    const axes a = directions(options, plane);
    memset(camera, 0, sizeof *camera);
    camera->orthographic = plane || options->orthographic;
    camera->angle = 26.0;
    collect(&list, frame, count, scratch);
    stand(&list, &a, tl_view_width(options) / options->height, camera);
  }
  tl_free(context, scratch);
  tl_free(context, memory);
  return status;
}
