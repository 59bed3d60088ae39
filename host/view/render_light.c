/* render_light.c: how much of the sun and of the sky reaches a point; see render_stage.h.
 *
 * Spheres are summed up without noise: each hides a part of the sun's disk, or of the sky, that is
 * a simple function of its place. Other shapes are asked by a few rays, spread by a pattern that
 * repeats every eight pixels and is averaged over as many afterwards (render.c). */
#include <string.h>

#include "host/view/render_stage.h"

#define SUN 0.06f /* tangent of the sun's half angle: soft shadows */
#define SKY_DEPTH \
  0.22f /* how far shapes that are no spheres dim the sky, in the picture's units                  \
         */

/* ---- spheres --------------------------------------------------------------------------------- */

/* Share of the sun that a sphere hides, 0 .. 1: the sun is a disk of radius SUN * along there. */
static inline float hidden_sun(const float *sphere, const float point[3], const float light[3]) {
  const float way[3] = {sphere[0] - point[0], sphere[1] - point[1], sphere[2] - point[2]};
  const float along = tl_dotf(way, light);
  if (along <= 0.0f) {
    return 0.0f;
  }
  const float square = tl_dotf(way, way) - along * along;
  const float blur = SUN * along, edge = sphere[3] + blur;
  if (square >= edge * edge) {
    return 0.0f;
  }
  const float share = (edge - sqrtf(square > 0.0f ? square : 0.0f)) / (2.0f * blur);
  if (share >= 1.0f) {
    return sphere[3] > blur ? 1.0f : sphere[3] * sphere[3] / (blur * blur);
  }
  const float most = sphere[3] > blur ? 1.0f : sphere[3] * sphere[3] / (blur * blur);
  return most * share * share * (3.0f - 2.0f * share);
}

/* Whether the cone of rays towards the sun meets a box. */
static bool cone_meets(const tl_ray *ray, const tl_tree_node *node) {
  float low[3], high[3], reach = 0.0f;
  for (int i = 0; i < 3; i++) {
    const float a = node->low[i] - ray->origin[i], b = node->high[i] - ray->origin[i];
    reach += a * a > b * b ? a * a : b * b;
  }
  const float blur = SUN * sqrtf(reach);
  for (int i = 0; i < 3; i++) {
    low[i] = node->low[i] - blur;
    high[i] = node->high[i] + blur;
  }
  return tl_ray_box(ray, low, high, 1e30f) < 1e30f;
}

float tl_stage_sun(const tl_stage *stage, const float point[3], int32_t sphere) {
  const tl_ray ray = tl_ray_make(point, stage->light);
  const tl_tree_node *node = stage->sphere_tree.node;
  int32_t stack[TL_TREE_STACK];
  int depth = 0;
  float free = 1.0f;
  if (stage->sphere_count > 0) {
    stack[depth++] = 0;
  }
  while (depth > 0 && free > 0.01f) {
    const int32_t at = stack[--depth];
    if (!cone_meets(&ray, &node[at])) {
      continue;
    }
    if (node[at].count == 0) {
      stack[depth++] = node[at].link;
      stack[depth++] = at + 1;
    }
    for (int32_t k = node[at].link; k < node[at].link + node[at].count; k++) {
      if (k != sphere) {
        free *= 1.0f - hidden_sun(stage->sphere + 4 * (size_t)k, point, stage->light);
      }
    }
  }
  return free > 0.01f ? free : 0.0f;
}

/* Share of the sky that a sphere hides, weighted by the cosine to the normal: nearly
 * (1 + h cos) / 2 h^2 to the power 3/2, h the distance in radii, faded out at TL_SKY_REACH. */
static inline float hidden_sky(const float *sphere, const float point[3], const float normal[3]) {
  const float way[3] = {sphere[0] - point[0], sphere[1] - point[1], sphere[2] - point[2]};
  const float square = tl_dotf(way, way), radius = sphere[3];
  const float end = TL_SKY_REACH * radius;
  if (square >= end * end) {
    return 0.0f;
  }
  const float height = tl_dotf(way, normal); /* of the centre over the horizon */
  const float risen = (height / radius + 1.0f) * 0.5f * radius * radius / square;
  if (risen <= 0.0f) {
    return 0.0f;
  }
  const float share = risen < 1.0f ? risen * sqrtf(risen) : 1.0f;
  return share * (1.0f - square / (end * end));
}

float tl_stage_sky(const tl_stage *stage, const float point[3], const float normal[3],
                   int32_t sphere) {
  const tl_tree_node *node = stage->sphere_tree.node;
  const tl_tree_box *box = stage->sphere_sky;
  int32_t stack[TL_TREE_STACK];
  int depth = 0;
  float free = 1.0f;
  if (stage->sphere_count > 0) {
    stack[depth++] = 0;
  }
  while (depth > 0) {
    const int32_t at = stack[--depth];
    const tl_tree_box *b = &box[at];
    if (point[0] < b->low[0] || point[0] > b->high[0] || point[1] < b->low[1] ||
        point[1] > b->high[1] || point[2] < b->low[2] || point[2] > b->high[2]) {
      continue;
    }
    if (node[at].count == 0) {
      stack[depth++] = node[at].link;
      stack[depth++] = at + 1;
    }
    for (int32_t k = node[at].link; k < node[at].link + node[at].count; k++) {
      if (k != sphere) {
        free *= 1.0f - hidden_sky(stage->sphere + 4 * (size_t)k, point, normal);
      }
    }
  }
  return free;
}

/* ---- other shapes ---------------------------------------------------------------------------- */

static bool shape_hides(const tl_stage *stage, const tl_stage_shape *shape, const tl_ray *ray,
                        float far) {
  const double *r = shape->pose.rotation;
  double from[3], origin[3], direction[3], normal[3];
  for (int i = 0; i < 3; i++) {
    from[i] = (double)ray->origin[i] / stage->scale + stage->centre[i] - shape->pose.position[i];
  }
  for (int i = 0; i < 3; i++) {
    origin[i] = r[i] * from[0] + r[3 + i] * from[1] + r[6 + i] * from[2];
    direction[i] = r[i] * (double)ray->direction[0] + r[3 + i] * (double)ray->direction[1] +
                   r[6 + i] * (double)ray->direction[2];
  }
  return tl_geometry_ray(shape->geometry, origin, direction, normal) * stage->scale < far;
}

static bool is_hidden(const tl_stage *stage, const tl_ray *ray, float far) {
  const tl_tree_node *node = stage->shape_tree.node;
  int32_t stack[TL_TREE_STACK];
  int depth = 0;
  stack[depth++] = 0;
  while (depth > 0) {
    const int32_t at = stack[--depth];
    if (tl_ray_box(ray, node[at].low, node[at].high, far) > far) {
      continue;
    }
    if (node[at].count == 0) {
      stack[depth++] = node[at].link;
      stack[depth++] = at + 1;
    }
    for (int32_t k = 0; k < node[at].count; k++) {
      const tl_stage_shape *shape = &stage->shape[stage->shape_tree.order[node[at].link + k]];
      if (shape->casts && shape_hides(stage, shape, ray, far)) {
        return true;
      }
    }
  }
  return false;
}

/* Two directions square to a unit vector and to each other. */
static void span(const float normal[3], float a[3], float b[3]) {
  const float other[3] = {fabsf(normal[0]) < 0.7f ? 1.0f : 0.0f,
                          fabsf(normal[0]) < 0.7f ? 0.0f : 1.0f, 0.0f};
  tl_crossf(normal, other, a);
  tl_unitf(a);
  tl_crossf(normal, a, b);
}

/* Point k of 64 count on a disk, a sunflower; the pixels of an 8 x 8 block take turns. */
static void disk(uint32_t seed, int32_t k, int32_t count, float *x, float *y) {
  const float number = (float)((uint32_t)k * 64u + (seed & 63u)) + 0.5f;
  const float radius = sqrtf(number / (64.0f * (float)count));
  const float angle = 2.3999632f * number;
  *x = radius * cosf(angle);
  *y = radius * sinf(angle);
}

void tl_stage_shade_by_shapes(const tl_stage *stage, const tl_hit *hit, uint32_t seed,
                              int32_t count, float *sun, float *sky) {
  float a[3], b[3], c[3], d[3], origin[3], direction[3], x, y;
  int lit = 0, open = 0;
  span(stage->light, a, b);
  span(hit->normal, c, d);
  for (int i = 0; i < 3; i++) {
    origin[i] = hit->point[i] + 3e-5f * hit->normal[i];
  }
  for (int32_t k = 0; k < count; k++) {
    disk(seed, k, count, &x, &y);
    for (int i = 0; i < 3; i++) {
      direction[i] = stage->light[i] + SUN * (x * a[i] + y * b[i]);
    }
    tl_unitf(direction);
    tl_ray ray = tl_ray_make(origin, direction);
    lit += !is_hidden(stage, &ray, 1e30f);
    /* as many rays to each part of the sky as its light counts on a surface */
    const float up = sqrtf(fmaxf(0.0f, 1.0f - x * x - y * y));
    for (int i = 0; i < 3; i++) {
      direction[i] = x * c[i] + y * d[i] + up * hit->normal[i];
    }
    ray = tl_ray_make(origin, direction);
    open += !is_hidden(stage, &ray, SKY_DEPTH);
  }
  *sun = (float)lit / (float)count;
  *sky = (float)open / (float)count;
}
