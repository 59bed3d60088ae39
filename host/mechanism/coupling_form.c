/* coupling_form.c: rows as the arrays of a talus_problem, form (b) or (c).
 *
 * Form (b) has one block per mechanism: M^-1 by sweeps, Jacobians by walks to the base. Form (c)
 * has W = J M^-1 J^T from the compliances between the links that rows touch: nothing of the size of
 * the mechanism squared is ever made. */
#include "host/mechanism/coupling.h"

/* What both forms have: friction and bounds, at the head of `values`. */
static double *common_fill(talus_coupling *coupling, talus_problem *problem) {
  double *const friction = coupling->values.memory;
  double *const lower = friction + coupling->contact_count;
  double *const upper = lower + coupling->bilateral_count;
  const int32_t first = coupling->row_count - coupling->bilateral_count;
  for (int32_t i = 0; i < coupling->contact_count; i++) {
    friction[i] = coupling->row[(size_t)coupling->def.dimension * (size_t)i].friction;
  }
  for (int32_t i = 0; i < coupling->bilateral_count; i++) {
    lower[i] = coupling->row[first + i].lower;
    upper[i] = coupling->row[first + i].upper;
  }
  problem->friction = coupling->def.dimension > 1 ? friction : NULL;
  problem->row_lower = lower;
  problem->row_upper = upper;
  return upper + coupling->bilateral_count;
}

static size_t common_size(const talus_coupling *coupling) {
  return (size_t)coupling->contact_count + 2 * (size_t)coupling->bilateral_count;
}

/* ---- form (b) -------------------------------------------------------------------------------- */

/* The mechanisms of a row, each once; returns how many. */
static int mechanisms_of(const tl_coupling_row *row, int32_t *mechanism) {
  int count = 0;
  for (int e = 0; e < 2; e++) {
    const int32_t m = row->end[e].link >= 0 ? row->end[e].mechanism : -1;
    if (m >= 0 && (count == 0 || mechanism[0] != m)) {
      mechanism[count++] = m;
    }
  }
  return count;
}

/* Entries of `rows` rows that belong together; J goes from the full line to each block. */
static double *entries_fill(const talus_coupling *coupling, const tl_coupling_row *row,
                            int32_t rows, double *line, int32_t *block, int64_t *count,
                            double *jacobian) {
  int32_t mechanism[2];
  const int entries = mechanisms_of(row, mechanism);
  for (int k = 0; k < entries; k++) {
    const int32_t first = coupling->first_velocity[mechanism[k]];
    const size_t n = (size_t)coupling->mechanism[mechanism[k]]->v_count;
    for (int32_t r = 0; r < rows; r++) {
      memset(line + first, 0, n * sizeof *line);
      if (entries > 1) { /* the other end's part is cleared with its own entry */
        const int32_t other = mechanism[1 - k];
        memset(line + coupling->first_velocity[other], 0,
               (size_t)coupling->mechanism[other]->v_count * sizeof *line);
      }
      tl_row_spread(coupling, &row[r], line);
      memcpy(jacobian, line + first, n * sizeof *line);
      jacobian += n;
    }
    block[(*count)++] = mechanism[k];
  }
  return jacobian;
}

static size_t jacobian_size(const talus_coupling *coupling) {
  size_t size = 0;
  for (int32_t i = 0; i < coupling->row_count; i++) {
    int32_t mechanism[2];
    for (int k = mechanisms_of(&coupling->row[i], mechanism) - 1; k >= 0; k--) {
      size += (size_t)coupling->mechanism[mechanism[k]]->v_count;
    }
  }
  return size;
}

static size_t inverse_size(const talus_coupling *coupling) {
  size_t size = 0;
  for (int32_t m = 0; m < coupling->def.mechanism_count; m++) {
    size += (size_t)coupling->mechanism[m]->v_count * (size_t)coupling->mechanism[m]->v_count;
  }
  return size;
}

static void blocks_rows(const talus_coupling *coupling, double *jacobian, double *line,
                        int64_t *start, int32_t *block, talus_blocks *blocks) {
  const int32_t dimension = coupling->def.dimension, contacts = coupling->contact_count;
  int64_t count = 0;
  blocks->contact_start = start;
  blocks->contact_block = block;
  blocks->contact_jacobian = jacobian;
  *start++ = 0;
  for (int32_t i = 0; i < contacts; i++) {
    jacobian = entries_fill(coupling, coupling->row + (size_t)dimension * (size_t)i, dimension,
                            line, block, &count, jacobian);
    *start++ = count;
  }
  block += count;
  count = 0;
  blocks->bilateral_start = start;
  blocks->bilateral_block = block;
  blocks->bilateral_jacobian = jacobian;
  *start++ = 0;
  for (int32_t i = dimension * contacts; i < coupling->row_count; i++) {
    jacobian = entries_fill(coupling, &coupling->row[i], 1, line, block, &count, jacobian);
    *start++ = count;
  }
}

talus_status tl_coupling_blocks(talus_coupling *coupling, talus_problem *problem) {
  const size_t rows = (size_t)coupling->row_count, inverse = inverse_size(coupling);
  const size_t jacobian = jacobian_size(coupling);
  const size_t mechanisms = (size_t)coupling->def.mechanism_count;
  const size_t n = (size_t)coupling->first_velocity[mechanisms];
  talus_blocks *const blocks = &problem->blocks;
  TL_TRY(tl_buffer_reserve(coupling->context, &coupling->values,
                           common_size(coupling) + rows + inverse + jacobian + n, sizeof(double),
                           "a problem of mechanisms"));
  TL_TRY(tl_buffer_reserve(coupling->context, &coupling->indices,
                           2 * (rows + 2) + 2 * rows + mechanisms, sizeof(int32_t),
                           "a problem of mechanisms"));
  double *at = common_fill(coupling, problem);
  int64_t *const start = coupling->indices.memory;
  int32_t *const block = (int32_t *)(start + rows + 2), *const size = block + 2 * rows;
  for (size_t i = 0; i < rows; i++) {
    at[i] = coupling->row[i].bias;
  }
  blocks->bias = at;
  blocks->bilateral_bias = at + rows - coupling->bilateral_count;
  at += rows;
  blocks->inverse_mass = at;
  for (size_t m = 0; m < mechanisms; m++) {
    size[m] = coupling->mechanism[m]->v_count;
    TL_TRY(talus_mechanism_inverse_mass(coupling->mechanism[m], at));
    at += (size_t)size[m] * (size_t)size[m];
  }
  blocks->block_count = (int32_t)mechanisms;
  blocks->block_size = size;
  blocks->velocity = coupling->velocity;
  blocks_rows(coupling, at, at + jacobian, start, block, blocks);
  return TALUS_OK;
}

/* ---- form (c) -------------------------------------------------------------------------------- */

/* Links of one mechanism that rows touch, each once; slot[link] is its number or -1. */
static int32_t links_touched(const talus_coupling *coupling, int32_t m, int32_t *slot,
                             int32_t *link) {
  int32_t count = 0;
  for (int32_t i = 0; i < coupling->mechanism[m]->link_count; i++) {
    slot[i] = -1;
  }
  for (int32_t i = 0; i < coupling->row_count; i++) {
    for (int e = 0; e < 2; e++) {
      const tl_coupling_row_end *const end = &coupling->row[i].end[e];
      if (end->link >= 0 && end->mechanism == m && slot[end->link] < 0) {
        slot[end->link] = count;
        link[count++] = end->link;
      }
    }
  }
  return count;
}

/* Adds to W what goes through mechanism m. */
static void delassus_add(const talus_coupling *coupling, int32_t m, const int32_t *slot,
                         int32_t links, const double *compliance, double *w) {
  const size_t rows = (size_t)coupling->row_count;
  for (size_t j = 0; j < rows; j++) {
    for (int f = 0; f < 2; f++) {
      const tl_coupling_row_end *const from = &coupling->row[j].end[f];
      for (size_t i = 0; from->link >= 0 && from->mechanism == m && i <= j; i++) {
        for (int e = 0; e < 2; e++) {
          const tl_coupling_row_end *const to = &coupling->row[i].end[e];
          if (to->link < 0 || to->mechanism != m) {
            continue;
          }
          double moved[6];
          tl_times6(moved,
                    compliance +
                        36 * ((size_t)links * (size_t)slot[to->link] + (size_t)slot[from->link]),
                    from->wrench);
          w[i + j * rows] += tl_dot6(to->wrench, moved);
        }
      }
    }
  }
}

/* q = J v + bias, v the velocities after all other forces: once along each tree. */
static void delassus_free(const talus_coupling *coupling, double *q) {
  static const double still[6];
  for (int32_t m = 0; m < coupling->def.mechanism_count; m++) {
    tl_mechanism_spread(coupling->mechanism[m], coupling->velocity + coupling->first_velocity[m]);
  }
  for (int32_t i = 0; i < coupling->row_count; i++) {
    const tl_coupling_row *const row = &coupling->row[i];
    q[i] = row->bias;
    for (int e = 0; e < 2; e++) {
      if (row->end[e].link >= 0) {
        q[i] += tl_dot6(row->end[e].wrench, tl_motion_of(coupling->mechanism[row->end[e].mechanism],
                                                         row->end[e].link, still));
      }
    }
  }
}

talus_status tl_coupling_delassus(talus_coupling *coupling, talus_problem *problem) {
  const size_t rows = (size_t)coupling->row_count;
  size_t links = 0, touched = 0;
  for (int32_t m = 0; m < coupling->def.mechanism_count; m++) {
    const size_t count = (size_t)coupling->mechanism[m]->link_count;
    links = count > links ? count : links;
  }
  touched = 2 * rows < links ? 2 * rows : links;
  TL_TRY(tl_buffer_reserve(coupling->context, &coupling->values,
                           common_size(coupling) + rows * rows + rows + 36 * touched * touched,
                           sizeof(double), "a problem of mechanisms"));
  TL_TRY(tl_buffer_reserve(coupling->context, &coupling->indices, 2 * links, sizeof(int32_t),
                           "a problem of mechanisms"));
  double *const w = common_fill(coupling, problem), *const q = w + rows * rows;
  double *const compliance = q + rows;
  int32_t *const slot = coupling->indices.memory, *const link = slot + links;
  memset(w, 0, rows * rows * sizeof *w);
  for (int32_t m = 0; m < coupling->def.mechanism_count; m++) {
    const int32_t count = links_touched(coupling, m, slot, link);
    if (count > 0) {
      TL_TRY(tl_mechanism_compliance(coupling->mechanism[m], link, count, compliance));
      delassus_add(coupling, m, slot, count, compliance, w);
    }
  }
  for (size_t j = 0; j < rows; j++) {
    for (size_t i = 0; i < j; i++) {
      w[j + i * rows] = w[i + j * rows];
    }
  }
  delassus_free(coupling, q);
  problem->delassus.w.storage = TALUS_STORAGE_DENSE;
  problem->delassus.w.rows = problem->delassus.w.columns = coupling->row_count;
  problem->delassus.w.count = (int64_t)(rows * rows);
  problem->delassus.w.value = w;
  problem->delassus.q = q;
  return TALUS_OK;
}

talus_status tl_coupling_form(talus_coupling *coupling, talus_problem *problem) {
  *problem = talus_problem_default(coupling->def.form);
  problem->dimension = coupling->def.dimension;
  problem->contact_count = coupling->contact_count;
  problem->bilateral_count = coupling->bilateral_count;
  return coupling->def.form == TALUS_FORM_BLOCKS ? tl_coupling_blocks(coupling, problem)
                                                 : tl_coupling_delassus(coupling, problem);
}
