/* real.h: the number type of the kernels, three-vectors, and the mark of an item function.
 *
 * Everything below kernels/ is compiled twice, with TL_REAL_IS_FLOAT 0 and 1, for the CPU and for
 * CUDA. Item functions use + - * / sqrt and comparisons only, which IEEE 754 rounds alike
 * everywhere; with contraction off this gives the same bits on every backend.
 * TL_ITEM_LARGE: an item that callers share instead of having a copy each; TL_ITEM_TABLE: constant
 * arrays that such items read. */
#ifndef TL_ITEM_REAL_H
#define TL_ITEM_REAL_H

#include <math.h>
#include <stdint.h>

#if TL_REAL_IS_FLOAT
typedef float tl_real;
#define TL_NAME(stem) stem##_f32
#define TL_REAL_EPSILON 1.1920929e-07f
#else
typedef double tl_real;
#define TL_NAME(stem) stem##_f64
#define TL_REAL_EPSILON 2.220446049250313e-16
#endif

#if defined(__CUDACC__)
#define TL_ITEM static __host__ __device__ __forceinline__
#define TL_ITEM_LARGE static __device__ __noinline__
#define TL_ITEM_TABLE static __device__ const
#else
#define TL_ITEM static inline __attribute__((always_inline, unused))
#define TL_ITEM_LARGE static __attribute__((unused))
#define TL_ITEM_TABLE static const __attribute__((unused))
#endif

TL_ITEM tl_real tl_sqrt(tl_real a) {
#if TL_REAL_IS_FLOAT
  return sqrtf(a);
#else
  return sqrt(a);
#endif
}

typedef struct tl_vec {
  tl_real x, y, z;
} tl_vec;

TL_ITEM tl_vec tl_vec_make(tl_real x, tl_real y, tl_real z) {
  tl_vec v;
  v.x = x;
  v.y = y;
  v.z = z;
  return v;
}

/* Four reals that move as one, 16 bytes at a time: half a record of a body. */
typedef struct __attribute__((aligned(16))) tl_quad {
  tl_real x, y, z, w;
} tl_quad;

TL_ITEM tl_quad tl_quad_load(const tl_real *array) {
  return *(const tl_quad *)(const void *)array;
}

TL_ITEM void tl_quad_save(tl_real *array, tl_vec v, tl_real w) {
  tl_quad q;
  q.x = v.x;
  q.y = v.y;
  q.z = v.z;
  q.w = w;
  *(tl_quad *)(void *)array = q;
}

TL_ITEM tl_vec tl_load(const tl_real *array, int64_t k) {
  return tl_vec_make(array[3 * k], array[3 * k + 1], array[3 * k + 2]);
}

TL_ITEM void tl_save(tl_real *array, int64_t k, tl_vec v) {
  array[3 * k] = v.x;
  array[3 * k + 1] = v.y;
  array[3 * k + 2] = v.z;
}

TL_ITEM tl_vec tl_add(tl_vec a, tl_vec b) {
  return tl_vec_make(a.x + b.x, a.y + b.y, a.z + b.z);
}
TL_ITEM tl_vec tl_sub(tl_vec a, tl_vec b) {
  return tl_vec_make(a.x - b.x, a.y - b.y, a.z - b.z);
}
TL_ITEM tl_vec tl_times(tl_real s, tl_vec a) {
  return tl_vec_make(s * a.x, s * a.y, s * a.z);
}
/* a + s b */
TL_ITEM tl_vec tl_along(tl_vec a, tl_real s, tl_vec b) {
  return tl_vec_make(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
TL_ITEM tl_real tl_dot(tl_vec a, tl_vec b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
TL_ITEM tl_vec tl_cross(tl_vec a, tl_vec b) {
  return tl_vec_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/* Symmetric 3x3 matrix times vector; six entries xx xy xz yy yz zz. */
TL_ITEM tl_vec tl_sym_times(const tl_real *m, tl_vec v) {
  return tl_vec_make(m[0] * v.x + m[1] * v.y + m[2] * v.z, m[1] * v.x + m[3] * v.y + m[4] * v.z,
                     m[2] * v.x + m[4] * v.y + m[5] * v.z);
}

#endif
