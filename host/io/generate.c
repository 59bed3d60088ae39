/* generate.c: problems made to order: settings, random numbers, arrays.
 *
 * Checks the settings and hands over to one file per kind: generate_heap.c, generate_stack.c,
 * generate_random.c. All of them give form RIGID with geometry for pictures. */
#include "host/io/generate.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/base/structs.h"

void talus_generate_def_init(talus_generate_def *def, size_t size, talus_generate_kind kind) {
  const talus_generate_def defaults = {.kind = kind,
                                       .body_count = 1000,
                                       .friction = 0.5,
                                       .radius = 0.05,
                                       .spread = 0.3,
                                       .density = 2500.0,
                                       .step = 1e-3,
                                       .contact_ratio = 2.0,
                                       .aspect = 1.0,
                                       .seed = 1};
  tl_struct_init(&tl_struct_generate_def, &defaults, def, size);
}

uint64_t tl_random_bits(tl_random *random) {
  uint64_t z = (random->state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

double tl_random_uniform(tl_random *random, double low, double high) {
  const double unit = (double)(tl_random_bits(random) >> 11) / 9007199254740992.0; /* 2^53 */
  return low + unit * (high - low);
}

int32_t tl_random_index(tl_random *random, int32_t count) {
  /* 32 random bits times count: a bias of count / 2^32 does not matter here. */
  return (int32_t)(((tl_random_bits(random) >> 32) * (uint64_t)count) >> 32);
}

void tl_random_ball(tl_random *random, double vector[3]) {
  double square;
  do {
    square = 0.0;
    for (int i = 0; i < 3; i++) {
      vector[i] = tl_random_uniform(random, -1.0, 1.0);
      square += vector[i] * vector[i];
    }
  } while (square > 1.0);
}

void tl_random_direction(tl_random *random, double vector[3]) {
  double square;
  do {
    tl_random_ball(random, vector);
    square = vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2];
  } while (square < 1e-4);
  const double length = sqrt(square);
  for (int i = 0; i < 3; i++) {
    vector[i] /= length;
  }
}

static talus_status doubles(talus_stored *stored, size_t count, size_t dimension, const char *what,
                            double **array) {
  void *memory = NULL;
  TL_TRY(tl_stored_alloc(stored, &memory, count, dimension * sizeof(double), what));
  *array = memory;
  return TALUS_OK;
}

static talus_status indices(talus_stored *stored, size_t count, const char *what, int32_t **array) {
  void *memory = NULL;
  TL_TRY(tl_stored_alloc(stored, &memory, count, sizeof(int32_t), what));
  *array = memory;
  return TALUS_OK;
}

talus_status tl_generate_bodies(talus_stored *stored, const talus_generate_def *def,
                                tl_generated *generated) {
  const size_t count = (size_t)def->body_count;
  talus_rigid *rigid = &stored->problem.rigid;
  TL_TRY(doubles(stored, count, 3, "position", &generated->position));
  TL_TRY(doubles(stored, count, 1, "radius", &generated->radius));
  TL_TRY(doubles(stored, count, 6, "velocity", &generated->velocity));
  TL_TRY(doubles(stored, count, 1, "inverse_mass", &generated->inverse_mass));
  TL_TRY(doubles(stored, count, 6, "inverse_inertia", &generated->inverse_inertia));
  for (size_t i = 0; i < count; i++) {
    generated->velocity[6 * i + 2] = -TL_GRAVITY * def->step;
  }
  stored->position = generated->position;
  stored->radius = generated->radius;
  rigid->body_count = def->body_count;
  rigid->velocity = generated->velocity;
  rigid->inverse_mass = generated->inverse_mass;
  rigid->inverse_inertia = generated->inverse_inertia;
  return TALUS_OK;
}

talus_status tl_generate_contacts(talus_stored *stored, const talus_generate_def *def,
                                  int32_t contact_count, tl_lever lever, tl_generated *generated) {
  const size_t count = (size_t)contact_count;
  talus_rigid *rigid = &stored->problem.rigid;
  TL_TRY(indices(stored, count, "body_a", &generated->body_a));
  TL_TRY(indices(stored, count, "body_b", &generated->body_b));
  TL_TRY(doubles(stored, count, 3, "normal", &generated->normal));
  TL_TRY(doubles(stored, count, 1, "bias", &generated->bias));
  TL_TRY(doubles(stored, count, 1, "friction", &generated->friction));
  if (lever == TL_LEVER_REACH) {
    TL_TRY(doubles(stored, count, 1, "reach_a", &generated->reach_a));
    TL_TRY(doubles(stored, count, 1, "reach_b", &generated->reach_b));
  } else {
    TL_TRY(doubles(stored, count, 3, "arm_a", &generated->arm_a));
    TL_TRY(doubles(stored, count, 3, "arm_b", &generated->arm_b));
  }
  for (size_t k = 0; k < count; k++) {
    generated->friction[k] = def->friction;
  }
  stored->problem.contact_count = contact_count;
  stored->problem.friction = generated->friction;
  rigid->body_a = generated->body_a;
  rigid->body_b = generated->body_b;
  rigid->normal = generated->normal;
  rigid->bias = generated->bias;
  rigid->reach_a = generated->reach_a;
  rigid->reach_b = generated->reach_b;
  rigid->arm_a = generated->arm_a;
  rigid->arm_b = generated->arm_b;
  return TALUS_OK;
}

void tl_generate_mass(tl_generated *generated, int32_t body, double mass, const double moment[3]) {
  double *inverse = generated->inverse_inertia + 6 * (size_t)body; /* xx xy xz yy yz zz */
  generated->inverse_mass[body] = 1.0 / mass;
  inverse[0] = 1.0 / moment[0];
  inverse[3] = 1.0 / moment[1];
  inverse[5] = 1.0 / moment[2];
}

/* One range per number; the comparison is written so that NaN fails. */
static talus_status check_range(talus_context *context, const char *field, double value, double low,
                                double high) {
  if (!(value >= low && value <= high)) {
    return tl_fail(context, TALUS_BAD_SETTING, "%s is %g: it must lie between %g and %g", field,
                   value, low, high);
  }
  return TALUS_OK;
}

static talus_status check_def(talus_context *context, const talus_generate_def *def) {
  if (def->kind != TALUS_GENERATE_HEAP && def->kind != TALUS_GENERATE_STACK &&
      def->kind != TALUS_GENERATE_RANDOM) {
    return tl_fail(context, TALUS_BAD_SETTING, "kind is %d: it must be heap, stack or random",
                   (int)def->kind);
  }
  if (def->body_count < 1) {
    return tl_fail(context, TALUS_BAD_SETTING, "body_count is %d: it must be at least 1",
                   (int)def->body_count);
  }
  /* Wide enough for any units; narrow enough that masses and inertias stay far from overflow. */
  TL_TRY(check_range(context, "friction", def->friction, 0.0, DBL_MAX));
  TL_TRY(check_range(context, "radius", def->radius, 1e-30, 1e30));
  TL_TRY(check_range(context, "spread", def->spread, 0.0, 0.5));
  TL_TRY(check_range(context, "density", def->density, 1e-30, 1e30));
  TL_TRY(check_range(context, "step", def->step, 1e-30, 1e30));
  TL_TRY(check_range(context, "contact_ratio", def->contact_ratio, 0.0, 1e6));
  return check_range(context, "aspect", def->aspect, 1e-3, 1e3);
}

static talus_status title_set(talus_stored *stored, const talus_generate_def *def) {
  static const char *const names[] = {"heap of spheres", "columns of boxes", "random contacts"};
  char text[128];
  const int length = snprintf(text, sizeof text, "%s: %d bodies, %d contacts, seed %llu",
                              names[def->kind], (int)def->body_count,
                              (int)stored->problem.contact_count, (unsigned long long)def->seed);
  return tl_stored_title(stored, text, (size_t)length);
}

talus_status talus_problem_generate_sized(talus_context *context, const talus_generate_def *given,
                                          size_t problem_size, talus_stored **stored) {
  if (context == NULL || given == NULL || stored == NULL) {
    return tl_fail(context, TALUS_INVALID_ARGUMENT, "talus_problem_generate: an argument is NULL");
  }
  *stored = NULL;
  talus_generate_def own = talus_generate_def_default(TALUS_GENERATE_HEAP);
  const talus_generate_def *const def = &own;
  TL_TRY(tl_struct_read(context, &tl_struct_generate_def, "generate def", given, &own));
  TL_TRY(check_def(context, def));
  talus_stored *made = NULL;
  talus_status status = TALUS_OK;
  TL_TRY_GOTO(tl_stored_create(context, &made), fail);
  made->problem = talus_problem_default(TALUS_FORM_RIGID);
  switch (def->kind) {
  case TALUS_GENERATE_HEAP:
    TL_TRY_GOTO(tl_generate_heap(made, def), fail);
    break;
  case TALUS_GENERATE_STACK:
    TL_TRY_GOTO(tl_generate_stack(made, def), fail);
    break;
  default:
    TL_TRY_GOTO(tl_generate_random(made, def), fail);
    break;
  }
  TL_TRY_GOTO(title_set(made, def), fail);
  TL_TRY_GOTO(tl_stored_fit(made, problem_size), fail);
  *stored = made;
  return TALUS_OK;
fail:
  talus_stored_destroy(made);
  return status;
}
