/* narrow.c: which function treats which pair of shapes, and the list that contact points go to.
 *
 * Two half-spaces, or a half-space and a mesh, never meet: both are walls. Of two meshes one would
 * have to move freely, which meshes do not: that is refused. */
#include "host/collide/narrow.h"

#include <assert.h>
#include <string.h>

#include "host/base/each.h"
#include "host/collide/collide.h"
#include "host/math/vector.h"

static talus_status grow(tl_contact_point_list *list) {
  const int64_t capacity = list->capacity > 0 ? 2 * list->capacity : 256;
  void *memory;
  TL_TRY(tl_alloc(list->context, &memory, (size_t)capacity, sizeof *list->point, "contact points"));
  if (list->count > 0) {
    memcpy(memory, list->point, (size_t)list->count * sizeof *list->point);
  }
  tl_free(list->context, list->point);
  list->point = memory;
  list->capacity = capacity;
  return TALUS_OK;
}

talus_status tl_contact_point_append(tl_contact_point_list *list, const tl_contact_point *point) {
  if (list->count == list->capacity) {
    if (list->context == NULL) {
      return TALUS_OUT_OF_MEMORY;
    }
    /* lists of several threads share the context, which counts what it hands out */
    tl_each_lock(list->context);
    const talus_status status = grow(list);
    tl_each_unlock(list->context);
    TL_TRY(status);
  }
  list->point[list->count++] = *point;
  return TALUS_OK;
}

void tl_contact_points_release(tl_contact_point_list *list) {
  if (list->context != NULL) {
    tl_free(list->context, list->point);
    list->point = NULL;
    list->count = list->capacity = 0;
  }
}

/* Both arms along the normal, or the only one that counts. */
static bool is_spherical(const tl_pair_query *query) {
  return query->a->geometry->kind == TALUS_SHAPE_SPHERE &&
         (query->b->geometry->kind == TALUS_SHAPE_SPHERE || !query->b->movable);
}

talus_status tl_pair_query_add(const tl_pair_query *query, const double position[3],
                               const double normal[3], double gap, uint32_t feature) {
  if (!(gap < query->margin)) {
    return TALUS_OK;
  }
  tl_contact_point point;
  point.a = query->index_a;
  point.b = query->index_b;
  point.feature = feature;
  point.spherical = is_spherical(query);
  tl_copy3(point.position, position);
  tl_scale3(point.normal, query->flipped ? -1 : 1, normal);
  point.gap = gap;
  return tl_contact_point_append(query->list, &point);
}

talus_status tl_pair_query_add_from(const tl_pair_query *query, const double on_a[3],
                                    const double normal[3], double gap, uint32_t feature) {
  double point[3];
  tl_along3(point, on_a, 0.5 * gap, normal);
  return tl_pair_query_add(query, point, normal, gap, feature);
}

static talus_status with_sphere(const tl_pair_query *query) {
  switch (query->b->geometry->kind) {
  case TALUS_SHAPE_SPHERE:
    return tl_narrow_sphere_sphere(query);
  case TALUS_SHAPE_BOX:
    return tl_narrow_sphere_box(query);
  case TALUS_SHAPE_CAPSULE:
    return tl_narrow_sphere_capsule(query);
  case TALUS_SHAPE_CYLINDER:
    return tl_narrow_sphere_cylinder(query);
  case TALUS_SHAPE_HULL:
    return tl_narrow_sphere_hull(query);
  case TALUS_SHAPE_HALFSPACE:
    return tl_narrow_halfspace(query);
  default:
    return tl_narrow_sphere_mesh(query);
  }
}

static talus_status refuse_meshes(const tl_pair_query *query) {
  talus_context *const context = query->list->context;
  if (context != NULL) { /* threads share its message */
    tl_each_lock(context);
    tl_fail(context, TALUS_UNSUPPORTED,
            "colliders %d and %d are both meshes: only one of a pair may be", query->index_a,
            query->index_b);
    tl_each_unlock(context);
  }
  return TALUS_UNSUPPORTED;
}

static talus_status without_sphere(const tl_pair_query *query) {
  const int32_t kind_a = query->a->geometry->kind, kind_b = query->b->geometry->kind;
  if (kind_a == TALUS_SHAPE_HALFSPACE) {
    return TALUS_OK;
  }
  if (kind_a == TALUS_SHAPE_MESH) {
    return refuse_meshes(query);
  }
  if (kind_b == TALUS_SHAPE_HALFSPACE) {
    return tl_narrow_halfspace(query);
  }
  if (kind_b == TALUS_SHAPE_MESH) {
    return tl_narrow_convex_mesh(query);
  }
  if (kind_a == TALUS_SHAPE_CAPSULE && kind_b == TALUS_SHAPE_CAPSULE) {
    return tl_narrow_capsule_capsule(query);
  }
  return tl_narrow_convex(query);
}

talus_status tl_narrow_pair(const tl_collider *a, const tl_collider *b, int32_t index_a,
                            int32_t index_b, tl_contact_point_list *list) {
  tl_pair_query query = {a, b, index_a, index_b, 0, a->margin + b->margin, list};
  if (a->geometry->kind > b->geometry->kind) {
    query.a = b;
    query.b = a;
    query.flipped = true;
  }
  assert(query.a->geometry->kind <= query.b->geometry->kind);
  return query.a->geometry->kind == TALUS_SHAPE_SPHERE ? with_sphere(&query)
                                                       : without_sphere(&query);
}
