/* narrow_pairs.c: all pairs, on several threads, in the order of the pairs.
 *
 * Pairs are cut into chunks; a thread takes the next chunk when it is done with one, and notes
 * where in its list the chunk's points lie. Gathering the chunks in order afterwards gives the same
 * array whoever treated them. One thread writes the array directly. */
#include <string.h>

#include "host/base/each.h"
#include "host/collide/collide.h"

enum { CHUNK = 256 };

typedef struct chunk_place {
  int32_t thread;
  talus_status status;
  int64_t first, count, target;
} chunk_place;

struct tl_narrow {
  talus_context *context;
  tl_contact_point_list *list; /* one per thread */
  int32_t list_count;
  tl_buffer chunk;   /* chunk_place */
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
  for (int32_t k = 0; k < narrow->list_count; k++) {
    tl_contact_points_release(&narrow->list[k]);
  }
  tl_free(narrow->context, narrow->list);
  tl_buffer_release(narrow->context, &narrow->chunk);
  tl_free(narrow->context, narrow);
}

static talus_status want_lists(tl_narrow *narrow, int32_t threads) {
  if (threads <= narrow->list_count) {
    return TALUS_OK;
  }
  void *memory;
  TL_TRY(
      tl_alloc(narrow->context, &memory, (size_t)threads, sizeof *narrow->list, "contact lists"));
  tl_contact_point_list *const list = memory;
  memset(list, 0, (size_t)threads * sizeof *list);
  for (int32_t k = 0; k < threads; k++) {
    list[k].context = narrow->context;
  }
  if (narrow->list_count > 0) {
    memcpy(list, narrow->list, (size_t)narrow->list_count * sizeof *list);
  }
  tl_free(narrow->context, narrow->list);
  narrow->list = list;
  narrow->list_count = threads;
  return TALUS_OK;
}

static talus_status treat(const tl_collider *collider, const tl_pair *pair, int64_t first,
                          int64_t end, tl_contact_point_list *list) {
  for (int64_t k = first; k < end; k++) {
    TL_TRY(tl_narrow_pair(&collider[pair[k].a], &collider[pair[k].b], pair[k].a, pair[k].b, list));
  }
  return TALUS_OK;
}

typedef struct treat_task {
  const tl_collider *collider;
  const tl_pair *pair;
  int64_t pair_count, chunk_count;
  chunk_place *chunk;
  tl_contact_point_list *list;
  int64_t next; /* atomic: the chunk that is to be treated next */
} treat_task;

/* Treats chunks into list `thread` as long as there are any. */
static void list_fill(treat_task *t, int32_t thread) {
  tl_contact_point_list *const list = &t->list[thread];
  for (int64_t k; (k = tl_each_next(&t->next)) < t->chunk_count;) {
    chunk_place *const chunk = &t->chunk[k];
    const int64_t end = (k + 1) * CHUNK < t->pair_count ? (k + 1) * CHUNK : t->pair_count;
    chunk->thread = thread;
    chunk->first = list->count;
    chunk->status = treat(t->collider, t->pair, k * CHUNK, end, list);
    chunk->count = list->count - chunk->first;
  }
}

static void lists_fill(void *arguments, int64_t first, int64_t end) {
  for (int64_t thread = first; thread < end; thread++) {
    list_fill(arguments, (int32_t)thread);
  }
}

static talus_status treat_chunks(tl_narrow *narrow, const tl_collider *collider,
                                 const tl_pair *pair, int64_t pair_count, int32_t threads,
                                 int64_t chunk_count) {
  chunk_place *const chunk = narrow->chunk.memory;
  treat_task task = {collider, pair, pair_count, chunk_count, chunk, narrow->list, 0};
  tl_each(narrow->context, threads, threads, lists_fill, &task);
  for (int64_t k = 0; k < chunk_count; k++) {
    TL_TRY(chunk[k].status);
  }
  return TALUS_OK;
}

static void chunks_copy(void *arguments, int64_t first, int64_t end) {
  const tl_narrow *const narrow = arguments;
  const chunk_place *const chunk = narrow->chunk.memory;
  tl_contact_point *const result = narrow->result->memory;
  for (int64_t k = first; k < end; k++) {
    if (chunk[k].count > 0) {
      memcpy(result + chunk[k].target, narrow->list[chunk[k].thread].point + chunk[k].first,
             (size_t)chunk[k].count * sizeof *result);
    }
  }
}

static talus_status gather(tl_narrow *narrow, int32_t threads, int64_t chunk_count,
                           int64_t *point_count) {
  chunk_place *const chunk = narrow->chunk.memory;
  int64_t total = 0;
  for (int64_t k = 0; k < chunk_count; k++) {
    chunk[k].target = total;
    total += chunk[k].count;
  }
  /* some room to grow, so that a settled scene does not allocate each step */
  if (narrow->result->capacity < (size_t)total * sizeof(tl_contact_point)) {
    TL_TRY(tl_buffer_reserve(narrow->context, narrow->result, (size_t)(total + total / 4),
                             sizeof(tl_contact_point), "contact points"));
  }
  tl_each(narrow->context, threads, chunk_count, chunks_copy, narrow);
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
  const int64_t chunk_count = (pair_count + CHUNK - 1) / CHUNK;
  if (threads > chunk_count) {
    threads = (int32_t)chunk_count;
  }
  if (threads < 1) {
    threads = 1;
  }
  if (threads == 1) {
    TL_TRY(treat_alone(narrow, collider, pair, pair_count, point_count));
    *points = narrow->result->memory;
    return TALUS_OK;
  }
  TL_TRY(want_lists(narrow, threads));
  for (int32_t k = 0; k < threads; k++) {
    narrow->list[k].count = 0;
  }
  TL_TRY(tl_buffer_reserve(narrow->context, &narrow->chunk, (size_t)chunk_count,
                           sizeof(chunk_place), "chunks of pairs"));
  TL_TRY(treat_chunks(narrow, collider, pair, pair_count, threads, chunk_count));
  TL_TRY(gather(narrow, threads, chunk_count, point_count));
  *points = narrow->result->memory;
  return TALUS_OK;
}
