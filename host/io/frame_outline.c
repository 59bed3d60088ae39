/* frame_outline.c: convex hulls of what stands around a face, by Andrew's monotone chain; see
 * frame_outline.h. */
#include "host/io/frame_outline.h"

#include <stdlib.h>
#include <string.h>

#include "host/collide/mesh.h"

/* Faces that look up this much are floors. */
#define FLOOR 0.8

typedef struct corner {
  double x, y;
} corner;

static int by_place(const void *a, const void *b) {
  const corner *p = a, *q = b;
  return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : (p->y > q->y) - (p->y < q->y);
}

/* Twice the area of a triangle, positive if it is counter-clockwise. */
static double area(corner a, corner b, corner c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/* The hull of sorted points: below from left to right, then above and back. */
static int32_t hull(const corner *point, int64_t count, corner *chain) {
  int32_t size = 0;
  for (int pass = 0; pass < 2; pass++) {
    const int32_t begin = size;
    for (int64_t k = 0; k < count; k++) {
      const corner next = point[pass == 0 ? k : count - 1 - k];
      while (size >= begin + 2 && area(chain[size - 2], chain[size - 1], next) <= 0.0) {
        size--;
      }
      chain[size++] = next;
    }
    size--; /* the last point begins the other half */
  }
  return size;
}

/* Points of the body's meshes in the face's own coordinates. */
static int64_t project(const tl_frame *frame, int32_t shape, corner *point) {
  const tl_pose face = tl_frame_shape_pose(frame, shape);
  const double *r = face.rotation;
  int64_t count = 0;
  for (int32_t s = 0; s < frame->shape_count; s++) {
    const tl_geometry *geometry = frame->shape_geometry[s];
    if (geometry->kind != TALUS_SHAPE_MESH || frame->shape_body[s] != frame->shape_body[shape]) {
      continue;
    }
    const tl_pose pose = tl_frame_shape_pose(frame, s);
    for (int32_t k = 0; k < geometry->mesh->point_count && point != NULL; k++) {
      const double *at = geometry->mesh->point + 3 * (size_t)k;
      double way[3];
      for (int i = 0; i < 3; i++) {
        way[i] = pose.position[i] - face.position[i] + pose.rotation[3 * i] * at[0] +
                 pose.rotation[3 * i + 1] * at[1] + pose.rotation[3 * i + 2] * at[2];
      }
      point[count + k] = (corner){r[0] * way[0] + r[3] * way[1] + r[6] * way[2],
                                  r[1] * way[0] + r[4] * way[1] + r[7] * way[2]};
    }
    count += geometry->mesh->point_count;
  }
  return count;
}

talus_status tl_frame_outline(talus_context *context, const tl_frame *frame, int32_t shape,
                              tl_outline *outline) {
  void *point = NULL, *chain = NULL;
  memset(outline, 0, sizeof *outline);
  const int64_t count = project(frame, shape, NULL);
  const bool fixed = frame->type[frame->shape_body[shape]] == TALUS_BODY_FIXED;
  if (count < 3 || (fixed && tl_frame_shape_pose(frame, shape).rotation[8] > FLOOR)) {
    return TALUS_OK;
  }
  TL_TRY(tl_alloc(context, &point, (size_t)count, sizeof(corner), "outline"));
  const talus_status status =
      tl_alloc(context, &chain, 2 * (size_t)count, sizeof(corner), "outline");
  if (status == TALUS_OK) {
    project(frame, shape, point);
    qsort(point, (size_t)count, sizeof(corner), by_place);
    outline->count = hull(point, count, chain);
    outline->corner = chain;
  }
  tl_free(context, point);
  if (status == TALUS_OK && outline->count < 3) { /* a mesh that is seen edge on */
    tl_outline_release(context, outline);
  }
  return status;
}

void tl_outline_release(talus_context *context, tl_outline *outline) {
  tl_free(context, outline->corner);
  memset(outline, 0, sizeof *outline);
}

/* By halving: the corners stand in order around the first one. */
bool tl_outline_holds(const tl_outline *outline, double x, double y) {
  if (outline->count == 0) {
    return true;
  }
  const corner at = {x, y};
  const corner *c = (const corner *)(const void *)outline->corner;
  int32_t low = 1, high = outline->count - 1;
  if (area(c[0], c[low], at) < 0.0 || area(c[0], c[high], at) > 0.0) {
    return false;
  }
  while (high - low > 1) {
    const int32_t middle = low + (high - low) / 2;
    if (area(c[0], c[middle], at) >= 0.0) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return area(c[low], c[high], at) >= 0.0;
}
