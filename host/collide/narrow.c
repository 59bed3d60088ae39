/* narrow.c: the contact points of a pair into a list that grows. */
#include <string.h>

#include "host/base/each.h"
#include "host/collide/collide.h"
#include "kernels/item/collide/narrow.h"

enum { ROOM = 32 }; /* of a pair, at first */

static talus_status grow(tl_contact_point_list *list, int64_t least) {
  const int64_t more = list->capacity + list->capacity / 4, capacity = least > more ? least : more;
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

/* Room for so many points more. Lists of several threads share the context, which counts what it
 * hands out. */
static talus_status reserve(tl_contact_point_list *list, int64_t more) {
  if (list->context == NULL || list->capacity - list->count >= more) {
    return TALUS_OK;
  }
  tl_each_lock(list->context);
  const talus_status status = grow(list, list->count + (more > 256 ? more : 256));
  tl_each_unlock(list->context);
  return status;
}

void tl_contact_points_release(tl_contact_point_list *list) {
  if (list->context != NULL) {
    tl_free(list->context, list->point);
    list->point = NULL;
    list->count = list->capacity = 0;
  }
}

static talus_status refuse_meshes(talus_context *context, int32_t index_a, int32_t index_b) {
  if (context != NULL) { /* threads share its message */
    tl_each_lock(context);
    tl_fail(context, TALUS_UNSUPPORTED,
            "colliders %d and %d are both meshes: only one of a pair may be", index_a, index_b);
    tl_each_unlock(context);
  }
  return TALUS_UNSUPPORTED;
}

talus_status tl_narrow_pair(const tl_collider *a, const tl_collider *b, int32_t index_a,
                            int32_t index_b, tl_contact_point_list *list) {
  const tl_placed of_a = {a->geometry, &a->pose}, of_b = {b->geometry, &b->pose};
  tl_point_list found = {NULL, 0, 0, true};
  tl_narrow_room room;
  if (a->geometry->kind == TALUS_SHAPE_MESH && b->geometry->kind == TALUS_SHAPE_MESH) {
    return refuse_meshes(list->context, index_a, index_b);
  }
  for (int64_t more = ROOM; found.full; more *= 2) {
    TL_TRY(reserve(list, more));
    found = (tl_point_list){list->point + list->count, 0, list->capacity - list->count, false};
    const tl_pair_query query = tl_pair_query_make(
        of_a, of_b, index_a, index_b, a->movable, b->movable, a->margin + b->margin, &room, &found);
    tl_narrow_points(&query);
    if (found.full && list->context == NULL) {
      return TALUS_OUT_OF_MEMORY;
    }
  }
  list->count += found.count;
  return TALUS_OK;
}
