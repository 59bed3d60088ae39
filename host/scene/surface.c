/* surface.c: surfaces of triangles: profiles turned about z or drawn along y, and files. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/io/stl.h"
#include "host/math/vector.h"
#include "host/scene/build.h"

void tl_wall_surface_release(tl_wall_surface *surface) {
  if (surface->context != NULL) {
    tl_free(surface->context, surface->point);
    tl_free(surface->context, surface->triangle);
  }
  memset(surface, 0, sizeof *surface);
}

static talus_status make_room(talus_context *context, int64_t points, int64_t triangles,
                              tl_wall_surface *surface) {
  memset(surface, 0, sizeof *surface);
  surface->context = context;
  if (points > INT32_MAX / 3 || triangles > INT32_MAX / 3) {
    return tl_fail(context, TALUS_SIZE_OVERFLOW, "a surface of %lld triangles",
                   (long long)triangles);
  }
  void *memory = NULL;
  TL_TRY(tl_alloc(context, &memory, (size_t)points, 3 * sizeof(double), "points of a surface"));
  surface->point = memory;
  TL_TRY(tl_alloc(context, &memory, (size_t)triangles, 3 * sizeof(int32_t), "triangles"));
  surface->triangle = memory;
  return TALUS_OK;
}

static void add_triangle(tl_wall_surface *surface, int flip, int32_t a, int32_t b, int32_t c) {
  if (a == b || b == c || a == c) {
    return; /* at the axis two corners fall together */
  }
  int32_t *to = surface->triangle + 3 * (size_t)surface->triangle_count++;
  to[0] = a;
  to[1] = flip ? c : b;
  to[2] = flip ? b : c;
}

talus_status tl_wall_surface_revolve(talus_context *context, const double *profile, int32_t count,
                                     int32_t segments, int flip, tl_wall_surface *surface) {
  TL_TRY(make_room(context, (int64_t)count * segments, 2 * (int64_t)count * segments, surface));
  int32_t before = 0, ring = 0; /* first points of two rings */
  for (int32_t i = 0; i < count; i++) {
    const double r = profile[2 * i], z = profile[2 * i + 1];
    before = ring;
    ring = surface->point_count;
    for (int32_t j = 0; j < (r > 0 ? segments : 1); j++) {
      const double angle = 2 * TL_PI * (double)j / (double)segments;
      double *to = surface->point + 3 * (size_t)surface->point_count++;
      to[0] = r * cos(angle);
      to[1] = r * sin(angle);
      to[2] = z;
    }
    const int32_t low = i > 0 && profile[2 * i - 2] > 0, high = r > 0;
    for (int32_t j = 0; i > 0 && j < segments; j++) {
      const int32_t next = (j + 1) % segments;
      const int32_t a = before + low * j, b = before + low * next;
      const int32_t d = ring + high * j, c = ring + high * next;
      add_triangle(surface, flip, a, d, c);
      add_triangle(surface, flip, a, c, b);
    }
  }
  return TALUS_OK;
}

talus_status tl_wall_surface_extrude(talus_context *context, const double *profile, int32_t count,
                                     double length, int flip, tl_wall_surface *surface) {
  TL_TRY(make_room(context, 2 * (int64_t)count, 2 * (int64_t)count, surface));
  for (int32_t i = 0; i < count; i++) {
    for (int side = 0; side < 2; side++) {
      double *to = surface->point + 3 * (size_t)surface->point_count++;
      to[0] = profile[2 * i];
      to[1] = side == 0 ? -0.5 * length : 0.5 * length;
      to[2] = profile[2 * i + 1];
    }
    if (i > 0) {
      const int32_t a = 2 * i - 2, b = a + 1, d = 2 * i, c = d + 1;
      add_triangle(surface, flip, a, d, c);
      add_triangle(surface, flip, a, c, b);
    }
  }
  return TALUS_OK;
}

talus_status tl_wall_surface_read(talus_context *context, const char *path, double scale, int flip,
                                  tl_wall_surface *surface) {
  tl_triangles file;
  memset(surface, 0, sizeof *surface);
  TL_TRY(tl_triangles_read(context, path, &file));
  *surface =
      (tl_wall_surface){context, file.point, file.triangle, file.point_count, file.triangle_count};
  for (int64_t i = 0; i < 3 * (int64_t)surface->point_count; i++) {
    surface->point[i] *= scale;
    if (!isfinite(surface->point[i])) {
      tl_wall_surface_release(surface);
      return tl_fail(context, TALUS_FILE_FORMAT, "%s: point %lld is not finite", path,
                     (long long)(i / 3));
    }
  }
  for (int32_t t = 0; t < surface->triangle_count && flip; t++) {
    int32_t *const corner = surface->triangle + 3 * (int64_t)t, second = corner[1];
    corner[1] = corner[2];
    corner[2] = second;
  }
  return TALUS_OK;
}

static int compare_words(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

talus_status tl_wall_surface_rims(const tl_wall_surface *surface, int64_t *count, int32_t edge[2]) {
  const int64_t edges = 3 * (int64_t)surface->triangle_count;
  uint64_t *word = NULL; /* an edge by its points, the smaller one first */
  *count = 0;
  edge[0] = edge[1] = -1;
  TL_TRY(tl_alloc(surface->context, (void **)&word, (size_t)edges, sizeof *word, "edges"));
  for (int64_t e = 0; e < edges; e++) {
    const uint32_t a = (uint32_t)surface->triangle[e];
    const uint32_t b = (uint32_t)surface->triangle[e % 3 < 2 ? e + 1 : e - 2];
    word[e] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
  }
  qsort(word, (size_t)edges, sizeof *word, compare_words);
  for (int64_t e = 0; e < edges; e++) {
    if ((e == 0 || word[e - 1] != word[e]) && (e + 1 == edges || word[e + 1] != word[e])) {
      edge[0] = *count == 0 ? (int32_t)(word[e] >> 32) : edge[0];
      edge[1] = *count == 0 ? (int32_t)(uint32_t)word[e] : edge[1];
      ++*count;
    }
  }
  tl_free(surface->context, word);
  return TALUS_OK;
}

uint64_t tl_wall_surface_hash(const tl_wall_surface *surface) {
  uint64_t hash = tl_bytes_hash(
      surface->point, 3 * (size_t)surface->point_count * sizeof *surface->point, TL_HASH_START);
  hash = tl_bytes_hash(surface->triangle,
                       3 * (size_t)surface->triangle_count * sizeof *surface->triangle, hash);
  return hash != 0 ? hash : 1;
}
