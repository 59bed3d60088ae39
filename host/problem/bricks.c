/* bricks.c: whether a problem has bricks, how large they are, and the numbers of its bodies. */
#include "host/math/radix.h"
#include "host/problem/assembly.h"

double tl_bricks_size(const talus_problem *problem) {
  return problem->form == TALUS_FORM_RIGID && problem->positions != NULL ? problem->brick_size : 0;
}

talus_status tl_bricks_names(talus_context *context, const talus_problem *problem) {
  const uint64_t *const id = tl_bricks_size(problem) > 0 ? problem->ids : NULL;
  for (int32_t i = 1; id != NULL && i < problem->rigid.body_count; i++) {
    if (id[i] <= id[i - 1]) {
      return tl_fail(context, TALUS_INVALID_ARGUMENT,
                     "problem.ids[%d] is %llu behind %llu: bodies stand in the order of their ids, "
                     "each once, unless a context with ranks sorts them",
                     i, (unsigned long long)id[i], (unsigned long long)id[i - 1]);
    }
  }
  return TALUS_OK;
}

/* Chunks of bodies in the order of their bricks; first: NULL while they are counted. */
static int32_t chunks_cut(const uint64_t *key, int32_t count, int32_t *first) {
  int32_t chunks = 0, length = 0;
  for (int32_t i = 0; i < count; i++) {
    if (i == 0 || key[i] != key[i - 1] || length == TL_CHUNK) {
      if (first != NULL) {
        first[chunks] = i;
      }
      chunks++;
      length = 0;
    }
    length++;
  }
  if (first != NULL) {
    first[chunks] = count;
  }
  return chunks;
}

talus_status tl_bricks_number(talus_context *context, tl_assembly *assembly, const tl_brick *brick,
                              int32_t body_count, int32_t *number) {
  tl_system *const system = &assembly->system;
  const size_t size = (size_t)body_count;
  TL_TRY(tl_buffer_reserve(context, &assembly->scratch[2], 6 * size, sizeof(int32_t),
                           "bricks of bodies"));
  uint64_t *const key = assembly->scratch[2].memory, *const key_other = key + size;
  int32_t *const body = (int32_t *)(key_other + size), *const body_other = body + size;
  int32_t count = 0;
  for (int32_t i = 0; i < body_count; i++) {
    if (number[i] >= 0) {
      key[count] = tl_brick_curve(brick[i]);
      body[count++] = i;
    }
  }
  tl_radix_sort(key, body, key_other, body_other, count);
  for (int32_t i = 0; i < count; i++) {
    number[body[i]] = i;
  }
  system->shape.unit_chunk_count = chunks_cut(key, count, NULL);
  TL_TRY(tl_buffer_reserve(context, &assembly->unit_first_buffer,
                           (size_t)system->shape.unit_chunk_count + 1, sizeof(int32_t),
                           "chunks of bodies"));
  system->unit_first = assembly->unit_first_buffer.memory;
  chunks_cut(key, count, system->unit_first);
  return TALUS_OK;
}
