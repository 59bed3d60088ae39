/* render_raster.c: rays through pixels, smooth edges; see render.h.
 *
 * One ray per pixel first. Pixels whose neighbours show something else are then done again with
 * samples^2 rays. What shapes other than spheres hide of sun and sky is noisy at first and is
 * averaged over neighbouring pixels that show the same face. */
#include <string.h>

#include "host/base/each.h"
#include "host/view/image_colour.h"
#include "host/view/render_stage.h"
#include "host/view/render_view.h"

enum { CODES = 4096, SHAPE_RAYS = 4 };

typedef struct raster {
  const tl_stage *stage;
  int32_t width, height, samples;
  double middle; /* pixel column that the camera looks at */
  tl_hit *hit;
  float *cast_sun, *cast_sky; /* what shapes leave free, with noise; NULL: there are none */
  float *sun, *sky;           /* what is left free by all */
  float *colour;              /* [3] per pixel, proportional to light */
  unsigned char code[CODES];  /* light to sRGB */
  unsigned char *pixel;       /* the picture's */
} raster;

static tl_ray pixel_ray(const raster *r, double x, double y) {
  const double half = 0.5 * r->height;
  return tl_stage_ray(r->stage, (float)((x - r->middle) / half), (float)((half - y) / half));
}

/* ---- passes over rows ------------------------------------------------------------------------ */

static void cast_row(raster *r, int32_t y) {
  for (int32_t x = 0; x < r->width; x++) {
    const size_t at = (size_t)y * (size_t)r->width + (size_t)x;
    const tl_ray ray = pixel_ray(r, x + 0.5, y + 0.5);
    r->hit[at] = tl_stage_hit(r->stage, &ray);
    if (r->cast_sun != NULL && r->hit[at].kind != TL_HIT_NOTHING) {
      const uint32_t seed = (uint32_t)(((y & 7) << 3) | (x & 7)) * 27u;
      tl_stage_shade_by_shapes(r->stage, &r->hit[at], seed, SHAPE_RAYS, &r->cast_sun[at],
                               &r->cast_sky[at]);
    }
  }
}

/* Shows the same face, more or less. */
static bool is_like(const tl_hit *a, const tl_hit *b) {
  if (a->kind != b->kind || (a->kind != TL_HIT_SHAPE && a->index != b->index)) {
    return false;
  }
  const float apart[3] = {a->point[0] - b->point[0], a->point[1] - b->point[1],
                          a->point[2] - b->point[2]};
  return tl_dotf(a->normal, b->normal) > 0.93f &&
         fabsf(tl_dotf(apart, a->normal)) < 0.006f * a->distance;
}

static void even_pixel(raster *r, int32_t x, int32_t y) {
  const size_t at = (size_t)y * (size_t)r->width + (size_t)x;
  float sun = 0.0f, sky = 0.0f, weight = 0.0f;
  for (int32_t j = y - 3; j <= y + 4; j++) {
    for (int32_t i = x - 3; i <= x + 4; i++) {
      if (i < 0 || j < 0 || i >= r->width || j >= r->height) {
        continue;
      }
      const size_t other = (size_t)j * (size_t)r->width + (size_t)i;
      if (is_like(&r->hit[at], &r->hit[other])) {
        sun += r->cast_sun[other];
        sky += r->cast_sky[other];
        weight += 1.0f;
      }
    }
  }
  r->sun[at] = sun / weight; /* a pixel is like itself */
  r->sky[at] = sky / weight;
}

static void even_row(raster *r, int32_t y) {
  for (int32_t x = 0; x < r->width; x++) {
    const size_t at = (size_t)y * (size_t)r->width + (size_t)x;
    if (r->hit[at].kind == TL_HIT_NOTHING) {
      r->sun[at] = r->sky[at] = 1.0f;
    } else {
      even_pixel(r, x, y);
    }
  }
}

/* What spheres hide needs no averaging: it comes last. */
static void colour_row(raster *r, int32_t y) {
  for (int32_t x = 0; x < r->width; x++) {
    const size_t at = (size_t)y * (size_t)r->width + (size_t)x;
    const tl_ray ray = pixel_ray(r, x + 0.5, y + 0.5);
    if (r->cast_sun == NULL) {
      r->sun[at] = r->sky[at] = 1.0f;
    }
    tl_stage_light(r->stage, &r->hit[at], &r->sun[at], &r->sky[at]);
    tl_stage_colour(r->stage, &ray, &r->hit[at], r->sun[at], r->sky[at], r->colour + 3 * at);
  }
}

/* ---- edges ----------------------------------------------------------------------------------- */

static bool differs(const raster *r, size_t a, size_t b) {
  const float *x = r->colour + 3 * a, *y = r->colour + 3 * b;
  if (r->hit[a].kind != r->hit[b].kind || r->hit[a].index != r->hit[b].index) {
    /* unless both are the page */
    return !(x[0] > 0.99f && y[0] > 0.99f && x[2] > 0.99f && y[2] > 0.99f);
  }
  return fabsf(x[0] - y[0]) + fabsf(x[1] - y[1]) + fabsf(x[2] - y[2]) > 0.12f;
}

static bool is_edge(const raster *r, int32_t x, int32_t y) {
  const size_t at = (size_t)y * (size_t)r->width + (size_t)x, row = (size_t)r->width;
  return (x > 0 && differs(r, at, at - 1)) || (x + 1 < r->width && differs(r, at, at + 1)) ||
         (y > 0 && differs(r, at, at - row)) || (y + 1 < r->height && differs(r, at, at + row));
}

/* Sun and sky at a new hit: as at the pixel around it that shows most nearly the same. */
static void borrow(const raster *r, const tl_hit *hit, int32_t x, int32_t y, uint32_t seed,
                   float *sun, float *sky) {
  float best = 0.75f;
  *sun = *sky = 1.0f;
  if (hit->kind == TL_HIT_NOTHING) {
    return;
  }
  for (int32_t j = y > 0 ? y - 1 : 0; j <= y + 1 && j < r->height; j++) {
    for (int32_t i = x > 0 ? x - 1 : 0; i <= x + 1 && i < r->width; i++) {
      const size_t at = (size_t)j * (size_t)r->width + (size_t)i;
      const tl_hit *other = &r->hit[at];
      if (other->kind == hit->kind && other->index == hit->index &&
          tl_dotf(other->normal, hit->normal) > best) {
        best = tl_dotf(other->normal, hit->normal);
        *sun = r->sun[at];
        *sky = r->sky[at];
      }
    }
  }
  if (best > 0.75f) {
    return;
  }
  if (r->cast_sun != NULL) {
    tl_stage_shade_by_shapes(r->stage, hit, seed, 4 * SHAPE_RAYS, sun, sky);
  }
  tl_stage_light(r->stage, hit, sun, sky);
}

static void smooth_pixel(const raster *r, int32_t x, int32_t y, float colour[3]) {
  const int32_t n = r->samples;
  float sum[3] = {0.0f, 0.0f, 0.0f};
  for (int32_t k = 0; k < n * n; k++) {
    float one[3], sun, sky;
    const tl_ray ray = pixel_ray(r, x + (k % n + 0.5) / n, y + (k / n + 0.5) / n);
    const tl_hit hit = tl_stage_hit(r->stage, &ray);
    borrow(r, &hit, x, y, (uint32_t)k, &sun, &sky);
    tl_stage_colour(r->stage, &ray, &hit, sun, sky, one);
    for (int i = 0; i < 3; i++) {
      sum[i] += one[i] < 1.0f ? one[i] : 1.0f; /* as the screen cuts it, or edges would fray */
    }
  }
  for (int i = 0; i < 3; i++) {
    colour[i] = sum[i] / (float)(n * n);
  }
}

static void finish_row(raster *r, int32_t y) {
  for (int32_t x = 0; x < r->width; x++) {
    const size_t at = (size_t)y * (size_t)r->width + (size_t)x;
    float colour[3];
    if (r->samples > 1 && is_edge(r, x, y)) {
      smooth_pixel(r, x, y, colour);
    } else {
      memcpy(colour, r->colour + 3 * at, sizeof colour);
    }
    for (int i = 0; i < 3; i++) {
      const float light = colour[i] < 0.0f ? 0.0f : colour[i] > 1.0f ? 1.0f : colour[i];
      r->pixel[3 * at + (size_t)i] = r->code[(int)(light * (CODES - 1) + 0.5f)];
    }
  }
}

/* ---- all of it ------------------------------------------------------------------------------- */

typedef struct pass {
  raster *raster;
  void (*row)(raster *r, int32_t y);
} pass;

static void rows_run(void *arguments, int64_t first, int64_t end) {
  const pass *const p = arguments;
  for (int64_t y = first; y < end; y++) {
    p->row(p->raster, (int32_t)y);
  }
}

static void draw(raster *r, tl_picture *picture) {
  const int32_t threads = tl_context_threads(picture->context);
  void (*const row[])(raster *, int32_t) = {cast_row, r->cast_sun != NULL ? even_row : NULL,
                                            colour_row, finish_row};
  for (int k = 0; k < CODES; k++) {
    r->code[k] = (unsigned char)(255.0 * tl_colour_encoded(k / (CODES - 1.0)) + 0.5);
  }
  r->pixel = picture->pixel;
  for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
    pass p = {r, row[k]};
    if (p.row != NULL) {
      tl_each(picture->context, threads, r->height, rows_run, &p);
    }
  }
}

static talus_status take(talus_context *context, size_t count, size_t size, void **memory) {
  return tl_alloc(context, memory, count, size, "picture");
}

static talus_status allocate(raster *r, talus_context *context) {
  const size_t count = (size_t)r->width * (size_t)r->height;
  TL_TRY(take(context, count, sizeof(tl_hit), (void **)&r->hit));
  TL_TRY(take(context, count, 3 * sizeof(float), (void **)&r->colour));
  TL_TRY(take(context, count, sizeof(float), (void **)&r->sun));
  TL_TRY(take(context, count, sizeof(float), (void **)&r->sky));
  if (r->stage->casting) {
    TL_TRY(take(context, count, sizeof(float), (void **)&r->cast_sky));
    TL_TRY(take(context, count, sizeof(float), (void **)&r->cast_sun));
  }
  return TALUS_OK;
}

static void release(raster *r, talus_context *context) {
  tl_free(context, r->hit);
  tl_free(context, r->colour);
  tl_free(context, r->sun);
  tl_free(context, r->sky);
  tl_free(context, r->cast_sun);
  tl_free(context, r->cast_sky);
}

static talus_status stage_colours(tl_stage *stage, const tl_colour *colour) {
  void *memory;
  const size_t count = (size_t)stage->frame->body_count;
  TL_TRY(take(stage->context, count, 3 * sizeof(float), &memory));
  stage->colour = memory;
  for (size_t k = 0; k < count; k++) {
    stage->colour[3 * k] = (float)tl_colour_linear(colour[k].red);
    stage->colour[3 * k + 1] = (float)tl_colour_linear(colour[k].green);
    stage->colour[3 * k + 2] = (float)tl_colour_linear(colour[k].blue);
  }
  return TALUS_OK;
}

talus_status tl_render_solid(talus_context *context, const tl_frame *frame, const tl_camera *camera,
                             const tl_render_options *options, const tl_colour *colour,
                             tl_picture *picture) {
  tl_stage stage;
  raster r;
  memset(&r, 0, sizeof r);
  talus_status status = tl_stage_build(context, frame, camera, &stage);
  stage.checker = options->checker;
  r.stage = &stage;
  r.width = options->width;
  r.height = options->height;
  r.samples = options->samples;
  r.middle = 0.5 * tl_view_width(options);
  if (status == TALUS_OK) {
    status = stage_colours(&stage, colour);
  }
  if (status == TALUS_OK) {
    status = allocate(&r, context);
  }
  if (status == TALUS_OK) {
    draw(&r, picture);
  }
  release(&r, context);
  tl_stage_release(&stage);
  return status;
}
