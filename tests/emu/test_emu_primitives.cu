/* test_emu_primitives.cu: sort, scan and run lengths against plain loops, on random data.
 *
 * Compiled with kernels/cuda/primitives.cu (CUB) by nvcc, with primitives_emu.cpp without: both
 * must keep what primitives.h says. Also inside a graph, as the solver uses them. */
#include <stdint.h>
#include <string.h>

#include <algorithm>
#include <vector>

#include "kernels/cuda/primitives.h"
#include "tests/check.h"

#define CUDA(call) CHECK_CASE((call) == cudaSuccess, "%s", cudaGetErrorName(cudaPeekAtLastError()))

typedef std::vector<uint32_t> words;

static cudaStream_t stream;

static uint32_t *device_words(size_t count) {
  uint32_t *memory = NULL;
  CUDA(cudaMalloc(&memory, (count + 1) * sizeof(uint32_t))); /* also where count is 0 */
  return memory;
}

static uint32_t *upload(const words &host) {
  uint32_t *memory = device_words(host.size());
  CUDA(cudaMemcpyAsync(memory, host.data(), host.size() * sizeof(uint32_t), cudaMemcpyHostToDevice,
                       stream));
  return memory;
}

static words download(const uint32_t *device, size_t count) {
  words host(count);
  CUDA(cudaMemcpyAsync(host.data(), device, count * sizeof(uint32_t), cudaMemcpyDeviceToHost,
                       stream));
  CUDA(cudaStreamSynchronize(stream));
  return host;
}

static words random_words(size_t count, uint32_t mask) {
  words host(count);
  for (uint32_t &word : host) {
    word = ((uint32_t)rand() * 40503u ^ (uint32_t)rand() >> 3) & mask;
  }
  return host;
}

/* Runs both calls of a primitive: the size, then the work. */
template <class F> static void run(F primitive) {
  size_t bytes = 0;
  void *scratch = NULL;
  CUDA(primitive((void *)NULL, &bytes));
  CHECK(bytes > 0);
  CUDA(cudaMalloc(&scratch, bytes));
  CUDA(primitive(scratch, &bytes));
  CUDA(cudaStreamSynchronize(stream));
  CUDA(cudaFree(scratch));
}

static void test_sort(size_t count, int bits, uint32_t mask) {
  const words keys = random_words(count, mask);
  words values(count), order(count);
  for (size_t i = 0; i < count; i++) {
    values[i] = order[i] = (uint32_t)i;
  }
  const uint32_t low = 0xffffffffu >> (32 - bits);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return (keys[a] & low) < (keys[b] & low); });
  uint32_t *k = upload(keys), *v = upload(values), *ks = device_words(count),
           *vs = device_words(count);
  run([&](void *scratch, size_t *bytes) {
    return tl_cuda_sort_pairs(k, ks, v, vs, (int64_t)count, bits, scratch, bytes, stream);
  });
  const words sorted = download(ks, count);
  CHECK_CASE(download(vs, count) == order, "%zu keys of %d bits: not stable", count, bits);
  size_t wrong = 0;
  for (size_t i = 0; i < count; i++) {
    wrong += sorted[i] != keys[order[i]];
  }
  CHECK(wrong == 0);
  CHECK(download(k, count) == keys && download(v, count) == values); /* inputs untouched */
  for (uint32_t *memory : {k, v, ks, vs}) {
    CUDA(cudaFree(memory));
  }
}

static void test_scan(size_t count) {
  const words counts = random_words(count, 0x00ffffffu); /* large sums wrap around */
  words expected(count);
  uint32_t sum = 0;
  for (size_t i = 0; i < count; i++) {
    expected[i] = sum;
    sum += counts[i];
  }
  uint32_t *in = upload(counts), *out = device_words(count);
  run([&](void *scratch, size_t *bytes) {
    return tl_cuda_exclusive_scan(in, out, (int64_t)count, scratch, bytes, stream);
  });
  CHECK_CASE(download(out, count) == expected, "%zu", count);
  CUDA(cudaFree(in));
  CUDA(cudaFree(out));
}

static void test_runs(size_t count, uint32_t mask) {
  words keys = random_words(count, mask), unique, lengths;
  for (size_t i = 0; i < count; i++) {
    if (i == 0 || keys[i] != keys[i - 1]) {
      unique.push_back(keys[i]);
      lengths.push_back(0);
    }
    lengths.back()++;
  }
  uint32_t *in = upload(keys), *u = device_words(count), *l = device_words(count),
           *runs = device_words(1);
  run([&](void *scratch, size_t *bytes) {
    return tl_cuda_run_lengths(in, u, l, runs, (int64_t)count, scratch, bytes, stream);
  });
  CHECK_CASE(download(runs, 1)[0] == unique.size(), "%zu", count);
  CHECK(download(u, unique.size()) == unique && download(l, unique.size()) == lengths);
  for (uint32_t *memory : {in, u, l, runs}) {
    CUDA(cudaFree(memory));
  }
}

/* A scan of a scan, as a graph, launched again after its input has changed. */
static void test_in_graph(void) {
  const size_t count = 300;
  const words ones(count, 1), twos(count, 2);
  uint32_t *in = upload(ones), *once = device_words(count), *twice = device_words(count);
  size_t bytes = 0;
  void *scratch = NULL;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CUDA(tl_cuda_exclusive_scan(in, once, count, NULL, &bytes, stream));
  CUDA(cudaMalloc(&scratch, bytes));
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  CUDA(tl_cuda_exclusive_scan(in, once, count, scratch, &bytes, stream));
  CUDA(tl_cuda_exclusive_scan(once, twice, count, scratch, &bytes, stream));
  CUDA(cudaStreamEndCapture(stream, &graph));
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  CUDA(cudaGraphLaunch(exec, stream));
  CHECK(download(twice, count)[299] == 299 * 298 / 2);
  CUDA(cudaMemcpyAsync(in, twos.data(), count * sizeof(uint32_t), cudaMemcpyHostToDevice, stream));
  CUDA(cudaGraphLaunch(exec, stream));
  CHECK(download(twice, count)[299] == 299 * 298);
  CUDA(cudaGraphExecDestroy(exec));
  CUDA(cudaGraphDestroy(graph));
  for (void *memory : {(void *)in, (void *)once, (void *)twice, scratch}) {
    CUDA(cudaFree(memory));
  }
}

static void test_refusals(void) {
  uint32_t *x = device_words(8), *y = device_words(8);
  size_t bytes = 0, little = 1;
  CHECK(tl_cuda_sort_pairs(x, y, x, y, -1, 32, NULL, &bytes, stream) == cudaErrorInvalidValue);
  CHECK(tl_cuda_sort_pairs(x, y, x, y, 8, 0, NULL, &bytes, stream) == cudaErrorInvalidValue);
  CHECK(tl_cuda_sort_pairs(x, y, x, y, 8, 33, NULL, &bytes, stream) == cudaErrorInvalidValue);
  CHECK(tl_cuda_exclusive_scan(x, y, -1, NULL, &bytes, stream) == cudaErrorInvalidValue);
  CHECK(tl_cuda_run_lengths(x, y, y, y, (int64_t)1 << 31, NULL, &bytes, stream) ==
        cudaErrorInvalidValue);
  CHECK(tl_cuda_run_lengths(x, y, y, y, 8, NULL, NULL, stream) == cudaErrorInvalidValue);
  CUDA(tl_cuda_exclusive_scan(x, y, 100000, NULL, &bytes, stream));
  CHECK(tl_cuda_exclusive_scan(x, y, 100000, x, &little, stream) == cudaErrorInvalidValue);
  (void)cudaGetLastError();
  CUDA(cudaFree(x));
  CUDA(cudaFree(y));
}

int main(void) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    printf("skipped: no CUDA device\n");
    return CHECK_SKIPPED;
  }
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (size_t count : {0, 1, 2, 33, 1000, 20000}) {
    test_sort(count, 32, 0xffffffffu);
    test_sort(count, 9, 0xffffffffu); /* the other bits do not count */
    test_sort(count, 3, 7);
    test_scan(count);
    test_runs(count, 1);
    test_runs(count, 0xff);
    test_runs(count, 0);
  }
  test_in_graph();
  test_refusals();
  CUDA(cudaStreamDestroy(stream));
  return check_end();
}
