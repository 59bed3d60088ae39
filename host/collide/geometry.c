/* geometry.c: shapes checked and copied from their definitions. */
#include <string.h>

#include "host/collide/collide.h"
#include "host/collide/hull.h"
#include "host/collide/mesh.h"
#include "host/math/vector.h"

static talus_status check_length(talus_context *context, const char *shape, const char *field,
                                 double value, int may_be_zero) {
  if (!isfinite(value)) {
    return tl_fail(context, TALUS_NOT_FINITE, "%s: %s is not finite", shape, field);
  }
  if (value < 0 || (value == 0 && !may_be_zero)) {
    return tl_fail(context, TALUS_BAD_SETTING, "%s: %s is %g, but must be %s", shape, field, value,
                   may_be_zero ? "zero or more" : "more than zero");
  }
  return TALUS_OK;
}

static talus_status check_box(talus_context *context, const talus_shape_def *def) {
  static const char *const names[3] = {"half_edge[0]", "half_edge[1]", "half_edge[2]"};
  for (int i = 0; i < 3; i++) {
    TL_TRY(check_length(context, "box", names[i], def->half_edge[i], 0));
  }
  return TALUS_OK;
}

static talus_status fill(talus_context *context, const talus_shape_def *def, tl_geometry *g,
                         int *closed) {
  switch (def->kind) {
  case TALUS_SHAPE_SPHERE:
    g->radius = def->radius;
    return check_length(context, "sphere", "radius", def->radius, 0);
  case TALUS_SHAPE_BOX:
    tl_copy3(g->half_edge, def->half_edge);
    return check_box(context, def);
  case TALUS_SHAPE_CAPSULE:
    g->radius = def->radius;
    g->half_length = def->half_length;
    TL_TRY(check_length(context, "capsule", "radius", def->radius, 0));
    return check_length(context, "capsule", "half_length", def->half_length, 1);
  case TALUS_SHAPE_CYLINDER:
    g->radius = def->radius;
    g->half_length = def->half_length;
    TL_TRY(check_length(context, "cylinder", "radius", def->radius, 0));
    return check_length(context, "cylinder", "half_length", def->half_length, 0);
  case TALUS_SHAPE_HULL: {
    tl_hull *hull;
    TL_TRY(tl_hull_create(context, def->point, def->point_count, &hull));
    g->hull = hull;
    g->radius = tl_hull_inner_radius(hull);
    return TALUS_OK;
  }
  case TALUS_SHAPE_HALFSPACE:
    return TALUS_OK;
  case TALUS_SHAPE_MESH: {
    tl_mesh *mesh;
    TL_TRY(tl_mesh_create(context, def->point, def->point_count, def->triangle, def->triangle_count,
                          &mesh));
    g->mesh = mesh;
    if (closed != NULL) {
      *closed = mesh->closed;
    }
    return TALUS_OK;
  }
  default:
    return tl_fail(context, TALUS_BAD_SETTING, "shape kind %d is unknown", (int)def->kind);
  }
}

void tl_geometry_release(talus_context *context, tl_geometry *geometry) {
  /* the geometry owns what it only shows as const */
  tl_hull_destroy(context, (tl_hull *)geometry->hull);
  tl_mesh_destroy(context, (tl_mesh *)geometry->mesh);
  geometry->hull = NULL;
  geometry->mesh = NULL;
}

talus_status tl_geometry_init(talus_context *context, const talus_shape_def *def,
                              tl_geometry *geometry, int *closed) {
  if (closed != NULL) {
    *closed = 1;
  }
  memset(geometry, 0, sizeof *geometry);
  geometry->kind = def->kind;
  const talus_status status = fill(context, def, geometry, closed);
  if (status != TALUS_OK) {
    tl_geometry_release(context, geometry);
  }
  return status;
}

talus_status tl_geometry_create(talus_context *context, const talus_shape_def *def,
                                tl_geometry **geometry, int *closed) {
  void *memory;
  *geometry = NULL;
  TL_TRY(tl_alloc(context, &memory, 1, sizeof(tl_geometry), "shape"));
  const talus_status status = tl_geometry_init(context, def, memory, closed);
  if (status != TALUS_OK) {
    tl_free(context, memory);
    return status;
  }
  *geometry = memory;
  return TALUS_OK;
}

void tl_geometry_destroy(talus_context *context, tl_geometry *geometry) {
  if (geometry != NULL) {
    tl_geometry_release(context, geometry);
    tl_free(context, geometry);
  }
}
