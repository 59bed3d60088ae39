/* generate_random.c: random contacts between random bodies.
 *
 * Nothing in it is a geometry: normals, arms, inertia and velocities are drawn independently. It
 * exercises what spheres do not: full inertia tensors and arms off the normal. Biases are >= 0, so
 * that an end velocity of zero is admissible and the problem has a solution. */
#include "host/io/generate.h"

#include <math.h>

/* Inverse inertia R diag(1/moment) R^T, R from a random unit quaternion. */
static void inertia_draw(tl_random *random, double mass, double radius, double inverse[6]) {
  double q[4], square;
  do {
    square = 0.0;
    for (int i = 0; i < 4; i++) {
      q[i] = tl_random_uniform(random, -1.0, 1.0);
      square += q[i] * q[i];
    }
  } while (square > 1.0 || square < 1e-4);
  const double s = 2.0 / square;
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const double r[3][3] = {
      {1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)},
      {s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)},
      {s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)},
  };
  double diagonal[3];
  for (int i = 0; i < 3; i++) {
    diagonal[i] = 1.0 / (0.4 * mass * radius * radius * tl_random_uniform(random, 0.5, 1.5));
  }
  int entry = 0;
  for (int i = 0; i < 3; i++) {
    for (int j = i; j < 3; j++) {
      double sum = 0.0;
      for (int c = 0; c < 3; c++) {
        sum += r[i][c] * diagonal[c] * r[j][c];
      }
      inverse[entry++] = sum;
    }
  }
}

static void bodies_draw(tl_random *random, const talus_generate_def *def, tl_generated *generated) {
  const double speed = TL_GRAVITY * def->step;
  const double extent = 4.0 * def->radius * sqrt(sqrt((double)def->body_count));
  for (int32_t body = 0; body < def->body_count; body++) {
    const double radius =
        def->radius * tl_random_uniform(random, 1.0 - def->spread, 1.0 + def->spread);
    const double mass = def->density * 4.18879020478639 * radius * radius * radius;
    double linear[3], angular[3];
    generated->radius[body] = radius;
    generated->inverse_mass[body] = 1.0 / mass;
    inertia_draw(random, mass, radius, generated->inverse_inertia + 6 * (size_t)body);
    tl_random_ball(random, linear);
    tl_random_ball(random, angular);
    for (size_t i = 0; i < 3; i++) {
      generated->position[3 * (size_t)body + i] = tl_random_uniform(random, 0.0, extent);
      generated->velocity[6 * (size_t)body + i] = speed * linear[i];
      generated->velocity[6 * (size_t)body + 3 + i] = speed / radius * angular[i];
    }
  }
}

static void contact_draw(tl_random *random, const talus_generate_def *def, size_t k,
                         tl_generated *generated) {
  const int32_t count = def->body_count;
  const int32_t b = tl_random_index(random, count);
  const bool on_ground = count == 1 || tl_random_uniform(random, 0.0, 1.0) < 0.1;
  const int64_t other = on_ground ? 0 : (int64_t)b + 1 + tl_random_index(random, count - 1);
  const int32_t a = on_ground ? -1 : (int32_t)(other % count);
  const double spare = tl_random_uniform(random, -2.0, 1.0);
  double arm_a[3], arm_b[3];
  generated->body_a[k] = a;
  generated->body_b[k] = b;
  tl_random_direction(random, generated->normal + 3 * k);
  tl_random_ball(random, arm_a);
  tl_random_ball(random, arm_b);
  for (size_t i = 0; i < 3; i++) {
    generated->arm_a[3 * k + i] = a >= 0 ? generated->radius[a] * arm_a[i] : 0.0;
    generated->arm_b[3 * k + i] = generated->radius[b] * arm_b[i];
  }
  /* Every third contact is still open. */
  generated->bias[k] = spare > 0.0 ? spare * TL_GRAVITY * def->step : 0.0;
}

talus_status tl_generate_random(talus_stored *stored, const talus_generate_def *def) {
  const double wanted = floor(def->contact_ratio * (double)def->body_count + 0.5);
  if (wanted > (double)INT32_MAX) {
    return tl_fail(tl_stored_context(stored), TALUS_BAD_SETTING,
                   "contact_ratio is %g: %.0f contacts are more than %d", def->contact_ratio,
                   wanted, INT32_MAX);
  }
  tl_random random = {def->seed};
  tl_generated generated = {0};
  const int32_t contact_count = (int32_t)wanted;
  TL_TRY(tl_generate_bodies(stored, def, &generated));
  TL_TRY(tl_generate_contacts(stored, def, contact_count, TL_LEVER_ARM, &generated));
  bodies_draw(&random, def, &generated);
  for (size_t k = 0; k < (size_t)contact_count; k++) {
    contact_draw(&random, def, k, &generated);
  }
  return TALUS_OK;
}
