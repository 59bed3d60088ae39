/* render_hit.c: what a ray meets first; see render_stage.h. */
#include <string.h>

#include "host/view/render_stage.h"

enum { VEILS = 12 /* clear walls looked through at most */ };

tl_ray tl_stage_ray(const tl_stage *stage, float u, float v) {
  float origin[3], direction[3];
  for (int i = 0; i < 3; i++) {
    const float aside = stage->spread * (u * stage->right[i] + v * stage->up[i]);
    origin[i] =
        stage->orthographic ? stage->eye[i] + aside - 8.0f * stage->forward[i] : stage->eye[i];
    direction[i] = stage->orthographic ? stage->forward[i] : stage->forward[i] + aside;
  }
  tl_unitf(direction);
  return tl_ray_make(origin, direction);
}

/* ---- spheres --------------------------------------------------------------------------------- */

/* The distance to a sphere, or `far`. The foot of the perpendicular first: that keeps small spheres
 * round although the numbers are of single precision. */
static inline float sphere_distance(const tl_ray *ray, const float *sphere, float far) {
  float way[3], aside[3];
  for (int i = 0; i < 3; i++) {
    way[i] = sphere[i] - ray->origin[i];
  }
  const float along = tl_dotf(way, ray->direction);
  for (int i = 0; i < 3; i++) {
    aside[i] = way[i] - along * ray->direction[i];
  }
  const float rest = sphere[3] * sphere[3] - tl_dotf(aside, aside);
  if (rest <= 0.0f) {
    return far;
  }
  const float distance = along - sqrtf(rest);
  return distance > 0.0f && distance < far ? distance : far;
}

static void hit_spheres(const tl_stage *stage, const tl_ray *ray, tl_hit *hit) {
  const tl_tree_node *node = stage->sphere_tree.node;
  int32_t stack[TL_TREE_STACK];
  int depth = 0;
  int32_t at = 0;
  if (stage->sphere_count == 0 ||
      tl_ray_box(ray, node[0].low, node[0].high, hit->distance) > hit->distance) {
    return;
  }
  for (;;) {
    if (node[at].count > 0) {
      for (int32_t k = node[at].link; k < node[at].link + node[at].count; k++) {
        const float distance = sphere_distance(ray, stage->sphere + 4 * (size_t)k, hit->distance);
        if (distance < hit->distance) {
          hit->distance = distance;
          hit->kind = TL_HIT_SPHERE;
          hit->index = k;
        }
      }
    } else {
      int32_t near = at + 1, far = node[at].link;
      float to_near = tl_ray_box(ray, node[near].low, node[near].high, hit->distance);
      float to_far = tl_ray_box(ray, node[far].low, node[far].high, hit->distance);
      if (to_far < to_near) {
        const int32_t swapped = near;
        const float distance = to_near;
        near = far;
        far = swapped;
        to_near = to_far;
        to_far = distance;
      }
      if (to_far < hit->distance) {
        stack[depth++] = far;
      }
      if (to_near < hit->distance) {
        at = near;
        continue;
      }
    }
    do { /* boxes put aside may lie behind what was found since */
      if (depth == 0) {
        return;
      }
      at = stack[--depth];
    } while (tl_ray_box(ray, node[at].low, node[at].high, hit->distance) > hit->distance);
  }
}

/* ---- other shapes ---------------------------------------------------------------------------- */

/* How much a clear wall hides: little, more if it moves, and more where it is seen edge on. */
static float veil_of(const tl_stage_shape *shape, const tl_ray *ray, const float normal[3]) {
  const float slant = 1.0f - fabsf(tl_dotf(ray->direction, normal));
  return (shape->moves ? 0.20f : 0.08f) + 0.35f * slant * slant * slant;
}

static void add_veil(tl_hit *hit, float veil) {
  hit->veil = 1.0f - (1.0f - hit->veil) * (1.0f - veil);
}

/* Distance and outward normal in the picture, from `skip` on. */
static float shape_distance(const tl_stage *stage, const tl_stage_shape *shape, const tl_ray *ray,
                            float skip, float normal[3]) {
  const double *r = shape->pose.rotation;
  double from[3], origin[3], direction[3], found[3] = {0, 0, 0};
  for (int i = 0; i < 3; i++) {
    from[i] = ((double)ray->origin[i] + (double)skip * ray->direction[i]) / stage->scale +
              stage->centre[i] - shape->pose.position[i];
  }
  for (int i = 0; i < 3; i++) {
    origin[i] = r[i] * from[0] + r[3 + i] * from[1] + r[6 + i] * from[2];
    direction[i] = r[i] * (double)ray->direction[0] + r[3 + i] * (double)ray->direction[1] +
                   r[6 + i] * (double)ray->direction[2];
  }
  const double distance = tl_geometry_ray(shape->geometry, origin, direction, found);
  for (int i = 0; i < 3; i++) {
    normal[i] = (float)(r[3 * i] * found[0] + r[3 * i + 1] * found[1] + r[3 * i + 2] * found[2]);
  }
  return distance < 1e30 ? skip + (float)(distance * stage->scale) : 3e38f;
}

/* Whether a mesh wall is clear at a point: its side towards the grains is turned away. */
static bool is_clear_at(const tl_stage_shape *shape, const tl_ray *ray, float distance,
                        const float normal[3]) {
  float inward[3];
  for (int i = 0; i < 3; i++) {
    inward[i] = shape->inside[i] - (ray->origin[i] + distance * ray->direction[i]);
  }
  return (tl_dotf(normal, inward) > 0.0f) == (tl_dotf(normal, ray->direction) > 0.0f);
}

static void hit_shape(const tl_stage *stage, int32_t index, const tl_ray *ray, tl_hit *hit,
                      float *veil_at, float *veil, int *veils) {
  const tl_stage_shape *shape = &stage->shape[index];
  const bool mesh = shape->wall && shape->geometry->kind == TALUS_SHAPE_MESH;
  float skip = 0.0f;
  for (int layer = 0; layer < VEILS; layer++) {
    float normal[3];
    const float distance = shape_distance(stage, shape, ray, skip, normal);
    if (!(distance < hit->distance)) {
      return;
    }
    if (!shape->clear && !(mesh && is_clear_at(shape, ray, distance, normal))) {
      hit->distance = distance;
      hit->kind = TL_HIT_SHAPE;
      hit->index = index;
      memcpy(hit->normal, normal, sizeof hit->normal);
      return;
    }
    if (*veils < VEILS) {
      veil_at[*veils] = distance;
      veil[(*veils)++] = veil_of(shape, ray, normal);
    }
    if (!mesh) {
      return;
    }
    skip = distance + 2e-5f;
  }
}

static void hit_shapes(const tl_stage *stage, const tl_ray *ray, tl_hit *hit) {
  const tl_tree_node *node = stage->shape_tree.node;
  int32_t stack[TL_TREE_STACK];
  float veil_at[VEILS], veil[VEILS];
  int depth = 0, veils = 0;
  if (stage->shape_count > 0) {
    stack[depth++] = 0;
  }
  while (depth > 0) {
    const int32_t at = stack[--depth];
    if (tl_ray_box(ray, node[at].low, node[at].high, hit->distance) > hit->distance) {
      continue;
    }
    for (int32_t k = 0; k < node[at].count; k++) {
      hit_shape(stage, stage->shape_tree.order[node[at].link + k], ray, hit, veil_at, veil, &veils);
    }
    if (node[at].count == 0) {
      stack[depth++] = node[at].link;
      stack[depth++] = at + 1;
    }
  }
  for (int k = 0; k < veils; k++) {
    if (veil_at[k] < hit->distance) {
      add_veil(hit, veil[k]);
    }
  }
}

/* ---- planes ---------------------------------------------------------------------------------- */

/* Whether a plane is drawn at a point of it. The ground has no end, faces of drums and wedges have
 * their outline, other walls end with the grains. */
static bool plane_shows(const tl_stage *stage, const tl_stage_plane *plane, const float at[3]) {
  if (plane->outline.count > 0) {
    const float way[3] = {at[0] - plane->at[0], at[1] - plane->at[1], at[2] - plane->at[2]};
    return tl_outline_holds(&plane->outline, (double)tl_dotf(way, plane->across[0]) / stage->scale,
                            (double)tl_dotf(way, plane->across[1]) / stage->scale);
  }
  int inside = 1;
  for (int i = 0; !plane->ground && inside && i < 3; i++) {
    const float slack = 0.02f * (stage->high[i] - stage->low[i]) + 1e-5f;
    inside = at[i] > stage->low[i] - slack && at[i] < stage->high[i] + slack;
  }
  return inside;
}

static void hit_planes(const tl_stage *stage, const tl_ray *ray, tl_hit *hit) {
  for (int32_t k = 0; k < stage->plane_count; k++) {
    const tl_stage_plane *plane = &stage->plane[k];
    const float towards = tl_dotf(plane->normal, ray->direction);
    if (towards > -1e-6f) {
      continue;
    }
    const float distance = (plane->offset - tl_dotf(plane->normal, ray->origin)) / towards;
    /* shapes that lie in the plane are seen, not the plane */
    float at[3];
    for (int i = 0; i < 3; i++) {
      at[i] = ray->origin[i] + distance * ray->direction[i];
    }
    if (distance > 0.0f && distance < 0.9999f * hit->distance && plane_shows(stage, plane, at)) {
      hit->distance = distance;
      hit->kind = TL_HIT_PLANE;
      hit->index = k;
      memcpy(hit->normal, plane->normal, sizeof hit->normal);
    }
  }
}

tl_hit tl_stage_hit(const tl_stage *stage, const tl_ray *ray) {
  tl_hit hit;
  memset(&hit, 0, sizeof hit);
  hit.kind = TL_HIT_NOTHING;
  hit.distance = 1e30f;
  hit_spheres(stage, ray, &hit);
  hit_shapes(stage, ray, &hit);
  hit_planes(stage, ray, &hit);
  for (int i = 0; i < 3; i++) {
    hit.point[i] = ray->origin[i] + hit.distance * ray->direction[i];
  }
  if (hit.kind == TL_HIT_SPHERE) {
    const float *sphere = stage->sphere + 4 * (size_t)hit.index;
    for (int i = 0; i < 3; i++) {
      hit.normal[i] = hit.point[i] - sphere[i];
    }
    tl_unitf(hit.normal);
  } else if (tl_dotf(hit.normal, ray->direction) > 0.0f) { /* a mesh seen from behind */
    for (int i = 0; i < 3; i++) {
      hit.normal[i] = -hit.normal[i];
    }
  }
  return hit;
}
