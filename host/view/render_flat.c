/* render_flat.c: plane worlds: disks and polygons in the x-z plane, seen along y; see render.h.
 *
 * Each pixel asks what covers its samples: for disks the distance from the centre, for other shapes
 * a ray along y. Outlines are drawn inside the shapes, and a line from the centre of each disk
 * shows how it has turned. Meshes stand edge on: their triangles' sections with the plane of the
 * world are drawn as lines. */
#include <string.h>

#include "host/base/each.h"
#include "host/collide/mesh.h"
#include "host/view/image_colour.h"
#include "host/view/render_stage.h"

typedef struct flat {
  const tl_stage *stage;
  const tl_colour *colour;
  double middle;
  int32_t samples;
  float pixel; /* width of one, in the picture's units */
  tl_picture *picture;
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
static bool inside_plane(const flat *f, const float point[3], tl_colour *colour) {
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
static bool is_inner(const flat *f, const tl_ray *ray, int32_t shape) {
  const float line = 1.5f * f->pixel;
  for (int k = 0; k < 4; k++) {
    tl_ray beside = *ray;
    beside.origin[0] += k == 0 ? line : k == 1 ? -line : 0.0f;
    beside.origin[2] += k == 2 ? line : k == 3 ? -line : 0.0f;
    const tl_hit hit = tl_stage_hit(f->stage, &beside);
    if (hit.kind != TL_HIT_SHAPE || hit.index != shape) {
      return false;
    }
  }
  return true;
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
    const tl_colour body = shape->wall && !shape->moves ? solid : f->colour[shape->body];
    const tl_colour dark = {0.36 * body.red, 0.36 * body.green, 0.38 * body.blue};
    return is_inner(f, &ray, hit.index) ? body : shape->wall && !shape->moves ? solid_edge : dark;
  }
  inside_plane(f, ray.origin, &colour);
  return colour;
}

/* The page stays white beside the view, where the bar is. */
static double view_end(const flat *f, const tl_picture *picture) {
  return 2.0 * f->middle < picture->width - 1.0 ? 2.0 * f->middle - 0.02 * picture->height
                                                : picture->width;
}

static void draw_row(const flat *f, int32_t y) {
  tl_picture *const picture = f->picture;
  const int32_t n = f->samples;
  const double half = 0.5 * picture->height;
  const double end = fmin(picture->width, view_end(f, picture));
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

static void draw_rows(void *arguments, int64_t first, int64_t end) {
  for (int64_t y = first; y < end; y++) {
    draw_row(arguments, (int32_t)y);
  }
}

/* ---- meshes ---------------------------------------------------------------------------------- */

/* Where the plane y = 0 cuts a triangle: two points, x and z; 0 if it does not. */
static bool section(double corner[3][3], double cut[2][2]) {
  int found = 0;
  for (int i = 0; i < 3 && found < 2; i++) {
    const double *a = corner[i], *b = corner[(i + 1) % 3];
    if ((a[1] < 0.0) != (b[1] < 0.0)) {
      const double share = a[1] / (a[1] - b[1]);
      cut[found][0] = a[0] + share * (b[0] - a[0]);
      cut[found++][1] = a[2] + share * (b[2] - a[2]);
    }
  }
  return found == 2;
}

/* A line in the picture, moved by half its width to the side where no grains are: triangles may be
 * turned either way. */
static void draw_section(const flat *f, double cut[2][2], const double normal[3], tl_colour colour,
                         tl_picture *picture) {
  const tl_stage *stage = f->stage;
  const double half = 0.5 * picture->height, size = hypot(normal[0], normal[2]);
  const double thickness = fmax(2.0, 0.006 * picture->height);
  const double inward = normal[0] * (0.5 * (double)(stage->low[0] + stage->high[0]) / stage->scale +
                                     stage->centre[0] - cut[0][0]) +
                        normal[2] * (0.5 * (double)(stage->low[2] + stage->high[2]) / stage->scale +
                                     stage->centre[2] - cut[0][1]);
  const double shift = size > 0.0 ? (inward < 0.0 ? -0.5 : 0.5) * thickness / size : 0.0;
  double pixel[2][2];
  for (int k = 0; k < 2; k++) {
    const double at[3] = {cut[k][0], 0.0, cut[k][1]};
    double u = 0.0, v = 0.0;
    for (int i = 0; i < 3; i++) {
      const double way = (at[i] - stage->centre[i]) * stage->scale - (double)stage->eye[i];
      u += way * (double)stage->right[i];
      v += way * (double)stage->up[i];
    }
    pixel[k][0] = f->middle + half * u / (double)stage->spread - shift * normal[0];
    pixel[k][1] = half - half * v / (double)stage->spread + shift * normal[2];
  }
  tl_picture_line(picture, pixel[0][0], pixel[0][1], pixel[1][0], pixel[1][1], thickness, colour);
}

static void draw_mesh(const flat *f, const tl_stage_shape *shape, tl_picture *picture) {
  const tl_mesh *mesh = shape->geometry->mesh;
  const double *r = shape->pose.rotation, *p = shape->pose.position;
  const tl_colour body = shape->moves ? f->colour[shape->body] : solid_edge;
  for (int32_t t = 0; t < mesh->triangle_count; t++) {
    const double *n = mesh->normal + 3 * (size_t)t;
    double corner[3][3], normal[3], cut[2][2];
    for (int i = 0; i < 3; i++) {
      normal[i] = r[3 * i] * n[0] + r[3 * i + 1] * n[1] + r[3 * i + 2] * n[2];
      for (int k = 0; k < 3; k++) {
        const double *at = mesh->point + 3 * (size_t)mesh->triangle[3 * (size_t)t + (size_t)k];
        corner[k][i] = p[i] + r[3 * i] * at[0] + r[3 * i + 1] * at[1] + r[3 * i + 2] * at[2];
      }
    }
    if (section(corner, cut)) {
      draw_section(f, cut, normal, body, picture);
    }
  }
}

static void draw_meshes(const flat *f, tl_picture *picture) {
  const int32_t kept = picture->clip[2];
  picture->clip[2] = (int32_t)fmin(kept, view_end(f, picture));
  for (int32_t k = 0; k < f->stage->shape_count; k++) {
    if (f->stage->shape[k].geometry->kind == TALUS_SHAPE_MESH) {
      draw_mesh(f, &f->stage->shape[k], picture);
    }
  }
  picture->clip[2] = kept;
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
    flat f = {&stage, colour, middle_x, samples, 2.0f * stage.spread / (float)picture->height,
              picture};
    tl_each(context, tl_context_threads(context), picture->height, draw_rows, &f);
    draw_meshes(&f, picture);
  }
  tl_stage_release(&stage);
  return status;
}
