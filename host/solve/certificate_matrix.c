/* certificate_matrix.c: facts of form (c), W and q. */
#include <math.h>
#include <string.h>

#include "host/solve/certificate.h"

/* The first of its rows. */
static int64_t row_of(const talus_problem *problem, int64_t constraint) {
  const int64_t contacts = problem->contact_count, d = problem->dimension;
  return constraint < contacts ? d * constraint : d * contacts + (constraint - contacts);
}

/* |W - W^T| / |W|, line by line: row i minus column i in a dense scratch line. */
static double asymmetry_of(const tl_lines *rows, const tl_lines *columns, double *line) {
  double difference = 0, size = 0;
  memset(line, 0, (size_t)rows->count * sizeof *line);
  for (int32_t i = 0; i < rows->count; i++) {
    for (int64_t e = rows->first[i]; e < rows->first[i + 1]; e++) {
      line[rows->index[e]] += rows->value[e];
      size += rows->value[e] * rows->value[e];
    }
    for (int64_t e = columns->first[i]; e < columns->first[i + 1]; e++) {
      line[columns->index[e]] -= columns->value[e];
    }
    for (int pass = 0; pass < 2; pass++) {
      const tl_lines *const side = pass ? columns : rows;
      for (int64_t e = side->first[i]; e < side->first[i + 1]; e++) {
        difference += line[side->index[e]] * line[side->index[e]];
        line[side->index[e]] = 0;
      }
    }
  }
  return size > 0 ? sqrt(difference / size) : 0;
}

/* Traces of the diagonal blocks; those without a positive one get the mean. Negative ones are
 * refused. */
static talus_status matrix_weights(talus_context *context, const tl_lines *rows,
                                   const tl_certification *j) {
  const int64_t contacts = j->problem->contact_count, d = j->problem->dimension;
  const int64_t contact_rows = d * contacts, constraints = contacts + j->problem->bilateral_count;
  memset(j->weight, 0, (size_t)constraints * sizeof *j->weight);
  for (int32_t i = 0; i < rows->count; i++) {
    const int64_t k = i < contact_rows ? i / d : contacts + (i - contact_rows);
    for (int64_t e = rows->first[i]; e < rows->first[i + 1]; e++) {
      if (rows->index[e] == i) {
        j->weight[k] += rows->value[e] / (double)(i < contact_rows ? d : 1);
      }
    }
  }
  double total = 0, largest = 0;
  int32_t good = 0;
  for (int64_t k = 0; k < constraints; k++) {
    largest = fmax(largest, fabs(j->weight[k]));
    total += j->weight[k] > 0 ? j->weight[k] : 0;
    good += j->weight[k] > 0;
  }
  for (int64_t k = 0; k < constraints; k++) {
    if (tl_trace_negative(j->weight[k], largest)) {
      return tl_fail(context, TALUS_BAD_DIAGONAL, "W_kk of %s %lld has negative trace",
                     k < contacts ? "contact" : "bilateral row",
                     (long long)(k < contacts ? k : k - contacts));
    }
    if (!(j->weight[k] > 0)) {
      j->weight[k] = good > 0 ? total / good : 1;
    }
  }
  return TALUS_OK;
}

static void matrix_facts(const tl_certification *j, int32_t first, int32_t count, tl_facts *facts) {
  const int32_t rows = first < j->problem->contact_count ? j->problem->dimension : 1;
  for (int64_t i = 0; i < count; i++) {
    const int64_t from = row_of(j->problem, first + i);
    for (int32_t c = 0; c < rows; c++) {
      facts->velocity[3 * i + c] = j->flat[from + c];
      facts->free[3 * i + c] = j->problem->delassus.q[from + c];
      facts->rounding[3 * i + c] = fabs(j->problem->delassus.q[from + c]);
    }
    facts->weight[i] = j->weight[first + i];
  }
}

/* u = W x + q; the scratch line holds x. */
static void matrix_velocity(const tl_certification *j, double *x) {
  const talus_delassus *const delassus = &j->problem->delassus;
  const int64_t rows = delassus->w.rows,
                contact_rows = row_of(j->problem, j->problem->contact_count);
  for (int64_t i = 0; i < rows; i++) {
    x[i] = i < contact_rows ? (j->impulse != NULL ? j->impulse[i] : 0)
                            : (j->bilateral != NULL ? j->bilateral[i - contact_rows] : 0);
  }
  if (rows > 0) { /* q may be NULL */
    memcpy(j->flat, delassus->q, (size_t)rows * sizeof *j->flat);
  }
  tl_judge_apply(&delassus->w, 0, x, j->flat);
}

talus_status tl_certify_delassus(talus_context *context, tl_certification *j) {
  const talus_delassus *const delassus = &j->problem->delassus;
  const size_t rows = (size_t)delassus->w.rows;
  const size_t constraints =
      (size_t)j->problem->contact_count + (size_t)j->problem->bilateral_count;
  TL_TRY(tl_buffer_reserve(context, &j->memory, rows + constraints, sizeof(double), "certificate"));
  TL_TRY(tl_buffer_reserve(context, &j->scratch, rows, sizeof(double), "certificate"));
  j->flat = j->memory.memory;
  j->weight = j->flat + rows;
  matrix_velocity(j, j->scratch.memory);
  /* by rows in h, by columns in g: only to be compared */
  TL_TRY(tl_lines_make(context, &delassus->w, 0, &j->h));
  TL_TRY(tl_lines_make(context, &delassus->w, 1, &j->g));
  TL_TRY(matrix_weights(context, &j->h, j));
  j->asymmetry = asymmetry_of(&j->h, &j->g, j->scratch.memory);
  j->facts = matrix_facts;
  return TALUS_OK;
}

void tl_judge_apply(const talus_matrix *m, int transposed, const double *x, double *y) {
  int64_t line = 0;
  for (int64_t e = 0; e < m->count; e++) {
    int64_t row, column;
    if (m->storage == TALUS_STORAGE_DENSE) {
      row = e % m->rows;
      column = e / m->rows;
    } else if (m->storage == TALUS_STORAGE_TRIPLET) {
      row = m->index[e];
      column = m->index2[e];
    } else {
      while (e >= m->start[line + 1]) {
        line++;
      }
      row = m->storage == TALUS_STORAGE_CSR ? line : m->index[e];
      column = m->storage == TALUS_STORAGE_CSR ? m->index[e] : line;
    }
    y[transposed ? column : row] += m->value[e] * x[transposed ? row : column];
  }
}
