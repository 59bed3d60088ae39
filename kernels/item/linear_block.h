/* linear_block.h: one block of a matrix of second-order methods (host/method/newton/linear.h). */
#ifndef TL_ITEM_LINEAR_BLOCK_H
#define TL_ITEM_LINEAR_BLOCK_H

#include "kernels/item/real.h"

/* (B W S^T)_ij, all of them 3 x 3, row-major; s NULL: identity. */
TL_ITEM void tl_linear_block(const double *b, const double *w, const double *s, double block[9]) {
  for (int i = 0; i < 3; i++) {
    double row[3];
    for (int j = 0; j < 3; j++) {
      row[j] = b[3 * i] * w[j] + b[3 * i + 1] * w[3 + j] + b[3 * i + 2] * w[6 + j];
    }
    for (int j = 0; j < 3; j++) {
      block[3 * i + j] =
          s != NULL ? s[3 * j] * row[0] + s[3 * j + 1] * row[1] + s[3 * j + 2] * row[2] : row[j];
    }
  }
}

/* Adds A, a NULL: the identity. */
TL_ITEM void tl_linear_block_add(const double *a, double block[9]) {
  for (int i = 0; i < 9; i++) {
    block[i] += a != NULL ? a[i] : i % 4 == 0;
  }
}

/* (J_a^T G J_b)_ij: column i of J_a, column j of J_b, with so many rows. */
TL_ITEM double tl_linear_product(const double *ja, int32_t size_a, int32_t i, const double *gain,
                                 const double *jb, int32_t size_b, int32_t j, int32_t rows) {
  double sum = 0;
  for (int32_t r = 0; r < rows; r++) {
    double inner = 0;
    for (int32_t s = 0; s < rows; s++) {
      inner += gain[3 * r + s] * jb[s * size_b + j];
    }
    sum += ja[r * size_a + i] * inner;
  }
  return sum;
}

#endif
