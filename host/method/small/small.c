/* small.c: a small problem as a solve keeps it: memory, the scaled problem with W dense, limits,
 * the best impulses. */
#include "host/method/small/small.h"

#include <string.h>

talus_status tl_small_make(talus_context *context, tl_method_memory *memory) {
  if (memory->small != NULL) {
    return TALUS_OK;
  }
  TL_TRY(tl_alloc(context, (void **)&memory->small, 1, sizeof *memory->small, "a small problem"));
  memset(memory->small, 0, sizeof *memory->small);
  memory->small->context = context;
  return TALUS_OK;
}

void tl_small_forget(tl_small *small) {
  if (small != NULL) {
    small->ready = false;
  }
}

int64_t tl_small_bytes(const tl_small *small) {
  return small == NULL
             ? 0
             : (int64_t)(sizeof *small + small->vectors.capacity + small->work.capacity +
                         small->pivots.capacity + small->integers.capacity + small->slips.capacity +
                         small->groups.capacity + small->forest.memory.capacity +
                         small->islands.capacity + small->records.capacity) +
                   tl_scaled_bytes(&small->scaled);
}

void tl_small_release(talus_context *context, tl_small *small) {
  if (small == NULL) {
    return;
  }
  tl_scaled_release(context, &small->scaled);
  tl_buffer_release(context, &small->vectors);
  tl_buffer_release(context, &small->work);
  tl_buffer_release(context, &small->pivots);
  tl_buffer_release(context, &small->integers);
  tl_buffer_release(context, &small->slips);
  tl_islands_release(context, &small->forest);
  tl_buffer_release(context, &small->groups);
  tl_buffer_release(context, &small->islands);
  tl_buffer_release(context, &small->records);
  tl_free(context, small);
}

/* ---- limits ---------------------------------------------------------------------------------- */

bool tl_small_limit(tl_small *small) {
  small->stop = small->stop || tl_run_limit(small->run);
  return small->stop;
}

bool tl_small_late(tl_small *small) {
  small->stop = small->stop || tl_run_late(small->run);
  return small->stop;
}

static bool interrupted(void *self, const tl_small_result *result, int within) {
  (void)result;
  (void)within;
  return tl_small_late(self);
}

tl_small_phase tl_small_watched(tl_small *small) {
  return (tl_small_phase){.stop = interrupted, .stop_self = small};
}

/* ---- the problem ----------------------------------------------------------------------------- */

/* One over a bound of the largest eigenvalue of each W_kk. */
static void paces_find(const tl_scaled *scaled, double *pace) {
  for (int32_t k = 0; k < scaled->count; k++) {
    double most = 0;
    for (int64_t i = scaled->first[k]; i < scaled->first[k + 1]; i++) {
      double sum = 0;
      for (int64_t j = scaled->first[k]; j < scaled->first[k + 1]; j++) {
        sum += fabs(scaled->w[j * scaled->stride + i]);
      }
      most = sum > most ? sum : most;
    }
    pace[k] = most > 0 ? 1 / most : 0;
  }
}

talus_status tl_small_take(tl_small *small) {
  const tl_scaled *const scaled = &small->scaled;
  const size_t n = (size_t)scaled->count, stride = (size_t)scaled->stride;
  TL_TRY(tl_buffer_reserve(small->context, &small->vectors, 4 * stride + 4 * n, sizeof(double),
                           "a small problem"));
  small->best.y = small->vectors.memory;
  small->y = small->best.y + stride;
  small->u = small->y + stride;
  small->found = small->u + stride;
  small->engine = small->found + stride;
  small->pace = small->engine + 3 * n;
  paces_find(scaled, small->pace);
  return TALUS_OK;
}

talus_status tl_small_form(tl_small *small, const tl_assembly *assembly,
                           const tl_scaled_options *part) {
  tl_scaled_options options = part != NULL ? *part : (tl_scaled_options){0};
  const int32_t count = part != NULL ? part->count : assembly->system.shape.contact_count;
  options.dense = true;
  options.frame = assembly->frame;
  small->ready = false;
  if (count > TL_SMALL_MOST) {
    return tl_fail(small->context, TALUS_UNSUPPORTED,
                   "the method is for small problems: %d contacts and bilateral rows, at most %d",
                   count, (int)TL_SMALL_MOST);
  }
  TL_TRY(tl_scaled_import(small->context, &assembly->system, &options, &small->scaled));
  TL_TRY(tl_small_take(small));
  small->ready = true;
  return TALUS_OK;
}

void tl_small_offer(tl_small *small, const double *y, double *u) {
  const int32_t rows = small->scaled.rows;
  int32_t zeros = 0;
  while (zeros < rows && y[zeros] == 0) {
    zeros++;
  }
  if (zeros == rows) { /* R(0) / R(0) is not below 1 */
    return;
  }
  tl_scaled_velocity(&small->scaled, y, u);
  tl_scaled_offer(&small->scaled, small->law, y, u, &small->best, NULL);
}

void tl_small_reset(tl_small *small, const talus_settings *settings, double velocity_scale) {
  tl_scaled *const scaled = &small->scaled;
  double inverse_weight = 0;
  small->law = settings->law;
  memset(small->best.y, 0, (size_t)scaled->rows * sizeof *small->best.y);
  small->best.epsilon = 1;
  tl_scaled_reference(scaled, small->law);
  for (int32_t k = 0; k < scaled->count && velocity_scale > 0; k++) {
    inverse_weight +=
        scaled->kind[k] >= TL_CONSTRAINT_UNILATERAL ? 1 / (scaled->root[k] * scaled->root[k]) : 0;
  }
  small->slack = tl_reference_slack(velocity_scale, inverse_weight,
                                    scaled->reference[small->law] * scaled->unit);
}

talus_status tl_small_open(tl_run *run) {
  TL_TRY(tl_small_make(run->context, run->memory));
  tl_small *const small = run->memory->small;
  if (!small->ready) {
    TL_TRY(tl_small_form(small, run->assembly, NULL));
  }
  TL_TRY(tl_scaled_facets(small->context, run->settings, &small->scaled));
  tl_small_reset(small, run->settings, run->velocity_scale);
  small->run = run;
  small->stop = false;
  return TALUS_OK;
}
