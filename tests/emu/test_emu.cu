/* test_emu.cu: what Talus asks of CUDA, asked of whichever CUDA there is.
 *
 * The same file is compiled against the emulation, by nvcc for ptxrun, and for a GPU: so what the
 * emulation does is held against the real semantics, and what kernels may rely on is written down.
 * Passes in every mode of emu.h. Planted errors, which only the emulation reports, are in
 * test_emu_planted.cu. */
#include <stdint.h>
#include <string.h>

#include <vector>

#include "kernels/cuda/launch.h"
#include "tests/check.h"

#define CUDA(call) CHECK_CASE((call) == cudaSuccess, "%s", cudaGetErrorName(cudaPeekAtLastError()))

enum { THREADS = 256 };
static const unsigned ALL = 0xffffffffu;

template <class T> static T *device_array(size_t count) {
  T *memory = NULL;
  CUDA(cudaMalloc(&memory, count * sizeof(T)));
  return memory;
}

template <class T> static std::vector<T> fetch(const T *device, size_t count) {
  std::vector<T> host(count);
  CUDA(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
  return host;
}

/* ---- shared memory, barriers, the last block ------------------------------------------------- */

static __global__ void __launch_bounds__(THREADS)
    sum_kernel(const double *__restrict__ values, int count, double *partial, unsigned *ticket,
               double *sum) {
  __shared__ double tree[THREADS];
  __shared__ bool is_last;
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  tree[threadIdx.x] = i < count ? values[i] : 0;
  __syncthreads();
  for (unsigned half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      tree[threadIdx.x] += tree[threadIdx.x + half];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = tree[0];
    __threadfence();
    is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    double total = 0;
    for (unsigned b = 0; b < gridDim.x; b++) {
      total += ((volatile double *)partial)[b];
    }
    *sum = total;
  }
}

static void test_sum(void) {
  const int count = 5000;
  const unsigned blocks = tl_cuda_blocks(count, THREADS);
  std::vector<double> host(count);
  double expected = 0;
  for (int i = 0; i < count; i++) {
    host[i] = i % 97 - 31;
    expected += host[i];
  }
  double *values = device_array<double>(count), *partial = device_array<double>(blocks);
  double *sum = device_array<double>(1);
  unsigned *ticket = device_array<unsigned>(1);
  CUDA(cudaMemcpy(values, host.data(), count * sizeof(double), cudaMemcpyHostToDevice));
  CUDA(cudaMemset(ticket, 0, sizeof *ticket));
  for (int repeat = 0; repeat < 3; repeat++) { /* atomicInc leaves the ticket at 0 for the next */
    CUDA(cudaMemset(sum, 0xff, sizeof *sum));
    CUDA(tl_cuda_launch(0, blocks, THREADS, sum_kernel, values, count, partial, ticket, sum));
    CHECK(fetch(sum, 1)[0] == expected);
  }
  for (void *memory : {(void *)values, (void *)partial, (void *)sum, (void *)ticket}) {
    CUDA(cudaFree(memory));
  }
}

/* Outputs of one thread: count, or, and; then its place by three indices. */
static __global__ void predicate_kernel(int4 *out) {
  const unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int all = __syncthreads_count(t % 3 == b % 3);
  const int any = __syncthreads_or(t == b);
  const int every = __syncthreads_and(t != b);
  out[b * (blockDim.x * blockDim.y * blockDim.z) + t] =
      make_int4(all, any, every, (int)(t + 1000 * b));
}

static void test_predicates(void) {
  const unsigned threads = 5 * 3 * 4, blocks = 3 * 2 * 11;
  int4 *out = device_array<int4>(threads * blocks);
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(3, 2, 11);
  config.blockDim = dim3(5, 3, 4);
  CUDA(cudaLaunchKernelEx(&config, predicate_kernel, out));
  const std::vector<int4> got = fetch(out, threads * blocks);
  int wrong = 0;
  for (unsigned b = 0; b < blocks; b++) {
    for (unsigned t = 0; t < threads; t++) {
      const int4 o = got[b * threads + t];
      wrong +=
          o.x != 20 || o.y != (b < threads) || o.z != (b >= threads) || o.w != (int)(t + 1000 * b);
    }
  }
  CHECK(wrong == 0);
  CUDA(cudaFree(out));
}

/* ---- warps ----------------------------------------------------------------------------------- */

enum { SHUFFLES = 8 };

template <class T> static __global__ void shuffle_kernel(T *out) {
  const T mine = (T)(threadIdx.x * 3 + 1);
  T *row = out + threadIdx.x * SHUFFLES;
  row[0] = __shfl_sync(ALL, mine, 5);
  row[1] = __shfl_sync(ALL, mine, (int)threadIdx.x + 1);
  row[2] = __shfl_sync(ALL, mine, 3, 8);
  row[3] = __shfl_up_sync(ALL, mine, 2);
  row[4] = __shfl_down_sync(ALL, mine, 7);
  row[5] = __shfl_down_sync(ALL, mine, 1, 4);
  row[6] = __shfl_xor_sync(ALL, mine, 16);
  T sum = mine;
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_down_sync(ALL, sum, offset);
  }
  row[7] = __shfl_sync(ALL, sum, 0);
}

template <class T> static void test_shuffle(void) {
  const int threads = 64;
  T *out = device_array<T>(threads * SHUFFLES);
  CUDA(tl_cuda_launch(0, 1, threads, shuffle_kernel<T>, out));
  const std::vector<T> got = fetch(out, threads * SHUFFLES);
  for (int t = 0; t < threads; t++) {
    const int warp = t & ~31, lane = t & 31;
    const int source[SHUFFLES - 1] = {5,
                                      (lane + 1) & 31,
                                      (lane & ~7) + 3,
                                      lane < 2 ? lane : lane - 2,
                                      lane + 7 > 31 ? lane : lane + 7,
                                      (lane & 3) == 3 ? lane : lane + 1,
                                      lane ^ 16};
    for (int s = 0; s < SHUFFLES - 1; s++) {
      CHECK_CASE(got[t * SHUFFLES + s] == (T)((warp + source[s]) * 3 + 1), "thread %d, column %d",
                 t, s);
    }
    CHECK(got[t * SHUFFLES + 7] == (T)(32 * (warp * 3 + 1) + 3 * 496));
  }
  CUDA(cudaFree(out));
}

/* The last warp has 8 lanes; one lane of each leaves early, and odd and even lanes part. */
static __global__ void ballot_kernel(uint4 *out) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned whole = __ballot_sync(ALL, lane % 3 == 0);
  if (lane == 7) {
    return;
  }
  uint4 o = make_uint4(whole, 0, 0, 0);
  const unsigned rest =
      ALL & ~(1u << 7); /* CUDA lets a mask name lanes that left, but not every tool */
  const unsigned odd = __ballot_sync(rest, lane % 2);
  if (lane % 2) {
    o.y = __ballot_sync(odd, lane > 4);
    o.z = (unsigned)__popc(__ballot_sync(odd, 1));
  } else {
    o.y = (unsigned)__any_sync(rest & ~odd, lane == 2);
    o.z = (unsigned)__all_sync(rest & ~odd, lane != 2);
  }
  __syncwarp(rest);
  o.w = __activemask() >> lane & 1;
  out[threadIdx.x] = o;
}

static void test_ballot(void) {
  const unsigned threads = 72;
  uint4 *out = device_array<uint4>(threads);
  CUDA(cudaMemset(out, 0, threads * sizeof *out));
  CUDA(tl_cuda_launch(0, 1, threads, ballot_kernel, out));
  const std::vector<uint4> got = fetch(out, threads);
  for (unsigned t = 0; t < threads; t++) {
    const unsigned lane = t % 32, there = t < 64 ? ALL : 0xff, odd = there & 0xaaaaaa2a;
    const uint4 o = got[t];
    if (lane == 7) {
      CHECK(o.x == 0 && o.w == 0);
      continue;
    }
    CHECK_CASE(o.x == (0x49249249u & there), "thread %u: %08x", t, o.x);
    CHECK_CASE(o.w == 1, "thread %u", t);
    if (lane % 2) {
      CHECK_CASE(o.y == (odd & ~0x1fu), "thread %u: %08x", t, o.y);
      CHECK_CASE(o.z == (unsigned)__builtin_popcount(odd), "thread %u: %u", t, o.z);
    } else {
      CHECK_CASE(o.y == 1 && o.z == 0, "thread %u: %u %u", t, o.y, o.z);
    }
  }
  CUDA(cudaFree(out));
}

/* ---- atomics --------------------------------------------------------------------------------- */

template <class T> struct counters { T sum, highest, lowest, swapped, tripled, bits; };

template <class T> static __global__ void atomic_kernel(counters<T> *c, unsigned *wrapped) {
  const T i = (T)(blockIdx.x * blockDim.x + threadIdx.x);
  atomicAdd(&c->sum, i);
  atomicMax(&c->highest, i);
  atomicMin(&c->lowest, i + 5);
  atomicExch(&c->swapped, (T)7);
  atomicOr(&c->bits, (T)1 << (threadIdx.x % 20));
  T seen = c->tripled, expected;
  do { /* nobody is overtaken twice by the same: ends */
    expected = seen;
    seen = atomicCAS(&c->tripled, expected, expected + 3);
  } while (seen != expected);
  atomicInc(wrapped, 9);
}

template <class T> static void test_atomics(void) {
  const unsigned blocks = 5, threads = 96, count = blocks * threads;
  const counters<T> before = {0, 0, (T)1000000, 0, 0, 0};
  counters<T> *c = device_array<counters<T>>(1);
  unsigned *wrapped = device_array<unsigned>(1);
  CUDA(cudaMemcpy(c, &before, sizeof before, cudaMemcpyHostToDevice));
  CUDA(cudaMemset(wrapped, 0, sizeof *wrapped));
  CUDA(tl_cuda_launch(0, blocks, threads, atomic_kernel<T>, c, wrapped));
  const counters<T> after = fetch(c, 1)[0];
  CHECK(after.sum == (T)(count * (count - 1) / 2));
  CHECK(after.highest == (T)(count - 1) && after.lowest == 5 && after.swapped == 7);
  CHECK(after.tripled == (T)(3 * count) && after.bits == 0xfffff);
  CHECK(fetch(wrapped, 1)[0] == count % 10);
  CUDA(cudaFree(c));
  CUDA(cudaFree(wrapped));
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

enum { OPERATIONS = 6 };

template <class T> static __global__ void arithmetic_kernel(const T *a, const T *b, T *out, int n) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) {
    const T x = __ldg(a + i), y = b[i];
    out[i] = x * y + x;
    out[n + i] = x / y;
    out[2 * n + i] = sqrt(fabs(x));
    out[3 * n + i] = min(x, y);
    out[4 * n + i] = max(x, y);
    out[5 * n + i] = x - y;
  }
}

/* Kept apart by volatile, so that no compiler contracts it. */
template <class T> static T multiply_add(T x, T y) {
  volatile T product = x * y;
  return product + x;
}

template <class T> static void test_arithmetic(void) {
  const int n = 3000;
  std::vector<T> a(n), b(n), expected(OPERATIONS * n);
  srand(3);
  for (int i = 0; i < n; i++) {
    a[i] = (T)((rand() - RAND_MAX / 2) * pow(2, rand() % 40 - 40));
    b[i] = (T)((rand() - RAND_MAX / 2) * pow(2, rand() % 40 - 40));
  }
  for (int i = 0; i < n; i++) {
    expected[i] = multiply_add(a[i], b[i]);
    expected[n + i] = a[i] / b[i];
    expected[2 * n + i] =
        (T)(sizeof(T) == 4 ? sqrtf(fabsf((float)a[i])) : sqrt(fabs((double)a[i])));
    expected[3 * n + i] = a[i] < b[i] ? a[i] : b[i];
    expected[4 * n + i] = a[i] < b[i] ? b[i] : a[i];
    expected[5 * n + i] = a[i] - b[i];
  }
  T *da = device_array<T>(n), *db = device_array<T>(n), *out = device_array<T>(OPERATIONS * n);
  CUDA(cudaMemcpy(da, a.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  CUDA(cudaMemcpy(db, b.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  CUDA(tl_cuda_launch(0, tl_cuda_blocks(n, 128), 128, arithmetic_kernel<T>, da, db, out, n));
  CHECK(memcmp(fetch(out, OPERATIONS * n).data(), expected.data(), OPERATIONS * n * sizeof(T)) ==
        0);
  /* A NaN loses against a number, and -0 is below +0. */
  const T first[4] = {(T)NAN, 2, (T)0.0, (T)-0.0}, second[4] = {1, (T)NAN, (T)-0.0, (T)0.0};
  CUDA(cudaMemcpy(da, first, sizeof first, cudaMemcpyHostToDevice));
  CUDA(cudaMemcpy(db, second, sizeof second, cudaMemcpyHostToDevice));
  CUDA(tl_cuda_launch(0, 1, 4, arithmetic_kernel<T>, da, db, out, 4));
  const std::vector<T> got = fetch(out, OPERATIONS * 4);
  CHECK(got[12] == 1 && got[13] == 2 && signbit(got[14]) && signbit(got[15]));
  CHECK(got[16] == 1 && got[17] == 2 && !signbit(got[18]) && !signbit(got[19]));
  CUDA(cudaFree(da));
  CUDA(cudaFree(db));
  CUDA(cudaFree(out));
}

int main(void) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    printf("skipped: no CUDA device\n");
    return CHECK_SKIPPED;
  }
  test_sum();
  test_predicates();
  test_shuffle<int>();
  test_shuffle<unsigned>();
  test_shuffle<long long>();
  test_shuffle<float>();
  test_shuffle<double>();
  test_ballot();
  test_atomics<int>();
  test_atomics<unsigned>();
  test_atomics<unsigned long long>();
  test_arithmetic<float>();
  test_arithmetic<double>();
  return check_end();
}
