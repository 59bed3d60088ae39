/* dense_library_emu.cpp: kernels/cuda/dense_library.h without cuBLAS and cuSOLVER.
 *
 * With EMU_LIBRARIES=1 plain loops stand in for them, queued like kernels, so that EMU_LAZY and
 * EMU_GUARD apply to them. Each matrix is worked on by itself: a batched call gives the bits of
 * single ones. Without it the emulated device has no libraries, as a build whose toolkit has none,
 * and says so in that build's words. */
#include "kernels/cuda/dense_library.h"

#include <stdio.h>

#include <vector>

#include "emu.h"

namespace absent {
namespace {
#include "kernels/cuda/dense_library_none.cu"
}
} // namespace absent

static bool is_there(void) {
  return emu_get().libraries;
}

talus_status tl_dense_library_open(tl_cuda_device *device) {
  return is_there() ? TALUS_OK : absent::tl_dense_library_open(device);
}

void tl_dense_library_close(tl_cuda_device *device) {
  absent::tl_dense_library_close(device);
}

void tl_dense_library_describe(char *text, size_t capacity) {
  if (is_there()) {
    snprintf(text, capacity, "emulated");
  } else {
    absent::tl_dense_library_describe(text, capacity);
  }
}

/* ---- one matrix by columns ------------------------------------------------------------------- */

/* The lower triangle, column by column; returns 0, or the first minor that is not positive. */
static int cholesky_factor(double *a, int n, int stride) {
  for (int j = 0; j < n; j++) {
    double *const column = a + (size_t)stride * j;
    for (int k = 0; k < j; k++) {
      const double *const earlier = a + (size_t)stride * k;
      const double factor = earlier[j];
      for (int i = j; i < n && factor != 0; i++) {
        column[i] -= earlier[i] * factor;
      }
    }
    if (!(column[j] > 0)) {
      return j + 1;
    }
    const double root = sqrt(column[j]);
    for (int i = j; i < n; i++) {
      column[i] /= root;
    }
  }
  return 0;
}

static void cholesky_solve(const double *a, int n, int stride, double *x) {
  for (int j = 0; j < n; j++) {
    x[j] /= a[(size_t)stride * j + j];
    for (int i = j + 1; i < n; i++) {
      x[i] -= a[(size_t)stride * j + i] * x[j];
    }
  }
  for (int j = n - 1; j >= 0; j--) {
    for (int i = j + 1; i < n; i++) {
      x[j] -= a[(size_t)stride * j + i] * x[i];
    }
    x[j] /= a[(size_t)stride * j + j];
  }
}

static void rows_swap(double *a, int n, int stride, int one, int other) {
  for (int j = 0; j < n && one != other; j++) {
    std::swap(a[(size_t)stride * j + one], a[(size_t)stride * j + other]);
  }
}

/* Pivots count from 1; returns 0, or the first pivot that is 0. */
static int lu_factor(double *a, int n, int stride, int *pivot) {
  int singular = 0;
  for (int j = 0; j < n; j++) {
    double *const column = a + (size_t)stride * j;
    int best = j;
    for (int i = j + 1; i < n; i++) {
      best = fabs(column[i]) > fabs(column[best]) ? i : best;
    }
    pivot[j] = best + 1;
    rows_swap(a, n, stride, j, best);
    if (!(fabs(column[j]) > 0)) {
      singular = singular != 0 ? singular : j + 1;
      continue;
    }
    for (int i = j + 1; i < n; i++) {
      column[i] /= column[j];
    }
    for (int k = j + 1; k < n; k++) {
      double *const later = a + (size_t)stride * k;
      const double factor = later[j];
      for (int i = j + 1; i < n && factor != 0; i++) {
        later[i] -= column[i] * factor;
      }
    }
  }
  return singular;
}

static void lu_solve(const double *a, int n, int stride, const int *pivot, double *x) {
  for (int j = 0; j < n; j++) {
    std::swap(x[j], x[pivot[j] - 1]);
  }
  for (int j = 0; j < n; j++) {
    for (int i = j + 1; i < n; i++) {
      x[i] -= a[(size_t)stride * j + i] * x[j];
    }
  }
  for (int j = n - 1; j >= 0; j--) {
    x[j] /= a[(size_t)stride * j + j];
    for (int i = 0; i < j; i++) {
      x[i] -= a[(size_t)stride * j + i] * x[j];
    }
  }
}

/* ---- the calls ------------------------------------------------------------------------------- */

/* The pointers of a call: a single one's from the host, as they are now; several from device
 * memory, when the work is done. */
static std::vector<double *> pointers_of(double *first, double **there, int count) {
  return count == 1 ? std::vector<double *>{first} : std::vector<double *>(there, there + count);
}

static talus_status queue(tl_cuda_device *device, std::function<void()> work) {
  return tl_cuda_check(device, emu_queue(device->stream, std::move(work)), "emu_queue", __func__);
}

talus_status tl_dense_library_factor(tl_cuda_device *device, bool cholesky, int n, int stride,
                                     int count, tl_dense_pointers matrix, int *pivot, int *info) {
  if (!is_there()) {
    return absent::tl_dense_library_factor(device, cholesky, n, stride, count, matrix, pivot, info);
  }
  double *const first = matrix.here[0], **const there = matrix.there;
  return queue(device, [=] {
    const std::vector<double *> a = pointers_of(first, there, count);
    for (int i = 0; i < count; i++) {
      info[i] = cholesky ? cholesky_factor(a[(size_t)i], n, stride)
                         : lu_factor(a[(size_t)i], n, stride, pivot + (size_t)n * (size_t)i);
    }
  });
}

talus_status tl_dense_library_solve(tl_cuda_device *device, bool cholesky, int n, int stride,
                                    int count, tl_dense_pointers matrix, const int *pivot,
                                    tl_dense_pointers vector, int *info) {
  if (!is_there()) {
    return absent::tl_dense_library_solve(device, cholesky, n, stride, count, matrix, pivot, vector,
                                          info);
  }
  double *const first = matrix.here[0], **const there = matrix.there;
  double *const right = vector.here[0], **const rights = vector.there;
  return queue(device, [=] {
    const std::vector<double *> a = pointers_of(first, there, count);
    const std::vector<double *> x = pointers_of(right, rights, count);
    for (size_t i = 0; i < a.size(); i++) {
      if (cholesky) {
        cholesky_solve(a[i], n, stride, x[i]);
      } else {
        lu_solve(a[i], n, stride, pivot + (size_t)n * i, x[i]);
      }
    }
  });
}

talus_status tl_dense_library_apply(tl_cuda_device *device, int n, int count, tl_dense_pointers w,
                                    tl_dense_pointers y, tl_dense_pointers u) {
  if (!is_there()) {
    return absent::tl_dense_library_apply(device, n, count, w, y, u);
  }
  double *const first = w.here[0], **const there = w.there;
  double *const from = y.here[0], **const froms = y.there;
  double *const to = u.here[0], **const tos = u.there;
  return queue(device, [=] {
    const std::vector<double *> a = pointers_of(first, there, count);
    const std::vector<double *> x = pointers_of(from, froms, count);
    const std::vector<double *> product = pointers_of(to, tos, count);
    for (size_t k = 0; k < a.size(); k++) {
      for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) {
          sum += a[k][(size_t)n * (size_t)j + (size_t)i] * x[k][j];
        }
        product[k][i] = sum;
      }
    }
  });
}
