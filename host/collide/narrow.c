/* narrow.c: which function treats which pair of shapes, and the list that contact points go to.
 *
 * Two half-spaces, or a half-space and a mesh, never meet: both are walls. Of two meshes one would
 * have to move freely, which meshes do not: that is refused. */
#include "host/collide/narrow.h"

#include <string.h>

#include "host/base/each.h"
#include "host/collide/collide.h"
#include "host/math/vector.h"

static talus_status grow(tl_touch_list *list) {
  const int64_t capacity = list->capacity > 0 ? 2 * list->capacity : 256;
  void *memory;
  TL_TRY(tl_alloc(list->context, &memory, (size_t)capacity, sizeof *list->touch, "contact points"));
  if (list->count > 0) {
    memcpy(memory, list->touch, (size_t)list->count * sizeof *list->touch);
  }
  tl_free(list->context, list->touch);
  list->touch = memory;
  list->capacity = capacity;
  return TALUS_OK;
}

talus_status tl_touch_append(tl_touch_list *list, const tl_touch *touch) {
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
  list->touch[list->count++] = *touch;
  return TALUS_OK;
}

void tl_touch_release(tl_touch_list *list) {
  if (list->context != NULL) {
    tl_free(list->context, list->touch);
    list->touch = NULL;
    list->count = list->capacity = 0;
  }
}

/* Both arms along the normal, or the only one that counts. */
static int is_spherical(const tl_meeting *meeting) {
  return meeting->a->geometry->kind == TALUS_SHAPE_SPHERE &&
         (meeting->b->geometry->kind == TALUS_SHAPE_SPHERE || !meeting->b->movable);
}

talus_status tl_meeting_add(const tl_meeting *meeting, const double point[3],
                            const double normal[3], double gap, uint32_t feature) {
  if (!(gap < meeting->margin)) {
    return TALUS_OK;
  }
  tl_touch touch;
  touch.a = meeting->index_a;
  touch.b = meeting->index_b;
  touch.feature = feature;
  touch.spherical = is_spherical(meeting);
  tl_copy3(touch.point, point);
  tl_scale3(touch.normal, meeting->flipped ? -1 : 1, normal);
  touch.gap = gap;
  return tl_touch_append(meeting->list, &touch);
}

talus_status tl_meeting_add_from(const tl_meeting *meeting, const double on_a[3],
                                 const double normal[3], double gap, uint32_t feature) {
  double point[3];
  tl_along3(point, on_a, 0.5 * gap, normal);
  return tl_meeting_add(meeting, point, normal, gap, feature);
}

static talus_status with_sphere(const tl_meeting *meeting) {
  switch (meeting->b->geometry->kind) {
  case TALUS_SHAPE_SPHERE:
    return tl_narrow_sphere_sphere(meeting);
  case TALUS_SHAPE_BOX:
    return tl_narrow_sphere_box(meeting);
  case TALUS_SHAPE_CAPSULE:
    return tl_narrow_sphere_capsule(meeting);
  case TALUS_SHAPE_CYLINDER:
    return tl_narrow_sphere_cylinder(meeting);
  case TALUS_SHAPE_HULL:
    return tl_narrow_sphere_hull(meeting);
  case TALUS_SHAPE_HALFSPACE:
    return tl_narrow_halfspace(meeting);
  default:
    return tl_narrow_sphere_mesh(meeting);
  }
}

static talus_status refuse_meshes(const tl_meeting *meeting) {
  talus_context *const context = meeting->list->context;
  if (context != NULL) { /* threads share its message */
    tl_each_lock(context);
    tl_fail(context, TALUS_UNSUPPORTED,
            "colliders %d and %d are both meshes: only one of a pair may be", meeting->index_a,
            meeting->index_b);
    tl_each_unlock(context);
  }
  return TALUS_UNSUPPORTED;
}

static talus_status without_sphere(const tl_meeting *meeting) {
  const int32_t kind_a = meeting->a->geometry->kind, kind_b = meeting->b->geometry->kind;
  if (kind_a == TALUS_SHAPE_HALFSPACE) {
    return TALUS_OK;
  }
  if (kind_a == TALUS_SHAPE_MESH) {
    return refuse_meshes(meeting);
  }
  if (kind_b == TALUS_SHAPE_HALFSPACE) {
    return tl_narrow_halfspace(meeting);
  }
  if (kind_b == TALUS_SHAPE_MESH) {
    return tl_narrow_convex_mesh(meeting);
  }
  if (kind_a == TALUS_SHAPE_CAPSULE && kind_b == TALUS_SHAPE_CAPSULE) {
    return tl_narrow_capsule_capsule(meeting);
  }
  return tl_narrow_convex(meeting);
}

talus_status tl_narrow_pair(const tl_collider *a, const tl_collider *b, int32_t index_a,
                            int32_t index_b, tl_touch_list *list) {
  tl_meeting meeting = {a, b, index_a, index_b, 0, a->margin + b->margin, list};
  if (a->geometry->kind > b->geometry->kind) {
    meeting.a = b;
    meeting.b = a;
    meeting.flipped = 1;
  }
  return meeting.a->geometry->kind == TALUS_SHAPE_SPHERE ? with_sphere(&meeting)
                                                         : without_sphere(&meeting);
}
