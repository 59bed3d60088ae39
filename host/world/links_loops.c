/* links_loops.c: how many rows of the mechanisms' loops depend on the others where the links stand:
 * W of all of them, and its rank. */
#include <math.h>
#include <string.h>

#include "host/world/links_blocks.h"

/* n less the rank of a symmetric W >= 0, by pivots of the largest first, rows scaled to length one.
 * W is used up. */
static int32_t dependent(double *w, int32_t n) {
  for (int32_t i = 0; i < n; i++) {
    for (int32_t j = 0; j < i; j++) {
      const double size = sqrt(w[i * n + i]) * sqrt(w[j * n + j]);
      w[i * n + j] = w[j * n + i] = size > 0 ? w[i * n + j] / size : 0;
    }
  }
  for (int32_t i = 0; i < n; i++) {
    w[i * n + i] = w[i * n + i] > 0;
  }
  for (int32_t rank = 0; rank < n; rank++) {
    int32_t best = 0;
    for (int32_t i = 1; i < n; i++) {
      best = w[i * n + i] > w[best * n + best] ? i : best;
    }
    const double pivot = w[best * n + best];
    if (!(pivot > 1e-8)) {
      return n - rank;
    }
    for (int32_t i = 0; i < n; i++) {
      const double share = i != best ? w[i * n + best] / pivot : 0;
      for (int32_t j = 0; j < n && share != 0; j++) {
        w[i * n + j] -= share * w[best * n + j];
      }
    }
    for (int32_t i = 0; i < n; i++) { /* done with it */
      w[i * n + best] = w[best * n + i] = 0;
    }
  }
  return 0;
}

int32_t tl_links_loops(const tl_links_blocks *b) {
  const talus_world *const world = b->world;
  const int32_t n = world->joint_velocity_count;
  int32_t rows = 0;
  while (rows < tl_links_rows(world) && !world->coupling->row[rows].of_joint) {
    rows++;
  }
  double *const line = b->loops, *const moved = line + (size_t)rows * (size_t)n;
  double *const w = moved + (size_t)rows * (size_t)n;
  memset(line, 0, 2 * (size_t)rows * (size_t)n * sizeof *line);
  for (int32_t i = 0; i < rows; i++) {
    const tl_coupling_row *const row = &world->coupling->row[i];
    double whole = 0;
    tl_row_spread(world->coupling, row, line + (size_t)i * (size_t)n);
    for (int32_t m = 0; m < world->mechanism_count; m++) {
      const int32_t first = world->mechanism[m].first_velocity;
      const int32_t size = world->mechanism[m].mechanism->v_count;
      const double *const inverse = b->inverse + b->inverse_first[b->free_count + m];
      for (int32_t r = 0; r < size; r++) {
        for (int32_t c = 0; c < size; c++) {
          moved[i * n + first + r] += inverse[r * size + c] * line[i * n + first + c];
        }
      }
    }
    for (int e = 0; e < 2; e++) {
      const tl_coupling_row_end *const end = &row->end[e];
      whole +=
          end->link >= 0 ? 1 / world->mechanism[end->mechanism].mechanism->link[end->link].mass : 0;
    }
    for (int32_t j = 0; j <= i; j++) {
      double sum = 0;
      for (int32_t c = 0; c < n; c++) {
        sum += moved[i * n + c] * line[j * n + c];
      }
      w[i * rows + j] = w[j * rows + i] = sum;
    }
    if (!(w[i * rows + i] > TL_ROUNDING_SHARE * whole)) {
      w[i * rows + i] = 0;
    }
  }
  return dependent(w, rows);
}
