/* assembly_blocks.c: form (b), Jacobian blocks against blocks of M^-1.
 *
 * A block whose M^-1 is zero cannot move: it is left out, and its velocity enters q. J M^-1 is
 * stored beside J, so that neither a sweep nor a gather multiplies by M^-1 again. */
#include <math.h>
#include <string.h>

#include "host/math/dense.h"
#include "host/problem/assembly.h"
#include "kernels/item/rigid.h"

typedef struct blocks_build {
  const talus_problem *problem;
  const talus_blocks *blocks;
  tl_assembly *assembly;
  int64_t *inverse_first;  /* [block_count] where M^-1 of a block begins */
  int64_t *velocity_first; /* [block_count] where its velocity begins */
  int32_t *unit;           /* [block_count] internal block or -1 */
  int64_t *entry_jacobian; /* [entries of contacts and rows] where the caller's Jacobian begins */
  int64_t *first;          /* links of constraints to internal blocks */
  int32_t *link, *colour;
} blocks_build;

/* The caller's entries of constraint k: first, end, and the arrays they index. */
typedef struct entry_list {
  int64_t first, end;
  const int32_t *block;
  const double *jacobian;
  int64_t place; /* where this kind begins in entry_jacobian */
  int32_t rows;
} entry_list;

static entry_list entries_of(const blocks_build *build, int32_t k) {
  const talus_blocks *const blocks = build->blocks;
  const int32_t contacts = build->problem->contact_count;
  if (k < contacts) {
    return (entry_list){blocks->contact_start[k],
                        blocks->contact_start[k + 1],
                        blocks->contact_block,
                        blocks->contact_jacobian,
                        0,
                        build->problem->dimension};
  }
  return (entry_list){blocks->bilateral_start[k - contacts],
                      blocks->bilateral_start[k - contacts + 1],
                      blocks->bilateral_block,
                      blocks->bilateral_jacobian,
                      contacts > 0 ? blocks->contact_start[contacts] : 0,
                      1};
}

static bool all_zero(const double *values, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    if (values[i] != 0) {
      return false;
    }
  }
  return true;
}

static void blocks_number(blocks_build *build, tl_shape *shape) {
  int64_t inverse = 0, velocity = 0;
  shape->velocity_size = TL_RECORD;
  for (int32_t i = 0; i < build->blocks->block_count; i++) {
    const int64_t size = build->blocks->block_size[i];
    build->inverse_first[i] = inverse;
    build->velocity_first[i] = velocity;
    const bool moves = shape->contact_count > 0 && /* else nothing ever reads it */
                       !all_zero(build->blocks->inverse_mass + inverse, size * size);
    build->unit[i] = moves ? shape->block_count++ : -1;
    if (moves) {
      shape->velocity_size += (int32_t)size;
      shape->mass_count += size * size;
    }
    inverse += size * size;
    velocity += size;
  }
}

/* Rows of six that are a force's. */
static int32_t force_rows(int32_t rows) {
  return rows < 3 ? rows : 3;
}

/* Counts entries and links each constraint to the blocks that move. */
static talus_status links_find(talus_context *context, blocks_build *build, tl_shape *shape) {
  const int32_t contacts = build->problem->contact_count;
  int64_t jacobian = 0, links = 0;
  for (int32_t k = 0; k < shape->contact_count; k++) {
    const entry_list list = entries_of(build, k);
    jacobian = k == contacts ? 0 : jacobian;
    build->first[k] = links;
    for (int64_t e = list.first; e < list.end; e++) {
      const int64_t size = build->blocks->block_size[list.block[e]];
      const int64_t reals = list.rows * size;
      build->entry_jacobian[list.place + e] = jacobian;
      jacobian += reals;
      if (build->unit[list.block[e]] >= 0) {
        build->link[links++] = build->unit[list.block[e]];
        shape->jacobian_count += force_rows(list.rows) * size;
      }
    }
    if (links == build->first[k]) {
      return tl_fail(context, TALUS_IMMOVABLE_PAIR,
                     "%s %d touches only blocks that cannot move (M^-1 = 0)",
                     k < contacts ? "contact" : "bilateral row", k < contacts ? k : k - contacts);
    }
  }
  build->first[shape->contact_count] = links;
  shape->entry_count = shape->incidence_count = links;
  return TALUS_OK;
}

/* M of each block, for energies: the inverse of M^-1, or its pseudo-inverse. */
static talus_status masses_fill(talus_context *context, const blocks_build *build) {
  tl_system *const system = &build->assembly->system;
  int64_t mass = 0, largest = 0;
  int32_t offset = TL_RECORD;
  for (int32_t i = 0; i < build->blocks->block_count; i++) {
    largest = build->blocks->block_size[i] > largest ? build->blocks->block_size[i] : largest;
  }
  TL_TRY(tl_buffer_reserve(context, &build->assembly->scratch[3], (size_t)(2 * largest * largest),
                           sizeof(double), "inverse of M^-1"));
  double *const copy = build->assembly->scratch[3].memory, *const other = copy + largest * largest;
  for (int32_t i = 0; i < build->blocks->block_count; i++) {
    const int64_t size = build->blocks->block_size[i], area = size * size;
    const int32_t unit = build->unit[i];
    if (unit < 0) {
      continue;
    }
    const double *const inverse = build->blocks->inverse_mass + build->inverse_first[i];
    system->block_offset[unit] = offset;
    system->mass_first[unit] = mass;
    memcpy(copy, inverse, (size_t)area * sizeof *copy);
    if (tl_dense_factor(copy, size)) {
      tl_dense_invert(copy, size, system->mass + mass, other);
    } else {
      memcpy(copy, inverse, (size_t)area * sizeof *copy);
      if (!tl_dense_pseudo_invert(copy, size, system->mass + mass, other)) {
        return tl_fail(context, TALUS_NEGATIVE_MASS,
                       "blocks.inverse_mass of block %d is not positive semidefinite", i);
      }
    }
    offset += (int32_t)size;
    mass += area;
  }
  if (system->block_offset != NULL) {
    system->block_offset[system->shape.block_count] = offset;
  }
  return TALUS_OK;
}

/* J, J M^-1 (into arrays of the system's) and the share of W_kk of one entry. */
static void entry_fill(const blocks_build *build, const double *jacobian, int32_t block,
                       int32_t rows, double *to, double *responses, double *w) {
  const int64_t size = build->blocks->block_size[block];
  const double *const inverse = build->blocks->inverse_mass + build->inverse_first[block];
  memcpy(to, jacobian, (size_t)(rows * size) * sizeof *jacobian);
  for (int32_t row = 0; row < rows; row++) {
    double *const response = responses + row * size;
    for (int64_t c = 0; c < size; c++) {
      double sum = 0;
      for (int64_t d = 0; d < size; d++) {
        sum += jacobian[row * size + d] * inverse[d * size + c];
      }
      response[c] = sum;
    }
    for (int32_t other = 0; other < rows; other++) {
      for (int64_t c = 0; c < size; c++) {
        w[3 * row + other] += response[c] * jacobian[other * size + c];
      }
    }
  }
}

/* The same of the torque of a contact of six rows; 0 where an elliptic cone has three. */
static void torque_entry_fill(const blocks_build *build, int32_t rows, const double *jacobian,
                              int32_t block, int64_t at, double *w) {
  tl_system *const system = &build->assembly->system;
  const size_t reals = (size_t)force_rows(rows) * (size_t)build->blocks->block_size[block];
  if (system->torque_jacobian == NULL) {
    return;
  }
  if (rows == 6) {
    entry_fill(build, jacobian, block, 3, system->torque_jacobian + at,
               system->torque_response + at, w);
  } else {
    memset(system->torque_jacobian + at, 0, reals * sizeof(double));
    memset(system->torque_response + at, 0, reals * sizeof(double));
  }
}

/* Angular velocity without impulses, w being W_kk of the torque. */
static void torque_free_fill(const blocks_build *build, int32_t place, const double *w,
                             const double *u, const double *sizes) {
  tl_system *const system = &build->assembly->system;
  const int32_t torque = system->shape.contact_count + place;
  const double weight = (w[0] + w[4] + w[8]) / 3;
  system->weight[torque] = weight > 0 ? weight : 1;
  const double square = tl_system_free(system, torque, u, sizes);
  build->assembly->rounding += weight > 0 ? square : 0;
}

static talus_status constraint_fill(talus_context *context, const blocks_build *build,
                                    int32_t place, int64_t *entry, int64_t *at,
                                    int32_t *entry_unit) {
  tl_system *const system = &build->assembly->system;
  const talus_blocks *const blocks = build->blocks;
  const int32_t contacts = build->problem->contact_count, k = system->order[place];
  const entry_list list = entries_of(build, k);
  const int32_t rows = force_rows(list.rows);
  double u[6] = {0}, sizes[6] = {0}, w[9] = {0}, turn[9] = {0};
  const double *const bias = k < contacts ? blocks->bias : blocks->bilateral_bias;
  for (int32_t row = 0; bias != NULL && row < list.rows; row++) {
    u[row] = bias[k < contacts ? (int64_t)list.rows * k + row : k - contacts];
    sizes[row] = fabs(u[row]);
  }
  system->entry_first[place] = (int32_t)*entry;
  for (int64_t e = list.first; e < list.end; e++) {
    const int32_t block = list.block[e], unit = build->unit[block];
    const int64_t size = blocks->block_size[block];
    const double *const jacobian = list.jacobian + build->entry_jacobian[list.place + e];
    for (int32_t row = 0; row < list.rows; row++) {
      for (int64_t c = 0; c < size; c++) {
        const double part =
            jacobian[row * size + c] * blocks->velocity[build->velocity_first[block] + c];
        u[row] += part;
        sizes[row] += fabs(part);
      }
    }
    if (unit >= 0) {
      entry_fill(build, jacobian, block, rows, system->jacobian + *at, system->response + *at, w);
      torque_entry_fill(build, list.rows, jacobian + 3 * size, block, *at, turn);
      system->entry[*entry] = (tl_entry){system->block_offset[unit], (int32_t)size, *at};
      entry_unit[*entry] = unit;
      *at += rows * size;
      *entry += 1;
    }
  }
  const double friction =
      k < contacts && build->problem->friction != NULL ? build->problem->friction[k] : 0;
  TL_TRY(tl_assembly_scale(context, build->assembly, place, w, rows, k >= contacts, friction));
  build->assembly->rounding += tl_system_free(&build->assembly->system, place, u, sizes);
  if (place < system->shape.torque_count) {
    torque_free_fill(build, place, turn, u + 3, sizes + 3);
  }
  return TALUS_OK;
}

/* Cuts one block of memory into the builder's index arrays. */
static talus_status scratch_take(talus_context *context, blocks_build *build, int64_t entries) {
  const size_t blocks = (size_t)build->blocks->block_count;
  const size_t constraints = (size_t)build->assembly->system.shape.contact_count;
  const size_t longs = 2 * blocks + (size_t)entries + constraints + 1;
  const size_t shorts = blocks + (size_t)entries + constraints;
  TL_TRY(tl_buffer_reserve(context, &build->assembly->scratch[1], longs + shorts / 2 + 1,
                           sizeof(int64_t), "entries of contacts"));
  build->inverse_first = build->assembly->scratch[1].memory;
  build->velocity_first = build->inverse_first + blocks;
  build->entry_jacobian = build->velocity_first + blocks;
  build->first = build->entry_jacobian + entries;
  build->unit = (int32_t *)(build->first + constraints + 1);
  build->link = build->unit + blocks;
  build->colour = build->link + entries;
  memset(build->colour, 0, constraints * sizeof *build->colour);
  return TALUS_OK;
}

talus_status tl_assemble_blocks(talus_context *context, const talus_problem *problem, int coloured,
                                tl_assembly *assembly) {
  const talus_blocks *const blocks = &problem->blocks;
  blocks_build build = {.problem = problem, .blocks = blocks, .assembly = assembly};
  tl_shape *const shape = &assembly->system.shape;
  const int64_t entries =
      (problem->contact_count > 0 ? blocks->contact_start[problem->contact_count] : 0) +
      (problem->bilateral_count > 0 ? blocks->bilateral_start[problem->bilateral_count] : 0);
  TL_TRY(scratch_take(context, &build, entries));
  shape->body_kind = TL_SPHERES;
  shape->range[0] = (tl_range){.kind = TL_BLOCKS,
                               .rows = force_rows(problem->dimension),
                               .torque = shape->torque_count > 0,
                               .count = problem->contact_count};
  shape->range[1] = (tl_range){.kind = TL_BLOCKS,
                               .rows = 1,
                               .bilateral = 1,
                               .first = problem->contact_count,
                               .count = problem->bilateral_count};
  shape->range_count = problem->bilateral_count > 0 ? 2 : 1;
  blocks_number(&build, shape);
  TL_TRY(links_find(context, &build, shape));
  const tl_links links = {
      .unit_count = shape->block_count, .first = build.first, .unit = build.link};
  TL_TRY(tl_order_make(context, assembly, &links, build.colour, coloured));
  TL_TRY(tl_assembly_reserve(context, assembly));
  TL_TRY(masses_fill(context, &build));
  TL_TRY(tl_buffer_reserve(context, &assembly->scratch[2], (size_t)shape->entry_count,
                           sizeof(int32_t), "entries"));
  int64_t entry = 0, at = 0;
  for (int32_t place = 0; place < shape->contact_count; place++) {
    TL_TRY(constraint_fill(context, &build, place, &entry, &at, assembly->scratch[2].memory));
  }
  if (assembly->system.end_first != NULL) {
    assembly->system.end_first[0] = 0;
  }
  if (shape->contact_count > 0) {
    assembly->system.entry_first[shape->contact_count] = (int32_t)entry;
    tl_assembly_incidence(assembly, assembly->scratch[2].memory);
  }
  return TALUS_OK;
}
