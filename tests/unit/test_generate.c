/* test_generate.c: problems made to order: geometry of the heaps, layout of the arrays, the same
 * bits for the same seed, bad settings, failing allocations. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "talus/talus_io.h"
#include "tests/check.h"

static talus_stored *make(talus_context *context, const talus_generate_def *def) {
  talus_stored *stored = NULL;
  const talus_status status = talus_problem_generate(context, def, &stored);
  CHECK_CASE(status == TALUS_OK, "%s", talus_context_message(context));
  if (stored == NULL) {
    printf("nothing was generated\n");
    exit(check_end());
  }
  return stored;
}

/* FNV-1a over the bytes of an array. */
static uint64_t hash_add(uint64_t hash, const void *array, size_t bytes) {
  const unsigned char *byte = array;
  for (size_t i = 0; i < bytes; i++) {
    hash = (hash ^ byte[i]) * UINT64_C(0x100000001B3);
  }
  return hash;
}

static uint64_t hash_of(const talus_stored *stored) {
  const talus_rigid *rigid = &stored->problem.rigid;
  const size_t bodies = (size_t)rigid->body_count * sizeof(double);
  const size_t contacts = (size_t)stored->problem.contact_count * sizeof(double);
  const int spheres = rigid->reach_a != NULL;
  uint64_t hash = UINT64_C(0xCBF29CE484222325);
  hash = hash_add(hash, stored->position, 3 * bodies);
  hash = hash_add(hash, stored->radius, bodies);
  hash = hash_add(hash, rigid->velocity, 6 * bodies);
  hash = hash_add(hash, rigid->inverse_mass, bodies);
  hash = hash_add(hash, rigid->inverse_inertia, 6 * bodies);
  hash = hash_add(hash, rigid->body_a, contacts / 2);
  hash = hash_add(hash, rigid->body_b, contacts / 2);
  hash = hash_add(hash, rigid->normal, 3 * contacts);
  hash = hash_add(hash, rigid->bias, contacts);
  hash = hash_add(hash, spheres ? rigid->reach_a : rigid->arm_a, (spheres ? 1 : 3) * contacts);
  return hash_add(hash, spheres ? rigid->reach_b : rigid->arm_b, (spheres ? 1 : 3) * contacts);
}

/* What holds for every kind. */
static void check_common(const talus_stored *stored, const talus_generate_def *def) {
  const talus_problem *problem = &stored->problem;
  const talus_rigid *rigid = &problem->rigid;
  double worst_length = 0.0, lowest_bias = 0.0;
  int bad_index = 0, bad_friction = 0, bad_mass = 0;
  CHECK(problem->struct_size == sizeof *problem && problem->form == TALUS_FORM_RIGID);
  CHECK(problem->dimension == 3 && problem->bilateral_count == 0);
  CHECK(rigid->body_count == def->body_count);
  CHECK((rigid->reach_a != NULL) == (rigid->reach_b != NULL));
  CHECK((rigid->arm_a != NULL) == (rigid->arm_b != NULL));
  CHECK((rigid->reach_a != NULL) != (rigid->arm_a != NULL));
  CHECK(stored->title != NULL && stored->title[0] != 0);
  for (int32_t k = 0; k < problem->contact_count; k++) {
    const double *n = rigid->normal + 3 * k;
    const int32_t a = rigid->body_a[k], b = rigid->body_b[k];
    worst_length = fmax(worst_length, fabs(sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) - 1.0));
    bad_index += a < -1 || a >= def->body_count || b < 0 || b >= def->body_count || a == b;
    bad_friction += problem->friction[k] != def->friction;
    lowest_bias = fmin(lowest_bias, rigid->bias[k]);
  }
  for (int32_t i = 0; i < def->body_count; i++) {
    const double *v = rigid->inverse_inertia + 6 * i; /* xx xy xz yy yz zz */
    const double minor = v[0] * v[3] - v[1] * v[1];
    const double determinant = v[0] * (v[3] * v[5] - v[4] * v[4]) -
                               v[1] * (v[1] * v[5] - v[4] * v[2]) +
                               v[2] * (v[1] * v[4] - v[3] * v[2]);
    bad_mass += !(rigid->inverse_mass[i] > 0.0 && v[0] > 0.0 && minor > 0.0 && determinant > 0.0);
  }
  CHECK(worst_length < 1e-15);
  CHECK(bad_index == 0 && bad_friction == 0 && bad_mass == 0);
  CHECK(lowest_bias >= 0.0);
}

/* Contacts sorted by (a, b); equal pairs may follow each other (several per face or box). */
static int is_sorted(const talus_problem *problem) {
  const int32_t *a = problem->rigid.body_a, *b = problem->rigid.body_b;
  for (int32_t k = 1; k < problem->contact_count; k++) {
    if (a[k] < a[k - 1] || (a[k] == a[k - 1] && b[k] < b[k - 1])) {
      return 0;
    }
  }
  return 1;
}

static double distance(const talus_stored *stored, int32_t a, int32_t b) {
  const double *p = stored->position + 3 * a, *q = stored->position + 3 * b;
  const double x = q[0] - p[0], y = q[1] - p[1], z = q[2] - p[2];
  return sqrt(x * x + y * y + z * z);
}

/* All pairs, without the generator's cells: no overlap, and every near pair is a contact. */
static void check_pairs(const talus_stored *stored, double radius) {
  double overlap = 0.0;
  int32_t near_pairs = 0, pairs = 0;
  for (int32_t a = 0; a < stored->problem.rigid.body_count; a++) {
    for (int32_t b = a + 1; b < stored->problem.rigid.body_count; b++) {
      const double gap = distance(stored, a, b) - stored->radius[a] - stored->radius[b];
      overlap = fmax(overlap, -gap);
      near_pairs += gap < 0.1 * radius;
    }
  }
  for (int32_t k = 0; k < stored->problem.contact_count; k++) {
    pairs += stored->problem.rigid.body_a[k] >= 0;
  }
  CHECK_CASE(overlap <= 1e-9 * radius, "overlap %g", overlap / radius);
  CHECK_CASE(near_pairs == pairs, "%d near pairs, %d contacts", near_pairs, pairs);
}

/* Normals, reaches and biases agree with the positions. */
static void check_heap_contacts(const talus_stored *stored, const talus_generate_def *def) {
  const talus_rigid *rigid = &stored->problem.rigid;
  int wrong = 0;
  for (int32_t k = 0; k < stored->problem.contact_count; k++) {
    const int32_t a = rigid->body_a[k], b = rigid->body_b[k];
    const double *n = rigid->normal + 3 * k;
    const double gap = 2.0 * (rigid->reach_b[k] - stored->radius[b]);
    const double bias = gap > 2e-4 * def->radius ? gap / def->step : 0.0;
    wrong += fabs(rigid->bias[k] - bias) > 1e-9 * def->radius / def->step;
    wrong += gap >= 0.1 * def->radius || gap < -1e-9 * def->radius;
    wrong += a < 0 ? n[2] < 0.0 || rigid->reach_a[k] != 0.0 : a >= b;
    for (int i = 0; i < 3 && a >= 0; i++) {
      const double reach = rigid->reach_a[k] + rigid->reach_b[k];
      const double miss = stored->position[3 * b + i] - stored->position[3 * a + i] - n[i] * reach;
      wrong += fabs(miss) > 1e-9 * def->radius;
    }
  }
  CHECK_CASE(wrong == 0, "%d wrong contacts", wrong);
}

static double triple(const double *a, const double *b, const double *c) {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
         a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* Whether three of the supports together can push straight up (Cramer's rule). */
static int carries(const double *const *n, int count) {
  static const double up[3] = {0.0, 0.0, 1.0};
  for (int i = 0; i < count; i++) {
    for (int j = i + 1; j < count; j++) {
      for (int k = j + 1; k < count; k++) {
        const double d = triple(n[i], n[j], n[k]);
        if (fabs(d) > 1e-9 && triple(up, n[j], n[k]) / d > -1e-8 &&
            triple(n[i], up, n[k]) / d > -1e-8 && triple(n[i], n[j], up) / d > -1e-8) {
          return 1;
        }
      }
    }
  }
  return 0;
}

/* Every sphere rests on the floor, or on three earlier spheres or walls that hold it. */
static void check_heap_rest(const talus_stored *stored, const talus_generate_def *def) {
  enum { ROOM = 64 };
  const talus_rigid *rigid = &stored->problem.rigid;
  int restless = 0, raised = 0;
  long supports = 0;
  for (int32_t body = 0; body < rigid->body_count; body++) {
    const double *normal[ROOM];
    int count = 0, floored = 0;
    for (int32_t k = 0; k < stored->problem.contact_count && count < ROOM; k++) {
      const double gap = 2.0 * (rigid->reach_b[k] - stored->radius[rigid->body_b[k]]);
      if (rigid->body_b[k] == body && gap < 1e-8 * def->radius) {
        floored += rigid->body_a[k] < 0 && rigid->normal[3 * k + 2] > 0.5;
        normal[count++] = rigid->normal + 3 * k;
      }
    }
    if (floored == 0) {
      raised++;
      supports += count;
      restless += !carries(normal, count);
    }
  }
  CHECK_CASE(supports >= 3L * raised, "%ld supports of %d spheres off the floor", supports, raised);
  CHECK_CASE(restless == 0, "%d of %d are not held", restless, raised);
}

static void test_heap(talus_context *context, int32_t count, double spread, double aspect) {
  talus_generate_def def = talus_generate_def_default(TALUS_GENERATE_HEAP);
  def.body_count = count;
  def.spread = spread;
  def.aspect = aspect;
  talus_stored *stored = make(context, &def);
  const double *v = stored->problem.rigid.velocity + 6 * (count - 1);
  const double r = stored->radius[0], mass = 2500.0 * 4.0 / 3.0 * 3.14159265358979 * r * r * r;
  check_common(stored, &def);
  CHECK(is_sorted(&stored->problem));
  check_pairs(stored, def.radius);
  check_heap_contacts(stored, &def);
  check_heap_rest(stored, &def);
  CHECK_CLOSE(v[2], -9.81e-3, 1e-15);
  CHECK(v[0] == 0.0 && v[1] == 0.0 && v[3] == 0.0 && v[4] == 0.0 && v[5] == 0.0);
  CHECK_CLOSE(stored->problem.rigid.inverse_mass[0] * mass, 1.0, 1e-12);
  CHECK_CLOSE(stored->problem.rigid.inverse_inertia[0] * 0.4 * mass * r * r, 1.0, 1e-12);
  talus_stored_destroy(stored);
}

/* In a heap that caches do not hold, spheres that touch mostly have near numbers; as they are
 * dropped, one pair in twelve has. */
static void test_heap_numbers(talus_context *context) {
  talus_generate_def def = talus_generate_def_default(TALUS_GENERATE_HEAP);
  int64_t near = 0, pairs = 0;
  def.body_count = 20000;
  talus_stored *stored = make(context, &def);
  const talus_rigid *rigid = &stored->problem.rigid;
  check_common(stored, &def);
  CHECK(is_sorted(&stored->problem));
  for (int32_t k = 0; k < stored->problem.contact_count; k++) {
    const int32_t a = rigid->body_a[k], b = rigid->body_b[k];
    pairs += a >= 0;
    near += a >= 0 && abs(a - b) < 64;
  }
  CHECK_CASE(2 * near > pairs, "%lld of %lld pairs have near numbers", (long long)near,
             (long long)pairs);
  talus_stored_destroy(stored);
}

/* Floor and walls hold every sphere. */
static void test_heap_box(talus_context *context) {
  talus_generate_def def = talus_generate_def_default(TALUS_GENERATE_HEAP);
  double top[3] = {0.0, 0.0, 0.0}, below = 0.0;
  talus_stored *stored = make(context, &def);
  for (int32_t i = 0; i < def.body_count; i++) {
    for (int c = 0; c < 3; c++) {
      top[c] = fmax(top[c], stored->position[3 * i + c] + stored->radius[i]);
      below = fmin(below, stored->position[3 * i + c] - stored->radius[i]);
    }
  }
  CHECK(below > -1e-9 * def.radius);
  CHECK_CLOSE(top[0], top[1], 0.1 * def.radius); /* aspect 1 */
  CHECK_CLOSE(top[2] / top[0], 1.1, 0.25);       /* about as high as wide */
  talus_stored_destroy(stored);
}

static void test_stack(talus_context *context) {
  talus_generate_def def = talus_generate_def_default(TALUS_GENERATE_STACK);
  def.body_count = 103;
  talus_stored *stored = make(context, &def);
  const talus_rigid *rigid = &stored->problem.rigid;
  int wrong = 0;
  check_common(stored, &def);
  CHECK(is_sorted(&stored->problem));
  CHECK(stored->problem.contact_count == 4 * def.body_count);
  double pushed = 0.0;
  for (int32_t k = 0; k < stored->problem.contact_count; k++) {
    const int32_t a = rigid->body_a[k], b = rigid->body_b[k];
    const double *p = rigid->arm_a + 3 * k, *q = rigid->arm_b + 3 * k;
    for (int i = 0; i < 3 && a >= 0; i++) {
      wrong +=
          fabs(stored->position[3 * a + i] + p[i] - stored->position[3 * b + i] - q[i]) > 1e-12;
    }
    wrong += a < 0 && fabs(stored->position[3 * b + 2] + q[2]) > 1e-15;
    wrong += !(rigid->normal[3 * k + 2] == 1.0 && q[2] < 0.0 && rigid->bias[k] == 0.0);
    pushed = fmax(pushed, fabs(rigid->velocity[6 * b]));
  }
  CHECK_CASE(wrong == 0, "%d wrong contacts", wrong);
  CHECK(pushed > 0.5 * 9.81e-3 && pushed <= 9.81e-3);
  talus_stored_destroy(stored);
}

static void test_random(talus_context *context) {
  talus_generate_def def = talus_generate_def_default(TALUS_GENERATE_RANDOM);
  def.contact_ratio = 2.5;
  def.friction = 0.25;
  talus_stored *stored = make(context, &def);
  int on_ground = 0, open = 0;
  check_common(stored, &def);
  CHECK(stored->problem.contact_count == 2500);
  for (int32_t k = 0; k < stored->problem.contact_count; k++) {
    on_ground += stored->problem.rigid.body_a[k] < 0;
    open += stored->problem.rigid.bias[k] > 0.0;
  }
  CHECK_CASE(on_ground > 150 && on_ground < 350, "%d on the ground", on_ground);
  CHECK_CASE(open > 700 && open < 950, "%d open", open);
  talus_stored_destroy(stored);
  def.body_count = 1; /* nobody but the ground to touch */
  def.contact_ratio = 7.0;
  stored = make(context, &def);
  check_common(stored, &def);
  CHECK(stored->problem.contact_count == 7 && stored->problem.rigid.body_a[3] == -1);
  talus_stored_destroy(stored);
  def.contact_ratio = 0.0;
  stored = make(context, &def);
  CHECK(stored->problem.contact_count == 0);
  talus_stored_destroy(stored);
}

/* The same bits on every machine: golden hashes for seed 1, another problem for another seed. */
static void test_same_bits(talus_context *context) {
  static const uint64_t golden[] = {UINT64_C(0x7DC3D85085008D00), UINT64_C(0xB042CFC9F9A6F57F),
                                    UINT64_C(0x230F5CB7E1BBD31B)};
  for (int kind = TALUS_GENERATE_HEAP; kind <= TALUS_GENERATE_RANDOM; kind++) {
    talus_generate_def def = talus_generate_def_default((talus_generate_kind)kind);
    talus_stored *stored = make(context, &def);
    const uint64_t first = hash_of(stored);
    talus_stored_destroy(stored);
    stored = make(context, &def);
    CHECK(hash_of(stored) == first);
    talus_stored_destroy(stored);
    def.seed = 2;
    stored = make(context, &def);
    CHECK(hash_of(stored) != first);
    talus_stored_destroy(stored);
    CHECK_CASE(first == golden[kind], "kind %d: hash %016llX", kind, (unsigned long long)first);
  }
}

/* The same heap in millimetres: as many contacts, everything scaled. */
static void test_units(talus_context *context) {
  talus_generate_def def = talus_generate_def_default(TALUS_GENERATE_HEAP);
  talus_stored *metre = make(context, &def);
  def.radius *= 1024.0; /* a power of two scales without rounding */
  talus_stored *other = make(context, &def);
  int same = 1;
  CHECK(metre->problem.contact_count == other->problem.contact_count);
  for (int32_t i = 0; i < 3 * def.body_count; i++) {
    same = same && 1024.0 * metre->position[i] == other->position[i];
  }
  CHECK(same);
  talus_stored_destroy(metre);
  talus_stored_destroy(other);
}

static void expect_bad(talus_context *context, const talus_generate_def *def, talus_status wanted,
                       const char *field) {
  talus_stored *stored = (talus_stored *)context; /* anything but NULL */
  const talus_status status = talus_problem_generate(context, def, &stored);
  CHECK_CASE(status == wanted, "%s: status %s", field, talus_status_name(status));
  CHECK_CASE(strstr(talus_context_message(context), field) != NULL, "%s: message %s", field,
             talus_context_message(context));
  CHECK(stored == NULL);
}

static void test_bad_settings(talus_context *context) {
  const talus_generate_def good = talus_generate_def_default(TALUS_GENERATE_RANDOM);
  talus_generate_def def = good;
  talus_stored *stored = NULL;
#define BAD(field, value) \
  def = good;             \
  def.field = (value);    \
  expect_bad(context, &def, TALUS_BAD_SETTING, #field)
  BAD(kind, (talus_generate_kind)3);
  BAD(body_count, 0);
  BAD(body_count, -5);
  BAD(friction, -0.1);
  BAD(friction, NAN);
  BAD(friction, INFINITY);
  BAD(radius, 0.0);
  BAD(radius, -1.0);
  BAD(radius, INFINITY);
  BAD(spread, 0.6);
  BAD(spread, -0.1);
  BAD(density, 0.0);
  BAD(step, 0.0);
  BAD(step, NAN);
  BAD(contact_ratio, -1.0);
  BAD(contact_ratio, NAN);
  BAD(aspect, 0.0);
  BAD(aspect, NAN);
#undef BAD
  def = good;
  def.body_count = 1000000;
  def.contact_ratio = 1e6;
  expect_bad(context, &def, TALUS_BAD_SETTING, "contact_ratio");
  def = good;
  def.kind = TALUS_GENERATE_STACK;
  def.body_count = INT32_MAX;
  expect_bad(context, &def, TALUS_BAD_SETTING, "body_count");
  def = good;
  def.struct_size = 4;
  expect_bad(context, &def, TALUS_STRUCT_SIZE, "struct_size");
  CHECK(talus_problem_generate(context, NULL, &stored) == TALUS_INVALID_ARGUMENT);
  CHECK(talus_problem_generate(context, &good, NULL) == TALUS_INVALID_ARGUMENT);
}

/* Counts down to the allocation that fails. */
typedef struct shortage {
  int left;
  long held;
} shortage;

static void *scarce_allocate(void *user, size_t size) {
  shortage *memory = user;
  if (memory->left-- <= 0) {
    return NULL;
  }
  memory->held++;
  return aligned_alloc(64, (size + 63) / 64 * 64);
}

static void scarce_release(void *user, void *block, size_t size) {
  (void)size;
  ((shortage *)user)->held--;
  free(block);
}

static void test_shortage(talus_generate_kind kind) {
  talus_generate_def def = talus_generate_def_default(kind);
  talus_context_def context_def = talus_context_def_default();
  talus_context *context = NULL;
  shortage memory = {INT32_MAX, 0};
  int allowed = 0;
  talus_status status = TALUS_OUT_OF_MEMORY;
  def.body_count = 50;
  context_def.threads = 1;
  context_def.backend = TALUS_BACKEND_CPU;
  context_def.allocate = scarce_allocate;
  context_def.release = scarce_release;
  context_def.allocate_user = &memory;
  CHECK(talus_context_create(&context_def, &context) == TALUS_OK);
  const long before = memory.held;
  for (; status != TALUS_OK && allowed < 100; allowed++) {
    talus_stored *stored = NULL;
    memory.left = allowed;
    status = talus_problem_generate(context, &def, &stored);
    CHECK(status == (stored != NULL ? TALUS_OK : TALUS_OUT_OF_MEMORY));
    talus_stored_destroy(stored);
    CHECK(memory.held == before);
  }
  CHECK_CASE(status == TALUS_OK && allowed > 10, "%d allocations", allowed);
  memory.left = INT32_MAX;
  talus_context_destroy(context);
}

int main(void) {
  talus_context *context = NULL;
  if (!CHECK(talus_context_create(NULL, &context) == TALUS_OK)) {
    return check_end();
  }
  test_heap(context, 1, 0.3, 1.0);
  test_heap(context, 2, 0.0, 1.0);
  test_heap(context, 4000, 0.3, 1.0);
  test_heap(context, 2000, 0.0, 1.0);
  test_heap(context, 2000, 0.5, 0.5);
  test_heap(context, 500, 0.2, 0.001);
  test_heap(context, 500, 0.2, 1000.0);
  test_heap_numbers(context);
  test_heap_box(context);
  test_stack(context);
  test_random(context);
  test_same_bits(context);
  test_units(context);
  test_bad_settings(context);
  test_shortage(TALUS_GENERATE_HEAP);
  test_shortage(TALUS_GENERATE_STACK);
  test_shortage(TALUS_GENERATE_RANDOM);
  talus_context_destroy(context);
  return check_end();
}
