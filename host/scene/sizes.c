/* sizes.c: how grains differ, and random numbers for it.
 *
 * The normal distribution is the sum of twelve uniform numbers (Irwin and Hall): exact enough
 * within its cuts, and made of additions alone, so that it is the same everywhere. */
#include <math.h>

#include "host/math/vector.h"

#include "host/scene/build.h"

talus_status tl_sizes_check(talus_context *context, const tl_scene_sizes *sizes) {
  const tl_node *node = sizes->item.node;
  const bool cut = sizes->kind == TL_SIZE_UNIFORM || sizes->kind == TL_SIZE_NORMAL ||
                   sizes->kind == TL_SIZE_LOGNORMAL;
  if (cut && !(sizes->low <= sizes->high)) {
    return tl_node_fail(context, node, "sizes: low is above high");
  }
  if ((sizes->kind == TL_SIZE_NORMAL || sizes->kind == TL_SIZE_LOGNORMAL) &&
      !(sizes->low <= sizes->mean && sizes->mean <= sizes->high)) {
    return tl_node_fail(context, node, "sizes: the mean has to lie between low and high");
  }
  if (sizes->kind == TL_SIZE_CLASSES) {
    double sum = 0;
    for (int32_t i = 0; i < sizes->classes.count; i++) {
      const double *pair = sizes->classes.value + 2 * i;
      if (!(pair[0] > 0) || !(pair[1] >= 0)) {
        return tl_node_fail(context, node,
                            "sizes.classes: factors have to be above 0, fractions at least 0");
      }
      sum += pair[1];
    }
    if (!(sum > 0)) {
      return tl_node_fail(context, node, "sizes.classes: the fractions add up to 0");
    }
  }
  return TALUS_OK;
}

static double draw_normal(tl_random *random) {
  double sum = -6;
  for (int i = 0; i < 12; i++) {
    sum += tl_random_uniform(random, 0, 1);
  }
  return sum;
}

/* How many grains of a class there are, up to a common factor. */
static double class_weight(const tl_scene_sizes *sizes, int plane, int32_t i) {
  const double f = sizes->classes.value[2 * i], part = sizes->classes.value[2 * i + 1];
  return sizes->by_volume ? part / (plane ? f * f : f * f * f) : part;
}

static double draw_class(const tl_scene_sizes *sizes, int plane, tl_random *random) {
  double sum = 0;
  for (int32_t i = 0; i < sizes->classes.count; i++) {
    sum += class_weight(sizes, plane, i);
  }
  double left = tl_random_uniform(random, 0, sum);
  for (int32_t i = 0; i < sizes->classes.count; i++) {
    left -= class_weight(sizes, plane, i);
    if (left < 0) {
      return sizes->classes.value[2 * i];
    }
  }
  return sizes->classes.value[2 * (sizes->classes.count - 1)];
}

double tl_sizes_draw(const tl_scene_sizes *sizes, int plane, tl_random *random) {
  enum { TRIES = 1000 };
  switch (sizes->kind) {
  case TL_SIZE_UNIFORM:
    return tl_random_uniform(random, sizes->low, sizes->high);
  case TL_SIZE_NORMAL:
  case TL_SIZE_LOGNORMAL:
    for (int i = 0; i < TRIES; i++) {
      const double x = sizes->deviation * draw_normal(random);
      const double factor = sizes->kind == TL_SIZE_NORMAL ? sizes->mean + x : sizes->mean * exp(x);
      if (factor >= sizes->low && factor <= sizes->high) {
        return factor;
      }
    }
    return sizes->mean;
  case TL_SIZE_CLASSES:
    return draw_class(sizes, plane, random);
  default:
    return 1;
  }
}

double tl_sizes_largest(const tl_scene_sizes *sizes) {
  double largest = 0;
  switch (sizes->kind) {
  case TL_SIZE_UNIFORM:
  case TL_SIZE_NORMAL:
  case TL_SIZE_LOGNORMAL:
    return sizes->high;
  case TL_SIZE_CLASSES:
    for (int32_t i = 0; i < sizes->classes.count; i++) {
      largest = fmax(largest, sizes->classes.value[2 * i]);
    }
    return largest;
  default:
    return 1;
  }
}

double tl_sizes_mean_volume(const tl_scene_sizes *sizes, int plane) {
  enum { SAMPLES = 4096 };
  if (sizes->kind == TL_SIZE_EQUAL) {
    return 1;
  }
  tl_random random = {.state = 12345};
  double sum = 0;
  for (int i = 0; i < SAMPLES; i++) {
    const double f = tl_sizes_draw(sizes, plane, &random);
    sum += plane ? f * f : f * f * f;
  }
  return sum / SAMPLES;
}

tl_random tl_scene_random(const talus_scene *scene, uint64_t section, uint64_t index) {
  tl_random random = {.state = (uint64_t)scene->def.world.seed};
  random.state = tl_random_bits(&random) + section * UINT64_C(0xD1342543DE82EF95);
  random.state = tl_random_bits(&random) + index * UINT64_C(0xA24BAED4963EE407);
  return random;
}

void tl_random_turn(tl_random *random, int plane, double orientation[4]) {
  if (plane) {
    const double half = tl_random_uniform(random, -TL_PI / 2, TL_PI / 2);
    orientation[0] = cos(half);
    orientation[1] = orientation[3] = 0;
    orientation[2] = sin(half);
    return;
  }
  double square;
  do {
    square = 0;
    for (int i = 0; i < 4; i++) {
      orientation[i] = tl_random_uniform(random, -1, 1);
      square += orientation[i] * orientation[i];
    }
  } while (square > 1 || square < 1e-4);
  for (int i = 0; i < 4; i++) {
    orientation[i] /= sqrt(square);
  }
}
