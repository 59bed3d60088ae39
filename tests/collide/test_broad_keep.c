/* test_broad_keep.c: the kept list stays a superset of the pairs while it is kept, and is found
 * anew when something leaves its room. */
#include "tests/collide/test_broad_scene.h"

static talus_context *context;

static scene make(int32_t count, uint64_t seed) {
  scene made = scene_make(count);
  uint64_t state = seed;
  const double edge = 0.12 * cbrt(count);
  const double lower[3] = {-edge, -edge, -edge}, upper[3] = {edge, edge, edge};
  for (int32_t i = 0; i < count; i++) {
    scene_sphere(&made, i, 0.1 * scene_uniform(&state, 0.5, 2), lower, upper, &state);
    scene_turn(&made.collider[i], &state);
    if (i % 5 == 0) {
      made.geometry[i].kind = i % 10 == 0 ? TALUS_SHAPE_BOX : TALUS_SHAPE_CAPSULE;
      made.geometry[i].half_length = made.geometry[i].half_edge[0] = 0.2;
      made.geometry[i].half_edge[1] = made.geometry[i].half_edge[2] = 0.1;
    }
  }
  made.geometry[1].kind = made.geometry[3].kind = TALUS_SHAPE_HALFSPACE;
  made.collider[1].movable = made.collider[3].movable = 0;
  return made;
}

static void jostle(scene *made, double step, uint64_t *state) {
  for (int32_t i = 0; i < made->count; i++) {
    for (int axis = 0; axis < 3; axis++) {
      made->collider[i].pose.position[axis] += scene_uniform(state, -step, step);
    }
    made->collider[i].margin *= scene_uniform(state, 0.9, 1.1);
  }
}

static void test_motion(void) {
  scene made = make(2500, 1);
  uint64_t state = 1;
  tl_broad *broad = NULL;
  const tl_pair *pair;
  int64_t count;
  int kept = 0, built = 0, rebuilt = 0;
  const double skin = 0.02;
  CHECK(tl_broad_create(context, &broad) == TALUS_OK);
  for (int step = 0; step < 24; step++) {
    CHECK(tl_broad_refresh(broad, made.collider, made.count, skin, 1 + step % 3, &pair, &count,
                           &rebuilt) == TALUS_OK);
    CHECK(step > 0 || rebuilt);
    built += rebuilt;
    kept += !rebuilt;
    /* boxes: each side has gained the skin and moved by no more than that; half-spaces see boxes
     * along the diagonal */
    const scene_errors errors = scene_judge(&made, pair, count, 1e-11, 2 * 1.8 * 2 * skin);
    CHECK_CASE(errors.missing == 0 && errors.expected > 1000, "step %d: %lld of %lld missing", step,
               (long long)errors.missing, (long long)errors.expected);
    CHECK_CASE(errors.needless == 0 && errors.disorder == 0,
               "step %d: %lld needless, %lld disorder", step, (long long)errors.needless,
               (long long)errors.disorder);
    jostle(&made, 0.003, &state);
  }
  CHECK_CASE(built >= 2 && kept >= 8, "built %d, kept %d", built, kept);
  tl_broad_destroy(broad);
  scene_free(&made);
}

static int refresh(tl_broad *broad, const scene *made, int32_t count, double skin) {
  const tl_pair *pair;
  int64_t pair_count;
  int rebuilt = -1;
  CHECK(tl_broad_refresh(broad, made->collider, count, skin, 2, &pair, &pair_count, &rebuilt) ==
        TALUS_OK);
  return rebuilt;
}

/* Each change alone: what has to be noticed, and what has not. */
static void test_changes(void) {
  scene made = make(1200, 2);
  tl_collider *const c = made.collider;
  tl_broad *broad = NULL;
  const tl_pair *pair;
  int64_t count;
  uint64_t state = 9;
  CHECK(tl_broad_create(context, &broad) == TALUS_OK);
  CHECK(refresh(broad, &made, 1200, 0.01) == 1);
  CHECK(refresh(broad, &made, 1200, 0.01) == 0);
  CHECK(refresh(broad, &made, 1200, 0.5) == 0); /* a larger skin is for the next search */
  c[17].pose.position[0] += 0.0099;
  CHECK(refresh(broad, &made, 1200, 0.01) == 0);
  c[17].pose.position[1] += 0.0099; /* within the box, not within the ball */
  CHECK(refresh(broad, &made, 1200, 0.01) == 1);
  c[20].pose.position[1] += 0.0099;
  c[20].pose.position[0] += 0.0099; /* a box */
  CHECK(refresh(broad, &made, 1200, 0.01) == 0);
  c[20].margin += 0.001;
  CHECK(refresh(broad, &made, 1200, 0.01) == 1);
  scene_turn(&c[20], &state);
  CHECK(refresh(broad, &made, 1200, 0.01) == 1);
  scene_turn(&c[21], &state); /* a ball may turn */
  CHECK(refresh(broad, &made, 1200, 0.01) == 0);
  for (int axis = 0; axis < 3; axis++) {
    c[1].pose.position[axis] += 0.0099 * c[1].pose.rotation[3 * axis + 2];
  }
  CHECK(refresh(broad, &made, 1200, 0.01) == 0);
  for (int axis = 0; axis < 3; axis++) {
    c[1].pose.position[axis] += 0.0003 * c[1].pose.rotation[3 * axis + 2];
  }
  CHECK(refresh(broad, &made, 1200, 0.01) == 1);
  scene_turn(&c[1], &state);
  CHECK(refresh(broad, &made, 1200, 0.01) == 1);
  c[30].body = 31;
  CHECK(refresh(broad, &made, 1200, 0.01) == 1);
  c[30].group = 3;
  CHECK(refresh(broad, &made, 1200, 0.01) == 1);
  c[30].collides = 3;
  CHECK(refresh(broad, &made, 1200, 0.01) == 1);
  c[30].movable = 0;
  CHECK(refresh(broad, &made, 1200, 0.01) == 1);
  CHECK(refresh(broad, &made, 1199, 0.01) == 1);
  CHECK(tl_broad_pairs(broad, c, 1199, 1, &pair, &count) == TALUS_OK);
  CHECK(refresh(broad, &made, 1199, 0.01) == 1); /* its pairs had no skin */
  CHECK(tl_broad_refresh(broad, c, 1199, -1, 1, &pair, &count, NULL) == TALUS_INVALID_ARGUMENT);
  CHECK(tl_broad_refresh(broad, c, 1199, NAN, 1, &pair, &count, NULL) == TALUS_INVALID_ARGUMENT);
  CHECK(refresh(broad, &made, 1199, 0.01) == 1);
  c[77].pose.position[1] = NAN;
  CHECK(tl_broad_refresh(broad, c, 1199, 0.01, 1, &pair, &count, NULL) == TALUS_NOT_FINITE);
  CHECK(strstr(talus_context_message(context), "body 77") != NULL);
  c[77].pose.position[1] = 0;
  CHECK(refresh(broad, &made, 1199, 0.01) == 1);
  CHECK(refresh(broad, &made, 1199, 0.01) == 0);
  tl_broad_destroy(broad);
  scene_free(&made);
}

int main(void) {
  CHECK(talus_context_create(NULL, &context) == TALUS_OK);
  test_motion();
  test_changes();
  CHECK(context->bytes == 0);
  talus_context_destroy(context);
  return check_end();
}
