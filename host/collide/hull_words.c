/* hull_words.c: hulls in messages: the four counts, then the arrays. */
#include <string.h>

#include "host/collide/hull.h"

enum { ARRAYS = 6, HEAD = 2 };

/* Where an array of a hull is, and how many words it takes. */
typedef struct array {
  void **memory;
  int64_t count;
  size_t size;
} array;

static int64_t words_of(const array *a) {
  return (a->count * (int64_t)a->size + 7) / 8;
}

/* corners: of all faces. */
static void arrays_of(tl_hull *hull, int32_t corners, array *a) {
  const array all[ARRAYS] = {{(void **)&hull->point, 3 * (int64_t)hull->point_count, 8},
                             {(void **)&hull->face_first, (int64_t)hull->face_count + 1, 4},
                             {(void **)&hull->face_point, corners, 4},
                             {(void **)&hull->face_plane, 4 * (int64_t)hull->face_count, 8},
                             {(void **)&hull->edge, 2 * (int64_t)hull->edge_count, 4},
                             {(void **)&hull->edge_face, 2 * (int64_t)hull->edge_count, 4}};
  memcpy(a, all, sizeof all);
}

static int64_t arrays_words(const array *a) {
  int64_t words = HEAD;
  for (int i = 0; i < ARRAYS; i++) {
    words += words_of(&a[i]);
  }
  return words;
}

int64_t tl_hull_words(const tl_hull *hull) {
  tl_hull copy = *hull;
  array a[ARRAYS];
  arrays_of(&copy, hull->face_first[hull->face_count], a);
  return arrays_words(a);
}

/* Points, faces, edges, corners of all faces. */
static void head_take(const uint64_t *words, tl_hull *hull, int32_t *corners) {
  int32_t head[2 * HEAD];
  memcpy(head, words, sizeof head);
  memset(hull, 0, sizeof *hull);
  hull->point_count = head[0];
  hull->face_count = head[1];
  hull->edge_count = head[2];
  *corners = head[3];
}

int64_t tl_hull_packed_words(const uint64_t *words) {
  tl_hull hull;
  array a[ARRAYS];
  int32_t corners;
  head_take(words, &hull, &corners);
  arrays_of(&hull, corners, a);
  return arrays_words(a);
}

void tl_hull_pack(const tl_hull *hull, uint64_t *words) {
  tl_hull copy = *hull;
  const int32_t corners = hull->face_first[hull->face_count];
  const int32_t head[2 * HEAD] = {hull->point_count, hull->face_count, hull->edge_count, corners};
  array a[ARRAYS];
  memcpy(words, head, sizeof head);
  words += HEAD;
  arrays_of(&copy, corners, a);
  for (int i = 0; i < ARRAYS; i++) {
    words[words_of(&a[i]) - 1] = 0; /* an odd number of half words */
    memcpy(words, *a[i].memory, (size_t)a[i].count * a[i].size);
    words += words_of(&a[i]);
  }
}

talus_status tl_hull_unpack(talus_context *context, const uint64_t *words, tl_hull **result) {
  array a[ARRAYS];
  void *memory;
  int32_t corners;
  *result = NULL;
  TL_TRY(tl_alloc(context, &memory, 1, sizeof(tl_hull), "hull"));
  tl_hull *const hull = memory;
  head_take(words, hull, &corners);
  words += HEAD;
  arrays_of(hull, corners, a);
  for (int i = 0; i < ARRAYS; i++) {
    const talus_status status =
        tl_alloc(context, a[i].memory, (size_t)a[i].count, a[i].size, "hull");
    if (status != TALUS_OK) {
      tl_hull_destroy(context, hull);
      return status;
    }
    memcpy(*a[i].memory, words, (size_t)a[i].count * a[i].size);
    words += words_of(&a[i]);
  }
  *result = hull;
  return TALUS_OK;
}
