/* mesh.c: a mesh's memory, its points made one where they coincide, and its neighbourhoods. */
#include "host/collide/mesh.h"

#include <stdlib.h>
#include <string.h>

#include "host/collide/collide.h"
#include "host/math/vector.h"

typedef struct mesh_corner {
  double at[3];
  int32_t index;
} mesh_corner;

static int compare_corners(const void *left, const void *right) {
  const mesh_corner *const p = left, *const q = right;
  for (int i = 0; i < 3; i++) {
    if (p->at[i] != q->at[i]) {
      return p->at[i] < q->at[i] ? -1 : 1;
    }
  }
  return p->index < q->index ? -1 : p->index > q->index;
}

static talus_status check_points(talus_context *context, const double *point, int32_t count) {
  for (int32_t k = 0; k < count; k++) {
    for (int i = 0; i < 3; i++) {
      if (!isfinite(point[3 * k + i])) {
        return tl_fail(context, TALUS_NOT_FINITE, "mesh: point[%d] is not finite", k);
      }
    }
  }
  return TALUS_OK;
}

static talus_status check_indices(talus_context *context, const int32_t *triangle, int32_t count,
                                  int32_t point_count) {
  for (int32_t k = 0; k < 3 * count; k++) {
    if (triangle[k] < 0 || triangle[k] >= point_count) {
      return tl_fail(context, TALUS_INDEX_RANGE,
                     "mesh: triangle %d names point %d, outside 0 .. %d", k / 3, triangle[k],
                     point_count - 1);
    }
  }
  return TALUS_OK;
}

/* Fills mesh->point with distinct points and target with where each given one went. */
static void weld(tl_mesh *mesh, const double *point, int32_t count, mesh_corner *corner,
                 int32_t *target) {
  for (int32_t k = 0; k < count; k++) {
    for (int i = 0; i < 3; i++) {
      corner[k].at[i] = point[3 * k + i] + 0.0; /* -0 and 0 are one */
    }
    corner[k].index = k;
  }
  qsort(corner, (size_t)count, sizeof *corner, compare_corners);
  /* the first of equal points stands for them; points keep their order */
  for (int32_t k = 0; k < count; k++) {
    const bool same = k > 0 && memcmp(corner[k].at, corner[k - 1].at, sizeof corner[k].at) == 0;
    target[corner[k].index] = same ? target[corner[k - 1].index] : corner[k].index;
  }
  mesh->point_count = 0;
  for (int32_t k = 0; k < count; k++) {
    if (target[k] == k) {
      for (int i = 0; i < 3; i++) {
        mesh->point[3 * mesh->point_count + i] = point[3 * k + i] + 0.0;
      }
      target[k] = mesh->point_count++;
    } else {
      target[k] = target[target[k]]; /* a lower index, numbered already */
    }
  }
}

static talus_status take_triangles(talus_context *context, tl_mesh *mesh, const int32_t *triangle,
                                   const int32_t *target) {
  for (int32_t k = 0; k < mesh->triangle_count; k++) {
    double u[3], v[3], w[3];
    int32_t *const t = mesh->triangle + 3 * k;
    for (int i = 0; i < 3; i++) {
      t[i] = target[triangle[3 * k + i]];
    }
    tl_sub3(u, mesh->point + 3 * t[1], mesh->point + 3 * t[0]);
    tl_sub3(v, mesh->point + 3 * t[2], mesh->point + 3 * t[0]);
    tl_sub3(w, mesh->point + 3 * t[2], mesh->point + 3 * t[1]);
    const double longest = fmax(tl_dot3(u, u), fmax(tl_dot3(v, v), tl_dot3(w, w)));
    double *const normal = mesh->normal + 3 * k;
    tl_cross3(normal, u, v);
    const double twice_area = tl_unit3(normal);
    if (!(twice_area > 1e-12 * longest)) {
      return tl_fail(context, TALUS_BAD_SETTING, "mesh: triangle %d (points %d %d %d) has no area",
                     k, triangle[3 * k], triangle[3 * k + 1], triangle[3 * k + 2]);
    }
  }
  return TALUS_OK;
}

static void fill_rings(tl_mesh *mesh) {
  int32_t *const first = mesh->ring_first;
  memset(first, 0, ((size_t)mesh->point_count + 1) * sizeof *first);
  for (int32_t k = 0; k < 3 * mesh->triangle_count; k++) {
    first[mesh->triangle[k] + 1]++;
  }
  for (int32_t k = 0; k < mesh->point_count; k++) {
    first[k + 1] += first[k];
  }
  /* filled from behind, so that the starts are right again at the end */
  for (int32_t k = 3 * mesh->triangle_count - 1; k >= 0; k--) {
    mesh->ring[--first[mesh->triangle[k] + 1]] = k / 3;
  }
  memmove(first, first + 1, (size_t)mesh->point_count * sizeof *first);
  first[mesh->point_count] = 3 * mesh->triangle_count;
}

static talus_status mesh_alloc(talus_context *context, tl_mesh *mesh, int32_t point_count) {
  const struct {
    void **memory;
    size_t count, size;
  } wanted[] = {{(void **)&mesh->point, 3 * (size_t)point_count, sizeof(double)},
                {(void **)&mesh->triangle, 3 * (size_t)mesh->triangle_count, sizeof(int32_t)},
                {(void **)&mesh->normal, 3 * (size_t)mesh->triangle_count, sizeof(double)},
                {(void **)&mesh->ring_first, (size_t)point_count + 1, sizeof(int32_t)},
                {(void **)&mesh->ring, 3 * (size_t)mesh->triangle_count, sizeof(int32_t)}};
  for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
    TL_TRY(tl_alloc(context, wanted[k].memory, wanted[k].count, wanted[k].size, "mesh"));
  }
  return TALUS_OK;
}

static talus_status build(talus_context *context, tl_mesh *mesh, const double *point,
                          int32_t point_count, const int32_t *triangle) {
  void *corner = NULL, *target = NULL;
  talus_status status;
  TL_TRY_GOTO(mesh_alloc(context, mesh, point_count), end);
  TL_TRY_GOTO(tl_alloc(context, &corner, (size_t)point_count, sizeof(mesh_corner), "mesh"), end);
  TL_TRY_GOTO(tl_alloc(context, &target, (size_t)point_count, sizeof(int32_t), "mesh"), end);
  weld(mesh, point, point_count, corner, target);
  TL_TRY_GOTO(take_triangles(context, mesh, triangle, target), end);
  fill_rings(mesh);
  mesh->closed = tl_mesh_is_closed(mesh);
  TL_TRY_GOTO(tl_mesh_tree(context, mesh), end);
end:
  tl_free(context, corner);
  tl_free(context, target);
  return status;
}

talus_status tl_mesh_create(talus_context *context, const double *point, int32_t point_count,
                            const int32_t *triangle, int32_t triangle_count, tl_mesh **result) {
  void *memory;
  *result = NULL;
  if (point == NULL || triangle == NULL || point_count < 3 || triangle_count < 1 ||
      triangle_count > INT32_MAX / 6) {
    return tl_fail(context, TALUS_BAD_SETTING,
                   "mesh: %d points and %d triangles: at least three and one are needed, at most "
                   "%d triangles",
                   point != NULL ? point_count : 0, triangle != NULL ? triangle_count : 0,
                   INT32_MAX / 6);
  }
  TL_TRY(check_points(context, point, point_count));
  TL_TRY(check_indices(context, triangle, triangle_count, point_count));
  TL_TRY(tl_alloc(context, &memory, 1, sizeof(tl_mesh), "mesh"));
  tl_mesh *const mesh = memory;
  memset(mesh, 0, sizeof *mesh);
  mesh->triangle_count = triangle_count;
  const talus_status status = build(context, mesh, point, point_count, triangle);
  if (status != TALUS_OK) {
    tl_mesh_destroy(context, mesh);
    return status;
  }
  *result = mesh;
  return TALUS_OK;
}

void tl_mesh_destroy(talus_context *context, tl_mesh *mesh) {
  if (mesh == NULL) {
    return;
  }
  tl_free(context, mesh->point);
  tl_free(context, mesh->triangle);
  tl_free(context, mesh->normal);
  tl_free(context, mesh->ring_first);
  tl_free(context, mesh->ring);
  tl_free(context, mesh->order);
  tl_free(context, mesh->node);
  tl_free(context, mesh);
}
