/* oracle_make.h: between oracle_bodies.c, which draws bodies and Jacobians, and oracle_make.c,
 * which turns them into a problem of the form wanted and gives it its solution. */
#ifndef TALUS_ORACLE_MAKE_H
#define TALUS_ORACLE_MAKE_H

#include "tests/oracle/oracle.h"

/* Memory that lives as long as the problem. */
void *oracle_keep(oracle_made *made, size_t count, size_t size);

/* Bodies as blocks with Jacobian entries (talus_blocks, but writable), and, for rigid ones, the
 * arrays of talus_rigid as well. */
typedef struct oracle_model {
  int unknowns, block_count;
  int *offset;         /* [block_count + 1] of a block's unknowns */
  int32_t *block_size; /* [block_count] */
  double *inverse_mass, *velocity;
  int64_t *contact_start, *bilateral_start;
  int32_t *contact_block, *bilateral_block;
  double *contact_jacobian, *bilateral_jacobian;
  double *frame; /* [9 contacts] n, t1, t2 of rigid contacts in the world */
  /* rigid only */
  double *body_inverse_mass, *body_inverse_inertia;
  int32_t *body_a, *body_b, *row_body_a, *row_body_b;
  double *normal, *reach_a, *reach_b, *arm_a, *arm_b, *row_jacobian;
} oracle_model;

/* Draws everything but the biases; state is that of oracle_random. */
oracle_model oracle_model_draw(oracle_made *made, const oracle_recipe *recipe, uint64_t *state);

/* Attaches the model to the problem in its form, without bias. */
void oracle_form_set(oracle_made *made, const oracle_recipe *recipe, const oracle_model *model,
                     uint64_t *state);
/* Writes the bias of all rows where the form keeps it. bias must live as long as made. */
void oracle_bias_set(oracle_made *made, const oracle_recipe *recipe, const oracle_model *model,
                     const double *bias, uint64_t *state);

#endif
