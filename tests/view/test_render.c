/* test_render.c: pictures of frames: the same for any number of threads, everything inside the
 * fitted view, colours and shadows where they belong, options refused by name. */
#include <string.h>

#include "host/view/image_colour.h"
#include "host/view/render.h"
#include "host/view/render_stage.h"
#include "tests/check.h"
#include "tests/io/files.h"
#include "tests/io/frames.h"

static talus_context *context;

static int says(const char *words) {
  const int found = strstr(talus_context_message(context), words) != NULL;
  if (!found) {
    printf("  message: %s\n", talus_context_message(context));
  }
  return found;
}

static tl_render_options small_options(void) {
  tl_render_options options = tl_render_options_default();
  options.width = 240;
  options.height = 180;
  options.clock = 0;
  options.bar = 0;
  return options;
}

static const unsigned char *pixel_at(const tl_picture *picture, double x, double y) {
  return picture->pixel + 3 * ((size_t)y * (size_t)picture->width + (size_t)x);
}

static int is_white(const unsigned char *p) {
  return p[0] > 250 && p[1] > 250 && p[2] > 250;
}

static int hash_like(const tl_picture *a, const tl_picture *b) {
  return a->width == b->width && a->height == b->height &&
         memcmp(a->pixel, b->pixel, 3 * (size_t)a->width * (size_t)a->height) == 0;
}

/* ---- the same picture ------------------------------------------------------------------------ */

static void test_threads(const tl_frame *frame) {
  const tl_render_options options = small_options();
  talus_context_def def = talus_context_def_default();
  talus_context *other;
  tl_picture one, many;
  def.threads = 1;
  CHECK(talus_context_create(&def, &other) == TALUS_OK);
  CHECK(tl_render(other, frame, &options, &one) == TALUS_OK);
  other->threads = 5;
  CHECK(tl_render(other, frame, &options, &many) == TALUS_OK);
  CHECK(hash_like(&one, &many));
  tl_picture_destroy(&one);
  tl_picture_destroy(&many);
  talus_context_destroy(other);
}

/* The same scene in other units, and somewhere else: the same picture, but for rounding. */
static void test_units(void) {
  sample_frame *metres = sample_frame_create(context, 60),
               *other = sample_frame_create(context, 60);
  tl_render_options options = small_options();
  tl_picture a, b;
  int differ = 0;
  for (int32_t k = 0; k < other->frame.body_count; k++) {
    for (int i = 0; i < 3; i++) {
      other->position[3 * k + i] = 1000 * other->position[3 * k + i] + (i < 2 ? 3000 : 0);
      other->velocity[3 * k + i] *= 1000;
    }
    other->radius[k] *= 1000;
  }
  for (int32_t k = 0; k < other->frame.shape_count; k++) {
    other->sphere[k].radius *= 1000;
  }
  CHECK(tl_render(context, &metres->frame, &options, &a) == TALUS_OK);
  CHECK(tl_render(context, &other->frame, &options, &b) == TALUS_OK);
  for (int32_t k = 0; k < 3 * a.width * a.height; k++) {
    differ += abs((int)a.pixel[k] - (int)b.pixel[k]) > 12;
  }
  CHECK_CASE(differ < 60, "%d of %d", differ, 3 * a.width * a.height);
  tl_picture_destroy(&a);
  tl_picture_destroy(&b);
  sample_frame_destroy(metres);
  sample_frame_destroy(other);
}

/* ---- the camera ------------------------------------------------------------------------------ */

static void project(const tl_camera *camera, const double at[3], double *u, double *v) {
  double f[3], r[3], t[3], size = 0;
  for (int i = 0; i < 3; i++) {
    f[i] = camera->target[i] - camera->eye[i];
    t[i] = at[i] - camera->eye[i];
    size += f[i] * f[i];
  }
  for (int i = 0; i < 3; i++) {
    f[i] /= sqrt(size);
  }
  const double *up = camera->up;
  r[0] = f[1] * up[2] - f[2] * up[1];
  r[1] = f[2] * up[0] - f[0] * up[2];
  r[2] = f[0] * up[1] - f[1] * up[0];
  const double depth = t[0] * f[0] + t[1] * f[1] + t[2] * f[2];
  const double half = camera->orthographic ? 0.5 * camera->view_height
                                           : depth * tan(camera->angle * 3.141592653589793 / 360);
  *u = (t[0] * r[0] + t[1] * r[1] + t[2] * r[2]) / half;
  *v = (t[0] * up[0] + t[1] * up[1] + t[2] * up[2]) / half;
}

static void test_camera(sample_frame *sample) {
  tl_render_options options = small_options();
  const tl_frame *frame = &sample->frame;
  const double kept = sample->position[3];
  for (int orthographic = 0; orthographic < 2; orthographic++) {
    tl_camera camera, with_stray;
    double widest = 0;
    options.orthographic = orthographic;
    CHECK(tl_camera_fit(context, &frame, 1, &options, &camera) == TALUS_OK);
    for (int32_t k = 1; k < frame->body_count; k++) {
      double u, v;
      project(&camera, frame->position + 3 * k, &u, &v);
      CHECK(fabs(u) < 240.0 / 180 && fabs(v) < 1);
      widest = fmax(widest, fmax(fabs(u) / (240.0 / 180), fabs(v)));
    }
    CHECK(widest > 0.75 && widest <= 0.9);
    sample->position[3] = 1e4; /* one that was thrown out does not count */
    CHECK(tl_camera_fit(context, &frame, 1, &options, &with_stray) == TALUS_OK);
    for (int i = 0; i < 3; i++) {
      CHECK_CLOSE(camera.eye[i], with_stray.eye[i], 0.4);
    }
    sample->position[3] = kept;
  }
}

/* ---- colours --------------------------------------------------------------------------------- */

static void test_single(void) {
  sample_frame *sample = sample_frame_create(context, 1);
  tl_render_options options = small_options();
  tl_picture picture;
  options.field = TL_FIELD_RADIUS;
  options.low = 0;
  options.high = 2 * sample->radius[1];
  CHECK(tl_render(context, &sample->frame, &options, &picture) == TALUS_OK);
  /* the ball fills nine tenths of the height; the page around it is white */
  const unsigned char *p = pixel_at(&picture, 120, 90);
  const tl_colour wanted = tl_colour_map(0.5);
  CHECK(abs(p[2] - p[0] - (int)(255 * (wanted.blue - wanted.red))) < 70 && p[2] > p[0] + 40);
  CHECK(is_white(pixel_at(&picture, 3, 3)) && is_white(pixel_at(&picture, 236, 3)));
  CHECK(!is_white(pixel_at(&picture, 120, 15)) && !is_white(pixel_at(&picture, 120, 165)));
  /* light from the upper left; shadow on the ground at the right */
  CHECK(pixel_at(&picture, 95, 60)[1] > pixel_at(&picture, 150, 140)[1] + 20);
  CHECK(pixel_at(&picture, 205, 165)[1] < 225 && pixel_at(&picture, 20, 165)[1] > 235);
  tl_picture_destroy(&picture);
  sample_frame_destroy(sample);
}

static void test_colour_map(void) {
  double last = -1;
  for (int k = 0; k <= 100; k++) { /* lightness rises all the way */
    const tl_colour c = tl_colour_map(0.01 * k);
    const double light = 0.2126 * tl_colour_linear(c.red) + 0.7152 * tl_colour_linear(c.green) +
                         0.0722 * tl_colour_linear(c.blue);
    CHECK(light > last);
    last = light;
  }
  const tl_colour a = tl_colour_map(NAN), b = tl_colour_map(0), c = tl_colour_map(7),
                  d = tl_colour_map(1);
  CHECK(a.red == b.red && c.blue == d.blue);
  CHECK_CLOSE(tl_colour_encoded(tl_colour_linear(0.3)), 0.3, 1e-12);
}

static void test_range(sample_frame *sample) {
  double low, high;
  const tl_frame *frame = &sample->frame;
  CHECK(tl_render_range(context, &frame, 1, TL_FIELD_HEIGHT, &low, &high) == TALUS_OK);
  CHECK(low > 0 && low <= 0.05 && high > 0.3);
  const double kept = sample->velocity[3];
  CHECK(tl_render_range(context, &frame, 1, TL_FIELD_SPEED, &low, &high) == TALUS_OK);
  const double usual = high;
  sample->velocity[3] = 1e6; /* one runaway does not turn the rest dark */
  CHECK(tl_render_range(context, &frame, 1, TL_FIELD_SPEED, &low, &high) == TALUS_OK);
  CHECK(low == 0 && high < 1.2 * usual);
  sample->velocity[3] = kept;
  CHECK(tl_render_range(context, &frame, 1, TL_FIELD_FORCE, &low, &high) == TALUS_OK);
  CHECK(high > 1);
  CHECK(tl_field_find("speed") == TL_FIELD_SPEED && tl_field_find("sped") == -1);
  CHECK(strcmp(tl_field_word(TL_FIELD_VELOCITY_Z), "velocity_z") == 0);
}

/* Every field, flat and solid, draws something. */
static void test_fields(const tl_frame *frame) {
  tl_render_options options = small_options();
  options.bar = options.clock = 1;
  options.samples = 1;
  for (int plane = 0; plane < 2; plane++) {
    for (int32_t field = 0; field < TL_FIELD_COUNT; field++) {
      tl_picture picture;
      tl_frame copy = *frame;
      copy.plane = plane;
      options.field = (tl_field)field;
      int inked = 0;
      CHECK(tl_render(context, &copy, &options, &picture) == TALUS_OK);
      for (int32_t k = 0; k < picture.width * picture.height; k++) {
        inked += !is_white(picture.pixel + 3 * k);
      }
      CHECK(inked > 5000 && inked < picture.width * picture.height);
      tl_picture_destroy(&picture);
    }
  }
}

/* A disk of a plane world is a flat disk with a dark rim and a mark that turns with it. */
static void test_flat(void) {
  sample_frame *sample = sample_frame_create(context, 1);
  tl_render_options options = small_options();
  tl_picture picture;
  sample->frame.plane = 1;
  options.field = TL_FIELD_MATERIAL;
  CHECK(tl_render(context, &sample->frame, &options, &picture) == TALUS_OK);
  const unsigned char *left = pixel_at(&picture, 100, 90), *right = pixel_at(&picture, 140, 90);
  CHECK(memcmp(left, right, 3) == 0 && !is_white(left));
  CHECK(pixel_at(&picture, 120, 50)[1] < left[1] - 30); /* the mark points up */
  tl_picture_destroy(&picture);
  sample->orientation[4] = sqrt(0.5); /* a quarter turn about y: z becomes x */
  sample->orientation[6] = sqrt(0.5);
  CHECK(tl_render(context, &sample->frame, &options, &picture) == TALUS_OK);
  CHECK(pixel_at(&picture, 160, 90)[1] < pixel_at(&picture, 120, 50)[1] - 30);
  tl_picture_destroy(&picture);
  sample_frame_destroy(sample);
}

/* ---- walls ----------------------------------------------------------------------------------- */

/* A fixed slab before the grains lets them be seen, one behind them is solid. */
static void test_walls(void) {
  tl_render_options options = small_options();
  talus_shape_def slab = sample_shape(TALUS_SHAPE_BOX);
  tl_picture picture[3];
  slab.half_edge[0] = 1.5;
  slab.half_edge[1] = 0.02;
  slab.half_edge[2] = 1;
  tl_camera camera;
  options.azimuth = -90; /* along y */
  options.elevation = 10;
  for (int k = 0; k < 3; k++) {
    sample_frame *sample = sample_frame_create(context, 300);
    const tl_frame *frame = &sample->frame;
    if (k == 0) {
      CHECK(tl_camera_fit(context, &frame, 1, &options, &camera) == TALUS_OK);
    } else {
      sample_frame_add(sample, TALUS_BODY_FIXED, 0.35, k == 1 ? -0.3 : 1.1, 0.5, &slab);
    }
    options.camera = &camera;
    CHECK(tl_render(context, frame, &options, &picture[k]) == TALUS_OK);
    sample_frame_destroy(sample);
  }
  const unsigned char *bare = pixel_at(&picture[0], 120, 90),
                      *veiled = pixel_at(&picture[1], 120, 90);
  for (int i = 0; i < 3; i++) {
    CHECK(abs(bare[i] - veiled[i]) < 60);
  }
  CHECK(is_white(pixel_at(&picture[0], 120, 4)));
  CHECK(!is_white(pixel_at(&picture[2], 120, 4)));
  for (int k = 0; k < 3; k++) {
    tl_picture_destroy(&picture[k]);
  }
}

/* The inner side of a vessel does not depend on where the grains are; that of other surfaces is the
 * one towards the grains. */
static void test_vessel(void) {
  enum { PIECES = 24 };
  double point[6 * PIECES];
  int32_t triangle[6 * PIECES];
  talus_shape_def def = talus_shape_def_default(TALUS_SHAPE_MESH);
  def.point = point;
  def.point_count = 2 * PIECES;
  def.triangle = triangle;
  def.triangle_count = 2 * PIECES;
  const tl_render_options options = small_options();
  for (int turned = 0; turned < 2; turned++) { /* inwards, outwards */
    for (int32_t k = 0; k < PIECES; k++) {
      const int32_t a = 2 * k, b = 2 * ((k + 1) % PIECES), last = turned ? 1 : 2;
      for (int end = 0; end < 2; end++) {
        double *const at = point + 3 * (2 * k + end);
        at[0] = (1 + end) * cos(6.283185307179586 * k / PIECES);
        at[1] = (1 + end) * sin(6.283185307179586 * k / PIECES);
        at[2] = 2 * end - 1;
      }
      const int32_t corner[6] = {a, a + 1, b, b, a + 1, b + 1};
      for (int i = 0; i < 6; i++) {
        const int place = i % 3 == 0 ? 0 : i % 3 == last ? 2 : 1;
        triangle[6 * k + i / 3 * 3 + place] = corner[i];
      }
    }
    sample_frame *sample = sample_frame_create(context, 40);
    const tl_frame *frame = &sample->frame;
    sample_frame_add(sample, TALUS_BODY_FIXED, 3, 4, 5, &def);
    tl_camera camera;
    tl_stage stage;
    CHECK(tl_camera_fit(context, &frame, 1, &options, &camera) == TALUS_OK);
    CHECK(tl_stage_build(context, frame, &camera, &stage) == TALUS_OK);
    const tl_stage_shape *const shape = &stage.shape[stage.shape_count - 1];
    for (int i = 0; i < 3; i++) {
      const double middle = (3 + i - stage.centre[i]) * stage.scale,
                   grains = 0.5 * (double)(stage.low[i] + stage.high[i]);
      CHECK_CASE(fabs(shape->inside[i] - (turned ? grains : middle)) < 1e-4, "%d %d: %g %g %g",
                 turned, i, (double)shape->inside[i], middle, grains);
    }
    tl_stage_release(&stage);
    sample_frame_destroy(sample);
  }
}

/* Without grains the walls that end somewhere are shown, beside a floor that does not. */
static void test_walls_alone(void) {
  const tl_render_options options = small_options();
  talus_shape_def slab = sample_shape(TALUS_SHAPE_BOX);
  tl_camera camera;
  tl_picture picture;
  slab.half_edge[0] = slab.half_edge[1] = slab.half_edge[2] = 0.5;
  sample_frame *sample = sample_frame_create(context, 0);
  const tl_frame *frame = &sample->frame;
  sample_frame_add(sample, TALUS_BODY_FIXED, 10, 20, 5, &slab);
  CHECK(tl_camera_fit(context, &frame, 1, &options, &camera) == TALUS_OK);
  CHECK(fabs(camera.target[0] - 10) + fabs(camera.target[1] - 20) + fabs(camera.target[2] - 5) < 1);
  CHECK(tl_render(context, frame, &options, &picture) == TALUS_OK);
  CHECK(!is_white(pixel_at(&picture, 120, 90)));
  tl_picture_destroy(&picture);
  sample_frame_destroy(sample);
}

static int is_blue(const unsigned char *p) {
  return p[2] > p[0] + 25 && p[2] > p[1];
}

/* A kinematic blade among the grains is solid, and not of the walls' grey. */
static void test_blade(void) {
  tl_render_options options = small_options();
  talus_shape_def blade = sample_shape(TALUS_SHAPE_BOX);
  tl_picture picture;
  tl_camera camera;
  sample_frame *sample = sample_frame_create(context, 300);
  const tl_frame *frame = &sample->frame;
  options.azimuth = -90; /* along y */
  options.elevation = 10;
  options.field = TL_FIELD_PLAIN; /* sand: no blue */
  blade.half_edge[0] = 0.25;
  blade.half_edge[1] = 0.01;
  blade.half_edge[2] = 0.35;
  sample_frame_add(sample, TALUS_BODY_KINEMATIC, 0.3, 0.2, 0.6, &blade);
  CHECK(tl_camera_fit(context, &frame, 1, &options, &camera) == TALUS_OK);
  options.camera = &camera;
  double u, v;
  const double at[3] = {0.3, 0.19, 0.85}; /* above the grains before it */
  project(&camera, at, &u, &v);
  CHECK(tl_render(context, frame, &options, &picture) == TALUS_OK);
  const unsigned char *p = pixel_at(&picture, 120 + 90 * u, 90 - 90 * v);
  CHECK_CASE(is_blue(p), "%d %d %d", p[0], p[1], p[2]);
  tl_picture_destroy(&picture);
  sample_frame_destroy(sample);
}

/* The end of a drum is a disk as wide as the drum, also where there are no grains. */
static void test_drum(void) {
  tl_render_options options = small_options();
  tl_picture picture;
  sample_frame *sample = sample_frame_create(context, 60);
  const tl_frame *frame = &sample->frame;
  tl_camera camera;
  options.azimuth = -90;
  options.elevation = 0;
  options.orthographic = 1;
  options.field = TL_FIELD_PLAIN;
  sample->frame.shape_count--; /* the floor would be seen behind it */
  for (int32_t s = 0; s < sample->frame.shape_count; s++) {
    sample->shape_body[s] = sample->shape_body[s + 1];
    sample->shape_geometry[s] = sample->shape_geometry[s + 1];
    sample->shape_pose[s] = sample->shape_pose[s + 1];
  }
  const double x = 0.2, z = 0.3, radius = 0.4;
  sample_frame_add_drum(sample, x, 0.2, z, radius, 0.6);
  CHECK(tl_camera_fit(context, &frame, 1, &options, &camera) == TALUS_OK);
  options.camera = &camera;
  CHECK(tl_render(context, frame, &options, &picture) == TALUS_OK);
  for (int k = 0; k < 24; k++) {
    const double angle = 6.283185307179586 * k / 24;
    for (int outside = 0; outside < 2; outside++) {
      const double away = radius * (outside ? 1.06 : 0.94);
      const double at[3] = {x + away * cos(angle), 0.5, z + away * sin(angle)};
      double u, v;
      project(&camera, at, &u, &v);
      const unsigned char *p = pixel_at(&picture, 120 + 90 * u, 90 - 90 * v);
      CHECK_CASE(is_white(p) == outside, "%d, %s: %d %d %d", k, outside ? "out" : "in", p[0], p[1],
                 p[2]);
    }
  }
  tl_picture_destroy(&picture);
  sample_frame_destroy(sample);
}

/* In a plane world a mesh is the line in which it meets the plane; the page beside the view stays
 * white. */
static void test_flat_drum(void) {
  tl_render_options options = small_options();
  tl_picture picture;
  sample_frame *sample = sample_frame_create(context, 5);
  const tl_frame *frame = &sample->frame;
  tl_camera camera;
  sample->frame.plane = 1;
  options.field = TL_FIELD_PLAIN;
  const double x = 0.1, z = 0.25, radius = 0.22;
  sample_frame_add_drum(sample, x, 0, z, radius, 0.1);
  CHECK(tl_camera_fit(context, &frame, 1, &options, &camera) == TALUS_OK);
  options.camera = &camera;
  CHECK(tl_render(context, frame, &options, &picture) == TALUS_OK);
  for (int k = 0; k < 48; k++) {
    const double angle = 6.283185307179586 * (k + 0.5) / 48;
    for (int ring = -1; ring <= 1; ring++) { /* within, on and outside the drum */
      const double away = radius * (1 + 0.12 * ring) + (ring == 0 ? 0.003 : 0.0);
      const double at[3] = {x + away * cos(angle), 0, z + away * sin(angle)};
      double u, v;
      project(&camera, at, &u, &v);
      const unsigned char *p = pixel_at(&picture, 120 + 90 * u, 90 - 90 * v);
      if (at[2] > 0.2) { /* above the floor and the disks */
        CHECK_CASE(is_white(p) == (ring != 0), "%d %d: %d %d %d", k, ring, p[0], p[1], p[2]);
      }
    }
  }
  tl_picture_destroy(&picture);
  sample_frame_destroy(sample);
}

/* The title of the bar is all there, however wide the numbers, however small the picture. */
static void test_bar(const tl_frame *frame) {
  static const int32_t size[][2] = {{640, 480}, {240, 180}, {160, 480}};
  static const double range[][2] = {{0, 1}, {-1e6, 1}, {-1.5e-7, -1.2e-7}, {0, 123456}};
  for (int k = 0; k < 12; k++) {
    tl_render_options options = small_options();
    tl_picture with, without;
    options.width = size[k / 4][0];
    options.height = size[k / 4][1];
    options.samples = 1;
    options.bar = 1;
    options.field = TL_FIELD_VELOCITY_X;
    options.low = range[k % 4][0];
    options.high = range[k % 4][1];
    options.label = "some label [m/s]";
    CHECK(tl_render(context, frame, &options, &with) == TALUS_OK);
    options.label = "     ";
    CHECK(tl_render(context, frame, &options, &without) == TALUS_OK);
    int32_t left = with.width, right = -1, ink = 0;
    for (int32_t i = 0; i < with.width * with.height; i++) {
      if (memcmp(with.pixel + 3 * i, without.pixel + 3 * i, 3) != 0) {
        left = i % with.width < left ? i % with.width : left;
        right = i % with.width > right ? i % with.width : right;
        ink++;
      }
    }
    CHECK_CASE(ink > 40 && left < right && right < with.width - 1, "%d: %d .. %d of %d", k, left,
               right, with.width);
    tl_picture_destroy(&with);
    tl_picture_destroy(&without);
  }
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void test_refusals(sample_frame *sample) {
  tl_render_options options = small_options();
  tl_picture picture;
  const tl_frame *frame = &sample->frame;
  options.width = 0;
  CHECK(tl_render(context, frame, &options, &picture) == TALUS_BAD_SETTING && says("width"));
  CHECK(picture.pixel == NULL);
  options = small_options();
  options.samples = 9;
  CHECK(tl_render(context, frame, &options, &picture) == TALUS_BAD_SETTING && says("samples"));
  options = small_options();
  options.field = TL_FIELD_VALUE; /* without a label, nobody has given values */
  CHECK(tl_render(context, frame, &options, &picture) == TALUS_BAD_SETTING && says("field"));
  options = small_options();
  options.elevation = 91;
  CHECK(tl_render(context, frame, &options, &picture) == TALUS_BAD_SETTING && says("elevation"));
  options = small_options();
  sample->shape_body[2] = 100000;
  CHECK(tl_render(context, frame, &options, &picture) == TALUS_INDEX_RANGE &&
        says("shape_body[2]"));
  sample->shape_body[2] = 2;
#if TL_HAVE_PNG
  CHECK(tl_render_file(context, frame, &options, "no/such/x.png") == TALUS_FILE_WRITE);
  CHECK(says("no/such/x.png"));
  CHECK(tl_render_file(context, frame, &options, "frame.png") == TALUS_OK);
  CHECK(file_exists("frame.png"));
#endif
  /* nothing to see is a white page */
  tl_frame none;
  memset(&none, 0, sizeof none);
  CHECK(tl_render(context, &none, &options, &picture) == TALUS_OK);
  CHECK(is_white(pixel_at(&picture, 120, 90)));
  tl_picture_destroy(&picture);
}

int main(void) {
  CHECK(talus_context_create(NULL, &context) == TALUS_OK);
  const int64_t before = context->bytes;
  sample_frame *spheres = sample_frame_create(context, 500);
  sample_frame *others = sample_frame_create(context, 200);
  sample_frame_add_others(others);
  test_threads(&spheres->frame);
  test_threads(&others->frame);
  test_units();
  test_camera(spheres);
  test_single();
  test_colour_map();
  test_range(spheres);
  test_fields(&others->frame);
  test_flat();
  test_walls();
  test_vessel();
  test_walls_alone();
  test_blade();
  test_drum();
  test_flat_drum();
  if (tl_text_missing() == NULL) {
    test_bar(&spheres->frame);
  }
  test_refusals(spheres);
  sample_frame_destroy(spheres);
  sample_frame_destroy(others);
  CHECK(context->bytes == before);
  talus_context_destroy(context);
  return check_end();
}
