/* dense_library.cu: cuBLAS and cuSOLVER by dlopen, under the names of the toolkit's major version.
 * Types are those of its headers, so that a wrong call does not compile. */
#include "kernels/cuda/dense_library.h"

#include <cublas_v2.h>
#include <cusolverDn.h>
#include <dlfcn.h>
#include <stdio.h>

#define TEXT(x) TEXT_OF(x)
#define TEXT_OF(x) #x
static const char BLAS_NAME[] = "libcublas.so." TEXT(CUBLAS_VER_MAJOR);
static const char SOLVER_NAME[] = "libcusolver.so." TEXT(CUSOLVER_VER_MAJOR);

/* X(library, function): all that is called. */
#define FUNCTIONS(X)                     \
  X(blas, cublasCreate_v2)               \
  X(blas, cublasDestroy_v2)              \
  X(blas, cublasSetStream_v2)            \
  X(blas, cublasDgemv_v2)                \
  X(blas, cublasDgemvBatched)            \
  X(blas, cublasDgetrfBatched)           \
  X(blas, cublasDgetrsBatched)           \
  X(solver, cusolverDnCreate)            \
  X(solver, cusolverDnDestroy)           \
  X(solver, cusolverDnSetStream)         \
  X(solver, cusolverDnDpotrf_bufferSize) \
  X(solver, cusolverDnDpotrf)            \
  X(solver, cusolverDnDpotrs)            \
  X(solver, cusolverDnDpotrfBatched)     \
  X(solver, cusolverDnDpotrsBatched)     \
  X(solver, cusolverDnDgetrf_bufferSize) \
  X(solver, cusolverDnDgetrf)            \
  X(solver, cusolverDnDgetrs)

struct tl_dense_library {
  void *blas, *solver; /* of dlopen */
  cublasHandle_t blas_handle;
  cusolverDnHandle_t solver_handle;
  tl_cuda_buffer room; /* of the calls for one matrix */
#define MEMBER(library, function) decltype(&::function) function;
  FUNCTIONS(MEMBER)
#undef MEMBER
};

/* ---- loading --------------------------------------------------------------------------------- */

static talus_status missing(tl_cuda_device *device, const char *name) {
  const char *const why = dlerror();
  return tl_fail(device->context, TALUS_UNSUPPORTED,
                 "dense factors on a device need cuBLAS and cuSOLVER: %s (%s); install the CUDA "
                 "toolkit's libraries or put them on LD_LIBRARY_PATH",
                 name, why != NULL ? why : "not found");
}

static talus_status load(tl_cuda_device *device, tl_dense_library *l) {
  l->blas = dlopen(BLAS_NAME, RTLD_NOW | RTLD_LOCAL);
  if (l->blas == NULL) {
    return missing(device, BLAS_NAME);
  }
  l->solver = dlopen(SOLVER_NAME, RTLD_NOW | RTLD_LOCAL);
  if (l->solver == NULL) {
    return missing(device, SOLVER_NAME);
  }
#define FIND(library, function)                          \
  *(void **)&l->function = dlsym(l->library, #function); \
  if (l->function == NULL) {                             \
    return missing(device, #function);                   \
  }
  FUNCTIONS(FIND)
#undef FIND
  return TALUS_OK;
}

/* Calls of both libraries: 0 is good with either; lack of memory is told apart. */
static talus_status check(tl_cuda_device *device, int status, bool memory, const char *call) {
  if (status == 0) {
    return TALUS_OK;
  }
  return memory ? tl_fail(device->context, TALUS_OUT_OF_MEMORY, "%s: no device memory", call)
                : tl_fail(device->context, TALUS_DEVICE_ERROR, "%s: status %d", call, status);
}
#define BLAS_TRY(function, ...)                                                          \
  do {                                                                                   \
    const cublasStatus_t status = device->dense->function(__VA_ARGS__);                  \
    TL_TRY(check(device, (int)status, status == CUBLAS_STATUS_ALLOC_FAILED, #function)); \
  } while (0)
#define SOLVER_TRY(function, ...)                                                          \
  do {                                                                                     \
    const cusolverStatus_t status = device->dense->function(__VA_ARGS__);                  \
    TL_TRY(check(device, (int)status, status == CUSOLVER_STATUS_ALLOC_FAILED, #function)); \
  } while (0)

static talus_status handles_make(tl_cuda_device *device) {
  tl_dense_library *const l = device->dense;
  BLAS_TRY(cublasCreate_v2, &l->blas_handle);
  BLAS_TRY(cublasSetStream_v2, l->blas_handle, device->stream);
  SOLVER_TRY(cusolverDnCreate, &l->solver_handle);
  SOLVER_TRY(cusolverDnSetStream, l->solver_handle, device->stream);
  return TALUS_OK;
}

talus_status tl_dense_library_open(tl_cuda_device *device) {
  if (device->dense != NULL) {
    return TALUS_OK;
  }
  TL_TRY(tl_alloc(device->context, (void **)&device->dense, 1, sizeof *device->dense,
                  "cuBLAS and cuSOLVER"));
  memset((void *)device->dense, 0, sizeof *device->dense);
  talus_status status = load(device, device->dense);
  status = status == TALUS_OK ? handles_make(device) : status;
  if (status != TALUS_OK) {
    tl_dense_library_close(device);
  }
  return status;
}

/* The libraries stay loaded: they do not survive being taken out and put in again. */
void tl_dense_library_close(tl_cuda_device *device) {
  tl_dense_library *const l = device->dense;
  if (l == NULL) {
    return;
  }
  if (l->solver_handle != NULL) {
    (void)l->cusolverDnDestroy(l->solver_handle);
  }
  if (l->blas_handle != NULL) {
    (void)l->cublasDestroy_v2(l->blas_handle);
  }
  tl_cuda_release(device, &l->room);
  tl_free(device->context, l);
  device->dense = NULL;
}

void tl_dense_library_describe(char *text, size_t capacity) {
  void *const blas = dlopen(BLAS_NAME, RTLD_LAZY | RTLD_LOCAL);
  void *const solver = dlopen(SOLVER_NAME, RTLD_LAZY | RTLD_LOCAL);
  snprintf(text, capacity, "%s %s, %s %s", BLAS_NAME, blas != NULL ? "found" : "not found",
           SOLVER_NAME, solver != NULL ? "found" : "not found");
}

/* ---- calls ----------------------------------------------------------------------------------- */

static talus_status factor_one(tl_cuda_device *device, bool cholesky, int n, int stride,
                               double *matrix, int *pivot, int *info) {
  tl_dense_library *const l = device->dense;
  const cublasFillMode_t lower = CUBLAS_FILL_MODE_LOWER;
  int reals = 0;
  if (cholesky) {
    SOLVER_TRY(cusolverDnDpotrf_bufferSize, l->solver_handle, lower, n, matrix, stride, &reals);
  } else {
    SOLVER_TRY(cusolverDnDgetrf_bufferSize, l->solver_handle, n, n, matrix, stride, &reals);
  }
  TL_TRY(tl_cuda_reserve(device, &l->room, (size_t)reals * sizeof(double), "a factorisation"));
  double *const room = (double *)l->room.memory;
  if (cholesky) {
    SOLVER_TRY(cusolverDnDpotrf, l->solver_handle, lower, n, matrix, stride, room, reals, info);
  } else {
    SOLVER_TRY(cusolverDnDgetrf, l->solver_handle, n, n, matrix, stride, room, pivot, info);
  }
  return TALUS_OK;
}

talus_status tl_dense_library_factor(tl_cuda_device *device, bool cholesky, int n, int stride,
                                     int count, tl_dense_pointers matrix, int *pivot, int *info) {
  tl_dense_library *const l = device->dense;
  if (count == 1) {
    return factor_one(device, cholesky, n, stride, matrix.here[0], pivot, info);
  }
  if (cholesky) {
    SOLVER_TRY(cusolverDnDpotrfBatched, l->solver_handle, CUBLAS_FILL_MODE_LOWER, n, matrix.there,
               stride, info, count);
  } else {
    BLAS_TRY(cublasDgetrfBatched, l->blas_handle, n, matrix.there, stride, pivot, info, count);
  }
  return TALUS_OK;
}

talus_status tl_dense_library_solve(tl_cuda_device *device, bool cholesky, int n, int stride,
                                    int count, tl_dense_pointers matrix, const int *pivot,
                                    tl_dense_pointers vector, int *info) {
  tl_dense_library *const l = device->dense;
  const cublasFillMode_t lower = CUBLAS_FILL_MODE_LOWER;
  int wrong = 0;
  if (count == 1 && cholesky) {
    SOLVER_TRY(cusolverDnDpotrs, l->solver_handle, lower, n, 1, matrix.here[0], stride,
               vector.here[0], n, info);
  } else if (count == 1) {
    SOLVER_TRY(cusolverDnDgetrs, l->solver_handle, CUBLAS_OP_N, n, 1, matrix.here[0], stride, pivot,
               vector.here[0], n, info);
  } else if (cholesky) {
    SOLVER_TRY(cusolverDnDpotrsBatched, l->solver_handle, lower, n, 1, matrix.there, stride,
               vector.there, n, info, count);
  } else {
    BLAS_TRY(cublasDgetrsBatched, l->blas_handle, CUBLAS_OP_N, n, 1, matrix.there, stride, pivot,
             vector.there, n, &wrong, count);
  }
  return wrong == 0 ? TALUS_OK
                    : tl_fail(device->context, TALUS_DEVICE_ERROR,
                              "cublasDgetrsBatched: argument %d is wrong", -wrong);
}

talus_status tl_dense_library_apply(tl_cuda_device *device, int n, int count, tl_dense_pointers w,
                                    tl_dense_pointers y, tl_dense_pointers u) {
  tl_dense_library *const l = device->dense;
  const double one = 1, zero = 0;
  if (count == 1) {
    BLAS_TRY(cublasDgemv_v2, l->blas_handle, CUBLAS_OP_N, n, n, &one, w.here[0], n, y.here[0], 1,
             &zero, u.here[0], 1);
  } else {
    BLAS_TRY(cublasDgemvBatched, l->blas_handle, CUBLAS_OP_N, n, n, &one, w.there, n, y.there, 1,
             &zero, u.there, 1, count);
  }
  return TALUS_OK;
}
