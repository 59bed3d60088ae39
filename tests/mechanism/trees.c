/* trees.c: mechanisms for the tests. */
#include "tests/mechanism/trees.h"

#include <math.h>
#include <string.h>

#include "tests/check.h"

double tree_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) / 4503599627370496.0 - 1;
}

talus_context *tree_context(int32_t threads) {
  talus_context_def def = talus_context_def_default();
  talus_context *context = NULL;
  def.threads = threads;
  def.backend = TALUS_BACKEND_CPU;
  CHECK(talus_context_create(&def, &context) == TALUS_OK);
  return context;
}

static void unit(uint64_t *seed, double *v, int count) {
  double square = 0;
  for (int i = 0; i < count; i++) {
    v[i] = tree_random(seed) + (i == 0 ? 1.1 : 0);
    square += v[i] * v[i];
  }
  for (int i = 0; i < count; i++) {
    v[i] /= sqrt(square);
  }
}

/* B B^T + 0.3, halfway positive. */
static void inertia(uint64_t *seed, double *i) {
  double b[9];
  for (int k = 0; k < 9; k++) {
    b[k] = tree_random(seed);
  }
  int at = 0;
  for (int r = 0; r < 3; r++) {
    for (int c = r; c < 3; c++) {
      i[at] = b[3 * r] * b[3 * c] + b[3 * r + 1] * b[3 * c + 1] + b[3 * r + 2] * b[3 * c + 2];
      i[at++] += r == c ? 0.3 : 0;
    }
  }
}

talus_mechanism *tree_make(talus_context *context, uint64_t seed, int32_t links, tree_shape shape,
                           int floating) {
  talus_link_def link[TREE_LINKS];
  int32_t place[TREE_LINKS];
  for (int32_t i = 0; i < links; i++) {
    place[i] = i;
  }
  for (int32_t i = links - 1; shape == TREE_SHUFFLED && i > 0; i--) {
    const int32_t k = (int32_t)((tree_random(&seed) + 1) / 2 * (i + 1)), swap = place[i];
    place[i] = place[k];
    place[k] = swap;
  }
  for (int32_t i = 0; i < links; i++) {
    const int kind = (int)((tree_random(&seed) + 1) * 3);
    talus_link_def *const def = &link[place[i]];
    *def = talus_link_def_default((talus_link_kind)(kind > 5 ? 5 : kind));
    const int32_t parent =
        shape == TREE_CHAIN ? i - 1 : (int32_t)((tree_random(&seed) + 1) / 2 * (i + 1)) - 1;
    def->parent = parent < 0 ? TALUS_NONE : place[parent];
    if (i == 0 && floating) {
      def->kind = TALUS_LINK_FREE;
    } else if (floating && parent < 0) {
      def->parent = place[0];
    }
    for (int k = 0; k < 3; k++) {
      def->position[k] = tree_random(&seed);
      def->centre[k] = 0.5 * tree_random(&seed);
    }
    unit(&seed, def->orientation, 4);
    unit(&seed, def->axis, 3);
    unit(&seed, def->axis2, 3);
    def->axis2[1] += 1;
    def->mass = 1.5 + tree_random(&seed);
    inertia(&seed, def->inertia);
  }
  talus_mechanism_def def = talus_mechanism_def_default();
  def.link_count = links;
  def.link = link;
  def.gravity[0] = 1;
  talus_mechanism *mechanism = NULL;
  CHECK_CASE(talus_mechanism_create(context, &def, &mechanism) == TALUS_OK, "%s",
             talus_context_message(context));
  return mechanism;
}

void tree_move(talus_mechanism *mechanism, uint64_t seed, double speed) {
  static double q[7 * TREE_LINKS], v[6 * TREE_LINKS];
  const int32_t n = talus_mechanism_velocity_count(mechanism);
  talus_mechanism_get(mechanism, q, v);
  for (int32_t i = 0; i < n; i++) { /* all coordinates at random, by way of a random motion */
    v[i] = 2 * tree_random(&seed);
  }
  CHECK(talus_mechanism_set(mechanism, NULL, v) == TALUS_OK);
  CHECK(talus_mechanism_step(mechanism, TALUS_SCHEME_EXPLICIT_EULER, 0.7) == TALUS_OK);
  for (int32_t i = 0; i < n; i++) {
    v[i] = speed * tree_random(&seed);
  }
  CHECK(talus_mechanism_set(mechanism, NULL, v) == TALUS_OK);
}

talus_mechanism *rods_make(talus_context *context, int32_t links, talus_link_kind root) {
  talus_link_def *const link = malloc((size_t)links * sizeof *link);
  for (int32_t i = 0; i < links; i++) {
    link[i] = talus_link_def_default(i == 0 ? root : TALUS_LINK_REVOLUTE);
    link[i].parent = i - 1;
    link[i].position[0] = i > 0;
    link[i].axis[1] = -1; /* turns x towards z */
    link[i].axis[2] = 0;
    link[i].centre[0] = 0.5;
    memset(link[i].inertia, 0, sizeof link[i].inertia);
    link[i].inertia[0] = link[i].inertia[3] = link[i].inertia[5] = 1.0 / 12;
  }
  talus_mechanism_def def = talus_mechanism_def_default();
  def.link_count = links;
  def.link = link;
  talus_mechanism *mechanism = NULL;
  CHECK_CASE(talus_mechanism_create(context, &def, &mechanism) == TALUS_OK, "%s",
             talus_context_message(context));
  free(link);
  return mechanism;
}
