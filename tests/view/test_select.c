/* test_select.c: what of a frame is drawn: hidden and clipped bodies, copies of a cell, sticks. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/view/camera_path.h"
#include "host/view/select.h"
#include "tests/check.h"

enum { BODIES = 4 };

/* Three balls along x and a floor below them, in a cell of 3 x 1 x 1 that leans. */
static const int32_t id[BODIES] = {10, 11, 12, 20}, material[BODIES] = {0, 0, 0, 1};
static const int32_t type[BODIES] = {TALUS_BODY_FREE, TALUS_BODY_FREE, TALUS_BODY_FREE,
                                     TALUS_BODY_FIXED};
static const double position[3 * BODIES] = {0, 0, 0.5, 1, 0, 0.5, 2, 0, 0.5, 0, 0, 0};
static const double velocity[3 * BODIES] = {0, 0, 0, 0, 2, 0, -1, 0, 0, 0, 0, 0};
static const double orientation[4 * BODIES] = {1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
static const double spin[3 * BODIES], radius[BODIES] = {0.4, 0.4, 0.4, INFINITY};
static const int32_t shape_body[BODIES] = {0, 1, 2, 3};
static const tl_pose pose[BODIES] = {{{0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}},
                                     {{0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}},
                                     {{0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}},
                                     {{0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}}};

static tl_frame frame_of(talus_context *context, tl_geometry **ball, tl_geometry **floor,
                         const tl_geometry **geometry) {
  talus_shape_def def = talus_shape_def_default(TALUS_SHAPE_SPHERE);
  def.radius = 0.4;
  CHECK(tl_geometry_create(context, &def, ball, NULL) == TALUS_OK);
  def = talus_shape_def_default(TALUS_SHAPE_HALFSPACE);
  CHECK(tl_geometry_create(context, &def, floor, NULL) == TALUS_OK);
  for (int i = 0; i < BODIES; i++) {
    geometry[i] = i < 3 ? *ball : *floor;
  }
  tl_frame frame = {.body_count = BODIES, .shape_count = BODIES};
  frame.id = id;
  frame.position = position;
  frame.orientation = orientation;
  frame.velocity = velocity;
  frame.spin = spin;
  frame.radius = radius;
  frame.material = frame.shape_material = material;
  frame.type = type;
  frame.shape_body = shape_body;
  frame.shape_geometry = geometry;
  frame.shape_pose = pose;
  frame.periodic = 5; /* x and z */
  const double edge[6] = {3, 1, 1, 0, 0.5, 0};
  memcpy(frame.edge, edge, sizeof edge);
  return frame;
}

static void check_hidden(talus_context *context, const tl_frame *frame) {
  tl_select select = {.hidden_types = 1u << TALUS_BODY_FIXED, .hidden_count = 1, .hidden = {11}};
  tl_selected s;
  CHECK(tl_clip_parse("x>1.5", &select.clip[select.clip_count++]));
  CHECK(tl_select_apply(context, frame, &select, &s) == TALUS_OK);
  CHECK(s.frame.body_count == 1 && s.frame.id[0] == 10);
  CHECK(s.frame.shape_count == 1 && s.frame.shape_body[0] == 0);
  CHECK(tl_frame_check(context, &s.frame) == TALUS_OK);
  tl_selected_release(&s);
  tl_clip clip;
  CHECK(!tl_clip_parse("w>1", &clip) && !tl_clip_parse("x=1", &clip) &&
        !tl_clip_parse("x>", &clip));
}

static void check_images(talus_context *context, const tl_frame *frame) {
  const tl_select select = {.images = 1};
  tl_selected s;
  double low = INFINITY, lean = NAN;
  CHECK(tl_select_apply(context, frame, &select, &s) == TALUS_OK);
  CHECK(s.frame.body_count == 9 * 3 + 1); /* the floor is drawn once */
  CHECK(s.frame.shape_count == 9 * 3 + 1);
  for (int32_t i = 0; i < s.frame.body_count; i++) {
    const double *const at = s.frame.position + 3 * i;
    low = fmin(low, at[0]);
    lean = fabs(at[2] - 1.5) < 1e-12 && fabs(at[0] - 0.5) < 1e-12 ? at[0] : lean;
  }
  CHECK_CLOSE(low, -3.5, 1e-12); /* one cell back, and one down, which leans by 0.5 */
  CHECK_CLOSE(lean, 0.5, 1e-12);
  CHECK(tl_frame_check(context, &s.frame) == TALUS_OK);
  tl_selected_release(&s);
}

/* An arrow goes from the centre along the velocity, also of a ball that is upside down: a stick,
 * and a cone whose tip is where the velocity leads. */
static void check_arrows(talus_context *context, const tl_frame *frame) {
  const tl_select select = {.arrow_seconds = 0.5};
  tl_selected s;
  CHECK(tl_select_apply(context, frame, &select, &s) == TALUS_OK);
  CHECK(s.frame.shape_count == BODIES + 4);
  const tl_pose stick = tl_frame_shape_pose(&s.frame, BODIES);
  const tl_pose head = tl_frame_shape_pose(&s.frame, BODIES + 1);
  CHECK(s.frame.shape_body[BODIES] == 1 && s.frame.shape_body[BODIES + 1] == 1);
  CHECK_CLOSE(stick.position[0], 1, 1e-12);
  CHECK_CLOSE(head.position[0], 1, 1e-12);
  CHECK_CLOSE(stick.rotation[5], 1, 1e-12); /* its axis z is the world's y */
  CHECK_CLOSE(head.rotation[5], 1, 1e-12);
  CHECK_CLOSE(head.position[1], 1, 1e-12); /* the way of half a second */
  CHECK(s.frame.shape_geometry[BODIES + 1]->kind == TALUS_SHAPE_HULL);
  CHECK(stick.position[1] > 0.2 && stick.position[1] < 0.5);
  tl_selected_release(&s);
}

/* A camera goes straight from line to line, and rests before and behind them. */
static void check_path(talus_context *context) {
  static const struct {
    double time, zoom, turn, z;
  } point[] = {{-1, 1, 10, 0}, {0.5, 1.5, 40, 0.1}, {1.5, 2, 85, 0.4}, {9, 2, 100, 0.6}};
  static const char *const bad[] = {"time,zom\n0,1\n", "zoom\n1\n", "time,zoom\n1,1\n1,2\n",
                                    "time,zoom\n0,0\n"};
  tl_camera_path *path = NULL;
  FILE *file = fopen("path.csv", "w");
  fputs("time [s],zoom,turn,z [m]\n0,1,10,0\n1,2,70,0.2\n2,2,100,0.6\n", file);
  fclose(file);
  CHECK(tl_camera_path_read(context, "path.csv", &path) == TALUS_OK);
  for (size_t i = 0; i < sizeof point / sizeof *point && path != NULL; i++) {
    tl_render_options options = tl_render_options_default();
    double at[3];
    tl_camera_path_apply(path, point[i].time, at, &options);
    CHECK_CLOSE(options.zoom, point[i].zoom, 1e-12);
    CHECK_CLOSE(options.turn, point[i].turn, 1e-12);
    CHECK(options.target == at);
    CHECK_CLOSE(at[2], point[i].z, 1e-12);
  }
  tl_camera_path_destroy(path);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    file = fopen("path.csv", "w");
    fputs(bad[i], file);
    fclose(file);
    CHECK(tl_camera_path_read(context, "path.csv", &path) == TALUS_FILE_FORMAT);
  }
}

int main(void) {
  talus_context *context = NULL;
  tl_geometry *ball = NULL, *floor = NULL;
  const tl_geometry *geometry[BODIES];
  CHECK(talus_context_create(NULL, &context) == TALUS_OK);
  const tl_frame frame = frame_of(context, &ball, &floor, geometry);
  check_hidden(context, &frame);
  check_images(context, &frame);
  check_arrows(context, &frame);
  check_path(context);
  tl_geometry_destroy(context, ball);
  tl_geometry_destroy(context, floor);
  talus_context_destroy(context);
  return check_end();
}
