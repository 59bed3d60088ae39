/* direct_blocks.c: the constraints of form (b) as direct.c wants them: J as given, J M^-1, and
 * velocities, in the frame (n, t1, t2) that the caller has.
 *
 * M^-1 must be positive definite to be taken here: a factor costs less than M, which is not
 * needed. Singular matrices and massless blocks are left to the assembly. */
#include <math.h>
#include <string.h>

#include "host/math/dense.h"
#include "host/problem/direct.h"

/* Where M^-1 and the velocities of each block begin, and how M^-1 is factored. */
typedef struct blocks_place {
  int64_t inverse, velocity;
} blocks_place;

/* Contacts or bilateral rows of the caller's. */
typedef struct blocks_list {
  const int64_t *start;
  const int32_t *block;
  const double *jacobian, *bias;
  int32_t count, rows;
} blocks_list;

static blocks_list contacts_of(const talus_problem *p) {
  const talus_blocks *const b = &p->blocks;
  return (blocks_list){b->contact_start, b->contact_block, b->contact_jacobian,
                       b->bias,          p->contact_count, p->dimension};
}

static blocks_list rows_of(const talus_problem *p) {
  const talus_blocks *const b = &p->blocks;
  return (blocks_list){b->bilateral_start, b->bilateral_block, b->bilateral_jacobian,
                       b->bilateral_bias,  p->bilateral_count, 1};
}

/* ---- memory ---------------------------------------------------------------------------------- */

static int64_t list_reals(const talus_blocks *blocks, const blocks_list *list) {
  int64_t reals = 0;
  for (int64_t e = 0; list->count > 0 && e < list->start[list->count]; e++) {
    reals += (int64_t)(list->rows + TL_JACOBIAN_ROWS) * blocks->block_size[list->block[e]];
  }
  return reals;
}

static int64_t list_entries(const blocks_list *list) {
  return list->count > 0 ? list->start[list->count] : 0;
}

/* Places of the blocks; *good = 0 if some M^-1 is not positive definite. */
static talus_status places_find(tl_direct *d, blocks_place **places, bool *good) {
  const talus_blocks *const blocks = &d->problem->blocks;
  const size_t count = (size_t)blocks->block_count;
  int64_t largest = 0;
  blocks_place at = {0, 0};
  for (size_t i = 0; i < count; i++) {
    largest = blocks->block_size[i] > largest ? blocks->block_size[i] : largest;
  }
  const size_t area = (size_t)(largest * largest);
  TL_TRY(tl_buffer_reserve(d->context, &d->scaled->places, area + 2 * count, sizeof(double),
                           "places of blocks"));
  double *const copy = d->scaled->places.memory;
  *places = (blocks_place *)(void *)(copy + area);
  *good = 1;
  for (size_t i = 0; i < count && *good; i++) {
    const int64_t size = blocks->block_size[i];
    memcpy(copy, blocks->inverse_mass + at.inverse, (size_t)(size * size) * sizeof *copy);
    *good = tl_dense_factor(copy, size);
    (*places)[i] = at;
    at.inverse += size * size;
    at.velocity += size;
  }
  return TALUS_OK;
}

/* ---- constraints ----------------------------------------------------------------------------- */

/* J M^-1 against one block, in its columns; returns the trace of its share of W_kk. */
static double entry_respond(tl_jacobian_block *block, const double *inverse, int32_t rows) {
  const int32_t size = block->size;
  double trace = 0;
  for (int32_t d = 0; d < size; d++) {
    for (int32_t c = 0; c < size; c++) {
      for (int32_t i = 0; i < rows; i++) {
        block->response[TL_JACOBIAN_ROWS * c + i] +=
            block->jacobian[i * size + d] * inverse[(int64_t)d * size + c];
      }
    }
  }
  for (int32_t i = 0; i < rows; i++) {
    for (int32_t c = 0; c < size; c++) {
      trace += block->response[TL_JACOBIAN_ROWS * c + i] * block->jacobian[i * size + c];
    }
  }
  return trace;
}

static void block_scale(tl_jacobian_block *block, int32_t rows, double factor) {
  for (int32_t i = 0; i < rows * block->size; i++) {
    block->jacobian[i] *= factor;
  }
  for (int32_t i = 0; i < TL_JACOBIAN_ROWS * block->size; i++) {
    block->response[i] *= factor;
  }
}

/* Constraint k of the problem, number i of its list, whose Jacobians begin at *jacobian. */
static bool constraint_take(tl_direct *d, const blocks_list *list, const blocks_place *places,
                            int32_t k, int32_t i, const double **jacobian) {
  const talus_blocks *const blocks = &d->problem->blocks;
  const int32_t before = d->blocks.count, rows = list->rows;
  double u[3] = {0}, sizes[3] = {0}, trace = 0;
  for (int32_t r = 0; r < rows && list->bias != NULL; r++) {
    u[r] = list->bias[(int64_t)rows * i + r];
    sizes[r] = fabs(u[r]);
  }
  for (int64_t e = list->start[i]; e < list->start[i + 1]; e++) {
    const int32_t block = list->block[e], size = blocks->block_size[block];
    const double *const velocity = blocks->velocity + places[block].velocity;
    tl_jacobian_block *const new = tl_jacobian_add(&d->blocks, k, block, rows, size);
    memcpy(new->jacobian, *jacobian, (size_t)(rows * size) * sizeof(double));
    trace += entry_respond(new, blocks->inverse_mass + places[block].inverse, rows);
    for (int32_t r = 0; r < rows; r++) {
      for (int32_t c = 0; c < size; c++) {
        const double part = new->jacobian[r * size + c] * velocity[c];
        u[r] += part;
        sizes[r] += fabs(part);
      }
    }
    *jacobian += (int64_t)rows * size;
  }
  const double inverse = tl_direct_scale(d, k, trace / rows, u, sizes,
                                         d->scaled->kind[k] == TL_CONSTRAINT_FRICTION ? rows : 1);
  for (int32_t t = before; t < d->blocks.count && inverse > 0; t++) {
    block_scale(&d->blocks.list[t], rows, inverse);
  }
  return inverse > 0;
}

static int list_take(tl_direct *d, const blocks_list *list, const blocks_place *places,
                     int32_t first) {
  const double *jacobian = list->jacobian;
  int good = 1;
  for (int32_t i = 0; i < list->count && good; i++) {
    const int32_t k = first + i;
    double *const frame = d->scaled->frame + 9 * (int64_t)k;
    memset(frame, 0, 9 * sizeof *frame);
    frame[0] = frame[4] = frame[8] = 1;
    tl_direct_kind(d, k);
    good = constraint_take(d, list, places, k, i, &jacobian);
  }
  return good;
}

talus_status tl_direct_blocks(tl_direct *d, bool *taken) {
  const talus_problem *const p = d->problem;
  const blocks_list contacts = contacts_of(p), rows = rows_of(p);
  blocks_place *places;
  *taken = false;
  TL_TRY(tl_direct_reserve(d, list_entries(&contacts) + list_entries(&rows),
                           list_reals(&p->blocks, &contacts) + list_reals(&p->blocks, &rows)));
  TL_TRY(places_find(d, &places, taken));
  *taken =
      *taken && list_take(d, &contacts, places, 0) && list_take(d, &rows, places, p->contact_count);
  return TALUS_OK;
}
