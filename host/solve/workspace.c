/* workspace.c: how much memory a solver will take, on the host and on a device, from the sizes of a
 * problem alone.
 *
 * Follows the reservations of assembly, engine and certificate one by one, each at its largest: as
 * many colours as constraints, every contact between two bodies that move. What the colours cost
 * beyond need is 30 bytes per contact. */
#include <string.h>

#include "host/problem/problem_check.h"
#include "host/solve/solver.h"

enum {
  LINE = 64,          /* an allocation is whole lines and one more; see tl_alloc */
  ENGINE_ROOM = 2048, /* the engine's own struct, which is the backend's secret */
  RUN_ROOM = 512      /* the certificate's sums of one run */
};

static int64_t larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}

/* What one reservation takes. */
static int64_t taken(int64_t bytes) {
  return ((bytes + LINE - 1) / LINE + 1) * LINE;
}

static int64_t padded(int64_t count) {
  return (count + 15) / 16 * 16;
}

/* Every constraint a colour of its own. */
static void chunks_bound(tl_shape *s) {
  s->chunk_count = s->contact_count / TL_CHUNK + s->contact_count + 1;
}

/* Entries, and the numbers of their Jacobians, of the contacts or rows of form (b). */
static talus_status entries_count(talus_context *context, const talus_blocks *b,
                                  const int64_t *start, const int32_t *block, int64_t count,
                                  int64_t rows, tl_shape *s) {
  if (count == 0) {
    return TALUS_OK;
  }
  if (start == NULL || block == NULL || start[count] < 0 || start[count] > INT32_MAX) {
    return tl_fail(context, TALUS_MISSING_ARRAY,
                   "the arrays that name the blocks of contacts and "
                   "rows are not there, or make no sense");
  }
  for (int64_t e = 0; e < start[count]; e++) {
    if (block[e] < 0 || block[e] >= b->block_count) {
      return tl_fail(context, TALUS_INDEX_RANGE, "entry %lld names block %d of %d", (long long)e,
                     (int)block[e], (int)b->block_count);
    }
    s->jacobian_count += (rows < 3 ? rows : 3) * b->block_size[block[e]];
  }
  s->entry_count += start[count];
  return TALUS_OK;
}

static talus_status blocks_shape(talus_context *context, const talus_problem *p, tl_shape *s,
                                 int64_t *largest) {
  const talus_blocks *const b = &p->blocks;
  if (b->block_count < 0 || (b->block_count > 0 && b->block_size == NULL)) {
    return tl_fail(context, TALUS_MISSING_ARRAY, "blocks.block_size is not there");
  }
  s->velocity_size = TL_RECORD;
  s->block_count = b->block_count;
  for (int32_t i = 0; i < b->block_count; i++) {
    const int64_t size = b->block_size[i];
    if (size < 1 || size > 100000) {
      return tl_fail(context, TALUS_SIZE_OVERFLOW, "blocks.block_size[%d] is %lld", (int)i,
                     (long long)size);
    }
    s->velocity_size += (int32_t)size;
    s->mass_count += size * size;
    *largest = larger(*largest, size);
  }
  s->range[0].kind = TL_BLOCKS;
  TL_TRY(entries_count(context, b, b->contact_start, b->contact_block, p->contact_count,
                       p->dimension, s));
  TL_TRY(
      entries_count(context, b, b->bilateral_start, b->bilateral_block, p->bilateral_count, 1, s));
  s->incidence_count = s->entry_count;
  return TALUS_OK;
}

static void rigid_shape(const talus_problem *p, tl_kind kind, tl_shape *s) {
  s->body_kind = s->range[0].kind = kind;
  s->rigid_count = p->rigid.body_count;
  s->velocity_size = TL_RECORD * (s->rigid_count + 1);
  s->rigid_contact_count = s->entry_base = p->contact_count;
  s->end_count = 2 * (int64_t)p->contact_count;
  s->entry_count = s->incidence_count = 2 * (int64_t)p->bilateral_count;
  s->jacobian_count = TL_RECORD * s->entry_count;
}

/* The arrays of kernels/data/arrays.h, and their copy where the engine wants one. */
static int64_t arrays_bytes(const tl_shape *s, int single) {
  int64_t bytes = 0, copy = 0;
#define TL_PLAIN(type, name, count) bytes += taken((int64_t)(count) * (int64_t)sizeof(type));
#define TL_REALS(name, count)                                 \
  bytes += taken((int64_t)(count) * (int64_t)sizeof(double)); \
  copy += padded(count);
  TL_ARRAY_LIST(TL_PLAIN, TL_REALS)
#undef TL_PLAIN
#undef TL_REALS
  return bytes + (single ? taken(copy * (int64_t)sizeof(float)) : 0);
}

static int64_t assembly_bytes(const talus_problem *p, const tl_shape *s, int64_t largest) {
  const int64_t c = TL_PLACES(s), units = s->rigid_count + s->block_count, e = s->entry_count;
  const int64_t sorting = larger(4 * (units + 2 + c), larger(16 * units, 4 * (2 * c + 1)));
  const int64_t lists = p->form == TALUS_FORM_RIGID
                            ? 4 * (units + 3 * c)
                            : 8 * (2 * units + e + c + 2) + 4 * (units + e + c);
  const int64_t partial = larger(16 * c, 16 * largest * largest);
  const int64_t kept = p->form == TALUS_FORM_RIGID ? taken(4 * (units + 3 * c)) : 0;
  return kept + taken(4 * c) + taken(sorting) + taken(larger(lists, 24 * c)) + taken(4 * e) +
         taken(partial) + taken(4 * (c + 1)) + taken(24 * c);
}

static int64_t engine_bytes(const tl_shape *s, int single) {
  const int64_t real = single ? sizeof(float) : sizeof(double);
  const int64_t impulses = padded(3 * TL_PLACES(s));
  const int64_t velocities = padded(s->velocity_size);
  const int64_t units = larger(s->contact_count, s->rigid_count + s->block_count);
  return taken(ENGINE_ROOM) + taken(4 * impulses * real) + taken(2 * velocities * real) +
         taken((impulses + velocities) * real) +
         taken(8 * (2 * padded(s->chunk_count) + padded(units / TL_CHUNK + 2)));
}

static int64_t certificate_bytes(const talus_problem *p, const tl_shape *s, int64_t largest) {
  const int64_t runs = p->contact_count / TL_FACTS + p->bilateral_count / TL_FACTS + 2;
  const int64_t units = s->rigid_count + s->block_count;
  return taken(RUN_ROOM * runs) + taken(8 * (s->velocity_size + 2 * units + runs)) +
         taken(8 * largest);
}

static talus_status case_check(talus_context *context, const talus_settings *settings,
                               const talus_problem *p) {
  if (tl_method_of(settings->method)->family != TL_FAMILY_FIRST_ORDER || settings->unique ||
      p->memory != TALUS_MEMORY_HOST || p->layout != NULL || p->asleep != NULL ||
      p->contact_key != NULL || p->row_key != NULL ||
      (p->form != TALUS_FORM_RIGID && p->form != TALUS_FORM_BLOCKS)) {
    return tl_fail(context, TALUS_UNSUPPORTED,
                   "the workspace is known for forms RIGID and BLOCKS in packed arrays in host "
                   "memory and a method of first order by name");
  }
  const int64_t bodies = p->form == TALUS_FORM_RIGID ? p->rigid.body_count : 0;
  if (p->contact_count < 0 || p->bilateral_count < 0 || bodies < 0 || bodies > 1 << 29 ||
      3 * ((int64_t)p->contact_count + p->bilateral_count) > 1 << 29) {
    return tl_fail(context, TALUS_SIZE_OVERFLOW, "a count is negative or too large");
  }
  return TALUS_OK;
}

/* What the engine takes, with its copy of the arrays. */
static talus_status engine_estimate(talus_context *context, const talus_settings *settings,
                                    const tl_shape *s, int64_t *host, int64_t *device) {
  const bool single = settings->precision == TALUS_F32;
  const tl_backend *const backend = tl_solver_backend(context, TALUS_MEMORY_HOST, s->contact_count);
  *device = 0;
  if (backend->estimate_memory == NULL) {
    *host = arrays_bytes(s, single) + engine_bytes(s, single);
    return TALUS_OK;
  }
  TL_TRY(backend->estimate_memory(context, settings->precision, s, host, device));
  *host = arrays_bytes(s, 0) + taken(*host) + 2 * LINE;
  return TALUS_OK;
}

static talus_status memory_estimate(talus_context *context, const talus_settings *settings,
                                    const talus_problem *given, int64_t *host, int64_t *device) {
  TL_TRY(tl_context_check(context));
  if (given == NULL || host == NULL || device == NULL) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT, "problem or bytes is NULL");
  }
  talus_settings used;
  tl_problem_copy copy;
  const talus_problem *const problem = &copy.problem;
  TL_TRY(tl_problem_copy_make(context, given, &copy));
  TL_TRY(tl_settings_read(context, settings, &used));
  TL_TRY(case_check(context, &used, problem));
  *host = *device = 0;
  const tl_kind kinds[2] = {TL_SPHERES, TL_ARMS}; /* which one, inertias decide */
  for (int i = 0; i < (problem->form == TALUS_FORM_RIGID ? 2 : 1); i++) {
    tl_shape shape = {.contact_count = problem->contact_count + problem->bilateral_count,
                      .torque_count = tl_problem_wrenches(problem) ? problem->contact_count : 0,
                      .elliptic = problem->cross_friction != NULL,
                      .bound_count = problem->bilateral_count};
    if (problem->compliance != NULL || problem->row_compliance != NULL) {
      shape.compliance_count = shape.contact_count;
    }
    int64_t largest = 0, of_engine, on_device;
    chunks_bound(&shape);
    if (problem->form == TALUS_FORM_RIGID) {
      rigid_shape(problem, kinds[i], &shape);
    } else {
      TL_TRY(blocks_shape(context, problem, &shape, &largest));
    }
    TL_TRY(engine_estimate(context, &used, &shape, &of_engine, &on_device));
    *host = larger(*host, taken(sizeof(talus_solver)) + of_engine +
                              assembly_bytes(problem, &shape, largest) +
                              certificate_bytes(problem, &shape, largest));
    *device = larger(*device, on_device);
  }
  return TALUS_OK;
}

talus_status talus_solver_workspace(talus_context *context, const talus_settings *settings,
                                    const talus_problem *problem, int64_t *bytes) {
  int64_t device;
  return memory_estimate(context, settings, problem, bytes, &device);
}

talus_status talus_solver_workspace_device(talus_context *context, const talus_settings *settings,
                                           const talus_problem *problem, int64_t *bytes) {
  int64_t host;
  return memory_estimate(context, settings, problem, &host, bytes);
}
