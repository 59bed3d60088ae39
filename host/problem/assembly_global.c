/* assembly_global.c: form (d), M and H sparse, translated to form (b), and further to form (a)
 * where the bodies turn out to be spheres (spheres.c).
 *
 * M^-1 is formed block by block; the columns of H of one contact, cut at the blocks, are its
 * Jacobians. Bodies of six columns (three in the plane) are recognised as such. */
#include <string.h>

#include "host/math/dense.h"
#include "host/problem/translation.h"

void tl_translation_release(talus_context *context, struct tl_translation *t) {
  if (t == NULL) {
    return;
  }
  tl_mass_release(context, &t->mass);
  tl_lines_release(context, &t->h);
  tl_lines_release(context, &t->g);
  tl_buffer_release(context, &t->blocks);
  tl_buffer_release(context, &t->entries[0]);
  tl_buffer_release(context, &t->entries[1]);
  tl_buffer_release(context, &t->spheres);
  tl_free(context, t);
}

int64_t tl_translation_bytes(const struct tl_translation *t) {
  return t == NULL
             ? 0
             : tl_mass_bytes(&t->mass) +
                   (int64_t)(t->h.memory.capacity + t->g.memory.capacity + t->blocks.capacity +
                             t->entries[0].capacity + t->entries[1].capacity + t->spheres.capacity);
}

/* M^-1 dense per block and the free velocity M^-1 f. */
static talus_status blocks_translate(talus_context *context, const talus_global *global,
                                     tl_translation *t) {
  const tl_mass *const mass = &t->mass;
  int64_t area = 0, largest = 0;
  for (int32_t b = 0; b < mass->block_count; b++) {
    area += (int64_t)mass->block_size[b] * mass->block_size[b];
    largest = mass->block_size[b] > largest ? mass->block_size[b] : largest;
  }
  TL_TRY(tl_buffer_reserve(context, &t->blocks, (size_t)(area + mass->size + 2 * largest),
                           sizeof(double), "inverse of M"));
  double *const inverse = t->blocks.memory, *const velocity = inverse + area;
  double *const column = velocity + mass->size;
  for (int32_t b = 0; b < mass->block_count; b++) {
    tl_dense_invert(mass->factor + mass->factor_first[b], mass->block_size[b],
                    inverse + mass->factor_first[b], column);
    for (int32_t i = 0; i < mass->block_size[b]; i++) {
      column[i] = global->f[mass->column[mass->block_first[b] + i]];
    }
    tl_dense_solve(mass->factor + mass->factor_first[b], mass->block_size[b], column);
    memcpy(velocity + mass->block_first[b], column, (size_t)mass->block_size[b] * sizeof *velocity);
  }
  t->problem.blocks.block_count = mass->block_count;
  t->problem.blocks.block_size = mass->block_size;
  t->problem.blocks.inverse_mass = inverse;
  t->problem.blocks.velocity = velocity;
  return TALUS_OK;
}

/* The entries of `count` constraints of `rows` columns each of a matrix given by columns. */
static talus_status entries_translate(talus_context *context, const tl_mass *mass,
                                      const tl_lines *columns, int32_t count, int32_t rows,
                                      const char *what, tl_buffer *memory, int64_t **start,
                                      int32_t **block, double **jacobian) {
  const int64_t stored = columns->first[(int64_t)count * rows];
  int64_t reals = 0, entries = 0;
  /* first pass counts, second fills; mark[b] = entry of block b in the running constraint */
  for (int pass = 0; pass < 2; pass++) {
    if (pass == 1) {
      TL_TRY(tl_buffer_reserve(context, memory,
                               (size_t)(count + 1 + reals + (entries + mass->block_count) / 2 + 1),
                               sizeof(int64_t), "entries of H"));
      *start = memory->memory;
      *jacobian = (double *)(*start + count + 1);
      *block = (int32_t *)(*jacobian + reals);
      memset(*jacobian, 0, (size_t)reals * sizeof **jacobian);
    } else {
      TL_TRY(tl_buffer_reserve(context, memory, (size_t)(mass->block_count + stored),
                               sizeof(int64_t), "entries of H"));
    }
    int64_t *const mark = pass == 0 ? memory->memory : NULL;
    if (pass == 0) {
      memset(mark, 0xff, (size_t)mass->block_count * sizeof *mark);
    }
    entries = reals = 0;
    for (int32_t k = 0; k < count; k++) {
      const int64_t first = entries;
      if (pass == 1) {
        (*start)[k] = first;
      }
      for (int64_t e = columns->first[(int64_t)k * rows];
           e < columns->first[((int64_t)k + 1) * rows]; e++) {
        const int32_t b = mass->block_of[columns->index[e]];
        if (pass == 0) {
          if (mark[b] != k) {
            mark[b] = k;
            entries++;
            reals += (int64_t)rows * mass->block_size[b];
          }
          continue;
        }
        int64_t at = first;
        while (at < entries && (*block)[at] != b) {
          at++;
        }
        if (at == entries) {
          (*block)[entries++] = b;
          reals += (int64_t)rows * mass->block_size[b];
        }
      }
      if (pass == 0) {
        if (entries == first) {
          return tl_fail(context, TALUS_IMMOVABLE_PAIR,
                         "%s: the columns of constraint %d are empty", what, k);
        }
        continue;
      }
      int64_t begin = reals;
      for (int64_t at = first; at < entries; at++) {
        begin -= (int64_t)rows * mass->block_size[(*block)[at]];
      }
      for (int32_t row = 0; row < rows; row++) {
        for (int64_t e = columns->first[(int64_t)k * rows + row];
             e < columns->first[(int64_t)k * rows + row + 1]; e++) {
          const int32_t b = mass->block_of[columns->index[e]];
          int64_t to = begin;
          for (int64_t at = first; (*block)[at] != b; at++) {
            to += (int64_t)rows * mass->block_size[(*block)[at]];
          }
          (*jacobian)[to + (int64_t)row * mass->block_size[b] +
                      mass->place_of[columns->index[e]]] += columns->value[e];
        }
      }
    }
  }
  (*start)[count] = entries;
  return TALUS_OK;
}

static talus_status translate(talus_context *context, const talus_problem *problem,
                              tl_translation *t) {
  const talus_global *const global = &problem->global;
  const int32_t group = problem->dimension >= 3 ? 6 : (problem->dimension == 2 ? 3 : 0);
  TL_TRY(tl_mass_make(context, &global->mass, group, &t->mass));
  TL_TRY(tl_lines_make(context, &global->h, 1, &t->h));
  t->problem = talus_problem_default(TALUS_FORM_BLOCKS);
  t->problem.dimension = problem->dimension;
  t->problem.contact_count = problem->contact_count;
  t->problem.bilateral_count = problem->bilateral_count;
  t->problem.friction = problem->friction;
  t->problem.torque_friction = problem->torque_friction;
  t->problem.cross_friction = problem->cross_friction;
  TL_TRY(blocks_translate(context, global, t));
  int64_t *start;
  int32_t *block;
  double *jacobian;
  TL_TRY(entries_translate(context, &t->mass, &t->h, problem->contact_count, problem->dimension,
                           "global.h", &t->entries[0], &start, &block, &jacobian));
  t->problem.blocks.contact_start = start;
  t->problem.blocks.contact_block = block;
  t->problem.blocks.contact_jacobian = jacobian;
  t->problem.blocks.bias = global->w;
  if (problem->bilateral_count > 0) {
    TL_TRY(tl_lines_make(context, &global->g, 1, &t->g));
    TL_TRY(entries_translate(context, &t->mass, &t->g, problem->bilateral_count, 1, "global.g",
                             &t->entries[1], &start, &block, &jacobian));
    t->problem.blocks.bilateral_start = start;
    t->problem.blocks.bilateral_block = block;
    t->problem.blocks.bilateral_jacobian = jacobian;
    t->problem.blocks.bilateral_bias = global->b;
  }
  return TALUS_OK;
}

talus_status tl_translate_global(talus_context *context, const talus_problem *problem,
                                 tl_assembly *assembly, const talus_problem **translated) {
  if (assembly->translation == NULL) {
    TL_TRY(tl_alloc(context, (void **)&assembly->translation, 1, sizeof *assembly->translation,
                    "translation"));
    memset(assembly->translation, 0, sizeof *assembly->translation);
  }
  tl_translation *const t = assembly->translation;
  TL_TRY(translate(context, problem, t));
  TL_TRY(tl_spheres_find(context, t));
  assembly->frame = t->frame;
  assembly->notes |= t->frame != NULL ? TALUS_NOTE_SPHERES_FOUND : TALUS_NOTE_BLOCKS_FOUND;
  *translated = t->frame != NULL ? &t->as_spheres : &t->problem;
  return TALUS_OK;
}
