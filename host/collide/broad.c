/* broad.c: the broad-phase from colliders to sorted pairs, and the list that is kept. The steps
 * are in the files broad_*.c; broad_grid.h describes the grid. */
#include "host/collide/broad.h"

#include <math.h>
#include <string.h>

#include "host/collide/broad_grid.h"

/* Below so many colliders per thread another one costs more than it brings. */
enum { LANE_COLLIDERS = 512 };

talus_status tl_broad_create(talus_context *context, tl_broad **broad) {
  TL_TRY(tl_alloc(context, (void **)broad, 1, sizeof **broad, "broad-phase"));
  memset(*broad, 0, sizeof **broad);
  (*broad)->context = context;
  return TALUS_OK;
}

void tl_broad_destroy(tl_broad *broad) {
  if (broad == NULL) {
    return;
  }
  tl_buffer *const buffers[] = {
      &broad->lane_buffer,       &broad->place_buffer,   &broad->trait_buffer,
      &broad->half_buffer,       &broad->level_buffer,   &broad->large_buffer,
      &broad->word_buffer[0],    &broad->word_buffer[1], &broad->item_place_buffer,
      &broad->item_trait_buffer, &broad->row_buffer,     &broad->cell_buffer,
      &broad->pair_buffer,       &broad->bucket_buffer,  &broad->fill_buffer,
      &broad->order_buffer,      &broad->table_buffer};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
    tl_buffer_release(broad->context, buffers[i]);
  }
  tl_free(broad->context, broad);
}

talus_status tl_broad_reserve(tl_broad *broad, tl_buffer *buffer, int64_t count, size_t size,
                              const char *what) {
  if (buffer->memory != NULL && tl_size_product((size_t)count, size) <= buffer->capacity) {
    return TALUS_OK;
  }
  return tl_buffer_reserve(broad->context, buffer, (size_t)(count + count / 8), size, what);
}

static int32_t choose_lanes(const tl_broad *broad, int32_t count, int32_t threads) {
  int32_t lanes = threads > 0 ? threads : tl_context_threads(broad->context);
  lanes = lanes < TL_LANE_LIMIT ? lanes : TL_LANE_LIMIT;
  lanes = lanes < count / LANE_COLLIDERS ? lanes : count / LANE_COLLIDERS;
  return lanes > 1 ? lanes : 1;
}

static talus_status search(tl_broad *broad, const tl_collider *collider, int32_t count, double skin,
                           int32_t lanes) {
  broad->kept = 0;
  broad->pair_count = 0;
  broad->count = count;
  broad->skin = skin;
  broad->lane_count = lanes;
  TL_TRY(tl_broad_reserve(broad, &broad->lane_buffer, lanes, sizeof(tl_lane), "lanes"));
  TL_TRY(tl_broad_place(broad, collider));
  TL_TRY(tl_broad_levels(broad, collider));
  TL_TRY(tl_broad_cells(broad));
  TL_TRY(tl_broad_tables(broad));
  TL_TRY(tl_broad_scan(broad));
  return tl_broad_order(broad);
}

static talus_status check(tl_broad *broad, const tl_collider *collider, int32_t count,
                          double skin) {
  if (count < 0) {
    return tl_fail(broad->context, TALUS_SIZE_OVERFLOW, "broad-phase: %d colliders", (int)count);
  }
  if (count > 0 && collider == NULL) {
    return tl_fail(broad->context, TALUS_INVALID_ARGUMENT, "broad-phase: colliders are NULL");
  }
  if (!(skin >= 0) || isinf(skin)) {
    return tl_fail(broad->context, TALUS_INVALID_ARGUMENT, "broad-phase: skin %g", skin);
  }
  return TALUS_OK;
}

talus_status tl_broad_pairs(tl_broad *broad, const tl_collider *collider, int32_t count,
                            int32_t threads, const tl_pair **pairs, int64_t *pair_count) {
  *pairs = NULL;
  *pair_count = 0;
  TL_TRY(check(broad, collider, count, 0));
  TL_TRY(search(broad, collider, count, 0, choose_lanes(broad, count, threads)));
  *pairs = broad->pair_buffer.memory;
  *pair_count = broad->pair_count;
  return TALUS_OK;
}

talus_status tl_broad_refresh(tl_broad *broad, const tl_collider *collider, int32_t count,
                              double skin, int32_t threads, const tl_pair **pairs,
                              int64_t *pair_count, int *rebuilt) {
  *pairs = NULL;
  *pair_count = 0;
  const talus_status status = check(broad, collider, count, skin);
  if (status != TALUS_OK) {
    broad->kept = 0;
    return status;
  }
  const int32_t lanes = choose_lanes(broad, count, threads);
  const bool holds = tl_broad_holds(broad, collider, count, lanes);
  if (rebuilt != NULL) {
    *rebuilt = !holds;
  }
  if (!holds) {
    TL_TRY(search(broad, collider, count, skin, lanes));
    broad->kept = 1;
  }
  *pairs = broad->pair_buffer.memory;
  *pair_count = broad->pair_count;
  return TALUS_OK;
}
