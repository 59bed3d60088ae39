/* render_flat.c: plane worlds: disks and polygons in the x-z plane, seen along y; see render.h.
 *
 * Each pixel asks what covers its samples: for disks the distance from the centre, for other shapes
 * a ray along y. Outlines are drawn inside the shapes, and a line from the centre of each disk
 * shows how it has turned. */
#include <string.h>

#include "host/io/image_colour.h"
#include "host/io/render_stage.h"

typedef struct flat {
  const tl_stage *stage;
  const tl_colour *colour;
  double middle;
  int32_t samples;
  float pixel; /* width of one, in the picture's units */
} flat;

static const tl_colour solid = {0.77, 0.79, 0.82}, solid_edge = {0.50, 0.53, 0.58};

/* Darker at the rim and along the mark, in pixels that keep their width at every size. */
static tl_colour disk_colour(const flat *f, const tl_hit *hit) {
  const tl_stage *stage = f->stage;
  const tl_frame *frame = stage->frame;
  const float *sphere = stage->sphere + 4 * (size_t)hit->index;
  const int32_t body = stage->sphere_body[hit->index];
  const double *q = frame->orientation + 4 * (size_t)body;
  const float x = hit->point[0] - sphere[0], z = hit->point[2] - sphere[2];
  const float radius = sphere[3], away = sqrtf(x * x + z * z);
  const tl_colour colour = f->colour[body];
  const tl_colour dark = {0.36 * colour.red, 0.36 * colour.green, 0.38 * colour.blue};
  const float line = fmaxf(1.1f * f->pixel, fminf(0.09f * radius, 2.4f * f->pixel));
  if (away > radius - line) {
    return dark;
  }
  /* the body's z, turned about y: the second column that matters of its rotation */
  const float mark_x = (float)(2.0 * (q[1] * q[3] + q[0] * q[2]));
  const float mark_z = (float)(1.0 - 2.0 * (q[1] * q[1] + q[2] * q[2]));
  const float along = x * mark_x + z * mark_z, aside = fabsf(x * mark_z - z * mark_x);
  if (radius > 5.0f * f->pixel && along > 0.0f && aside < 0.45f * line) {
    return tl_colour_mix(colour, dark, 0.75);
  }
  return colour;
}

/* Inside a half-space: grey, with a dark line at its face. */
static int inside_plane(const flat *f, const float point[3], tl_colour *colour) {
  int inside = 0;
  for (int32_t k = 0; k < f->stage->plane_count; k++) {
    const tl_stage_plane *plane = &f->stage->plane[k];
    const float height = tl_dotf(plane->normal, point) - plane->offset;
    if (height < 0.0f) {
      *colour = height > -1.6f * f->pixel && !inside ? solid_edge : solid;
      inside = 1;
    }
  }
  return inside;
}

/* Whether the same shape still lies a line's width away on all sides. */
static int is_inner(const flat *f, const tl_ray *ray, int32_t shape) {
  const float line = 1.5f * f->pixel;
  for (int k = 0; k < 4; k++) {
    tl_ray beside = *ray;
    beside.origin[0] += k == 0 ? line : k == 1 ? -line : 0.0f;
    beside.origin[2] += k == 2 ? line : k == 3 ? -line : 0.0f;
    const tl_hit hit = tl_stage_hit(f->stage, &beside);
    if (hit.kind != TL_HIT_SHAPE || hit.index != shape) {
      return 0;
    }
  }
  return 1;
}

static tl_colour sample_colour(const flat *f, double u, double v) {
  const tl_stage *stage = f->stage;
  const tl_ray ray = tl_stage_ray(stage, (float)u, (float)v);
  const tl_hit hit = tl_stage_hit(stage, &ray);
  tl_colour colour = {1.0, 1.0, 1.0};
  if (hit.kind == TL_HIT_SPHERE) {
    return disk_colour(f, &hit);
  }
  if (hit.kind == TL_HIT_SHAPE) {
    const tl_stage_shape *shape = &stage->shape[hit.index];
    const tl_colour body = shape->wall ? solid : f->colour[shape->body];
    const tl_colour dark = {0.36 * body.red, 0.36 * body.green, 0.38 * body.blue};
    return is_inner(f, &ray, hit.index) ? body : shape->wall ? solid_edge : dark;
  }
  inside_plane(f, ray.origin, &colour);
  return colour;
}

static void draw_row(const flat *f, int32_t y, tl_picture *picture) {
  const int32_t n = f->samples;
  const double half = 0.5 * picture->height;
  /* the page stays white beside the view, where the bar is */
  const double end = fmin(picture->width, 2.0 * f->middle < picture->width - 1.0
                                              ? 2.0 * f->middle - 0.02 * picture->height
                                              : picture->width);
  for (int32_t x = 0; x < end; x++) {
    double sum[3] = {0.0, 0.0, 0.0};
    for (int32_t k = 0; k < n * n; k++) {
      const double u = (x + (k % n + 0.5) / n - f->middle) / half;
      const double v = (half - y - (k / n + 0.5) / n) / half;
      const tl_colour one = sample_colour(f, u, v);
      sum[0] += one.red;
      sum[1] += one.green;
      sum[2] += one.blue;
    }
    unsigned char *pixel = picture->pixel + 3 * ((size_t)y * (size_t)picture->width + (size_t)x);
    for (int i = 0; i < 3; i++) {
      pixel[i] = (unsigned char)(255.0 * sum[i] / (n * n) + 0.5);
    }
  }
}

/* Walls are looked at, not through. */
static void make_opaque(tl_stage *stage) {
  for (int32_t k = 0; k < stage->shape_count; k++) {
    stage->shape[k].clear = 0;
  }
}

talus_status tl_render_flat(talus_context *context, const tl_frame *frame, const tl_camera *camera,
                            const tl_colour *colour, int32_t samples, double middle_x,
                            tl_picture *picture) {
  tl_stage stage;
  const talus_status status = tl_stage_build(context, frame, camera, &stage);
  if (status == TALUS_OK) {
    make_opaque(&stage);
    const flat f = {&stage, colour, middle_x, samples,
                    2.0f * stage.spread / (float)picture->height};
#pragma omp parallel for schedule(dynamic, 8) num_threads(context->threads)
    for (int32_t y = 0; y < picture->height; y++) {
      draw_row(&f, y, picture);
    }
  }
  tl_stage_release(&stage);
  return status;
}
