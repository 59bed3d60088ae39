/* stl_triangles.c: triangles that are being read: memory, and points made one; see stl.h. */
#include <string.h>

#include "host/io/stl.h"

enum { MOST = INT32_MAX / 8 };

static talus_status grow(tl_triangles *t, void **array, int32_t *capacity, int32_t count,
                         size_t size) {
  void *memory;
  if (count < *capacity) {
    return TALUS_OK;
  }
  if (count >= MOST) {
    return tl_fail(t->context, TALUS_SIZE_OVERFLOW, "more than %d points or triangles", MOST);
  }
  const int32_t wanted = *capacity > 0 ? 2 * *capacity : 1024;
  TL_TRY(tl_alloc(t->context, &memory, (size_t)wanted, size, "triangles"));
  if (count > 0) {
    memcpy(memory, *array, (size_t)count * size);
  }
  tl_free(t->context, *array);
  *array = memory;
  *capacity = wanted;
  return TALUS_OK;
}

talus_status tl_triangles_add_point(tl_triangles *t, const double point[3]) {
  void *array = t->point;
  const talus_status status =
      grow(t, &array, &t->point_capacity, t->point_count, 3 * sizeof(double));
  t->point = array;
  TL_TRY(status);
  for (int i = 0; i < 3; i++) {
    t->point[3 * (size_t)t->point_count + i] =
        point[i] + 0.0; /* no -0: equal is equal to the bit */
  }
  t->point_count++;
  return TALUS_OK;
}

talus_status tl_triangles_add(tl_triangles *t, int32_t a, int32_t b, int32_t c) {
  void *array = t->triangle;
  const talus_status status =
      grow(t, &array, &t->triangle_capacity, t->triangle_count, 3 * sizeof(int32_t));
  t->triangle = array;
  TL_TRY(status);
  int32_t *const corner = t->triangle + 3 * (size_t)t->triangle_count++;
  corner[0] = a;
  corner[1] = b;
  corner[2] = c;
  return TALUS_OK;
}

static size_t hash_of(const double point[3]) {
  uint64_t bits[3], h = 0;
  memcpy(bits, point, sizeof bits);
  for (int i = 0; i < 3; i++) {
    h = (h ^ bits[i]) * 0x9E3779B97F4A7C15u;
    h ^= h >> 32;
  }
  return (size_t)h;
}

/* Moves the first of equal points down and renames the corners. place: a table of slots, -1 free.
 */
static void merge_equal(tl_triangles *t, int32_t *place, size_t slots, int32_t *renamed) {
  int32_t kept = 0;
  memset(place, -1, slots * sizeof *place);
  for (int32_t k = 0; k < t->point_count; k++) {
    const double *const point = t->point + 3 * (size_t)k;
    size_t at = hash_of(point) & (slots - 1);
    while (place[at] >= 0 &&
           memcmp(t->point + 3 * (size_t)place[at], point, 3 * sizeof *point) != 0) {
      at = (at + 1) & (slots - 1);
    }
    if (place[at] < 0) {
      memmove(t->point + 3 * (size_t)kept, point, 3 * sizeof *point);
      place[at] = kept++;
    }
    renamed[k] = place[at];
  }
  for (size_t k = 0; k < 3 * (size_t)t->triangle_count; k++) {
    t->triangle[k] = renamed[t->triangle[k]];
  }
  t->point_count = kept;
}

static talus_status weld(tl_triangles *t) {
  size_t slots = 16;
  void *place, *renamed;
  while (slots < 2 * (size_t)t->point_count) {
    slots *= 2;
  }
  TL_TRY(tl_alloc(t->context, &place, slots, sizeof(int32_t), "triangles"));
  const talus_status status =
      tl_alloc(t->context, &renamed, (size_t)t->point_count, sizeof(int32_t), "triangles");
  if (status == TALUS_OK) {
    merge_equal(t, place, slots, renamed);
  }
  tl_free(t->context, place);
  tl_free(t->context, renamed);
  return status;
}

static bool is_obj(const char *path) {
  const size_t length = strlen(path);
  return length >= 4 &&
         (strcmp(path + length - 4, ".obj") == 0 || strcmp(path + length - 4, ".OBJ") == 0);
}

talus_status tl_triangles_read(talus_context *context, const char *path, tl_triangles *t) {
  tl_text text;
  talus_status status;
  memset(t, 0, sizeof *t);
  t->context = context;
  TL_TRY_GOTO(tl_text_open(context, path, &text), end);
  TL_TRY_GOTO(is_obj(path) ? tl_obj_read(&text, t) : tl_stl_read(&text, t), end);
  if (t->triangle_count == 0) {
    status = tl_fail(context, TALUS_FILE_FORMAT, "%s: no triangles in it", path);
    goto end;
  }
  status = weld(t);
end:
  tl_text_close(&text);
  if (status != TALUS_OK) {
    tl_triangles_release(t);
  }
  return status;
}

void tl_triangles_release(tl_triangles *t) {
  if (t->context != NULL) {
    tl_free(t->context, t->point);
    tl_free(t->context, t->triangle);
  }
  memset(t, 0, sizeof *t);
}
