/* gather.c: a problem's arrays, packed: form by form, each array one line.
 *
 * How long the arrays of ragged parts are follows from arrays gathered before; where those make no
 * sense nothing more is read, and tl_problem_check, which looks at them first, says why. */
#include <string.h>

#include "host/problem/layout.h"

typedef struct intake {
  talus_context *context;
  const talus_layout *layout;
  const tl_backend *backend; /* whose memory the arrays are in */
  tl_gathered *gathered;
} intake;

/* Counts beyond this are refused by tl_problem_check before it looks at any array. */
enum { COUNT_MAX = 1 << 29 };

static talus_status copy_make(intake *in, const tl_caller_array *field, void **packed) {
  tl_buffer *const buffer = &in->gathered->buffer[in->gathered->used++];
  TL_TRY(tl_buffer_reserve(in->context, buffer, (size_t)field->count * (size_t)field->pitch,
                           (size_t)tl_packed_size(field->scalar), field->name));
  *packed = buffer->memory;
  return in->backend->copy_array(in->context, field, *packed, TL_COPY_IN);
}

/* Packed already, on the host, in its own type. */
static bool is_packed(const intake *in, const tl_caller_array *field) {
  return in->backend->kind == TALUS_BACKEND_CPU && field->scalar != TL_SCALAR_F32 &&
         field->stride == (int64_t)field->pitch * tl_scalar_size(field->scalar);
}

static talus_status take(intake *in, const tl_given *given, const void **packed) {
  tl_caller_array field;
  TL_TRY(tl_caller_array_make(in->context, given, &field));
  *packed = field.array;
  if (field.array == NULL || field.count <= 0) {
    return TALUS_OK;
  }
  if (is_packed(in, &field)) { /* where a device is in play it knows what is not on the host */
    return in->context->backend->copy_array(in->context, &field, NULL, TL_COPY_LOOK);
  }
  void *copy;
  TL_TRY(copy_make(in, &field, &copy));
  *packed = copy;
  return TALUS_OK;
}

/* Replaces pointer `member` of the problem by that of its packed counterpart. */
#define TAKE(in, member, given_as, number, size, length, text) \
  do {                                                         \
    const void *packed_;                                       \
    const tl_given given_ = {.own = (member),                  \
                             .strided = (given_as),            \
                             .scalar = TL_SCALAR_##number,     \
                             .components = (size),             \
                             .count = (length),                \
                             .name = (text)};                  \
    TL_TRY(take((in), &given_, &packed_));                     \
    (member) = packed_;                                        \
  } while (0)

/* ---- form (a) -------------------------------------------------------------------------------- */

/* Linear and angular velocities from two arrays. */
static talus_status velocity_take(intake *in, talus_rigid *rigid) {
  const talus_strided *const angular = &in->layout->rigid.angular_velocity;
  const int64_t bodies = rigid->body_count;
  if (angular->array == NULL) {
    TAKE(in, rigid->velocity, in->layout->rigid.velocity, F64, 6, bodies, "rigid.velocity");
    return TALUS_OK;
  }
  const tl_given given[2] = {
      {.own = rigid->velocity,
       .strided = in->layout->rigid.velocity,
       .components = 3,
       .count = bodies,
       .name = "rigid.velocity"},
      {.strided = *angular, .components = 3, .count = bodies, .name = "rigid.angular_velocity"}};
  if (given[0].strided.array == NULL || given[0].own != NULL) {
    return tl_fail(in->context, TALUS_INVALID_ARGUMENT,
                   "the layout of rigid.angular_velocity goes with a velocity of three numbers in "
                   "the same layout");
  }
  tl_caller_array field[2];
  for (int i = 0; i < 2; i++) {
    TL_TRY(tl_caller_array_make(in->context, &given[i], &field[i]));
    field[i].pitch = 6;
  }
  if (bodies <= 0) {
    return TALUS_OK;
  }
  void *both;
  TL_TRY(copy_make(in, &field[0], &both));
  rigid->velocity = both;
  return in->backend->copy_array(in->context, &field[1], (double *)both + 3, TL_COPY_IN);
}

_Static_assert(sizeof(talus_rigid) == 17 * sizeof(void *), "a new array needs its line below");
static talus_status rigid_take(intake *in, talus_problem *problem) {
  talus_rigid *const r = &problem->rigid;
  const int64_t bodies = r->body_count, contacts = problem->contact_count;
  const int64_t rows = problem->bilateral_count;
  if (bodies < 0 || bodies > COUNT_MAX) {
    return TALUS_OK;
  }
  TL_TRY(velocity_take(in, r));
#define TAKE_RIGID(name, number, size, length) \
  TAKE(in, r->name, in->layout->rigid.name, number, size, length, "rigid." #name)
  TAKE_RIGID(inverse_mass, F64, 1, bodies);
  TAKE_RIGID(inverse_inertia, F64, 6, bodies);
  TAKE_RIGID(body_a, I32, 1, contacts);
  TAKE_RIGID(body_b, I32, 1, contacts);
  TAKE_RIGID(normal, F64, 3, contacts);
  TAKE_RIGID(reach_a, F64, 1, contacts);
  TAKE_RIGID(reach_b, F64, 1, contacts);
  TAKE_RIGID(arm_a, F64, 3, contacts);
  TAKE_RIGID(arm_b, F64, 3, contacts);
  TAKE_RIGID(bias, F64, 1, contacts);
  TAKE_RIGID(surface_velocity, F64, 3, contacts);
  TAKE_RIGID(row_body_a, I32, 1, rows);
  TAKE_RIGID(row_body_b, I32, 1, rows);
  TAKE_RIGID(row_jacobian, F64, 12, rows);
  TAKE_RIGID(row_bias, F64, 1, rows);
#undef TAKE_RIGID
  return TALUS_OK;
}

/* ---- form (b) -------------------------------------------------------------------------------- */

/* Velocities and entries of M^-1 of all blocks; 0 if the sizes make no sense. */
static bool blocks_sum(const talus_blocks *b, int64_t *columns, int64_t *entries) {
  *columns = *entries = 0;
  for (int32_t i = 0; i < b->block_count; i++) {
    const int64_t size = b->block_size != NULL ? b->block_size[i] : 0;
    if (size < 1 || size > 100000 || *columns > COUNT_MAX) {
      return false;
    }
    *columns += size;
    *entries += size * size;
  }
  return *columns <= COUNT_MAX;
}

/* Offsets of `count` constraints; *end is -1 if they make no sense. */
static void offsets_end(const int64_t *start, int64_t count, int64_t *end) {
  bool good = start != NULL && start[0] == 0;
  for (int64_t i = 0; good && i < count; i++) {
    good = start[i + 1] >= start[i] && start[i + 1] <= INT32_MAX;
  }
  *end = good ? start[count] : -1;
}

/* Numbers in the Jacobians of these entries; -1 if the blocks make no sense. */
static int64_t jacobian_sum(const talus_blocks *b, const int32_t *block, int64_t entries,
                            int32_t rows) {
  int64_t sum = 0;
  for (int64_t e = 0; e < entries; e++) {
    if (block == NULL || block[e] < 0 || block[e] >= b->block_count) {
      return -1;
    }
    sum += (int64_t)rows * b->block_size[block[e]];
  }
  return sum;
}

#define TAKE_BLOCKS(name, number, size, length) \
  TAKE(in, b->name, in->layout->blocks.name, number, size, length, "blocks." #name)

static talus_status contacts_take(intake *in, talus_blocks *b, int64_t count, int32_t rows) {
  int64_t end;
  TAKE_BLOCKS(contact_start, I64, 1, count + 1);
  offsets_end(b->contact_start, count, &end);
  TAKE_BLOCKS(contact_block, I32, 1, end);
  TAKE_BLOCKS(contact_jacobian, F64, 1, jacobian_sum(b, b->contact_block, end, rows));
  TAKE_BLOCKS(bias, F64, rows, count);
  return TALUS_OK;
}

static talus_status rows_take(intake *in, talus_blocks *b, int64_t count) {
  int64_t end;
  TAKE_BLOCKS(bilateral_start, I64, 1, count + 1);
  offsets_end(b->bilateral_start, count, &end);
  TAKE_BLOCKS(bilateral_block, I32, 1, end);
  TAKE_BLOCKS(bilateral_jacobian, F64, 1, jacobian_sum(b, b->bilateral_block, end, 1));
  TAKE_BLOCKS(bilateral_bias, F64, 1, count);
  return TALUS_OK;
}

_Static_assert(sizeof(talus_blocks) == 12 * sizeof(void *), "a new array needs its line");
static talus_status blocks_take(intake *in, talus_problem *problem) {
  talus_blocks *const b = &problem->blocks;
  int64_t columns, entries;
  if (b->block_count < 0 || b->block_count > COUNT_MAX) {
    return TALUS_OK;
  }
  TAKE_BLOCKS(block_size, I32, 1, b->block_count);
  if (!blocks_sum(b, &columns, &entries)) {
    return TALUS_OK;
  }
  TAKE_BLOCKS(inverse_mass, F64, 1, entries);
  TAKE_BLOCKS(velocity, F64, 1, columns);
  if (problem->contact_count > 0) {
    TL_TRY(contacts_take(in, b, problem->contact_count, problem->dimension));
  }
  if (problem->bilateral_count > 0) {
    TL_TRY(rows_take(in, b, problem->bilateral_count));
  }
  return TALUS_OK;
}

/* ---- forms (c) and (d) ----------------------------------------------------------------------- */

static talus_status matrix_take(intake *in, const talus_matrix_layout *layout, talus_matrix *m,
                                int64_t rows, int64_t columns, const char *name) {
  const int64_t lines = m->storage == TALUS_STORAGE_CSR ? rows : columns;
  if (m->rows != rows || m->columns != columns || m->count < 0 || m->count > (int64_t)1 << 40 ||
      (m->count == 0 && (rows == 0 || columns == 0))) {
    return TALUS_OK;
  }
  if (m->storage == TALUS_STORAGE_CSC || m->storage == TALUS_STORAGE_CSR) {
    TAKE(in, m->start, layout->start, I64, 1, lines + 1, name);
  }
  if (m->storage != TALUS_STORAGE_DENSE) {
    TAKE(in, m->index, layout->index, I32, 1, m->count, name);
  }
  if (m->storage == TALUS_STORAGE_TRIPLET) {
    TAKE(in, m->index2, layout->index2, I32, 1, m->count, name);
  }
  TAKE(in, m->value, layout->value, F64, 1, m->count, name);
  return TALUS_OK;
}

static talus_status delassus_take(intake *in, talus_problem *problem) {
  talus_delassus *const d = &problem->delassus;
  const int64_t rows =
      (int64_t)problem->dimension * problem->contact_count + problem->bilateral_count;
  TL_TRY(matrix_take(in, &in->layout->delassus.w, &d->w, rows, rows, "delassus.w"));
  TAKE(in, d->q, in->layout->delassus.q, F64, 1, rows, "delassus.q");
  return TALUS_OK;
}

static talus_status global_take(intake *in, talus_problem *problem) {
  talus_global *const g = &problem->global;
  const int64_t contact_rows = (int64_t)problem->dimension * problem->contact_count;
  const int64_t rows = problem->bilateral_count, size = g->mass.rows;
  if (size < 0 || size > COUNT_MAX) {
    return TALUS_OK;
  }
  TL_TRY(matrix_take(in, &in->layout->global.mass, &g->mass, size, size, "global.mass"));
  TL_TRY(matrix_take(in, &in->layout->global.h, &g->h, size, contact_rows, "global.h"));
  if (rows > 0) {
    TL_TRY(matrix_take(in, &in->layout->global.g, &g->g, size, rows, "global.g"));
  }
  TAKE(in, g->f, in->layout->global.f, F64, 1, size, "global.f");
  TAKE(in, g->w, in->layout->global.w, F64, 1, contact_rows, "global.w");
  TAKE(in, g->b, in->layout->global.b, F64, 1, rows, "global.b");
  return TALUS_OK;
}

/* ---- all ------------------------------------------------------------------------------------- */

static talus_status form_take(intake *in, talus_problem *problem) {
  switch (problem->form) {
  case TALUS_FORM_RIGID:
    return rigid_take(in, problem);
  case TALUS_FORM_BLOCKS:
    return blocks_take(in, problem);
  case TALUS_FORM_DELASSUS:
    return delassus_take(in, problem);
  case TALUS_FORM_GLOBAL:
    return global_take(in, problem);
  }
  return TALUS_OK;
}

/* As many as there are bodies or blocks; forms without them are refused by tl_problem_check. */
static talus_status bodies_take(intake *in, talus_problem *problem) {
  const int64_t count = problem->form == TALUS_FORM_RIGID    ? problem->rigid.body_count
                        : problem->form == TALUS_FORM_BLOCKS ? problem->blocks.block_count
                                                             : 0;
  if (count >= 0 && count <= COUNT_MAX) {
    TAKE(in, problem->asleep, in->layout->asleep, I32, 1, count, "problem.asleep");
    TAKE(in, problem->positions, in->layout->positions, F64, 3,
         problem->form == TALUS_FORM_RIGID ? count : 0, "problem.positions");
  }
  return TALUS_OK;
}

static talus_status own_take(intake *in, talus_problem *problem) {
  const int64_t contacts = problem->contact_count, rows = problem->bilateral_count;
#define TAKE_OWN(name, size, length) \
  TAKE(in, problem->name, in->layout->name, F64, size, length, "problem." #name)
  TAKE_OWN(compliance, 2, contacts);
  TAKE_OWN(target_impulse, problem->dimension, contacts);
  TAKE_OWN(row_compliance, 1, rows);
  TAKE_OWN(row_target_impulse, 1, rows);
  TAKE_OWN(torque_friction, 2, contacts);
  TAKE_OWN(cross_friction, 1, contacts);
  TAKE_OWN(friction_direction, 3, contacts);
#undef TAKE_OWN
  return TALUS_OK;
}

/* Sizes that tl_problem_check will refuse: no array may be read by them. */
static bool sizes_absurd(const talus_problem *p) {
  return p->contact_count < 0 || p->bilateral_count < 0 || p->dimension < 1 || p->dimension > 6 ||
         (p->dimension > 3 ? 6 : 3) * (int64_t)p->contact_count + 3 * (int64_t)p->bilateral_count >
             COUNT_MAX;
}

/* Every array by itself. */
static talus_status problem_pack(talus_context *context, const talus_problem *problem,
                                 const tl_backend *backend, tl_gathered *gathered,
                                 const talus_problem **packed) {
  const talus_layout none = {.struct_size = sizeof none};
  intake in = {.context = context,
               .layout = problem->layout != NULL ? problem->layout : &none,
               .backend = backend,
               .gathered = gathered};
  talus_problem *const copy = &gathered->problem;
  *copy = *problem;
  copy->memory = TALUS_MEMORY_HOST;
  copy->layout = NULL;
  gathered->used = 0;
  TAKE(&in, copy->friction, in.layout->friction, F64, 1, copy->contact_count, "problem.friction");
  TAKE(&in, copy->row_lower, in.layout->row_lower, F64, 1, copy->bilateral_count,
       "problem.row_lower");
  TAKE(&in, copy->row_upper, in.layout->row_upper, F64, 1, copy->bilateral_count,
       "problem.row_upper");
  TL_TRY(own_take(&in, copy));
  TAKE(&in, copy->contact_key, in.layout->contact_key, I64, 1, copy->contact_count,
       "problem.contact_key");
  TAKE(&in, copy->row_key, in.layout->row_key, I64, 1, copy->bilateral_count, "problem.row_key");
  TL_TRY(bodies_take(&in, copy));
  TL_TRY(form_take(&in, copy));
  *packed = copy;
  return TALUS_OK;
}

talus_status tl_problem_gather(talus_context *context, const talus_problem *problem,
                               tl_gathered *gathered, const talus_problem **packed) {
  *packed = problem;
  const tl_backend *backend;
  TL_TRY(tl_memory_backend(context, problem->memory, "problem", &backend));
  const bool plain = problem->layout == NULL && problem->memory == TALUS_MEMORY_HOST;
  if ((plain && context->backend->kind == TALUS_BACKEND_CPU) || sizes_absurd(problem)) {
    return TALUS_OK;
  }
  return problem_pack(context, problem, backend, gathered, packed);
}

void tl_gathered_release(talus_context *context, tl_gathered *gathered) {
  for (int i = 0; i < TL_GATHERED; i++) {
    tl_buffer_release(context, &gathered->buffer[i]);
  }
}

int64_t tl_gathered_bytes(const tl_gathered *gathered) {
  int64_t bytes = 0;
  for (int i = 0; i < TL_GATHERED; i++) {
    bytes += (int64_t)gathered->buffer[i].capacity;
  }
  return bytes;
}
