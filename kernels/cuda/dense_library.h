/* dense_library.h: what Talus asks of cuBLAS and cuSOLVER, which are loaded when first needed.
 *
 * Nothing is linked: a library without them works, and says what is missing to whoever wants them.
 * Matrices lie by columns, `stride` apart; several of them, all of one order n, are found through
 * arrays of pointers. Each function that takes several goes by a batched call, or for a single one
 * by the call for one. The emulated device (tests/emu) has a twin of this file's .cu. */
#ifndef TL_DENSE_LIBRARY_H
#define TL_DENSE_LIBRARY_H

#include "kernels/cuda/device_cuda.h"

/* Arrays of pointers: in host memory, and the same in device memory. */
struct tl_dense_pointers {
  double *const *here;
  double **there;
};

/* The context's handles, made at the first call. UNSUPPORTED: a library is missing. */
talus_status tl_dense_library_open(tl_cuda_device *device);
/* Accepts a context that never opened them. */
void tl_dense_library_close(tl_cuda_device *device);
/* A line for people: what was found. */
void tl_dense_library_describe(char *text, size_t capacity);

/* Cholesky's L into the lower triangle, or LU with pivots (n for each matrix); info: 0 if good. */
talus_status tl_dense_library_factor(tl_cuda_device *device, bool cholesky, int n, int stride,
                                     int count, tl_dense_pointers matrix, int *pivot, int *info);
/* Solutions over the right-hand sides. info is scratch. */
talus_status tl_dense_library_solve(tl_cuda_device *device, bool cholesky, int n, int stride,
                                    int count, tl_dense_pointers matrix, const int *pivot,
                                    tl_dense_pointers vector, int *info);
/* u := W y for full matrices of order n. */
talus_status tl_dense_library_apply(tl_cuda_device *device, int n, int count, tl_dense_pointers w,
                                    tl_dense_pointers y, tl_dense_pointers u);

#endif
