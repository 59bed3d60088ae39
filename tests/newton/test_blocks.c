/* test_blocks.c: the LU by blocks on matrices whose pattern is symmetric and whose values are not:
 * the residual of its solutions, by a plain product with the matrix.
 *
 * Patterns are unions of trees of blocks, as an analysis for Cholesky gives them: a block's rows
 * below are its parent's columns or some of them, and the parent's own rows below. */
#include "host/method/newton/linear_blocks.h"

#include <string.h>

#include "tests/check.h"

enum { MOST = 400, BLOCKS = 12 };

typedef struct pattern {
  int64_t order, count;
  int64_t first[BLOCKS + 1], row_first[BLOCKS + 1], row[MOST * MOST], order_of[MOST];
  int64_t start[MOST + 1], index[MOST * MOST];
  double value[MOST * MOST];
} pattern;

static pattern p; /* large */
static tl_limit unlimited;

static uint64_t bits(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15U;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
  z = (z ^ z >> 27) * 0x94d049bb133111ebU;
  return z ^ z >> 31;
}

static double real(uint64_t *state) {
  return (double)(bits(state) >> 11) * 0x1p-53 - 0.5;
}

/* Blocks of 1 to 30 columns; the parent of each is one of those that follow. */
static void blocks_draw(uint64_t *state) {
  int64_t parent[BLOCKS];
  p.count = BLOCKS;
  p.order = 0;
  for (int64_t s = 0; s < BLOCKS; s++) {
    p.first[s] = p.order;
    p.order += 1 + (int64_t)(bits(state) % 30);
    parent[s] = s + 1 < BLOCKS ? s + 1 + (int64_t)(bits(state) % (uint64_t)(BLOCKS - s - 1)) : -1;
  }
  p.first[BLOCKS] = p.order;
  static int is_below[BLOCKS][MOST];
  memset(is_below, 0, sizeof is_below);
  int64_t at = 0;
  for (int64_t s = 0; s < BLOCKS; s++) {
    const int64_t up = parent[s];
    for (int64_t j = up >= 0 ? p.first[up] : 0; up >= 0 && j < p.first[up + 1]; j++) {
      is_below[s][j] = is_below[s][j] || bits(state) % 2 || j == p.first[up];
    }
    for (int64_t j = p.first[s + 1]; j < p.order && up >= 0; j++) {
      is_below[up][j] = is_below[up][j] || (j >= p.first[up + 1] && is_below[s][j]);
    }
    p.row_first[s] = at;
    for (int64_t j = p.first[s]; j < p.order; j++) {
      if (j < p.first[s + 1] || is_below[s][j]) {
        p.row[at++] = j;
      }
    }
  }
  p.row_first[BLOCKS] = at;
}

static int64_t block_of(int64_t column) {
  int64_t s = 0;
  while (p.first[s + 1] <= column) {
    s++;
  }
  return s;
}

static int present(int64_t i, int64_t j) {
  const int64_t s = block_of(i < j ? i : j), high = i < j ? j : i;
  for (int64_t r = p.row_first[s]; r < p.row_first[s + 1]; r++) {
    if (p.row[r] == high) {
      return 1;
    }
  }
  return 0;
}

/* Values without symmetry; the diagonal is nothing special, so that pivots are wanted. */
static void matrix_draw(uint64_t *state) {
  int64_t inverse[MOST], at = 0;
  for (int64_t j = 0; j < p.order; j++) {
    p.order_of[j] = j;
  }
  for (int64_t j = p.order - 1; j > 0; j--) {
    const int64_t i = (int64_t)(bits(state) % (uint64_t)(j + 1)), swap = p.order_of[j];
    p.order_of[j] = p.order_of[i];
    p.order_of[i] = swap;
  }
  for (int64_t j = 0; j < p.order; j++) {
    inverse[p.order_of[j]] = j;
  }
  for (int64_t c = 0; c < p.order; c++) {
    p.start[c] = at;
    for (int64_t r = 0; r < p.order; r++) {
      if (present(inverse[r], inverse[c])) {
        p.index[at] = r;
        p.value[at++] = real(state) + (block_of(inverse[r]) == block_of(inverse[c]));
      }
    }
  }
  p.start[p.order] = at;
}

static tl_blocks blocks_of_pattern(void) {
  return (tl_blocks){.order = p.order,
                     .count = p.count,
                     .first = p.first,
                     .row_first = p.row_first,
                     .row = p.row,
                     .order_of = p.order_of};
}

/* Largest |b - A x| over the largest |A| |x| + |b| of a row. */
static double residual_of(const double *x, const double *b) {
  double off[MOST], size[MOST], worst = 0, largest = 0;
  for (int64_t i = 0; i < p.order; i++) {
    off[i] = b[i];
    size[i] = fabs(b[i]);
  }
  for (int64_t c = 0; c < p.order; c++) {
    for (int64_t e = p.start[c]; e < p.start[c + 1]; e++) {
      off[p.index[e]] -= p.value[e] * x[c];
      size[p.index[e]] += fabs(p.value[e] * x[c]);
    }
  }
  for (int64_t i = 0; i < p.order; i++) {
    worst = fmax(worst, fabs(off[i]));
    largest = fmax(largest, size[i]);
  }
  return worst / largest;
}

/* The determinant's, by plain elimination. */
static int sign_of(void) {
  static double a[MOST][MOST];
  int sign = 1;
  memset(a, 0, sizeof a);
  for (int64_t c = 0; c < p.order; c++) {
    for (int64_t e = p.start[c]; e < p.start[c + 1]; e++) {
      a[p.index[e]][c] = p.value[e];
    }
  }
  for (int64_t c = 0; c < p.order; c++) {
    int64_t best = c;
    for (int64_t i = c; i < p.order; i++) {
      best = fabs(a[i][c]) > fabs(a[best][c]) ? i : best;
    }
    sign = best != c ? -sign : sign;
    for (int64_t j = 0; j < p.order; j++) {
      const double swap = a[c][j];
      a[c][j] = a[best][j];
      a[best][j] = swap;
    }
    sign = a[c][c] < 0 ? -sign : sign;
    for (int64_t i = c + 1; i < p.order; i++) {
      const double factor = a[i][c] / a[c][c];
      for (int64_t j = c; j < p.order; j++) {
        a[i][j] -= factor * a[c][j];
      }
    }
  }
  return sign;
}

static void test_solutions(talus_context *context) {
  tl_blocks kept = {0};
  for (uint64_t seed = 1; seed <= 40; seed++) {
    uint64_t state = seed;
    double b[MOST], x[MOST];
    blocks_draw(&state);
    matrix_draw(&state);
    tl_blocks blocks = blocks_of_pattern();
    blocks.index = kept.index; /* memory is used again */
    blocks.reals = kept.reals;
    CHECK(tl_blocks_make(context, &blocks, p.start, p.index) == TALUS_OK && blocks.ready);
    for (int round = 0; round < 2; round++) {
      CHECK(tl_blocks_factor(&blocks, p.value, p.start[p.order], &unlimited));
      for (int64_t i = 0; i < p.order; i++) {
        b[i] = real(&state);
      }
      CHECK(tl_blocks_sign(&blocks) == sign_of());
      tl_blocks_solve(&blocks, b, x);
      const double off = residual_of(x, b);
      CHECK_CASE(off < 1e-10, "seed %d, order %d: %g", (int)seed, (int)p.order, off);
      for (int64_t e = 0; e < p.start[p.order]; e++) { /* the same pattern, other values */
        p.value[e] *= 1 + 0.5 * real(&state);
      }
    }
    kept = blocks;
  }
  tl_blocks_release(context, &kept);
}

/* A column of zeros is told, and so is what is not finite. */
static void test_singular(talus_context *context) {
  uint64_t state = 7;
  blocks_draw(&state);
  matrix_draw(&state);
  tl_blocks blocks = blocks_of_pattern();
  CHECK(tl_blocks_make(context, &blocks, p.start, p.index) == TALUS_OK);
  for (int64_t e = p.start[3]; e < p.start[4]; e++) {
    p.value[e] = 0;
  }
  CHECK(!tl_blocks_factor(&blocks, p.value, p.start[p.order], &unlimited));
  p.value[p.start[3]] = NAN;
  CHECK(!tl_blocks_factor(&blocks, p.value, p.start[p.order], &unlimited));
  tl_blocks_release(context, &blocks);
}

int main(void) {
  if (!tl_blocks_available()) {
    printf("skipped: this build has no SuiteSparse or BLAS\n");
    return CHECK_SKIPPED;
  }
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  def.backend = TALUS_BACKEND_CPU;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  test_solutions(context);
  test_singular(context);
  talus_context_destroy(context);
  return check_end();
}
