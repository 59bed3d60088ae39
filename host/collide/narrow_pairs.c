/* narrow_pairs.c: all pairs, on several threads, in the order of the pairs.
 *
 * Pairs are cut into parcels, some for each thread, each with a list of its own. A thread takes the
 * same parcels from step to step as long as it keeps pace (tl_each), and they are about the
 * colliders that it has placed, as pairs and colliders are in one order: what another thread has
 * written comes slowly. Gathering the lists in order gives the same array whoever filled them. One
 * thread writes the array directly. */
#include <string.h>

#include "host/base/each.h"
#include "host/collide/collide.h"

enum {
  LEAST = 256, /* pairs: fewer are not worth a thread, or a parcel */
  PARCELS = 16 /* of a thread, as a range of tl_each has blocks */
};

/* Some of the pairs, in order, and their points. */
typedef struct parcel {
  tl_contact_point_list list;
  talus_status status;
  int64_t target; /* where its points go */
} parcel;

struct tl_narrow {
  talus_context *context;
  parcel *parcel;
  int32_t parcel_count;
  tl_buffer *result; /* tl_contact_point; the caller's */
};

talus_status tl_narrow_create(talus_context *context, tl_buffer *points, tl_narrow **narrow) {
  void *memory;
  *narrow = NULL;
  TL_TRY(tl_alloc(context, &memory, 1, sizeof **narrow, "narrow-phase"));
  *narrow = memory;
  memset(*narrow, 0, sizeof **narrow);
  (*narrow)->context = context;
  (*narrow)->result = points;
  return TALUS_OK;
}

void tl_narrow_destroy(tl_narrow *narrow) {
  if (narrow == NULL) {
    return;
  }
  for (int32_t k = 0; k < narrow->parcel_count; k++) {
    tl_contact_points_release(&narrow->parcel[k].list);
  }
  tl_free(narrow->context, narrow->parcel);
  tl_free(narrow->context, narrow);
}

static talus_status want_parcels(tl_narrow *narrow, int32_t count) {
  if (count <= narrow->parcel_count) {
    return TALUS_OK;
  }
  void *memory;
  TL_TRY(
      tl_alloc(narrow->context, &memory, (size_t)count, sizeof *narrow->parcel, "contact lists"));
  parcel *const grown = memory;
  memset(grown, 0, (size_t)count * sizeof *grown);
  for (int32_t k = 0; k < count; k++) {
    grown[k].list.context = narrow->context;
  }
  if (narrow->parcel_count > 0) {
    memcpy(grown, narrow->parcel, (size_t)narrow->parcel_count * sizeof *grown);
  }
  tl_free(narrow->context, narrow->parcel);
  narrow->parcel = grown;
  narrow->parcel_count = count;
  return TALUS_OK;
}

/* Pairs between one that is treated and those whose colliders, then whose geometry, are asked for:
 * the first of a pair are treated in their order, the second ones lie anywhere. */
enum { COLLIDERS_AHEAD = 16, GEOMETRY_AHEAD = 8 };

static talus_status treat(const tl_collider *collider, const tl_pair *pair, int64_t first,
                          int64_t end, tl_contact_point_list *list) {
  for (int64_t k = first; k < end; k++) {
    if (k + COLLIDERS_AHEAD < end) {
      const tl_collider *const b = &collider[pair[k + COLLIDERS_AHEAD].b];
      TL_PREFETCH(b);
      TL_PREFETCH(b->pose.position + 2);
      TL_PREFETCH(&b->margin);
      TL_PREFETCH(collider[pair[k + GEOMETRY_AHEAD].b].geometry);
    }
    TL_TRY(tl_narrow_pair(&collider[pair[k].a], &collider[pair[k].b], pair[k].a, pair[k].b, list));
  }
  return TALUS_OK;
}

typedef struct treat_task {
  const tl_collider *collider;
  const tl_pair *pair;
  int64_t pair_count;
  parcel *parcel;
  int32_t count;
  tl_contact_point *result;
} treat_task;

static void parcels_treat(void *arguments, int64_t first, int64_t end) {
  const treat_task *const t = arguments;
  for (int64_t k = first; k < end; k++) {
    parcel *const own = &t->parcel[k];
    own->list.count = 0;
    own->status = treat(t->collider, t->pair, t->pair_count * k / t->count,
                        t->pair_count * (k + 1) / t->count, &own->list);
  }
}

static void parcels_copy(void *arguments, int64_t first, int64_t end) {
  const treat_task *const t = arguments;
  for (int64_t k = first; k < end; k++) {
    const parcel *const own = &t->parcel[k];
    if (own->list.count > 0) {
      memcpy(t->result + own->target, own->list.point, (size_t)own->list.count * sizeof *t->result);
    }
  }
}

/* The points of all parcels, in order. */
static talus_status gather(const tl_narrow *narrow, int32_t threads, treat_task *task,
                           int64_t *point_count) {
  int64_t total = 0;
  for (int32_t k = 0; k < task->count; k++) {
    TL_TRY(task->parcel[k].status);
    task->parcel[k].target = total;
    total += task->parcel[k].list.count;
  }
  /* some room to grow, so that a settled scene does not allocate each step */
  if (narrow->result->capacity < (size_t)total * sizeof(tl_contact_point)) {
    TL_TRY(tl_buffer_reserve(narrow->context, narrow->result, (size_t)(total + total / 8),
                             sizeof(tl_contact_point), "contact points"));
  }
  task->result = narrow->result->memory;
  tl_each(narrow->context, threads, task->count, parcels_copy, task);
  *point_count = total;
  return TALUS_OK;
}

/* One thread writes the array of points itself. */
static talus_status treat_alone(const tl_narrow *narrow, const tl_collider *collider,
                                const tl_pair *pair, int64_t pair_count, int64_t *point_count) {
  tl_buffer *const result = narrow->result;
  tl_contact_point_list list = {narrow->context, result->memory, 0,
                                (int64_t)(result->capacity / sizeof *list.point)};
  const talus_status status = treat(collider, pair, 0, pair_count, &list);
  if (list.point != result->memory) { /* it has grown */
    result->memory = list.point;
    result->capacity = (size_t)list.capacity * sizeof *list.point;
  }
  *point_count = status == TALUS_OK ? list.count : 0;
  return status;
}

talus_status tl_narrow_pairs(tl_narrow *narrow, const tl_collider *collider, const tl_pair *pair,
                             int64_t pair_count, int32_t threads, const tl_contact_point **points,
                             int64_t *point_count) {
  *points = NULL;
  *point_count = 0;
  const int64_t most = (pair_count + LEAST - 1) / LEAST;
  threads = threads < most ? threads : (int32_t)most;
  if (threads <= 1) {
    TL_TRY(treat_alone(narrow, collider, pair, pair_count, point_count));
    *points = narrow->result->memory;
    return TALUS_OK;
  }
  const int32_t count = PARCELS * threads < most ? PARCELS * threads : (int32_t)most;
  TL_TRY(want_parcels(narrow, count));
  treat_task task = {.collider = collider,
                     .pair = pair,
                     .pair_count = pair_count,
                     .parcel = narrow->parcel,
                     .count = count};
  tl_each(narrow->context, threads, count, parcels_treat, &task);
  TL_TRY(gather(narrow, threads, &task, point_count));
  *points = narrow->result->memory;
  return TALUS_OK;
}
