/* test_layout.cu: the same problem from packed arrays of the host, from arrays of structs, in
 * single precision, and from device memory gives the same bits; and what is laid out wrongly is
 * refused.
 *
 * Every array of every form is moved into the layout under test, with gaps full of 0xff, and so are
 * the arrays for the results, whose gaps must come back as they were. Ends with 77 where there is
 * no device, after the host's part. */
#include <cuda_runtime.h>

#include <stdint.h>
#include <string.h>

#include "tests/check.h"
extern "C" {
#include "tests/backend/cases.h"
}

namespace {

/* How a variant of a problem lies. */
struct variant {
  const char *name;
  bool strided, single, device;
};

/* One array of a problem: the member, its place in the layout, what an element is. */
struct slot {
  void *member; /* a pointer to it */
  talus_strided *strided;
  bool real;
  int size, components;
  int64_t count;
};

struct slots {
  slot at[28];
  int count;
};

template <class T>
void slot_add(slots *s, const T **member, talus_strided *strided, int components, int64_t count) {
  const slot one = {(void *)member, strided, T(0.5) != 0, (int)sizeof(T), components, count};
  s->at[s->count++] = one;
}

void matrix_slots(slots *s, talus_matrix *m, talus_matrix_layout *layout) {
  const bool by_row = m->storage == TALUS_STORAGE_CSR;
  slot_add(s, &m->start, &layout->start, 1, (by_row ? m->rows : m->columns) + 1);
  slot_add(s, &m->index, &layout->index, 1, m->count);
  slot_add(s, &m->index2, &layout->index2, 1, m->count);
  slot_add(s, &m->value, &layout->value, 1, m->count);
}

void rigid_slots(slots *s, talus_problem *p, talus_layout *layout) {
  const int64_t bodies = p->rigid.body_count, contacts = p->contact_count;
  const int64_t rows = p->bilateral_count;
#define SLOT(name, components, count) \
  slot_add(s, &p->rigid.name, &layout->rigid.name, components, count)
  SLOT(velocity, 6, bodies);
  SLOT(inverse_mass, 1, bodies);
  SLOT(inverse_inertia, 6, bodies);
  SLOT(body_a, 1, contacts);
  SLOT(body_b, 1, contacts);
  SLOT(normal, 3, contacts);
  SLOT(reach_a, 1, contacts);
  SLOT(reach_b, 1, contacts);
  SLOT(arm_a, 3, contacts);
  SLOT(arm_b, 3, contacts);
  SLOT(bias, 1, contacts);
  SLOT(surface_velocity, 3, contacts);
  SLOT(row_body_a, 1, rows);
  SLOT(row_body_b, 1, rows);
  SLOT(row_jacobian, 12, rows);
  SLOT(row_bias, 1, rows);
#undef SLOT
}

int64_t jacobian_count(const talus_blocks *b, const int64_t *start, const int32_t *block,
                       int32_t constraints, int32_t rows) {
  int64_t sum = 0;
  for (int64_t e = 0; e < start[constraints]; e++) {
    sum += (int64_t)rows * b->block_size[block[e]];
  }
  return sum;
}

void blocks_slots(slots *s, talus_problem *p, talus_layout *layout) {
  const talus_blocks *const b = &p->blocks;
  int64_t columns = 0, entries = 0;
  for (int32_t i = 0; i < b->block_count; i++) {
    columns += b->block_size[i];
    entries += (int64_t)b->block_size[i] * b->block_size[i];
  }
#define SLOT(name, components, count) \
  slot_add(s, &p->blocks.name, &layout->blocks.name, components, count)
  const int32_t contacts = p->contact_count, rows = p->bilateral_count;
  SLOT(block_size, 1, b->block_count);
  SLOT(inverse_mass, 1, entries);
  SLOT(velocity, 1, columns);
  SLOT(contact_start, 1, contacts + 1);
  SLOT(contact_block, 1, b->contact_start[contacts]);
  SLOT(contact_jacobian, 1,
       jacobian_count(b, b->contact_start, b->contact_block, contacts, p->dimension));
  SLOT(bias, p->dimension, contacts);
  SLOT(bilateral_start, 1, rows + 1);
  SLOT(bilateral_block, 1, b->bilateral_start[rows]);
  SLOT(bilateral_jacobian, 1, jacobian_count(b, b->bilateral_start, b->bilateral_block, rows, 1));
  SLOT(bilateral_bias, 1, rows);
#undef SLOT
}

void problem_slots(slots *s, talus_problem *p, talus_layout *layout) {
  const int64_t contact_rows = (int64_t)p->dimension * p->contact_count;
  s->count = 0;
  slot_add(s, &p->friction, &layout->friction, 1, p->contact_count);
  slot_add(s, &p->row_lower, &layout->row_lower, 1, p->bilateral_count);
  slot_add(s, &p->row_upper, &layout->row_upper, 1, p->bilateral_count);
  slot_add(s, &p->compliance, &layout->compliance, 2, p->contact_count);
  slot_add(s, &p->target_impulse, &layout->target_impulse, p->dimension, p->contact_count);
  slot_add(s, &p->row_compliance, &layout->row_compliance, 1, p->bilateral_count);
  slot_add(s, &p->row_target_impulse, &layout->row_target_impulse, 1, p->bilateral_count);
  slot_add(s, &p->torque_friction, &layout->torque_friction, 2, p->contact_count);
  slot_add(s, &p->cross_friction, &layout->cross_friction, 1, p->contact_count);
  slot_add(s, &p->friction_direction, &layout->friction_direction, 3, p->contact_count);
  if (p->form == TALUS_FORM_RIGID) {
    slot_add(s, &p->positions, &layout->positions, 3, p->rigid.body_count);
    rigid_slots(s, p, layout);
  } else if (p->form == TALUS_FORM_BLOCKS) {
    blocks_slots(s, p, layout);
  } else if (p->form == TALUS_FORM_DELASSUS) {
    matrix_slots(s, &p->delassus.w, &layout->delassus.w);
    slot_add(s, &p->delassus.q, &layout->delassus.q, 1, contact_rows + p->bilateral_count);
  } else {
    matrix_slots(s, &p->global.mass, &layout->global.mass);
    matrix_slots(s, &p->global.h, &layout->global.h);
    matrix_slots(s, &p->global.g, &layout->global.g);
    slot_add(s, &p->global.f, &layout->global.f, 1, p->global.mass.rows);
    slot_add(s, &p->global.w, &layout->global.w, 1, contact_rows);
    slot_add(s, &p->global.b, &layout->global.b, 1, p->bilateral_count);
  }
}

/* ---- memory of a variant --------------------------------------------------------------------- */

/* Where the variant's arrays are: released together. stream: what the caller works on. */
struct memory {
  void *host[64], *device[64];
  int host_count, device_count;
  cudaStream_t stream;
};

void *host_room(memory *m, size_t bytes) {
  void *const room = malloc(bytes + 1);
  CHECK(room != NULL && m->host_count < 64);
  memset(room, 0xff, bytes + 1);
  m->host[m->host_count++] = room;
  return room;
}

/* Queued on the stream and not waited for: the library reads behind it. */
void *device_copy(memory *m, const void *from, size_t bytes) {
  void *copy = NULL;
  CHECK(cudaMalloc(&copy, bytes + 1) == cudaSuccess && m->device_count < 64);
  CHECK(cudaMemcpyAsync(copy, from, bytes, cudaMemcpyHostToDevice, m->stream) == cudaSuccess);
  if (m->stream == NULL) {
    CHECK(cudaStreamSynchronize(m->stream) == cudaSuccess);
  }
  m->device[m->device_count++] = copy;
  return copy;
}

void memory_release(memory *m) {
  for (int i = 0; i < m->host_count; i++) {
    free(m->host[i]);
  }
  for (int i = 0; i < m->device_count; i++) {
    CHECK(cudaFree(m->device[i]) == cudaSuccess);
  }
  m->host_count = m->device_count = 0;
}

int64_t stride_of(const variant *v, int64_t element, int64_t size, int i) {
  return v->strided ? element + size * (1 + i % 3) : element;
}

/* The numbers of `from` in the variant's layout, `components` of `pitch` each. */
void *lay_out(memory *m, const variant *v, const slot *s, const char *from, int components,
              int64_t *stride, int i) {
  const bool narrow = v->single && s->real;
  const int64_t size = narrow ? 4 : s->size;
  *stride = stride_of(v, components * size, size, i);
  char *const to = (char *)host_room(m, (size_t)(s->count * *stride));
  for (int64_t k = 0; k < s->count; k++) {
    for (int c = 0; c < components; c++) {
      const char *const number = from + (k * s->components + c) * s->size;
      if (narrow) {
        const float value = (float)*(const double *)(const void *)number;
        memcpy(to + k * *stride + 4 * c, &value, 4);
      } else {
        memcpy(to + k * *stride + c * size, number, (size_t)size);
      }
    }
  }
  return v->device ? device_copy(m, to, (size_t)(s->count * *stride)) : to;
}

void slot_move(memory *m, const variant *v, const slot *s, talus_strided *second, int i) {
  char *from;
  memcpy(&from, s->member, sizeof from);
  if (from == NULL || s->count == 0) {
    return;
  }
  int64_t stride;
  const talus_scalar scalar = v->single && s->real ? TALUS_SCALAR_F32 : TALUS_SCALAR_OWN;
  const int components = second != NULL ? 3 : s->components;
  void *const to = lay_out(m, v, s, from, components, &stride, i);
  const bool layout = v->strided || v->single;
  void *const member = layout ? NULL : to;
  memcpy(s->member, &member, sizeof member);
  if (layout) {
    *s->strided = talus_strided{to, stride, scalar};
  }
  if (second != NULL) { /* angular velocities in an array of their own */
    void *const turn = lay_out(m, v, s, from + 3 * s->size, 3, &stride, i + 1);
    *second = talus_strided{turn, stride, scalar};
  }
}

void problem_move(memory *m, const variant *v, talus_problem *p, talus_layout *layout) {
  *layout = talus_layout_default();
  slots s;
  problem_slots(&s, p, layout);
  for (int i = 0; i < s.count; i++) {
    const bool split = v->strided && s.at[i].strided == &layout->rigid.velocity;
    slot_move(m, v, &s.at[i], split ? &layout->rigid.angular_velocity : NULL, i);
  }
  p->memory = v->device ? TALUS_MEMORY_DEVICE : TALUS_MEMORY_HOST;
  p->layout = v->strided || v->single ? layout : NULL;
}

/* Single precision must have nothing to round away. */
void problem_round(talus_problem *p) {
  talus_layout layout = talus_layout_default();
  slots s;
  problem_slots(&s, p, &layout);
  for (int i = 0; i < s.count; i++) {
    double *value;
    memcpy(&value, s.at[i].member, sizeof value);
    for (int64_t k = 0; value != NULL && s.at[i].real && k < s.at[i].count * s.at[i].components;
         k++) {
      value[k] = (float)value[k];
    }
  }
}

/* ---- solutions ------------------------------------------------------------------------------- */

enum { ANSWERS = 4 };

/* Of all solves. */
talus_precision precision;
int iterations = 12;
/* How many problems were assembled on the device, by its own word. */
int assembled;

void log_read(void *, talus_log_level, const char *message) {
  assembled += strstr(message, "assembled there") != NULL;
}

/* The arrays of a solution, packed. */
struct answer {
  double *value[ANSWERS]; /* impulse, bilateral impulse, velocity, contact velocity */
  int64_t count[ANSWERS]; /* elements */
  int components[ANSWERS];
  talus_info info;
};

void answer_shape(answer *a, const talus_problem *p) {
  const bool rigid = p->form == TALUS_FORM_RIGID;
  int64_t motion = rigid ? p->rigid.body_count : 0;
  for (int32_t i = 0; p->form == TALUS_FORM_BLOCKS && i < p->blocks.block_count; i++) {
    motion += p->blocks.block_size[i];
  }
  motion += p->form == TALUS_FORM_GLOBAL ? p->global.mass.rows : 0;
  const int64_t count[ANSWERS] = {p->contact_count, p->bilateral_count, motion, p->contact_count};
  const int components[ANSWERS] = {p->dimension, 1, rigid ? 6 : 1, p->dimension};
  memset(a, 0, sizeof *a);
  a->info = talus_info_default();
  for (int i = 0; i < ANSWERS; i++) {
    a->count[i] = count[i];
    a->components[i] = components[i];
    a->value[i] = (double *)calloc((size_t)(count[i] * components[i]) + 1, sizeof(double));
  }
}

void answer_release(answer *a) {
  for (int i = 0; i < ANSWERS; i++) {
    free(a->value[i]);
  }
}

talus_settings settings_of(talus_method method, int warm) {
  talus_settings settings = talus_settings_default();
  settings.precision = precision;
  settings.method = method;
  settings.max_iterations = iterations;
  settings.tolerance = 1e-9;
  settings.warm_start = warm;
  return settings;
}

/* One array of results in the variant's layout: made, and read back. */
struct outlet {
  char *array, *host;
  int64_t stride, size;
  int first, components; /* of the packed element */
};

void outlet_make(memory *m, const variant *v, const answer *a, int i, int first, int components,
                 outlet *o) {
  o->size = v->single ? 4 : 8;
  o->first = first;
  o->components = components;
  o->stride = stride_of(v, components * o->size, o->size, i);
  const size_t bytes = (size_t)(a->count[i] * o->stride);
  o->host = (char *)host_room(m, bytes);
  for (int64_t k = 0; k < a->count[i] * components; k++) { /* what a warm start begins from */
    const double wide = a->value[i][k / components * a->components[i] + first + k % components];
    const float narrow = (float)wide;
    memcpy(o->host + k / components * o->stride + k % components * o->size,
           v->single ? (const void *)&narrow : (const void *)&wide, (size_t)o->size);
  }
  o->array = v->device ? (char *)device_copy(m, o->host, bytes) : o->host;
}

void outlet_read(memory *m, const variant *v, answer *a, int i, const outlet *o, bool *kept) {
  const size_t bytes = (size_t)(a->count[i] * o->stride);
  if (v->device && bytes > 0) {
    CHECK(cudaMemcpyAsync(o->host, o->array, bytes, cudaMemcpyDeviceToHost, m->stream) ==
          cudaSuccess);
    CHECK(cudaStreamSynchronize(m->stream) == cudaSuccess);
  }
  for (int64_t k = 0; k < a->count[i]; k++) {
    const char *const element = o->host + k * o->stride;
    for (int c = 0; c < o->components; c++) {
      double wide;
      float narrow;
      memcpy(&narrow, element + c * o->size, 4);
      memcpy(&wide, element + c * o->size, (size_t)o->size);
      a->value[i][k * a->components[i] + o->first + c] = v->single ? narrow : wide;
    }
    for (int64_t b = o->components * o->size; b < o->stride; b++) {
      *kept = *kept && element[b] == (char)0xff;
    }
  }
}

/* Solves the variant; the answer comes back packed, rounded if the variant is single. */
talus_status variant_solve(talus_context *context, cudaStream_t stream, const variant *v,
                           const talus_problem *problem, const talus_settings *settings,
                           answer *a) {
  memory m = {};
  m.stream = stream;
  talus_problem p = *problem;
  talus_layout layout;
  problem_move(&m, v, &p, &layout);
  talus_solution solution = talus_solution_default();
  talus_solution_layout out = talus_solution_layout_default();
  const bool split = v->strided && p.form == TALUS_FORM_RIGID, laid = v->strided || v->single;
  outlet o[ANSWERS + 1];
  for (int i = 0; i < ANSWERS; i++) {
    outlet_make(&m, v, a, i, 0, split && i == 2 ? 3 : a->components[i], &o[i]);
  }
  outlet_make(&m, v, a, split ? 2 : 1, split ? 3 : 0, split ? 3 : 1, &o[ANSWERS]);
  talus_strided_out *const place[] = {&out.impulse, &out.bilateral_impulse, &out.velocity,
                                      &out.contact_velocity};
  double **const member[] = {&solution.impulse, &solution.bilateral_impulse, &solution.velocity,
                             &solution.contact_velocity};
  const talus_scalar scalar = v->single ? TALUS_SCALAR_F32 : TALUS_SCALAR_OWN;
  for (int i = 0; i < ANSWERS; i++) {
    if (laid) {
      *place[i] = talus_strided_out{o[i].array, o[i].stride, scalar};
    } else {
      *member[i] = (double *)(void *)o[i].array;
    }
  }
  if (split) {
    out.angular_velocity = talus_strided_out{o[ANSWERS].array, o[ANSWERS].stride, scalar};
  }
  solution.memory = p.memory;
  solution.layout = laid ? &out : NULL;
  const talus_status status = talus_solve_once(context, &p, settings, &solution, &a->info);
  bool kept = true;
  for (int i = 0; status == TALUS_OK && i < ANSWERS; i++) {
    outlet_read(&m, v, a, i, &o[i], &kept);
  }
  if (status == TALUS_OK && split) {
    outlet_read(&m, v, a, 2, &o[ANSWERS], &kept);
  }
  CHECK_CASE(kept, "%s: the gaps between results were written to", v->name);
  memory_release(&m);
  return status;
}

void answer_compare(const answer *reference, const answer *a, const variant *v, const char *what) {
  static const char *const names[ANSWERS] = {"impulse", "bilateral impulse", "velocity",
                                             "contact velocity"};
  for (int i = 0; i < ANSWERS; i++) {
    int64_t different = 0;
    for (int64_t k = 0; k < a->count[i] * a->components[i]; k++) {
      const double exact = reference->value[i][k];
      const double wanted = v->single ? (float)exact : exact;
      different += memcmp(&wanted, &a->value[i][k], sizeof wanted) != 0;
    }
    CHECK_CASE(different == 0, "%s, %s: %lld numbers of %s differ", what, v->name,
               (long long)different, names[i]);
  }
  CHECK_CASE(
      memcmp(&reference->info.certificate, &a->info.certificate, sizeof a->info.certificate) == 0,
      "%s, %s: certificates differ", what, v->name);
  CHECK_CASE(reference->info.iterations == a->info.iterations, "%s, %s", what, v->name);
}

/* ---- the same bits --------------------------------------------------------------------------- */

struct contexts {
  talus_context *cpu, *cuda, *streamed; /* streamed: on a stream of the caller's */
  cudaStream_t stream;
};

/* A variant against the packed problem of the host on the CPU, cold and from where that ended. */
void variant_compare(const contexts *c, const variant *v, const talus_problem *p,
                     talus_method method, const char *what) {
  const variant plain = {"packed", false, false, false};
  talus_context *const context = !v->device ? c->cpu : v->strided ? c->streamed : c->cuda;
  const cudaStream_t stream = v->device && v->strided ? c->stream : NULL;
  const bool resident =
      p->form == TALUS_FORM_RIGID && p->contact_count > 0 && p->bilateral_count == 0;
  for (int warm = 0; warm < (v->single || iterations == 1 ? 1 : 2); warm++) {
    answer reference, a;
    answer_shape(&reference, p);
    answer_shape(&a, p);
    talus_settings settings = settings_of(method, 0);
    CHECK(variant_solve(c->cpu, NULL, &plain, p, &settings, &reference) == TALUS_OK);
    CHECK_CASE(p->contact_count == 0 || reference.info.iterations > 0, "%s: nothing done", what);
    for (int k = 0; warm && k < ANSWERS; k++) {
      memcpy(a.value[k], reference.value[k],
             (size_t)(a.count[k] * a.components[k]) * sizeof(double));
    }
    settings.warm_start = warm;
    if (warm) {
      CHECK(variant_solve(c->cpu, NULL, &plain, p, &settings, &reference) == TALUS_OK);
    }
    assembled = 0;
    const talus_status status = variant_solve(context, stream, v, p, &settings, &a);
    CHECK_CASE(assembled == (v->device && resident), "%s, %s: %d assembled on the device", what,
               v->name, assembled);
    CHECK_CASE(status == TALUS_OK, "%s, %s: %s", what, v->name, talus_context_message(context));
    answer_compare(&reference, &a, v, what);
    if (v->device && resident && !v->strided && !warm) { /* auto leaves it where it is, too */
      settings.method = TALUS_METHOD_AUTO;
      settings.same_bits = method == TALUS_METHOD_GAUSS_SEIDEL_NESTEROV;
      CHECK(variant_solve(context, stream, v, p, &settings, &a) == TALUS_OK);
      CHECK_CASE(assembled == 2, "%s: auto took it from the device", what);
      answer_compare(&reference, &a, v, what);
    }
    answer_release(&reference);
    answer_release(&a);
  }
}

void problem_compare(const contexts *c, const talus_problem *p, talus_method method,
                     const char *what) {
  const variant variants[] = {
      {"strided", true, false, false},       {"single", false, true, false},
      {"strided single", true, true, false}, {"device", false, false, true},
      {"device strided", true, false, true}, {"device strided single", true, true, true}};
  for (const variant &v : variants) {
    if (!v.device || c->cuda != NULL) {
      variant_compare(c, &v, p, method, what);
    }
  }
}

/* A form (d): two bodies of six, by columns and dense. */
struct global_case {
  talus_problem problem;
  int64_t start[13];
  int32_t index[12];
  double mass[12], h[12 * 12], g[12], f[12], w[12], b[1], friction[4];
};

void global_make(global_case *c) {
  uint32_t state = 5;
  c->problem = talus_problem_default(TALUS_FORM_GLOBAL);
  c->problem.contact_count = 4;
  c->problem.bilateral_count = 1;
  for (int i = 0; i < 12; i++) {
    c->start[i] = i;
    c->index[i] = i;
    c->mass[i] = 1 + case_random(&state);
    c->f[i] = case_random(&state) - 0.5;
    c->w[i] = case_random(&state) - 0.7;
    c->g[i] = i == 2 ? 1 : 0;
  }
  c->start[12] = 12;
  c->b[0] = 0.25;
  for (double &value : c->h) {
    value = case_random(&state) - 0.5;
  }
  for (double &value : c->friction) {
    value = 0.5;
  }
  talus_global *const g = &c->problem.global;
  g->mass = talus_matrix{TALUS_STORAGE_CSC, 12, 12, 12, c->start, c->index, NULL, c->mass};
  g->h = talus_matrix{TALUS_STORAGE_DENSE, 12, 12, 144, NULL, NULL, NULL, c->h};
  g->g = talus_matrix{TALUS_STORAGE_DENSE, 12, 1, 12, NULL, NULL, NULL, c->g};
  g->f = c->f;
  g->w = c->w;
  g->b = c->b;
  c->problem.friction = c->friction;
}

void test_bits(const contexts *c) {
  for (int i = 0; i < CASE_COUNT + 2; i++) {
    const case_kind kind = i < CASE_COUNT ? (case_kind)i : i % 2 ? CASE_ARMS : CASE_SPHERES;
    const bool bodies = kind == CASE_SPHERES || kind == CASE_ARMS; /* may stay on the device */
    precision = i < CASE_COUNT ? TALUS_F64 : TALUS_F32;
    test_case test;
    case_make(&test, kind, 40, (uint32_t)i + 3);
    problem_round(&test.problem);
    problem_compare(c, &test.problem,
                    bodies || i % 2 ? TALUS_METHOD_APGDB : TALUS_METHOD_GAUSS_SEIDEL,
                    case_name(kind));
    if (bodies) { /* coloured there */
      problem_compare(c, &test.problem, TALUS_METHOD_GAUSS_SEIDEL_NESTEROV, case_name(kind));
    }
    if (kind == CASE_SPHERES_SOFT || kind == CASE_ARMS_SOFT) { /* without rows they stay there */
      test.problem.bilateral_count = 0;
      problem_compare(c, &test.problem, TALUS_METHOD_GAUSS_SEIDEL_NESTEROV, "soft contacts");
      problem_compare(c, &test.problem, TALUS_METHOD_APGDB, "soft contacts");
    }
    case_release(&test);
  }
  precision = TALUS_F64;
  static global_case global;
  global_make(&global);
  problem_round(&global.problem);
  problem_compare(c, &global.problem, TALUS_METHOD_GAUSS_SEIDEL, "global");
}

/* Several parts of the staging memory, and several chunks. */
void test_large(const contexts *c, case_kind kind, int32_t size) {
  const variant device = {"device strided", true, false, true};
  test_case test;
  case_make(&test, kind, size, 9);
  variant_compare(c, &device, &test.problem, TALUS_METHOD_APGDB, "large");
  variant_compare(c, &device, &test.problem, TALUS_METHOD_GAUSS_SEIDEL, "large");
  case_release(&test);
}

/* ---- what is refused ------------------------------------------------------------------------- */

void refused(talus_context *context, const talus_problem *p, const talus_solution *solution,
             talus_status wanted, const char *word, int line) {
  talus_solution copy = solution != NULL ? *solution : talus_solution_default();
  talus_settings settings = settings_of(TALUS_METHOD_APGDB, 0);
  const talus_status status = talus_solve_once(context, p, &settings, &copy, NULL);
  CHECK_CASE(status == wanted && strstr(talus_context_message(context), word) != NULL,
             "line %d: %s: %s", line, talus_status_name(status), talus_context_message(context));
}

void test_refusals(talus_context *context, const talus_problem *good) {
  talus_layout layout = talus_layout_default();
  talus_problem p = *good;
  p.rigid.normal = NULL;
  p.layout = &layout;
  const double *const normal = good->rigid.normal;
#define REFUSED(status, word) refused(context, &p, NULL, status, word, __LINE__)
  layout.rigid.normal = talus_strided{normal, 16, TALUS_SCALAR_OWN};
  REFUSED(TALUS_BAD_STRIDE, "rigid.normal");
  layout.rigid.normal = talus_strided{normal, 28, TALUS_SCALAR_OWN};
  REFUSED(TALUS_BAD_STRIDE, "rigid.normal");
  layout.rigid.normal = talus_strided{normal, -24, TALUS_SCALAR_OWN};
  REFUSED(TALUS_BAD_STRIDE, "rigid.normal");
  layout.rigid.normal = talus_strided{(const char *)normal + 4, 24, TALUS_SCALAR_OWN};
  REFUSED(TALUS_BAD_STRIDE, "address");
  layout.rigid.normal = talus_strided{normal, 24, (talus_scalar)7};
  REFUSED(TALUS_INVALID_ARGUMENT, "scalar 7");
  p.rigid.normal = normal;
  layout.rigid.normal = talus_strided{normal, 24, TALUS_SCALAR_OWN};
  REFUSED(TALUS_INVALID_ARGUMENT, "twice");
  layout.rigid.normal.array = NULL;
  p.rigid.body_a = NULL;
  layout.rigid.body_a = talus_strided{good->rigid.body_a, 0, TALUS_SCALAR_F32};
  REFUSED(TALUS_INVALID_ARGUMENT, "rigid.body_a");
  layout.rigid.body_a.scalar = TALUS_SCALAR_OWN;
  layout.rigid.angular_velocity = talus_strided{good->rigid.velocity, 0, TALUS_SCALAR_OWN};
  REFUSED(TALUS_INVALID_ARGUMENT, "angular_velocity");
  layout.rigid.angular_velocity.array = NULL;
  layout.struct_size--;
  REFUSED(TALUS_STRUCT_SIZE, "layout");
  layout.struct_size++;
  p.memory = (talus_memory)5;
  REFUSED(TALUS_INVALID_ARGUMENT, "memory 5");
  p.memory = TALUS_MEMORY_HOST;
  REFUSED(TALUS_OK, "");

  talus_solution solution = talus_solution_default();
  talus_solution_layout out = talus_solution_layout_default();
  solution.layout = &out;
  double *const room = (double *)calloc(6 * (size_t)good->rigid.body_count, sizeof *room);
#define REFUSED_OUT(status, word) refused(context, &p, &solution, status, word, __LINE__)
  out.impulse = talus_strided_out{room, 20, TALUS_SCALAR_OWN};
  REFUSED_OUT(TALUS_BAD_STRIDE, "solution.impulse");
  out.impulse.array = NULL;
  out.angular_velocity = talus_strided_out{room, 0, TALUS_SCALAR_OWN};
  solution.velocity = room;
  REFUSED_OUT(TALUS_INVALID_ARGUMENT, "angular_velocity");
  out.struct_size = 1;
  REFUSED_OUT(TALUS_STRUCT_SIZE, "solution.layout");
  free(room);
#undef REFUSED
#undef REFUSED_OUT
}

/* Arrays that are not where they are said to be, and defects in device memory. */
void test_memories(const contexts *c, const talus_problem *good) {
  const variant device = {"device", false, false, true};
  memory m = {};
  talus_problem p = *good;
  p.memory = TALUS_MEMORY_DEVICE;
  refused(c->cpu, &p, NULL, TALUS_UNSUPPORTED, "problem.memory is DEVICE", __LINE__);
  talus_solution solution = talus_solution_default();
  solution.memory = TALUS_MEMORY_DEVICE;
  refused(c->cpu, good, &solution, TALUS_UNSUPPORTED, "solution.memory is DEVICE", __LINE__);
  if (c->cuda == NULL) {
    return;
  }
  refused(c->cuda, &p, NULL, TALUS_WRONG_MEMORY, "problem.friction is in host memory", __LINE__);
  talus_layout layout;
  p = *good;
  problem_move(&m, &device, &p, &layout);
  refused(c->cuda, &p, NULL, TALUS_OK, "", __LINE__);
  const talus_problem on_device = p;
  p = *good;
  p.rigid.bias = on_device.rigid.bias;
  refused(c->cuda, &p, NULL, TALUS_WRONG_MEMORY, "rigid.bias is in device memory", __LINE__);
  solution = talus_solution_default();
  solution.impulse = (double *)(void *)(uintptr_t)on_device.rigid.normal;
  refused(c->cuda, good, &solution, TALUS_WRONG_MEMORY, "solution.impulse", __LINE__);
  memory_release(&m);

  /* the words are those of the host */
  const struct {
    const void *array;
    int64_t at;
    double value;
    talus_status status;
    const char *words;
  } defects[] = {
      {good->rigid.bias, 7, NAN, TALUS_NOT_FINITE, "rigid.bias[7] is"},
      {good->rigid.velocity, 9, INFINITY, TALUS_NOT_FINITE, "rigid.velocity[9] is inf"},
      {good->rigid.inverse_mass, 3, -1, TALUS_NEGATIVE_MASS, "rigid.inverse_mass[3]"},
      {good->rigid.inverse_inertia, 6, -1, TALUS_NEGATIVE_MASS, "inverse_inertia of body 1"},
      {good->rigid.normal, 3, 7, TALUS_NORMAL_LENGTH, "rigid.normal of contact 1"},
      {good->rigid.reach_b, 2, NAN, TALUS_NOT_FINITE, "rigid.reach_b[2]"},
      {good->friction, 4, -0.5, TALUS_NEGATIVE_FRICTION, "problem.friction[4]"},
      {good->friction, 4, 1e7, TALUS_NEGATIVE_FRICTION, "problem.friction[4]"},
      {good->friction, 4, NAN, TALUS_NOT_FINITE, "problem.friction[4]"},
  };
  for (const auto &d : defects) {
    double *const value = (double *)(uintptr_t)d.array + d.at, kept = *value;
    *value = d.value;
    p = *good;
    problem_move(&m, &device, &p, &layout);
    refused(c->cuda, &p, NULL, d.status, d.words, __LINE__);
    memory_release(&m);
    *value = kept;
  }
  int32_t *const body = (int32_t *)(uintptr_t)good->rigid.body_b, kept = body[11];
  const struct {
    int32_t value;
    talus_status status;
    const char *words;
  } bodies[] = {{1000000, TALUS_INDEX_RANGE, "rigid.body_b[11] is 1000000"},
                {good->rigid.body_a[11], TALUS_INVALID_ARGUMENT, "contact 11 joins body"}};
  for (const auto &d : bodies) {
    body[11] = d.value;
    p = *good;
    problem_move(&m, &device, &p, &layout);
    refused(c->cuda, &p, NULL, d.status, d.words, __LINE__);
    memory_release(&m);
  }
  body[11] = kept;
}

/* ---- one solver for many problems
 * ---------------------------------------------------------------- */

/* The impulses of a solver against those of a new one that got packed arrays of the host. */
void solver_compare(talus_context *context, talus_solver *solver, const talus_problem *packed,
                    const talus_settings *settings, int line) {
  const size_t count = 3 * (size_t)packed->contact_count;
  double *const x = (double *)calloc(2 * count, sizeof *x);
  talus_solution solution = talus_solution_default();
  solution.impulse = x;
  talus_status status = talus_solver_solve(solver, &solution, NULL);
  CHECK_CASE(status == TALUS_OK, "line %d: %s", line, talus_context_message(context));
  solution.impulse = x + count;
  CHECK(talus_solve_once(context, packed, settings, &solution, NULL) == TALUS_OK);
  CHECK_CASE(memcmp(x, x + count, count * sizeof *x) == 0, "line %d", line);
  free(x);
}

/* Sizes, precisions, methods and memories change between solves, with and without an update. */
void test_solver(talus_context *context) {
  const variant device = {"device", true, false, true};
  talus_solver *solver = NULL;
  talus_settings settings = settings_of(TALUS_METHOD_APGDB, 0);
  CHECK(talus_solver_create(context, &settings, &solver) == TALUS_OK);
  const int32_t sizes[] = {60, 200, 30};
  for (int i = 0; i < 3; i++) {
    test_case test;
    memory m = {};
    talus_layout layout;
    case_make(&test, i % 2 ? CASE_ARMS : CASE_SPHERES, sizes[i], 4);
    talus_problem p = test.problem;
    problem_move(&m, &device, &p, &layout);
    CHECK(talus_solver_update(solver, &p) == TALUS_OK);
    for (int change = 0; change < 4; change++) {
      settings.precision = change == 1 ? TALUS_F32 : TALUS_F64;
      settings.method = change == 2 ? TALUS_METHOD_GAUSS_SEIDEL : TALUS_METHOD_APGDB;
      CHECK(talus_solver_set(solver, &settings) == TALUS_OK);
      solver_compare(context, solver, &test.problem, &settings, __LINE__);
    }
    CHECK(talus_solver_update(solver, &test.problem) == TALUS_OK);
    solver_compare(context, solver, &test.problem, &settings, __LINE__);
    memory_release(&m);
    case_release(&test);
  }
  talus_solver_destroy(solver);
}

talus_status context_make(talus_backend_kind kind, cudaStream_t stream, talus_context **context) {
  talus_context_def def = talus_context_def_default();
  def.backend = kind;
  def.stream = (void *)stream;
  def.log = log_read;
  return talus_context_create(&def, context);
}

} // namespace

int main(void) {
  contexts c = {};
  CHECK(context_make(TALUS_BACKEND_CPU, NULL, &c.cpu) == TALUS_OK);
  const talus_status status = context_make(TALUS_BACKEND_CUDA, NULL, &c.cuda);
  const bool absent = status == TALUS_BACKEND_ABSENT || status == TALUS_DEVICE_ABSENT;
  CHECK_CASE(status == TALUS_OK || absent, "%s", talus_status_name(status));
  if (absent) {
    talus_context_destroy(c.cuda);
    c.cuda = NULL;
  } else {
    CHECK(cudaStreamCreateWithFlags(&c.stream, cudaStreamNonBlocking) == cudaSuccess);
    CHECK(context_make(TALUS_BACKEND_CUDA, c.stream, &c.streamed) == TALUS_OK);
  }
  test_bits(&c);
  test_case test;
  case_make(&test, CASE_SPHERES, 20, 2);
  test_refusals(c.cpu, &test.problem);
  test_memories(&c, &test.problem);
  case_release(&test);
  if (!absent) {
    test_solver(c.cuda);
    iterations = 1;
    test_large(&c, CASE_SPHERES, 23000);
    test_large(&c, CASE_ARMS, 700);
    talus_context_destroy(c.streamed);
    CHECK(cudaStreamDestroy(c.stream) == cudaSuccess);
  }
  talus_context_destroy(c.cuda);
  talus_context_destroy(c.cpu);
  const int end = check_end();
  return end == EXIT_SUCCESS && absent ? CHECK_SKIPPED : end;
}
