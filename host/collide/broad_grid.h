/* broad_grid.h: what the files of the broad-phase share: items, levels, rows, cells, lanes.
 *
 * A collider of finite size is an item: a centre and a reach, its largest half edge (a ball's
 * radius), margin included. Items of like reach form a level, a uniform grid whose cells are just
 * wider than twice the reach of any of them, the next level's twice as wide. An item is stored
 * once, in the cell of its centre. Items are sorted by level, z, y, x; a row is a run of items of
 * equal level, z, y, a cell one of equal x too. So there are no pointers, no hash table, and the
 * neighbours of a row are found by walking along other rows. Half-spaces, infinite boxes and the
 * few items of a nearly empty coarse level form a short list that is held against everything.
 *
 * Work is split into lanes, one per thread; what a lane does never shows in the result, which is
 * sorted at the end. */
#ifndef TL_BROAD_GRID_H
#define TL_BROAD_GRID_H

#include <string.h>

#include "host/base/each.h"
#include "host/collide/broad.h"

enum {
  TL_LEVEL_LIMIT = 64,  /* sizes of 1 : 2^64; smaller ones share the finest level */
  TL_LEVEL_LARGE = 255, /* of colliders in the short list */
  TL_SIZE_BINS = 64,
  TL_BLOCK = 1024, /* pairs that a lane takes room for at a time */
  TL_LANE_LIMIT = 256,
  TL_GUESSES = 4
};

/* Reaches are enlarged by this share, so that no later rounding can lose a pair. */
#define TL_REACH_SLACK 1e-12

typedef struct tl_bounding_ball {
  double centre[3], reach; /* reach INFINITY: not an item */
} tl_bounding_ball;

enum { TL_TAG_GROUP = 31, TL_TAG_MOVABLE = 32, TL_TAG_BALL = 64, TL_TAG_HALFSPACE = 128 };

typedef struct tl_trait {
  int32_t index, body;
  uint32_t collides, tag;
} tl_trait;

static inline bool tl_trait_meet(const tl_trait *a, const tl_trait *b) {
  return a->body != b->body && ((a->tag | b->tag) & TL_TAG_MOVABLE) != 0 &&
         (a->collides >> (b->tag & TL_TAG_GROUP) & b->collides >> (a->tag & TL_TAG_GROUP) & 1) != 0;
}

/* A collider of the short list. */
typedef struct tl_large {
  int32_t index;
  double margin;              /* skin included */
  double point[3], normal[3]; /* half-space */
  tl_box box;                 /* others, without margin */
} tl_large;

typedef struct tl_level {
  int32_t first, count; /* sorted items */
  int32_t row_first, row_count;
  double inverse;            /* of the cell's width */
  int64_t origin[3];         /* cells are counted from here, in cells */
  double reach;              /* the largest */
  double lower[3], upper[3]; /* of the centres */
  int32_t balls;             /* 1: nothing else in it */
  int32_t size[3];           /* cells */
  int64_t table;             /* where its table begins, or -1 */
} tl_level;

/* Each ends where the next one begins; one more stands behind the last. */
typedef struct tl_grid_row {
  int32_t z, y, cell;
} tl_grid_row;
typedef struct tl_cell {
  int32_t x, item;
} tl_cell;

static inline int64_t tl_cell_number(double inverse, double coordinate) {
  const double limit = 4e18;
  double t = coordinate * inverse;
  t = t > limit ? limit : t < -limit ? -limit : t;
  const int64_t cell = (int64_t)t;
  return cell - ((double)cell > t);
}

/* The cell along an axis. Rises with the coordinate, never by more than the coordinate does, also
 * where it is cut off at the ends of the range: neighbours stay neighbours. */
static inline int32_t tl_level_cell(const tl_level *level, int axis, double coordinate) {
  const int64_t cell = tl_cell_number(level->inverse, coordinate) - level->origin[axis];
  return cell < 0 ? 0 : cell > INT32_MAX - 1 ? INT32_MAX - 1 : (int32_t)cell;
}

/* Exponent and leading bits of a little more than twice the reach. The excess makes up for the
 * rounding of coordinate * inverse up to 2^40 cells from the world's origin. */
static inline void tl_size_split(double reach, int32_t *exponent, int32_t *bin) {
  const double size = 2 * (1 + 0x1p-10) * reach;
  uint64_t bits;
  memcpy(&bits, &size, sizeof bits);
  const int32_t stored = (int32_t)(bits >> 52);
  *exponent = stored > 128 ? stored : 128; /* 1 / width must be finite */
  *bin = (int32_t)(bits >> 46 & (TL_SIZE_BINS - 1));
}

typedef struct tl_level_sum {
  int64_t count, others; /* items; of them no balls */
  double lower[3], upper[3], reach;
} tl_level_sum;

/* What one thread works with. */
typedef struct tl_lane {
  int64_t size_count[TL_SIZE_BINS]; /* items by the leading bits of their size */
  int32_t exponent_min, exponent_max;
  double centre_max;
  int64_t item_count, large_count, row_count, cell_count;
  int64_t bad; /* first collider that is not finite, or count */
  tl_level_sum level[TL_LEVEL_LIMIT];
  tl_pair *block; /* the room being filled */
  int32_t block_fill;
  int64_t block_index;
  /* where the last row found its neighbours in each coarser level: close to the next one's */
  int32_t row_guess[TL_LEVEL_LIMIT][TL_GUESSES];
  uint32_t digit_count[2048];
  tl_pair dump[TL_BLOCK]; /* where pairs go when there is no room: they are still counted */
} tl_lane;

struct tl_broad {
  talus_context *context;
  int32_t count, lane_count;
  double skin;
  tl_buffer lane_buffer;
  /* in the order of the colliders */
  tl_buffer place_buffer, trait_buffer, half_buffer, level_buffer;
  tl_bounding_ball *place;
  tl_trait *trait;
  double *half; /* [3 count] of the enlarged boxes, balls excepted */
  uint8_t *level_of;
  tl_buffer large_buffer;
  tl_large *large;
  int32_t large_count;
  /* sorted */
  int32_t item_count;
  tl_buffer word_buffer[2], item_place_buffer, item_trait_buffer;
  uint64_t *word[2];
  tl_bounding_ball *item_place;
  tl_trait *item_trait;
  int32_t level_count;
  tl_level level[TL_LEVEL_LIMIT];
  tl_buffer row_buffer, cell_buffer, table_buffer;
  tl_grid_row *row;
  tl_cell *cell;
  int32_t row_count, cell_count;
  /* pairs */
  tl_buffer pair_buffer, bucket_buffer, fill_buffer, order_buffer;
  int64_t block_capacity, block_count;
  int64_t next_task;
  int64_t pair_count;
  int kept; /* the list stands for the colliders in `place` */
};

static inline tl_lane *tl_broad_lane(const tl_broad *broad, int32_t lane) {
  return (tl_lane *)broad->lane_buffer.memory + lane;
}

/* The part of n things that falls to a lane: from this one's to the next one's. */
static inline int64_t tl_lane_begin(int64_t n, int32_t lane, int32_t lane_count) {
  return n * lane / lane_count;
}

/* Small levels are not worth a second thread. */
static inline int32_t tl_level_lanes(const tl_broad *broad, const tl_level *level) {
  return level->count < 4096 ? 1 : broad->lane_count;
}

/* Room with a reserve, so that a little growth does not cost an allocation at each step. */
talus_status tl_broad_reserve(tl_broad *broad, tl_buffer *buffer, int64_t count, size_t size,
                              const char *what);

/* broad_place.c: colliders to items and the short list; NOT_FINITE. */
talus_status tl_broad_place(tl_broad *broad, const tl_collider *collider);
/* One collider's place, trait and half edges; false if it is not finite. */
bool tl_place_collider(const tl_collider *collider, int32_t index, double skin,
                       tl_bounding_ball *place, tl_trait *trait, double half[3]);
void tl_large_fill(const tl_collider *collider, int32_t index, double skin, tl_large *large);

/* broad_level.c: sizes to levels, the short list, words with the items' indices by level. */
talus_status tl_broad_levels(tl_broad *broad, const tl_collider *collider);
/* broad_cell.c: items sorted by cell, rows and cells. */
talus_status tl_broad_cells(tl_broad *broad);

/* broad_sort.c: sorts words by bits 32 .. 32 + bits, stably, and says which array holds them. */
uint64_t *tl_sort_words(talus_context *context, uint64_t *word, uint64_t *other, int64_t count,
                        int bits, tl_lane *lanes, int32_t lane_count);

/* broad_scan.c: pairs in blocks, in no order. broad_order.c: the same sorted, without gaps. */
talus_status tl_broad_scan(tl_broad *broad);
void tl_broad_open_block(tl_broad *broad, tl_lane *lane);
talus_status tl_broad_order(tl_broad *broad);

static inline void tl_broad_emit(tl_broad *broad, tl_lane *lane, int32_t a, int32_t b) {
  if (lane->block_fill == TL_BLOCK) {
    tl_broad_open_block(broad, lane);
  }
  lane->block[lane->block_fill++] = a < b ? (tl_pair){a, b} : (tl_pair){b, a};
}

/* broad_row.c: rows [begin, end) against their neighbours and the coarser levels; one item against
 * a run of items, which are all balls or not. */
void tl_broad_scan_rows(tl_broad *broad, tl_lane *lane, int32_t begin, int32_t end);
void tl_broad_meet(tl_broad *broad, tl_lane *lane, int64_t i, int64_t begin, int64_t end,
                   int balls);

/* broad_coarse.c: look-up tables of the coarse levels; a row against all of these levels. */
talus_status tl_broad_tables(tl_broad *broad);
void tl_broad_scan_coarser(tl_broad *broad, tl_lane *lane, const tl_level *level, int32_t r);
int32_t tl_row_find(const tl_grid_row *row, int32_t begin, int32_t end, int32_t guess, int32_t z,
                    int32_t y);

/* broad_overlap.c: whether two items, or an item and one of the short list, are close enough. */
bool tl_overlap_items(const tl_broad *broad, const tl_bounding_ball *place_a, const tl_trait *a,
                      const tl_bounding_ball *place_b, const tl_trait *b);
bool tl_overlap_large(const tl_broad *broad, const tl_large *large, const tl_bounding_ball *place,
                      const tl_trait *trait);
bool tl_overlap_larges(const tl_broad *broad, const tl_large *a, const tl_large *b);

/* broad_keep.c: whether every collider is still in the room that the list was built for. */
bool tl_broad_holds(const tl_broad *broad, const tl_collider *collider, int32_t count,
                    int32_t lane_count);

#endif
