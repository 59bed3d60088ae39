/* place.c: balls that keep clear of each other, in a hashed grid with one level per power of two.
 *
 * A ball is entered once, in the cell of its centre on the level of its size; a question looks at
 * the few cells of each level that its ball could reach, or at the whole level where that is
 * shorter. */
#include <math.h>
#include <string.h>

#include "host/scene/build.h"

enum { LEVEL_ZERO = 128 };

void tl_place_begin(talus_context *context, tl_place *place) {
  memset(place, 0, sizeof *place);
  place->context = context;
  for (int i = 0; i < 256; i++) {
    place->level_first[i] = -1;
  }
}

void tl_place_release(tl_place *place) {
  tl_free(place->context, place->ball);
  tl_free(place->context, place->next);
  tl_free(place->context, place->level_next);
  tl_free(place->context, place->head);
  place->ball = NULL;
  place->next = place->level_next = place->head = NULL;
  place->count = place->capacity = place->head_count = 0;
}

static int level_of(double radius) {
  int exponent;
  frexp(radius, &exponent);
  exponent += LEVEL_ZERO;
  return exponent < 0 ? 0 : exponent > 255 ? 255 : exponent;
}

/* Radii of a level are below this; cells are twice as wide. */
static double level_radius(int level) {
  return ldexp(1, level - LEVEL_ZERO);
}

static uint32_t cell_hash(const tl_place *place, int level, const int64_t cell[3]) {
  uint64_t hash = (uint64_t)level * UINT64_C(0x9E3779B97F4A7C15);
  for (int c = 0; c < 3; c++) {
    hash = (hash ^ (uint64_t)cell[c]) * UINT64_C(0xBF58476D1CE4E5B9);
    hash ^= hash >> 29;
  }
  return (uint32_t)hash & (uint32_t)(place->head_count - 1);
}

static int64_t cell_at(double x, double edge) {
  const double cell = floor(x / edge);
  return cell < -9e15 ? -9000000000000000 : cell > 9e15 ? 9000000000000000 : (int64_t)cell;
}

static void enter(tl_place *place, int32_t index) {
  const double *ball = place->ball + 4 * (size_t)index;
  const int level = level_of(ball[3]);
  const double edge = 2 * level_radius(level);
  const int64_t cell[3] = {cell_at(ball[0], edge), cell_at(ball[1], edge), cell_at(ball[2], edge)};
  const uint32_t hash = cell_hash(place, level, cell);
  place->next[index] = place->head[hash];
  place->head[hash] = index;
}

static talus_status grow_array(tl_place *place, void **array, size_t old, size_t count,
                               size_t size) {
  void *memory = NULL;
  TL_TRY(tl_alloc(place->context, &memory, count, size, "places of grains"));
  if (old > 0) {
    memcpy(memory, *array, old * size);
  }
  tl_free(place->context, *array);
  *array = memory;
  return TALUS_OK;
}

static talus_status grow(tl_place *place) {
  const size_t old = (size_t)place->count, wanted = old > 0 ? 2 * old : 1024;
  void *ball = place->ball, *next = place->next, *level_next = place->level_next;
  void *head = place->head;
  talus_status status = grow_array(place, &ball, 4 * old, 4 * wanted, sizeof(double));
  place->ball = ball;
  TL_TRY(status);
  status = grow_array(place, &next, old, wanted, sizeof(int32_t));
  place->next = next;
  TL_TRY(status);
  status = grow_array(place, &level_next, old, wanted, sizeof(int32_t));
  place->level_next = level_next;
  TL_TRY(status);
  status = grow_array(place, &head, 0, 2 * wanted, sizeof(int32_t));
  place->head = head;
  TL_TRY(status);
  place->capacity = (int32_t)wanted;
  place->head_count = (int32_t)(2 * wanted);
  memset(place->head, 0xFF, (size_t)place->head_count * sizeof(int32_t));
  for (int32_t i = 0; i < place->count; i++) {
    enter(place, i);
  }
  return TALUS_OK;
}

talus_status tl_place_add(tl_place *place, const double position[3], double radius) {
  if (place->count == place->capacity) {
    TL_TRY(grow(place));
  }
  const int32_t index = place->count++;
  double *ball = place->ball + 4 * (size_t)index;
  memcpy(ball, position, 3 * sizeof(double));
  ball[3] = radius;
  const int level = level_of(radius);
  place->level_next[index] = place->level_first[level];
  place->level_first[level] = index;
  place->level_count[level]++;
  enter(place, index);
  return TALUS_OK;
}

static int apart(const tl_place *place, int32_t index, const double position[3], double radius) {
  const double *ball = place->ball + 4 * (size_t)index;
  const double x = ball[0] - position[0], y = ball[1] - position[1], z = ball[2] - position[2];
  const double reach = ball[3] + radius;
  return x * x + y * y + z * z >= reach * reach;
}

static int level_is_free(const tl_place *place, int level, const double position[3], double radius,
                         int32_t among) {
  const double edge = 2 * level_radius(level), reach = radius + level_radius(level);
  int64_t first[3], last[3];
  double cells = 1;
  for (int c = 0; c < 3; c++) {
    first[c] = cell_at(position[c] - reach, edge);
    last[c] = cell_at(position[c] + reach, edge);
    cells *= (double)(last[c] - first[c] + 1);
  }
  if (cells > place->level_count[level]) {
    for (int32_t i = place->level_first[level]; i >= 0; i = place->level_next[i]) {
      if (i < among && !apart(place, i, position, radius)) {
        return 0;
      }
    }
    return 1;
  }
  int64_t cell[3];
  for (cell[0] = first[0]; cell[0] <= last[0]; cell[0]++) {
    for (cell[1] = first[1]; cell[1] <= last[1]; cell[1]++) {
      for (cell[2] = first[2]; cell[2] <= last[2]; cell[2]++) {
        for (int32_t i = place->head[cell_hash(place, level, cell)]; i >= 0; i = place->next[i]) {
          if (i < among && !apart(place, i, position, radius)) {
            return 0;
          }
        }
      }
    }
  }
  return 1;
}

int tl_place_is_free(const tl_place *place, const double position[3], double radius,
                     int32_t among) {
  for (int level = 0; level < 256; level++) {
    if (place->level_count[level] > 0 && !level_is_free(place, level, position, radius, among)) {
      return 0;
    }
  }
  return 1;
}
