/* test_narrow_threads.c: all pairs at once: the same bits in the same order on any number of
 * threads; memory that cannot be had is reported and nothing leaks. */
#include "host/base/process.h"
#include "tests/collide/shapes.h"

enum { COUNT = 220 };

typedef struct meter {
  int64_t allowed, blocks;
} meter;

static void *take(void *user, size_t size) {
  meter *const m = user;
  if (m->allowed == 0) {
    return NULL;
  }
  m->allowed -= m->allowed > 0;
  m->blocks++;
  return tl_memory_take(size);
}

static void give(void *user, void *memory, size_t size) {
  (void)size;
  ((meter *)user)->blocks--;
  tl_memory_release(memory);
}

static tl_geometry *kind[7];
static tl_collider collider[COUNT];
static tl_pair pair[COUNT * COUNT];
static int64_t pair_count;

static void build(talus_context *context) {
  kind[0] = make_sphere(context, 0.5);
  kind[1] = make_box(context, 0.4, 0.5, 0.3);
  kind[2] = make_round(context, TALUS_SHAPE_CAPSULE, 0.3, 0.4);
  kind[3] = make_round(context, TALUS_SHAPE_CYLINDER, 0.4, 0.4);
  kind[4] = make_random_hull(context, 14, 0.5, 0.5, 0.5);
  kind[5] = make_halfspace(context);
  kind[6] = make_floor(context, 12, 0.7);
  for (int k = 0; k < COUNT; k++) {
    collider[k] = collider_at(kind[k % 5], random_pose(2.5), 0.02);
  }
  collider[7].geometry = kind[5];
  collider[8].geometry = kind[6];
  collider[7].movable = collider[8].movable = 0;
  pair_count = 0;
  for (int32_t i = 0; i < COUNT; i++) {
    for (int32_t j = i + 1; j < COUNT; j++) {
      pair[pair_count].a = i;
      pair[pair_count++].b = j;
    }
  }
}

static void same_bits(talus_context *context) {
  static const int32_t threads[4] = {1, 2, 7, 2};
  tl_contact_point *first = NULL;
  int64_t first_count = 0;
  for (int k = 0; k < 4; k++) {
    tl_narrow *narrow = NULL;
    tl_buffer memory = {NULL, 0};
    const tl_contact_point *points_found = NULL;
    int64_t count = 0;
    CHECK(tl_narrow_create(context, &memory, &narrow) == TALUS_OK);
    for (int again = 0; again < 2; again++) {
      const int64_t before = context->bytes;
      CHECK(tl_narrow_pairs(narrow, collider, pair, pair_count, threads[k], &points_found,
                            &count) == TALUS_OK);
      CHECK(again == 0 || k > 0 || context->bytes == before); /* the second time nothing is asked */
    }
    if (first == NULL) {
      first = malloc((size_t)count * sizeof *first);
      memcpy(first, points_found, (size_t)count * sizeof *first);
      first_count = count;
      CHECK(count > 500);
    }
    CHECK(count == first_count && memcmp(first, points_found, (size_t)count * sizeof *first) == 0);
    int ordered = 1;
    for (int64_t t = 1; t < count; t++) {
      ordered &= points_found[t].a > points_found[t - 1].a ||
                 (points_found[t].a == points_found[t - 1].a &&
                  points_found[t].b >= points_found[t - 1].b);
    }
    CHECK(ordered);
    tl_narrow_destroy(narrow);
    tl_buffer_release(context, &memory);
  }
  free(first);
}

static void none(talus_context *context) {
  tl_narrow *narrow = NULL;
  tl_buffer memory = {NULL, 0};
  const tl_contact_point *points_found = NULL;
  int64_t count = 5;
  CHECK(tl_narrow_create(context, &memory, &narrow) == TALUS_OK);
  CHECK(tl_narrow_pairs(narrow, collider, pair, 0, 4, &points_found, &count) == TALUS_OK &&
        count == 0);
  /* two meshes, in the middle of much else */
  const tl_collider before = collider[100];
  collider[100].geometry = kind[6];
  CHECK(tl_narrow_pairs(narrow, collider, pair, pair_count, 2, &points_found, &count) ==
        TALUS_UNSUPPORTED);
  CHECK(strstr(talus_context_message(context), "8 and 100") != NULL);
  CHECK(points_found == NULL && count == 0);
  collider[100] = before;
  tl_narrow_destroy(narrow);
  tl_buffer_release(context, &memory);
  tl_narrow_destroy(NULL);
}

/* Everything that allocates, with the first 0, 1, 2 ... requests granted. */
static void starve(void) {
  const talus_shape_def ball = shape_def(TALUS_SHAPE_HULL), wall = shape_def(TALUS_SHAPE_MESH);
  double point[60];
  const int32_t triangle[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  for (int k = 0; k < 20; k++) {
    random_direction(point + 3 * k);
  }
  for (int64_t granted = 0, done = 0; !done; granted++) {
    meter m = {-1, 0};
    talus_context_def def = talus_context_def_default();
    talus_context *context = NULL;
    def.backend = TALUS_BACKEND_CPU;
    def.allocate = take;
    def.release = give;
    def.allocate_user = &m;
    CHECK(talus_context_create(&def, &context) == TALUS_OK);
    const int64_t held = m.blocks;
    m.allowed = granted;
    tl_geometry *hull = NULL, *mesh = NULL;
    tl_narrow *narrow = NULL;
    tl_buffer memory = {NULL, 0};
    const tl_contact_point *points_found = NULL;
    int64_t count = 0;
    talus_shape_def shape = ball;
    shape.point = point;
    shape.point_count = 20;
    talus_status status = tl_geometry_create(context, &shape, &hull, NULL);
    if (status == TALUS_OK) {
      shape = wall;
      shape.point = point;
      shape.point_count = 12;
      shape.triangle = triangle;
      shape.triangle_count = 4;
      status = tl_geometry_create(context, &shape, &mesh, NULL);
    }
    if (status == TALUS_OK) {
      status = tl_narrow_create(context, &memory, &narrow);
    }
    if (status == TALUS_OK) {
      status = tl_narrow_pairs(narrow, collider, pair, pair_count, 2, &points_found, &count);
    }
    CHECK_CASE(status == TALUS_OK || status == TALUS_OUT_OF_MEMORY, "granted %d: %s", (int)granted,
               talus_status_name(status));
    done = status == TALUS_OK;
    m.allowed = -1;
    tl_narrow_destroy(narrow);
    tl_buffer_release(context, &memory);
    tl_geometry_destroy(context, hull);
    tl_geometry_destroy(context, mesh);
    CHECK(m.blocks == held);
    talus_context_destroy(context);
  }
}

int main(void) {
  talus_context *const context = new_context();
  build(context);
  same_bits(context);
  none(context);
  starve();
  for (int k = 0; k < 7; k++) {
    tl_geometry_destroy(context, kind[k]);
  }
  CHECK(context->bytes == 0);
  talus_context_destroy(context);
  return check_end();
}
