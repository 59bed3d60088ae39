/* dense_backend.h: the third seam: matrices of second-order methods in the memory of a device.
 *
 * The systems are those of host/method/newton/linear.h, (A + B W S^T) d = r in the space of the
 * contacts or (I + J^T G J) v = p in that of the bodies, formed, factored and solved there; what
 * crosses the bus are the blocks of a factorisation and vectors. One object holds one problem or
 * several whose matrices are at most of one order, and takes a list of requests at a time, which
 * then go through the same kernels and calls. Libraries factor: results are the same from run to
 * run on one device, but not those of another. */
#ifndef TL_DENSE_BACKEND_H
#define TL_DENSE_BACKEND_H

#include <stdbool.h>

#include "host/base/base.h"
#include "kernels/data/scaled_entry.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tl_dense tl_dense;

/* One problem, by the arrays of a tl_scaled; they are copied. */
typedef struct tl_dense_problem {
  int32_t count, rows;  /* constraints, and rows of all of them */
  const int32_t *first; /* [count + 1] first row of a constraint */
  /* space of the contacts: W by blocks of 3 x 3, row-major, columns ascending */
  const int64_t *block_first;
  const int32_t *block_column;
  const double *block;
  bool full; /* W is applied as a full matrix */
  /* space of the bodies: J by constraints; unit_count 0: the other space */
  int32_t unit_count;
  const int32_t *unit_first, *entry_first;
  const tl_scaled_entry *entry;
  const double *jacobian;
  int64_t jacobian_count;
} tl_dense_problem;

/* A matrix to be formed and factored; blocks have 9 reals per constraint. */
typedef struct tl_dense_matrix {
  int32_t slot;
  int32_t active;              /* its order */
  const double *a, *b, *scale; /* contacts; a or scale NULL: identity */
  const int32_t *place;        /* contacts: first row in the matrix, -1: none */
  const double *gain;          /* bodies: G */
  bool cholesky;               /* else LU */
  bool good;                   /* result: neither singular nor indefinite */
  int sign;                    /* result: of the determinant */
} tl_dense_matrix;

/* to := matrix^-1 from, or W from. */
typedef struct tl_dense_vector {
  int32_t slot;
  const double *from;
  double *to;
} tl_dense_vector;

/* What was done since the object was made. */
typedef struct tl_dense_counts {
  int64_t factorisations, solves, products; /* of single problems */
  int64_t launches, calls;                  /* of own kernels, of libraries */
  double operations;                        /* of factorisations: n^3 / 3 or 2 n^3 / 3 */
  int64_t sent, fetched;                    /* bytes */
} tl_dense_counts;

/* What a device can do in a second, by its properties; 0: it does not tell. */
typedef struct tl_dense_rates {
  double operations; /* in double precision, at its peak */
  double bytes;      /* of its memory */
} tl_dense_rates;

typedef struct tl_dense_ops {
  /* Of the context's device; no library is needed for that. */
  void (*rates)(talus_context *context, tl_dense_rates *rates);
  /* Loads the libraries, unless that has been done. UNSUPPORTED: one is missing, the message says
   * which. */
  talus_status (*open)(talus_context *context);
  /* Bytes of the device's memory that are free just now; 0: it does not tell. */
  int64_t (*room)(talus_context *context);
  /* So many problems with matrices of this order, which have their memory from here on: what `load`
   * adds is small beside them. UNSUPPORTED: as above. */
  talus_status (*create)(talus_context *context, int32_t capacity, int32_t order, tl_dense **dense);
  void (*destroy)(tl_dense *dense); /* accepts NULL */
  talus_status (*load)(tl_dense *dense, int32_t slot, const tl_dense_problem *problem);
  /* Lists of requests, each for another slot. */
  talus_status (*factor)(tl_dense *dense, int32_t count, tl_dense_matrix *requests);
  talus_status (*solve)(tl_dense *dense, int32_t count, const tl_dense_vector *requests);
  talus_status (*apply)(tl_dense *dense, int32_t count, const tl_dense_vector *requests);
} tl_dense_ops;

/* Every object begins with this. */
struct tl_dense {
  const tl_dense_ops *ops;
  int64_t bytes; /* of device memory */
  tl_dense_counts counts;
};

/* Those that the context was given, or its backend's. NULL: it has none. */
const tl_dense_ops *tl_dense_backend_find(const talus_context *context);

extern const tl_dense_ops tl_dense_cuda; /* only if built with CUDA */

#ifdef __cplusplus
}
#endif

#endif
