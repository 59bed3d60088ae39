/* vtk_surface.c: boxes, capsules, cylinders, hulls, half-spaces and meshes as triangles,
 * counter-clockwise seen from outside. */
#include "host/io/vtk_surface.h"

#include <math.h>
#include <string.h>

#include "host/collide/mesh.h"

#define TURN 6.283185307179586

enum { SIDES = 32, RINGS = 8 /* from pole to equator */ };

/* Points of one shape while it is built: their numbers start at `base`. */
typedef struct builder {
  tl_surface *surface;
  const tl_pose *pose;
  const int32_t *owner;
  int64_t base;
  talus_status status; /* the first failure; later calls do nothing */
} builder;

static void add_point(builder *b, double x, double y, double z) {
  const double *r = b->pose->rotation, *p = b->pose->position;
  const double placed[3] = {p[0] + r[0] * x + r[1] * y + r[2] * z,
                            p[1] + r[3] * x + r[4] * y + r[5] * z,
                            p[2] + r[6] * x + r[7] * y + r[8] * z};
  if (b->status == TALUS_OK) {
    b->status = tl_bytes_append(&b->surface->point, placed, sizeof placed);
  }
}

static void add_triangle(builder *b, int64_t i, int64_t j, int64_t k) {
  const int64_t corner[3] = {b->base + i, b->base + j, b->base + k};
  if (b->status == TALUS_OK) {
    b->status = tl_bytes_append(&b->surface->triangle, corner, sizeof corner);
  }
  if (b->status == TALUS_OK) {
    b->status = tl_bytes_append(&b->surface->owner, b->owner, 4 * sizeof *b->owner);
  }
}

static void add_box(builder *b, const double half[3]) {
  static const int corner[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6},
                                    {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3},
                                    {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  for (int k = 0; k < 8; k++) {
    add_point(b, k & 1 ? half[0] : -half[0], k & 2 ? half[1] : -half[1],
              k & 4 ? half[2] : -half[2]);
  }
  for (int k = 0; k < 12; k++) {
    add_triangle(b, corner[k][0], corner[k][1], corner[k][2]);
  }
}

/* A body of revolution about z: rings of given radius and height from below to above, closed by
 * points on the axis. */
static void add_revolution(builder *b, const double *radius, const double *height, int rings) {
  for (int j = 0; j < rings; j++) {
    for (int i = 0; i < SIDES; i++) {
      const double angle = TURN * i / SIDES;
      add_point(b, radius[j] * cos(angle), radius[j] * sin(angle), height[j]);
    }
  }
  const int64_t below = (int64_t)rings * SIDES, above = below + 1;
  add_point(b, 0.0, 0.0, height[0]);
  add_point(b, 0.0, 0.0, height[rings - 1]);
  for (int i = 0; i < SIDES; i++) {
    const int64_t next = (i + 1) % SIDES, top = (int64_t)(rings - 1) * SIDES;
    add_triangle(b, below, next, i);
    add_triangle(b, above, top + i, top + next);
    for (int64_t j = 0; j + 1 < rings; j++) {
      add_triangle(b, j * SIDES + i, j * SIDES + next, (j + 1) * SIDES + next);
      add_triangle(b, j * SIDES + i, (j + 1) * SIDES + next, (j + 1) * SIDES + i);
    }
  }
}

/* The poles' rings are small but not points. */
static void add_capsule(builder *b, double radius, double half_length) {
  double ring_radius[2 * RINGS], ring_height[2 * RINGS];
  for (int j = 0; j < RINGS; j++) {
    const double angle = 0.25 * TURN * (j + 0.02) / (RINGS - 0.98);
    ring_radius[j] = ring_radius[2 * RINGS - 1 - j] = radius * sin(angle);
    ring_height[2 * RINGS - 1 - j] = half_length + radius * cos(angle);
    ring_height[j] = -ring_height[2 * RINGS - 1 - j];
  }
  add_revolution(b, ring_radius, ring_height, 2 * RINGS);
}

static void add_hull(builder *b, const tl_hull *hull) {
  for (int32_t k = 0; k < hull->point_count; k++) {
    add_point(b, hull->point[3 * k], hull->point[3 * k + 1], hull->point[3 * k + 2]);
  }
  for (int32_t f = 0; f < hull->face_count; f++) {
    const int32_t *corner = hull->face_point + hull->face_first[f];
    const int32_t count = hull->face_first[f + 1] - hull->face_first[f];
    for (int32_t k = 1; k + 1 < count; k++) {
      add_triangle(b, corner[0], corner[k], corner[k + 1]);
    }
  }
}

static void add_mesh(builder *b, const tl_mesh *mesh) {
  for (int32_t k = 0; k < mesh->point_count; k++) {
    add_point(b, mesh->point[3 * k], mesh->point[3 * k + 1], mesh->point[3 * k + 2]);
  }
  for (int32_t t = 0; t < mesh->triangle_count; t++) {
    add_triangle(b, mesh->triangle[3 * t], mesh->triangle[3 * t + 1], mesh->triangle[3 * t + 2]);
  }
}

/* Its outline, or a square around the foot of the centre. */
static void add_halfspace(builder *b, const tl_surface_end *end) {
  const double *r = b->pose->rotation, *p = b->pose->position, reach = end->reach;
  const tl_outline *outline = &end->outline;
  double x = 0, y = 0;
  for (int32_t k = 0; k < outline->count; k++) {
    add_point(b, outline->corner[2 * (size_t)k], outline->corner[2 * (size_t)k + 1], 0.0);
    if (k >= 2) {
      add_triangle(b, 0, k - 1, k);
    }
  }
  if (outline->count > 0) {
    return;
  }
  for (int i = 0; i < 3; i++) {
    x += r[3 * i] * (end->centre[i] - p[i]);
    y += r[3 * i + 1] * (end->centre[i] - p[i]);
  }
  for (int k = 0; k < 4; k++) {
    add_point(b, x + (k & 1 ? reach : -reach), y + (k & 2 ? reach : -reach), 0.0);
  }
  add_triangle(b, 0, 1, 3);
  add_triangle(b, 0, 3, 2);
}

talus_status tl_surface_add(tl_surface *surface, const tl_geometry *geometry, const tl_pose *pose,
                            const int32_t owner[4], const tl_surface_end *end) {
  builder b = {surface, pose, owner, (int64_t)(surface->point.size / 24), TALUS_OK};
  const double radius[2] = {geometry->radius, geometry->radius};
  const double height[2] = {-geometry->half_length, geometry->half_length};
  switch (geometry->kind) {
  case TALUS_SHAPE_SPHERE: /* a point with a radius says it better */
    break;
  case TALUS_SHAPE_BOX:
    add_box(&b, geometry->half_edge);
    break;
  case TALUS_SHAPE_CAPSULE:
    add_capsule(&b, geometry->radius, geometry->half_length);
    break;
  case TALUS_SHAPE_CYLINDER:
    add_revolution(&b, radius, height, 2);
    break;
  case TALUS_SHAPE_HULL:
    add_hull(&b, geometry->hull);
    break;
  case TALUS_SHAPE_HALFSPACE:
    add_halfspace(&b, end);
    break;
  default:
    add_mesh(&b, geometry->mesh);
    break;
  }
  return b.status;
}

void tl_surface_release(tl_surface *surface) {
  tl_bytes_release(&surface->point);
  tl_bytes_release(&surface->triangle);
  tl_bytes_release(&surface->owner);
}

void tl_frame_extent(const tl_frame *frame, double centre[3], double *reach) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  double widest = 0.0;
  for (int32_t k = 0; k < frame->body_count; k++) {
    const double radius = frame->radius[k];
    for (int i = 0; isfinite(radius) && i < 3; i++) {
      low[i] = fmin(low[i], frame->position[3 * k + i] - radius);
      high[i] = fmax(high[i], frame->position[3 * k + i] + radius);
      widest = fmax(widest, high[i] - low[i]);
    }
  }
  /* a power of two at least as wide; the middle on a grid of a quarter of it */
  const double edge = widest > 0.0 ? exp2(ceil(log2(widest))) : 1.0;
  *reach = edge;
  for (int i = 0; i < 3; i++) {
    centre[i] = widest > 0.0 ? 0.25 * edge * round((low[i] + high[i]) / (0.5 * edge)) : 0.0;
  }
}
