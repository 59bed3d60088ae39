/* test_broad_growth.c: time per body from 1e3 to 1e5 (printed, not judged), memory that is kept
 * after the first call, and allocations that fail one after the other. */
#include "host/base/process.h"
#include "tests/collide/test_broad_scene.h"

/* An allocator that counts, and fails at a given call. */
typedef struct counter {
  int64_t calls, fail_at;
} counter;

static void *allocate(void *user, size_t size) {
  counter *const c = user;
  return ++c->calls == c->fail_at ? NULL : tl_memory_take((size + 63) / 64 * 64);
}

static void release(void *user, void *memory, size_t size) {
  (void)user;
  (void)size;
  tl_memory_release(memory);
}

static scene bed(int32_t count, double ratio, uint64_t seed) {
  scene made = scene_make(count);
  uint64_t state = seed;
  double volume = 0;
  for (int32_t i = 0; i < count; i++) {
    made.geometry[i].radius = 0.05 * pow(ratio, scene_uniform(&state, 0, 1));
    volume += 4.18879 * pow(made.geometry[i].radius, 3);
  }
  const double edge = cbrt(volume / 0.6), lower[3] = {0, 0, 0}, upper[3] = {edge, edge, edge};
  for (int32_t i = 0; i < count; i++) {
    scene_sphere(&made, i, made.geometry[i].radius, lower, upper, &state);
  }
  made.geometry[count / 2].kind = TALUS_SHAPE_HALFSPACE;
  return made;
}

static void test_growth(talus_context *context, counter *calls) {
  static const double ratio[] = {1, 2, 100};
  static const int32_t size[] = {1000, 8000, 100000};
  for (int r = 0; r < 3; r++) {
    for (int k = 0; k < 3; k++) {
      scene made = bed(size[k], ratio[r], 1);
      tl_broad *broad = NULL;
      const tl_pair *pair;
      int64_t count, first = 0;
      double seconds = INFINITY;
      CHECK(tl_broad_create(context, &broad) == TALUS_OK);
      for (int repeat = 0; repeat < 3; repeat++) {
        const int64_t before = calls->calls;
        const double begin = tl_clock();
        CHECK(tl_broad_pairs(broad, made.collider, made.count, 1, &pair, &count) == TALUS_OK);
        seconds = fmin(seconds, tl_clock() - begin);
        CHECK(repeat == 0 || (calls->calls == before && count == first));
        first = count;
      }
      CHECK(count > made.count / 2);
      printf("radii 1 : %-3g %6d bodies: %.3f ms, %.0f ns per body, %.2f pairs per body\n",
             ratio[r], (int)size[k], 1e3 * seconds, 1e9 * seconds / size[k],
             (double)count / size[k]);
      tl_broad_destroy(broad);
      scene_free(&made);
    }
  }
}

/* A small move must not cost an allocation either, on any number of threads. */
static void test_kept_memory(talus_context *context, counter *calls) {
  scene made = bed(6000, 20, 2);
  tl_broad *broad = NULL;
  const tl_pair *pair;
  int64_t count;
  uint64_t state = 3;
  CHECK(tl_broad_create(context, &broad) == TALUS_OK);
  CHECK(tl_broad_pairs(broad, made.collider, made.count, 4, &pair, &count) == TALUS_OK);
  const int64_t before = calls->calls;
  for (int step = 0; step < 10; step++) {
    for (int32_t i = 0; i < made.count; i++) {
      made.collider[i].pose.position[i % 3] += scene_uniform(&state, -0.01, 0.01);
    }
    CHECK(tl_broad_pairs(broad, made.collider, made.count, 1 + step % 4, &pair, &count) ==
          TALUS_OK);
  }
  CHECK(calls->calls == before);
  tl_broad_destroy(broad);
  scene_free(&made);
}

static void test_failures(talus_context *context, counter *calls) {
  scene made = bed(1500, 30, 4);
  talus_status status = TALUS_OUT_OF_MEMORY;
  int failures = 0;
  for (int64_t at = 1; status == TALUS_OUT_OF_MEMORY && at < 100; at++) {
    tl_broad *broad = NULL;
    const tl_pair *pair;
    int64_t count;
    calls->calls = 0;
    calls->fail_at = at;
    status = tl_broad_create(context, &broad);
    if (status == TALUS_OK) {
      status = tl_broad_pairs(broad, made.collider, made.count, 2, &pair, &count);
      CHECK(status == TALUS_OK || (pair == NULL && count == 0));
      if (status == TALUS_OUT_OF_MEMORY) { /* the next call finds its memory and works */
        failures++;
        CHECK(tl_broad_pairs(broad, made.collider, made.count, 2, &pair, &count) == TALUS_OK);
        const scene_errors errors = scene_judge(&made, pair, count, 1e-11, 0);
        CHECK(errors.missing == 0 && errors.needless == 0 && errors.disorder == 0);
      }
      tl_broad_destroy(broad);
    }
    CHECK(context->bytes == 0);
  }
  CHECK(status == TALUS_OK && failures > 10);
  calls->fail_at = 0;
  scene_free(&made);
}

int main(void) {
  counter calls = {0, 0};
  talus_context *context = NULL;
  talus_context_def def = talus_context_def_default();
  def.allocate = allocate;
  def.release = release;
  def.allocate_user = &calls;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  const int64_t bytes = context->bytes;
  test_growth(context, &calls);
  test_kept_memory(context, &calls);
  CHECK(context->bytes == bytes);
  test_failures(context, &calls);
  talus_context_destroy(context);
  return check_end();
}
